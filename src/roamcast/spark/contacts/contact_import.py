"""Recorded contacts into the layout of contacts: files are read, nodes numbered, overlapping contacts of a pair joined.

The network over time (degrees, components) is looked at every ``step_s``; the contacts themselves keep their times.
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
from roamcast.spark.movement.import_folder import Making, making
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
        with making(out, CONTACTS) as place:
            progress.begin("starting Spark")
            size_bytes = sum(file.stat().st_size for file in files)
            spark = open_session(master, place.log_file, quick_start=size_bytes <= QUICK_START_BYTES)
            prepare(place)
            progress.begin(f"contacts: reading {len(files)} files")
            broken, momentary = _read(spark, place, files, kinds)
            broken.check(broken_max)
            progress.begin("contacts: who met whom")
            found = _write(spark, place, files, step_s or SOCIOPATTERNS_WINDOW_S, momentary)
            left_out = {"momentary": momentary, "broken": broken.count, "examples": broken.shown()}
            described = {"range_m": None, "source": ", ".join(file.name for file in files)}
            recorded_s = [found["first_s"], found["last_s"]]
            place.write_summary(CONTACTS, {**found, **described, "recorded_s": recorded_s, **left_out})
    finally:
        progress.end()
    return open_imported(out, CONTACTS)


@dataclass(frozen=True, slots=True)
class _ReadTask:
    """The function for ``mapInArrow``: files in, their contacts written beside."""

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


def _read(spark: SparkSession, place: Making, files: Sequence[Path], kinds: Sequence[str]) -> tuple[BrokenLines, int]:
    """Let tasks read the files, and return what they left out: broken lines, and how many contacts without a length."""
    numbers = pa.array(range(len(files)), pa.int32())
    rows = pa.table({"task": numbers, "file": numbers})
    (place.staging / "read").mkdir()
    task = _ReadTask(tuple(map(str, files)), tuple(kinds), place.staging / "read")
    said = place.said(spark, "read", spread(spark, rows, len(files)).mapInArrow(task, STATUS_SCHEMA))
    broken = BrokenLines(list(files))
    for each in sorted(said, key=lambda each: int(each["file"])):
        if "error" in each:
            raise UserError(each["error"])
        broken.add_piece(each["file"], 0, each["lines"], each["rows"], each["broken"], each["examples"])
    return broken, sum(each["momentary"] for each in said)


def _write(spark: SparkSession, place: Making, files: Sequence[Path], step_s: float, momentary: int) -> dict[str, Any]:
    """Number the nodes, join what overlaps, and write all tables."""
    rows = read_parquet(spark, place.staging / "read")
    ends = rows.select(F.col("one").alias("name"), "start_s", "end_s").unionByName(
        rows.select(F.col("other").alias("name"), "start_s", "end_s")
    )
    extremes = F.min("start_s").alias("first"), F.max("end_s").alias("last")
    seen = ends.groupBy("name").agg(*extremes, F.count("*").alias("n"))
    known = place.run(spark, "names", seen.toArrow)
    if not len(known):
        but = f" that last; {momentary:,} begin and end at one time" if momentary else ""
        raise UserError(f"{files[0]}: has no contacts{but}")
    by_name = {row["name"]: row for row in known.to_pylist()}
    names = numbered([*by_name], [row["first"] for row in by_name.values()])
    columns = [[by_name[name][key] for name in names] for key in ("first", "last", "n")]
    write_parquet(pa.table([range(len(names)), names, *columns], schema=NODES_SCHEMA), place.root / "nodes.parquet")
    ticks = Ticks(min(columns[0]), step_s)
    last = ceil((max(columns[1]) - ticks.first_s) / step_s) - 1
    if last > TICKS_MAX:
        raise UserError(f"--step-s {step_s:g}: gives more than {TICKS_MAX:,} points in time; take a larger one")
    joined = _joined(_with_numbers(spark, rows, names)).persist()
    try:
        found = write_timed_contacts(spark, place, ticks, joined)
        _write_network(spark, place, joined, ticks, last, len(names))
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


def _write_network(spark: SparkSession, place: Making, rows: DataFrame, ticks: Ticks, last: int, nodes: int) -> None:
    """Write degrees and components at every tick at which somebody is in contact."""
    first = F.ceil((F.col("start_s") - F.lit(ticks.first_s)) / F.lit(ticks.step_s) - F.lit(1e-9))
    end = F.ceil((F.col("end_s") - F.lit(ticks.first_s)) / F.lit(ticks.step_s) - F.lit(1e-9))
    spans = rows.withColumn("from", first).withColumn("to", end).where("to > from")
    total = place.run(spark, "count", lambda: spans.agg(F.sum(F.col("to") - F.col("from"))).first())
    parts = max(1, floor((int(total[0] or 0) if total else 0) / LINKS_PER_PART))
    frame = (
        spans.withColumn("tick", F.explode(F.sequence(F.col("from"), F.col("to") - 1)))
        .withColumn("part", F.floor(F.col("tick") * F.lit(parts) / F.lit(last + 1)).cast("int"))
        .repartitionById(parts, "part")
        .sortWithinPartitions("tick", "a", "b")
        .select("part", "tick", "a", "b")
    )
    place.said(spark, "network", frame.mapInArrow(LinkTask(place.root, ticks, nodes), STATUS_SCHEMA))
