"""The Spark tasks for recorded movement: reading pieces of files, taking out conflicting rows, writing windows."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from roamcast.core.errors import UserError
from roamcast.recordings.formats import Source
from roamcast.recordings.projection import Projection
from roamcast.recordings.recording_layout import MOVEMENT_SCHEMA
from roamcast.recordings.row_tables import Report
from roamcast.spark.mapped_files import cut, joined, map_arrays, write_mapped
from roamcast.spark.movement.node_tracks import FAULTS, faults_of, kept_columns
from roamcast.spark.movement.staged_chunks import BEFORE, KEPT, KEPT_NODES, LINKS, ROWS, Chunk, Tracks, by_time, stage
from roamcast.spark.movement.window_files import WindowFile

STEPS_KEPT = 20
"""How many of the most common steps between two rows of a node a task reports."""
STEP_SPAN_MAX_MS = 1 << 20
"""Steps that differ by less are counted in an array."""
ROWS_AT_ONCE = 250_000
"""About how many rows of a window are sorted at a time: 20 MB. Most windows have no more, but a single wrong time that
is far away suffices for one window to have nearly all rows."""
_SLICED = ("code", "time_s", "x", "y", "next_s")


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Reads a piece of a file, stages its rows, and returns a report."""

    sources: tuple[Source, ...]
    staging: Path

    def __call__(self, piece_of: tuple[int, int]) -> dict[str, Any]:
        """Read a piece, given by the numbers of its file and of itself."""
        file, piece = piece_of
        source, report, bounds = self.sources[file], Report(), _Bounds()
        chunks: list[Chunk] = []
        try:
            for table in source.read(source.pieces[piece], report):
                if len(table):
                    chunks.append(self._stage(file, piece, len(chunks), table.combine_chunks(), bounds))
        except UserError as error:
            return {"error": str(error)}
        return {
            "file": file,
            "piece": piece,
            "lines": report.lines,
            "rows": report.rows,
            "broken": report.broken,
            "examples": [asdict(example) for example in report.examples],
            "extremes": bounds.extremes,
            "steps_ms": bounds.steps_ms.most_common(STEPS_KEPT),
            "chunks": chunks,
        }

    def _stage(self, file: int, piece: int, index: int, table: pa.Table, bounds: "_Bounds") -> Chunk:
        names = table.column("name").chunk(0).dictionary_encode()
        time_s = table.column("time_s").to_numpy()
        tracks = Tracks.of(names.indices.to_numpy(), time_s, len(names.dictionary))
        bounds.add(table, tracks.steps_s)
        chunk = Chunk(file, piece, index, float(time_s.min()), float(time_s.max()), tracks.is_ordered)
        stage(chunk, self.staging, table, names.dictionary, tracks)
        return chunk


class _Bounds:
    """The extremes of rows, and the time steps between rows of one node."""

    def __init__(self) -> None:
        self.extremes: dict[str, tuple[tuple[float, int], tuple[float, int]]] = {}
        """For each column the lowest and the highest value, with their lines."""
        self.steps_ms: Counter[int] = Counter()

    def add(self, table: pa.Table, steps_s: NDArray[np.float64]) -> None:
        lines = table.column("line").to_numpy()
        for name in ("time_s", "x", "y"):
            column = table.column(name).to_numpy()
            low, high = ((float(column[at]), int(lines[at])) for at in (column.argmin(), column.argmax()))
            before = self.extremes.get(name, (low, high))
            self.extremes[name] = (min(low, before[0]), max(high, before[1], key=lambda extreme: extreme[0]))
        values, counts = _counted(np.round(steps_s[steps_s > 0] * 1000).astype(np.int64))
        self.steps_ms.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))


