"""Many subscriptions as a table with a row for each range: the form in which they come from files and from Spark."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import InvalidValueError
from roamcast.matching._match_kernels import Flags, Numbers
from roamcast.matching._rows import Rows
from roamcast.matching.attribute_space import AttributeSpace


@dataclass(frozen=True, slots=True)
class RangeTable:
    """Ranges with both ends included; an infinite end is the attribute's limit."""

    subscription: npt.NDArray[np.int64]
    """The place of the range's subscription among the identifiers that the table comes with."""
    attribute: npt.NDArray[np.int64]
    """The place of the range's attribute in the space."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    def bounded(self, space: AttributeSpace) -> "RangeTable":
        """Return the table with limits in the place of infinite ends, and ends between whole numbers moved inwards."""
        limits = [space[name] for name in space]
        lows, highs = np.array([each.low for each in limits]), np.array([each.high for each in limits])
        whole = np.array([each.whole for each in limits], np.bool_)[self.attribute]
        low = np.where(self.low == -np.inf, lows[self.attribute], self.low)
        high = np.where(self.high == np.inf, highs[self.attribute], self.high)
        return RangeTable(
            self.subscription,
            self.attribute,
            np.where(whole, np.ceil(low), low) + 0.0,
            np.where(whole, np.floor(high), high) + 0.0,
        )

    def problems(self, space: AttributeSpace) -> list[tuple[str, Flags]]:
        """Return what may be wrong with ranges, with those of which it is true. The table must be bounded."""
        limits = [space[name] for name in space]
        low_limit = np.array([each.low for each in limits])[self.attribute]
        high_limit = np.array([each.high for each in limits])[self.attribute]
        order = np.lexsort((self.attribute, self.subscription))
        same = np.zeros(len(order), np.bool_)
        same[order[1:]] = (self.attribute[order[1:]] == self.attribute[order[:-1]]) & (
            self.subscription[order[1:]] == self.subscription[order[:-1]]
        )
        return [
            ("must be numbers, not NaN", np.isnan(self.low) | np.isnan(self.high)),
            ("must be within the attribute's limits", (self.low < low_limit) | (self.high > high_limit)),
            ("the range is turned round: low must not be above high", self.low > self.high),
            ("the subscription has another range for this attribute", same),
        ]

    def rows(self, space: AttributeSpace, count: int) -> Rows:
        """Return the table as rows of ``count`` subscriptions, sorted, or complain of the first bad range."""
        if len(self.subscription) and not (
            0 <= self.subscription.min() <= self.subscription.max() < count
            and 0 <= self.attribute.min() <= self.attribute.max() < len(space)
        ):
            raise InvalidValueError(
                "ranges", "a place", f"must be one of {count} subscriptions and {len(space)} attributes"
            )
        bounded = self.bounded(space)
        for expected, is_wrong in bounded.problems(space):
            if is_wrong.any():
                first = int(np.argmax(is_wrong))
                name = space.names[int(self.attribute[first])]
                raise InvalidValueError(name, [float(self.low[first]), float(self.high[first])], expected)
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
