"""Contacts out of movement, or out of recorded contacts: who meets whom from when to when, on Spark.

Time is looked at in ticks: the recording's own times (``looking``), or every ``step_s``. A pair that is in range at a
tick is in contact from that tick up to the next; so a contact has whole ticks, and is exact at the recording's
resolution. What is faster was measured (``python -m benchmarks.contacts``): a compiled grid a tick inside an Arrow
function beats a join of grid cells in SQL several times over.
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
from roamcast.spark.contacts.ticks import TICKS_MAX, choose_looks, per_window
from roamcast.spark.movement.import_folder import Making, making
from roamcast.spark.movement.movement_import import QUICK_START_BYTES, ROWS_PER_WINDOW
from roamcast.spark.movement.movement_tasks import STATUS_SCHEMA, WriteTask
from roamcast.spark.movement.resampling import is_even, places_at_ticks
from roamcast.spark.parquet import read_parquet
from roamcast.spark.session.session import open_session

PARTS_MAX = 2_000


def contacts_of_movement(
    folder: Path, out: Path, master: str, range_m: float, step_s: float | None = None, progress: Progress | None = None
) -> Imported:
    """Write the contacts of a folder of movement into a folder."""
    progress = progress or NoProgress()
    movement = open_imported(folder.absolute(), MOVEMENT)
    movement.check_whole()
    summary = movement.summary
    coarse_s = float(step_s or summary["step_s"])
    if (summary["last_s"] - summary["first_s"]) / coarse_s > TICKS_MAX:
        raise UserError(f"--step-s {coarse_s:g}: gives more than {TICKS_MAX:,} points in time; take a larger one")
    try:
        with making(out, CONTACTS) as place:
            progress.begin("starting Spark")
            size_bytes = sum(file.stat().st_size for file in movement.files())
            spark = open_session(master, place.log_file, quick_start=size_bytes <= QUICK_START_BYTES)
            progress.begin(f"contacts: {summary['rows']:,} rows, who is within {range_m:g} m")
            prepare(place)
            ticks, between = choose_looks(spark, place, movement, step_s)
            find_stretches(spark, place, movement, ticks, range_m)
            progress.begin("contacts: from when to when")
            found = write_contacts(spark, place, ticks, merged(stretches(spark, place)))
            write_parquet(pq.read_table(movement.nodes_file), place.root / "nodes.parquet")
            described = {"nodes": summary["nodes"], "range_m": range_m, "source": movement.root.name}
            recorded_s = [summary["first_s"], summary["last_s"] + ticks.step_s]
            left_out = {"rows_between_looks": between, "broken": 0, "momentary": 0}
            place.write_summary(CONTACTS, {**found, **described, "recorded_s": recorded_s, **left_out})
    finally:
        progress.end()
    return open_imported(out, CONTACTS)


def prepare(place: Making) -> None:
    """Make the folders that tasks write into."""
    for name in (DEGREES, COMPONENTS, CONTACTS, "staging/stretches"):
        (place.root / name).mkdir(parents=True)


def find_stretches(spark: SparkSession, place: Making, movement: Imported, ticks: Ticks, range_m: float) -> None:
    """Let tasks find out who is in range at each tick."""
    if is_even(spark, place, movement, ticks):
        frame = per_window(spark, movement, WindowTask(movement.root, place.root, ticks, range_m))
    else:
        last = floor((movement.summary["last_s"] - ticks.first_s) / ticks.step_s + ticks.near)
        placed = places_at_ticks(read_parquet(spark, movement.table), ticks, last)
        parts = _parts(movement, ticks, last)
        part = F.floor(F.col("tick") * F.lit(parts) / F.lit(last + 1)).cast("int")
        ordered = placed.withColumn("part", part).repartitionById(parts, "part").sortWithinPartitions("tick", "node")
        columns = ["part", "tick", "node", "x_m", "y_m"]
        frame = ordered.select(*columns).mapInArrow(TickTask(place.root, ticks, range_m), STATUS_SCHEMA)
    place.said(spark, "who", frame)


def _parts(movement: Imported, ticks: Ticks, last: int) -> int:
    """Return over how many tasks the ticks are spread, by how many rows there will be."""
    summary = movement.summary
    rows: float = (last + 1) * summary["nodes"]
    if not summary["are_waypoints"]:
        rows = min(rows, summary["rows"] * max(1.0, summary["step_s"] / ticks.step_s))
    return max(1, min(PARTS_MAX, last + 1, round(rows / ROWS_PER_WINDOW)))


def stretches(spark: SparkSession, place: Making) -> DataFrame:
    """Return the stretches that the tasks have left; none if nobody met anybody."""
    path = place.staging / "stretches"
    if not any(path.iterdir()):
        pq.write_table(STRETCH_SCHEMA.empty_table(), path / "none.parquet")
    return read_parquet(spark, path)


def merged(found: DataFrame) -> DataFrame:
    """Join the stretches of a pair that touch: (a, b, first, last), in ticks."""
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


def write_contacts(spark: SparkSession, place: Making, ticks: Ticks, found: DataFrame) -> dict[str, Any]:
    """Write the table of contacts of a frame in ticks, and return what the summary says of it."""
    start = F.lit(ticks.first_s) + F.col("first") * F.lit(ticks.step_s)
    end = F.lit(ticks.first_s) + (F.col("last") + 1) * F.lit(ticks.step_s)
    return write_timed_contacts(spark, place, ticks, found.select("a", "b", start.alias("start_s"), end.alias("end_s")))


def write_timed_contacts(spark: SparkSession, place: Making, ticks: Ticks, found: DataFrame) -> dict[str, Any]:
    """Write the table of contacts of a frame in seconds, and return what the summary says of it."""
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
        counts: Any = place.run(
            spark, "count", lambda: timed.agg(F.count("*").alias("n"), first, F.max("end_s").alias("last_s")).first()
        )
        windows = max(1, round(counts["n"] / ROWS_PER_WINDOW))
        task = WriteTask(place.root / CONTACTS, CONTACTS_SCHEMA, ("start_s", "end_s"))
        if counts["n"]:
            window_s = (counts["last_s"] - counts["first_s"]) / windows or 1.0
            window = F.floor((F.col("start_s") - F.lit(counts["first_s"])) / F.lit(window_s)).cast("int")
            window = F.least(window, F.lit(windows - 1))
            ordered = (
                timed.withColumn("window", window)
                .repartitionById(windows, "window")
                .sortWithinPartitions("window", "start_s", "a", "b")
            )
            place.said(spark, "write", ordered.mapInArrow(task, STATUS_SCHEMA))
        else:
            (place.root / CONTACTS / window_name(0)).mkdir()
            write_parquet(CONTACTS_SCHEMA.empty_table(), place.root / CONTACTS / window_name(0) / "part.parquet")
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
