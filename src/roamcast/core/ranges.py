"""Ranges of numeric attributes in events and interests, for matching by containment (BRVST paper, section III).

There an event says a point or a range of each of its attributes, and a subscription that asks for ranges matches where
it finds every one of its attributes, and the event's range inside its own. Attributes of events are plain values, so a
range of ``a3`` is said as the two numbers ``a3_low`` and ``a3_high``, equal for a point, and asked for by
``a3_low >= 10 and a3_high <= 20``: an ordinary predicate, which every protocol can forward by.

What is read back here is what must hold of an event that an interest matches. An interest may say more than ranges; the
last word has ``Interest.matches``.
"""

from collections.abc import Mapping
from functools import reduce
from math import isfinite

from roamcast.core.attributes import Attributes, AttributeType, AttributeValue
from roamcast.core.errors import InvalidValueError
from roamcast.core.interests import Interest
from roamcast.core.predicates import ANYTHING, Predicate, compare
from roamcast.core.predicates.domains import Domain
from roamcast.core.predicates.values import Members, Span
from roamcast.core.widths import ATTRIBUTE_BYTES, VALUE_BYTES

Ranges = Mapping[str, tuple[float, float]]
"""The lowest and the highest value by attribute, both included."""
LOW, HIGH = "_low", "_high"


def range_attributes(ranges: Ranges) -> Attributes:
    """Return what an event says that has these ranges."""
    lows = {name + LOW: low for name, (low, _) in ranges.items()}
    return Attributes({**lows, **{name + HIGH: high for name, (_, high) in ranges.items()}})


def range_predicate(ranges: Ranges) -> Predicate:
    """Return the interest in events that have all of these attributes, with their ranges inside these."""
    parts = (compare(name + LOW, ">=", low) & compare(name + HIGH, "<=", high) for name, (low, high) in ranges.items())
    return reduce(lambda one, other: one & other, parts, ANYTHING)


def said_ranges(attributes: Attributes, limits: Ranges) -> dict[str, tuple[float, float]]:
    """Return the ranges that an event says of declared attributes.

    One that makes no sense is left out, because a peer may have said it and must not stop us. A person's event never
    says such a thing: ``check_said_ranges`` refuses it before it is published.
    """
    found = {}
    for name, (lowest, highest) in limits.items():
        low, high = _number(attributes.get(name + LOW)), _number(attributes.get(name + HIGH))
        if low is not None and high is not None and lowest <= low <= high <= highest:
            found[name] = (low, high)
    return found


def check_said_ranges(place: str, attributes: Attributes, limits: Ranges) -> None:
    """Complain of an event whose range of a declared attribute is none, is turned round or leaves the limits.

    Protocols describe events by their ranges and take it that none leaves the limits: such an event would miss those
    who asked for it, without a word.
    """
    for name, (lowest, highest) in limits.items():
        said = [attributes.get(name + end) for end in (LOW, HIGH)]
        low, high = map(_number, said)
        where = f"{place}: {name}"
        if said == [None, None]:
            continue
        if low is None or high is None:
            raise InvalidValueError(where, said, f"must have two numbers, {name + LOW} and {name + HIGH}")
        if low > high:
            raise InvalidValueError(where, said, "the range is turned round: low must not be above high")
        if low < lowest or high > highest:
            raise InvalidValueError(where, said, f"must be within its limits {lowest:g} to {highest:g}")


def asked_ranges(interest: Interest, limits: Ranges) -> dict[str, tuple[float, float]]:
    """Return the ranges of declared attributes inside which an event's must be that the interest matches.

    Nothing is known of a topic, of several alternatives, or of an attribute whose two ends are not both asked to be
    numbers: there the event may say anything, or need not have it at all. An end outside the limits is moved to them,
    since no event has values beyond.
    """
    if not isinstance(interest, Predicate) or len(interest.alternatives) != 1:
        return {}
    domains = interest.alternatives[0].by_name
    found = {}
    for name, (lowest, highest) in limits.items():
        low, high = _low_end(domains.get(name + LOW)), _high_end(domains.get(name + HIGH))
        if low is None or high is None:
            continue
        low, high = max(lowest, low), min(highest, high)
        if low <= high:
            found[name] = (low, high)
    return found


def ranges_bytes(ranges: Ranges) -> int:
    """Return the size of ranges as plain numbers: for each the attribute's identifier and both ends."""
    return len(ranges) * (ATTRIBUTE_BYTES + 2 * VALUE_BYTES)


def _number(value: AttributeValue | None) -> float | None:
    """Return a finite number as a float; None for anything else, truth values among them."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if isfinite(value) else None


def _low_end(domain: Domain | None) -> float | None:
    """Return the lowest number that a domain lets pass; None if it may let pass something else than numbers."""
    if isinstance(domain, Members) and domain.kind is AttributeType.NUMBER:
        return float(min(domain.values))
    return float(domain.low[0]) if isinstance(domain, Span) and domain.kind is AttributeType.NUMBER else None


def _high_end(domain: Domain | None) -> float | None:
    if isinstance(domain, Members) and domain.kind is AttributeType.NUMBER:
        return float(max(domain.values))
    return float(domain.high[0]) if isinstance(domain, Span) and domain.kind is AttributeType.NUMBER else None
