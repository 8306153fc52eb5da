"""The attributes that subscriptions and events speak of, each with the limits of its values.

An attribute range vector divides "the predefined limit range" of an attribute (BRVST, section IV-A1), so everything
that matches by ranges needs limits to be declared. What is asked for is checked here once, with errors that name the
attribute, and becomes a closed range of 64-bit floats: an open end is moved by one float, which is exact.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TypeGuard

from roamcast.matching.value_text import check_mapping, invalid, shown, unknown_attribute

WHOLE_MAX = 2.0**53
"""Up to here a 64-bit float has every whole number."""
NO_LIMITS = "no limits declared"


@dataclass(frozen=True, slots=True)
class Limits:
    """The smallest and the largest value of an attribute, both included."""

    low: float
    high: float
    whole: bool = False
    """Only whole numbers occur, so that 1 to 48 are 48 values and nothing lies between 48 and 49."""

    @property
    def width(self) -> float:
        """Return how wide the limits are."""
        return self.high - self.low

    def __str__(self) -> str:
        return " to ".join(repr(float(end)).removesuffix(".0") for end in (self.low, self.high))


@dataclass(frozen=True, slots=True)
class Range:
    """A range that a subscription asks for; an end that is None or infinite is the attribute's limit, included."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    """The low end itself is left out; of an end that is missing there is nothing to leave out."""
    high_open: bool = False
    """The high end itself is left out, likewise."""


Asked = Range | tuple[float, float] | float
"""A range with its ends included may be a pair, a range of one value that value."""


class AttributeSpace:
    """The declared attributes, in a fixed order, and the checks of what is said about them."""

    def __init__(self, limits: Mapping[str, Limits | tuple[float, float]]) -> None:
        check_mapping("limits", limits, "must be a mapping from each attribute to its limits")
        self._limits = {name: _checked_limits(name, given) for name, given in limits.items()}
        self._places = {name: place for place, name in enumerate(self._limits)}

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
        except (KeyError, TypeError):  # what cannot be a key is no attribute either
            raise unknown_attribute(name, self._limits, NO_LIMITS) from None

    def place(self, name: str) -> int:
        """Return an attribute's place in the order."""
        try:
            return self._places[name]
        except (KeyError, TypeError):  # what cannot be a key is no attribute either
            raise unknown_attribute(name, self._limits, NO_LIMITS) from None

    def closed_range(self, name: str, asked: Asked) -> tuple[float, float]:
        """Return what is asked of an attribute as a range with both ends included, inside the limits."""
        limits = self[name]
        asked = _as_range(name, asked)
        low = -math.inf if asked.low is None else _number(f"{name} low", asked.low)
        high = math.inf if asked.high is None else _number(f"{name} high", asked.high)
        low_open, high_open = asked.low_open, asked.high_open
        if low > high:
            raise invalid(name, [low, high], "the range is turned round: low must not be above high")
        if low == -math.inf:
            low, low_open = limits.low, False
        if high == math.inf:
            high, high_open = limits.high, False
        for end, value in (("low", low), ("high", high)):
            _check_inside(f"{name} {end}", value, limits)
        return _closed(name, limits, Range(low, high, low_open, high_open))

    def value(self, name: str, value: float) -> float:
        """Return the value of an event's attribute, checked."""
        limits = self[name]
        number = _number(name, value)
        _check_inside(name, number, limits)
        if limits.whole and not number.is_integer():
            raise invalid(name, value, "must be a whole number")
        return number


def check_space(space: object) -> None:
    """Complain of what is no space."""
    if not isinstance(space, AttributeSpace):
        raise invalid("space", shown(space), "must be an AttributeSpace, as AttributeSpace(limits) or index.space")


def _checked_limits(name: str, given: Limits | tuple[float, float]) -> Limits:
    if not isinstance(name, str):
        raise invalid("limits", shown(name), "the name of an attribute must be a text")
    if not isinstance(given, Limits):
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise invalid(f"{name} limits", shown(given), "must be Limits or a pair: the low and the high one")
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


def _as_range(name: str, asked: Asked) -> Range:
    if isinstance(asked, Range):
        is_open = (_truth(f"{name} {end}", getattr(asked, end)) for end in ("low_open", "high_open"))
        return Range(asked.low, asked.high, *is_open)
    if _is_number(asked):
        number = _number(name, asked)
        if math.isinf(number):
            raise invalid(name, number, "must be a finite number, or a pair (low, high) with an end that is open")
        return Range(number, number)
    if not isinstance(asked, (tuple, list)) or len(asked) != 2:
        raise invalid(name, shown(asked), "must be a value, a pair (low, high) or a Range")
    return Range(*asked)


def _is_number(value: object) -> TypeGuard[float]:
    return not isinstance(value, bool) and isinstance(value, (float, int, Real, Decimal))


def _number(place: str, value: float) -> float:
    """Return a number as a float that is exactly it."""
    if not _is_number(value):
        raise invalid(place, shown(value), "must be a number")
    try:
        number = float(value)
    except OverflowError:
        raise invalid(place, shown(value), "must be a number that a 64-bit float holds exactly") from None
    except ValueError:  # a signalling NaN
        number = math.nan
    if math.isnan(number):
        raise invalid(place, number, "must be a number, not NaN")
    if number != value:
        raise invalid(place, shown(value), "must be a number that a 64-bit float holds exactly")
    return number + 0.0  # no minus zero


def _truth(place: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise invalid(place, shown(value), "must be true or false")
    return value


def _check_inside(place: str, value: float, limits: Limits) -> None:
    if not limits.low <= value <= limits.high:
        raise invalid(place, value, f"must be within its limits {limits}")


def _closed(name: str, limits: Limits, asked: Range) -> tuple[float, float]:
    """Move open ends to the next value and, where only whole numbers occur, ends between them inwards."""
    assert asked.low is not None
    assert asked.high is not None
    low, high = asked.low, asked.high
    if limits.whole:
        low = math.floor(low) + 1.0 if asked.low_open else float(math.ceil(low))
        high = math.ceil(high) - 1.0 if asked.high_open else float(math.floor(high))
    else:
        low = math.nextafter(low, math.inf) if asked.low_open else low
        high = math.nextafter(high, -math.inf) if asked.high_open else high
    if low > high:
        raise invalid(name, [asked.low, asked.high], "there is no value in this range")
    return low, high
