"""Planned looks: judging the same claim several times as seeds are added, without naming a winner by chance.

A claim that is tested after every few seeds until it comes out one way will come out one way: about one time in four
for nothing. So the looks are planned, few and far apart, and each may err less, such that all of them together err in
less than 5 % of the cases. A look may err twice as often as the one before: ten seeds show little of a long tail, so
the early looks only decide what is clear (the idea of O'Brien and Fleming 1979).

A number that is settled at a look stays as it is, with the error of that look; further seeds go where something is
still open.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from roamcast.measuring.measurements import Measurements, PointName
from roamcast.measuring.verdicts.claim import Claim, Part
from roamcast.measuring.verdicts.finding import Finding, is_settled, verdict_on
from roamcast.measuring.verdicts.words import Verdict

UNSEEN_RUNS = 1.25
"""A share allows for so many more runs that reach nobody, or everybody, than its seeds show. A publisher that is alone
once in a hundred runs is easily missed by the first ten seeds. The interval then reaches down to the truth unless such
runs are so frequent that missing them all is unlikely. Without this, claims on shares of 0.97 would hold falsely in
half of all cases."""
SeedsOfPoint = Mapping[PointName, Collection[int]]


@dataclass(frozen=True, slots=True)
class Looks:
    """The numbers of seeds at which a claim is judged, and how often an interval at one of them may miss the truth."""

    seeds: tuple[int, ...] = (10, 30, 90, 270)
    errors: tuple[float, ...] = (0.003, 0.006, 0.012, 0.024)
    """Together 4 %, which leaves a point for intervals that are not exact: a printed share, say."""

    def __post_init__(self) -> None:
        if len(self.seeds) != len(self.errors):
            raise ValueError(f"{len(self.errors)} errors: must be one for each of the {len(self.seeds)} looks")

    def ranges(self, first_seed: int) -> list[range]:
        """Return the seeds of each look."""
        return [range(first_seed, first_seed + count) for count in self.seeds]


LOOKS = Looks()


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A claim after the looks that its seeds allow."""

    finding: Finding
    look: int
    """How many of the looks have been taken; 0 if there are not enough seeds for the first one."""
    wants: frozenset[PointName]
    """The points that need the seeds of the next look; none if the claim is decided or all looks have been taken."""


def look_at(
    claims: Sequence[Claim], measured: Measurements, made: SeedsOfPoint, first_seed: int, looks: Looks = LOOKS
) -> list[LookedAt]:
    """Judge claims at each look for which the runs have been made; ``made`` has the seeds of each point's runs."""
    tables = _Tables(measured, looks.ranges(first_seed))
    found = (_look_at_claim(claim, tables, made, looks) for claim in claims)
    return [each for each in found if each.finding.parts]


class _Tables:
    """The measurements of each look, made when they are first asked for."""

    def __init__(self, measured: Measurements, seeds: Sequence[range]) -> None:
        self._measured = measured
        self.seeds = [frozenset(each) for each in seeds]
        self._made: dict[int, Measurements] = {}

    def at(self, look: int) -> Measurements:
        """Return the measurements over the seeds of a look, counted from 0."""
        if look not in self._made:
            self._made[look] = self._measured.over(self.seeds[look])
        return self._made[look]


def _look_at_claim(claim: Claim, tables: _Tables, made: SeedsOfPoint, looks: Looks) -> LookedAt:
    first = Finding(claim, _measured(claim, tables, 0), looks.errors[0]).parts  # no two of one name
    parts = {part.label: part for part in first}
    wants = _points(first)
    number = 0
    for look, seeds in enumerate(tables.seeds):
        if not all(seeds.issubset(made.get(point, ())) for point in wants):
            break
        number = look + 1
        if look > 0:
            here = {part.label: part for part in _measured(claim, tables, look)}
            before, error = looks.errors[look - 1 : look + 1]
            judged = [part for part in parts.values() if part.is_judged]
            settled = {part.label: part for part in judged if is_settled(part, judged, before)}
            kept = {label: _settled_before(part, before / error) for label, part in settled.items()}
            parts = {**parts, **here, **kept}
        finding = Finding(claim, tuple(parts.values()), looks.errors[look])
        wants = _points(finding.open_parts()) if finding.is_open else frozenset()
        if not wants:
            break
    finding = Finding(claim, tuple(parts.values()), looks.errors[max(0, number - 1)])
    return LookedAt(finding, number, wants if number < len(looks.seeds) else frozenset())


def forecast(finding: Finding, look: int, looks: Looks) -> tuple[int, Verdict] | None:
    """Return the seeds and verdict of the look, among those left, that should decide an open claim; None if none."""
    is_open = {part.label for part in finding.open_parts()}
    for seeds, error in zip(looks.seeds[look:], looks.errors[look:], strict=True):
        parts = [
            part.with_seeds(seeds) if part.label in is_open else _settled_before(part, finding.error / error)
            for part in finding.parts
        ]
        verdict = verdict_on(parts, error)
        if verdict is not Verdict.UNDECIDED:
            return seeds, verdict
    return None


def _measured(claim: Claim, tables: _Tables, look: int) -> tuple[Part, ...]:
    """Return a claim's numbers at a look, with shares that allow for runs that no seed has shown."""
    return tuple(part.allowing(UNSEEN_RUNS) for part in claim.measure(tables.at(look)))


def _settled_before(part: Part, share: float) -> Part:
    """Return a number that was settled at the look before, which had this share of the error of today's."""
    return replace(part, error_share=part.error_share * share)


def _points(parts: Sequence[Part]) -> frozenset[PointName]:
    return frozenset(point for part in parts for point in part.points)
