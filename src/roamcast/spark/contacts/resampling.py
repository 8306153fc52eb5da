"""Resampling movement at ticks: each node's position at evenly spaced times, whenever it was recorded.

A leg leads from a row of a node to its next one, which may be in a later window. So the first rows of each window come
first, and a sweep back over them tells each window what comes after it; then every window's legs are walked, and the
positions are staged in order of ticks, from where the tasks of ``TickTask`` collect theirs.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from roamcast.recordings.recording_layout import MOVEMENT, MOVEMENT_SCHEMA, Imported, open_imported, read_part
from roamcast.spark.contacts.contact_tasks import PositionSearch, Ticks
from roamcast.spark.contacts.stretches import Stretches
from roamcast.spark.contacts.ticks import existing_windows
from roamcast.spark.mapped_files import cut, joined, map_arrays, write_mapped
from roamcast.spark.movement.import_folder import ImportFolder
from roamcast.spark.movement.staged_chunks import node_order

POSITIONS_AT_ONCE = 250_000
"""How many positions are computed, or searched for pairs, at a time."""
_PLACE = ("time_s", "x_m", "y_m")


@dataclass(frozen=True, slots=True)
class Positions:
    """A file of positions, sorted by tick, and its extreme ticks."""

    name: str
    first: int
    last: int


def resampled(
    spark: SparkSession, target: ImportFolder, movement: Imported, ticks: Ticks, last: int
) -> list[Positions]:
    """Stage every node's position at each tick, up to the last, at which it is present; in tasks."""
    windows = existing_windows(movement)
    target.run_tasks(spark, "first rows", _FirstRowsTask(movement.root, target.staging), windows)
    _link(target.staging, windows)
    found = target.run_tasks(spark, "legs", LegsTask(movement.root, target.staging, ticks, last), windows)
    return [file for files in found for file in files]


def _rows(movement: Path, window: int) -> dict[str, Any]:
    table = read_part(open_imported(movement, MOVEMENT).window_file(window), MOVEMENT_SCHEMA)
    return {name: table.column(name).to_numpy() for name in table.column_names}


@dataclass(frozen=True, slots=True)
class _FirstRowsTask:
    """Writes the first row of each node in a window."""

    movement: Path
    staging: Path

    def __call__(self, window: int) -> None:
        rows = _rows(self.movement, window)
        node, first = np.unique(rows["node"], return_index=True)
        write_mapped(self.staging / f"first-{window}", node=node, **{name: rows[name][first] for name in _PLACE})


def _link(staging: Path, windows: Sequence[int]) -> None:
    """Write for each window the next row of each of its nodes in a later window."""
    nodes = 1 + max(int(map_arrays(staging / f"first-{window}")["node"][-1]) for window in windows)
    following = {name: np.full(nodes, np.nan) for name in _PLACE}
    for window in reversed(windows):
        first = map_arrays(staging / f"first-{window}")
        node = first["node"]
        write_mapped(staging / f"next-{window}", **{name: following[name][node] for name in _PLACE})
        for name in _PLACE:
            following[name][node] = first[name]


@dataclass(frozen=True, slots=True)
class LegsTask:
    """Stages the positions of nodes at ticks, on the legs that begin in a window."""

    movement: Path
    staging: Path
    ticks: Ticks
    last: int

    def __call__(self, window: int) -> list[Positions]:
        """Walk one window's legs."""
        legs = _legs(_rows(self.movement, window), map_arrays(self.staging / f"next-{window}"))
        found: list[Positions] = []
        for tick, node, x_m, y_m in walked(legs, self.ticks, self.last):
            order = np.argsort(tick, kind="stable")
            name = f"positions-{window}-{len(found)}"
            columns = {"tick": tick, "node": node, "x_m": x_m, "y_m": y_m}
            write_mapped(self.staging / name, **{key: column[order] for key, column in columns.items()})
            found.append(Positions(name, int(tick[order[0]]), int(tick[order[-1]])))
        return found


def _legs(rows: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Return rows by node, each with the node's next row; ``later`` has the next row after these for each node."""
    nodes, codes = np.unique(rows["node"], return_inverse=True)
    order = node_order(codes, len(nodes))
    legs = {name: column[order] for name, column in rows.items()}
    is_last = np.append(legs["node"][1:] != legs["node"][:-1], True)
    for name in _PLACE:
        legs[f"next_{name}"] = np.append(legs[name][1:], np.nan)
        legs[f"next_{name}"][is_last] = later[name]
    return legs


def walked(legs: dict[str, Any], ticks: Ticks, last: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield (tick, node, x_m, y_m) at each tick at which nodes are on their legs, so many at a time."""

    def tick_from(time_s: Any) -> Any:
        return np.ceil((time_s - ticks.first_s) / ticks.step_s - ticks.near)

    time_s, next_s, goes_on = legs["time_s"], legs["next_time_s"], legs["goes_on"]
    first = tick_from(time_s)
    at_row = np.abs(ticks.first_s + first * ticks.step_s - time_s) <= ticks.near * ticks.step_s
    end = np.where(~goes_on, first + at_row, np.where(np.isnan(next_s), last + 1, tick_from(next_s)))
    counts = np.maximum(0, np.minimum(end, last + 1) - first).astype(np.int64)
    begins = np.cumsum(counts) - counts
    has_end = goes_on & ~np.isnan(next_s)
    for low in range(0, int(counts.sum()), POSITIONS_AT_ONCE):
        position = np.arange(low, min(low + POSITIONS_AT_ONCE, int(counts.sum())))
        leg = np.searchsorted(begins, position, side="right") - 1
        tick = first[leg].astype(np.int64) + position - begins[leg]
        passed_s = ticks.first_s + tick * ticks.step_s - time_s[leg]
        with np.errstate(invalid="ignore"):
            share = np.clip(passed_s / (next_s - time_s)[leg], 0.0, 1.0)
        share = np.where(has_end[leg], share, 0.0)
        x_m, y_m = (_between(legs[name], legs[f"next_{name}"], leg, share) for name in ("x_m", "y_m"))
        yield tick, legs["node"][leg].astype(np.int64), x_m, y_m


def _between(here: Any, there: Any, leg: Any, share: Any) -> Any:
    return here[leg] + np.where(np.isnan(there), 0.0, there - here)[leg] * share


@dataclass(frozen=True, slots=True)
class TickTask:
    """Collects the positions of a part of the ticks, and writes its network and stretches of contact."""

    folder: Path
    positions: tuple[Positions, ...]
    ticks: Ticks
    range_m: float
    parts: int
    last: int

    def part_of(self, tick: int) -> int:
        """Return the part that a tick belongs to."""
        return floor(tick * self.parts / (self.last + 1))

    def __call__(self, part: int) -> list[Stretches]:
        """Process one part."""
        slices = []
        for file in self.positions:
            if self.part_of(file.first) <= part <= self.part_of(file.last):
                rows = map_arrays(self.folder / "staging" / file.name)
                low, high = (bisect_left(rows["tick"], at, key=self.part_of) for at in (part, part + 1))
                if low < high:
                    slices.append({name: column[low:high] for name, column in rows.items()})
        search = PositionSearch(self.folder, part, self.ticks, self.range_m)
        if slices:
            for parts in cut(slices, "tick", [*slices[0]], POSITIONS_AT_ONCE):
                tick, node, x_m, y_m = (joined([found[name] for found in parts]) for name in slices[0])
                order = np.lexsort((node, tick))
                search.add(tick[order], node[order], x_m[order], y_m[order])
        return search.close()
