"""Enough seeds and no more: which points need further seeds before their intervals are as narrow as a person asked.

Points that differ in their protocol alone get the same seeds, so that their comparison stays paired. An interval
shrinks with the root of the number of seeds; that says how many more to take, in a few rounds, as the spread itself is
an estimate. Stopping when an interval happens to be narrow makes it a little too narrow; with five seeds or more at
the start that is small beside the interval.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from roamcast.core.errors import UserError
from roamcast.experiments.measurements import Measurements
from roamcast.experiments.plan import PlannedRun, run_id

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

    def line(self) -> str:
        """Say it in a line."""
        seeds = f"{self.seeds_min}" if self.seeds_min == self.seeds_max else f"{self.seeds_min} to {self.seeds_max}"
        what = f"{self.metric} within {self.half_width_max:g}"
        if not self.short:
            return f"Precision: {what} at every point, with {seeds} seeds."
        where, worst = max(self.short, key=lambda each: float("inf") if each[1] is None else each[1])
        found = "no interval" if worst is None else f"{worst:.3g}"
        return (
            f"Precision: {what} not reached at {len(self.short)} of {self.points} points with {seeds} seeds "
            f"(--seeds-max); the widest has {found}: {where}"
        )


def more_runs(
    plan: Sequence[PlannedRun], measured: Measurements, asked: Sequence[Precision], seeds_max: int
) -> list[PlannedRun]:
    """Return the runs with further seeds that are needed next; none when all is precise or at the limit."""
    groups: dict[Point, list[PlannedRun]] = defaultdict(list)
    for run in plan:
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


def reached(plan: Sequence[PlannedRun], measured: Measurements, asked: Sequence[Precision]) -> list[Reached]:
    """Return how precise everything is in the end."""
    seeds: dict[Point, set[int]] = defaultdict(set)
    for run in plan:
        seeds[run.sweep, run.point].add(run.seed)
    counts = [len(each) for each in seeds.values()]
    ends = []
    for each in asked:
        widths = {place: _half_width(measured, each.metric, place) for place in seeds}
        short = tuple(
            (place[1], width) for place, width in widths.items() if width is None or width >= each.half_width_max
        )
        ends.append(Reached(each.metric, each.half_width_max, len(seeds), min(counts), max(counts), short))
    return ends


def _group(run: PlannedRun) -> Point:
    labels = json.loads(run.point)
    labels.pop(PROTOCOL, None)
    return run.sweep, json.dumps(labels, sort_keys=True)


def _half_width(measured: Measurements, metric: str, place: Point) -> float | None:
    found = measured.find(place[0], metric, json.loads(place[1]))
    return found.half_width_95 if found is not None else None


def _seeds_for(have: int, width: float | None, width_max: float) -> int:
    if width is not None and width < width_max:
        return have
    most = GROWTH_MAX * have
    return most if width is None else max(have + 1, min(most, ceil(have * (width / width_max) ** 2)))


def _further(runs: Sequence[PlannedRun], count: int) -> Iterator[PlannedRun]:
    """Yield every scenario of some points with new seeds, those after the highest that is there."""
    seeds = {run.seed for run in runs}
    scenarios = {(run.sweep, run.point, run.scenario_json): run for run in runs}
    if len(scenarios) * len(seeds) != len({(run.sweep, run.point, run.scenario_json, run.seed) for run in runs}):
        raise UserError(f"--precision: no seeds can be added to {runs[0].sweep}, whose points do not share their seeds")
    first = max(seeds) + 1
    for seed in range(first, first + count):
        for run in scenarios.values():
            yield replace(run, seed=seed, run_id=run_id(run.scenario_json, seed))
