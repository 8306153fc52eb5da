"""Rows on their way from the source files to windows of time: chunks of one table each, sorted by time.

A chunk is a few files (``mapped_files``):

- ``rows``: node, time, position and line of each row, and the time of the node's next row in the same chunk (or NaN).
  Nodes are codes of the chunk. If the rows of some node are not in order, rows are as in the source file, not sorted;
- ``nodes``: the name, the extreme times and the number of rows of each code;
- ``before``, ``kept`` and ``kept-nodes``: only if rows conflict with earlier ones. The latest time of each code's node
  before this chunk, and what is left of the first two files without the conflicting rows;
- ``links``: the number of each code's node, and the time of the node's first row in a later chunk.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from roamcast.spark.mapped_files import write_mapped

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ROWS, NODES, BEFORE, IDS, LINKS = "rows", "nodes", "before", "ids", "links"
KEPT, KEPT_NODES = "kept", "kept-nodes"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The name of a chunk and what the driver needs to know of it."""

    file: int
    piece: int
    index: int
    low_s: float
    high_s: float
    """The extreme times."""
    is_ordered: bool
    """The times of each node increase."""
    is_checked: bool = False
    """The rows that conflict with others have been taken out."""

    def path(self, staging: Path, kind: str) -> Path:
        """Return one of the chunk's files."""
        return staging / f"{self.file:05}-{self.piece:05}-{self.index:05}.{kind}"

    def rows_file(self, staging: Path) -> Path:
        """Return the file of the rows that belong into the recording."""
        return self.path(staging, KEPT if self.is_checked else ROWS)

    def nodes_file(self, staging: Path) -> Path:
        """Return the file that summarises these rows by node."""
        return self.path(staging, KEPT_NODES if self.is_checked else NODES)

    def checked(self) -> "Chunk":
        """Return the chunk without the rows that conflict with others."""
        return replace(self, is_checked=True)


def node_order(codes: NDArray[Any], nodes: int) -> Integers:
    """Return the indices that sort rows by node and leave the rows of each node in their order.

    NumPy sorts numbers of 16 bits in linear time, and others in n log n.
    """
    if nodes <= 1 << 16:
        return np.argsort(codes.astype(np.uint16), kind="stable")
    by_low = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    return by_low[np.argsort((codes[by_low] >> 16).astype(np.uint16), kind="stable")]


@dataclass(frozen=True, slots=True)
class Tracks:
    """The rows of a table, node by node."""

    codes: NDArray[np.int32]
    time_s: Floats
    order: Integers
    """Indices of rows, by node."""
    is_same: NDArray[np.bool_]
    """Whether a row of this order has the same node as the next."""
    steps_s: Floats
    """The times between two rows of a node."""
    starts: Integers
    """Where each node begins in this order."""

    @classmethod
    def of(cls, codes: NDArray[np.int32], time_s: Floats, nodes: int) -> "Tracks":
        """Arrange rows by node; every code from 0 must occur."""
        order = node_order(codes, nodes)
        ordered, times_s = codes[order], time_s[order]
        is_same = ordered[1:] == ordered[:-1]
        starts = np.concatenate(([0], np.flatnonzero(~is_same) + 1))
        return cls(codes, time_s, order, is_same, np.diff(times_s)[is_same], starts)

    @property
    def is_ordered(self) -> bool:
        """Tell whether the times of each node increase."""
        return bool((self.steps_s > 0).all())

    def next_s(self) -> Floats:
        """Return the time of the next row of the same node, or NaN, for each row."""
        following_s = np.full(len(self.time_s), np.nan)
        following_s[self.order[:-1]] = np.where(self.is_same, self.time_s[self.order[1:]], np.nan)
        return following_s

    def summary(self) -> dict[str, Any]:
        """Return the extreme times and the number of rows of each node."""
        times_s = self.time_s[self.order]
        ends = np.append(self.starts[1:], len(times_s))
        low_s, high_s = (
            (times_s[self.starts], times_s[ends - 1])
            if self.is_ordered
            else (np.minimum.reduceat(times_s, self.starts), np.maximum.reduceat(times_s, self.starts))
        )
        return {"low_s": low_s, "high_s": high_s, "rows": ends - self.starts}


def stage(chunk: Chunk, staging: Path, table: pa.Table, names: pa.Array, tracks: Tracks) -> None:
    """Write a table as a chunk."""
    columns = {name: table.column(name).to_numpy() for name in ("time_s", "x", "y", "line")}
    columns = {"code": tracks.codes, **columns, "next_s": tracks.next_s()}
    write_mapped(chunk.path(staging, ROWS), **(by_time(columns) if chunk.is_ordered else columns))
    write_mapped(chunk.path(staging, NODES), name=names, **tracks.summary())


def by_time(columns: dict[str, Any]) -> dict[str, Any]:
    """Return rows sorted by time; the rows of a node stay in their order if that is the order of their times."""
    time_s = columns["time_s"]
    if bool((time_s[1:] >= time_s[:-1]).all()):
        return columns
    order = np.argsort(time_s, kind="stable")
    return {name: column[order] for name, column in columns.items()}
