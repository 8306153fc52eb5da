"""Choosing the ticks at which the network of a recording is sampled: all times that it has, if these are not too many.

Rows need not be a whole number of the most common step apart. With the greatest common divisor of all times, in whole
milliseconds, as the step, every row is at a tick; it is used unless it means far more ticks.
"""

from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from roamcast.recordings.recording_layout import MOVEMENT, MOVEMENT_SCHEMA, Imported, open_imported, read_part
from roamcast.spark.contacts.contact_tasks import Ticks
from roamcast.spark.movement.import_folder import ImportFolder

TICKS_MAX = 10_000_000
TICKS_FACTOR_MAX = 20
"""How many times as many ticks as with the most common step are accepted so that every row is at a tick."""
_TIMES = pa.schema([MOVEMENT_SCHEMA.field(name) for name in ("time_s", "goes_on")])


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
    """Describes the times of a window of movement, and counts the rows after which a node is absent."""

    movement: Path
    ticks: Ticks

    def __call__(self, window: int) -> tuple[Times, int]:
        rows = read_part(open_imported(self.movement, MOVEMENT).window_file(window), _TIMES)
        return times_of(rows.column("time_s").to_numpy(), self.ticks), pc.sum(pc.invert(rows.column("goes_on"))).as_py()


@dataclass(frozen=True, slots=True)
class ChosenTicks:
    """The ticks of a recording, and how its rows relate to them."""

    ticks: Ticks
    between: int
    """Rows between two ticks."""
    are_even: bool
    """Every row is at a tick, and no node passes a tick without a row."""


def choose_ticks(spark: SparkSession, target: ImportFolder, movement: Imported, step_s: float | None) -> ChosenTicks:
    """Choose the ticks for a recording; ``step_s`` is the step that a person requested, if any."""
    summary = movement.summary
    ticks = Ticks(summary["first_s"], step_s or summary["step_s"])
    reports = target.run_tasks(spark, "times", _TimesTask(movement.root, ticks), existing_windows(movement))
    times = Times(
        gcd(*(report.common_ms for report, _ in reports)),
        all(report.are_whole for report, _ in reports),
        sum(report.between for report, _ in reports),
    )
    if step_s is not None or summary["are_waypoints"]:
        chosen, between = ticks, times.between
    else:
        chosen, between = finer(ticks, times, summary["last_s"])
    even = chosen == ticks and not between and is_even(movement, ticks, sum(ends for _, ends in reports))
    return ChosenTicks(chosen, between, even)


def is_even(movement: Imported, ticks: Ticks, ends: int) -> bool:
    """Tell whether no node passes a tick without a row, if all rows are at ticks and so many are a node's last ones."""
    if movement.summary["are_waypoints"] or ticks.step_s != movement.summary["step_s"]:
        return False
    nodes = pq.read_table(movement.nodes_file, columns=["first_s", "last_s", "rows"])
    first_s, last_s, rows = (nodes.column(name).to_numpy() for name in nodes.column_names)
    passed = np.rint((last_s - ticks.first_s) / ticks.step_s) - np.rint((first_s - ticks.first_s) / ticks.step_s)
    # A node that continues from each row to the next tick has as many rows as ticks, and only its last is an end.
    return ends == len(nodes) and bool((rows == passed + 1).all())


def existing_windows(movement: Imported) -> list[int]:
    """Return the windows that have rows."""
    return [window for window in range(movement.summary["windows"]) if movement.window_file(window).exists()]
