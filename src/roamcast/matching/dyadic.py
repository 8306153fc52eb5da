"""TAMA's dyadic table: approximate matching by counting (Zhao, Wu, ICDCS 2011), which the BRVST paper compares with.

Every attribute has a binary tree of cells over its limits: level 1 is all of them, each level halves the cells. A range
is stored, as the identifier of its subscription, in the largest cells that are wholly inside it and, at its ends, in
the cells of the last level that it touches. An event walks one path from the root to the leaf of each of its values
and counts how often it meets an identifier; who is met once for every range matches. Ends are rounded outwards to a
leaf: no false negative, and a false positive with a probability of about a leaf's width at each end.

TAMA knows only single values in events. For a range in an event we count those who are met on the paths of both of its
ends, which is right because a range that contains both ends contains all between them.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from math import inf, nextafter
from typing import Generic, TypeVar

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.matching.attribute_space import Asked, AttributeSpace, Limits, check_space
from roamcast.matching.value_text import check_identifier, check_mapping, shown, written

LEVELS = 13
"""A public implementation's choice: 4,096 leaves."""
LEVELS_MAX = 32

Identifier = TypeVar("Identifier", bound=Hashable)
Cell = tuple[int, int]
"""A level, from 1, and the cell's place in it."""


class DyadicTable(Generic[Identifier]):
    """Subscriptions in cells, and the events that meet them."""

    def __init__(self, space: AttributeSpace, levels: int = LEVELS, *, exact: bool = False) -> None:
        check_space(space)
        if type(levels) is not int or not 1 <= levels <= LEVELS_MAX:
            raise InvalidValueError("levels", shown(levels), f"must be from 1 to {LEVELS_MAX}")
        self.space = space
        self.levels = levels
        self._exact = exact
        self._ranges: dict[Identifier, dict[str, tuple[float, float]]] = {}
        self._cells: dict[str, dict[Cell, dict[Identifier, None]]] = {name: {} for name in space}

    def __len__(self) -> int:
        return len(self._ranges)

    def __contains__(self, identifier: Hashable) -> bool:
        return identifier in self._ranges

    @property
    def stored(self) -> int:
        """Return how many identifiers stand in all cells: what the table takes to store."""
        return sum(len(cell) for cells in self._cells.values() for cell in cells.values())

    def add(self, identifier: Identifier, ranges: Mapping[str, Asked]) -> None:
        """Store a subscription in its cells."""
        check_identifier(identifier)
        if identifier in self._ranges:
            raise UserError(f"subscription {written(identifier)} is in the table already")
        check_mapping("ranges", ranges, "must be a mapping from attributes to ranges")
        closed = {name: self.space.closed_range(name, ranges[name]) for name in ranges}
        self._ranges[identifier] = closed
        for name, (low, high) in closed.items():
            for cell in self.cells(name, low, high):
                self._cells[name].setdefault(cell, {})[identifier] = None

    def remove(self, identifier: Identifier) -> None:
        """Take a subscription out of its cells."""
        check_identifier(identifier)
        ranges = self._ranges.pop(identifier, None)
        if ranges is None:
            raise UserError(f"subscription {written(identifier)} is not in the table")
        for name, (low, high) in ranges.items():
            for cell in self.cells(name, low, high):
                del self._cells[name][cell][identifier]
                if not self._cells[name][cell]:
                    del self._cells[name][cell]

    def match(self, event: Mapping[str, Asked]) -> list[Identifier]:
        """Return those who are met once for each of their ranges."""
        check_mapping("an event", event, "must be a mapping from attributes to values or ranges")
        met: Counter[Identifier] = Counter()
        for name, said in event.items():
            low, high = self.space.closed_range(name, said)
            met.update(self._met(name, low, high))
        unasked = [each for each, ranges in self._ranges.items() if not ranges]
        return [each for each, count in met.items() if count == len(self._ranges[each])] + unasked

    def cells(self, name: str, low: float, high: float) -> Iterator[Cell]:
        """Yield the cells that a range is stored in: the largest inside it, and the leaves that it touches."""
        limits, leaves, level = self.space[name], 1 << (self.levels - 1), self.levels
        first, last = _leaf(limits, low, leaves), _leaf(limits, high, leaves)
        below = low - 1 if limits.whole else nextafter(low, -inf)
        if low > limits.low and _leaf(limits, below, leaves) == first:  # only a part of this leaf is inside
            yield level, first
            first += 1
        above = high + 1 if limits.whole else nextafter(high, inf)
        if first <= last and high < limits.high and _leaf(limits, above, leaves) == last:
            yield level, last
            last -= 1
        # Upwards, two neighbours of one parent are that parent; what has no neighbour in the range stays where it is.
        while first <= last:
            if level == 1:
                yield level, first
                return
            if first & 1:
                yield level, first
                first += 1
            if not last & 1:
                yield level, last
                last -= 1
            first, last, level = first >> 1, last >> 1, level - 1

    def _met(self, name: str, low: float, high: float) -> Iterator[Identifier]:
        """Yield those whose range has the whole of a value's range, as far as the table knows."""
        on_high = None if low == high else set(self._on_path(name, high))
        for each in self._on_path(name, low):
            if on_high is None or each in on_high:
                asked = self._ranges[each][name]
                if not self._exact or asked[0] <= low <= high <= asked[1]:
                    yield each

    def _on_path(self, name: str, value: float) -> Iterator[Identifier]:
        """Yield who is stored in the cells from the root to the leaf of a value; nobody is met twice."""
        leaf = _leaf(self.space[name], value, 1 << (self.levels - 1))
        cells = self._cells[name]
        for level in range(1, self.levels + 1):
            yield from cells.get((level, leaf >> (self.levels - level)), ())


def _leaf(limits: Limits, value: float, leaves: int) -> int:
    """Return the leaf of a value, which never falls as the value rises."""
    width = limits.width + limits.whole
    return min(int((value - limits.low) / width * leaves), leaves - 1) if width > 0 else 0
