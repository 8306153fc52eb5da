"""A paper's runs made and measured, and its claims judged: once with the seeds of a scale, or at planned looks.

At planned looks (``--decide``), every point first gets the seeds of the first look. After each look only the points of
claims that are still open get those of the next one, the cheapest decision first, until everything is decided, the
budget is spent or all looks have been taken. Nothing but the folder is needed to resume.
"""

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from roamcast.api.measured_campaign import CampaignOptions, MeasuredCampaign, campaign_progress, measured_campaign
from roamcast.api.paper_points import PaperPoints, places_under
from roamcast.api.verdict_record import cost_of, put_on_record
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.point_costs import seed_costs
from roamcast.measuring.measurements import PointName
from roamcast.measuring.verdicts import Claim, examine
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


class _Decision:
    """A campaign that adds seeds until its claims are decided."""

    def __init__(self, request: PaperRequest, points: PaperPoints, budget: Budget) -> None:
        self._request = request
        self._points = points
        self._budget = budget
        self._began_s = time.monotonic()

    def decide(self) -> tuple[MeasuredCampaign, list[JudgedClaim]]:
        """Make rounds of runs until no claim gets further seeds."""
        request, points = self._request, self._points
        seeds = self._seeds_so_far()
        while True:
            campaign = measured_campaign(points.runs(seeds), request.folder, request.options, points.validities_s)
            costs = seed_costs(campaign.outcome.tables)
            judged, wanting = self._looked(campaign, seeds, costs)
            more = self._more_seeds(wanting, seeds, costs)
            progress = campaign_progress(request.options.progress)
            runs = len(points.runs(more)) - len(points.runs({place: seeds[place] for place in more}))
            progress.begin(f"decide: {len(wanting)} of {len(judged)} claims want more seeds; {runs} more runs")
            progress.end()
            if not more:
                return campaign, judged
            seeds = {**seeds, **more}

    def _seeds_so_far(self) -> dict[PointName, int]:
        """Return the seeds of the last look whose runs are all there, at each point; at least those of the first."""
        finished = CampaignFolder(self._request.folder.absolute()).finished()
        first, *later = self._budget.looks.seeds
        found = dict.fromkeys(self._points.templates, first)
        for count in later:
            for place in [place for place, before in found.items() if before < count]:
                runs = self._points.runs({place: count})
                if all(run.run_id in finished for run in runs):
                    found[place] = count
        return found

    def _looked(
        self, campaign: MeasuredCampaign, seeds: Mapping[PointName, int], costs: Mapping[PointName, float]
    ) -> tuple[list[JudgedClaim], list[_OpenClaim]]:
        """Judge the claims under all readings, and return those that want more seeds."""
        request, looks, first = self._request, self._budget.looks, self._points.first_seed
        judged: list[JudgedClaim] = []
        wanting: list[_OpenClaim] = []
        for reading in request.readings:
            places = places_under(request.paper, self._points.templates, reading)
            made = {name: range(first, first + seeds[place]) for name, place in places.items()}
            measured = measured_under(request.paper, campaign.measurements, reading)
            for each in look_at(request.claims, measured, made, first, looks):
                cost = cost_of(each.finding, places, costs)
                judged.append(JudgedClaim(each.finding, reading.name, each.look, cost))
                if each.wants:
                    wants = frozenset(places[point] for point in each.wants)
                    wanting.append(_OpenClaim(wants, looks.seeds[each.look], each.finding.is_on_the_line, cost))
        return judged, wanting

    def _more_seeds(
        self, wanting: Sequence[_OpenClaim], seeds: Mapping[PointName, int], costs: Mapping[PointName, float]
    ) -> dict[PointName, int]:
        """Return the points that get the seeds of their next look: as many claims as the budget has room for."""
        left_s = 60 * self._budget.minutes - (time.monotonic() - self._began_s)
        cores = len(os.sched_getaffinity(0))
        more: dict[PointName, int] = {}
        for claim in sorted(wanting, key=_decision_order):
            if not self._is_in_reach(claim):
                continue
            added = {place: claim.seeds for place in claim.wants if claim.seeds > more.get(place, seeds[place])}
            cost_s = sum(
                (count - more.get(place, seeds[place])) * costs.get(place, 0.0) for place, count in added.items()
            )
            cost_s /= cores
            if cost_s <= left_s:
                left_s -= cost_s
                more.update(added)
        return more

    def _is_in_reach(self, claim: _OpenClaim) -> bool:
        needed, planned = claim.cost.seeds if claim.cost else None, self._budget.looks.seeds
        return claim.seeds <= planned[1] or (needed is not None and needed <= OUT_OF_REACH * planned[-1])


def _decision_order(claim: _OpenClaim) -> tuple[bool, float]:
    """Return by what claims are sorted: the cheapest decision first, those on the line last."""
    minutes = claim.cost.minutes if claim.cost else None
    return claim.is_on_the_line, inf if minutes is None else minutes
