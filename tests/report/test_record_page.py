"""A paper's published record as a page shows it: verdicts by their word, readings, and what was changed."""

from types import SimpleNamespace
from typing import Any

from judged_claims import judged, part

from roamcast.measuring.verdicts import Verdict, at_most
from roamcast.measuring.verdicts.judged import JudgedClaim
from roamcast.measuring.verdicts.record import Record, Setting, written_down
from roamcast.papers import Reading
from roamcast.report.record_page import changes_markdown, readings_markdown, verdicts_markdown

GOOD = judged(part(60, 80), name="good")
OPEN = judged(part(40, 70), name="open", replaces=("former",))
MANY = judged(
    *(part(60 + each, 80, label=f"point {each}") for each in range(4)),
    *(part(0.5, 0.9, label=f"bad {each}") for each in range(3)),
    name="many",
)
READINGS = (Reading("default", "as it is", "section 1"), Reading("other", "not so", "section 2"))
PAPER: Any = SimpleNamespace(
    readings=READINGS, first_seed=2001, claims=lambda: [each.claim for each in (OPEN, MANY, GOOD)]
)
FORMER = {
    "scale": "quick",
    "reading": "default",
    "version": "0.1.0",
    "date": "2026-11-01",
    "name": "former",
    "tolerance": "at most 100",
    "verdict": "not reproduced",
    "parts": [{"label": "y", "band": {"low": None, "high": 100}, "value": 3, "low": 2, "high": 4, "seeds": 4}],
}


def record(*claims: JudgedClaim, scale: str = "full", before: Record | None = None) -> Record:
    """Return a record with some claims judged on one day."""
    found = before or {}
    for each in claims:
        found = written_down(found, each.finding, Setting(scale, each.reading, "0.1.0", "2026-11-18"))
    return found


def test_without_a_campaign_at_full_scale_there_is_a_sentence() -> None:
    for found in ({}, record(GOOD, scale="quick"), {"former": [FORMER]}):
        assert verdicts_markdown(PAPER, found) == "No campaign has been published yet."


def test_verdicts_are_counted_and_grouped_by_their_word_and_all_words_are_defined() -> None:
    lines = verdicts_markdown(PAPER, record(OPEN, MANY, GOOD)).splitlines()
    assert lines[0] == (
        "**3 claims: 1 holds, 1 contradicted, 1 undecided.** Full scale, 10 seeds from 2001 on, version 0.1.0, "
        "2026-11-18."
    )
    assert [line.split(" | ")[:2] for line in lines[4:7]] == [
        ["| ✓ holds", "`good`"],
        ["| ✗ contradicted", "`many`"],
        ["| ? undecided", "`open`"],
    ]
    assert lines[4] == ("| ✓ holds | `good` | The paper says good (5.2, figure 3) | x: 70 [60, 80] | 50 to 100 |")
    assert all(f"*{word.value}*: {word.definition}" in lines[-1] for word in Verdict)


def test_a_claim_of_many_numbers_is_a_range_and_those_that_it_fails_on() -> None:
    (line,) = (line for line in verdicts_markdown(PAPER, record(MANY)).splitlines() if "`many`" in line)
    assert "7 numbers from 0.700 to 71.5; bad 0: 0.70 [0.50, 0.90]; bad 1: 0.70 [0.50, 0.90]; and 1 more" in line


def test_a_pooled_number_has_the_range_over_its_points() -> None:
    pooled = judged(part(60, 80, extent=(20.0, 300.0)), name="good")
    assert "x: 70 [60, 80], at its points 20 to 300" in verdicts_markdown(PAPER, record(pooled))


def test_readings_are_explained_and_stand_side_by_side_at_the_largest_scale_that_has_several() -> None:
    other = judged(part(0.5, 0.9), name="good", reading="other")
    quick = record(GOOD, OPEN, other, scale="quick")
    found = readings_markdown(PAPER, record(GOOD, before=quick))
    assert found.splitlines() == [
        "1. `default`: as it is (section 1)",
        "2. `other`: not so (section 2)",
        "",
        "| claim (quick scale) | 1 | 2 |",
        "|---|---|---|",
        "| `open` | ? |  |",
        "| `good` | ✓ | ✗ |",
    ]
    full = readings_markdown(PAPER, record(GOOD, other, before=quick))
    assert "| claim (full scale) | 1 | 2 |" in full
    assert "`open`" not in full


def test_words_of_an_earlier_encoding_are_not_among_the_verdicts() -> None:
    former = {**FORMER, "name": "good"}
    other = judged(part(60, 80), name="open", reading="other")
    found = record(OPEN, other, scale="quick", before={"good": [former]})
    assert "`good`" not in readings_markdown(PAPER, found)


def test_a_claim_that_was_encoded_otherwise_stands_beside_what_it_was() -> None:
    found = record(OPEN, GOOD, before={"former": [FORMER]})
    rows = changes_markdown(PAPER, found).splitlines()[2:]
    assert rows == ["| `open` | `former`: at most 100 | not reproduced (quick) | undecided |"]
    moved = record(judged(part(60, 80, at_most(90.0)), name="good", tolerance="at most 90"), before=found)
    assert changes_markdown(PAPER, moved).splitlines()[2:] == [
        *rows,
        "| `good` | `good`: 50 to 100 | holds (full) | holds |",
    ]


def test_a_claim_with_more_points_at_another_scale_was_not_changed() -> None:
    wide = judged(part(60, 80, label="a"), part(60, 80, label="b"), name="good")
    narrow = judged(part(60, 80, label="a"), name="good")
    found = record(wide, before=record(narrow, scale="quick"))
    assert changes_markdown(PAPER, found).splitlines()[2:] == []
    dropped = record(narrow, before=record(wide))
    assert len(changes_markdown(PAPER, dropped).splitlines()[2:]) == 1
