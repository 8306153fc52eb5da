"""The Spark tasks for contacts: from positions at each tick to pairs in range, and to the network at each tick.

A task writes the stretches of ticks during which a pair is in contact (cut at the end of the task's share of the time
and joined afterwards), the degree of every node, and the connected components.
"""

from collections.abc import Iterator, Sequence
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
from roamcast.spark.contacts.links import component_sizes, links
from roamcast.spark.movement.movement_tasks import status

STRETCH_SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.int32()), ("first", pa.int64()), ("last", pa.int64())])
POSITIONS_SCHEMA = pa.schema([MOVEMENT_SCHEMA.field(name) for name in ("node", "time_s", "x_m", "y_m")])
PAIRS_MAX = 4_000_000
"""How many pairs, and how many degrees of nodes, are held in memory at once: 64 MB each."""

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

    def time_s(self, tick: int) -> float:
        """Return the time of a tick."""
        return self.first_s + tick * self.step_s


@dataclass(slots=True)
class Network:
    """Collects and writes what one task finds; ``part`` distinguishes its files from those of other tasks."""

    folder: Path
    part: int
    ticks: Ticks
    _pairs: list[tuple[Integers, Integers]] = field(default_factory=list)
    _held: int = 0
    _written: int = 0
    _nodes_held: int = 0
    _networks_written: int = 0
    _degrees: list[pa.Table] = field(default_factory=list)
    _components: list[tuple[float | int, ...]] = field(default_factory=list)

    def add(self, tick: int, nodes: Integers, one: Integers, other: Integers) -> None:
        """Add the network of a tick; links are given as indices into ``nodes``."""
        degrees = np.bincount(one, minlength=len(nodes)) + np.bincount(other, minlength=len(nodes))
        sizes = component_sizes(len(nodes), one, other)
        time_s = self.ticks.time_s(tick)
        isolated = int((degrees == 0).sum())
        largest = int(sizes.max(initial=0))
        self._components.append((time_s, len(nodes), len(one), len(sizes), largest, isolated))
        self._degrees.append(pa.table([np.full(len(nodes), time_s), nodes, degrees], names=DEGREES_SCHEMA.names))
        low, high = np.minimum(nodes[one], nodes[other]), np.maximum(nodes[one], nodes[other])
        self._pairs.append((low << 32 | high, np.full(len(one), tick)))
        self._held += len(one)
        self._nodes_held += len(nodes)
        if self._held >= PAIRS_MAX:
            self._join()
        if self._nodes_held >= PAIRS_MAX:
            self._write_network()

    def close(self) -> pa.RecordBatch:
        """Write the remaining data."""
        self._join()
        self._write_network()
        return status(part=self.part)

    def _write_network(self) -> None:
        if self._components:
            self._write(pa.concat_tables(self._degrees).cast(DEGREES_SCHEMA), DEGREES)
            rows = [list(column) for column in zip(*self._components, strict=True)]
            self._write(pa.table(rows, schema=COMPONENTS_SCHEMA), COMPONENTS)
            self._degrees, self._components, self._nodes_held = [], [], 0
            self._networks_written += 1

    def _write(self, table: pa.Table, name: str) -> None:
        path = self.folder / name / f"part-{self.part:05}-{self._networks_written:05}.parquet"
        pq.write_table(table, path, compression="zstd", store_schema=False)

    def _join(self) -> None:
        """Join the pairs so far into stretches of consecutive ticks."""
        if not self._held:
            return
        keys = np.concatenate([key for key, _ in self._pairs])
        ticks = np.concatenate([tick for _, tick in self._pairs])
        order = np.argsort(keys, kind="stable")  # keeps the order of ticks
        keys, ticks = keys[order], ticks[order]
        begins = np.concatenate(([True], (np.diff(keys) != 0) | (np.diff(ticks) != 1)))
        starts = np.flatnonzero(begins)
        ends = np.concatenate((starts[1:] - 1, [len(keys) - 1]))
        columns = [keys[starts] >> 32, keys[starts] & 0xFFFFFFFF, ticks[starts], ticks[ends]]
        table = pa.table(columns, names=STRETCH_SCHEMA.names).cast(STRETCH_SCHEMA)
        path = self.folder / "staging" / "stretches" / f"part-{self.part:05}-{self._written:05}.parquet"
        pq.write_table(table, path, compression="lz4")
        self._pairs, self._held, self._written = [], 0, self._written + 1


@dataclass(frozen=True, slots=True)
class WindowTask:
    """The function for ``mapInArrow``: takes windows of movement with rows at the ticks, and writes the network."""

    movement: Path
    folder: Path
    ticks: Ticks
    range_m: float

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Process every window of a task."""
        imported = open_imported(self.movement, MOVEMENT)
        for batch in batches:
            for window in batch.column("window").to_pylist():
                network = Network(self.folder, window, self.ticks)
                table = read_part(imported.window_file(window), POSITIONS_SCHEMA)
                node, time_s, x_m, y_m = (table.column(name).to_numpy() for name in table.column_names)
                tick = np.rint((time_s - self.ticks.first_s) / self.ticks.step_s).astype(np.int64)
                _add_positions(network, [tick, node.astype(np.int64), x_m, y_m], self.range_m)
                yield network.close()


@dataclass(frozen=True, slots=True)
class TickTask:
    """The function for ``mapInArrow``: takes sorted rows (part, tick, node, x_m, y_m), and writes the network."""

    folder: Path
    ticks: Ticks
    range_m: float

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Process every tick of a task; the last tick of a batch waits for the next batch."""
        network: Network | None = None
        waiting: list[Any] = [np.zeros(0, np.int64)] * 3 + [np.zeros(0)] * 2
        for batch in batches:
            arrived = (batch.column(name).to_numpy() for name in ("part", "tick", "node", "x_m", "y_m"))
            waiting = [np.concatenate(columns) for columns in zip(waiting, arrived, strict=True)]
            whole = int(np.searchsorted(waiting[1], waiting[1][-1])) if len(waiting[1]) else 0
            network = network or Network(self.folder, int(waiting[0][0]), self.ticks)
            _add_positions(network, [column[:whole] for column in waiting[1:]], self.range_m)
            waiting = [column[whole:] for column in waiting]
        if network is not None:
            _add_positions(network, waiting[1:], self.range_m)
            yield network.close()


@dataclass(frozen=True, slots=True)
class LinkTask:
    """The function for ``mapInArrow``: takes sorted rows (part, tick, a, b), and writes the network of all nodes."""

    folder: Path
    ticks: Ticks
    nodes: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Process every tick of a task."""
        tables = [pa.Table.from_batches([batch]) for batch in batches if len(batch)]
        if not tables:
            return
        part, tick, one, other = (
            pa.concat_tables(tables).column(name).to_numpy() for name in ("part", "tick", "a", "b")
        )
        network = Network(self.folder, int(part[0]), self.ticks)
        everybody = np.arange(self.nodes)
        for start, end in _runs(tick):
            network.add(int(tick[start]), everybody, one[start:end].astype(np.int64), other[start:end].astype(np.int64))
        yield network.close()


def _add_positions(network: Network, columns: Sequence[Any], range_m: float) -> None:
    tick, node, x_m, y_m = columns
    for start, end in _runs(tick):
        one, other = links(x_m[start:end], y_m[start:end], range_m)
        network.add(int(tick[start]), node[start:end], one, other)


def _runs(values: Any) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of equal values."""
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 1)) if len(values) else np.zeros(0, int)
    yield from zip(starts.tolist(), [*starts[1:].tolist(), len(values)], strict=False)
