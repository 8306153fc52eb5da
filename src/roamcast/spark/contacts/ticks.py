"""Choosing the ticks at which the network of a recording is sampled: all times that it has, if these are not too many.

Rows need not be a whole number of the most common step apart. With the greatest common divisor of all times, in whole
milliseconds, as the step, every row is at a tick; it is used unless it means far more ticks.
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
from roamcast.spark.movement.import_folder import ImportFolder
from roamcast.spark.movement.movement_tasks import STATUS_SCHEMA, status
from roamcast.spark.partitions import spread

TICKS_MAX = 10_000_000
TICKS_FACTOR_MAX = 20
"""How many times as many ticks as with the most common step are accepted so that every row is at a tick."""
_TIMES = pa.schema([MOVEMENT_SCHEMA.field("time_s")])


@dataclass(frozen=True, slots=True)
class Times:
    """How the times of some rows relate to the ticks."""

    common_ms: int
    """The greatest common divisor of all times from the first tick; 0: all are at the first tick."""
    are_whole: bool
    """All are whole milliseconds from the first tick."""
    between: int
    """Rows between two ticks."""


def times_of(time_s: Any, ticks: Ticks) -> Times:
    """Describe an array of times."""
    passed_s = time_s - ticks.first_s
    passed = passed_s / ticks.step_s
    between = np.abs(passed - np.rint(passed)) > ticks.near
    whole_ms = np.rint(passed_s * 1000)
    are_whole = bool((np.abs(passed_s - whole_ms / 1000) <= Ticks(ticks.first_s, 0.001).near * 0.001).all())
    return Times(int(np.gcd.reduce(whole_ms.astype(np.int64))), are_whole, int(between.sum()))


def finer(ticks: Ticks, times: Times, last_s: float) -> tuple[Ticks, int]:
    """Return ticks that include every row, or the given ones if these are too many; and how many rows they miss."""
    step_s = times.common_ms / 1000
    enough = times.between and times.are_whole and ticks.step_s <= TICKS_FACTOR_MAX * step_s
    if enough and (last_s - ticks.first_s) / step_s <= TICKS_MAX:
        return Ticks(ticks.first_s, step_s), 0
    return ticks, times.between


@dataclass(frozen=True, slots=True)
class _TimesTask:
    """The function for ``mapInArrow``: takes windows of movement, and yields a description of their times."""

    movement: Path
    ticks: Ticks

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        imported = open_imported(self.movement, MOVEMENT)
        for batch in batches:
            for window in batch.column("window").to_pylist():
                times = times_of(read_part(imported.window_file(window), _TIMES).column(0).to_numpy(), self.ticks)
                yield status(common_ms=times.common_ms, are_whole=times.are_whole, between=times.between)


def choose_ticks(
    spark: SparkSession, target: ImportFolder, movement: Imported, step_s: float | None
) -> tuple[Ticks, int]:
    """Return the ticks, and how many rows lie between them; ``step_s`` is the step that a person requested, if any."""
    summary = movement.summary
    ticks = Ticks(summary["first_s"], step_s or summary["step_s"])
    reports = target.run_tasks(spark, "times", per_window(spark, movement, _TimesTask(movement.root, ticks)))
    times = Times(
        gcd(*(report["common_ms"] for report in reports)),
        all(report["are_whole"] for report in reports),
        sum(report["between"] for report in reports),
    )
    if step_s is not None or summary["are_waypoints"]:
        return ticks, times.between
    return finer(ticks, times, summary["last_s"])


def per_window(spark: SparkSession, movement: Imported, task: Any) -> DataFrame:
    """Return a task's reports on each existing window."""
    windows = [window for window in range(movement.summary["windows"]) if movement.window_file(window).exists()]
    rows = pa.table({"task": pa.array(range(len(windows)), pa.int32()), "window": pa.array(windows, pa.int32())})
    return spread(spark, rows, len(windows)).mapInArrow(task, STATUS_SCHEMA)
