"""Domains of values: a few members, or a span of ordered values with some excluded.

Numbers and texts (ordered by code points) share one algebra on *cuts*, the positions between values: a span is what
lies between two cuts. The cut before the number v is (v, 0), the one after it (v, 1). The next text after s is s + NUL,
so every cut of texts is the one before some text, (0, s), and (1, "") comes after all texts. The texts with a given
prefix are a span too: from the prefix to the first text after it that does not begin with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

from roamcast.core.attributes import AttributeType, AttributeValue, is_finite, type_of
from roamcast.core.predicates.comparisons import Comparison, Operator
from roamcast.core.predicates.domains import Domain

Cut = tuple[Any, Any]
NUMBER_CUTS: tuple[Cut, Cut] = ((-inf, 1), (inf, 0))
"""Around all finite numbers."""
TEXT_CUTS: tuple[Cut, Cut] = ((0, ""), (1, ""))
"""Around all texts."""
_LAST_CHARACTER = "\U0010ffff"


def all_values(kind: AttributeType) -> tuple[Cut, Cut]:
    """Return the cuts around all values of a type that has an order."""
    return NUMBER_CUTS if kind is AttributeType.NUMBER else TEXT_CUTS


def before(value: Any) -> Cut:
    """Return the cut just before a value."""
    return (0, value) if isinstance(value, str) else (value, 0)


def after(value: Any) -> Cut:
    """Return the cut just after a value."""
    return (0, value + "\0") if isinstance(value, str) else (value, 1)


def prefix_end(prefix: str) -> Cut:
    """Return the cut after all texts that begin with a prefix."""
    head = prefix.rstrip(_LAST_CHARACTER)
    if not head:
        return TEXT_CUTS[1]
    last = head[-1]
    following = "\ue000" if last == "\ud7ff" else chr(ord(last) + 1)  # skips the surrogates, which no text contains
    return (0, head[:-1] + following)


@dataclass(frozen=True, slots=True)
class Members(Domain):
    """One of a few values of one type."""

    kind: AttributeType
    values: frozenset[AttributeValue]

    def contains(self, value: object) -> bool:
        """Tell whether a value is one of them, and of their type."""
        return is_finite(value) and type_of(value) is self.kind and value in self.values  # type: ignore[arg-type]

    def meet(self, other: Domain) -> Domain | None:
        """Return the members that are in the other."""
        return members(self.kind, (value for value in self.values if other.contains(value)))

    def covers(self, other: Domain) -> bool:
        """Tell whether all values of the other are among these."""
        return isinstance(other, Members) and self.kind is other.kind and self.values >= other.values

    @property
    def terms(self) -> int:
        """Return one for each value."""
        return len(self.values)

    def comparisons(self, name: str) -> tuple[Comparison, ...]:
        """Return an equality or a membership, the values in order."""
        values = tuple(sorted(self.values))
        return (Comparison(name, Operator.EQUAL if len(values) == 1 else Operator.IN, values),)


@dataclass(frozen=True, slots=True)
class Span(Domain):
    """All numbers or texts between two cuts, except for a few. Made by ``span``, in canonical form."""

    kind: AttributeType
    low: Cut
    high: Cut
    excluded: frozenset[AttributeValue] = frozenset()

    def contains(self, value: object) -> bool:
        """Tell whether a value has the type, is between the cuts and is not excluded."""
        if not is_finite(value) or type_of(value) is not self.kind:  # type: ignore[arg-type]
            return False
        return self.low <= before(value) < self.high and value not in self.excluded

    def meet(self, other: Domain) -> Domain | None:
        """Return what is between the inner cuts."""
        if not isinstance(other, Span):
            return other.meet(self)
        if self.kind is not other.kind:
            return None
        excluded = self.excluded | other.excluded
        return span(self.kind, max(self.low, other.low), min(self.high, other.high), excluded)

    def covers(self, other: Domain) -> bool:
        """Tell whether the other's values are all between the cuts and not excluded here."""
        if isinstance(other, Members):
            return all(self.contains(value) for value in other.values)
        if not isinstance(other, Span) or self.kind is not other.kind:
            return False
        between = self.low <= other.low and other.high <= self.high
        return between and not any(other.contains(value) for value in self.excluded)

    @property
    def terms(self) -> int:
        """Return one for each bound and each excluded value."""
        return len(self._bounds()) + len(self.excluded)

    def comparisons(self, name: str) -> tuple[Comparison, ...]:
        """Return the bounds, as ``between`` if possible, and the exclusions."""
        bounds = [Comparison(name, operator, (value,)) for operator, value in self._bounds()]
        if [each.operator for each in bounds] == [Operator.AT_LEAST, Operator.AT_MOST]:
            bounds = [Comparison(name, Operator.BETWEEN, bounds[0].values + bounds[1].values)]
        left_out = (Comparison(name, Operator.NOT_EQUAL, (value,)) for value in sorted(self.excluded))
        return (*bounds, *left_out)

    def _bounds(self) -> list[tuple[Operator, AttributeValue]]:
        if self.kind is AttributeType.NUMBER:
            low, high = self.low, self.high
            below = [] if low[0] == -inf else [(Operator.GREATER if low[1] else Operator.AT_LEAST, low[0])]
            above = [] if high[0] == inf else [(Operator.AT_MOST if high[1] else Operator.LESS, high[0])]
            return below + above
        if self.high == prefix_end(self.low[1]) and (self.low[1] or not self.excluded):
            return [(Operator.STARTS_WITH, self.low[1])]
        below = [_text_bound(self.low[1], Operator.GREATER, Operator.AT_LEAST)] if self.low[1] else []
        return below + (
            [_text_bound(self.high[1], Operator.AT_MOST, Operator.LESS)] if self.high != TEXT_CUTS[1] else []
        )


def _text_bound(text: str, after_it: Operator, before_it: Operator) -> tuple[Operator, AttributeValue]:
    """Return a cut of texts as a comparison: the cut before s + NUL is the cut after s."""
    return (after_it, text[:-1]) if text.endswith("\0") else (before_it, text)


def members(kind: AttributeType, values: Iterable[AttributeValue]) -> Members | None:
    """Return the domain of some values, or None if there are none."""
    kept = frozenset(values)
    return Members(kind, kept) if kept else None


def span(kind: AttributeType, low: Cut, high: Cut, excluded: Iterable[AttributeValue] = ()) -> Domain | None:
    """Return the span between two cuts in canonical form: no exclusions at an end or outside, no span of one value."""
    inside = {value for value in excluded if low <= before(value) < high}
    while at_an_end := [value for value in inside if low == before(value) or high == after(value)]:
        for value in at_an_end:
            low, high = (after(value), high) if low == before(value) else (low, before(value))
        inside.difference_update(at_an_end)
    if low >= high:
        return None
    first = low[1] if kind is AttributeType.TEXT else low[0]
    if low == before(first) and high == after(first):
        return members(kind, [first])
    return Span(kind, low, high, frozenset(inside))
