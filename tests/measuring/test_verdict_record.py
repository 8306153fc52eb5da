"""The record of verdicts: nothing that was judged with other bands is forgotten, and nothing else is repeated."""

from dataclasses import replace
from typing import Any

from roamcast.measuring.statistics import SHARE
from roamcast.measuring.verdicts import Band, Claim, Deviation, Finding, Part, Value, at_least, within
from roamcast.measuring.verdicts.record import (
    DEFAULT_VALUES,
    Document,
    Record,
    Setting,
    earlier_verdicts,
    finding_document,
    latest,
    was_changed,
    written_down,
)

FULL = Setting("full", "default", "1.0", "2026-01-01")


def finding(band: Band, value: float = 0.9, name: str = "claim", replaces: tuple[str, ...] = ()) -> Finding:
    claim = Claim(name, "5", "Much is delivered", f"band {band}", (1,), lambda _: [], replaces=replaces)
    return Finding(claim, (Part("delivered", Value(value, 0.01, 20), band), Part("shown", None)))


def of_seeds(*seeds: int, value: float = 0.9) -> Finding:
    """Return a claim of several numbers, each measured with so many seeds, or not at all with none."""
    measured = [Value(value, 0.01, count) if count else None for count in seeds]
    parts = (Part(f"number {index}", each, at_least(0.8)) for index, each in enumerate(measured))
    return Finding(finding(at_least(0.8)).claim, (*parts, Part("shown", Value(1.0, 0.1, 999))))


def without(record: Record, *keys: str) -> Record:
    """Return a record as an earlier version wrote it: without some keys of its entries and of their bands."""

    def older(document: Document) -> Document:
        return {key: value for key, value in document.items() if key not in keys}

    def entry_before(entry: Document) -> Document:
        parts = [{**part, "band": part["band"] and older(part["band"])} for part in entry["parts"]]
        return {**older(entry), "parts": parts}

    return {name: [entry_before(entry) for entry in entries] for name, entries in record.items()}


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
    assert judged["band"] == {
        "low": 0.8,
        "high": None,
        "favours": "above",
        "no_effect": None,
        "margin": 0.0,
        "is_log": False,
    }
    assert judged["low"] < judged["value"] < judged["high"]
    assert (judged["seeds"], judged["verdict"]) == (20, "holds")
    assert (shown["value"], shown["band"], shown["verdict"]) == (None, None, None)


# --- everything that is part of a question -------------------------------------------------------------------------


def test_a_margin_is_a_part_of_the_band_unless_the_entry_was_made_before_it_was_written_down() -> None:
    narrow, wide = (finding(Band(0.8, margin=margin)) for margin in (0.01, 0.05))
    record = written_down({}, narrow, FULL)
    assert earlier_verdicts(record, narrow, FULL) == []
    assert len(earlier_verdicts(record, wide, FULL)) == 1
    assert len(earlier_verdicts(record, finding(Band(0.8, margin=0.01, is_log=True)), FULL)) == 1
    assert len(written_down(record, wide, FULL)["claim"]) == 2
    old = without(record, "margin", "is_log")
    assert earlier_verdicts(old, wide, FULL) == []
    assert len(written_down(old, wide, FULL)["claim"]) == 1


def test_a_reason_why_a_claim_is_untestable_that_is_added_changed_or_removed_is_a_change() -> None:
    plain = finding(at_least(0.8))
    vague, other = (
        Finding(replace(plain.claim, untestable=reason), plain.parts) for reason in ("it is vague", "it is lost")
    )
    for before, now in [(plain, vague), (vague, other), (vague, plain)]:
        record = written_down({}, before, FULL)
        assert [entry["verdict"] for entry in earlier_verdicts(record, now, FULL)] == [before.verdict.value]
        assert len(written_down(record, now, FULL)["claim"]) == 2
        assert earlier_verdicts(without(record, "untestable"), now, FULL) == []
    quick = written_down({}, vague, replace(FULL, scale="quick"))
    assert len(earlier_verdicts(quick, other, FULL)) == 1


def test_a_reading_that_means_something_else_is_a_change_unless_the_entry_does_not_say_what_it_meant() -> None:
    slow, fast = (replace(FULL, reading_values={"values": {"radio.bitrate_bps": rate}}) for rate in (1, 2))
    same = finding(at_least(0.8))
    record = written_down({}, same, slow)
    assert record["claim"][0]["reading_values"] == {"values": {"radio.bitrate_bps": 1}}
    assert earlier_verdicts(record, same, slow) == []
    assert len(earlier_verdicts(record, same, fast)) == 1
    assert len(written_down(record, same, fast)["claim"]) == 2
    assert len(earlier_verdicts(record, same, replace(FULL, reading_values={}))) == 1
    old = without(record, "reading_values")
    assert earlier_verdicts(old, same, fast) == []
    assert len(written_down(old, same, fast)["claim"]) == 1


