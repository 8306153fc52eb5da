"""Deciding claims: seeds are added only where a claim is open, a second call resumes, and changed bands are noticed."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from roamcast.api.claim_decision import Budget
from roamcast.api.measured_campaign import CampaignOptions
from roamcast.api.paper_campaign import PaperCampaign, judge_paper
from roamcast.api.paper_request import PaperRequest
from roamcast.api.reproduce import written_result
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, Verdict, above, at_most
from roamcast.measuring.verdicts.looks import Looks
from roamcast.papers import Paper, PaperSweep, Reading
from roamcast.papers.shared.claim_parts import value_part
from roamcast.report.figure import Figure

RANGE, SENT = "radio.range_m", "bytes_sent_per_node"
SCENARIO = {
    "duration_s": 10,
    "area": {"width_m": 200, "height_m": 200},
    "nodes": {"count": 8},
    "mobility": {"model": "random-waypoint", "speed_mps": [1, 5], "pause_s": 0},
    "radio": {"model": "range", RANGE.partition(".")[2]: 80},
    "workload": {"model": "single-topic", "subscriber_fraction": 0.5, "validity_s": 10},
    "protocol": {"name": "flooding"},
}
LOOKS = Looks((3, 6), (0.03, 0.03))
ONE_LOOK = Looks((3,), (0.03,))
FIRST_SEED = 501


class TinyPaper(Paper):
    """Two points, one claim about each."""

    title, source = "A tiny paper", "Nobody"
    series_names = {1: ("sent",)}  # noqa: RUF012 - declared by the base class
    next_steps = ()
    first_seed = FIRST_SEED
    readings = (
        Reading("default", "as it is", "it says so"),
        Reading("slow", "nobody moves fast", "it could mean that", {"mobility.speed_mps": [1, 1]}),
    )
    limit = 1e6
    """The most that may be sent by the open claim."""
    clear = at_most(1e9)

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return two ranges, with fewer seeds than a look has."""
        del scale
        scenario = Scenario.from_document(SCENARIO, "tiny")
        return [PaperSweep("ranges", (1,), tuple(plan("ranges", scenario, {RANGE: [60, 120]}, [FIRST_SEED])))]

    def figures(self, measured: Measurements) -> Sequence[Figure]:
        """Return none."""
        del measured
        return []

    def claims(self) -> Sequence[Claim]:
        """Return a claim that is clear, and one whose limit is near what was measured first."""
        return [self._claim("clear", 60, self.clear), self._claim("open", 120, at_most(self.limit, no_effect=1e9))]

    def _claim(self, name: str, range_m: float, band: Band) -> Claim:
        def parts(measured: Measurements) -> Sequence[Part]:
            return [value_part("sent", measured.find("ranges", SENT, {RANGE: range_m}), band)]

        return Claim(name, "1", f"Not much is sent at {range_m} m", f"band {band}", (1,), parts)


def judged(
    paper: Paper, folder: Path, minutes: float = 5.0, readings: int = 1, looks: Looks = LOOKS
) -> tuple[PaperRequest, PaperCampaign]:
    request = PaperRequest(paper, "quick", (1,), paper.readings[:readings], folder, CampaignOptions("local[2,4]"))
    return request, judge_paper(request, Budget(minutes, looks))


def seeds_at(found: PaperCampaign, range_m: float) -> list[int]:
    return sorted(run.seed for run in found.campaign.runs if f'"{RANGE}":{range_m:.1f}' in run.point)


@pytest.fixture
def paper(spark: object, tmp_path: Path) -> TinyPaper:
    """Return a paper whose second claim is open after the first look: its limit is just above the mean of that look."""
    del spark
    paper = TinyPaper()
    _, first = judged(paper, tmp_path / "first", looks=ONE_LOOK)
    row = first.campaign.measurements.find("ranges", SENT, {RANGE: 120})
    assert row is not None
    assert row.high is not None
    paper.limit = row.mean + 0.8 * (row.high - row.mean)  # within the interval of three seeds, and not on the line
    return paper


def test_only_points_of_open_claims_get_the_seeds_of_the_next_look(paper: TinyPaper, tmp_path: Path) -> None:
    _, found = judged(paper, tmp_path / "out")
    assert seeds_at(found, 60) == [501, 502, 503]
    assert seeds_at(found, 120) == [501, 502, 503, 504, 505, 506]
    clear, other = found.judged
    assert (clear.verdict, clear.look, clear.cost) == (Verdict.HOLDS, 1, None)
    assert other.look == 2
    assert other.finding.parts[0].quantity is not None
    assert other.finding.parts[0].quantity.seeds == 6


def test_a_second_call_resumes_from_the_folder_and_judges_the_same(paper: TinyPaper, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _, found = judged(paper, out)
    files = {file.name: file.stat().st_mtime_ns for file in (out / "runs").iterdir()}
    _, again = judged(paper, out)
    assert {file.name: file.stat().st_mtime_ns for file in (out / "runs").iterdir()} == files
    assert [each.document() for each in again.judged] == [each.document() for each in found.judged]


def test_a_budget_that_is_spent_leaves_claims_open_and_says_what_would_decide_them(
    paper: TinyPaper, tmp_path: Path
) -> None:
    judged(paper, tmp_path / "out", looks=ONE_LOOK)
    _, found = judged(paper, tmp_path / "out", minutes=1e-9)
    assert seeds_at(found, 120) == [501, 502, 503]
    open_claim = found.judged[1]
    assert (open_claim.verdict, open_claim.look) == (Verdict.UNDECIDED, 1)
    assert open_claim.cost is not None
    assert open_claim.cost.seeds is not None
    assert open_claim.cost.seeds > 3


def test_readings_are_judged_side_by_side_on_the_same_seeds(paper: TinyPaper, tmp_path: Path) -> None:
    request, found = judged(paper, tmp_path / "out", readings=2, looks=ONE_LOOK)
    assert [(each.claim.name, each.reading) for each in found.judged] == [
        ("clear", "default"),
        ("open", "default"),
        ("clear", "slow"),
        ("open", "slow"),
    ]
    assert {run.sweep for run in found.campaign.runs} == {"ranges", "ranges@slow"}
    assert {run.seed for run in found.campaign.runs} == {501, 502, 503}
    page = written_result("tiny", request, found, decided=True).page.read_text(encoding="utf-8")
    assert page.index("Readings") < page.index("Holds (1)")
    assert "it could mean that" in page


def test_a_band_that_is_changed_after_a_campaign_shows_on_the_page_by_itself(paper: TinyPaper, tmp_path: Path) -> None:
    out = tmp_path / "out"
    request, found = judged(paper, out)
    page = written_result("tiny", request, found, decided=True).page
    assert "Changed after results were seen" not in page.read_text(encoding="utf-8")
    assert found.judged[0].earlier == ()

    paper.clear = above(1e12)
    request, found = judged(paper, out)
    assert found.judged[0].verdict is Verdict.CONTRADICTED
    (before,) = found.judged[0].earlier
    assert (before["verdict"], before["tolerance"]) == ("holds", "band at most 1,000,000,000")
    text = written_result("tiny", request, found, decided=True).page.read_text(encoding="utf-8")
    assert "Changed after results were seen" in text
    assert "band at most 1,000,000,000" in text
