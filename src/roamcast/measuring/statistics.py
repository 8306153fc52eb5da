"""Values over seeds with 95 % intervals by Student's t: means, ratios of sums, and paired comparisons of either.

Runs with one seed see the same movement and the same publications, so a comparison takes the seeds that both sides
have: what the movement does to both cancels out, and the interval is narrower than that of two separate values.

A value is a sum of amounts over a sum of bases. With bases of 1 it is the mean. With deliveries for bases it is the
number of frames for each delivery of all seeds together, where a seed with few deliveries weighs little and one with
none still counts its frames; the mean of each seed's own ratio would leave such a seed out. A seed moves the value R by
``(amount - R * base) / mean base`` (the delta method), and those movements have a standard error.

Intervals stay where values are possible:

- A value with two bounds, a share say, has its interval on the logit scale. If every seed is at a bound, the standard
  error is zero and says nothing. Then the interval reaches as far as the truth may lie: of seeds that are 1 with
  probability p at most, n are all 1 with probability p^n at most, so 0.05^(1/n) is a lower limit with 95 % confidence
  whatever the distribution ("the rule of three").
- A value with one bound, a time or a count, and a ratio of such values have their interval on the log scale, while the
  plain interval does not touch the bound. Where it does, the logarithm of a value that is so uncertain is of no use
  (two seeds would give a factor of hundreds), and the plain interval is cut at the bound instead.
- A difference has the plain interval, cut where no difference can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, isfinite, sqrt
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


class Sample(NamedTuple):
    """A seed's contribution to a value."""

    seed: int
    amount: float
    base: float = 1.0
    """The number of cases that the amount is counted over: 1 for a mean."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the ends of its 95 % interval; None with one seed."""

    mean: float
    low: float | None
    high: float | None
    seeds: int


def pooled(samples: Sequence[Sample], bounds: Bounds = UNBOUNDED) -> Estimate | None:
    """Return the sum of the amounts over the sum of the bases; None where there is nothing to divide by."""
    found = _moved(samples)
    if found is None:
        return None
    return _estimate(found, _bounded_interval(found, bounds))


def difference(samples: Sequence[Sample], less: Sequence[Sample], bounds: Bounds = UNBOUNDED) -> Estimate | None:
    """Return by how much one value exceeds another, over the seeds that both have; ``bounds`` are those of a value."""
    return combined([(1.0, samples), (-1.0, less)], bounds.plus(bounds.times(-1.0)))


def combined(terms: Sequence[tuple[float, Sequence[Sample]]], bounds: Bounds = UNBOUNDED) -> Estimate | None:
    """Return a sum of values, each with its factor, over the seeds that all have; ``bounds`` are those of the sum."""
    found = [_moved(samples) for samples in _paired([samples for _, samples in terms])]
    known = [moved for moved in found if moved is not None]
    if len(known) < len(found) or not found:
        return None
    factors = [factor for factor, _ in terms]
    value = sum(factor * moved.value for factor, moved in zip(factors, known, strict=True))
    movements = [
        sum(factor * movement for factor, movement in zip(factors, of_seed, strict=True))
        for of_seed in zip(*(moved.movements for moved in known), strict=True)
    ]
    total = _Moved(value, movements)
    return _estimate(total, _cut_interval(total, bounds))


def ratio(samples: Sequence[Sample], over: Sequence[Sample]) -> Estimate | None:
    """Return the ratio of one value to another, over the seeds that both have; None if the other is zero.

    The ratio of the values tolerates seeds in which the other is zero; the mean of each seed's ratio would not.
    """
    above, below = (_moved(group) for group in _paired([samples, over]))
    if above is None or below is None or below.value == 0:
        return None
    value = above.value / below.value
    movements = [(up - value * down) / below.value for up, down in zip(above.movements, below.movements, strict=True)]
    found = _Moved(value, movements)
    return _estimate(found, _bounded_interval(found, NON_NEGATIVE if value >= 0 else UNBOUNDED))


@dataclass(frozen=True, slots=True)
class _Moved:
    """A value, and how far each seed moves it."""

    value: float
    movements: Sequence[float]

    @property
    def margin(self) -> float | None:
        """Return half of the plain 95 % interval; None with one seed."""
        seeds = len(self.movements)
        if seeds < 2:
            return None
        mean = fsum(self.movements) / seeds
        deviation = sqrt(fsum((movement - mean) ** 2 for movement in self.movements) / (seeds - 1))
        return t_quantile(seeds - 1) * deviation / sqrt(seeds)