def _counted(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different values in ascending order, and how often each occurs."""
    low = int(values.min(initial=0)) if len(values) else 0
    if not len(values) or int(values.max()) - low >= STEP_SPAN_MAX_MS:
        return np.unique(values, return_counts=True)
    counts = np.bincount(values - low)
    found = np.flatnonzero(counts)
    return found + low, counts[found]


@dataclass(frozen=True, slots=True)
class CheckTask:
    """Takes rows that go back in their node's time, or repeat a time, out of a chunk; returns how many, and where."""

    staging: Path

    def __call__(self, chunk: Chunk) -> dict[str, tuple[int, int]]:
        """Check one chunk."""
        rows = map_arrays(chunk.path(self.staging, ROWS))
        latest_s = map_arrays(chunk.path(self.staging, BEFORE))["latest_s"]
        found = faults_of(Tracks.of(rows["code"], rows["time_s"], len(latest_s)), latest_s)
        kept, summary = kept_columns(rows, ~(found["twice"] | found["back"]), len(latest_s))
        write_mapped(chunk.path(self.staging, KEPT), **by_time(kept))
        write_mapped(chunk.path(self.staging, KEPT_NODES), **summary)
        lines = {fault: rows["line"][found[fault]] for fault in FAULTS}
        return {fault: (len(each), int(each.min(initial=np.iinfo(np.int64).max))) for fault, each in lines.items()}


@dataclass(frozen=True, slots=True)
class Windows:
    """Equal periods of time, counted from 0."""

    first_s: float
    length_s: float

    def of(self, time_s: float) -> int:
        """Return the window of a time."""
        return floor((time_s - self.first_s) / self.length_s + 1e-9)


@dataclass(frozen=True, slots=True)
class WriteTask:
    """Collects the rows of a window from the chunks that have some, sorts them and writes the window's file."""

    staging: Path
    folder: Path
    chunks: tuple[Chunk, ...]
    windows: Windows
    projection: Projection | None
    gap_s: float | None
    stays: bool
    """A node stays after its last row."""

    def __call__(self, window: int) -> dict[str, Any] | None:
        """Write one window; return what is in it, or None if nothing is."""
        slices = [found for chunk in self.chunks if (found := self._slice(chunk, window)) is not None]
        if not slices:
            return None
        file = WindowFile(self.folder, window, MOVEMENT_SCHEMA, ("time_s", "x_m", "y_m"))
        for parts in cut(slices, "time_s", _SLICED, ROWS_AT_ONCE):
            file.add(self._table(parts))
        return file.close()

    def _slice(self, chunk: Chunk, window: int) -> dict[str, Any] | None:
        """Return a chunk's rows in a window, with the numbers of their nodes; the arrays are still on the disk."""
        if not self.windows.of(chunk.low_s) <= window <= self.windows.of(chunk.high_s):
            return None
        rows = map_arrays(chunk.rows_file(self.staging))
        low, high = (bisect_left(rows["time_s"], at, key=self.windows.of) for at in (window, window + 1))
        if low == high:
            return None
        links = map_arrays(chunk.path(self.staging, LINKS))
        sliced = {name: rows[name][low:high] for name in _SLICED}
        return {**sliced, "number": links["number"], "later_s": links["next_s"]}

    def _table(self, slices: Sequence[dict[str, Any]]) -> pa.Table:
        node = joined([part["number"][part["code"]] for part in slices])
        time_s, x_m, y_m = (joined([part[name] for part in slices]) for name in ("time_s", "x", "y"))
        next_s = joined([_next_s(part) for part in slices])
        if self.projection is not None:
            x_m, y_m = self.projection.metres(x_m, y_m)
        goes_on = np.ones(len(node), bool)
        if self.gap_s is not None:
            goes_on = np.where(np.isnan(next_s), self.stays, next_s - time_s <= self.gap_s)
        columns = [node, time_s, x_m, y_m, goes_on]
        later = (time_s[1:] > time_s[:-1]) | ((time_s[1:] == time_s[:-1]) & (node[1:] > node[:-1]))
        if not later.all():
            order = np.lexsort((node, time_s))
            columns = [column[order] for column in columns]
        return pa.table(columns, schema=MOVEMENT_SCHEMA)


def _next_s(part: dict[str, Any]) -> NDArray[np.float64]:
    next_s: NDArray[np.float64] = np.where(np.isnan(part["next_s"]), part["later_s"][part["code"]], part["next_s"])
    return next_s
