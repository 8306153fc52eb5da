"""The pairs of nodes in range of each other at each moment, and the network's connected components; compiled.

A KD-tree would need a library that nothing else here needs. A grid with cells as large as the range finds the same
pairs: nodes enter their cells one by one, and each looks for those before it in its own cell and the eight around it.
Cells are found by a hash, so that an area may be as large as it likes. The loops are plain, which Numba compiles in two
seconds; sorting and searching by NumPy's functions took it seven.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roamcast.core.compiled import Compiler

_COMPILER = Compiler("roamcast.spark.contacts")
PAIRS_PER_NODE = 8
"""Room for so many pairs of each node, at first."""
LINKS, COMPONENTS, LARGEST, ISOLATED = range(4)
"""The columns of the description of a network."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def links(x_m: Floats, y_m: Floats, range_m: float) -> tuple[Integers, Integers]:
    """Return the pairs of positions that are at most ``range_m`` apart, the lower index first."""
    search = LinkSearch(np.array([0, len(x_m)]), x_m, y_m, range_m)
    search.advance(PAIRS_PER_NODE * len(x_m))
    return search.one, search.other


class LinkSearch:
    """The search for the pairs in range at some moments, as many moments at a time as memory should hold pairs."""

    def __init__(self, starts: Integers, x_m: Floats, y_m: Floats, range_m: float) -> None:
        """``starts``: where the positions of each moment begin, and the end of the last."""
        self._starts, self._x_m, self._y_m, self._range_m = starts, x_m, y_m, range_m
        self.degrees = np.zeros(len(x_m), np.int64)
        """Of each position, as far as moments are done."""
        self.networks = np.zeros((len(starts) - 1, 4), np.int64)
        """Of each moment: links, components, the size of the largest, and nodes without a link."""
        self.done = 0
        """How many moments are done."""
        self.one = self.other = self.moments = np.zeros(0, np.int64)
        """The pairs found by the last call, as indices of positions, and the moment of each."""
        count = int(np.diff(starts).max(initial=1))
        self._memory = np.zeros((4, count), np.int64)
        self._heads = np.zeros(1 << (2 * count).bit_length(), np.int64)

    @property
    def is_done(self) -> bool:
        """Tell whether all moments are done."""
        return self.done == len(self.networks)

    def advance(self, pairs_max: int) -> None:
        """Go on until there are so many pairs; a single moment may have more."""
        before, room = self.done, max(pairs_max, 1)
        while self.done == before and not self.is_done:
            found = np.empty((3, room), np.int64)
            self.done, count = _search(
                self._starts, self._x_m, self._y_m, self._range_m, before,
                found, self.degrees, self.networks, self._memory, self._heads,
            )  # fmt: skip
            self.one, self.other, self.moments = found[:, :count]
            room *= 2


@_COMPILER.compile
def _search(
    starts: Any,
    x_m: Any,
    y_m: Any,
    range_m: float,
    begin: int,
    found: Any,
    degrees: Any,
    networks: Any,
    memory: Any,
    heads: Any,
) -> Any:
    """Fill ``found`` with the pairs of the moments from ``begin`` on; return the first one not done, and the count."""
    columns, rows, chain, above = memory[0], memory[1], memory[2], memory[3]
    mask = len(heads) - 1
    limit_m2 = range_m * range_m
    count = 0
    for moment in range(begin, len(starts) - 1):
        start, end = starts[moment], starts[moment + 1]
        count_before = count
        west_m, south_m = x_m[start], y_m[start]
        for at in range(start, end):
            west_m, south_m = min(west_m, x_m[at]), min(south_m, y_m[at])
            degrees[at] = 0
            above[at - start] = at - start
        heads[:] = -1
        for at in range(start, end):
            here = at - start
            column = int(np.floor((x_m[at] - west_m) / range_m))
            row = int(np.floor((y_m[at] - south_m) / range_m))
            for cell in range(9):
                near_column, near_row = column + cell % 3 - 1, row + cell // 3 - 1
                other = heads[(near_column * 73856093 ^ near_row * 19349663) & mask]
                while other >= 0:
                    if columns[other] == near_column and rows[other] == near_row:
                        away_x_m, away_y_m = x_m[at] - x_m[start + other], y_m[at] - y_m[start + other]
                        if away_x_m * away_x_m + away_y_m * away_y_m <= limit_m2:
                            if count == found.shape[1]:
                                return moment, count_before
                            found[0, count], found[1, count], found[2, count] = start + other, at, moment
                            count += 1
                            degrees[at] += 1
                            degrees[start + other] += 1
                            _join(above, here, other)
                    other = chain[other]
            columns[here], rows[here] = column, row
            bucket = (column * 73856093 ^ row * 19349663) & mask
            chain[here] = heads[bucket]
            heads[bucket] = here
        networks[moment, 0] = count - count_before
        _describe(end - start, above, chain, degrees[start:end], networks[moment])
    return len(starts) - 1, count


@_COMPILER.compile
def _root(above: Any, node: int) -> int:
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


@_COMPILER.compile
def _join(above: Any, one: int, other: int) -> None:
    first, second = _root(above, one), _root(above, other)
    if first != second:
        above[max(first, second)] = min(first, second)


@_COMPILER.compile
def _describe(count: int, above: Any, sizes: Any, degrees: Any, network: Any) -> None:
    """Fill in the components of a network of which ``above`` tells who is joined; ``sizes`` is memory to use."""
    sizes[:count] = 0
    components, largest, isolated = 0, 0, 0
    for node in range(count):
        root = _root(above, node)
        components += root == node
        sizes[root] += 1
        largest = max(largest, sizes[root])
        isolated += degrees[node] == 0
    network[1], network[2], network[3] = components, largest, isolated


@_COMPILER.compile
def network_of(count: int, one: Any, other: Any, degrees: Any, network: Any) -> None:
    """Fill in the degrees and the description of a network with the given links."""
    above = np.arange(count)
    degrees[:] = 0
    for link in range(len(one)):
        degrees[one[link]] += 1
        degrees[other[link]] += 1
        _join(above, one[link], other[link])
    network[0] = len(one)
    _describe(count, above, np.empty(count, np.int64), degrees, network)