def test_entries_of_other_readings_are_not_former_judgements() -> None:
    record = written_down({}, finding(at_least(0.95)), replace(FULL, reading="other"))
    assert earlier_verdicts(record, finding(at_least(0.8)), FULL) == []
    assert len(earlier_verdicts(record, finding(at_least(0.8)), replace(FULL, reading="other"))) == 1
    now = written_down({}, finding(at_least(0.8)), FULL)["claim"][0]
    (entry,) = record["claim"]
    assert not was_changed(entry, now, "full")
    assert was_changed({**entry, "reading": "default"}, now, "full")


def test_the_latest_entry_answers_the_question_that_was_asked_last_also_if_it_had_been_asked_before() -> None:
    record: Record = {}
    for value in (0.8, 0.95, 0.8):
        record = written_down(record, finding(at_least(value)), FULL)
    entry = latest(record, finding(at_least(0.8)).claim, "full", "default")
    assert entry is not None
    assert entry["tolerance"] == "band at least 0.8"
    assert len(record["claim"]) == 2


def printed(runs: int, value: float = 0.9) -> Finding:
    """Return a claim about a number that the paper printed from so many runs, beside one that it did not print."""
    parts = (
        Part("delivered", Deviation(Value(value, 0.01, 20), 0.9, runs), within(-0.1, 0.1)),
        Part("more", Value(0.9, 0.01, 20), at_least(0.8)),
    )
    return Finding(finding(at_least(0.8)).claim, parts)


def test_the_number_of_runs_behind_a_printed_number_is_a_part_of_the_question() -> None:
    record = written_down({}, printed(30), FULL)
    assert [part["runs"] for part in record["claim"][0]["parts"]] == [30, None]
    assert earlier_verdicts(record, printed(30, value=0.95), FULL) == []
    assert [entry["verdict"] for entry in earlier_verdicts(record, printed(1), FULL)] == ["holds"]
    assert len(written_down(record, printed(1), FULL)["claim"]) == 2


def test_an_entry_that_does_not_mention_the_runs_is_no_other_question() -> None:
    old = written_down({}, printed(30), FULL)
    for part in old["claim"][0]["parts"]:
        del part["runs"]
    assert earlier_verdicts(old, printed(1), FULL) == []
    (entry,) = written_down(old, printed(1), FULL)["claim"]
    assert entry["parts"][0]["runs"] == 1


def default_values(**values: Any) -> Setting:
    """Return the default reading with these values of the keys that other readings change."""
    return replace(FULL, reading_values={DEFAULT_VALUES: values})


def test_the_default_means_something_else_if_a_key_that_both_entries_know_has_other_values() -> None:
    same = finding(at_least(0.8))
    record = written_down({}, same, default_values(rate=[1, 2], phase=["random"]))
    for now, count in (
        (default_values(rate=[1, 2], phase=["random"]), 0),
        (default_values(rate=[1], phase=["random"]), 1),
        (default_values(rate=[1, 2], phase=["random"], stops=[0.2]), 0),  # a reading was added
        (default_values(rate=[1, 2]), 0),  # one was removed
        (default_values(rate=[1, 3], stops=[0.2]), 1),
    ):
        assert len(earlier_verdicts(record, same, now)) == count
        assert len(written_down(record, same, now)["claim"]) == 1 + count


def test_an_entry_says_where_its_seeds_begin_what_would_decide_it_and_what_was_known_before() -> None:
    late = finding(at_least(0.8))
    late = Finding(replace(late.claim, after_results="Added late."), late.parts)
    setting = replace(FULL, first_seed=3001, to_decide="about 120 seeds would decide it")
    (entry,) = written_down({}, late, setting)["claim"]
    assert (entry["first_seed"], entry["to_decide"]) == (3001, "about 120 seeds would decide it")
    assert entry["after_results"] == finding_document(late)["after_results"] == "Added late."
    (entry,) = written_down({}, finding(at_least(0.8)), FULL)["claim"]
    assert (entry["first_seed"], entry["to_decide"], entry["after_results"]) == (None, "", "")