def _moved(samples: Sequence[Sample]) -> _Moved | None:
    bases = sum(sample.base for sample in samples)
    if bases == 0:
        return None
    value, mean_base = sum(sample.amount for sample in samples) / bases, bases / len(samples)
    return _Moved(value, [(sample.amount - value * sample.base) / mean_base for sample in samples])


def _paired(groups: Sequence[Sequence[Sample]]) -> list[list[Sample]]:
    """Return the samples of the seeds that all groups have, in the order of the seeds."""
    shared = set.intersection(*({sample.seed for sample in group} for group in groups))
    return [sorted(sample for sample in group if sample.seed in shared) for group in groups]


Interval = tuple[float, float]


def _estimate(found: _Moved, interval: Interval | None) -> Estimate:
    low, high = (None, None) if interval is None else interval
    return Estimate(found.value, low, high, len(found.movements))


def _cut_interval(found: _Moved, bounds: Bounds) -> Interval | None:
    """Return the plain interval, cut at the bounds."""
    if found.margin is None:
        return None
    low, high = found.value - found.margin, found.value + found.margin
    return min(max(low, bounds.low), found.value), max(min(high, bounds.high), found.value)


def _bounded_interval(found: _Moved, bounds: Bounds) -> Interval | None:
    """Return the interval on the scale that the bounds ask for."""
    value, margin = found.value, found.margin
    if margin is None:
        return None
    if not bounds.low <= value <= bounds.high:  # rounding, or bounds that are not right
        return value - margin, value + margin
    if isfinite(bounds.low) and isfinite(bounds.high):
        return _logit_interval(found, margin, bounds)
    if bounds.low < value - margin and isfinite(bounds.low):
        factor = exp(margin / (value - bounds.low))
        return bounds.low + (value - bounds.low) / factor, bounds.low + (value - bounds.low) * factor
    return _cut_interval(found, bounds)


def _logit_interval(found: _Moved, margin: float, bounds: Bounds) -> Interval:
    value, width = found.value, bounds.high - bounds.low
    room = width * (1 - ERROR ** (1 / len(found.movements)))
    if value == bounds.low:
        return value, value + room
    if value == bounds.high:
        return value - room, value
    share = (value - bounds.low) / width
    factor = exp(min(margin / width / (share * (1 - share)), EXPONENT_MAX))
    low, high = (bounds.low + width * share / (share + (1 - share) * times) for times in (factor, 1 / factor))
    return max(bounds.low, min(low, value)), min(bounds.high, max(high, value))


ERROR = 0.05
"""How often an interval may miss the truth."""
EXPONENT_MAX = 700.0
"""Its power of e is still a number."""

QUANTILES_975 = (
    12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389,
    2.2009852, 2.1788128, 2.1603687, 2.1447867, 2.1314495, 2.1199053, 2.1098156, 2.1009220, 2.0930241, 2.0859634,
    2.0796138, 2.0738731, 2.0686576, 2.0638986, 2.0595386, 2.0555294, 2.0518305, 2.0484071, 2.0452296, 2.0422725,
)  # fmt: skip
"""The 97.5 % quantile of Student's t for 1 to 30 degrees of freedom, as in the usual tables with more digits."""
NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, which t approaches."""
EXPANSION: tuple[float, ...] = tuple(
    sum(factor * NORMAL_975**power for power, factor in terms.items()) / divisor
    for divisor, terms in (
        (1, {1: 1}),
        (4, {3: 1, 1: 1}),
        (96, {5: 5, 3: 16, 1: 3}),
        (384, {7: 3, 5: 19, 3: 17, 1: -15}),
        (92160, {9: 79, 7: 776, 5: 1482, 3: -1920, 1: -945}),
    )
)
"""The terms of the Cornish-Fisher expansion in 1/degrees (Abramowitz and Stegun, 26.7.5)."""


def t_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t: half of a 95 % interval is this many standard errors."""
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom: must be at least 1")
    if degrees <= len(QUANTILES_975):
        return QUANTILES_975[degrees - 1]
    return sum(term * (1 / degrees) ** power for power, term in enumerate(EXPANSION))
