"""Enough seeds and no more: which points need further seeds before their intervals are as narrow as a person asked.

Points that differ in their protocol alone get the same seeds, so that their comparison stays paired. An interval
shrinks with the root of the number of seeds; that says how many more to take, in a few rounds, as the spread itself is
an estimate. Stopping when an interval happens to be narrow makes it a little too narrow; with five seeds or more at
the start that is small beside the interval. A point all of whose runs have failed gets no further seeds: they would
fail as well.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.core.errors import UserError
from roamcast.measuring.measurements import Measurements

GROWTH_MAX = 3
"""A round takes at most so many times the seeds: an estimate from few seeds may be far off."""
PROTOCOL = "protocol.name"

Point = tuple[str, str]
"""A sweep and the labels of a point as JSON."""


@dataclass(frozen=True, slots=True)
class Precision:
    """What a person asked for."""

    metric: str
    half_width_max: float
    """Half the width of the 95 % interval must be below this at every point."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What became of it."""

    metric: str
    half_width_max: float
    points: int
    seeds_min: int
    seeds_max: int
    """The fewest and the most seeds of any point."""
    short: tuple[tuple[str, float | None], ...]
    """The points where it was not reached, with the half-width there."""
    failed: tuple[str, ...] = ()
    """The points at which every run failed."""

    def line(self) -> str:
        """Say it in a line."""
        if not self.failed:
            return self._widths("")
        lost = f"Every run failed at {len(self.failed)} of {self.points} points, which got no further seeds"
        return f"{self._widths('other ')} {lost}: {self.failed[0]}"

    def _widths(self, other: str) -> str:
        """Say how narrow the intervals are; ``other`` is a word for the points that have one."""
        seeds = f"{self.seeds_min}" if self.seeds_min == self.seeds_max else f"{self.seeds_min} to {self.seeds_max}"
        what = f"{self.metric} within {self.half_width_max:g}"
        points = self.points - len(self.failed)
        if not points:
            return f"Precision: {what} at no point."
        if not self.short:
            return f"Precision: {what} at every {other}point, with {seeds} seeds."
        where, worst = max(self.short, key=lambda each: float("inf") if each[1] is None else each[1])
        found = "no interval" if worst is None else f"{worst:.3g}"
        return (
            f"Precision: {what} not reached at {len(self.short)} of {points} {other}points with {seeds} seeds "
            f"(--seeds-max); the widest has {found}: {where}"
        )


def more_runs(
    plan: Sequence[PlannedRun],
    measured: Measurements,
    asked: Sequence[Precision],
    seeds_max: int,
    failed: Collection[str] = (),
) -> list[PlannedRun]:
    """Return the runs with further seeds that are needed next; none when all is precise or at the limit.

    ``failed`` are the identifiers of runs without a result.
    """
    hopeless = _hopeless(plan, failed)
    groups: dict[Point, list[PlannedRun]] = defaultdict(list)
    for run in plan:
        if (run.sweep, run.point) not in hopeless:
            groups[_group(run)].append(run)
    found: list[PlannedRun] = []
    for runs in groups.values():
        have = len({run.seed for run in runs})
        places = {(run.sweep, run.point) for run in runs}
        widths = [(each, _half_width(measured, each.metric, place)) for place in places for each in asked]
        wanted = max((_seeds_for(have, width, each.half_width_max) for each, width in widths), default=have)
        if min(wanted, seeds_max) > have:
            found += _further(runs, min(wanted, seeds_max) - have)
    return found


def reached(
    plan: Sequence[PlannedRun], measured: Measurements, asked: Sequence[Precision], failed: Collection[str] = ()
) -> list[Reached]:
    """Return how precise everything is in the end."""
    hopeless = _hopeless(plan, failed)
    seeds: dict[Point, set[int]] = defaultdict(set)
    for run in plan:
        seeds[run.sweep, run.point].add(run.seed)
    counts = [len(each) for each in seeds.values()]
    ends = []
    for each in asked:
        widths = {place: _half_width(measured, each.metric, place) for place in seeds if place not in hopeless}
        short = tuple(
            (place[1], width) for place, width in widths.items() if width is None or width >= each.half_width_max
        )
        lost = tuple(sorted(point for _, point in hopeless))
        ends.append(Reached(each.metric, each.half_width_max, len(seeds), min(counts), max(counts), short, lost))
    return ends


def _hopeless(plan: Sequence[PlannedRun], failed: Collection[str]) -> set[Point]:
    """Return the points all of whose runs have failed."""
    alive = {(run.sweep, run.point) for run in plan if run.run_id not in failed}
    return {(run.sweep, run.point) for run in plan} - alive


def _group(run: PlannedRun) -> Point:
    labels = json.loads(run.point)
    labels.pop(PROTOCOL, None)
    return run.sweep, json.dumps(labels, sort_keys=True)


def _half_width(measured: Measurements, metric: str, place: Point) -> float | None:
    """Return half of the width of a 95 % interval; None where there is none."""
    found = measured.find(place[0], metric, json.loads(place[1]))
    return None if found is None or found.low is None or found.high is None else (found.high - found.low) / 2


def _seeds_for(have: int, width: float | None, width_max: float) -> int:
    if width is not None and width < width_max:
        return have
    most = GROWTH_MAX * have
    if width is None:
        return most
    # Cut before it is squared: beside a tiny width it may be more than any number.
    return max(have + 1, min(most, ceil(have * min(width / width_max, GROWTH_MAX) ** 2)))


def _further(runs: Sequence[PlannedRun], count: int) -> Iterator[PlannedRun]:
    """Yield every scenario of some points with new seeds, those after the highest that is there.

    A point that lacks seeds which others have, because it was given up for a while, gets these as well.
    """
    seeds = {run.seed for run in runs}
    wanted = [*sorted(seeds), *range(max(seeds) + 1, max(seeds) + 1 + count)]
    points: dict[Point, list[PlannedRun]] = defaultdict(list)
    for run in runs:
        points[run.sweep, run.point].append(run)
    for (sweep, _), own in points.items():
        known = {run.seed for run in own}
        scenarios = {run.scenario_json: run for run in own}
        if len(scenarios) * len(known) != len({(run.scenario_json, run.seed) for run in own}):
            raise UserError(f"--precision: no seeds can be added to {sweep}, whose points do not share their seeds")
        for seed in wanted:
            for run in scenarios.values() if seed not in known else ():
                yield replace(run, seed=seed, run_id=run_id(run.scenario_json, seed))
