"""A paper's runs made and measured, and its claims judged: once with the seeds of a scale, or at planned looks."""

from dataclasses import dataclass

from roamcast.api.claim_decision import Budget, Decision
from roamcast.api.measured_campaign import MeasuredCampaign, measured_campaign
from roamcast.api.paper_points import PaperPoints, places_under
from roamcast.api.paper_request import PaperRequest
from roamcast.api.verdict_record import cost_of, put_on_record, stored_record
from roamcast.campaigns.point_costs import seed_costs
from roamcast.measuring.verdicts import examine
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.papers.shared.readings import claims_under, measured_under


@dataclass(frozen=True, slots=True)
class PaperCampaign:
    """A campaign with the verdicts that it gave."""

    campaign: MeasuredCampaign
    judged: tuple[JudgedClaim, ...]
    """All claims under the default reading, then those under the next one, ..."""

    def under(self, reading: str) -> list[JudgedClaim]:
        """Return the claims under a reading."""
        return [each for each in self.judged if each.reading == reading]


def judge_paper(request: PaperRequest, budget: Budget | None = None) -> PaperCampaign:
    """Make a paper's runs and judge its claims: at planned looks if there is a budget, and else once."""
    stored_record(request.folder, request.paper)  # a damaged one is no reason to lose an hour of runs
    points = request.points()
    if budget is None:
        campaign = measured_campaign(
            points.planned, request.folder, request.options, points.validities_s, pairs=points.pairs
        )
        judged = _judged_once(request, points, campaign)
    else:
        campaign, judged = Decision(request, points, budget).decide()
    return PaperCampaign(campaign, tuple(put_on_record(request.folder, request.paper, request.scale, judged)))


def _judged_once(request: PaperRequest, points: PaperPoints, campaign: MeasuredCampaign) -> list[JudgedClaim]:
    costs = seed_costs(campaign.outcome.tables)
    return [
        JudgedClaim(finding, reading.name, cost=cost_of(finding, places, costs))
        for reading in request.readings
        for places in [places_under(request.paper, points.templates, reading)]
        for finding in examine(
            claims_under(request.claims, reading), measured_under(request.paper, campaign.measurements, reading)
        )
    ]
