"""Enough seeds and no more: decides which points need further seeds until their intervals are as narrow as requested.

Points that differ only in their protocol get the same seeds, so that their comparison stays paired. An interval shrinks
with the square root of the number of seeds, and that of a share at its bound, which grows in one direction only, with
the number itself. This tells how many more are needed, in a few rounds, since the spread itself is an estimate.
Stopping when an interval happens to be narrow makes it a little too narrow; with five or more
seeds at the start this is small compared with the interval. A point at which every run has failed gets no further
seeds: they would fail as well.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.core.errors import UserError
from roamcast.measuring.measurements import Measurement, Measurements, number_range

GROWTH_MAX = 3
"""A round multiplies the number of seeds by at most this: an estimate from few seeds may be far off."""
RESERVE = 1.02
"""At a bound the width falls a little more slowly than 1/n; without a reserve there would be a round for one seed."""
ONE_SIDED = 0.1
"""An interval is one-sided if its shorter arm is less than this part of half its width."""

Point = tuple[str, str]
"""A sweep and the labels of a point as JSON."""


@dataclass(frozen=True, slots=True)
class Precision:
    """A requested precision."""

    metric: str
    half_width_max: float
    """Half the width of the 95 % interval must be below this at every point."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The precision that was reached."""

    metric: str
    half_width_max: float
    points: int
    seeds_min: int
    seeds_max: int
    """The fewest and the most seeds of any point."""
    short: tuple[tuple[str, float | None], ...]
    """The points where the precision was not reached, with the half-width there."""
    failed: tuple[str, ...] = ()
    """The points at which every run failed."""

    def line(self, seeds_max_name: str = "seeds_max") -> str:
        """Return a one-line report; ``seeds_max_name`` is what the reader calls the limit on seeds."""
        if not self.failed:
            return self._widths("", seeds_max_name)
        lost = f"Every run failed at {len(self.failed)} of {self.points} points, which got no further seeds"
        return f"{self._widths('other ', seeds_max_name)} {lost}: {self.failed[0]}"

    def _widths(self, other: str, seeds_max_name: str) -> str:
        """Describe the intervals; ``other`` is put before "points" if some points have failed."""
        seeds = number_range((self.seeds_min, self.seeds_max))
        goal = f"{self.metric} within {self.half_width_max:g}"
        points = self.points - len(self.failed)
        if not points:
            return f"Precision: {goal} at no point."
        if not self.short:
            return f"Precision: {goal} at every {other}point, with {seeds} seeds."
        point, width = max(self.short, key=lambda short: float("inf") if short[1] is None else short[1])
        worst = "no interval" if width is None else f"{width:.3g}"
        return (
            f"Precision: {goal} not reached at {len(self.short)} of {points} {other}points with {seeds} seeds "
            f"({seeds_max_name}); the widest has {worst}: {point}"
        )


def more_runs(
    plan: Sequence[PlannedRun],
    measured: Measurements,
    goals: Sequence[Precision],
    seeds_max: int,
    failed: Collection[str] = (),
) -> list[PlannedRun]:
    """Return the runs with further seeds to make next; none if all points are precise or at the limit.

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
        points = {(run.sweep, run.point) for run in runs}
        found_at = [(goal, _measured(measured, goal.metric, point)) for point in points for goal in goals]
        wanted = max((_seeds_for(have, row, goal.half_width_max) for goal, row in found_at), default=have)
        if min(wanted, seeds_max) > have:
            found += _further(runs, min(wanted, seeds_max) - have)
    return found


def reached(
    plan: Sequence[PlannedRun], measured: Measurements, goals: Sequence[Precision], failed: Collection[str] = ()
) -> list[Reached]:
    """Return the precision that was reached for each goal."""
    hopeless = _hopeless(plan, failed)
    seeds: dict[Point, set[int]] = defaultdict(set)
    for run in plan:
        seeds[run.sweep, run.point].add(run.seed)
    counts = [len(point_seeds) for point_seeds in seeds.values()]
    results = []
    for goal in goals:
        widths = {
            point: _half_width(_measured(measured, goal.metric, point)) for point in seeds if point not in hopeless
        }
        short = tuple(
            (labels, width) for (_, labels), width in widths.items() if width is None or width >= goal.half_width_max
        )
        lost = tuple(sorted(labels for _, labels in hopeless))
        results.append(Reached(goal.metric, goal.half_width_max, len(seeds), min(counts), max(counts), short, lost))
    return results


def _hopeless(plan: Sequence[PlannedRun], failed: Collection[str]) -> set[Point]:
    """Return the points at which every run has failed."""
    alive = {(run.sweep, run.point) for run in plan if run.run_id not in failed}
    return {(run.sweep, run.point) for run in plan} - alive


def _group(run: PlannedRun) -> Point:
    labels = json.loads(run.point)
    labels.pop(PROTOCOL_KEY, None)
    return run.sweep, json.dumps(labels, sort_keys=True)


def _measured(measured: Measurements, metric: str, point: Point) -> Measurement | None:
    sweep, labels = point
    return measured.find(sweep, metric, json.loads(labels))


def _half_width(row: Measurement | None) -> float | None:
    """Return half of the width of a 95 % interval; None where there is none."""
    return None if row is None or row.low is None or row.high is None else (row.high - row.low) / 2


def _seeds_for(have: int, row: Measurement | None, width_max: float) -> int:
    """Return how many seeds will be enough, as far as those that there are can tell."""
    width = _half_width(row)
    if width is not None and width < width_max:
        return have
    most = GROWTH_MAX * have
    if row is None or width is None:
        return most
    # Limited before it is squared: divided by a tiny width, it may exceed any float.
    times = min(width / width_max, GROWTH_MAX)
    return max(have + 1, min(most, ceil(have * (RESERVE * times if _is_at_bound(row, width) else times**2))))


def _is_at_bound(row: Measurement, width: float) -> bool:
    """Tell whether an interval goes off in one direction only, as that of a share at its bound does."""
    ends = [end for end in (row.low, row.high) if end is not None]
    return min(abs(row.mean - end) for end in ends) < ONE_SIDED * width


def _further(runs: Sequence[PlannedRun], count: int) -> Iterator[PlannedRun]:
    """Yield every scenario of some points with new seeds, which follow the highest existing one.

    A point that lacks seeds which others have, because it counted as failed for a while, gets those as well.
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
            raise UserError(f"precision: no seeds can be added to {sweep}, whose points do not share their seeds")
        for seed in wanted:
            for run in scenarios.values() if seed not in known else ():
                yield replace(run, seed=seed, run_id=run_id(run.scenario_json, seed))
