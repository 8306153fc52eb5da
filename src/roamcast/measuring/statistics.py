"""Values over seeds with 95 % intervals by Student's t: means, ratios of sums, and paired comparisons of either.

Runs with one seed see the same movement and the same publications, so a comparison takes the seeds that both sides
have: what the movement does to both cancels out, and the interval is narrower than that of two separate values.

A value is a sum of amounts over a sum of bases. With bases of 1 it is the mean. With deliveries for bases it is the
number of frames for each delivery of all seeds together, where a seed with few deliveries weighs little and one with
none still counts its frames; the mean of each seed's own ratio would leave such a seed out. The interval is the delta
method's: a seed moves the value R by ``(amount - R * base) / mean base``, and those movements have a standard error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from roamcast.measuring.student_t import t_quantile


class Sample(NamedTuple):
    """What one seed adds to a value."""

    seed: int
    amount: float
    base: float = 1.0
    """What the amount is counted over: 1 for a mean."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with half the width of its 95 % interval; None with one seed."""

    mean: float
    half_width_95: float | None
    seeds: int


def pooled(samples: Sequence[Sample]) -> Estimate | None:
    """Return the sum of the amounts over the sum of the bases; None where there is nothing to divide by."""
    return combined([(1.0, samples)])


def difference(samples: Sequence[Sample], less: Sequence[Sample]) -> Estimate | None:
    """Return by how much one value exceeds another, over the seeds that both have."""
    return combined([(1.0, samples), (-1.0, less)])


def combined(terms: Sequence[tuple[float, Sequence[Sample]]]) -> Estimate | None:
    """Return a sum of values, each with its factor, over the seeds that all have."""
    found = [_moved(samples) for samples in _paired([samples for _, samples in terms])]
    known = [each for each in found if each is not None]
    if len(known) < len(found) or not found:
        return None
    factors = [factor for factor, _ in terms]
    value = sum(factor * each.value for factor, each in zip(factors, known, strict=True))
    movements = [
        sum(factor * movement for factor, movement in zip(factors, of_seed, strict=True))
        for of_seed in zip(*(each.movements for each in known), strict=True)
    ]
    return _estimate(value, movements)


def ratio(samples: Sequence[Sample], over: Sequence[Sample]) -> Estimate | None:
    """Return how many times another value one value is, over the seeds that both have; None if that is zero."""
    above, below = (_moved(each) for each in _paired([samples, over]))
    if above is None or below is None or below.value == 0:
        return None
    value = above.value / below.value
    movements = [(up - value * down) / below.value for up, down in zip(above.movements, below.movements, strict=True)]
    return _estimate(value, movements)


@dataclass(frozen=True, slots=True)
class _Moved:
    """A value, and how far each seed moves it."""

    value: float
    movements: Sequence[float]


def _moved(samples: Sequence[Sample]) -> _Moved | None:
    bases = sum(each.base for each in samples)
    if bases == 0:
        return None
    value, mean_base = sum(each.amount for each in samples) / bases, bases / len(samples)
    return _Moved(value, [(each.amount - value * each.base) / mean_base for each in samples])


def _paired(groups: Sequence[Sequence[Sample]]) -> list[list[Sample]]:
    """Return the samples of the seeds that all groups have, in the order of the seeds."""
    shared = set.intersection(*({each.seed for each in group} for group in groups))
    return [sorted(each for each in group if each.seed in shared) for group in groups]


def _estimate(value: float, movements: Sequence[float]) -> Estimate:
    seeds = len(movements)
    half_width = t_quantile(seeds - 1) * stdev(movements, fmean(movements)) / sqrt(seeds) if seeds > 1 else None
    return Estimate(value, half_width, seeds)
