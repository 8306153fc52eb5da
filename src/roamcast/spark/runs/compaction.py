"""Merge one file per run into a few files per table, for a campaign's measurements and for other tools.

The tables hold the runs of one plan, no others, in the order of their ``run_id``; so they are the same however often
the campaign was interrupted. They are made in a new folder that takes the old one's place when it is whole.

The metrics of a run are in its file. If they were computed by another table of metrics than today's, or if the file is
older than stored metrics, they are computed again from the stored facts. If nothing but the table of metrics has
changed, nothing but the ``metrics`` table is made again. Metrics at shorter validities are computed from the stored
facts too, for campaigns that ask for them.

Rows of runs that were in the tables before are copied from there; only the files of new runs are read.
"""

import errno
import hashlib
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.earlier_tables import by_run, part_file, parts_of_runs, rows_of_runs
from roamcast.campaigns.failed_runs import failed_runs
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_files import (
    BY_VALIDITY,
    BY_VALIDITY_SCHEMA,
    FACTS_FILE_SCHEMA,
    METRICS,
    OK,
    PLAN,
    PLAN_FIELDS,
    RUN_FILE_SCHEMA,
    TABLE_SCHEMAS,
    facts_of,
    flat_tables,
    table_schema,
    with_metrics,
)
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.core.plugins import Plugins, use_plugins
from roamcast.measuring.metrics import DriverMetrics, MetricsFunction, RunMetrics, evaluate, metrics_digest
from roamcast.measuring.shorter_validity import values_by_validity
from roamcast.spark.jobs import SPARK_ERRORS, failure, wait_for_job
from roamcast.spark.partitions import spread
from roamcast.spark.session.shipping import worker_plugins

RUNS_PER_PART = 250
"""A part of a few hundred runs is some megabytes: few files, and enough of them for all cores."""
FACT_TABLES = tuple(name for name in TABLE_SCHEMAS if name != METRICS)
"""The tables that do not depend on the table of metrics."""
FINGERPRINT = "_made_from"
"""A file beside the tables that tells which plan and which outcomes they were made from. Those beside tables
of metrics tell by which table of metrics, and for which validities."""


def compact(
    spark: SparkSession,
    folder: CampaignFolder,
    plan: Sequence[PlannedRun],
    metrics: MetricsFunction,
    validities_s: Sequence[float] = (),
) -> None:
    """Write the flat tables of a plan whose runs have all ended, as far as they are not up to date."""
    by_metrics = DriverMetrics.of(metrics)
    made_from = _measured_from(by_metrics.digest, validities_s)
    stale = [name for name, digest in made_from.items() if not _says(folder.tables / name, digest)]
    are_facts_stale = not _says(folder.tables, fingerprint(folder, plan))
    names = (*FACT_TABLES, *made_from) if are_facts_stale else tuple(stale)
    making = folder.root / f".tables.{uuid.uuid4().hex[:8]}.tmp"
    for name in names:
        (making / name).mkdir(parents=True)
    parts = {} if stale else _reusable(folder, names)
    task = CompactTask(folder, making, names, by_metrics, worker_plugins(spark), tuple(validities_s))
    _write_parts(spark, task, sorted({run.run_id for run in plan}), parts)
    for name in made_from.keys() & set(names):
        (making / name / FINGERPRINT).write_text(made_from[name], encoding="ascii")
    if are_facts_stale:
        write_parquet(plan_table(plan), making / "plan" / "part-00000.parquet")
        (making / FINGERPRINT).write_text(fingerprint(folder, plan), encoding="ascii")
        _put_in_place(making, folder.tables, folder.root)
    else:
        for name in names:
            _put_in_place(making / name, folder.tables / name, folder.root)
        shutil.rmtree(making, ignore_errors=True)


def _reusable(folder: CampaignFolder, names: Sequence[str]) -> dict[str, int]:
    """Return the parts of today's tables that hold rows of finished runs; there are none if a table has changed."""
    finished = folder.finished()
    schemas = {name: table_schema(name) for name in names if name != PLAN}
    return {run_id: part for run_id, part in parts_of_runs(folder.tables, schemas).items() if run_id in finished}


