"""Merge one file per run into a few files per table, for a campaign's measurements and for other tools.

The tables hold the runs of one plan, no others, in the order of their ``run_id``; so they are the same however often
the campaign was interrupted. They are made in a new folder that takes the old one's place when it is whole.

The metrics of a run are in its file. If they were computed by another table of metrics than today's, or if the file is
older than stored metrics, they are computed again from the stored facts. If nothing but the table of metrics has
changed, nothing but the ``metrics`` table is made again.
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
from roamcast.campaigns.failed_runs import failed_runs
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_files import (
    FACTS_FILE_SCHEMA,
    METRICS,
    OK,
    PLAN_FIELDS,
    RUN_FILE_SCHEMA,
    TABLE_SCHEMAS,
    facts_of,
    flat_tables,
    with_metrics,
)
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.core.plugins import Plugins, use_plugins
from roamcast.measuring.metrics import DriverMetrics, MetricsFunction, RunMetrics, evaluate, metrics_digest
from roamcast.spark.jobs import SPARK_ERRORS, failure, wait_for_job
from roamcast.spark.partitions import spread
from roamcast.spark.session.shipping import worker_plugins

RUNS_PER_PART = 250
"""A part of a few hundred runs is some megabytes: few files, and enough of them for all cores."""
FINGERPRINT = "_made_from"
"""A file beside the tables that tells which plan and which outcomes they were made from. The one beside the metrics
tells by which table of metrics."""


def compact(spark: SparkSession, folder: CampaignFolder, plan: Sequence[PlannedRun], metrics: MetricsFunction) -> None:
    """Write the flat tables of a plan whose runs have all ended, as far as they are not up to date."""
    only_metrics = _says(folder.tables, fingerprint(folder, plan))
    names = (METRICS,) if only_metrics else tuple(TABLE_SCHEMAS)
    making = folder.root / f".tables.{uuid.uuid4().hex[:8]}.tmp"
    for name in names:
        (making / name).mkdir(parents=True)
    by_metrics = DriverMetrics.of(metrics)
    run_ids = sorted({run.run_id for run in plan})
    tasks = pa.array([index // RUNS_PER_PART for index in range(len(run_ids))], pa.int32())
    rows = pa.table({"task": tasks, "run_id": run_ids})
    parts = -(-len(run_ids) // RUNS_PER_PART)
    task = CompactTask(folder, making, names, by_metrics, worker_plugins(spark))
    try:
        wait_for_job(spark, "compact", spread(spark, rows, parts).mapInArrow(task, "part int").toArrow)
    except SPARK_ERRORS as error:
        raise failure(error, folder.root, folder.log_file) from None
    (making / METRICS / FINGERPRINT).write_text(by_metrics.digest, encoding="ascii")
    if only_metrics:
        _put_in_place(making / METRICS, folder.tables / METRICS, folder.root)
        shutil.rmtree(making, ignore_errors=True)
    else:
        write_parquet(plan_table(plan), making / "plan" / "part-00000.parquet")
        (making / FINGERPRINT).write_text(fingerprint(folder, plan), encoding="ascii")
        _put_in_place(making, folder.tables, folder.root)


def is_compacted(folder: CampaignFolder, plan: Sequence[PlannedRun], metrics: MetricsFunction) -> bool:
    """Tell whether the tables are those of this plan, of what its runs gave and of this table of metrics."""
    by_metrics = metrics_digest(metrics().values())
    return _says(folder.tables, fingerprint(folder, plan)) and _says(folder.tables / METRICS, by_metrics)


def _says(folder: Path, digest: str) -> bool:
    file = folder / FINGERPRINT
    return file.is_file() and file.read_text(encoding="ascii") == digest


def fingerprint(folder: CampaignFolder, plan: Sequence[PlannedRun]) -> str:
    """Return what the tables of facts depend on, as a digest: a run that fails again may do so for another reason."""
    finished = folder.finished()
    failures = {run.run_id: (run.status, run.reason) for run in failed_runs(folder)}
    rows = sorted(
        (run.sweep, run.point, run.run_id, run.seed, run.run_id in finished, failures.get(run.run_id, ()))
        for run in plan
    )
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
    names: Sequence[str]
    """The tables to write."""
    metrics: DriverMetrics
    plugins: Plugins
    """The plug-ins that the driver knows; some may have metrics."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write one file a table."""
        rows = sorted((row["task"], row["run_id"]) for batch in batches for row in batch.to_pylist())
        if not rows:
            return
        use_plugins(self.plugins)
        part = rows[0][0]
        tables = flat_tables([self._measured(self._read(run_id)) for _, run_id in rows])
        for name, table in tables.items():
            if name in self.names:
                write_parquet(table, self.making / name / f"part-{part:05}.parquet")
        yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.int32())})

    def _read(self, run_id: str) -> pa.Table:
        path = self.folder.outcome_file(run_id)
        if path is None:
            raise FileNotFoundError(f"{self.folder.run_file(run_id)} has disappeared")
        try:
            row = pq.ParquetFile(path).read()
        except (OSError, pa.ArrowInvalid) as error:
            raise UserError(f"{path}: cannot be read ({error}); remove it and call again") from None
        if row.schema.equals(FACTS_FILE_SCHEMA):
            return with_metrics(row, None)
        if not row.schema.equals(RUN_FILE_SCHEMA):
            raise UserError(f"{path}: has the columns of another version; remove it and call again")
        return row

    def _measured(self, row: pa.Table) -> pa.Table:
        """Return a run with today's metrics: those in its file, or computed again where another table made them."""
        digest, status = row.column("metrics_digest")[0].as_py(), row.column("status")[0].as_py()
        if digest == self.metrics.digest or status != OK:
            return row
        values = evaluate(facts_of(row), self.metrics.table().values())
        return with_metrics(row, RunMetrics(self.metrics.digest, values))


def _put_in_place(making: Path, target: Path, root: Path) -> None:
    """Swap a folder for a new one; killed in between, there is none, and the next call makes it."""
    old = root / f".tables.old.{uuid.uuid4().hex[:8]}.tmp"
    while True:
        with suppress(FileNotFoundError):
            target.rename(old)
        try:
            making.rename(target)
            break
        except OSError as error:  # where there are no locks, another call may have been quicker
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
