"""The Spark tasks for recorded movement: reading pieces of files, and writing windows of time."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.core.errors import UserError
from roamcast.recordings.formats import Source
from roamcast.recordings.recording_layout import window_name
from roamcast.recordings.row_tables import MOVEMENT_ROWS, Report

STATUS_SCHEMA = "document string"
_STATUS_ARROW = pa.schema([("document", pa.string())])
STAGED = pa.schema([*MOVEMENT_ROWS, ("file", pa.int32()), ("piece", pa.int32()), ("rank", pa.int64())])
ROWS_PER_GROUP = 200_000
"""Rows per row group: about 5 MB."""
STEPS_KEPT = 20
"""How many of the most common steps between two rows of a node a task reports."""


def status(**values: Any) -> pa.RecordBatch:
    """Return a task's report as one row."""
    return pa.RecordBatch.from_pydict({"document": [json.dumps(values)]}, _STATUS_ARROW)


@dataclass(frozen=True, slots=True)
class ReadTask:
    """The function for ``mapInArrow``: reads pieces of files, stages their rows, and yields a report for each."""

    sources: tuple[Source, ...]
    staging: Path

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Read every piece of a task."""
        for batch in batches:
            for row in batch.to_pylist():
                yield self._read(row["file"], row["piece"])

    def _read(self, file: int, piece: int) -> pa.RecordBatch:
        source, report, bounds = self.sources[file], Report(), _Bounds()
        path = self.staging / f"{file:05}-{piece:05}.parquet"
        try:
            with pq.ParquetWriter(path, STAGED, compression="lz4") as writer:
                for table in source.read(source.pieces[piece], report):
                    count = len(table)
                    if count:
                        bounds.add(table)
                        ranks = np.arange(bounds.rows - count, bounds.rows)
                        columns = [np.full(count, file, np.int32), np.full(count, piece, np.int32), ranks]
                        writer.write_table(pa.table([*table.columns, *columns], schema=STAGED))
        except UserError as error:
            return status(file=file, piece=piece, error=str(error))
        return status(
            file=file,
            piece=piece,
            lines=report.lines,
            rows=report.rows,
            broken=report.broken,
            examples=[asdict(example) for example in report.examples],
            extremes=bounds.extremes,
            steps_ms=bounds.steps_ms.most_common(STEPS_KEPT),
        )


class _Bounds:
    """The extremes of rows, and the time steps between rows of one node."""

    def __init__(self) -> None:
        self.rows = 0
        self.extremes: dict[str, tuple[tuple[float, int], tuple[float, int]]] = {}
        """For each column the lowest and the highest value, with their lines."""
        self.steps_ms: Counter[int] = Counter()

    def add(self, table: pa.Table) -> None:
        self.rows += len(table)
        lines = table.column("line").to_numpy()
        for name in ("time_s", "x", "y"):
            column = table.column(name).to_numpy()
            low, high = ((float(column[at]), int(lines[at])) for at in (column.argmin(), column.argmax()))
            before = self.extremes.get(name, (low, high))
            self.extremes[name] = (min(low, before[0]), max(high, before[1], key=lambda extreme: extreme[0]))
        names = table.column("name").combine_chunks().dictionary_encode()
        codes = (names.chunk(0) if isinstance(names, pa.ChunkedArray) else names).indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        steps_s = np.diff(table.column("time_s").to_numpy()[order])[np.diff(codes[order]) == 0]
        values, counts = np.unique(np.round(steps_s[steps_s > 0] * 1000).astype(np.int64), return_counts=True)
        self.steps_ms.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class WriteTask:
    """The function for ``mapInArrow``: takes rows sorted by window, and writes one file for each window."""

    folder: Path
    schema: pa.Schema
    bounded: tuple[str, ...]
    """The columns whose extremes are reported."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write the windows of a task."""
        current: _WindowFile | None = None
        for batch in batches:
            windows = batch.column("window").to_numpy()
            starts = np.flatnonzero(np.diff(windows, prepend=-1))
            for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(windows)], strict=True):
                if current is None or current.window != windows[start]:
                    if current is not None:
                        yield current.close()
                    current = _WindowFile(self, int(windows[start]))
                current.add(batch.slice(start, end - start).select(self.schema.names))
        if current is not None:
            yield current.close()


class _WindowFile:
    """A file that is being written, in row groups of a good size."""

    def __init__(self, task: WriteTask, window: int) -> None:
        self.window = window
        self._task = task
        self._rows = 0
        self._bounds: dict[str, tuple[float, float]] = {}
        self._waiting: list[pa.RecordBatch] = []
        path = task.folder / window_name(window) / "part.parquet"
        path.parent.mkdir(exist_ok=True)  # but not its parents: they are gone if the import has ended
        self._writer = pq.ParquetWriter(path, task.schema, compression="zstd", store_schema=False)

    def add(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        if sum(map(len, self._waiting)) >= ROWS_PER_GROUP:
            self._write()

    def close(self) -> pa.RecordBatch:
        """Finish the file and return a report of its contents."""
        self._write()
        self._writer.close()
        return status(window=self.window, rows=self._rows, bounds=self._bounds)

    def _write(self) -> None:
        if not self._waiting:
            return
        rows = pa.Table.from_batches(self._waiting).combine_chunks().cast(self._task.schema)
        self._waiting = []
        self._rows += len(rows)
        widen(self._bounds, rows, self._task.bounded)
        self._writer.write_table(rows)


def widen(bounds: dict[str, tuple[float, float]], rows: pa.Table, names: tuple[str, ...]) -> None:
    """Widen bounds to include the rows."""
    for name in names:
        column = rows.column(name).to_numpy()
        low, high = bounds.get(name, (inf, -inf))
        bounds[name] = (min(low, float(column.min())), max(high, float(column.max())))
