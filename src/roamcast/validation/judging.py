"""Ours beside theirs, with a verdict.

Our mean over seeds must lie in the reference's range over its seeds, or within 2 % of its mean where that is wider.
A mean that lies outside by less than three of its own standard errors may do so by chance, and is undecided: more
seeds decide it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import mean, stdev

from roamcast.validation.cases import Case, Expectation

STANDARD_ERRORS = 3.0
"""With two, one of some twenty figures would be outside by chance now and then."""
SEEDS_MIN = 5
"""The standard error that fewer seeds give is itself too uncertain to decide anything."""


class Verdict(StrEnum):
    """What our figure says of the reference's."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    SHOWN = "see below"
    """Not judged."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One quantity of one case, as we measured it."""

    case: Case
    expectation: Expectation
    ours: tuple[float, ...]
    """The outcome of every seed."""
    theory: float | None

    @property
    def mean(self) -> float:
        """Return our mean over seeds."""
        return mean(self.ours)

    @property
    def standard_error(self) -> float | None:
        """Return how uncertain our mean is; None: one seed does not tell."""
        return stdev(self.ours) / sqrt(len(self.ours)) if len(self.ours) > 1 else None

    @property
    def allowed(self) -> tuple[float, float]:
        """Return where our mean must lie."""
        return self.expectation.reference.allowed(self.expectation.tolerance)

    @property
    def verdict(self) -> Verdict:
        """Compare our mean with what is allowed."""
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
            each,
            tuple(float(run[each.quantity.name]) for run in runs if each.quantity.name in run),
            None if each.theory is None else each.theory(),
        )
        for each in case.expectations
    ]
