"""Many subscriptions as a table with one row per range: the form in which they come from files and from Spark."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.matching._columns import as_array, as_floats, unmasked
from roamcast.matching._lines import Flags, Numbers
from roamcast.matching._rows import Rows
from roamcast.matching.attribute_space import AttributeSpace, Limits
from roamcast.matching.value_text import invalid

_COLUMNS = (
    ("subscription", "iu", "must be a column of whole numbers"),
    ("attribute", "iu", "must be a column of whole numbers"),
    ("low", "iuf", "must be a column of numbers"),
    ("high", "iuf", "must be a column of numbers"),
)
INSIDE = "must be within the attribute's limits"


@dataclass(frozen=True, slots=True)
class RangeTable:
    """Ranges with both ends inclusive; an infinite end is the attribute's limit."""

    subscription: npt.NDArray[np.int64]
    """The index of the range's subscription among the identifiers that the table comes with."""
    attribute: npt.NDArray[np.int64]
    """The index of the range's attribute in the space."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        for name, kinds, expected in _COLUMNS:
            column = _column(name, getattr(self, name), kinds, expected)
            if len(column) != len(self.subscription):
                raise invalid(f"ranges {name}", f"{len(column)} rows", f"must be {len(self.subscription)}")
            object.__setattr__(self, name, column)

    def problems(self, space: AttributeSpace) -> list[tuple[str, Flags]]:
        """Return each possible mistake, with a flag for every range that has it. The attributes must exist."""
        all_limits = [space[name] for name in space]
        low_limit = np.array([limits.low for limits in all_limits])[self.attribute]
        high_limit = np.array([limits.high for limits in all_limits])[self.attribute]
        low, high = (
            np.where(self.low == -np.inf, low_limit, self.low),
            np.where(self.high == np.inf, high_limit, self.high),
        )
        moved = self.bounded(space)
        order = np.lexsort((self.attribute, self.subscription))
        same = np.zeros(len(order), np.bool_)
        same[order[1:]] = (self.attribute[order[1:]] == self.attribute[order[:-1]]) & (
            self.subscription[order[1:]] == self.subscription[order[:-1]]
        )
        return [
            ("must be numbers, not NaN", np.isnan(self.low) | np.isnan(self.high)),
            ("must be numbers that a 64-bit float holds exactly", _inexact(self.low) | _inexact(self.high)),
            ("the range is reversed: low must not be above high", self.low > self.high),
            (INSIDE, (np.minimum(low, high) < low_limit) | (np.maximum(low, high) > high_limit)),
            ("there is no value in this range", moved.low > moved.high),
            ("the subscription has another range for this attribute", same),
        ]

    def bounded(self, space: AttributeSpace) -> "RangeTable":
        """Return the table with infinite ends replaced by limits, and ends between integers moved inwards.

        Only rows without ``problems`` may be used: an end just outside the limits may have been moved into them.
        """
        all_limits = [space[name] for name in space]
        lows, highs = np.array([limits.low for limits in all_limits]), np.array([limits.high for limits in all_limits])
        whole = np.array([limits.whole for limits in all_limits], np.bool_)[self.attribute]
        low = np.where(self.low == -np.inf, lows[self.attribute], self.low)
        high = np.where(self.high == np.inf, highs[self.attribute], self.high)
        with np.errstate(over="ignore"):  # a longer float, which ``problems`` reports
            low = np.where(whole, np.ceil(low), low).astype(np.float64) + 0.0
            high = np.where(whole, np.floor(high), high).astype(np.float64) + 0.0
        return RangeTable(self.subscription, self.attribute, low, high)

    def rows(self, space: AttributeSpace, count: int) -> Rows:
        """Return the table as sorted rows of ``count`` subscriptions, or raise an error about the first bad range."""
        for name, known in (("subscription", count), ("attribute", len(space))):
            column = getattr(self, name)
            is_wrong = (column < 0) | (column >= known)
            if is_wrong.any():
                first = int(np.argmax(is_wrong))
                expected = f"must be from 0 to {known - 1}: there are {known}"
                raise invalid(f"ranges row {first}: {name}", column[first], expected)
        for expected, is_wrong in self.problems(space):
            if is_wrong.any():
                first = int(np.argmax(is_wrong))
                name = space.names[int(self.attribute[first])]
                ends = [self.low[first].item(), self.high[first].item()]
                raise invalid(f"ranges row {first}: {name}", ends, explained(expected, space[name]))
        bounded = self.bounded(space)
        order: Numbers = np.lexsort((bounded.attribute, bounded.subscription))
        firsts = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(bounded.subscription, minlength=count), out=firsts[1:])
        return Rows(
            np.arange(count, dtype=np.int64),
            firsts,
            bounded.attribute[order].astype(np.int32),
            bounded.low[order],
            bounded.high[order],
        )


def _column(name: str, given: npt.ArrayLike, kinds: str, expected: str) -> npt.NDArray[Any]:
    where = f"ranges {name}"
    if _is_empty(given):
        return np.empty(0, np.float64 if "f" in kinds else np.int64)  # numpy takes an empty list for floats
    column = unmasked(where, as_array(where, given, kinds, expected))
    if column.ndim != 1:
        raise invalid(where, f"{column.ndim}-D {column.dtype}", expected)
    if "f" in kinds:
        # Numbers that are not exact as floats are kept as they were given, so that ``problems`` can report them.
        floats, inexact = as_floats(column)
        return column if inexact is not None or column.dtype.kind in "iu" else floats
    is_large = column > np.iinfo(np.int64).max
    if is_large.any():
        raise invalid(where, column[is_large][0], expected)
    return column.astype(np.int64)


def _inexact(ends: npt.NDArray[Any]) -> Flags:
    """Return which numbers are not exact as 64-bit floats."""
    inexact = as_floats(ends)[1]
    return np.zeros(len(ends), np.bool_) if inexact is None else inexact


def _is_empty(given: npt.ArrayLike) -> bool:
    return given.shape == (0,) if isinstance(given, np.ndarray) else isinstance(given, (list, tuple)) and not given


def explained(expected: str, limits: Limits) -> str:
    """Return the text of an expectation, with the limits if it is about them."""
    return f"{expected} {limits}" if expected == INSIDE else expected
