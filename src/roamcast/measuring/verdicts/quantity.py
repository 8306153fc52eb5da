"""The numbers that claims rest on: each has an interval at any error, and a forecast of it with more seeds."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Protocol, Self

from roamcast.measuring.statistics import (
    UNBOUNDED,
    Bounds,
    Interval,
    Sampled,
    bounded_interval,
    cut_interval,
    finite_exp,
    trust_in_seeds,
)

UNLIMITED = 1_000_000
"""So many seeds leave no sampling error that matters."""


class Quantity(Protocol):
    """A number with its uncertainty."""

    @property
    def value(self) -> float:
        """Return the number."""

    @property
    def seeds(self) -> int:
        """Return the number of seeds behind it."""

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""

    def with_seeds(self, seeds: int) -> "Quantity":
        """Forecast the same number with more or fewer seeds."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value, or a difference of values, on its own scale and within its bounds."""

    value: float
    standard_error: float | None
    seeds: int
    bounds: Bounds = UNBOUNDED
    is_difference: bool = False
    """A difference has the plain interval; a value one that its bounds shape."""
    skewness: float = 0.0
    """That of the seeds; it does not change with their number."""

    @classmethod
    def of(cls, found: Sampled, bounds: Bounds = UNBOUNDED, *, is_difference: bool = False) -> Self:
        """Return a value over seeds."""
        return cls(found.value, found.standard_error, found.seeds, bounds, is_difference, found.skewness)

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""
        if self.standard_error is None:
            return None
        shape = cut_interval if self.is_difference else bounded_interval
        return shape(self.value, self.standard_error, self.seeds, self.bounds, error, self.skewness)

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same value with another number of seeds."""
        return replace(self, standard_error=_forecast(self.standard_error, self.seeds, seeds), seeds=seeds)


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum of values, a difference say, paired by seed.

    Where the seeds show how far every term varies, the interval is Student's over the pairs. Near a bound they do not:
    ten seeds that all deliver everything differ from each other by nothing, and prove little. There, the interval is
    put together from those of the terms (Zou and Donner 2008), which knows nothing of pairs and is wider.
    """

    total: Value
    terms: tuple[tuple[float, Value], ...]
    """Each value with its weight."""

    @property
    def value(self) -> float:
        """Return the sum."""
        return self.total.value

    @property
    def seeds(self) -> int:
        """Return the number of seeds."""
        return self.total.seeds

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""
        paired = self.total.interval(error)
        trust = min((trust_in_seeds(each.value, each.standard_error or 0.0, each.bounds) for _, each in self.terms))
        if paired is None or trust == 1:
            return paired
        below, above = self._arms(error)
        low, high = min(paired[0], self.value - below), max(paired[1], self.value + above)
        bounds = self.total.bounds
        return (
            max(bounds.low, trust * paired[0] + (1 - trust) * low),
            min(bounds.high, trust * paired[1] + (1 - trust) * high),
        )

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same sum with another number of seeds."""
        terms = tuple((weight, each.with_seeds(seeds)) for weight, each in self.terms)
        return replace(self, total=self.total.with_seeds(seeds), terms=terms)

    def _arms(self, error: float) -> tuple[float, float]:
        """Return how far the interval reaches below and above the sum, from the intervals of the terms."""
        below = above = 0.0
        for weight, each in self.terms:
            low, high = each.interval(error) or (each.value, each.value)
            down, up = weight * (each.value - low), weight * (high - each.value)
            below += (down if weight > 0 else up) ** 2
            above += (up if weight > 0 else down) ** 2
        return sqrt(below), sqrt(above)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio, or a mean of ratios, on the log scale: half and twice are equally far from 1."""

    log: float
    standard_error: float | None
    """That of the logarithm."""
    seeds: int
    skewness: float = 0.0
    """That of the seeds, on the log scale."""

    @classmethod
    def of(cls, log_ratio: Sampled) -> Self:
        """Return the ratio with this logarithm."""
        return cls(log_ratio.value, log_ratio.standard_error, log_ratio.seeds, log_ratio.skewness)

    @property
    def value(self) -> float:
        """Return the ratio."""
        return finite_exp(self.log)

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""
        if self.standard_error is None:
            return None
        low, high = cut_interval(self.log, self.standard_error, self.seeds, UNBOUNDED, error, self.skewness)
        return finite_exp(low), finite_exp(high)

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same ratio with another number of seeds."""
        return replace(self, standard_error=_forecast(self.standard_error, self.seeds, seeds), seeds=seeds)


@dataclass(frozen=True, slots=True)
class Deviation:
    """By how much a value exceeds the number that the paper printed, with the sampling errors of both.

    The paper's number is a mean over some runs, and would be another if it had drawn others. Where it states no error,
    its runs are taken to vary as ours do.
    """

    own: Value
    printed: float
    runs: int
    """How many runs the paper averaged."""

    @property
    def value(self) -> float:
        """Return the difference."""
        return self.own.value - self.printed

    @property
    def seeds(self) -> int:
        """Return the number of our seeds."""
        return self.own.seeds

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""
        found = self.own.interval(error)
        if found is None:
            return None
        wider = sqrt(1 + self.own.seeds / self.runs)
        return self.value - wider * (self.own.value - found[0]), self.value + wider * (found[1] - self.own.value)

    def intervals_of_paper(self, error: float) -> tuple[Interval, ...]:
        """Return the intervals that the sampling error of the paper alone leaves: no seeds of ours make them narrower.

        They are those around the lowest and the highest value that our seeds allow, and around the present one. There
        are none while ours is the larger error: how far runs vary is then known too badly.
        """
        found = self.own.interval(error)
        if found is None or self.own.seeds < self.runs:
            return ()
        low, high = self.with_seeds(UNLIMITED).interval(error) or (self.value, self.value)
        steps = (found[0] - self.own.value, found[1] - self.own.value, 0.0)
        return tuple((low + step, high + step) for step in steps)

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same difference with another number of our seeds; the paper's runs stay as they are."""
        return replace(self, own=self.own.with_seeds(seeds))


@dataclass(frozen=True, slots=True)
class Share:
    """A share of cases, of which some are won, some lost and some open: it is at least that of the won ones."""

    low: float
    high: float
    seeds: int

    @property
    def value(self) -> float:
        """Return the middle."""
        return (self.low + self.high) / 2

    def interval(self, error: float) -> Interval:  # noqa: ARG002 - each case was judged by itself
        """Return the lowest and the highest share that is possible."""
        return self.low, self.high

    def with_seeds(self, seeds: int) -> Self:
        """Return the same share: which cases further seeds decide cannot be foretold."""
        return replace(self, seeds=seeds)


def _forecast(standard_error: float | None, seeds: int, wanted: int) -> float | None:
    return None if standard_error is None else standard_error * sqrt(seeds / wanted)
