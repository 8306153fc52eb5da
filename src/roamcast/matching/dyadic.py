"""TAMA's dyadic table: approximate matching by counting (Zhao, Wu, ICDCS 2011), which the BRVST paper compares with.

Every attribute has a binary tree of cells over its limits: level 1 is one cell, and each further level halves the
cells. A range is stored, as the identifier of its subscription, in the largest cells that are entirely inside it and,
at its ends, in the cells of the last level that it touches. Matching an event follows the path from the root to the
leaf of each of its values and counts how often it meets each identifier; a subscription that is met once for every one
of its ranges matches. Ends are rounded outwards to a leaf: there are no false negatives, and false positives have a
probability of about a leaf's width at each end.

TAMA supports only single values in events. For a range in an event we count the subscriptions met on the paths of both
ends, which is right because a range that contains both ends contains everything between them.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from math import inf, nextafter
from typing import Generic, TypeVar

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.matching.attribute_space import AttributeSpace, Limits, RangeLike, check_space
from roamcast.matching.value_text import check_identifier, check_mapping, reportable, short_repr

LEVELS = 13
"""A public implementation's choice: 4,096 leaves."""
LEVELS_MAX = 32

Identifier = TypeVar("Identifier", bound=Hashable)
Cell = tuple[int, int]
"""A level, from 1, and the cell's index in it."""


class DyadicTable(Generic[Identifier]):
    """Subscriptions stored in cells, and matching of events against them."""

    def __init__(self, space: AttributeSpace, levels: int = LEVELS, *, exact: bool = False) -> None:
        check_space(space)
        if type(levels) is not int or not 1 <= levels <= LEVELS_MAX:
            raise InvalidValueError("levels", reportable(levels), f"must be from 1 to {LEVELS_MAX}")
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
        """Return the number of identifiers in all cells, which determines the table's size."""
        return sum(len(cell) for cells in self._cells.values() for cell in cells.values())

    def add(self, identifier: Identifier, ranges: Mapping[str, RangeLike]) -> None:
        """Store a subscription in its cells."""
        check_identifier(identifier)
        if identifier in self._ranges:
            raise UserError(f"subscription {short_repr(identifier)} is already in the table")
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
            raise UserError(f"subscription {short_repr(identifier)} is not in the table")
        for name, (low, high) in ranges.items():
            for cell in self.cells(name, low, high):
                del self._cells[name][cell][identifier]
                if not self._cells[name][cell]:
                    del self._cells[name][cell]

    def match(self, event: Mapping[str, RangeLike]) -> list[Identifier]:
        """Return the subscriptions that are met once for each of their ranges."""
        check_mapping("an event", event, "must be a mapping from attributes to values or ranges")
        met: Counter[Identifier] = Counter()
        for name, given in event.items():
            low, high = self.space.closed_range(name, given)
            met.update(self._met(name, low, high))
        unconstrained = [identifier for identifier, ranges in self._ranges.items() if not ranges]
        matched = [identifier for identifier, count in met.items() if count == len(self._ranges[identifier])]
        return matched + unconstrained

    def cells(self, name: str, low: float, high: float) -> Iterator[Cell]:
        """Yield the cells that a range is stored in: the largest inside it, and the leaves at its ends."""
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
        # Going up, two cells with the same parent are replaced by it; a cell whose sibling is outside stays.
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
        """Yield the subscriptions whose range contains a value's range, as far as the table can tell."""
        on_high = None if low == high else set(self._on_path(name, high))
        for identifier in self._on_path(name, low):
            if on_high is None or identifier in on_high:
                wanted_low, wanted_high = self._ranges[identifier][name]
                if not self._exact or wanted_low <= low <= high <= wanted_high:
                    yield identifier

    def _on_path(self, name: str, value: float) -> Iterator[Identifier]:
        """Yield the subscriptions in the cells from the root to the leaf of a value, each at most once."""
        leaf = _leaf(self.space[name], value, 1 << (self.levels - 1))
        cells = self._cells[name]
        for level in range(1, self.levels + 1):
            yield from cells.get((level, leaf >> (self.levels - level)), ())


def _leaf(limits: Limits, value: float, leaves: int) -> int:
    """Return the leaf of a value; it never decreases as the value increases."""
    width = limits.width + limits.whole
    return min(int((value - limits.low) / width * leaves), leaves - 1) if width > 0 else 0
