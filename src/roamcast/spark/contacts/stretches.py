"""Stretches of contact: written by tasks for their share of the time, joined pair by pair, and written as contacts.

A stretch lasts from a start to an end, in ticks or in seconds. Files of stretches are sorted by pair, so a task can
take all stretches of some pairs from all files; the contacts that it makes of them are sorted by time, so a task can
take all contacts of a window.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from roamcast.recordings.recording_layout import CONTACTS, CONTACTS_SCHEMA
from roamcast.spark.mapped_files import SAMPLED_ROWS, cut, highest_before, joined, map_arrays, write_mapped
from roamcast.spark.movement.window_files import WindowFile

STRETCHES, JOINED = "stretches", "joined"
"""The folders of the files, among the intermediate ones."""
STRETCHES_PER_TASK = 250_000
CONTACTS_AT_ONCE = 250_000
_NODE_BITS = 32

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretches:
    """A file of stretches."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class Joined:
    """A file of contacts, and their extremes."""

    name: str
    rows: int
    first_s: float
    last_s: float


def pair_of(one: Any, other: Any) -> Any:
    """Return pairs of nodes as one number each, the same for either order; they sort by the lower node first."""
    return np.minimum(one, other).astype(np.int64) << _NODE_BITS | np.maximum(one, other)


def nodes_of(pair: Any) -> tuple[Any, Any]:
    """Return the lower and the higher node of each pair."""
    return pair >> _NODE_BITS, pair & (1 << _NODE_BITS) - 1


def write_stretches(folder: Path, name: str, one: Integers, other: Integers, tick: Integers) -> Stretches:
    """Join pairs that are in contact at consecutive ticks into stretches, and write these."""
    if not len(tick):
        return write_rows(folder, name, np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    # Pair and tick as one number, so that a stretch is a run of consecutive numbers. Between two pairs one is left out.
    # A million nodes and ten million ticks, more than we accept, fit into 64 bits.
    low, high, first = np.minimum(one, other), np.maximum(one, other), int(tick.min())
    nodes, room = np.uint64(high.max() + 1), np.uint64(tick.max() - first + 2)
    moments = np.sort(
        (low.astype(np.uint64) * nodes + high.astype(np.uint64)) * room + (tick - first).astype(np.uint64)
    )
    begins = np.concatenate(([0], np.flatnonzero(np.diff(moments) != 1) + 1))
    lengths = np.diff(np.append(begins, len(moments)))
    pairs, start = np.divmod(moments[begins], room)
    low, high = (each.astype(np.int64) for each in np.divmod(pairs, nodes))
    start = start.astype(np.int64) + first
    return write_rows(folder, name, pair_of(low, high), start.astype(float), (start + lengths).astype(float))


def write_rows(folder: Path, name: str, pair: Integers, start: Any, end: Any) -> Stretches:
    """Write stretches that are sorted by pair."""
    write_mapped(folder / "staging" / STRETCHES / name, pair=pair, start=start, end=end)
    return Stretches(name, len(pair))


def pair_bounds(folder: Path, found: Sequence[Stretches]) -> list[tuple[int, int]]:
    """Divide the pairs such that each share has about as many stretches as memory should hold."""
    sampled = [map_arrays(folder / "staging" / STRETCHES / file.name)["pair"][::SAMPLED_ROWS] for file in found]
    keys = np.sort(np.concatenate(sampled))
    step = STRETCHES_PER_TASK // SAMPLED_ROWS
    # Many small files are sampled too densely.
    step = max(step, round(len(keys) * STRETCHES_PER_TASK / max(1, sum(file.rows for file in found))))
    cuts = [0, *np.unique(keys[step::step]).tolist(), np.iinfo(np.int64).max]
    return list(pairwise(cuts))


@dataclass(frozen=True, slots=True)
class JoinTask:
    """Joins the stretches of some pairs that overlap or touch, and writes the contacts in order of time."""

    folder: Path
    stretches: tuple[Stretches, ...]
    first_s: float
    step_s: float
    """The time of a start of 0, and the unit of starts and ends."""

    def __call__(self, bounds: tuple[int, int]) -> Joined:
        """Join the stretches of the pairs from a lowest one to a highest, which is excluded."""
        pair, start, end = self._of(bounds)
        begins = np.flatnonzero(start > highest_before(pair, end)) if len(pair) else np.zeros(0, np.int64)
        pair = pair[begins]
        start_s = self.first_s + start[begins] * self.step_s
        end_s = self.first_s + np.maximum.reduceat(end, begins) * self.step_s if len(pair) else start_s
        pause_s = np.full(len(pair), np.nan)
        pause_s[1:] = np.where(pair[1:] == pair[:-1], start_s[1:] - end_s[:-1], np.nan)
        order = np.lexsort((pair, start_s))
        columns = {"pair": pair, "start_s": start_s, "end_s": end_s, "inter_contact_s": pause_s}
        name = f"{bounds[0]:020}"
        path = self.folder / "staging" / JOINED / name
        write_mapped(path, **{column: values[order] for column, values in columns.items()})
        return Joined(name, len(pair), float(start_s.min(initial=inf)), float(end_s.max(initial=-inf)))

    def _of(self, bounds: tuple[int, int]) -> tuple[Any, Any, Any]:
        """Return the stretches of some pairs, in order of pairs and times."""
        found = []
        for file in self.stretches:
            rows = map_arrays(self.folder / "staging" / STRETCHES / file.name)
            low, high = np.searchsorted(rows["pair"], bounds)
            found.append([column[low:high] for column in rows.values()])
        pair, start, end = (joined(list(columns)) for columns in zip(*found, strict=True))
        order = np.lexsort((end, start, pair))
        return pair[order], start[order], end[order]


@dataclass(frozen=True, slots=True)
class ContactWindows:
    """Equal periods of time that all contacts are divided into by their starts."""

    count: int
    first_s: float
    length_s: float

    def of(self, start_s: float) -> int:
        """Return the window of a start."""
        return min(floor((start_s - self.first_s) / self.length_s), self.count - 1)


@dataclass(frozen=True, slots=True)
class ContactsTask:
    """Collects the contacts of a window from the files of joined ones, sorts them, and writes the window's file."""

    folder: Path
    found: tuple[Joined, ...]
    windows: ContactWindows

    def __call__(self, window: int) -> None:
        """Write one window, if it has contacts."""
        slices = []
        for file in self.found:
            rows = map_arrays(self.folder / "staging" / JOINED / file.name)
            low, high = (bisect_left(rows["start_s"], at, key=self.windows.of) for at in (window, window + 1))
            if low < high:
                slices.append({name: column[low:high] for name, column in rows.items()})
        if not slices:
            return
        target = WindowFile(self.folder / CONTACTS, window, CONTACTS_SCHEMA, ("start_s", "end_s"))
        for parts in cut(slices, "start_s", [*slices[0]], CONTACTS_AT_ONCE):
            target.add(_table(parts))
        target.close()


def _table(parts: Sequence[dict[str, Any]]) -> pa.Table:
    pair, start_s, end_s, pause_s = (joined([part[name] for part in parts]) for name in parts[0])
    order = np.lexsort((pair, start_s))
    pair, start_s, end_s, pause_s = (column[order] for column in (pair, start_s, end_s, pause_s))
    one, other = (node.astype(np.int32) for node in nodes_of(pair))
    pauses = pa.array(pause_s, from_pandas=True)  # NaN: there was no contact before
    return pa.table([one, other, start_s, end_s, end_s - start_s, pauses], schema=CONTACTS_SCHEMA)
