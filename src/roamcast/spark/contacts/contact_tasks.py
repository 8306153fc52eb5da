"""The Spark tasks that find contacts: from positions at each tick to pairs in range, and to the network at each tick.

A task writes the stretches of ticks during which a pair is in contact (cut at the end of the task's share of the time
and joined afterwards), the degree of every node, and the connected components.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from roamcast.recordings.recording_layout import (
    COMPONENTS,
    COMPONENTS_SCHEMA,
    DEGREES,
    DEGREES_SCHEMA,
    MOVEMENT,
    MOVEMENT_SCHEMA,
    open_imported,
    read_part,
)
from roamcast.spark.contacts.stretches import Stretches, write_stretches

POSITIONS_SCHEMA = pa.schema([MOVEMENT_SCHEMA.field(name) for name in ("node", "time_s", "x_m", "y_m")])
PAIRS_MAX = 4_000_000
"""How many pairs, and how many degrees of nodes, are held in memory at once: 100 MB each."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ticks:
    """The times at which the network is sampled."""

    first_s: float
    step_s: float

    @property
    def near(self) -> float:
        """Return the fraction of a step within which times count as equal: a millionth, or a microsecond if longer.

        Seconds since 1970 are exact to a quarter of a microsecond.
        """
        return 1e-6 * max(1.0, 1 / self.step_s)

    def time_s(self, tick: Any) -> Any:
        """Return the time of a tick, or of each of an array."""
        return self.first_s + tick * self.step_s


@dataclass(slots=True)
class Network:
    """Collects and writes the networks that one task finds; ``part`` tells its files from those of other tasks."""

    folder: Path
    part: int
    ticks: Ticks
    _held: list[tuple[Integers, Integers, Integers, Integers, Integers]] = field(default_factory=list)
    _nodes_held: int = 0
    _written: int = 0

    def add(self, ticks: Integers, counts: Integers, nodes: Integers, degrees: Integers, networks: Integers) -> None:
        """Add the networks of some ticks: how many nodes each has, these one after the other, and its description."""
        self._held.append((ticks, counts, nodes, degrees, networks))
        self._nodes_held += len(nodes)
        if self._nodes_held >= PAIRS_MAX:
            self.write()

    def write(self) -> None:
        """Write what is held."""
        if not self._held:
            return
        ticks, counts, nodes, degrees, networks = (np.concatenate(column) for column in zip(*self._held, strict=True))
        time_s = self.ticks.time_s(ticks)
        self._write([np.repeat(time_s, counts), nodes, degrees], DEGREES_SCHEMA, DEGREES)
        self._write([time_s, counts, *networks.T], COMPONENTS_SCHEMA, COMPONENTS)
        self._held, self._nodes_held, self._written = [], 0, self._written + 1

    def _write(self, columns: list[Any], schema: pa.Schema, name: str) -> None:
        table = pa.table(columns, names=schema.names).cast(schema)
        path = self.folder / name / f"part-{self.part:05}-{self._written:05}.parquet"
        pq.write_table(table, path, compression="zstd", store_schema=False)


class PositionSearch:
    """Writes the networks of positions at ticks, and the stretches of contact that it finds in a task's part."""

    def __init__(self, folder: Path, part: int, ticks: Ticks, range_m: float) -> None:
        self._folder, self._part, self._range_m = folder, part, range_m
        self._network = Network(folder, part, ticks)
        self._found: list[Stretches] = []

    def add(self, tick: Integers, node: Integers, x_m: Any, y_m: Any) -> None:
        """Search some positions, in order of ticks and nodes, and after all that were added earlier."""
        from roamcast.spark.contacts.links import (
            LinkSearch,
        )  # here: only tasks need Numba, which takes a while to import

        starts = run_starts(tick)
        search = LinkSearch(np.append(starts, len(tick)), x_m, y_m, self._range_m)
        while not search.is_done:
            first = search.done
            search.advance(PAIRS_MAX)
            begins = starts[first : search.done]
            low = int(begins[0])
            high = len(tick) if search.is_done else int(starts[search.done])
            networks = search.networks[first : search.done]
            counts = np.diff(np.append(begins, high))
            self._network.add(tick[begins], counts, node[low:high], search.degrees[low:high], networks)
            name = f"{self._part:05}-{len(self._found):05}"
            pairs = node[search.one], node[search.other], tick[starts][search.moments]
            self._found.append(write_stretches(self._folder, name, *pairs))

    def close(self) -> list[Stretches]:
        """Write what is left, and return the files of stretches."""
        self._network.write()
        return self._found


@dataclass(frozen=True, slots=True)
class WindowTask:
    """Takes a window of movement with rows at the ticks, and writes its network and stretches of contact."""

    movement: Path
    folder: Path
    ticks: Ticks
    range_m: float

    def __call__(self, window: int) -> list[Stretches]:
        """Process one window."""
        file = open_imported(self.movement, MOVEMENT).window_file(window)
        table = read_part(file, POSITIONS_SCHEMA)
        node, time_s, x_m, y_m = (table.column(name).to_numpy() for name in table.column_names)
        tick = np.rint((time_s - self.ticks.first_s) / self.ticks.step_s).astype(np.int64)
        search = PositionSearch(self.folder, window, self.ticks, self.range_m)
        search.add(tick, node.astype(np.int64), x_m, y_m)
        return search.close()


def run_starts(values: Any) -> Integers:
    """Return where each run of equal values starts."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))) if len(values) else np.zeros(0, np.int64)
