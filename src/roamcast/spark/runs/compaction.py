"""From one file a run to a few files a table: what a campaign leaves for its metrics and for other tools.

The tables hold the runs of one plan, no others, in the order of their ``run_id``; so they are the same however often
the campaign was interrupted. They are made in a new folder that takes the old one's place when it is whole.
"""

import errno
import hashlib
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_files import PLAN_FIELDS, RUN_FILE_SCHEMA, TABLE_SCHEMAS, flat_tables
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.spark.jobs import SPARK_ERRORS, failure, watched
from roamcast.spark.partitions import spread

RUNS_PER_PART = 250
"""A part of a few hundred runs is some megabytes: few files, and enough of them for all cores."""
FINGERPRINT = "_made_from"
"""A file beside the tables that tells which plan and which outcomes they were made from."""


def compact(spark: SparkSession, folder: CampaignFolder, plan: Sequence[PlannedRun]) -> None:
    """Write the flat tables of a plan whose runs have all ended."""
    making = folder.root / f".tables.{uuid.uuid4().hex[:8]}.tmp"
    for name in TABLE_SCHEMAS:
        (making / name).mkdir(parents=True)
    write_parquet(plan_table(plan), making / "plan" / "part-00000.parquet")
    run_ids = sorted({run.run_id for run in plan})
    tasks = pa.array([index // RUNS_PER_PART for index in range(len(run_ids))], pa.int32())
    rows = pa.table({"task": tasks, "run_id": run_ids})
    parts = -(-len(run_ids) // RUNS_PER_PART)
    written = spread(spark, rows, parts).mapInArrow(CompactTask(folder, making), "part int")
    try:
        watched(spark, "compact", written.toArrow)
    except SPARK_ERRORS as error:
        raise failure(error, folder.root, folder.log_file) from None
    (making / FINGERPRINT).write_text(fingerprint(folder, plan), encoding="ascii")
    _put_in_place(making, folder.tables)


def is_compacted(folder: CampaignFolder, plan: Sequence[PlannedRun]) -> bool:
    """Tell whether the tables are those of this plan and of what its runs gave."""
    file = folder.tables / FINGERPRINT
    return file.is_file() and file.read_text(encoding="ascii") == fingerprint(folder, plan)


def fingerprint(folder: CampaignFolder, plan: Sequence[PlannedRun]) -> str:
    """Return what the tables depend on, as a digest."""
    finished = folder.finished()
    rows = sorted((run.sweep, run.point, run.run_id, run.seed, run.run_id in finished) for run in plan)
    schemas = [str(schema) for schema in TABLE_SCHEMAS.values()]
    return hashlib.blake2b(repr((schemas, rows)).encode(), digest_size=16).hexdigest()


def plan_table(plan: Sequence[PlannedRun]) -> pa.Table:
    """Return which runs stand where in which sweep, in a fixed order."""
    rows = sorted({(run.sweep, run.point, run.seed, run.run_id) for run in plan})
    columns = {name: [row[index] for row in rows] for index, name in enumerate(("sweep", "point", "seed", "run_id"))}
    return pa.table({field.name: columns[field.name] for field in PLAN_FIELDS}, schema=TABLE_SCHEMAS["plan"])


@dataclass(frozen=True, slots=True)
class CompactTask:
    """The function for ``mapInArrow``: the runs of a part in, its files written."""

    folder: CampaignFolder
    making: Path

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write one file a table."""
        rows = sorted((row["task"], row["run_id"]) for batch in batches for row in batch.to_pylist())
        if not rows:
            return
        part = rows[0][0]
        tables = flat_tables([self._read(run_id) for _, run_id in rows])
        for name, table in tables.items():
            write_parquet(table, self.making / name / f"part-{part:05}.parquet")
        yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.int32())})

    def _read(self, run_id: str) -> pa.Table:
        path = self.folder.outcome_file(run_id)
        if path is None:
            raise FileNotFoundError(f"{self.folder.run_file(run_id)} has gone")
        try:
            row = pq.ParquetFile(path).read()
        except (OSError, pa.ArrowInvalid) as error:
            raise UserError(f"{path}: cannot be read ({error}); remove it and call again") from None
        if not row.schema.equals(RUN_FILE_SCHEMA):
            raise UserError(f"{path}: has the columns of another version; remove it and call again")
        return row


def _put_in_place(making: Path, tables: Path) -> None:
    """Swap the tables; killed in between, there are none, and the next call makes them."""
    old = making.with_name(making.name.replace(".tables.", ".tables.old."))
    while True:
        with suppress(FileNotFoundError):
            tables.rename(old)
        try:
            making.rename(tables)
            break
        except OSError as error:  # where there are no locks, another call may have been quicker
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
