"""Values over seeds with 95 % intervals by Student's t: means, ratios of sums, and paired comparisons of either.

Runs with one seed see the same movement and the same publications, so a comparison takes the seeds that both sides
have: what the movement does to both cancels out, and the interval is narrower than that of two separate values.

A value is a sum of amounts over a sum of bases. With bases of 1 it is the mean. With deliveries for bases it is the
number of frames for each delivery of all seeds together, where a seed with few deliveries weighs little and one with
none still counts its frames; the mean of each seed's own ratio would leave such a seed out. A seed moves the value R by
``(amount - R * base) / mean base`` (the delta method), and those movements have a standard error.

Intervals stay where values are possible:

- A value with two bounds, a share say, has two intervals to choose between. One is Student's on the logit scale; it
  trusts the seeds to show how far they vary. The other trusts nothing: it is that of seeds which are all or nothing
  (``all_or_nothing``), as wide as any distribution can need. Seeds at a bound do not show how far they vary, nor does
  a single one off it: (1, 1, 1, 1, 0.999) says hardly more than five times 1. For a value ``m`` away from its nearer
  bound, with the standard error ``e``, ``(m / e)^2`` is about the number of seeds off the bound. Up to 1 the interval
  is the wide one, from 4 on it is Student's, and in between its ends pass from one to the other. It never exceeds the
  wide one, which Student's would with two or three seeds. So an interval far from a bound can be narrower than one at
  it: there the seeds show their scale, here they do not.
- A value with one bound, a time or a count, and a ratio of such values have their interval on the log scale, while the
  plain interval does not touch the bound. Where it does, the logarithm of a value that is so uncertain is of no use
  (two seeds would give a factor of hundreds), and the plain interval is cut at the bound instead.
- A difference has the plain interval, cut where no difference can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, isfinite, sqrt
from typing import NamedTuple

from roamcast.measuring.all_or_nothing import all_or_nothing_interval


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


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of the mean of some values; None if there is one only."""
    count = len(values)
    if count < 2:
        return None
    mean = fsum(values) / count
    return sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1)) / sqrt(count)


@dataclass(frozen=True, slots=True)
class _Moved:
    """A value, and how far each seed moves it."""

    value: float
    movements: Sequence[float]

    @property
    def margin(self) -> float | None:
        """Return half of the plain 95 % interval; None with one seed."""
        error = standard_error(self.movements)
        return None if error is None else t_quantile(len(self.movements) - 1) * error


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
        return _share_interval(found, margin, bounds)
    if bounds.low < value - margin and isfinite(bounds.low):
        factor = exp(margin / (value - bounds.low))
        return bounds.low + (value - bounds.low) / factor, bounds.low + (value - bounds.low) * factor
    return _cut_interval(found, bounds)


def _share_interval(found: _Moved, margin: float, bounds: Bounds) -> Interval:
    """Return the interval of a value between two bounds, as this module's docstring says."""
    value, width, seeds = found.value, bounds.high - bounds.low, len(found.movements)
    share = (value - bounds.low) / width
    room, error = min(share, 1 - share), margin / width / t_quantile(seeds - 1)
    off_bound = 0.0 if room < ROOM_MIN else inf if error == 0 else (room / error) ** 2
    trust = min(1.0, max(0.0, (off_bound - OFF_BOUND_NONE) / (OFF_BOUND_ENOUGH - OFF_BOUND_NONE)))
    low, high = 0.0, 1.0
    if trust < 1 or margin / width > sqrt(share * (1 - share) / seeds):  # else the wide interval is wider for certain
        low, high = all_or_nothing_interval(share, seeds)
    if trust > 0:
        own_low, own_high = _logit_interval(share, margin / width)
        low, high = low + trust * max(0.0, own_low - low), high - trust * max(0.0, high - own_high)
    return max(bounds.low, min(bounds.low + width * low, value)), min(
        bounds.high, max(bounds.low + width * high, value)
    )


def _logit_interval(share: float, margin: float) -> Interval:
    """Return Student's interval of a share on the logit scale, from half of the plain one."""
    factor = exp(min(margin / (share * (1 - share)), EXPONENT_MAX))
    return share / (share + (1 - share) * factor), share / (share + (1 - share) / factor)


ROOM_MIN = 1e-9
"""A share that is nearer to its bound is at it: the rest is rounding."""
OFF_BOUND_NONE, OFF_BOUND_ENOUGH = 1.0, 4.0
"""With so many seeds off the bound, how far seeds vary is not known at all, and well enough for Student's t."""
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
