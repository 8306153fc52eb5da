"""The attributes of subscriptions and events, each with the limits of its values.

An attribute range vector divides "the predefined limit range" of an attribute (BRVST, section IV-A1), so all matching
by ranges requires declared limits. Ranges are checked here once, with errors that name the attribute, and converted to
closed ranges of 64-bit floats: an open end is moved to the next float, which is exact.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TypeGuard

from roamcast.matching.value_text import check_mapping, invalid, reportable, unknown_attribute

WHOLE_MAX = 2.0**53
"""Up to here every integer is exact as a 64-bit float."""
NO_LIMITS = "no limits declared"


@dataclass(frozen=True, slots=True)
class Limits:
    """The smallest and the largest value of an attribute, both inclusive."""

    low: float
    high: float
    whole: bool = False
    """Only integers occur, so that 1 to 48 are 48 values and nothing lies between 48 and 49."""

    @property
    def width(self) -> float:
        """Return the width of the limits."""
        return self.high - self.low

    def __str__(self) -> str:
        return " to ".join(repr(float(end)).removesuffix(".0") for end in (self.low, self.high))


@dataclass(frozen=True, slots=True)
class Range:
    """A range in a subscription; an end that is None or infinite is the attribute's limit, inclusive."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    """Whether the low end itself is excluded; has no effect if the end is missing."""
    high_open: bool = False
    """Whether the high end itself is excluded, likewise."""


RangeLike = Range | tuple[float, float] | float
"""A range; with both ends inclusive it may be a pair, and with only one value that value."""


class AttributeSpace:
    """The declared attributes, in a fixed order, and checks of values and ranges against their limits."""

    def __init__(self, limits: Mapping[str, Limits | tuple[float, float]]) -> None:
        check_mapping("limits", limits, "must be a mapping from each attribute to its limits")
        self._limits = {name: _checked_limits(name, given) for name, given in limits.items()}
        self._indices = {name: index for index, name in enumerate(self._limits)}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the attributes in their order."""
        return tuple(self._limits)

    def __len__(self) -> int:
        return len(self._limits)

    def __iter__(self) -> Iterator[str]:
        return iter(self._limits)

    def is_like(self, other: "AttributeSpace") -> bool:
        """Tell whether both have the same attributes in the same order, with the same limits."""
        return self is other or list(self._limits.items()) == list(other._limits.items())

    def __getitem__(self, name: str) -> Limits:
        """Return an attribute's limits."""
        try:
            return self._limits[name]
        except (KeyError, TypeError):  # a value that cannot be a key is not an attribute either
            raise unknown_attribute(name, self._limits, NO_LIMITS) from None

    def index(self, name: str) -> int:
        """Return an attribute's index in the order."""
        try:
            return self._indices[name]
        except (KeyError, TypeError):  # a value that cannot be a key is not an attribute either
            raise unknown_attribute(name, self._limits, NO_LIMITS) from None

    def closed_range(self, name: str, given: RangeLike) -> tuple[float, float]:
        """Convert a range of an attribute to one with both ends inclusive, within the limits."""
        limits = self[name]
        if type(given) is tuple and len(given) == 2 and _is_plain(given[0], limits) and _is_plain(given[1], limits):
            low, high = given
            if low <= high:
                return low + 0.0, high + 0.0
        given = _as_range(name, given)
        low = -math.inf if given.low is None else _number(f"{name} low", given.low)
        high = math.inf if given.high is None else _number(f"{name} high", given.high)
        low_open, high_open = given.low_open, given.high_open
        if low > high:
            raise invalid(name, [low, high], "the range is reversed: low must not be above high")
        if low == -math.inf:
            low, low_open = limits.low, False
        if high == math.inf:
            high, high_open = limits.high, False
        for end, value in (("low", low), ("high", high)):
            _check_inside(f"{name} {end}", value, limits)
        return _closed(name, limits, Range(low, high, low_open, high_open))

    def value(self, name: str, value: float) -> float:
        """Check the value of an event's attribute and return it as a float."""
        limits = self[name]
        if _is_plain(value, limits):
            return value + 0.0
        number = _number(name, value)
        _check_inside(name, number, limits)
        if limits.whole and not number.is_integer():
            raise invalid(name, value, "must be a whole number")
        return number