def test_neither_other_seeds_nor_a_later_remark_on_known_results_make_another_question() -> None:
    record = written_down({}, finding(at_least(0.8)), replace(FULL, first_seed=2001))
    late = finding(at_least(0.8), value=0.5)
    late = Finding(replace(late.claim, after_results="Changed."), late.parts)
    now = replace(FULL, first_seed=3001)
    assert earlier_verdicts(record, late, now) == []
    (entry,) = written_down(record, late, now)["claim"]
    assert (entry["verdict"], entry["first_seed"]) == ("contradicted", 3001)


# --- a single look -------------------------------------------------------------------------------------------------


def at_error(error: float, value: float = 0.9, seeds: int = 20) -> Finding:
    """Return a claim whose interval may miss the truth so often."""
    return Finding(finding(at_least(0.8)).claim, (Part("delivered", Value(value, 0.01, seeds), at_least(0.8)),), error)


def test_a_single_look_never_replaces_a_planned_one_however_many_seeds_it_has() -> None:
    planned = written_down({}, at_error(0.0144), FULL)
    for seeds in (20, 500):
        (entry,) = written_down(planned, at_error(0.05, value=0.5, seeds=seeds), FULL)["claim"]
        assert (entry["verdict"], entry["error"]) == ("holds", 0.0144)
    (entry,) = written_down(planned, at_error(0.0144, value=0.5), FULL)["claim"]
    assert entry["verdict"] == "contradicted"


def test_a_planned_look_that_decides_replaces_an_open_one_with_more_seeds() -> None:
    """The same seeds decide a claim earlier only with another version of the program; its answer counts."""
    still_open = written_down({}, at_error(0.03, value=0.805, seeds=270), FULL)
    assert still_open["claim"][0]["verdict"] == "undecided"
    (entry,) = written_down(still_open, at_error(0.00375, seeds=10), FULL)["claim"]
    assert (entry["verdict"], entry["error"]) == ("holds", 0.00375)
    decided = written_down({}, at_error(0.03, seeds=270), FULL)
    (entry,) = written_down(decided, at_error(0.00375, value=0.805, seeds=10), FULL)["claim"]
    assert (entry["verdict"], entry["error"]) == ("holds", 0.03)


def test_a_single_look_never_replaces_planned_ones_whatever_its_seeds() -> None:
    planned = written_down({}, at_error(0.03), replace(FULL, first_seed=1001))
    (entry,) = written_down(planned, at_error(0.05, value=0.5), replace(FULL, first_seed=2001))["claim"]
    assert (entry["verdict"], entry["first_seed"]) == ("holds", 1001)
    assert [(each["first_seed"], each["verdict"]) for each in entry["former_verdicts"]] == [(2001, "contradicted")]


def test_a_number_of_another_point_or_metric_is_another_question_at_the_same_scale() -> None:
    def of(point: str, metric: str) -> Finding:
        measured = replace(finding(at_least(0.8)).parts[0], points=frozenset({("sweep", point)}))
        return Finding(finding(at_least(0.8)).claim, (replace(measured, metrics=frozenset({metric})),))

    record = written_down({}, of("60 %", "delivery_ratio"), FULL)
    assert earlier_verdicts(record, of("60 %", "delivery_ratio"), FULL) == []
    for other in (of("20 %", "delivery_ratio"), of("60 %", "reliability")):
        assert [entry["verdict"] for entry in earlier_verdicts(record, other, FULL)] == ["holds"]
        assert earlier_verdicts(record, other, replace(FULL, scale="quick")) == []
        assert len(written_down(record, other, FULL)["claim"]) == 2
    assert earlier_verdicts(without_measured(record), of("20 %", "reliability"), FULL) == []


def without_measured(record: Record) -> Record:
    """Return a record of before numbers said what they are made of."""
    return {
        name: [{**entry, "parts": [{**part, "measured": None} for part in entry["parts"]]} for entry in entries]
        for name, entries in record.items()
    }


def test_another_number_of_the_paper_is_another_question() -> None:
    def printed(number: float) -> Finding:
        own = Deviation(Value(0.7, 0.001, 270, SHARE), number, 10**6)
        return Finding(finding(at_least(0.8)).claim, (Part("less the paper's", own, within(-0.05, 0.05)),), 0.03)

    record = written_down({}, printed(0.60), FULL)
    (before,) = earlier_verdicts(record, printed(0.69), FULL)
    assert before["verdict"] == "contradicted"
    assert [entry["verdict"] for entry in written_down(record, printed(0.69), FULL)["claim"]] == [
        "contradicted",
        "holds",
    ]


