"""A paper's runs made and measured, and its claims judged: once with the seeds of a scale, or at planned looks.

At planned looks (``--decide``), every point first gets the seeds of the first look, as far as the budget has room for
them: one run of each protocol tells what the others will cost, and the points of the cheapest claims come first. A
claim is judged when all points of its figures have had their first look; until then it is undecided. After each look
only the points of claims that are still open get the seeds of the next one, the cheapest decision first, until
everything is decided, the budget is spent or all looks have been taken. Nothing but the folder is needed to resume.
"""

import json
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path

from roamcast.api.measured_campaign import CampaignOptions, MeasuredCampaign, campaign_progress, measured_campaign
from roamcast.api.paper_points import PaperPoints, places_under
from roamcast.api.verdict_record import cost_of, put_on_record
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.point_costs import seed_costs
from roamcast.campaigns.run_costs import learnt_costs
from roamcast.measuring.measurements import PointName
from roamcast.measuring.verdicts import Claim, Finding, Part, examine
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim
from roamcast.measuring.verdicts.looks import LOOKS, Looks, look_at
from roamcast.papers import Paper, Reading
from roamcast.papers.shared.readings import measured_under

MINUTES = 60.0
"""How long deciding a paper's claims may take unless the caller says otherwise."""
OUT_OF_REACH = 1.5
"""A claim whose forecast exceeds the seeds of the last look by more than this factor gets no further seeds, once it has
had two looks: before, the forecast itself is a guess."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of deciding claims."""

    minutes: float = MINUTES
    """Wall-clock time; a look that would exceed it is not begun."""
    looks: Looks = LOOKS


@dataclass(frozen=True, slots=True)
class PaperCampaign:
    """A campaign with the verdicts that it gave."""

    campaign: MeasuredCampaign
    judged: tuple[JudgedClaim, ...]
    """All claims under the default reading, then those under the next one, ..."""

    def under(self, reading: str) -> list[JudgedClaim]:
        """Return the claims under a reading."""
        return [each for each in self.judged if each.reading == reading]


@dataclass(frozen=True, slots=True)
class PaperRequest:
    """Which claims of a paper to judge, and where."""

    paper: Paper
    scale: str
    numbers: Collection[int]
    """The figures whose sweeps are made."""
    readings: Sequence[Reading]
    folder: Path
    options: CampaignOptions

    @property
    def claims(self) -> list[Claim]:
        """Return the claims that rest on these figures."""
        return [claim for claim in self.paper.claims() if set(claim.figures) & set(self.numbers)]

    def points(self) -> PaperPoints:
        """Return the points behind the figures."""
        return PaperPoints.of(self.paper, self.scale, self.numbers, self.readings)


def judge_paper(request: PaperRequest, budget: Budget | None = None) -> PaperCampaign:
    """Make a paper's runs and judge its claims: at planned looks if there is a budget, and else once."""
    points = request.points()
    if budget is None:
        campaign = measured_campaign(points.planned, request.folder, request.options, points.validities_s)
        judged = _judged_once(request, points, campaign)
    else:
        campaign, judged = _Decision(request, points, budget).decide()
    return PaperCampaign(campaign, tuple(put_on_record(request.folder, request.paper, request.scale, judged)))


def _judged_once(request: PaperRequest, points: PaperPoints, campaign: MeasuredCampaign) -> list[JudgedClaim]:
    costs = seed_costs(campaign.outcome.tables)
    return [
        JudgedClaim(finding, reading.name, cost=cost_of(finding, places, costs))
        for reading in request.readings
        for places in [places_under(request.paper, points.templates, reading)]
        for finding in examine(request.claims, measured_under(request.paper, campaign.measurements, reading))
    ]


@dataclass(frozen=True, slots=True)
class _OpenClaim:
    """A claim that wants more seeds."""

    wants: frozenset[PointName]
    """The points, by the campaign's names."""
    seeds: int
    """How many seeds the next look has."""
    is_on_the_line: bool
    cost: Cost | None


