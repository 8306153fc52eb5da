"""Many subscriptions as a table with a row for each range: the form in which they come from files and from Spark."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import InvalidValueError
from roamcast.matching._match_kernels import Flags, Numbers
from roamcast.matching._rows import Rows
from roamcast.matching._shown import shown
from roamcast.matching.attribute_space import WHOLE_MAX, AttributeSpace

_COLUMNS = (
    ("subscription", "iu", "must be a column of whole numbers"),
    ("attribute", "iu", "must be a column of whole numbers"),
    ("low", "iuf", "must be a column of numbers"),
    ("high", "iuf", "must be a column of numbers"),
)


@dataclass(frozen=True, slots=True)
class RangeTable:
    """Ranges with both ends included; an infinite end is the attribute's limit."""

    subscription: npt.NDArray[np.int64]
    """The place of the range's subscription among the identifiers that the table comes with."""
    attribute: npt.NDArray[np.int64]
    """The place of the range's attribute in the space."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        for name, kinds, expected in _COLUMNS:
            column = _column(name, getattr(self, name), kinds, expected)
            if len(column) != len(self.subscription):
                raise InvalidValueError(f"ranges {name}", f"{len(column)} rows", f"must be {len(self.subscription)}")
            object.__setattr__(self, name, column)

    def problems(self, space: AttributeSpace) -> list[tuple[str, Flags]]:
        """Return what may be wrong with ranges, with those of which it is true. The attributes must exist."""
        limits = [space[name] for name in space]
        low_limit = np.array([each.low for each in limits])[self.attribute]
        high_limit = np.array([each.high for each in limits])[self.attribute]
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
            ("the range is turned round: low must not be above high", low > high),
            ("must be within the attribute's limits", (low < low_limit) | (high > high_limit)),
            ("there is no value in this range", moved.low > moved.high),
            ("the subscription has another range for this attribute", same),
        ]

    def bounded(self, space: AttributeSpace) -> "RangeTable":
        """Return the table with limits in the place of infinite ends, and ends between whole numbers moved inwards.

        Only what has no ``problems`` may be taken from it: an end just outside the limits may be moved into them.
        """
        limits = [space[name] for name in space]
        lows, highs = np.array([each.low for each in limits]), np.array([each.high for each in limits])
        whole = np.array([each.whole for each in limits], np.bool_)[self.attribute]
        low = np.where(self.low == -np.inf, lows[self.attribute], self.low)
        high = np.where(self.high == np.inf, highs[self.attribute], self.high)
        return RangeTable(
            self.subscription,
            self.attribute,
            np.where(whole, np.ceil(low), low).astype(np.float64) + 0.0,
            np.where(whole, np.floor(high), high).astype(np.float64) + 0.0,
        )

    def rows(self, space: AttributeSpace, count: int) -> Rows:
        """Return the table as rows of ``count`` subscriptions, sorted, or complain of the first bad range."""
        for name, places in (("subscription", count), ("attribute", len(space))):
            column = getattr(self, name)
            is_wrong = (column < 0) | (column >= places)
            if is_wrong.any():
                expected = f"must be one of {count} subscriptions and {len(space)} attributes"
                raise InvalidValueError(f"ranges {name}", column[is_wrong][0], expected)
        for expected, is_wrong in self.problems(space):
            if is_wrong.any():
                first = int(np.argmax(is_wrong))
                name = space.names[int(self.attribute[first])]
                ends = [self.low[first].item(), self.high[first].item()]
                raise InvalidValueError(f"ranges row {first}: {name}", ends, expected)
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
    try:
        column = np.asarray(given)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, among others
        raise InvalidValueError(f"ranges {name}", shown(given), expected) from None
    if column.ndim != 1 or not (column.dtype.kind in kinds or len(column) == 0):
        raise InvalidValueError(f"ranges {name}", f"{column.ndim}-D {column.dtype}", expected)
    if "f" not in kinds:
        is_large = column > np.iinfo(np.int64).max
        if is_large.any():
            raise InvalidValueError(f"ranges {name}", column[is_large][0], expected)
        return column.astype(np.int64)
    return column if len(column) else column.astype(np.float64)


def _inexact(ends: npt.NDArray[Any]) -> Flags:
    """Return which numbers a 64-bit float may not hold."""
    if ends.dtype.kind == "f":
        return np.asarray((ends.astype(np.float64) != ends) & ~np.isnan(ends))
    return np.asarray((ends > int(WHOLE_MAX)) | (ends < -int(WHOLE_MAX)))
