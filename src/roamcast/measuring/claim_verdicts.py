"""Claims: what a paper says, as checks on a measured table, each with its tolerance.

The verdict looks at the whole 95 % interval. Inside what the claim allows: reproduced. Outside: not reproduced.
Across the border, or with a single seed: undecided at this scale.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, isfinite, isnan, nan

from roamcast.measuring.measurements import Measurements


class Verdict(StrEnum):
    """The outcome of comparing a claim with the measurement."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Part:
    """One number that a claim rests on, and the range that the claim allows it."""

    label: str
    mean: float
    low: float | None
    """Where the 95 % interval begins; None: one seed."""
    high: float | None
    """Where it ends."""
    at_least: float = -inf
    at_most: float = inf

    @classmethod
    def missing(cls, label: str) -> "Part":
        """Return a part that the claim needs and that was not measured; it leaves the claim open."""
        return cls(f"{label}, not measured", nan, None, None)

    @property
    def is_judged(self) -> bool:
        """Say whether the claim rests on it; a value without any limit is only shown."""
        return isnan(self.mean) or isfinite(self.at_least) or isfinite(self.at_most)

    @property
    def verdict(self) -> Verdict:
        """Compare the interval with what is allowed."""
        if self.low is None or self.high is None:
            return Verdict.UNDECIDED
        if self.at_least <= self.low and self.high <= self.at_most:
            return Verdict.REPRODUCED
        if self.high < self.at_least or self.low > self.at_most:
            return Verdict.NOT_REPRODUCED
        return Verdict.UNDECIDED


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper that can be true or false of our measurements."""

    name: str
    where: str
    """The paper's section or figure."""
    statement: str
    """The claim, in our words."""
    tolerance: str
    """How near is near enough, and why."""
    figures: tuple[int, ...]
    """The figures whose sweeps the claim needs."""
    measure: Callable[[Measurements], Sequence[Part]]
    remark: str = ""
    """Why the claim does not reproduce, as far as we know; shown only where it does not."""
    choice: str = ""
    """A choice of ours that the measured value rests on; shown whatever the verdict."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with what was measured."""

    claim: Claim
    parts: tuple[Part, ...]

    @property
    def verdict(self) -> Verdict:
        """Return the verdict: one part that fails fails the claim, one that is open leaves it open."""
        verdicts = {part.verdict for part in self.parts if part.is_judged}
        for verdict in (Verdict.NOT_REPRODUCED, Verdict.UNDECIDED, Verdict.REPRODUCED):
            if verdict in verdicts:
                return verdict
        return Verdict.UNDECIDED


def examine(claims: Sequence[Claim], measured: Measurements) -> list[Finding]:
    """Check every claim whose measurements are there; the others are left out."""
    findings = (Finding(claim, tuple(claim.measure(measured))) for claim in claims)
    return [finding for finding in findings if finding.parts]
