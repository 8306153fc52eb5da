"""Claims judged once or at planned looks: which points get seeds, in which order, for how long, and what is kept."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_up_campaigns import (
    APART,
    CLOSE,
    FIRST_SEED,
    LINE,
    SURE,
    ApartPaper,
    MadeUpCampaign,
    MadeUpPaper,
    place,
    record_of,
    request,
)

from roamcast.api.claim_decision import Budget
from roamcast.api.paper_campaign import PaperCampaign, judge_paper
from roamcast.api.reproduce import reproduce_paper
from roamcast.measuring.verdicts import Claim, Verdict, at_least
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.measuring.verdicts.looks import LOOKS, Looks
from roamcast.report.claim_text import open_text

HOUR = Budget(60.0)


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> MadeUpCampaign:
    return MadeUpCampaign().install(monkeypatch)


def words(found: PaperCampaign, reading: str = "default") -> dict[str, str]:
    return words_of(found.under(reading))


def words_of(judged: Iterable[JudgedClaim]) -> dict[str, str]:
    return {each.claim.name: each.verdict.value for each in judged}


# --- judged once ---------------------------------------------------------------------------------------------------


def test_without_a_budget_the_seeds_of_the_scale_judge_once(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    found = judge_paper(request(tmp_path))
    assert campaign.counts(0) == {place(SURE): 2, place(CLOSE): 2, place(LINE): 2}
    assert len(campaign.calls) == 1
    assert {each.finding.error for each in found.judged} == {0.05}
    assert {each.look for each in found.judged} == {None}
    assert all((each.cost is None) == (each.verdict is not Verdict.UNDECIDED) for each in found.judged)


def test_only_the_claims_of_the_figures_that_are_made_are_judged(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    assert len(judge_paper(request(tmp_path, numbers=(2,))).judged) == 0
    assert len(campaign.calls) == 1


# --- planned looks -------------------------------------------------------------------------------------------------


def test_seeds_are_added_only_at_points_whose_claims_are_open(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    found = judge_paper(request(tmp_path), HOUR)
    assert campaign.counts(0) == {place(SURE): 1}  # to know what the others cost
    assert campaign.counts(1) == {place(SURE): 10, place(CLOSE): 10, place(LINE): 10}
    assert campaign.counts(2) == {place(SURE): 10, place(CLOSE): 30, place(LINE): 30}
    assert campaign.counts(3) == {place(SURE): 10, place(CLOSE): 90, place(LINE): 30}
    assert campaign.counts(4) == {place(SURE): 10, place(CLOSE): 90, place(LINE): 90}
    assert campaign.counts(5) == {place(SURE): 10, place(CLOSE): 90, place(LINE): 270}
    assert len(campaign.calls) == 6
    assert campaign.calls[3][place(CLOSE)] == set(range(FIRST_SEED, FIRST_SEED + 90))
    assert words(found) == {"sure": "holds", "close": "holds", "line": "undecided"}
    assert {each.claim.name: each.look for each in found.judged} == {"sure": 1, "close": 3, "line": 4}
    errors = {each.claim.name: each.finding.error for each in found.judged}
    assert errors == {"sure": LOOKS.errors[0], "close": LOOKS.errors[2], "line": LOOKS.errors[3]}


def test_a_claim_that_no_number_of_seeds_decides_has_all_looks_and_says_what_it_would_cost(
    campaign: MadeUpCampaign, tmp_path: Path
) -> None:
    found = {each.claim.name: each for each in judge_paper(request(tmp_path), HOUR).judged}
    assert found["sure"].cost is None
    assert found["line"].cost is not None
    assert found["line"].cost.seeds is None  # it is exactly on the boundary
    assert found["line"].finding.is_on_the_line
    assert place(LINE) in campaign.calls[-1]


def test_a_claim_that_the_last_look_will_not_decide_waits_for_all_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    campaign = MadeUpCampaign({SURE: 1.0, CLOSE: 1.0, LINE: 0.01}).install(monkeypatch)
    judge_paper(request(tmp_path), HOUR)
    assert campaign.counts(3) == {place(SURE): 10, place(CLOSE): 90, place(LINE): 30}  # although it is far cheaper
    assert campaign.counts(4) == {place(SURE): 10, place(CLOSE): 90, place(LINE): 90}


@pytest.mark.parametrize(
    ("minutes", "cores", "seeds"),
    [
        (0.5 + 19 / 60, 1, 10),
        (0.5 + 21 / 60, 1, 30),  # twenty more seeds take 20 s
        (0.5 + 11 / 60, 2, 30),  # half of that on two cores
        (0.5 + 101 / 60, 1, 90),  # twenty for the claim on the line, then sixty
    ],
)
def test_a_look_that_the_budget_has_no_room_for_is_not_begun(
    campaign: MadeUpCampaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, minutes: float, cores: int, seeds: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)))
    found = judge_paper(request(tmp_path), Budget(minutes))
    assert campaign.counts(-1)[place(CLOSE)] == seeds
    (close,) = (each for each in found.judged if each.claim.name == "close")
    assert (close.verdict is Verdict.HOLDS) == (seeds == 90)
    if close.cost is not None:
        assert close.cost.seeds is not None
        assert close.cost.minutes == pytest.approx((close.cost.seeds - seeds) / 60 / cores)


def test_the_cheapest_decision_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both claims are open after the first look, which took 60 s, and there is time for the next look of either."""
    campaign = MadeUpCampaign({SURE: 4.0, CLOSE: 1.0, LINE: 1.0}).install(monkeypatch)
    paper = MadeUpPaper({SURE: at_least(19.0)})
    judge_paper(request(tmp_path, paper), Budget((60 + 90) / 60))
    assert campaign.counts(-1) == {place(SURE): 10, place(CLOSE): 30, place(LINE): 30}


