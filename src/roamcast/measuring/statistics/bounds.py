"""The values that are possible for a quantity; intervals stay within them."""

from math import inf
from typing import NamedTuple


class Bounds(NamedTuple):
    """The lowest and the highest value that is possible."""

    low: float
    high: float

    def times(self, factor: float) -> "Bounds":
        """Return the bounds of such a value times a factor other than 0."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Bounds(low, high)

    def plus(self, other: "Bounds") -> "Bounds":
        """Return the bounds of the sum of such a value and another."""
        return Bounds(self.low + other.low, self.high + other.high)


UNBOUNDED = Bounds(-inf, inf)
NON_NEGATIVE = Bounds(0.0, inf)
SHARE = Bounds(0.0, 1.0)
