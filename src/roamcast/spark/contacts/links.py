"""The pairs of nodes in range of each other at one moment, and the network's connected components; compiled.

A KD-tree would need a library that nothing else here needs; a grid with cells as large as the range finds the same
pairs by checking half of each node's neighbourhood, so that each pair is found once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roamcast.core.compiled import Compiler

_COMPILER = Compiler("roamcast.spark.contacts")

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def links(x_m: Floats, y_m: Floats, range_m: float) -> tuple[Integers, Integers]:
    """Return the pairs of positions that are at most ``range_m`` apart, the lower index first."""
    one, other = _links(x_m, y_m, range_m)
    return np.minimum(one, other), np.maximum(one, other)


@_COMPILER.compile
def _links(x_m: Any, y_m: Any, range_m: float) -> Any:
    count = len(x_m)
    columns = np.floor((x_m - x_m.min()) / range_m).astype(np.int64)
    rows = np.floor((y_m - y_m.min()) / range_m).astype(np.int64)
    width = columns.max() + 3  # so that the cells at one edge are not neighbours of the first of the next row
    keys = rows * width + columns
    order = np.argsort(keys, kind="mergesort")
    keys = keys[order]
    found = np.empty((max(16, 8 * count), 2), np.int64)
    pairs = 0
    limit_m2 = range_m * range_m
    for at in range(count):
        first, key = order[at], keys[at]
        above = np.searchsorted(keys, key + width - 1)
        above_end = np.searchsorted(keys, key + width + 2)
        beside_end = np.searchsorted(keys, key + 2)
        for part in range(2):
            start, end = (at + 1, beside_end) if part == 0 else (above, above_end)
            for index in range(start, end):
                second = order[index]
                away_x_m, away_y_m = x_m[first] - x_m[second], y_m[first] - y_m[second]
                if away_x_m * away_x_m + away_y_m * away_y_m <= limit_m2:
                    if pairs == len(found):
                        larger = np.empty((2 * len(found), 2), np.int64)
                        larger[:pairs] = found
                        found = larger
                    found[pairs, 0], found[pairs, 1] = first, second
                    pairs += 1
    return found[:pairs, 0].copy(), found[:pairs, 1].copy()


@_COMPILER.compile
def _root(above: Any, node: int) -> int:
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


@_COMPILER.compile
def component_sizes(count: int, one: Any, other: Any) -> Any:
    """Return the sizes of the connected components of ``count`` nodes with the given links."""
    above = np.arange(count)
    for link in range(len(one)):
        first, second = _root(above, one[link]), _root(above, other[link])
        if first != second:
            above[max(first, second)] = min(first, second)
    sizes = np.zeros(count, np.int64)
    for node in range(count):
        sizes[_root(above, node)] += 1
    return sizes[sizes > 0]