def test_all_looks_are_taken_at_most(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    campaign = MadeUpCampaign().install(monkeypatch)
    found = judge_paper(request(tmp_path), Budget(60.0, Looks((10, 20), (0.0294, 0.0294))))
    assert campaign.counts(-1)[place(CLOSE)] == 20
    (close,) = (each for each in found.judged if each.claim.name == "close")
    assert (close.look, close.verdict) == (2, Verdict.UNDECIDED)
    assert close.cost is not None
    assert close.cost.seeds is not None
    assert close.cost.seeds > 20


def test_a_later_call_resumes_from_the_folder_and_makes_nothing_again(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    first = judge_paper(request(tmp_path), HOUR)
    made, calls = campaign.elapsed_s, len(campaign.calls)
    again = judge_paper(request(tmp_path), HOUR)
    assert campaign.elapsed_s == made
    assert len(campaign.calls) == calls + 1
    assert campaign.counts(-1) == campaign.counts(-2)
    assert [each.finding.verdict for each in again.judged] == [each.finding.verdict for each in first.judged]
    assert [each.look for each in again.judged] == [each.look for each in first.judged]


def test_runs_of_an_unfinished_look_do_not_count_as_taken(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    judge_paper(request(tmp_path), Budget(0.5 + 21 / 60))
    assert campaign.counts(-1)[place(CLOSE)] == 30
    lost = request(tmp_path).points().runs({place(CLOSE): 30})[-1]
    (tmp_path / "runs" / f"{lost.run_id}.parquet").unlink()
    judge_paper(request(tmp_path), Budget(0.001))
    assert campaign.counts(-1)[place(CLOSE)] == 10


def test_a_later_call_with_more_time_goes_on_where_the_first_one_stopped(
    campaign: MadeUpCampaign, tmp_path: Path
) -> None:
    judge_paper(request(tmp_path), Budget(0.7))
    assert campaign.elapsed_s == 30
    found = judge_paper(request(tmp_path), HOUR)
    assert words(found)["close"] == "holds"
    assert campaign.elapsed_s == 30 + 80 + 260  # all looks of the claim on the line, too


# --- no time for every first look ----------------------------------------------------------------------------------

FIGURES = (1, 2, 3)
TWO_OF_THREE = Budget(27 / 60)
"""A first look takes 10 s, and before it is made, it is expected to take up to 14 s."""


def test_the_first_look_keeps_to_the_budget_too(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    judge_paper(request(tmp_path, ApartPaper(), numbers=FIGURES), TWO_OF_THREE)
    assert campaign.elapsed_s <= 27
    assert campaign.counts(-1) == {place(SURE, "sure"): 10, place(CLOSE, "close"): 10}


@pytest.mark.usefixtures("campaign")
def test_a_claim_without_its_first_look_is_undecided_and_says_what_that_look_would_take(tmp_path: Path) -> None:
    found = judge_paper(request(tmp_path, ApartPaper(), numbers=FIGURES), TWO_OF_THREE)
    assert words(found) == {"sure": "holds", "close": "undecided", "line": "undecided"}
    assert [each.look for each in found.judged] == [1, 1, 0]
    cost = found.judged[2].cost
    assert cost is not None
    assert cost.seeds == 10
    assert cost.minutes == pytest.approx(10 / 60, rel=0.5)
    assert str(cost).startswith("its first look needs 10 seeds, about ")
    assert open_text(found.judged[2]) == f"Not looked at yet: {cost}."
    assert set(record_of(tmp_path)) == {"sure", "close"}  # there is nothing to put on record


def test_the_same_call_makes_the_first_looks_that_are_missing(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    for _ in range(2):
        found = judge_paper(request(tmp_path, ApartPaper(), numbers=FIGURES), TWO_OF_THREE)
    assert campaign.elapsed_s == 30
    assert [each.look for each in found.judged] == [1, 1, 1]
    assert all(each.earlier == () for each in found.judged)
    assert set(record_of(tmp_path)) == {"sure", "close", "line"}


class SharedFiguresPaper(ApartPaper):
    """The same claims, each about all figures and resting on a sweep of its own."""

    def claims(self) -> Sequence[Claim]:
        """Return a claim for each sweep."""
        return [
            replace(claim, figures=FIGURES, sweeps=(name,)) for claim, name in zip(super().claims(), APART, strict=True)
        ]


@pytest.mark.usefixtures("campaign")
def test_a_claim_that_names_its_sweeps_does_not_wait_for_others_of_the_same_figures(tmp_path: Path) -> None:
    found = judge_paper(request(tmp_path, SharedFiguresPaper(), numbers=FIGURES), TWO_OF_THREE)
    assert [each.look for each in found.judged] == [1, 1, 0]


def test_points_of_one_figure_are_made_over_several_calls_and_its_claims_wait_for_the_last(
    campaign: MadeUpCampaign, tmp_path: Path
) -> None:
    looks = []
    for _ in range(3):
        found = judge_paper(request(tmp_path), Budget(15 / 60))
        looks.append([each.look for each in found.judged])
    assert looks == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    assert campaign.elapsed_s == 30


def test_the_cheapest_claims_have_their_first_look_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A run of each point was made before, so that their costs are known."""
    campaign = MadeUpCampaign({SURE: 3.0, CLOSE: 2.0, LINE: 1.0}).install(monkeypatch)
    wanted = request(tmp_path, ApartPaper(), numbers=FIGURES)
    seen = {place(SURE, "sure"): 1, place(CLOSE, "close"): 1, place(LINE, "line"): 1}
    campaign(wanted.points().runs(seen), tmp_path, wanted.options)
    before = campaign.elapsed_s
    found = judge_paper(wanted, Budget(28 / 60))  # their other nine seeds take 27, 18 and 9 s
    assert campaign.elapsed_s == before + 27
    assert [each.look for each in found.judged] == [0, 1, 1]


def test_the_shortest_budget_makes_one_run_of_each_protocol_and_no_error(
    campaign: MadeUpCampaign, tmp_path: Path
) -> None:
    for _ in range(2):
        found = reproduce_paper("made-up", request(tmp_path), Budget(0.001))
        assert words_of(found.claims) == {"sure": "undecided", "close": "undecided", "line": "undecided"}
    assert campaign.elapsed_s == 1


@pytest.mark.usefixtures("campaign")
def test_progress_says_how_many_claims_have_not_had_their_first_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines: list[str] = []
    progress = SimpleNamespace(begin=lines.append, end=lambda: None)
    monkeypatch.setattr("roamcast.api.claim_decision.campaign_progress", lambda _: progress)
    judge_paper(request(tmp_path, ApartPaper(), numbers=FIGURES), TWO_OF_THREE)
    assert lines[-1].startswith("decide: 1 of 3 claims want more seeds, and 1 have not had their first look, which ")
    assert lines[-1].endswith(" takes about 0.2 minutes; 0 more runs")


# --- readings ------------------------------------------------------------------------------------------------------


def test_every_reading_is_judged_and_seeds_go_to_its_own_points(campaign: MadeUpCampaign, tmp_path: Path) -> None:
    found = judge_paper(request(tmp_path, readings=2), HOUR)
    assert words(found) == words(found, "other") == {"sure": "holds", "close": "holds", "line": "undecided"}
    both = {place(CLOSE): 90, place(CLOSE, "ranges@other"): 90}
    assert both.items() <= campaign.counts(-1).items()
    assert campaign.counts(-1)[place(SURE, "ranges@other")] == 10


# --- the result ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("campaign")
def test_a_result_has_the_claims_of_the_default_reading_and_those_of_all(tmp_path: Path) -> None:
    result = reproduce_paper("made-up", request(tmp_path, readings=2))
    assert [(each.claim.name, each.reading) for each in result.claims] == [
        ("sure", "default"),
        ("close", "default"),
        ("line", "default"),
    ]
    assert [each.reading for each in result.judged] == ["default"] * 3 + ["other"] * 3
    assert repr(result).startswith("<ReproduceResult made-up, quick: claims: ")
    html = result._repr_html_()
    assert "<td>close</td>" in html
    assert all(each.verdict.definition in unescape(html) for each in result.claims)
    page = result.page.read_text(encoding="utf-8")
    assert "roamcast reproduce made-up --readings --scale quick" in page
    assert "Readings" in page


@pytest.mark.usefixtures("campaign")
def test_the_page_says_how_it_was_made(tmp_path: Path) -> None:
    decided = reproduce_paper("made-up", request(tmp_path), HOUR)
    assert "roamcast claims made-up --decide --scale quick" in decided.page.read_text(encoding="utf-8")
    some = reproduce_paper("made-up", request(tmp_path, numbers=(1,)))
    assert "roamcast reproduce made-up --figure 1 --scale quick" in some.page.read_text(encoding="utf-8")
