"""Deciding a paper's claims: rounds of runs that add seeds where a claim is open, at planned looks.

Every point first gets the seeds of the first look, as far as the budget has room for them. A claim is judged when all
points of its sweeps (those of its figures, unless it names them) have had their first look; until then it is undecided.
After each look only the points of claims that are still open get the seeds of the next one, the cheapest decision
first, until everything is decided, the budget is spent or all looks have been taken. Nothing but the folder is needed
to resume.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from roamcast.api.first_looks import FirstLooks, MissingRuns
from roamcast.api.measured_campaign import MeasuredCampaign, campaign_progress, measured_campaign
from roamcast.api.paper_points import PaperPoints, places_under
from roamcast.api.paper_request import PaperRequest
from roamcast.api.verdict_record import cost_of
from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.cores import core_count
from roamcast.campaigns.point_costs import seed_costs
from roamcast.measuring.measurements import PointName
from roamcast.measuring.verdicts import Claim, Finding, Part
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim
from roamcast.measuring.verdicts.looks import LOOKS, Looks, look_at
from roamcast.papers.shared.readings import claims_under, measured_under

MINUTES = 60.0
"""How long deciding a paper's claims may take unless the caller says otherwise."""
OUT_OF_REACH = 1.5
"""A claim whose forecast exceeds the seeds of the last look by more than this factor gets further seeds after all
others, once it has had two looks: before, the forecast itself is a guess."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of deciding claims."""

    minutes: float = MINUTES
    """Wall-clock time; a look that would exceed it is not begun."""
    looks: Looks = LOOKS


@dataclass(frozen=True, slots=True)
class _OpenClaim:
    """A claim that wants more seeds."""

    wants: frozenset[PointName]
    """The points, by the campaign's names."""
    seeds: int
    """How many seeds the next look has."""
    is_on_the_line: bool
    cost: Cost | None


