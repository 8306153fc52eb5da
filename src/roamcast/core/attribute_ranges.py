"""Ranges of numeric attributes in events and interests, for matching by containment (BRVST paper, section III).

There an event has a point or a range for each of its attributes, and a subscription to ranges matches if the event has
all of the subscription's attributes, with each range of the event inside that of the subscription. Attributes of events
are plain values, so a range of ``a3`` is stored as the two numbers ``a3_low`` and ``a3_high``, equal for a point, and a
subscription is the ordinary predicate ``a3_low >= 10 and a3_high <= 20``, which every protocol can forward by.

The ranges read back from an interest are conditions that all matching events satisfy. An interest may contain more than
ranges; ``Interest.matches`` decides.
"""

from collections.abc import Mapping
from functools import reduce
from math import isfinite

from roamcast.core.attributes import Attributes, AttributeType, AttributeValue
from roamcast.core.errors import InvalidValueError
from roamcast.core.event_interests import Interest
from roamcast.core.predicates import ANYTHING, Predicate, compare
from roamcast.core.predicates.domains import Domain
from roamcast.core.predicates.values import Members, Span
from roamcast.core.widths import ATTRIBUTE_BYTES, VALUE_BYTES

Ranges = Mapping[str, tuple[float, float]]
"""The lowest and the highest value of each attribute, both inclusive."""
LOW, HIGH = "_low", "_high"


def range_attributes(ranges: Ranges) -> Attributes:
    """Return the attributes of an event with these ranges."""
    lows = {name + LOW: low for name, (low, _) in ranges.items()}
    return Attributes({**lows, **{name + HIGH: high for name, (_, high) in ranges.items()}})


def range_predicate(ranges: Ranges) -> Predicate:
    """Return the interest in events that have all of these attributes, with their ranges inside these."""
    parts = (compare(name + LOW, ">=", low) & compare(name + HIGH, "<=", high) for name, (low, high) in ranges.items())
    return reduce(lambda one, other: one & other, parts, ANYTHING)


def event_ranges(attributes: Attributes, limits: Ranges) -> dict[str, tuple[float, float]]:
    """Return an event's ranges of declared attributes.

    Invalid ranges are left out, because they may come from a peer, which must not stop us. Events of a person never
    have any: ``check_event_ranges`` refuses them before publication.
    """
    found = {}
    for name, (lowest, highest) in limits.items():
        low, high = _number(attributes.get(name + LOW)), _number(attributes.get(name + HIGH))
        if low is not None and high is not None and lowest <= low <= high <= highest:
            found[name] = (low, high)
    return found


def check_event_ranges(where: str, attributes: Attributes, limits: Ranges) -> None:
    """Raise an error if an event's range of a declared attribute is incomplete, reversed or outside the limits.

    Protocols describe events by their ranges and assume that none is outside the limits: such an event would silently
    miss its subscribers.
    """
    for name, (lowest, highest) in limits.items():
        ends = [attributes.get(name + end) for end in (LOW, HIGH)]
        low, high = map(_number, ends)
        attribute = f"{where}: {name}"
        if ends == [None, None]:
            continue
        if low is None or high is None:
            raise InvalidValueError(attribute, ends, f"must have two numbers, {name + LOW} and {name + HIGH}")
        if low > high:
            raise InvalidValueError(attribute, ends, "the range is reversed: low must not be above high")
        if low < lowest or high > highest:
            raise InvalidValueError(attribute, ends, f"must be within its limits {lowest:g} to {highest:g}")


def interest_ranges(interest: Interest, limits: Ranges) -> dict[str, tuple[float, float]]:
    """Return the ranges of declared attributes that contain those of every event that the interest matches.

    Topics, predicates with several alternatives, and attributes whose two ends are not both constrained to numbers
    yield nothing: there an event may have any value, or lack the attribute. An end outside the limits is moved to them,
    since no event has values beyond.
    """
    if not isinstance(interest, Predicate) or len(interest.alternatives) != 1:
        return {}
    domains = interest.alternatives[0].by_name
    found = {}
    for name, (lowest, highest) in limits.items():
        low_domain, high_domain = domains.get(name + LOW), domains.get(name + HIGH)
        if low_domain is None or high_domain is None:  # most attributes
            continue
        low, high = _low_end(low_domain), _high_end(high_domain)
        if low is None or high is None:
            continue
        low, high = max(lowest, low), min(highest, high)
        if low <= high:
            found[name] = (low, high)
    return found


def ranges_bytes(ranges: Ranges) -> int:
    """Return the size of ranges as plain numbers: the attribute's identifier and both ends for each."""
    return len(ranges) * (ATTRIBUTE_BYTES + 2 * VALUE_BYTES)


def _number(value: AttributeValue | None) -> float | None:
    """Return a finite number as a float, and None for anything else, including truth values."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if isfinite(value) else None


def _low_end(domain: Domain) -> float | None:
    """Return the lowest number in a domain, or None if it may contain anything but numbers."""
    if isinstance(domain, Members) and domain.kind is AttributeType.NUMBER:
        return float(min(domain.values))
    return float(domain.low[0]) if isinstance(domain, Span) and domain.kind is AttributeType.NUMBER else None


def _high_end(domain: Domain) -> float | None:
    if isinstance(domain, Members) and domain.kind is AttributeType.NUMBER:
        return float(max(domain.values))
    return float(domain.high[0]) if isinstance(domain, Span) and domain.kind is AttributeType.NUMBER else None
