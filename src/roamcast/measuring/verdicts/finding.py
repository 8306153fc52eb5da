"""From a claim's numbers to its verdict.

A claim of many numbers holds if every one passes; that needs no correction, since a single number that is wrong would
undo it. It is contradicted if some number is on the wrong side after Holm's correction: of ten numbers that are all
right, one would otherwise look wrong in every fourth campaign.

A number that the paper printed has a sampling error of its own, which no seeds of ours reduce. Where that error alone
reaches across a boundary, wherever in our interval the truth lies, the paper made too few runs for the test, and the
claim is untestable.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.statistics import ERROR, Interval
from roamcast.measuring.verdicts.band import Band
from roamcast.measuring.verdicts.claim import Claim, Part
from roamcast.measuring.verdicts.quantity import Deviation
from roamcast.measuring.verdicts.words import Verdict

SEEDS_MAX = 100_000
"""Where even so many seeds would not decide a claim, no number is forecast."""
SEEDS_GROWTH = 1.1
"""The steps in which a forecast tries more seeds."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with what was measured."""

    claim: Claim
    parts: tuple[Part, ...]
    error: float = ERROR
    """How often an interval may miss the truth; less than 5 % where the claim is looked at more than once."""
    verdict: Verdict = field(init=False)

    def __post_init__(self) -> None:
        labels = [part.label for part in self.parts]
        if len(set(labels)) < len(labels):
            raise ValueError(f"{self.claim.name}: two numbers are called {max(labels, key=labels.count)!r}")
        verdict = Verdict.UNTESTABLE if self.claim.untestable else verdict_on(self.parts, self.error)
        object.__setattr__(self, "verdict", verdict)

    @property
    def judged(self) -> list[Part]:
        """Return the parts that the claim rests on."""
        return [part for part in self.parts if part.is_judged]

    @property
    def why_untestable(self) -> str:
        """Say what the paper lacks for a test: as the claim declares it, or because its own runs vary too much."""
        if self.claim.untestable or self.verdict is not Verdict.UNTESTABLE:
            return self.claim.untestable
        first, *others = self.decisive_parts()
        low, high = first.intervals_of_paper(self.error)[-1]
        runs = first.quantity.runs if isinstance(first.quantity, Deviation) else 0
        counted = "single run" if runs == 1 else f"{runs} runs"
        more = f" ({len(others)} more of its numbers likewise)" if others else ""
        return (
            f"the sampling error of the paper's own {counted} alone leaves {first.label} between {low:.2g} and "
            f"{high:.2g}, across the end of the band, however many seeds we add{more}"
        )

    @property
    def is_open(self) -> bool:
        """Tell whether more seeds could decide the claim."""
        return self.verdict is Verdict.UNDECIDED

    @property
    def has_direction(self) -> bool:
        """Tell whether a number that leaves the claim open has a value of no effect."""
        return any(
            part.band is not None and part.band.no_effect is not None for part in self.open_parts() or self.judged
        )

    @property
    def is_direction_certain(self) -> bool:
        """Tell whether every number that has a direction certainly goes in it."""
        bands = [(part.band, part.interval(self.error)) for part in self.judged]
        directed = [(band, interval) for band, interval in bands if band is not None and band.no_effect is not None]
        return bool(directed) and all(
            interval is not None and band.is_direction_certain(interval) for band, interval in directed
        )

    @property
    def is_on_the_line(self) -> bool:
        """Tell whether an undecided claim is so because of numbers within the declared margin of a boundary."""
        undecided = self.open_parts()
        return self.is_open and bool(undecided) and all(_is_near(part) for part in undecided)

    def open_parts(self) -> list[Part]:
        """Return the judged parts that further seeds could settle."""
        return [part for part in self.judged if not is_settled(part, self.judged, self.error)]

    def decisive_parts(self) -> list[Part]:
        """Return the judged parts that alone account for the verdict; none if all of them together do."""
        if self.verdict is Verdict.UNTESTABLE:
            return [part for part in self.judged if _is_untestable(part, len(self.judged), self.error)]
        if self.verdict is Verdict.UNDECIDED:
            return self.open_parts()
        if self.verdict in (Verdict.CONTRADICTED, Verdict.WEAKER):
            return [part for part in self.judged if part_verdict(part, self.error) is self.verdict]
        return []

    def forecast(self, error: float | None = None) -> tuple[int, Verdict] | None:
        """Return how many seeds in all should decide an undecided claim, and the verdict; None if no number would.

        ``error`` is how often the intervals may then miss the truth; None: as often as now.
        """
        if any(part.quantity is None or part.interval(self.error) is None for part in self.judged) or not self.judged:
            return None
        seeds = max(part.quantity.seeds for part in self.judged if part.quantity is not None)
        while seeds <= SEEDS_MAX:
            seeds = ceil(seeds * SEEDS_GROWTH)
            verdict = verdict_on([part.with_seeds(seeds) for part in self.judged], error or self.error)
            if verdict is not Verdict.UNDECIDED:
                return seeds, verdict
        return None