def test_what_other_seeds_found_with_the_same_bands_stays_on_record() -> None:
    record: Record = {}
    for first_seed, value in ((1001, 0.9), (2001, 0.5), (2001, 0.5), (3001, 0.9)):
        record = written_down(record, at_error(0.03, value=value), replace(FULL, first_seed=first_seed))
    (entry,) = record["claim"]
    assert (entry["verdict"], entry["first_seed"]) == ("holds", 3001)
    former = [(each["first_seed"], each["verdict"]) for each in entry["former_verdicts"]]
    assert former == [(1001, "holds"), (2001, "contradicted")]


def test_a_verdict_that_another_version_of_the_program_turned_stays_on_record_but_not_that_a_claim_was_open() -> None:
    record: Record = {}
    for value in (0.805, 0.9, 0.9, 0.5):
        record = written_down(record, at_error(0.03, value=value), FULL)
    (entry,) = record["claim"]
    assert (entry["verdict"], [each["verdict"] for each in entry["former_verdicts"]]) == ("contradicted", ["holds"])


def test_a_single_look_on_the_seeds_of_planned_ones_is_no_former_verdict_and_one_repeated_later_no_other() -> None:
    planned = written_down({}, at_error(0.03, value=0.805, seeds=270), FULL)
    (entry,) = written_down(planned, at_error(0.05, seeds=30), FULL)["claim"]
    assert (entry["verdict"], entry["former_verdicts"]) == ("undecided", [])
    single = written_down({}, at_error(0.05, seeds=30), FULL)
    (entry,) = written_down(single, at_error(0.03, value=0.5, seeds=30), FULL)["claim"]
    assert (entry["verdict"], entry["former_verdicts"]) == ("contradicted", [])
    record = written_down({}, at_error(0.03), replace(FULL, first_seed=1001))
    for date in ("2026-01-02", "2026-01-03"):
        setting = replace(FULL, first_seed=2001, date=date)
        record = written_down(record, at_error(0.05, value=0.5), setting)
    assert [each["date"] for each in record["claim"][0]["former_verdicts"]] == ["2026-01-02"]


def test_a_later_planned_look_replaces_an_earlier_one_although_it_may_err_more_often() -> None:
    first = written_down({}, at_error(0.00375, seeds=10), FULL)
    (entry,) = written_down(first, at_error(0.03, value=0.5, seeds=270), FULL)["claim"]
    assert (entry["verdict"], entry["error"]) == ("contradicted", 0.03)


def test_a_planned_look_replaces_a_single_one_with_as_many_seeds() -> None:
    single = written_down({}, at_error(0.05), FULL)
    (entry,) = written_down(single, at_error(0.0144, value=0.5), FULL)["claim"]
    assert (entry["verdict"], entry["error"]) == ("contradicted", 0.0144)


def test_an_entry_that_does_not_say_how_often_it_may_err_is_replaced() -> None:
    old = written_down({}, at_error(0.0144), FULL)
    del old["claim"][0]["error"]
    (entry,) = written_down(old, at_error(0.05, value=0.5), FULL)["claim"]
    assert entry["verdict"] == "contradicted"


# --- fewer seeds ---------------------------------------------------------------------------------------------------


def test_an_answer_with_fewer_seeds_does_not_replace_one_with_more() -> None:
    record = written_down({}, of_seeds(270), FULL)
    record = written_down(record, of_seeds(10, value=0.5), replace(FULL, date="2026-02-02"))
    (entry,) = record["claim"]
    assert (entry["verdict"], entry["date"], entry["parts"][0]["seeds"]) == ("holds", "2026-01-01", 270)
    (entry,) = written_down(record, of_seeds(270, value=0.5), FULL)["claim"]
    assert entry["verdict"] == "contradicted"


def test_of_claims_with_several_numbers_the_most_measured_ones_count_and_then_the_most_seeds() -> None:
    def kept(before: Finding, after: Finding) -> list[int]:
        (entry,) = written_down(written_down({}, before, FULL), after, FULL)["claim"]
        return [part["seeds"] for part in entry["parts"][:-1]]

    assert kept(of_seeds(10, 270), of_seeds(30, 30)) == [10, 270]  # number 0 was settled at the first look
    assert kept(of_seeds(30, 30), of_seeds(10, 270)) == [10, 270]
    assert kept(of_seeds(10, 10), of_seeds(270, 0)) == [10, 10]
    assert kept(of_seeds(270, 0), of_seeds(10, 10)) == [10, 10]


def test_an_entry_that_does_not_tell_its_seeds_is_replaced() -> None:
    record = written_down({}, of_seeds(270), FULL)
    for part in record["claim"][0]["parts"]:
        del part["seeds"]
    (entry,) = written_down(record, of_seeds(10), FULL)["claim"]
    assert entry["parts"][0]["seeds"] == 10
