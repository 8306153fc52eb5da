"""The record of a campaign: which verdicts, with what they rest on, and which changes of a paper it notices."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from made_up_campaigns import (
    CLOSE,
    FIRST_SEED,
    LINE,
    MEANS,
    METRIC,
    RANGE,
    SURE,
    MadeUpCampaign,
    MadeUpPaper,
    record_of,
    request,
)

from roamcast.api.claim_decision import Budget
from roamcast.api.paper_campaign import judge_paper
from roamcast.api.reproduce import reproduce_paper
from roamcast.api.verdict_record import cost_of, reading_values
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import run_id
from roamcast.core.errors import UserError
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Deviation, Finding, Part, Value, Verdict, at_least, at_most, within
from roamcast.measuring.verdicts.judged import Cost
from roamcast.measuring.verdicts.looks import Looks
from roamcast.papers import PaperSweep, Reading
from roamcast.papers.shared.claim_parts import printed_part

HOUR = Budget(60.0)


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> MadeUpCampaign:
    return MadeUpCampaign().install(monkeypatch)


@pytest.mark.usefixtures("campaign")
def test_the_file_has_a_line_for_each_verdict(tmp_path: Path) -> None:
    judge_paper(request(tmp_path, readings=2), HOUR)
    lines = (tmp_path / "verdicts.json").read_text("utf-8").splitlines()
    verdicts = [json.loads(line.rstrip(",")) for line in lines if line.startswith(" ")]
    assert verdicts == [entry for entries in record_of(tmp_path).values() for entry in entries]


@pytest.mark.usefixtures("campaign")
def test_every_verdict_is_written_down_with_its_band_and_a_repetition_takes_its_place(tmp_path: Path) -> None:
    for _ in range(2):
        judge_paper(request(tmp_path, readings=2), HOUR)
    record = record_of(tmp_path)
    assert {name: len(entries) for name, entries in record.items()} == {"sure": 2, "close": 2, "line": 2}
    entry = record["close"][1]
    assert (entry["scale"], entry["reading"], entry["verdict"]) == ("quick", "other", "holds")
    (part,) = entry["parts"]
    assert part["band"] == {
        "low": 10.0,
        "high": None,
        "favours": "above",
        "no_effect": None,
        "margin": 0.05,
        "is_log": True,
    }


@pytest.mark.usefixtures("campaign")
def test_a_band_that_is_changed_after_a_campaign_shows_the_old_verdict_on_the_page_without_anyones_help(
    tmp_path: Path,
) -> None:
    first = reproduce_paper("made-up", request(tmp_path), HOUR)
    assert "Changed after results" not in first.page.read_text(encoding="utf-8")
    changed = MadeUpPaper({SURE: at_most(15.0)})
    second = reproduce_paper("made-up", request(tmp_path, changed), HOUR)
    (sure,) = (each for each in second.claims if each.claim.name == "sure")
    assert sure.verdict is Verdict.CONTRADICTED
    assert [(entry["verdict"], entry["tolerance"]) for entry in sure.earlier] == [("holds", "at least 10")]
    text = second.page.read_text(encoding="utf-8")
    assert "Changed after results were seen" in text
    assert "holds (quick scale, " in text
    assert [len(record_of(tmp_path)[name]) for name in ("sure", "close")] == [2, 1]
    third = reproduce_paper("made-up", request(tmp_path, changed), HOUR)
    assert "Changed after results were seen" in third.page.read_text(encoding="utf-8")
    assert {each.claim.name for each in third.claims if each.earlier} == {"sure"}


@pytest.mark.parametrize(
    "text", ["{", "", "[1, 2]", '{"sure": null}', '{"sure": [3]}', '{"sure": [{"name": "sure"}]}', '{"other": []}']
)
def test_a_record_that_is_damaged_or_another_papers_is_one_line_and_stays_as_it_is(
    tmp_path: Path, campaign: MadeUpCampaign, text: str
) -> None:
    judge_paper(request(tmp_path), HOUR)
    (tmp_path / "verdicts.json").write_text(text, encoding="utf-8")
    calls = len(campaign.calls)
    with pytest.raises(UserError, match=str(tmp_path)):
        judge_paper(request(tmp_path), HOUR)
    assert (tmp_path / "verdicts.json").read_text(encoding="utf-8") == text
    assert len(campaign.calls) == calls


@pytest.mark.parametrize(
    "part", [("parts", "x"), ("verdict", "great"), ("verdict", ["holds"]), ("low", "x"), ("value", True)]
)
def test_parts_of_an_entry_that_are_none_are_one_line(
    tmp_path: Path, campaign: MadeUpCampaign, part: tuple[str, Any]
) -> None:
    judge_paper(request(tmp_path), HOUR)
    record = record_of(tmp_path)
    key, value = part
    entry = record["sure"][-1]
    (entry if key in entry else entry["parts"][0])[key] = value
    (tmp_path / "verdicts.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(UserError, match="is not a record of verdicts"):
        judge_paper(request(tmp_path), HOUR)
    assert campaign.calls


@pytest.mark.usefixtures("campaign")
def test_a_reading_that_is_changed_after_a_campaign_shows_its_own_old_verdicts_and_no_others(tmp_path: Path) -> None:
    class Changed(MadeUpPaper):
        default, other = MadeUpPaper.readings
        readings = (default, replace(other, values={"protocol.phase": "reception", "nodes.count": 5}))

    judge_paper(request(tmp_path, readings=2), HOUR)
    found = judge_paper(request(tmp_path, Changed(), readings=2), HOUR)
    assert {(each.reading, entry["reading"]) for each in found.judged for entry in each.earlier} == {("other", "other")}
    assert [entry.get("reading_values") for entry in record_of(tmp_path)["sure"]] == [
        {"values": {"protocol.phase": "reception"}},
        {"default": {"nodes.count": [4], "protocol.phase": ["random"]}},
        {"values": {"protocol.phase": "reception", "nodes.count": 5}},
    ]


def test_everything_but_the_words_of_a_reading_decides_what_it_means() -> None:
    @dataclass(frozen=True)
    class LaterReading(Reading):
        hours: Mapping[str, str] = field(default_factory=dict)

    plain = Reading("name", "differs", "support", {"mobility.pause_s": (0.0, 1.0)}, ("speed",))
    found = reading_values(MadeUpPaper(), plain)
    assert found == {"values": {"mobility.pause_s": [0.0, 1.0]}, "sweeps": ["speed"]}
    assert json.loads(json.dumps(found)) == found
    later = LaterReading("other", "words", "words", plain.values, plain.sweeps)
    assert reading_values(MadeUpPaper(), later) == found
    assert reading_values(MadeUpPaper(), replace(later, hours={"a": "b"})) == {**found, "hours": {"a": "b"}}
    assert reading_values(MadeUpPaper(), replace(plain, runs=30)) == {**found, "runs": 30}


class FasterPaper(MadeUpPaper):
    """The paper with another reading, about the radio, and with a radio and a number of nodes that can be changed."""

    readings = (
        *MadeUpPaper.readings,
        Reading("slow", "a slow radio", "section 3", {"radio.bitrate_bps": 1e6, "protocol.exchange": "x"}),
    )
    values: ClassVar[Mapping[str, Any]] = {}

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:
        """Return the sweeps with other values."""
        return [
            replace(
                sweep,
                runs=tuple(
                    replace(run, scenario_json=text, run_id=run_id(text, run.seed))
                    for run in sweep.runs
                    for text in [Scenario.from_json(run.scenario_json).with_values(self.values).canonical_json()]
                ),
            )
            for sweep in super().sweeps(scale)
        ]


def test_the_default_means_what_its_scenarios_have_of_the_keys_that_readings_change() -> None:
    class Ranges(MadeUpPaper):
        readings = (*MadeUpPaper.readings, Reading("far", "farther", "section 3", {"radio.range_m": 90}))

    class Faster(FasterPaper):
        values: ClassVar[Mapping[str, Any]] = {"radio.bitrate_bps": 5.5e6, "nodes.count": 5}

    assert reading_values(MadeUpPaper(), MadeUpPaper.readings[0]) == {"default": {"protocol.phase": ["random"]}}
    assert reading_values(Ranges(), Ranges.readings[0])["default"]["radio.range_m"] == [SURE, CLOSE, LINE]
    assert reading_values(Faster(), Faster.readings[0]) == {
        "default": {"protocol.exchange": [], "protocol.phase": ["random"], "radio.bitrate_bps": [5.5e6]}
    }


@pytest.mark.usefixtures("campaign")
def test_a_default_that_is_changed_after_a_campaign_shows_the_old_verdicts_and_a_new_reading_does_not(
    tmp_path: Path,
) -> None:
    class Faster(FasterPaper):
        values: ClassVar[Mapping[str, Any]] = {"radio.bitrate_bps": 5.5e6}

    def changed(paper: MadeUpPaper) -> set[str]:
        return {each.claim.name for each in judge_paper(request(tmp_path, paper), HOUR).judged if each.earlier}

    assert changed(MadeUpPaper()) == set()
    assert changed(FasterPaper()) == set()  # it has a reading more
    assert [len(entries) for entries in record_of(tmp_path).values()] == [1, 1, 1]
    assert changed(Faster()) == {"sure", "close", "line"}
    assert [len(entries) for entries in record_of(tmp_path).values()] == [2, 2, 2]


@pytest.mark.usefixtures("campaign")
def test_an_entry_has_the_first_seed_of_the_paper_and_the_cost_of_an_open_claim_in_words(tmp_path: Path) -> None:
    found = judge_paper(request(tmp_path), Budget(0.5 + 19 / 60))
    record = record_of(tmp_path)
    assert {entry["first_seed"] for entries in record.values() for entry in entries} == {FIRST_SEED}
    costs = {each.claim.name: each.cost for each in found.judged}
    assert {name: entries[0]["to_decide"] for name, entries in record.items()} == {
        "sure": "",
        "close": str(costs["close"]),
        "line": "not even 100,000 seeds would decide it",
    }
    assert record["close"][0]["to_decide"].startswith("about ")


class PrintedPaper(MadeUpPaper):
    """The value of one point was printed, from one run, or as another reading has it, from fifty."""

    readings = (
        MadeUpPaper.readings[0],
        Reading("many", "a mean over many runs", "section 4", sweeps=("ranges",), runs=50),
    )

    def claims(self) -> Sequence[Claim]:
        """Return a claim about the printed number."""

        def measure(measured: Measurements) -> Sequence[Part]:
            rows = measured.where("ranges", METRIC, {RANGE: LINE})
            return [printed_part("70 m", row, MEANS[LINE], 1, within(-4.0, 4.0)) for row in rows]

        return [Claim("printed", "section 1", "It is as printed", "within 4", (1,), measure)]


@pytest.mark.usefixtures("campaign")
@pytest.mark.parametrize("budget", [None, HOUR])
def test_claims_are_judged_with_the_runs_that_a_reading_has_behind_printed_numbers(
    tmp_path: Path, budget: Budget | None
) -> None:
    found = judge_paper(request(tmp_path, PrintedPaper(), readings=2), budget)
    runs = {
        each.reading: part.quantity.runs
        for each in found.judged
        for part in each.finding.parts
        if isinstance(part.quantity, Deviation)
    }
    assert runs == {"default": 1, "many": 50}
    assert [entry["parts"][0]["runs"] for entry in record_of(tmp_path)["printed"]] == [1, 50]
    assert all(each.earlier == () for each in found.judged)
    if budget is not None:
        assert {each.reading: each.verdict for each in found.judged} == {
            "default": Verdict.UNTESTABLE,
            "many": Verdict.HOLDS,
        }


def cost(*parts: Part, seconds: float = 1.0, looked: tuple[int, Looks] | None = None) -> Cost:
    """Return what deciding a claim of these numbers would take, if a seed of any point takes so long."""
    claim = Claim("claim", "5", "It is so", "near", (1,), lambda _: [])
    points = {point: point for part in parts for point in part.points}
    found = cost_of(Finding(claim, parts), points, dict.fromkeys(points, seconds), looked)
    assert found is not None
    return found


def test_the_cost_says_whether_seeds_would_decide_a_claim_or_show_that_it_cannot_be_tested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})

    def printed(deviation: float) -> Part:
        own = Value(100 + deviation, 4.0, 10)
        return Part("x", Deviation(own, 100.0, 30), within(-10, 10), frozenset({("sweep", "x")}))

    hopeless, decidable = cost(printed(10)), cost(printed(3))
    assert hopeless.seeds is not None
    assert hopeless.minutes == pytest.approx((hopeless.seeds - 10) / 60)
    assert f"about {hopeless.seeds} seeds would show that it cannot be tested, " in str(hopeless)
    assert f"about {decidable.seeds} seeds would decide it, " in str(decidable)
    assert cost(Part("x", Value(10.0, 1.0, 10), at_least(10))) == Cost(None, None)


def test_beyond_the_last_look_a_claim_costs_the_fresh_seeds_of_all_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    looks = Looks((10, 30), (0.02, 0.03))
    still_open = Part("open", Value(10.2, 1.0, 30), at_least(10), frozenset({("sweep", "open")}))
    settled = Part("settled", Value(99.0, 1.0, 10), at_least(10), frozenset({("sweep", "settled")}))
    found = cost(still_open, settled, looked=(2, looks))
    assert found.seeds is not None
    assert found.seeds > 30
    assert found.minutes == pytest.approx((found.seeds + 10) / 60)
    assert f"about {found.seeds:,} seeds would decide it, more than the 30 of the last look: " in str(found)
    at_its_first = replace(still_open, quantity=Value(11.0, 1.0, 10))
    at_a_look = cost(at_its_first, settled, looked=(1, Looks((10, 90), (0.02, 0.03))))
    assert at_a_look.seeds == 90
    assert at_a_look.minutes == pytest.approx(80 / 60)


@pytest.mark.usefixtures("campaign")
def test_an_entry_without_a_reading_is_the_defaults(tmp_path: Path) -> None:
    judge_paper(request(tmp_path), HOUR)
    record = {name: [{**entry} for entry in entries] for name, entries in record_of(tmp_path).items()}
    for entries in record.values():
        del entries[0]["reading"]
    (tmp_path / "verdicts.json").write_text(json.dumps(record), encoding="utf-8")
    changed = judge_paper(request(tmp_path, MadeUpPaper({SURE: at_most(15.0)}), readings=2), HOUR)
    assert [(each.reading, each.claim.name) for each in changed.judged if each.earlier] == [("default", "sure")]


@pytest.mark.usefixtures("campaign")
def test_a_verdict_at_planned_looks_is_not_replaced_by_one_with_the_few_seeds_of_a_scale(tmp_path: Path) -> None:
    judge_paper(request(tmp_path), HOUR)
    found = judge_paper(request(tmp_path))
    assert {each.claim.name: each.verdict for each in found.judged}["close"] is Verdict.UNDECIDED
    (entry,) = record_of(tmp_path)["close"]
    assert (entry["verdict"], entry["parts"][0]["seeds"]) == ("holds", 90)
