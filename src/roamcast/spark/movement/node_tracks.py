"""Following nodes through the chunks of a recording, in the order of the files: numbers, conflicts and what comes next.

The driver sees only a summary of each chunk, one row per node; a row itself never leaves its task. Two sweeps suffice:
forward, for the latest time of each node before a chunk; and back, for its first row after a chunk.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from roamcast.recordings.node_names import numbered
from roamcast.recordings.recording_layout import NODES_SCHEMA
from roamcast.spark.mapped_files import highest_before, map_arrays, map_batch, write_mapped
from roamcast.spark.movement.staged_chunks import BEFORE, IDS, LINKS, NODES, Chunk, Floats, Tracks, node_order

FAULTS = {"twice": "the node already has a row at this time", "back": "time runs backwards"}
"""The ways in which a row can conflict with others of its node."""


@dataclass(slots=True)
class NodeTracks:
    """All nodes of a recording; a node's id counts the names in the order in which chunks have them."""

    staging: Path
    _ids: dict[str, int] = field(default_factory=dict)
    _low_s: Floats = field(default_factory=lambda: np.zeros(0))
    _high_s: Floats = field(default_factory=lambda: np.zeros(0))
    """The extreme times of each node, of all rows."""

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, chunk: Chunk) -> bool:
        """Take in the next chunk; return whether a row in it is not after all earlier rows of its node."""
        summary = map_batch(chunk.path(self.staging, NODES))
        ids = self._ids
        of_code = np.array([ids.setdefault(name, len(ids)) for name in summary.column("name").to_pylist()], np.int32)
        self._grow()
        low_s, high_s = (summary.column(name).to_numpy() for name in ("low_s", "high_s"))
        before_s = self._high_s[of_code]
        conflicts = not chunk.is_ordered or bool((low_s <= before_s).any())
        write_mapped(chunk.path(self.staging, IDS), id=of_code)
        if conflicts:
            write_mapped(chunk.path(self.staging, BEFORE), latest_s=before_s)
        self._low_s[of_code] = np.minimum(self._low_s[of_code], low_s)
        self._high_s[of_code] = np.maximum(before_s, high_s)
        return conflicts

    def _grow(self) -> None:
        """Make room for new nodes."""
        missing = len(self._ids) - len(self._low_s)
        if missing > 0:
            room = missing + len(self._ids)
            self._low_s = np.append(self._low_s, np.full(room, np.inf))
            self._high_s = np.append(self._high_s, np.full(room, -np.inf))

    def link(self, chunks: Sequence[Chunk]) -> pa.Table:
        """Write what the tasks need to know of other chunks, and return the table of nodes.

        Nodes are numbered by their first appearance, then by name.
        """
        names = numbered([*self._ids], self._low_s[: len(self)].tolist())
        number = np.empty(len(names), np.int32)
        number[[self._ids[name] for name in names]] = np.arange(len(names))
        next_s = np.full(len(names), np.nan)
        last_s, rows = np.full(len(names), -np.inf), np.zeros(len(names), np.int64)
        for chunk in reversed(chunks):
            ids = map_arrays(chunk.path(self.staging, IDS))["id"]
            write_mapped(chunk.path(self.staging, LINKS), number=number[ids], next_s=next_s[ids])
            kept = map_batch(chunk.nodes_file(self.staging))
            low_s, high_s, count = (kept.column(name).to_numpy() for name in ("low_s", "high_s", "rows"))
            next_s[ids] = np.where(count > 0, low_s, next_s[ids])
            last_s[ids] = np.where(count > 0, np.maximum(last_s[ids], high_s), last_s[ids])
            rows[ids] += count
        order = np.argsort(number)
        return pa.table([np.arange(len(names)), names, next_s[order], last_s[order], rows[order]], schema=NODES_SCHEMA)


def faults_of(tracks: Tracks, latest_s: Floats) -> dict[str, NDArray[np.bool_]]:
    """Return which rows conflict with earlier ones; ``latest_s`` is the latest time of each code before these rows."""
    # The latest time goes before the rows of its node, as if it were one.
    codes = np.concatenate((np.arange(len(latest_s), dtype=np.int32), tracks.codes))
    time_s = np.concatenate((latest_s, tracks.time_s))
    order = node_order(codes, len(latest_s))
    before_s = np.empty(len(order))
    before_s[order] = highest_before(codes[order], time_s[order])
    before_s = before_s[len(latest_s) :]
    return {"twice": tracks.time_s == before_s, "back": tracks.time_s < before_s}


def kept_columns(rows: dict[str, Any], is_kept: NDArray[np.bool_], nodes: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the rows that stay, in order of time and with the next row of each; and their summary by node."""
    rows = {name: column[is_kept] for name, column in rows.items()}
    summary = {"low_s": np.full(nodes, np.nan), "high_s": np.full(nodes, np.nan), "rows": np.zeros(nodes, np.int64)}
    if is_kept.any():
        present, codes = np.unique(rows["code"], return_inverse=True)
        tracks = Tracks.of(codes.astype(np.int32), rows["time_s"], len(present))
        rows["next_s"] = tracks.next_s()
        for name, values in tracks.summary().items():
            summary[name][present] = values
    return rows, summary


def first_fault(
    chunks: Iterable[Chunk], reports: Iterable[dict[str, Any]], fault: str
) -> tuple[int, tuple[int, int, int] | None]:
    """Return how many rows have a fault, and the file, piece and line of the first."""
    found = [(chunk, *report[fault]) for chunk, report in zip(chunks, reports, strict=True) if report[fault][0]]
    first = min(((chunk.file, chunk.piece, line) for chunk, _, line in found), default=None)
    return sum(count for _, count, _ in found), first
