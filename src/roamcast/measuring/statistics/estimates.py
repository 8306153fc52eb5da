"""Values over seeds with their intervals: means, ratios of sums, and paired comparisons of either."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roamcast.measuring.statistics.bounds import NON_NEGATIVE, UNBOUNDED, Bounds
from roamcast.measuring.statistics.intervals import Interval, bounded_interval, cut_interval
from roamcast.measuring.statistics.sampled import Sample, Sampled, paired, sampled


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the ends of its 95 % interval; None with one seed."""

    mean: float
    low: float | None
    high: float | None
    seeds: int


def pooled(samples: Sequence[Sample], bounds: Bounds = UNBOUNDED) -> Estimate | None:
    """Return the sum of the amounts over the sum of the bases; None where there is nothing to divide by."""
    found = sampled(samples)
    return None if found is None else _estimate(found, bounds, bounded_interval)


def difference(samples: Sequence[Sample], less: Sequence[Sample], bounds: Bounds = UNBOUNDED) -> Estimate | None:
    """Return by how much one value exceeds another, over the seeds that both have; ``bounds`` are those of a value."""
    values = paired([samples, less])
    if values is None:
        return None
    return _estimate(values[0] - values[1], bounds.plus(bounds.times(-1.0)), cut_interval)


def ratio(samples: Sequence[Sample], over: Sequence[Sample]) -> Estimate | None:
    """Return the ratio of one value to another, over the seeds that both have; None if the other is zero.

    The ratio of the values tolerates seeds in which the other is zero; the mean of each seed's ratio would not.
    """
    values = paired([samples, over])
    if values is None or values[1].value == 0:
        return None
    found = values[0] / values[1]
    return _estimate(found, NON_NEGATIVE if found.value >= 0 else UNBOUNDED, bounded_interval)


def _estimate(found: Sampled, bounds: Bounds, shape: Callable[..., Interval]) -> Estimate:
    error = found.standard_error
    if error is None:
        return Estimate(found.value, None, None, found.seeds)
    low, high = shape(found.value, error, found.effective_seeds, bounds, skewness=found.skewness)
    return Estimate(found.value, low, high, found.seeds)