def check_space(space: object) -> None:
    """Raise an error if a value is not an ``AttributeSpace``."""
    if not isinstance(space, AttributeSpace):
        raise invalid("space", reportable(space), "must be an AttributeSpace, as AttributeSpace(limits) or index.space")


def _checked_limits(name: str, given: Limits | tuple[float, float]) -> Limits:
    if not isinstance(name, str):
        raise invalid("limits", reportable(name), "the name of an attribute must be a text")
    if not isinstance(given, Limits):
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise invalid(f"{name} limits", reportable(given), "must be Limits or a pair of the low and the high limit")
        given = Limits(*given)
    low, high = _number(f"{name} low limit", given.low), _number(f"{name} high limit", given.high)
    whole = _truth(f"{name} whole", given.whole)
    if not math.isfinite(low) or not math.isfinite(high) or not math.isfinite(high - low):
        raise invalid(f"{name} limits", [low, high], "must be finite, and so must their difference")
    if low > high:
        raise invalid(f"{name} limits", [low, high], "the low limit must not be above the high one")
    if whole and not (low.is_integer() and high.is_integer() and max(-low, high) < WHOLE_MAX):
        raise invalid(f"{name} limits", [low, high], "must be whole numbers below 2^53")
    return Limits(low, high, whole)


def _as_range(name: str, given: RangeLike) -> Range:
    if isinstance(given, Range):
        is_open = (_truth(f"{name} {end}", getattr(given, end)) for end in ("low_open", "high_open"))
        return Range(given.low, given.high, *is_open)
    if _is_number(given):
        number = _number(name, given)
        if math.isinf(number):
            raise invalid(name, number, "must be a finite number, or a pair (low, high) with an infinite end")
        return Range(number, number)
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise invalid(name, reportable(given), "must be a value, a pair (low, high) or a Range")
    return Range(*given)


def _is_plain(value: object, limits: Limits) -> TypeGuard[float]:
    """Tell whether a value is a float that needs neither a conversion nor a look for what is wrong: nearly all are."""
    return type(value) is float and limits.low <= value <= limits.high and (not limits.whole or value.is_integer())


def _is_number(value: object) -> TypeGuard[float]:
    return not isinstance(value, bool) and isinstance(value, (float, int, Real, Decimal))


def _number(where: str, value: float) -> float:
    """Convert a number to a float of exactly the same value."""
    if not _is_number(value):
        raise invalid(where, reportable(value), "must be a number")
    try:
        number = float(value)
    except OverflowError:
        raise invalid(where, reportable(value), "must be a number that a 64-bit float holds exactly") from None
    except ValueError:  # a signalling NaN
        number = math.nan
    if math.isnan(number):
        raise invalid(where, number, "must be a number, not NaN")
    if number != value:
        raise invalid(where, reportable(value), "must be a number that a 64-bit float holds exactly")
    return number + 0.0  # no minus zero


def _truth(where: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise invalid(where, reportable(value), "must be true or false")
    return value


def _check_inside(where: str, value: float, limits: Limits) -> None:
    if not limits.low <= value <= limits.high:
        raise invalid(where, value, f"must be within its limits {limits}")


def _closed(name: str, limits: Limits, given: Range) -> tuple[float, float]:
    """Move open ends to the next value and, where only integers occur, other ends inwards to the next integer."""
    assert given.low is not None
    assert given.high is not None
    low, high = given.low, given.high
    if limits.whole:
        low = math.floor(low) + 1.0 if given.low_open else float(math.ceil(low))
        high = math.ceil(high) - 1.0 if given.high_open else float(math.floor(high))
    else:
        low = math.nextafter(low, math.inf) if given.low_open else low
        high = math.nextafter(high, -math.inf) if given.high_open else high
    if low > high:
        raise invalid(name, [given.low, given.high], "there is no value in this range")
    return low, high
