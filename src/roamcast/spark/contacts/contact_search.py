"""Computing contacts from movement on Spark, and writing tables of contacts.

Time is sampled at ticks: the recording's own times (``ticks``), or every ``step_s``. A pair that is in range at a tick
is in contact from that tick to the next; so a contact consists of whole ticks, and is exact at the recording's
resolution. We measured the alternatives (``python -m benchmarks.contacts``): a compiled grid for each tick inside an
Arrow function is several times as fast as a join of grid cells in SQL.
"""

from math import floor
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from roamcast.campaigns.progress import NoProgress, Progress
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.recordings.recording_layout import (
    COMPONENTS,
    CONTACTS,
    CONTACTS_SCHEMA,
    DEGREES,
    LAYOUT,
    MOVEMENT,
    Imported,
    open_imported,
    window_name,
)
from roamcast.spark.contacts.contact_tasks import STRETCH_SCHEMA, Ticks, TickTask, WindowTask
from roamcast.spark.contacts.ticks import TICKS_MAX, choose_ticks, per_window
from roamcast.spark.movement.import_folder import ImportFolder, import_folder
from roamcast.spark.movement.movement_import import QUICK_START_BYTES, ROWS_PER_WINDOW
from roamcast.spark.movement.movement_tasks import STATUS_SCHEMA, WriteTask
from roamcast.spark.movement.resampling import is_even, positions_at_ticks
from roamcast.spark.parquet import read_parquet
from roamcast.spark.session.session import open_session

PARTS_MAX = 2_000


def contacts_of_movement(
    folder: Path, out: Path, master: str, range_m: float, step_s: float | None = None, progress: Progress | None = None
) -> Imported:
    """Compute the contacts of a folder of movement and write them to another folder."""
    progress = progress or NoProgress()
    movement = open_imported(folder.absolute(), MOVEMENT)
    movement.check_whole()
    summary = movement.summary
    coarse_s = float(step_s or summary["step_s"])
    if (summary["last_s"] - summary["first_s"]) / coarse_s > TICKS_MAX:
        raise UserError(f"--step-s {coarse_s:g}: yields more than {TICKS_MAX:,} points in time; choose a larger step")
    try:
        with import_folder(out, CONTACTS) as target:
            progress.begin("starting Spark")
            size_bytes = sum(file.stat().st_size for file in movement.files())
            spark = open_session(master, target.log_file, quick_start=size_bytes <= QUICK_START_BYTES)
            progress.begin(f"contacts: {summary['rows']:,} rows, finding pairs within {range_m:g} m")
            prepare(target)
            ticks, between = choose_ticks(spark, target, movement, step_s)
            find_stretches(spark, target, movement, ticks, range_m)
            progress.begin("contacts: joining")
            found = write_contacts(spark, target, ticks, merged(stretches(spark, target)))
            write_parquet(pq.read_table(movement.nodes_file), target.root / "nodes.parquet")
            described = {"nodes": summary["nodes"], "range_m": range_m, "source": movement.root.name}
            recorded_s = [summary["first_s"], summary["last_s"] + ticks.step_s]
            left_out = {"rows_between_looks": between, "broken": 0, "momentary": 0}
            target.write_summary(CONTACTS, {**found, **described, "recorded_s": recorded_s, **left_out})
    finally:
        progress.end()
    return open_imported(out, CONTACTS)


def prepare(target: ImportFolder) -> None:
    """Make the folders that tasks write into."""
    for name in (DEGREES, COMPONENTS, CONTACTS, "staging/stretches"):
        (target.root / name).mkdir(parents=True)


def find_stretches(spark: SparkSession, target: ImportFolder, movement: Imported, ticks: Ticks, range_m: float) -> None:
    """Find the pairs in range at each tick, in tasks."""
    if is_even(spark, target, movement, ticks):
        frame = per_window(spark, movement, WindowTask(movement.root, target.root, ticks, range_m))
    else:
        last = floor((movement.summary["last_s"] - ticks.first_s) / ticks.step_s + ticks.near)
        positions = positions_at_ticks(read_parquet(spark, movement.table), ticks, last)
        parts = _parts(movement, ticks, last)
        part = F.floor(F.col("tick") * F.lit(parts) / F.lit(last + 1)).cast("int")
        ordered = positions.withColumn("part", part).repartitionById(parts, "part").sortWithinPartitions("tick", "node")
        columns = ["part", "tick", "node", "x_m", "y_m"]
        frame = ordered.select(*columns).mapInArrow(TickTask(target.root, ticks, range_m), STATUS_SCHEMA)
    target.run_tasks(spark, "who", frame)


