"""A value over seeds together with each seed's pull on it, and arithmetic that keeps track of both.

A value is a sum of amounts over a sum of bases. With bases of 1 it is the mean. With deliveries for bases it is the
number of frames for each delivery of all seeds together, where a seed with few deliveries weighs little and one with
none still counts its frames; the mean of each seed's own ratio would leave such a seed out. A seed pulls the value R by
``(n - 1) * (amount - R * base) / (sum of the other bases)``: what leaving it out would change, ``n - 1`` times over
(Tukey's jackknife), so that for a mean it is the seed's distance from it. A seed with a large base draws the value
towards itself; measured from the value as it is, such a seed would seem to agree better than it does. The pulls of all
seeds have a standard error. Where bases differ, fewer seeds than there are decide the value: as many as Kish's (1965)
effective size of a weighted sample.

Any smooth formula of such values has a value and pulls of its own: those of its operands, each times the formula's
slope in it (the delta method). So ``cheap / dear`` or ``(one * other).log()`` is written as it is meant, and has the
right standard error, with what the operands share by their seeds cancelled out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt
from operator import mul
from typing import NamedTuple

ROUNDING = 1e-12
"""Values that differ by less than this share of their size differ by rounding alone."""


class Sample(NamedTuple):
    """A seed's contribution to a value."""

    seed: int
    amount: float
    base: float = 1.0
    """The number of cases that the amount is counted over: 1 for a mean."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A value, and how far each seed pulls it; operands of one formula are over the same seeds, in the same order."""

    value: float
    pulls: tuple[float, ...]
    evenness: float = 1.0
    """The share of the seeds that count: if a few have nearly all of the bases, the others hardly do."""

    @property
    def seeds(self) -> int:
        """Return the number of seeds."""
        return len(self.pulls)

    @property
    def standard_error(self) -> float | None:
        """Return the value's standard error; None with one seed, or if the others have neither amounts nor bases."""
        is_of_one = self.seeds * self.evenness <= 1.0 + ROUNDING and not any(self.pulls)
        return None if is_of_one else standard_error(self.pulls)

    @property
    def effective_seeds(self) -> float:
        """Return how many seeds with equal bases would say as much."""
        return effective_seeds(self.seeds, self.evenness)

    @property
    def skewness(self) -> float:
        """Return the skewness of the pulls: above 0 if the longer tail is above."""
        return skewness(self.pulls)

    def __add__(self, other: "Sampled | float") -> "Sampled":
        if not isinstance(other, Sampled):
            return self._through(self.value + other, 1.0)
        return self._with(other, self.value + other.value, 1.0, 1.0)

    def __sub__(self, other: "Sampled | float") -> "Sampled":
        return self + other * -1.0

    def __mul__(self, other: "Sampled | float") -> "Sampled":
        if not isinstance(other, Sampled):
            return self._through(self.value * other, other)
        return self._with(other, self.value * other.value, other.value, self.value)

    def __truediv__(self, other: "Sampled | float") -> "Sampled":
        if not isinstance(other, Sampled):
            return self * (1 / other)
        quotient = self.value / other.value
        return self._with(other, quotient, 1 / other.value, -quotient / other.value)

    def log(self) -> "Sampled":
        """Return the natural logarithm."""
        return self._through(log(self.value), 1 / self.value)

    def exp(self) -> "Sampled":
        """Return e to the power of this."""
        return self._through(exp(self.value), exp(self.value))

    def _through(self, value: float, slope: float) -> "Sampled":
        return Sampled(value, tuple(slope * pull for pull in self.pulls), self.evenness)

    def _with(self, other: "Sampled", value: float, slope: float, other_slope: float) -> "Sampled":
        pairs = zip(self.pulls, other.pulls, strict=True)
        pulls = tuple(slope * pull + other_slope * other_pull for pull, other_pull in pairs)
        return Sampled(value, pulls, min(self.evenness, other.evenness))


def sampled(samples: Sequence[Sample]) -> Sampled | None:
    """Return the sum of the amounts over the sum of the bases; None where there is nothing to divide by."""
    bases = [sample.base for sample in samples]
    total, count = sum(bases), len(samples)
    if total == 0:
        return None
    value = sum([sample.amount for sample in samples]) / total
    if min(bases) == max(bases):
        return Sampled(value, tuple([sample.amount / sample.base - value for sample in samples]))
    evenness = total**2 / count / sum([base**2 for base in bases])
    return Sampled(value, tuple([_pull(sample, value, total, count) for sample in samples]), evenness)


def _pull(sample: Sample, value: float, bases: float, count: int) -> float:
    others = bases - sample.base
    if others <= ROUNDING * bases:  # without this seed there is no value to compare with
        return (sample.amount - value * sample.base) * count / bases
    return (sample.amount - value * sample.base) * (count - 1) / others


def paired(groups: Sequence[Sequence[Sample]]) -> list[Sampled] | None:
    """Return a value for each group, all over the seeds that all groups have; None if one of them has no value.

    Runs with one seed see the same movement and the same publications. What these do to all groups cancels out in
    their comparison, whose interval is then narrower than that of separate values.
    """
    if not groups:
        return None
    shared = set.intersection(*({sample.seed for sample in group} for group in groups))
    found = [sampled(sorted(sample for sample in group if sample.seed in shared)) for group in groups]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


def average(values: Sequence[Sampled]) -> Sampled:
    """Return the mean of some values."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total / len(values)


def effective_seeds(seeds: int, evenness: float) -> float:
    """Return how many seeds with equal bases say as much; never fewer than the two that an interval needs."""
    return max(2.0, seeds * evenness)


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of the mean of some values; None if there is one only."""
    count = len(values)
    if count < 2:
        return None
    apart = _less_mean(values)
    return sqrt(_sum_of_products(apart, apart) / (count - 1)) / sqrt(count)


def correlation(values: Sequence[float], others: Sequence[float]) -> float:
    """Return how far values go up and down with others, from -1 to 1; 0 where one of them does not vary."""
    apart, others_apart = _less_mean(values), _less_mean(others)
    squares = [_sum_of_products(each, each) for each in (apart, others_apart)]
    scales = [_sum_of_products(each, each) for each in (values, others)]
    if any(square <= ROUNDING**2 * scale for square, scale in zip(squares, scales, strict=True)):
        return 0.0
    together = _sum_of_products(apart, others_apart)
    return max(-1.0, min(1.0, together / sqrt(squares[0]) / sqrt(squares[1])))


def _less_mean(values: Sequence[float]) -> list[float]:
    mean = fsum(values) / len(values)
    return [value - mean for value in values]


def _sum_of_products(values: Sequence[float], others: Sequence[float]) -> float:
    return fsum(map(mul, values, others))


def skewness(values: Sequence[float]) -> float:
    """Return the third moment about the mean over the cube of the standard deviation; 0 if all values are the same."""
    count = len(values)
    apart = _less_mean(values)
    scale = max(map(abs, apart))
    if scale == 0:
        return 0.0
    apart = [each / scale for each in apart]
    squares = [each * each for each in apart]
    variance = fsum(squares) / count
    return _sum_of_products(squares, apart) / count / (variance * sqrt(variance))
