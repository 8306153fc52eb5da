"""The numbers that claims rest on: each has an interval at any error, and a forecast of it with more seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import hypot, isfinite, sqrt
from typing import Protocol, Self

from roamcast.measuring.statistics import (
    UNBOUNDED,
    Bounds,
    Interval,
    Sampled,
    bounded_interval,
    correlation,
    cut_interval,
    effective_seeds,
    finite_exp,
    trust_in_seeds,
)

PAPER_STEPS = 16
"""In so many steps the values that our seeds allow are gone through, to see if the paper's number can be tested."""
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

    def allowing(self, unseen: float) -> "Quantity":
        """Return the same number with shares that allow for so many runs at either bound that no seed has shown."""


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
    evenness: float = 1.0
    """The share of the seeds that count, likewise."""
    unseen: float = 0.0
    """How many more runs at either bound a share allows for than its seeds show."""

    @classmethod
    def of(cls, found: Sampled, bounds: Bounds = UNBOUNDED, *, is_difference: bool = False) -> Self:
        """Return a value over seeds."""
        return cls(
            found.value, found.standard_error, found.seeds, bounds, is_difference, found.skewness, found.evenness
        )

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""
        if self.standard_error is None:
            return None
        seeds = effective_seeds(self.seeds, self.evenness)
        if self.is_difference:
            return cut_interval(self.value, self.standard_error, seeds, self.bounds, error, self.skewness)
        return bounded_interval(
            self.value, self.standard_error, seeds, self.bounds, error, self.skewness, unseen=self.unseen
        )

    def plain_interval(self, error: float) -> Interval | None:
        """Return the interval that a sum takes it with: a time's is not on the log scale, whose ends do not cancel."""
        has_scale = isfinite(self.bounds.low) and isfinite(self.bounds.high)
        return self.interval(error) if has_scale else replace(self, is_difference=True).interval(error)

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same value with another number of seeds."""
        return replace(self, standard_error=_forecast(self.standard_error, self.seeds, seeds), seeds=seeds)

    def allowing(self, unseen: float) -> Self:
        """Allow for unseen runs."""
        return replace(self, unseen=unseen)


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum of values, a difference say, paired by seed.

    Its interval covers two. One is Student's over the pairs. The other is put together from the intervals of the terms
    and their correlation over seeds (Zou 2007): of a skewed time each term shows on which side its tail is, which the
    pairs hide. Near a bound the seeds do not show how far terms vary, nor how they go together (ten seeds that all
    deliver everything differ from each other by nothing, and prove little), so there the correlation counts for less.
    """

    total: Value
    terms: tuple[tuple[float, Value], ...]
    """Each value with its weight."""
    correlations: Mapping[tuple[int, int], float]
    """That of each pair of terms over seeds, by their places, the smaller one first."""

    @classmethod
    def of(cls, terms: Sequence[tuple[float, Sampled, Bounds]]) -> Self:
        """Return the sum of values, each with its weight and its bounds."""
        total = reduce(Sampled.__add__, (value * weight for weight, value, _ in terms))
        bounds = reduce(Bounds.plus, (bounds.times(weight) for weight, _, bounds in terms))
        return cls(
            Value.of(total, bounds, is_difference=True),
            tuple((weight, Value.of(value, bounds)) for weight, value, bounds in terms),
            {
                (one, other): correlation(terms[one][1].pulls, terms[other][1].pulls)
                for one, other in combinations(range(len(terms)), 2)
            },
        )

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
        if paired is None:
            return None
        below, above = self._arms(error)
        bounds = self.total.bounds
        return (
            max(bounds.low, min(paired[0], self.value - below)),
            min(bounds.high, max(paired[1], self.value + above)),
        )

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same sum with another number of seeds."""
        terms = tuple((weight, each.with_seeds(seeds)) for weight, each in self.terms)
        return replace(self, total=self.total.with_seeds(seeds), terms=terms)

    def allowing(self, unseen: float) -> Self:
        """Let each term allow for unseen runs."""
        return replace(self, terms=tuple((weight, each.allowing(unseen)) for weight, each in self.terms))

    def _arms(self, error: float) -> tuple[float, float]:
        """Return how far the interval reaches below and above the sum, from the intervals of the terms."""
        trust = min(trust_in_seeds(each.value, each.standard_error or 0.0, each.bounds) for _, each in self.terms)
        down, up = [], []
        for weight, each in self.terms:
            low, high = each.plain_interval(error) or (each.value, each.value)
            below, above = weight * (each.value - low), weight * (high - each.value)
            down.append(below if weight > 0 else above)
            up.append(above if weight > 0 else below)
        return self._together(down, trust), self._together(up, trust)

    def _together(self, arms: Sequence[float], trust: float) -> float:
        """Return the arm of the sum from those of the terms, which have their weights' signs."""
        shared = sum(arms[one] * arms[other] * each for (one, other), each in self.correlations.items())
        return sqrt(max(0.0, sum(arm * arm for arm in arms) + 2 * trust * shared))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio, or a mean of ratios, on the log scale: half and twice are equally far from 1."""

    log: float
    standard_error: float | None
    """That of the logarithm."""
    seeds: int
    skewness: float = 0.0
    """That of the seeds, on the log scale."""
    evenness: float = 1.0
    """The share of the seeds that count."""

    @classmethod
    def of(cls, log_ratio: Sampled) -> Self:
        """Return the ratio with this logarithm."""
        return cls(log_ratio.value, log_ratio.standard_error, log_ratio.seeds, log_ratio.skewness, log_ratio.evenness)

    @property
    def value(self) -> float:
        """Return the ratio."""
        return finite_exp(self.log)

    def interval(self, error: float) -> Interval | None:
        """Return the interval that misses the truth with this probability; None with one seed."""
        if self.standard_error is None:
            return None
        seeds = effective_seeds(self.seeds, self.evenness)
        low, high = cut_interval(self.log, self.standard_error, seeds, UNBOUNDED, error, self.skewness)
        return finite_exp(low), finite_exp(high)

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same ratio with another number of seeds."""
        return replace(self, standard_error=_forecast(self.standard_error, self.seeds, seeds), seeds=seeds)

    def allowing(self, unseen: float) -> Self:  # noqa: ARG002 - a ratio has no bound at which runs could be
        """Return the same ratio."""
        return self


