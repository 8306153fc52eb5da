"""The values that a claim allows a number: a band, the side that favours the paper, and the value of no effect."""

from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite

from roamcast.measuring.statistics import Interval
from roamcast.measuring.verdicts.words import Verdict


class Side(Enum):
    """A direction on the axis of a number."""

    ABOVE = 1
    BELOW = -1


@dataclass(frozen=True, slots=True)
class Band:
    """The range of values at which a claim is true, declared before the runs that judge it.

    With a favourable side, a number can also be better than claimed (*exceeded*). With a value of no effect as well, a
    number that falls short of the band can still go in the claimed direction (*weaker*). An inequality that the paper
    prints has no such value: there is no effect to be smaller than claimed, and short of the band it is contradicted.
    """

    low: float = -inf
    high: float = inf
    favours: Side | None = None
    """The side on which a number beyond the band is better than the paper says; None: either side is wrong."""
    no_effect: float | None = None
    """The value at which there would be nothing to claim: 1 for a ratio, 0 for a difference."""
    margin: float = 0.0
    """A value this near to a boundary counts as on the line: no affordable number of seeds may decide it."""
    is_log: bool = False
    """Whether the margin is one of the logarithm, as for ratios."""

    def __post_init__(self) -> None:
        """Refuse a value of no effect that the band itself allows: the claim would be about nothing."""
        if self.favours is not None and self.no_effect is not None:
            end = self.low if self.favours is Side.ABOVE else self.high
            if (self.no_effect - end) * self.favours.value > 0:
                raise ValueError(f"no effect at {self.no_effect:g} is inside the band or beyond it: {self}")

    def verdict(self, interval: Interval) -> Verdict:
        """Return the verdict on a number by its interval."""
        if self._is_inside(interval):
            return Verdict.HOLDS
        if self._is_beyond(interval):
            return Verdict.EXCEEDED
        if self.is_wrong(interval):
            return Verdict.CONTRADICTED
        if self.falls_short(interval) and self.is_direction_certain(interval):
            return Verdict.WEAKER
        return Verdict.UNDECIDED

    def passes(self, interval: Interval) -> bool:
        """Tell whether a number is certainly inside the band or beyond it on the favourable side."""
        low, high = interval
        return (self.favours is Side.ABOVE or self._is_below_end(high)) and (
            self.favours is Side.BELOW or self._is_above_end(low)
        )

    def falls_short(self, interval: Interval) -> bool:
        """Tell whether a number is certainly outside the band, and not on the favourable side."""
        low, high = interval
        return (high < self.low and self.favours is not Side.BELOW) or (
            low > self.high and self.favours is not Side.ABOVE
        )

    def is_wrong(self, interval: Interval) -> bool:
        """Tell whether a number is certainly on the wrong side: of no effect, if the claim has such a value."""
        if self.favours is None or self.no_effect is None:
            return self.falls_short(interval)
        low, high = interval
        return high < self.no_effect if self.favours is Side.ABOVE else low > self.no_effect

    def is_direction_certain(self, interval: Interval) -> bool:
        """Tell whether a number certainly differs from no effect in the claimed direction."""
        if self.favours is None or self.no_effect is None:
            return False
        low, high = interval
        return low > self.no_effect if self.favours is Side.ABOVE else high < self.no_effect

    def crossed(self, interval: Interval) -> list[float]:
        """Return the boundaries inside an interval, in order."""
        low, high = interval
        return [value for value in self._boundaries() if low <= value <= high]

    def is_on_the_line(self, value: float) -> bool:
        """Tell whether a value is within the declared margin of a boundary."""
        if not self.is_log:
            return any(abs(value - boundary) <= self.margin for boundary in self._boundaries())
        factor = 1 + self.margin
        return any(boundary / factor <= value <= boundary * factor for boundary in self._boundaries())

    def _is_inside(self, interval: Interval) -> bool:
        low, high = interval
        return self._is_above_end(low) and self._is_below_end(high)

    def _is_above_end(self, value: float) -> bool:
        """Compare with the lower end, which is allowed unless it means no effect."""
        return value > self.low if self.low == self.no_effect else value >= self.low

    def _is_below_end(self, value: float) -> bool:
        """Compare with the upper end, which is allowed unless it means no effect."""
        return value < self.high if self.high == self.no_effect else value <= self.high

    def _boundaries(self) -> list[float]:
        ends = {self.low, self.high, *([] if self.no_effect is None or self.favours is None else [self.no_effect])}
        return sorted(value for value in ends if isfinite(value))

    def _is_beyond(self, interval: Interval) -> bool:
        low, high = interval
        return (self.favours is Side.ABOVE and low > self.high) or (self.favours is Side.BELOW and high < self.low)

    def __str__(self) -> str:
        """Return the band in a few characters: "50 to 100", "at least 0.85", "above 1"."""
        if isfinite(self.low) and isfinite(self.high):
            return f"{_text(self.low)} to {_text(self.high)}"
        if not isfinite(self.low) and not isfinite(self.high):
            return "anything"
        is_strict = self.no_effect in (self.low, self.high)
        if isfinite(self.low):
            return f"{'above' if is_strict else 'at least'} {_text(self.low)}"
        return f"{'below' if is_strict else 'at most'} {_text(self.high)}"


def _text(value: float) -> str:
    """Write an end of a band to three digits: 0.833, 1,000,000."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def within(low: float, high: float) -> Band:
    """Return a band outside of which a number contradicts the claim, on either side."""
    return Band(low, high)


def at_least(value: float, no_effect: float | None = None) -> Band:
    """Return a band that a number must reach; short of it, it is weaker down to no effect."""
    return Band(low=value, favours=Side.ABOVE, no_effect=no_effect)


def at_most(value: float, no_effect: float | None = None) -> Band:
    """Return a band that a number must not exceed; beyond it, it is weaker up to no effect."""
    return Band(high=value, favours=Side.BELOW, no_effect=no_effect)


def above(value: float) -> Band:
    """Return the band of a comparison without a size: more than a value that means no effect."""
    return at_least(value, no_effect=value)


def below(value: float) -> Band:
    """Return the band of a comparison without a size: less than a value that means no effect."""
    return at_most(value, no_effect=value)


def factor(low: float, high: float = inf) -> Band:
    """Return the band of a factor that the paper gives as a range: below it weaker down to 1, above it exceeded."""
    return Band(low, high, Side.ABOVE, no_effect=1.0)
