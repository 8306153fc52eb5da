"""Writing the files of a table that is divided into windows of time."""

from math import inf
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.recordings.recording_layout import window_name

ROWS_PER_GROUP = 200_000
"""Rows per row group: about 5 MB."""


class WindowFile:
    """A window's file that is being written, in row groups of equal size whatever the size of the tables added."""

    def __init__(self, folder: Path, window: int, schema: pa.Schema, bounded: tuple[str, ...]) -> None:
        self._window = window
        self._schema = schema
        self._bounded = bounded
        """The columns whose extremes are reported."""
        self._rows = 0
        self._bounds: dict[str, tuple[float, float]] = {}
        self._waiting: list[pa.Table] = []
        self._waiting_rows = 0
        path = folder / window_name(window) / "part.parquet"
        path.parent.mkdir(exist_ok=True)  # but not its parents: they are gone if the import has ended
        self._writer = pq.ParquetWriter(path, schema, compression="zstd", store_schema=False)

    def add(self, rows: pa.Table) -> None:
        """Add sorted rows that are after all earlier ones."""
        self._waiting.append(rows)
        self._waiting_rows += len(rows)
        while self._waiting_rows >= ROWS_PER_GROUP:
            self._write(ROWS_PER_GROUP)

    def close(self) -> dict[str, Any]:
        """Finish the file and return a report of its contents."""
        if self._waiting_rows:
            self._write(self._waiting_rows)
        self._writer.close()
        return {"window": self._window, "rows": self._rows, "bounds": self._bounds}

    def _write(self, count: int) -> None:
        waiting = pa.concat_tables(self._waiting)
        rows = waiting[:count].combine_chunks().cast(self._schema)
        self._waiting = [waiting[count:]]
        self._waiting_rows -= count
        self._rows += count
        widen(self._bounds, rows, self._bounded)
        self._writer.write_table(rows)


def widen(bounds: dict[str, tuple[float, float]], rows: pa.Table, names: tuple[str, ...]) -> None:
    """Widen bounds to include the rows."""
    for name in names:
        column = rows.column(name).to_numpy()
        low, high = bounds.get(name, (inf, -inf))
        bounds[name] = (min(low, float(column.min())), max(high, float(column.max())))
