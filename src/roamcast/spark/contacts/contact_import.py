"""Importing recorded contacts on Spark: files are read, nodes numbered, overlapping contacts of a pair joined.

The network over time (degrees, components) is sampled every ``step_s``; the contacts themselves keep their exact times.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.campaigns.progress import NoProgress, Progress
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.recordings.broken_lines import BrokenLines
from roamcast.recordings.contact_files import SOCIOPATTERNS_WINDOW_S, detect_contacts, read_contacts
from roamcast.recordings.node_names import numbered
from roamcast.recordings.recording_layout import CONTACTS, NODES_SCHEMA, Imported, open_imported
from roamcast.recordings.row_tables import CONTACT_ROWS, Report
from roamcast.spark.contacts.contact_search import prepare, write_timed_contacts
from roamcast.spark.contacts.contact_tasks import LinkTask, Ticks
from roamcast.spark.contacts.ticks import TICKS_MAX
from roamcast.spark.movement.import_folder import ImportFolder, import_folder
from roamcast.spark.movement.movement_import import QUICK_START_BYTES
from roamcast.spark.movement.movement_tasks import STATUS_SCHEMA, status
from roamcast.spark.parquet import read_parquet
from roamcast.spark.partitions import spread
from roamcast.spark.session.session import open_session

LINKS_PER_PART = 2_000_000


def import_contacts(
    files: Sequence[Path],
    out: Path,
    master: str,
    kind: str | None = None,
    step_s: float | None = None,
    broken_max: float = 0.01,
    progress: Progress | None = None,
) -> Imported:
    """Import files of recorded contacts into a folder."""
    progress = progress or NoProgress()
    kinds = [kind or detect_contacts(file) for file in files]
    try:
        with import_folder(out, CONTACTS) as target:
            progress.begin("starting Spark")
            size_bytes = sum(file.stat().st_size for file in files)
            spark = open_session(master, target.log_file, quick_start=size_bytes <= QUICK_START_BYTES)
            prepare(target)
            progress.begin(f"contacts: reading {len(files)} files")
            broken, momentary = _read(spark, target, files, kinds)
            broken.check(broken_max)
            progress.begin("contacts: joining")
            found = _write(spark, target, files, step_s or SOCIOPATTERNS_WINDOW_S, momentary)
            left_out = {"momentary": momentary, "broken": broken.count, "examples": broken.examples()}
            described = {"range_m": None, "source": ", ".join(file.name for file in files)}
            recorded_s = [found["first_s"], found["last_s"]]
            target.write_summary(CONTACTS, {**found, **described, "recorded_s": recorded_s, **left_out})
    finally:
        progress.end()
    return open_imported(out, CONTACTS)


@dataclass(frozen=True, slots=True)
class _ReadTask:
    """The function for ``mapInArrow``: reads files, stages their contacts, and yields a report for each."""

    paths: tuple[str, ...]
    kinds: tuple[str, ...]
    staging: Path

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for file in batch.column("file").to_pylist():
                report = Report()
                try:
                    with pq.ParquetWriter(self.staging / f"read-{file:05}.parquet", CONTACT_ROWS) as writer:
                        for table in read_contacts(self.paths[file], self.kinds[file], report):
                            writer.write_table(table)
                except UserError as error:
                    yield status(file=file, error=str(error))
                    continue
                yield status(file=file, **asdict(report))


def _read(
    spark: SparkSession, target: ImportFolder, files: Sequence[Path], kinds: Sequence[str]
) -> tuple[BrokenLines, int]:
    """Read the files in tasks; return the broken lines and the number of contacts without a length."""
    numbers = pa.array(range(len(files)), pa.int32())
    rows = pa.table({"task": numbers, "file": numbers})
    (target.staging / "read").mkdir()
    task = _ReadTask(tuple(map(str, files)), tuple(kinds), target.staging / "read")
    reports = target.run_tasks(spark, "read", spread(spark, rows, len(files)).mapInArrow(task, STATUS_SCHEMA))
    broken = BrokenLines(list(files))
    for report in sorted(reports, key=lambda report: int(report["file"])):
        if "error" in report:
            raise UserError(report["error"])
        broken.add_piece(report["file"], 0, report["lines"], report["rows"], report["broken"], report["examples"])
    return broken, sum(report["momentary"] for report in reports)


def _write(
    spark: SparkSession, target: ImportFolder, files: Sequence[Path], step_s: float, momentary: int
) -> dict[str, Any]:
    """Number the nodes, join overlapping contacts, and write all tables."""
    rows = read_parquet(spark, target.staging / "read")
    ends = rows.select(F.col("one").alias("name"), "start_s", "end_s").unionByName(
        rows.select(F.col("other").alias("name"), "start_s", "end_s")
    )
    extremes = F.min("start_s").alias("first"), F.max("end_s").alias("last")
    seen = ends.groupBy("name").agg(*extremes, F.count("*").alias("n"))
    known = target.run(spark, "names", seen.toArrow)
    if not len(known):
        but = f" of any length; {momentary:,} begin and end at the same time" if momentary else ""
        raise UserError(f"{files[0]}: has no contacts{but}")
    by_name = {row["name"]: row for row in known.to_pylist()}
    names = numbered([*by_name], [row["first"] for row in by_name.values()])
    columns = [[by_name[name][key] for name in names] for key in ("first", "last", "n")]
    write_parquet(pa.table([range(len(names)), names, *columns], schema=NODES_SCHEMA), target.root / "nodes.parquet")
    ticks = Ticks(min(columns[0]), step_s)
    last = ceil((max(columns[1]) - ticks.first_s) / step_s) - 1
    if last > TICKS_MAX:
        raise UserError(f"--step-s {step_s:g}: yields more than {TICKS_MAX:,} points in time; choose a larger step")
    joined = _joined(_with_numbers(spark, rows, names)).persist()
    try:
        found = write_timed_contacts(spark, target, ticks, joined)
        _write_network(spark, target, joined, ticks, last, len(names))
    finally:
        joined.unpersist()
    return {**found, "nodes": len(names)}


def _with_numbers(spark: SparkSession, rows: DataFrame, names: Sequence[str]) -> DataFrame:
    numbers = spark.createDataFrame(pa.table({"name": names, "number": pa.array(range(len(names)), pa.int32())}))
    one = F.broadcast(numbers.select(F.col("name").alias("one"), F.col("number").alias("p")))
    other = F.broadcast(numbers.select(F.col("name").alias("other"), F.col("number").alias("q")))
    numbered_rows = rows.join(one, on="one", how="inner").join(other, on="other", how="inner")
    return numbered_rows.select(F.least("p", "q").alias("a"), F.greatest("p", "q").alias("b"), "start_s", "end_s")


def _joined(rows: DataFrame) -> DataFrame:
    """Join the contacts of a pair that overlap or touch."""
    by_pair = Window.partitionBy("a", "b").orderBy("start_s", "end_s")
    before = F.max("end_s").over(by_pair.rowsBetween(Window.unboundedPreceding, -1))
    return (
        rows.withColumn("before", before)
        .withColumn("begins", (F.col("before").isNull() | (F.col("start_s") > F.col("before"))).cast("int"))
        .withColumn("island", F.sum("begins").over(by_pair))
        .groupBy("a", "b", "island")
        .agg(F.min("start_s").alias("start_s"), F.max("end_s").alias("end_s"))
        .select("a", "b", "start_s", "end_s")
    )


def _write_network(
    spark: SparkSession, target: ImportFolder, rows: DataFrame, ticks: Ticks, last: int, nodes: int
) -> None:
    """Write degrees and components at every tick with a contact."""
    first = F.ceil((F.col("start_s") - F.lit(ticks.first_s)) / F.lit(ticks.step_s) - F.lit(1e-9))
    end = F.ceil((F.col("end_s") - F.lit(ticks.first_s)) / F.lit(ticks.step_s) - F.lit(1e-9))
    spans = rows.withColumn("from", first).withColumn("to", end).where("to > from")
    total = target.run(spark, "count", lambda: spans.agg(F.sum(F.col("to") - F.col("from"))).first())
    parts = max(1, floor((int(total[0] or 0) if total else 0) / LINKS_PER_PART))
    frame = (
        spans.withColumn("tick", F.explode(F.sequence(F.col("from"), F.col("to") - 1)))
        .withColumn("part", F.floor(F.col("tick") * F.lit(parts) / F.lit(last + 1)).cast("int"))
        .repartitionById(parts, "part")
        .sortWithinPartitions("tick", "a", "b")
        .select("part", "tick", "a", "b")
    )
    target.run_tasks(spark, "network", frame.mapInArrow(LinkTask(target.root, ticks, nodes), STATUS_SCHEMA))