def _write_parts(spark: SparkSession, task: "CompactTask", run_ids: Sequence[str], parts: Mapping[str, int]) -> None:
    """Let Spark write the files of all parts."""
    tasks = pa.array([index // RUNS_PER_PART for index in range(len(run_ids))], pa.int32())
    earlier = pa.array([parts.get(run_id) for run_id in run_ids], pa.int32())
    rows = pa.table({"task": tasks, "run_id": run_ids, "earlier_part": earlier})
    count = -(-len(run_ids) // RUNS_PER_PART)
    try:
        wait_for_job(spark, "compact", spread(spark, rows, count).mapInArrow(task, "part int").toArrow)
    except SPARK_ERRORS as error:
        raise failure(error, task.folder.root, task.folder.log_file) from None


def is_compacted(
    folder: CampaignFolder, plan: Sequence[PlannedRun], metrics: MetricsFunction, validities_s: Sequence[float] = ()
) -> bool:
    """Tell whether the tables are those of this plan, of what its runs gave and of this table of metrics."""
    made_from = _measured_from(metrics_digest(metrics().values()), validities_s)
    measured = all(_says(folder.tables / name, digest) for name, digest in made_from.items())
    return measured and _says(folder.tables, fingerprint(folder, plan))


def has_validities(tables: Path, validities_s: Sequence[float], metrics: MetricsFunction) -> bool:
    """Tell whether the tables hold today's metrics at exactly these validities."""
    made_from = _measured_from(metrics_digest(metrics().values()), validities_s)
    return _says(tables / BY_VALIDITY, made_from[BY_VALIDITY])


def _measured_from(digest: str, validities_s: Sequence[float]) -> dict[str, str]:
    """Return the tables of metrics that a campaign wants, and what each is made from besides the facts."""
    curves = {BY_VALIDITY: f"{digest} {' '.join(f'{each:g}' for each in validities_s)}"} if validities_s else {}
    return {METRICS: digest, **curves}


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
    validities_s: tuple[float, ...] = ()

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write one file a table."""
        rows = sorted(
            (row["task"], row["run_id"], row.get("earlier_part")) for batch in batches for row in batch.to_pylist()
        )
        if not rows:
            return
        use_plugins(self.plugins)
        part = rows[0][0]
        for name, table in self._tables({run_id: earlier for _, run_id, earlier in rows}).items():
            write_parquet(table, part_file(self.making, name, part))
        yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.int32())})

    def _tables(self, runs: Mapping[str, int | None]) -> dict[str, pa.Table]:
        """Return the tables with the rows of some runs, in the order of the runs."""
        names = [name for name in self.names if name != PLAN]
        pieces: dict[str, dict[str, pa.Table]] = {name: {} for name in names}
        read: set[str] = set()
        for part in sorted({part for part in runs.values() if part is not None}):
            found = rows_of_runs(self.folder.tables, names, part)
            here = {run_id for run_id, earlier in runs.items() if earlier == part}
            for name, of_run in (found or {}).items():
                pieces[name].update((run_id, rows) for run_id, rows in of_run.items() if run_id in here)
            read |= here if found is not None else set()
        new = [self._measured(self._read(run_id)) for run_id in runs if run_id not in read]
        tables = {**flat_tables(new), BY_VALIDITY: self._curves(new)} if new else {}
        if not read:
            return {name: tables[name] for name in names}
        for name in names if new else ():
            pieces[name].update(by_run(tables[name]))
        return {
            name: pa.concat_tables(
                [table_schema(name).empty_table(), *(of_run[run_id] for run_id in runs if run_id in of_run)]
            )
            for name, of_run in pieces.items()
        }

    def _curves(self, rows: Sequence[pa.Table]) -> pa.Table:
        """Return the metrics at shorter validities of all runs with publications."""
        found: dict[str, list[Any]] = {name: [] for name in BY_VALIDITY_SCHEMA.names}
        for row in rows if self.validities_s else ():
            facts = facts_of(row, ("publications", "deliveries"))
            run_id = row.column("run_id")[0].as_py()
            for metric, value in values_by_validity(facts, self.validities_s, self.metrics.table()):
                if facts.publications:
                    for column, each in zip(found.values(), (run_id, metric, value), strict=True):
                        column.append(each)
        return pa.table(found, schema=BY_VALIDITY_SCHEMA)

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