def part_verdict(part: Part, error: float = ERROR) -> Verdict:
    """Return the verdict on a number by itself."""
    interval = part.interval(error)
    return Verdict.UNDECIDED if interval is None or part.band is None else part.band.verdict(interval)


def verdict_on(parts: Sequence[Part], error: float = ERROR) -> Verdict:
    """Return the verdict on all numbers of a claim together."""
    judged = [part for part in parts if part.band is not None]
    if _after_holm(judged, error, Band.is_wrong):
        return Verdict.CONTRADICTED
    intervals = [(part.band, part.interval(error)) for part in judged]
    known = [(band, interval) for band, interval in intervals if band is not None and interval is not None]
    if len(known) < len(judged) or not judged:
        return Verdict.UNDECIDED
    if len(known) == 1:
        found = known[0][0].verdict(known[0][1])
        return _without_verdict(judged, error) if found is Verdict.UNDECIDED else found
    if all(band.passes(interval) for band, interval in known):
        exceeded = all(band.verdict(interval) is Verdict.EXCEEDED for band, interval in known)
        return Verdict.EXCEEDED if exceeded else Verdict.HOLDS
    goes_right = all(band.passes(interval) or band.is_direction_certain(interval) for band, interval in known)
    if goes_right and _after_holm(judged, error, Band.falls_short):
        return Verdict.WEAKER
    return _without_verdict(judged, error)


def _without_verdict(judged: Sequence[Part], error: float) -> Verdict:
    """Tell why none of the other words fits: further seeds are needed, or the paper's own runs leave it open."""
    is_hopeless = any(_is_untestable(part, len(judged), error) for part in judged)
    is_over = is_hopeless and all(is_settled(part, judged, error) for part in judged)
    return Verdict.UNTESTABLE if is_over else Verdict.UNDECIDED


def is_settled(part: Part, parts: Sequence[Part], error: float) -> bool:
    """Tell whether a number needs no further seeds: it passes, speaks against the claim after correction, or has to
    stay open because of the paper's own sampling error."""
    judged = [each for each in parts if each.is_judged]
    if part.band is None:
        return True
    corrected = part.interval(error / max(1, len(judged)))
    if corrected is None:
        return False
    if len(judged) > 1 and part.passes(error):
        return True
    return part.band.verdict(corrected) is not Verdict.UNDECIDED or _is_untestable(part, len(judged), error)


def _is_untestable(part: Part, count: int, error: float) -> bool:
    """Tell whether unlimited seeds would leave one of so many numbers open, neither passing nor certainly wrong."""
    plain, corrected = part.intervals_of_paper(error), part.intervals_of_paper(error / max(1, count))
    if part.band is None or not plain:
        return False
    is_ever_wrong = any(part.band.verdict(interval) is not Verdict.UNDECIDED for interval in corrected)
    return not is_ever_wrong and not any(part.band.passes(interval) for interval in plain)


def _after_holm(parts: Sequence[Part], error: float, is_against: Callable[[Band, Interval], bool]) -> list[Part]:
    """Return the parts that speak against a claim with Holm's correction for their number (Holm 1979)."""
    found: list[Part] = []
    remaining = list(parts)
    while remaining:
        intervals = [(part, part.interval(error / len(remaining))) for part in remaining]
        against = [
            part
            for part, interval in intervals
            if interval is not None and part.band is not None and is_against(part.band, interval)
        ]
        if not against:
            break
        found += against
        remaining = [part for part in remaining if part not in against]
    return found


def _is_near(part: Part) -> bool:
    return part.quantity is not None and part.band is not None and part.band.is_on_the_line(part.quantity.value)


def examine(claims: Sequence[Claim], measured: Measurements, error: float = ERROR) -> list[Finding]:
    """Check every claim whose measurements are there; the others are left out."""
    findings = (Finding(claim, tuple(claim.measure(measured)), error) for claim in claims)
    return [finding for finding in findings if finding.parts]
