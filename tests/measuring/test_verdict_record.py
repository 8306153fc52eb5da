"""The record of verdicts: nothing that was judged with other bands is forgotten, and nothing else is repeated."""

from roamcast.measuring.statistics import SHARE
from roamcast.measuring.verdicts import Band, Claim, Finding, Part, Value, at_least, within
from roamcast.measuring.verdicts.record import Record, Setting, earlier_verdicts, finding_document, latest, written_down

FULL = Setting("full", "default", "1.0", "2026-01-01")


def finding(band: Band, value: float = 0.9, name: str = "claim", replaces: tuple[str, ...] = ()) -> Finding:
    claim = Claim(name, "5", "Much is delivered", f"band {band}", (1,), lambda _: [], replaces=replaces)
    return Finding(claim, (Part("delivered", Value(value, 0.01, 20, SHARE), band), Part("shown", None)))


def test_the_same_question_has_one_entry_with_the_newest_answer() -> None:
    record = written_down({}, finding(at_least(0.8)), FULL)
    record = written_down(record, finding(at_least(0.8), value=0.5), FULL)
    assert [entry["verdict"] for entry in record["claim"]] == ["contradicted"]


def test_another_band_scale_or_reading_is_another_entry() -> None:
    record = written_down({}, finding(at_least(0.8)), FULL)
    record = written_down(record, finding(at_least(0.95)), FULL)
    record = written_down(record, finding(at_least(0.95)), Setting("quick", "default", "1.0", "2026-01-02"))
    record = written_down(record, finding(at_least(0.95)), Setting("full", "other", "1.0", "2026-01-02"))
    assert [(entry["verdict"], entry["scale"], entry["reading"]) for entry in record["claim"]] == [
        ("holds", "full", "default"),
        ("contradicted", "full", "default"),
        ("contradicted", "quick", "default"),
        ("contradicted", "full", "other"),
    ]


def test_a_band_that_was_changed_shows_the_former_verdict_and_one_that_was_not_shows_nothing() -> None:
    record = written_down({}, finding(at_least(0.95)), FULL)
    assert earlier_verdicts(record, finding(at_least(0.95), value=0.99)) == []
    (before,) = earlier_verdicts(record, finding(at_least(0.8)))
    assert (before["verdict"], before["tolerance"]) == ("contradicted", "band at least 0.95")


def test_a_favourable_side_or_a_value_of_no_effect_is_a_part_of_the_band() -> None:
    record = written_down({}, finding(within(0.8, 1.0)), FULL)
    assert earlier_verdicts(record, finding(within(0.8, 1.0))) == []
    assert len(earlier_verdicts(record, finding(Band(0.8, 1.0, at_least(1).favours)))) == 1
    assert len(earlier_verdicts(record, finding(Band(0.8, 1.0, at_least(1).favours, 0.0)))) == 1


def test_what_a_claim_replaces_is_part_of_its_record() -> None:
    record = written_down({}, finding(at_least(0.99), name="old"), FULL)
    new = finding(at_least(0.8), name="new", replaces=("old",))
    assert [entry["name"] for entry in earlier_verdicts(record, new)] == ["old"]
    assert earlier_verdicts(record, finding(at_least(0.8), name="new")) == []


def test_the_latest_entry_is_found_by_scale_and_reading() -> None:
    record: Record = written_down({}, finding(at_least(0.99)), FULL)
    record = written_down(record, finding(at_least(0.8)), FULL)
    entry = latest(record, finding(at_least(0.8)).claim, "full", "default")
    assert entry is not None
    assert entry["verdict"] == "holds"
    assert latest(record, finding(at_least(0.8)).claim, "quick", "default") is None


def test_a_finding_is_written_with_its_numbers_and_bands() -> None:
    document = finding_document(finding(at_least(0.8)))
    judged, shown = document["parts"]
    assert judged["band"] == {"low": 0.8, "high": None, "favours": "above", "no_effect": None, "margin": 0.0}
    assert judged["low"] < judged["value"] < judged["high"]
    assert (judged["seeds"], judged["verdict"]) == (20, "holds")
    assert (shown["value"], shown["band"], shown["verdict"]) == (None, None, None)