@dataclass(frozen=True, slots=True)
class Deviation:
    """By how much a value exceeds the number that the paper printed, with the sampling errors of both.

    The paper's number is a mean over some runs, and would be another if it had drawn others. Where it states no error,
    its runs are taken to vary as ours do. If they varied more (one in twenty reached nobody, and one in a hundred of
    ours), the paper's luck may refute a claim.
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
        below, above = self.own.value - found[0], found[1] - self.own.value
        wider = sqrt(self.own.seeds / self.runs)  # the paper's number is subtracted, so its arms change sides
        most = self.own.bounds.high - self.own.bounds.low  # two values within bounds are no further apart
        low, high = self.value - hypot(below, wider * above), self.value + hypot(above, wider * below)
        return max(low, -most), min(high, most)

    def intervals_of_paper(self, error: float) -> tuple[Interval, ...]:
        """Return the intervals that the sampling error of the paper alone leaves: no seeds of ours make them narrower.

        They are those around values from the lowest to the highest that our seeds allow, and last around the present
        one. There are none while ours is the larger error: how far runs vary is then known too badly.
        """
        found = self.own.interval(error)
        if found is None or self.own.seeds < self.runs:
            return ()
        low, high = self.with_seeds(UNLIMITED).interval(error) or (self.value, self.value)
        span = found[1] - found[0]
        steps = [found[0] - self.own.value + span * index / PAPER_STEPS for index in range(PAPER_STEPS + 1)]
        return tuple((low + step, high + step) for step in (*steps, 0.0))

    def with_seeds(self, seeds: int) -> Self:
        """Forecast the same difference with another number of our seeds; the paper's runs stay as they are."""
        return replace(self, own=self.own.with_seeds(seeds))

    def allowing(self, unseen: float) -> Self:
        """Let ours allow for unseen runs, and so the paper's, which are taken to vary alike."""
        return replace(self, own=self.own.allowing(unseen))


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

    def allowing(self, unseen: float) -> Self:  # noqa: ARG002 - each case was judged by itself
        """Return the same share."""
        return self


def _forecast(standard_error: float | None, seeds: int, wanted: int) -> float | None:
    return None if standard_error is None else standard_error * sqrt(seeds / wanted)
