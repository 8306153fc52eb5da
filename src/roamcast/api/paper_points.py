"""The points of a paper's sweeps, under all readings that are asked for, and the runs of any number of seeds there."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from roamcast.campaigns.paired_messages import MessagePair
from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.measuring.measurements import PointName, point_key
from roamcast.papers import Paper, Reading
from roamcast.papers.shared.readings import own_name, sweeps_under


@dataclass(frozen=True, slots=True)
class PaperPoints:
    """Every point that a paper's figures and claims need."""

    first_seed: int
    planned: Sequence[PlannedRun]
    """The runs with the seeds of the scale."""
    validities_s: Sequence[float]
    templates: Mapping[PointName, Sequence[PlannedRun]]
    """One run for each scenario of a point; a point may stand for several."""
    pairs: Mapping[str, MessagePair] = field(default_factory=dict)
    """The curves that are paired by message, by the name of their sweep."""

    @classmethod
    def of(cls, paper: Paper, scale: str, numbers: Collection[int], readings: Iterable[Reading]) -> "PaperPoints":
        """Return the points behind some figures, under some readings."""
        sweeps = [
            sweep
            for reading in readings
            for sweep in sweeps_under(paper, scale, reading)
            if set(sweep.figures) & set(numbers)
        ]
        runs = [run for sweep in sweeps for run in sweep.runs]
        templates: dict[PointName, dict[str, PlannedRun]] = defaultdict(dict)
        for run in runs:
            templates[place_of(run)].setdefault(run.scenario_json, run)
        validities_s = sorted({validity_s for sweep in sweeps for validity_s in sweep.validities_s})
        points = {place: tuple(each.values()) for place, each in templates.items()}
        pairs = {sweep.name: sweep.pair for sweep in sweeps if sweep.pair is not None}
        return cls(paper.first_seed_at(scale), runs, validities_s, points, pairs)

    def runs(self, seeds: Mapping[PointName, int]) -> list[PlannedRun]:
        """Return the runs with so many seeds at each point."""
        return [
            replace(template, seed=seed, run_id=run_id(template.scenario_json, seed))
            for place, count in seeds.items()
            for template in self.templates[place]
            for seed in range(self.first_seed, self.first_seed + count)
        ]


def place_of(run: PlannedRun) -> PointName:
    """Return the name of a run's point."""
    return run.sweep, point_key(json.loads(run.point))


def places_under(paper: Paper, places: Iterable[PointName], reading: Reading) -> dict[PointName, PointName]:
    """Return the points that a reading's claims see, by the names that the claims know them by.

    Those of sweeps that the reading changes come first; the others are the default's.
    """
    named = [(own_name(paper, sweep, reading), (sweep, point)) for sweep, point in places]
    own = {(name, place[1]): place for name, place in named if name is not None}
    changed = {sweep for sweep, _ in own}
    default = {place: place for name, place in named if own_name(paper, place[0], paper.readings[0]) == place[0]}
    return {**{place: place for place in default if place[0] not in changed}, **own}