class Decision:
    """A campaign that adds seeds until its claims are decided."""

    def __init__(self, request: PaperRequest, points: PaperPoints, budget: Budget) -> None:
        self._request = request
        self._points = points
        self._budget = budget
        self._began_s = time.monotonic()
        self._first = FirstLooks(request, points, budget.looks.seeds[0])

    def decide(self) -> tuple[MeasuredCampaign, list[JudgedClaim]]:
        """Make rounds of runs until no claim gets further seeds."""
        request, points = self._request, self._points
        seeds = self._seeds_so_far()
        seeds.update(self._first_seeds(self._first.missing(seeds)) if seeds else self._first.pilot())
        while True:
            campaign = measured_campaign(
                points.runs(seeds), request.folder, request.options, points.validities_s, pairs=points.pairs
            )
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
        """Return the seeds of the last look whose runs have all ended, at each point, or what there is of the first."""
        ended = CampaignFolder(self._request.folder.absolute()).ended()
        found = self._first.made()
        for before, count in pairwise(self._budget.looks.seeds):
            for place in [place for place, made in found.items() if made == before]:
                runs = self._points.runs({place: count})
                if all(run.run_id in ended for run in runs):
                    found[place] = count
        return found

    def _first_seeds(self, missing: MissingRuns) -> dict[PointName, int]:
        """Return the points that get the seeds of the first look: as many as the budget has room for."""
        return dict.fromkeys(missing.affordable(self._left_s() / 60), self._budget.looks.seeds[0])

    def _left_s(self) -> float:
        return 60 * self._budget.minutes - (time.monotonic() - self._began_s)

    def _looked(
        self,
        campaign: MeasuredCampaign,
        seeds: Mapping[PointName, int],
        costs: Mapping[PointName, float],
        missing: MissingRuns,
    ) -> tuple[list[JudgedClaim], list[_OpenClaim]]:
        """Judge the claims under all readings, and return those that want more seeds."""
        request, looks, first = self._request, self._budget.looks, self._points.first_seed
        judged: list[JudgedClaim] = []
        wanting: list[_OpenClaim] = []
        for reading in request.readings:
            claims = claims_under(request.claims, reading)
            places = places_under(request.paper, self._points.templates, reading)
            made = {name: range(first, first + seeds.get(place, 0)) for name, place in places.items()}
            measured = measured_under(request.paper, campaign.measurements, reading)
            waiting = {claim.name: missing.of_claim(reading.name, claim.name) for claim in claims}
            found = {
                claim.name: self._not_looked(claim, reading.name, missing.minutes(waiting[claim.name]))
                for claim in claims
                if waiting[claim.name]
            }
            ready = [claim for claim in claims if claim.name not in found]
            for looked in look_at(ready, measured, made, first, looks):
                finding = looked.finding
                cost = cost_of(finding, places, costs, (looked.look, looks))
                found[finding.claim.name] = JudgedClaim(finding, reading.name, looked.look, cost)
                if looked.wants:
                    wants = frozenset(places[point] for point in looked.wants)
                    wanting.append(_OpenClaim(wants, looks.seeds[looked.look], finding.is_on_the_line, cost))
            judged += [found[claim.name] for claim in claims if claim.name in found]
        return judged, wanting

    def _not_looked(self, claim: Claim, reading: str, minutes: float) -> JudgedClaim:
        """Return a claim that lacks points as undecided: those that it has may be the very ones on which it holds."""
        looks = self._budget.looks
        cost = Cost(looks.seeds[0], minutes, is_first_look=True)
        return JudgedClaim(Finding(claim, (Part.missing("its first look"),), looks.errors[0]), reading, 0, cost)

    def _more_seeds(
        self, wanting: Sequence[_OpenClaim], seeds: Mapping[PointName, int], costs: Mapping[PointName, float]
    ) -> dict[PointName, int]:
        """Return the points that get the seeds of their next look: as many claims as the budget has room for.

        Claims that the last look will probably not decide wait until no other claim gets seeds.
        """
        in_reach = [claim for claim in wanting if self._is_in_reach(claim)]
        others = [claim for claim in wanting if not self._is_in_reach(claim)]
        return self._affordable(in_reach, seeds, costs) or self._affordable(others, seeds, costs)

    def _affordable(
        self, claims: Sequence[_OpenClaim], seeds: Mapping[PointName, int], costs: Mapping[PointName, float]
    ) -> dict[PointName, int]:
        """Return the points of as many claims as the budget has room for, the cheapest decision first."""
        left_s = self._left_s()
        finished = CampaignFolder(self._request.folder.absolute()).finished()
        more: dict[PointName, int] = {}
        for claim in sorted(claims, key=_decision_order):
            have = {place: more.get(place, seeds.get(place, 0)) for place in claim.wants}
            added = {place: claim.seeds for place in claim.wants if claim.seeds > have[place]}
            cpu_s = (
                self._seeds_to_make(place, have[place], count, finished) * costs.get(place, 0.0)
                for place, count in added.items()
            )
            cost_s = sum(cpu_s) / core_count()
            if cost_s <= left_s:
                left_s -= cost_s
                more.update(added)
        return more

    def _seeds_to_make(self, place: PointName, have: int, count: int, finished: Collection[str]) -> int:
        """Return how many seeds of a point's next look lack runs: an interrupted call may have made some."""
        first = self._points.first_seed + have
        return len(
            {run.seed for run in self._points.runs({place: count}) if run.seed >= first and run.run_id not in finished}
        )

    def _is_in_reach(self, claim: _OpenClaim) -> bool:
        needed, planned = claim.cost.seeds if claim.cost else None, self._budget.looks.seeds
        return claim.seeds <= planned[1] or (needed is not None and needed <= OUT_OF_REACH * planned[-1])


def _standing(judged: Sequence[JudgedClaim], wanting: Sequence[_OpenClaim], missing: MissingRuns) -> str:
    """Say how many claims want more seeds, and how many have had none and what that would take."""
    text = f"{len(wanting)} of {len(judged)} claims want more seeds"
    waiting = [(each.reading, each.claim.name) for each in judged if not each.had_a_look]
    if not waiting:
        return text
    minutes = missing.minutes({place for key in waiting for place in missing.of_claim(*key)})
    return f"{text}, and {len(waiting)} have not had their first look, which takes about {minutes:.1f} minutes"


def _decision_order(claim: _OpenClaim) -> tuple[bool, float]:
    """Return the sort key of a claim: the cheapest decision first, those on the line last."""
    minutes = claim.cost.minutes if claim.cost else None
    return claim.is_on_the_line, inf if minutes is None else minutes