def _parts(movement: Imported, ticks: Ticks, last: int) -> int:
    """Return how many tasks to distribute the ticks over, from the expected number of rows."""
    summary = movement.summary
    rows: float = (last + 1) * summary["nodes"]
    if not summary["are_waypoints"]:
        rows = min(rows, summary["rows"] * max(1.0, summary["step_s"] / ticks.step_s))
    return max(1, min(PARTS_MAX, last + 1, round(rows / ROWS_PER_WINDOW)))


def stretches(spark: SparkSession, target: ImportFolder) -> DataFrame:
    """Return the stretches that the tasks have written; an empty frame if there were no contacts."""
    path = target.staging / "stretches"
    if not any(path.iterdir()):
        pq.write_table(STRETCH_SCHEMA.empty_table(), path / "none.parquet")
    return read_parquet(spark, path)


def merged(found: DataFrame) -> DataFrame:
    """Join adjacent stretches of a pair: (a, b, first, last), in ticks."""
    by_pair = Window.partitionBy("a", "b").orderBy("first")
    before = F.max("last").over(by_pair.rowsBetween(Window.unboundedPreceding, -1))
    island = F.sum("begins").over(by_pair)
    return (
        found.withColumn("before", before)
        .withColumn("begins", (F.col("before").isNull() | (F.col("first") > F.col("before") + 1)).cast("int"))
        .withColumn("island", island)
        .groupBy("a", "b", "island")
        .agg(F.min("first").alias("first"), F.max("last").alias("last"))
        .select("a", "b", "first", "last")
    )


def write_contacts(spark: SparkSession, target: ImportFolder, ticks: Ticks, found: DataFrame) -> dict[str, Any]:
    """Write the table of contacts from a frame in ticks, and return its part of the summary."""
    start = F.lit(ticks.first_s) + F.col("first") * F.lit(ticks.step_s)
    end = F.lit(ticks.first_s) + (F.col("last") + 1) * F.lit(ticks.step_s)
    return write_timed_contacts(
        spark, target, ticks, found.select("a", "b", start.alias("start_s"), end.alias("end_s"))
    )


def write_timed_contacts(spark: SparkSession, target: ImportFolder, ticks: Ticks, found: DataFrame) -> dict[str, Any]:
    """Write the table of contacts from a frame in seconds, and return its part of the summary."""
    by_pair = Window.partitionBy("a", "b").orderBy("start_s")
    timed = found.select(
        "a",
        "b",
        "start_s",
        "end_s",
        (F.col("end_s") - F.col("start_s")).alias("duration_s"),
        (F.col("start_s") - F.lag("end_s").over(by_pair)).alias("inter_contact_s"),
    ).persist()
    try:
        first = F.min("start_s").alias("first_s")
        counts: Any = target.run(
            spark, "count", lambda: timed.agg(F.count("*").alias("n"), first, F.max("end_s").alias("last_s")).first()
        )
        windows = max(1, round(counts["n"] / ROWS_PER_WINDOW))
        task = WriteTask(target.root / CONTACTS, CONTACTS_SCHEMA, ("start_s", "end_s"))
        if counts["n"]:
            window_s = (counts["last_s"] - counts["first_s"]) / windows or 1.0
            window = F.floor((F.col("start_s") - F.lit(counts["first_s"])) / F.lit(window_s)).cast("int")
            window = F.least(window, F.lit(windows - 1))
            ordered = (
                timed.withColumn("window", window)
                .repartitionById(windows, "window")
                .sortWithinPartitions("window", "start_s", "a", "b")
            )
            target.run_tasks(spark, "write", ordered.mapInArrow(task, STATUS_SCHEMA))
        else:
            (target.root / CONTACTS / window_name(0)).mkdir()
            write_parquet(CONTACTS_SCHEMA.empty_table(), target.root / CONTACTS / window_name(0) / "part.parquet")
    finally:
        timed.unpersist()
    return {
        "layout": LAYOUT,
        "contacts": counts["n"],
        "first_s": ticks.first_s if counts["first_s"] is None else counts["first_s"],
        "last_s": ticks.first_s if counts["last_s"] is None else counts["last_s"],
        "step_s": ticks.step_s,
        "windows": windows,
    }