class _FirstLooks:
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
                needs = (place for (sweep, _), place in places.items() if figures[sweep] & set(claim.figures))
                self._needs[reading.name, claim.name] = frozenset(needs)

    def made(self) -> dict[PointName, int]:
        """Return how many seeds of the first look each point has, counted from the first one; only points with some."""
        finished, first = self._folder.finished(), self._points.first_seed
        counts = {
            place: min((run.seed for run in runs if run.run_id not in finished), default=first + self._seeds) - first
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

    def missing(self, seeds: Mapping[PointName, int]) -> "_MissingRuns":
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
        return _MissingRuns(costs_s, self._needs)


@dataclass(frozen=True, slots=True)
class _MissingRuns:
    """The runs that points lack for their first look."""

    costs_s: Mapping[PointName, Mapping[str, float]]
    """The CPU seconds of each run that such a point lacks."""
    needs: Mapping[tuple[str, str], frozenset[PointName]]
    """The points of each reading and claim: all of the claim's figures."""

    def of_claim(self, reading: str, claim: str) -> list[PointName]:
        """Return the points that keep a claim from being judged, the cheapest first."""
        places = self.needs[reading, claim] & self.costs_s.keys()
        return sorted(places, key=lambda place: (self.minutes([place]), place))

    def minutes(self, places: Iterable[PointName]) -> float:
        """Return how long the runs of some points take on all cores; one that several points have is made once."""
        runs = {run_id: cpu_s for place in places for run_id, cpu_s in self.costs_s[place].items()}
        return sum(runs.values()) / _cores() / 60

    def affordable(self, minutes: float) -> list[PointName]:
        """Return the points that can be made in a time: those of the cheapest claim first, those of no claim last."""
        by_claim = [self.of_claim(*key) for key in self.needs]
        others = sorted(self.costs_s, key=lambda place: (self.minutes([place]), place))
        left_s = 60 * _cores() * max(0.0, minutes)
        found: list[PointName] = []
        taken: set[str] = set()
        for place in dict.fromkeys(place for each in [*sorted(by_claim, key=self.minutes), others] for place in each):
            cost_s = sum(cpu_s for run_id, cpu_s in self.costs_s[place].items() if run_id not in taken)
            if cost_s <= left_s:
                left_s -= cost_s
                found.append(place)
                taken.update(self.costs_s[place])
        return found


class _Decision:
    """A campaign that adds seeds until its claims are decided."""

    def __init__(self, request: PaperRequest, points: PaperPoints, budget: Budget) -> None:
        self._request = request
        self._points = points
        self._budget = budget
        self._began_s = time.monotonic()
        self._first = _FirstLooks(request, points, budget.looks.seeds[0])

    def decide(self) -> tuple[MeasuredCampaign, list[JudgedClaim]]:
        """Make rounds of runs until no claim gets further seeds."""
        request, points = self._request, self._points
        seeds = self._seeds_so_far()
        seeds.update(self._first_seeds(self._first.missing(seeds)) if seeds else self._first.pilot())
        while True:
            campaign = measured_campaign(points.runs(seeds), request.folder, request.options, points.validities_s)
            costs = seed_costs(campaign.outcome.tables)
            missing = self._first.missing(seeds)
            judged, wanting = self._looked(campaign, seeds, costs, missing)
            more = self._first_seeds(missing) or self._more_seeds(wanting, seeds, costs)
            runs = len(points.runs(more)) - len(points.runs({place: seeds.get(place, 0) for place in more}))
            progress = campaign_progress(request.options.progress)
            progress.begin(f"decide: {_standing(judged, wanting, missing)}; {runs} more runs")
            progress.end()
            if not more:
                return campaign, judged
            seeds.update(more)

    def _seeds_so_far(self) -> dict[PointName, int]:
        """Return the seeds of the last look whose runs are all there, at each point, or what there is of the first."""
        finished = CampaignFolder(self._request.folder.absolute()).finished()
        found = self._first.made()
        for before, count in pairwise(self._budget.looks.seeds):
            for place in [place for place, made in found.items() if made == before]:
                runs = self._points.runs({place: count})
                if all(run.run_id in finished for run in runs):
                    found[place] = count
        return found

    def _first_seeds(self, missing: _MissingRuns) -> dict[PointName, int]:
        """Return the points that get the seeds of the first look: as many as the budget has room for."""
        return dict.fromkeys(missing.affordable(self._left_s() / 60), self._budget.looks.seeds[0])

    def _left_s(self) -> float:
        return 60 * self._budget.minutes - (time.monotonic() - self._began_s)

    def _looked(
        self,
        campaign: MeasuredCampaign,
        seeds: Mapping[PointName, int],
        costs: Mapping[PointName, float],
        missing: _MissingRuns,
    ) -> tuple[list[JudgedClaim], list[_OpenClaim]]:
        """Judge the claims under all readings, and return those that want more seeds."""
        request, looks, first = self._request, self._budget.looks, self._points.first_seed
        claims = request.claims
        judged: list[JudgedClaim] = []
        wanting: list[_OpenClaim] = []
        for reading in request.readings:
            places = places_under(request.paper, self._points.templates, reading)
            made = {name: range(first, first + seeds.get(place, 0)) for name, place in places.items()}
            measured = measured_under(request.paper, campaign.measurements, reading)
            waiting = {claim.name: missing.of_claim(reading.name, claim.name) for claim in claims}
            found = {
                claim.name: self._not_looked(claim, reading.name, missing.minutes(waiting[claim.name]))
                for claim in claims
                if waiting[claim.name]
            }
            for each in look_at([claim for claim in claims if claim.name not in found], measured, made, first, looks):
                cost = cost_of(each.finding, places, costs)
                found[each.finding.claim.name] = JudgedClaim(each.finding, reading.name, each.look, cost)
                if each.wants:
                    wants = frozenset(places[point] for point in each.wants)
                    wanting.append(_OpenClaim(wants, looks.seeds[each.look], each.finding.is_on_the_line, cost))
            judged += [found[claim.name] for claim in claims if claim.name in found]
        return judged, wanting

    def _not_looked(self, claim: Claim, reading: str, minutes: float) -> JudgedClaim:
        """Return a claim that lacks points as undecided: those that it has may be the very ones on which it holds."""
        looks = self._budget.looks
        cost = Cost(looks.seeds[0], minutes, is_first_look=True)
        return JudgedClaim(Finding(claim, (Part.missing(str(cost)),), looks.error), reading, 0, cost)

    def _more_seeds(
        self, wanting: Sequence[_OpenClaim], seeds: Mapping[PointName, int], costs: Mapping[PointName, float]
    ) -> dict[PointName, int]:
        """Return the points that get the seeds of their next look: as many claims as the budget has room for."""
        left_s = self._left_s()
        more: dict[PointName, int] = {}
        for claim in sorted(wanting, key=_decision_order):
            if not self._is_in_reach(claim):
                continue
            have = {place: more.get(place, seeds.get(place, 0)) for place in claim.wants}
            added = {place: claim.seeds for place in claim.wants if claim.seeds > have[place]}
            cost_s = sum((count - have[place]) * costs.get(place, 0.0) for place, count in added.items()) / _cores()
            if cost_s <= left_s:
                left_s -= cost_s
                more.update(added)
        return more

    def _is_in_reach(self, claim: _OpenClaim) -> bool:
        needed, planned = claim.cost.seeds if claim.cost else None, self._budget.looks.seeds
        return claim.seeds <= planned[1] or (needed is not None and needed <= OUT_OF_REACH * planned[-1])


def _standing(judged: Sequence[JudgedClaim], wanting: Sequence[_OpenClaim], missing: _MissingRuns) -> str:
    """Say how many claims want more seeds, and how many have had none and what that would take."""
    text = f"{len(wanting)} of {len(judged)} claims want more seeds"
    waiting = [(each.reading, each.claim.name) for each in judged if not each.had_a_look]
    if not waiting:
        return text
    minutes = missing.minutes({place for key in waiting for place in missing.of_claim(*key)})
    return f"{text}, and {len(waiting)} have not had their first look, which takes about {minutes:.1f} minutes"


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _decision_order(claim: _OpenClaim) -> tuple[bool, float]:
    """Return by what claims are sorted: the cheapest decision first, those on the line last."""
    minutes = claim.cost.minutes if claim.cost else None
    return claim.is_on_the_line, inf if minutes is None else minutes
