"""The first look at every point of a paper: which of its runs are missing, what they cost, and which come first.

One run of each protocol tells what the others will cost. Then the points of the cheapest claims come first.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from roamcast.api.paper_points import PaperPoints, places_under
from roamcast.api.paper_request import PaperRequest
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.cores import core_count
from roamcast.campaigns.run_costs import learnt_costs
from roamcast.measuring.measurements import PointName


class FirstLooks:
    """The runs of every point's first look: what is missing of them, what that costs, and what of it comes first."""

    def __init__(self, request: PaperRequest, points: PaperPoints, seeds: int) -> None:
        self._points = points
        self._seeds = seeds
        self._folder = CampaignFolder(request.folder.absolute())
        self._runs = {place: points.runs({place: seeds}) for place in points.templates}
        figures = {sweep.name: set(sweep.figures) for sweep in request.paper.sweeps(request.scale)}
        self._needs: dict[tuple[str, str], frozenset[PointName]] = {}
        for reading in request.readings:
            places = places_under(request.paper, points.templates, reading)
            for claim in request.claims:
                sweeps = claim.sweeps or [name for name, drawn in figures.items() if drawn & set(claim.figures)]
                needs = (place for (sweep, _), place in places.items() if sweep in sweeps)
                self._needs[reading.name, claim.name] = frozenset(needs)

    def made(self) -> dict[PointName, int]:
        """Return how many seeds of the first look each point has, counted from the first one; only points with some."""
        ended, first = self._folder.ended(), self._points.first_seed
        counts = {
            place: min((run.seed for run in runs if run.run_id not in ended), default=first + self._seeds) - first
            for place, runs in self._runs.items()
        }
        return {place: count for place, count in counts.items() if count}

    def pilot(self) -> dict[PointName, int]:
        """Return the point of each protocol that should cost the least, with one seed."""
        templates = self._points.templates
        found: dict[str, PointName] = {}
        for place in sorted(templates, key=lambda place: sum(run.cost for run in templates[place])):
            found.setdefault(json.loads(templates[place][0].scenario_json)["protocol"]["name"], place)
        return dict.fromkeys(found.values(), 1)

    def missing(self, seeds: Mapping[PointName, int]) -> "MissingRuns":
        """Return what the first look lacks at points that have so many seeds, with its cost."""
        finished = self._folder.finished()
        waiting = [place for place in self._runs if seeds.get(place, 0) < self._seeds]
        runs = {run.run_id: run for place in waiting for run in self._runs[place] if run.run_id not in finished}
        timed = {run.run_id: run for each in self._runs.values() for run in each if run.run_id in finished}
        learnt = learnt_costs(self._folder, list(runs.values()), list(timed.values())) if runs else []
        cpu_s = {run.run_id: run.cost for run in learnt}
        costs_s = {
            place: {run.run_id: cpu_s[run.run_id] for run in self._runs[place] if run.run_id in cpu_s}
            for place in waiting
        }
        return MissingRuns(costs_s, self._needs)


@dataclass(frozen=True, slots=True)
class MissingRuns:
    """The runs that points lack for their first look."""

    costs_s: Mapping[PointName, Mapping[str, float]]
    """The CPU seconds of each run that such a point lacks."""
    needs: Mapping[tuple[str, str], frozenset[PointName]]
    """The points of each reading and claim: all of its sweeps."""

    def of_claim(self, reading: str, claim: str) -> list[PointName]:
        """Return the points that keep a claim from being judged, the cheapest first."""
        places = self.needs[reading, claim] & self.costs_s.keys()
        return sorted(places, key=lambda place: (self.minutes([place]), place))

    def minutes(self, places: Iterable[PointName]) -> float:
        """Return how long the runs of some points take on all cores; one that several points have is made once."""
        runs = {run_id: cpu_s for place in places for run_id, cpu_s in self.costs_s[place].items()}
        return sum(runs.values()) / core_count() / 60

    def affordable(self, minutes: float) -> list[PointName]:
        """Return the points that can be made in a time: those of the cheapest claim first, those of no claim last."""
        by_claim = [self.of_claim(*key) for key in self.needs]
        others = sorted(self.costs_s, key=lambda place: (self.minutes([place]), place))
        left_s = 60 * core_count() * max(0.0, minutes)
        found: list[PointName] = []
        taken: set[str] = set()
        for place in dict.fromkeys(place for each in [*sorted(by_claim, key=self.minutes), others] for place in each):
            cost_s = sum(cpu_s for run_id, cpu_s in self.costs_s[place].items() if run_id not in taken)
            if cost_s <= left_s:
                left_s -= cost_s
                found.append(place)
                taken.update(self.costs_s[place])
        return found
