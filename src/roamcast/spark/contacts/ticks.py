"""How often the network of a recording is looked at: at every time that it has, where that is not too often.

Rows of different nodes, or of one node, need not lie a whole number of the commonest steps apart. The greatest common
divisor of all times, in whole milliseconds, meets every row; it is taken unless it means far more looks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from roamcast.recordings.recording_layout import MOVEMENT, MOVEMENT_SCHEMA, Imported, open_imported, read_part
from roamcast.spark.contacts.contact_tasks import Ticks
from roamcast.spark.movement.import_folder import Making
from roamcast.spark.movement.movement_tasks import STATUS_SCHEMA, status
from roamcast.spark.partitions import spread

TICKS_MAX = 10_000_000
LOOKS_FACTOR_MAX = 20
"""How many times as many looks as at the commonest step are taken, so that every row is met."""
_TIMES = pa.schema([MOVEMENT_SCHEMA.field("time_s")])


@dataclass(frozen=True, slots=True)
class Times:
    """How the times of some rows lie."""

    common_ms: int
    """What all are a multiple of, from the first look; 0: all are at the first look."""
    are_whole: bool
    """All are whole milliseconds from the first look."""
    between: int
    """Rows that lie between two looks."""


def times_of(time_s: Any, ticks: Ticks) -> Times:
    """Return how times lie, which are an array."""
    passed_s = time_s - ticks.first_s
    passed = passed_s / ticks.step_s
    between = np.abs(passed - np.rint(passed)) > ticks.near
    whole_ms = np.rint(passed_s * 1000)
    are_whole = bool((np.abs(passed_s - whole_ms / 1000) <= Ticks(ticks.first_s, 0.001).near * 0.001).all())
    return Times(int(np.gcd.reduce(whole_ms.astype(np.int64))), are_whole, int(between.sum()))


def finer(ticks: Ticks, times: Times, last_s: float) -> tuple[Ticks, int]:
    """Return looks that meet every row if they are not too many, else those given; and how many rows they miss."""
    step_s = times.common_ms / 1000
    enough = times.between and times.are_whole and ticks.step_s <= LOOKS_FACTOR_MAX * step_s
    if enough and (last_s - ticks.first_s) / step_s <= TICKS_MAX:
        return Ticks(ticks.first_s, step_s), 0
    return ticks, times.between


@dataclass(frozen=True, slots=True)
class _TimesTask:
    """The function for ``mapInArrow``: windows of movement in, how their times lie out."""

    movement: Path
    ticks: Ticks

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        imported = open_imported(self.movement, MOVEMENT)
        for batch in batches:
            for window in batch.column("window").to_pylist():
                times = times_of(read_part(imported.window_file(window), _TIMES).column(0).to_numpy(), self.ticks)
                yield status(common_ms=times.common_ms, are_whole=times.are_whole, between=times.between)


def choose_looks(spark: SparkSession, place: Making, movement: Imported, step_s: float | None) -> tuple[Ticks, int]:
    """Return when to look, and how many rows lie between the looks; ``step_s`` is what a person asked for."""
    summary = movement.summary
    ticks = Ticks(summary["first_s"], step_s or summary["step_s"])
    said = place.said(spark, "times", per_window(spark, movement, _TimesTask(movement.root, ticks)))
    times = Times(
        gcd(*(each["common_ms"] for each in said)),
        all(each["are_whole"] for each in said),
        sum(each["between"] for each in said),
    )
    if step_s is not None or summary["are_waypoints"]:
        return ticks, times.between
    return finer(ticks, times, summary["last_s"])


def per_window(spark: SparkSession, movement: Imported, task: Any) -> DataFrame:
    """Return what a task says to each window that there is."""
    windows = [window for window in range(movement.summary["windows"]) if movement.window_file(window).exists()]
    rows = pa.table({"task": pa.array(range(len(windows)), pa.int32()), "window": pa.array(windows, pa.int32())})
    return spread(spark, rows, len(windows)).mapInArrow(task, STATUS_SCHEMA)
