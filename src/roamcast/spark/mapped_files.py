"""Files that one task writes and others map into memory: columns as Arrow lays them out, without compression.

A task that needs some rows of a file reads only the pages that hold them, without decoding anything. So rows that are
sorted within their file can be collected by value from many files, without a shuffle.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SAMPLED_ROWS = 1_000
"""One of so many rows decides where sorted rows are cut."""


def write_mapped(path: Path, **columns: Any) -> None:
    """Write columns of equal length to a file; a later attempt of the same task replaces it."""
    batch = pa.RecordBatch.from_arrays([pa.array(column) for column in columns.values()], names=list(columns))
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)


def map_batch(path: Path) -> pa.RecordBatch:
    """Map a file into memory; its pages are read when they are used."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).get_batch(0)


def map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Map a file of numbers into memory, by column."""
    batch = map_batch(path)
    return {name: batch.column(at).to_numpy(zero_copy_only=True) for at, name in enumerate(batch.schema.names)}


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return one array of some parts, of which there is at least one."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def cut(
    slices: Sequence[Mapping[str, Any]], by: str, names: Sequence[str], rows_at_once: int
) -> Iterator[list[dict[str, Any]]]:
    """Yield rows of some slices, all sorted by a column, about so many at once; equal values stay together.

    In each slice only the named columns have a value per row; the others stay as they are.
    """
    sampled = np.sort(np.concatenate([part[by][::SAMPLED_ROWS] for part in slices]))
    step = max(1, rows_at_once // SAMPLED_ROWS)
    cuts = np.unique(sampled[step::step])
    bounds = [np.concatenate(([0], np.searchsorted(part[by], cuts), [len(part[by])])) for part in slices]
    for at in range(len(cuts) + 1):
        found = [
            {**part, **{name: part[name][ends[at] : ends[at + 1]] for name in names}}
            for part, ends in zip(slices, bounds, strict=True)
            if ends[at] < ends[at + 1]
        ]
        if found:
            yield found


def highest_before(groups: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the highest value before each row within its group, -inf for the first; rows must be sorted by group."""
    known, own = np.unique(values, return_inverse=True)
    is_first = np.concatenate(([True], groups[1:] != groups[:-1]))
    # A group begins above everything in the groups before it, so that the highest value so far begins anew.
    offsets = np.cumsum(is_first) * len(known)
    highest = known[np.maximum.accumulate(own + offsets) - offsets]
    return np.where(is_first, -np.inf, np.concatenate(([-np.inf], highest[:-1])))
