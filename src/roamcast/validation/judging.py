"""Comparing our results with the reference's, with a verdict.

Our mean over seeds must lie in the reference's range over its seeds, or within 2 % of its mean if that is wider. A mean
that lies outside by less than three of its own standard errors may do so by chance and is undecided: more seeds will
decide it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean

from roamcast.measuring.statistics import standard_error
from roamcast.validation.cases import Case, Expectation

STANDARD_ERRORS = 3.0
"""With two, one of about twenty figures would sometimes be outside by chance."""
SEEDS_MIN = 5
"""With fewer seeds the standard error itself is too uncertain to decide anything."""


class Verdict(StrEnum):
    """The result of comparing our figure with the reference's."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    SHOWN = "see below"
    """Not judged."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Our measurement of one quantity of one case."""

    case: Case
    expectation: Expectation
    ours: tuple[float, ...]
    """The result for each seed."""
    theory: float | None

    @property
    def mean(self) -> float:
        """Return our mean over seeds."""
        return mean(self.ours)

    @property
    def standard_error(self) -> float | None:
        """Return the standard error of our mean, or None for a single seed."""
        return standard_error(self.ours)

    @property
    def allowed(self) -> tuple[float, float]:
        """Return the bounds for our mean."""
        return self.expectation.reference.allowed(self.expectation.tolerance)

    @property
    def verdict(self) -> Verdict:
        """Compare our mean with the bounds."""
        if not self.expectation.is_judged:
            return Verdict.SHOWN
        low, high = self.allowed
        outside = max(low - self.mean, self.mean - high)
        if outside <= 0:
            return Verdict.AGREES
        error = self.standard_error
        if error is None or len(self.ours) < SEEDS_MIN or outside < STANDARD_ERRORS * error:
            return Verdict.UNDECIDED
        return Verdict.DIFFERS


def judge(case: Case, runs: Sequence[Mapping[str, float]]) -> list[Finding]:
    """Return a finding for every quantity of a case that was run with several seeds."""
    return [
        Finding(
            case,
            expectation,
            tuple(float(run[expectation.quantity.name]) for run in runs if expectation.quantity.name in run),
            None if expectation.theory is None else expectation.theory(),
        )
        for expectation in case.expectations
    ]
