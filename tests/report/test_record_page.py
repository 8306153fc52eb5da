"""A paper's published record as its two pages show it: the count, the table, each claim, readings and changes."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from judged_claims import ALL, BAND, judged, part

from roamcast.measuring.verdicts import Band, Part, Side, Value, Verdict, at_least, at_most, within
from roamcast.measuring.verdicts.judged import Cost, JudgedClaim
from roamcast.measuring.verdicts.record import Record, Setting, written_down
from roamcast.papers import Reading, SeedsUsed
from roamcast.report.record_page import (
    UNPUBLISHED,
    changes_markdown,
    claims_markdown,
    groups_markdown,
    readings_markdown,
    tally_markdown,
    verdicts_markdown,
)

GOOD = judged(part(60, 80), name="good")
OPEN = judged(part(40, 70), name="open", replaces=("former",))
MANY = judged(
    *(part(60 + each, 80, label=f"point {each}") for each in range(4)),
    *(part(0.5, 0.9, label=f"bad {each}") for each in range(3)),
    name="many",
)
NEAR = judged(part(49, 52, replace(BAND, margin=0.05, is_log=True)), name="near", cost=Cost(500, 7.0))
READINGS = (Reading("default", "as it is", "section 1"), Reading("other", "not so", "section 2"))
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


def paper(*claims: JudgedClaim) -> Any:
    """Return a paper with these claims."""
    return SimpleNamespace(
        readings=READINGS, first_seed=2001, seeds_used=(), claims=lambda: [each.claim for each in claims]
    )


PAPER = paper(OPEN, MANY, GOOD)


def record(
    *claims: JudgedClaim, scale: str = "full", before: Record | None = None, first_seed: int | None = None
) -> Record:
    """Return a record with some claims judged on one day."""
    found = before or {}
    for each in claims:
        setting = Setting(scale, each.reading, "0.1.0", "2026-11-18", None, first_seed, str(each.cost or ""))
        found = written_down(found, each.finding, setting)
    return found


def rows(markdown: str) -> dict[str, list[str]]:
    """Return the cells of each row of the table of verdicts, by the claim's name."""
    cells = [line.strip("| ").split(" | ") for line in markdown.splitlines() if line.startswith("| ")]
    return {row[1].split("`")[1]: row for row in cells if "`" in row[1]}


def row(claim: JudgedClaim) -> list[str]:
    """Return what the table shows of a claim that is alone in it."""
    return rows(verdicts_markdown(paper(claim), record(claim)))[claim.claim.name]


def section(markdown: str, name: str) -> str:
    """Return what is said of a claim on the page of the claims."""
    return markdown.partition(f"### {name}\n")[2].partition("\n### ")[0]


def test_without_a_campaign_at_full_scale_there_is_a_sentence() -> None:
    for found in ({}, record(GOOD, scale="quick"), {"former": [FORMER]}):
        assert tally_markdown(PAPER, found) == UNPUBLISHED
        assert verdicts_markdown(PAPER, found) == UNPUBLISHED
        assert claims_markdown(PAPER, found) == UNPUBLISHED


def test_the_paper_s_page_has_every_claim_below_its_verdict_with_the_definition() -> None:
    lines = groups_markdown(paper(*ALL), record(*ALL)).splitlines()
    for line, verdict in zip(lines, Verdict, strict=True):
        names = [each.claim.name for each in ALL if each.verdict is verdict]
        assert line == f"- {verdict.symbol} **{verdict.value}** ({verdict.definition}): {', '.join(names)}"
    assert groups_markdown(PAPER, {}) == UNPUBLISHED
    assert "contradicted" not in groups_markdown(PAPER, record(GOOD))


def test_the_tally_counts_the_verdicts_and_says_what_they_rest_on() -> None:
    assert tally_markdown(PAPER, record(OPEN, MANY, GOOD)) == (
        "**3 claims: 1 holds, 1 contradicted, 1 undecided.** Full scale, 10 seeds, version 0.1.0, 2026-11-18."
    )


def test_the_tally_says_with_which_seeds_the_runs_began_as_far_as_the_record_knows() -> None:
    found = record(GOOD, first_seed=3001)
    assert " 10 seeds from 3001 on, version" in tally_markdown(PAPER, found)
    found = record(OPEN, before=record(MANY, first_seed=2001, before=found))
    assert " 10 seeds from 2001 and 3001 on, version" in tally_markdown(PAPER, found)


def test_the_tally_names_the_claims_within_the_margin_of_a_boundary() -> None:
    found = record(NEAR, GOOD, OPEN)
    assert tally_markdown(paper(NEAR, GOOD, OPEN), found).endswith(
        "2026-11-18. Within the declared margin of a boundary: `near`."
    )
    assert "margin" not in tally_markdown(PAPER, record(GOOD, OPEN))


def test_the_table_has_a_row_for_each_claim_grouped_by_the_verdict_with_sign_and_word() -> None:
    table = verdicts_markdown(paper(*ALL), record(*ALL))
    assert [(cells[0], name) for name, cells in rows(table).items()] == [
        ("✓ holds", "good"),
        ("» exceeded", "better"),
        ("~ weaker", "less"),
        ("✗ contradicted", "wrong"),
        ("? undecided", "open"),
        ("– untestable", "vague"),
    ]
    assert rows(table)["good"] == [
        "✓ holds",
        "[`good`](#good)",
        "x: 70 [60, 80]",
        "50 to 100",
    ]
    assert rows(table)["vague"][2:] == ["x: 5.50 [5.00, 6.00]", "not judged"]


@pytest.mark.parametrize("verdict", Verdict)
def test_every_word_is_defined_on_both_pages(verdict: Verdict) -> None:
    definition = f"{verdict.symbol} *{verdict.value}*: {verdict.definition}"
    assert definition in verdicts_markdown(PAPER, record(GOOD))
    assert definition in claims_markdown(PAPER, record(GOOD))


def test_the_table_shows_the_first_number_that_speaks_against_a_claim_beside_its_own_band() -> None:
    assert row(MANY)[2:] == ["bad 0: 0.70 [0.50, 0.90] (3 of 7 numbers)", "50 to 100"]
    mixed = judged(part(60, 80), part(5, 6, at_most(4.0), label="y"), name="mixed")
    assert row(mixed)[2:] == ["y: 5.50 [5.00, 6.00] (1 of 2 numbers)", "at most 4"]


def test_a_number_that_passes_is_not_shown_as_what_leaves_a_claim_open() -> None:
    crossing = judged(part(90, 120, label="passes"), part(40, 70, label="crosses"), name="crossing")
    assert row(crossing)[2] == "crosses: 55 [40, 70] (1 of 2 numbers)"


def test_numbers_that_agree_with_a_claim_are_a_range_for_each_band() -> None:
    bands = judged(
        part(60, 80),
        part(110, 130, label="w"),
        part(0.9, 1.1, within(1 / 1.2, 1.2), label="y"),
        part(2e6, 3e6, at_least(1e6), label="z"),
        name="bands",
    )
    assert row(bands)[2:] == [
        "2 numbers, 70 to 120, 1 of them beyond the band; y: 1.00 [0.90, 1.10]; z: 2,500,000 [2,000,000, 3,000,000]",
        "50 to 100; 0.833 to 1.2; at least 1,000,000",
    ]


def test_a_single_reading_is_named_and_has_no_column() -> None:
    lines = verdicts_markdown(PAPER, record(GOOD)).splitlines()
    assert lines[0] == "| verdict | claim | measured | declared |"
    assert lines[-1] == "Reading `default`: as it is."


def test_readings_have_a_column_of_signs_at_the_largest_scale_that_has_several() -> None:
    other = judged(part(0.5, 0.9), name="good", reading="other")
    quick = record(GOOD, OPEN, other, scale="quick")
    lines = verdicts_markdown(PAPER, record(GOOD, OPEN, before=quick)).splitlines()
    assert lines[0] == "| verdict | claim | measured | declared | 1 | 2 |"
    assert [line.split(" | ")[4:] for line in lines[2:4]] == [["✓", "✗ |"], ["?", " |"]]
    assert lines[-1] == (
        "Numbered columns: the verdict under each reading of the paper, at quick scale. "
        "**1** `default`: as it is. **2** `other`: not so."
    )
    assert "at full scale" in verdicts_markdown(PAPER, record(GOOD, other, before=quick))
    anew = record(GOOD, OPEN, before=record(other, scale="quick", first_seed=7001, before=quick))
    assert verdicts_markdown(PAPER, anew).endswith(
        "**1** `default`: as it is. **2** `other`, seeds from 7001 on: not so."
    )


def test_words_of_an_earlier_encoding_are_not_among_the_verdicts() -> None:
    found = record(OPEN, before={"good": [{**FORMER, "name": "good", "scale": "full"}]})
    assert list(rows(verdicts_markdown(PAPER, found))) == ["open"]
    assert "### good" not in claims_markdown(PAPER, found)


def test_the_page_of_the_claims_has_statement_tolerance_and_every_number_of_each() -> None:
    pooled = part(60, 80, extent=(20.0, 300.0))
    shown = part(3, 4, None, label="not judged: y")
    claim = judged(pooled, shown, name="good", tolerance="50 to 100, as printed")
    page = claims_markdown(paper(claim, MANY), record(claim, MANY))
    assert section(page, "good").strip() == "\n".join(
        [
            "**✓ holds.** The paper: The paper says good (5.2, figure 3). Declared: 50 to 100, as printed.",
            "",
            "| number | measured | declared | seeds | verdict |",
            "| --- | --- | --- | --- | --- |",
            "| x | 70 [60, 80], at its points 20 to 300 | 50 to 100 | 10 | holds |",
            "| y | 3.50 [3.00, 4.00] |  | 10 | not judged |",
        ]
    )
    assert all(f"| {each.label} |" in section(page, "many") for each in MANY.finding.parts)


def test_a_remark_is_shown_only_where_the_claim_does_not_hold_and_a_choice_always() -> None:
    words: dict[str, Any] = {"remark": "It is too slow", "choice": "We chose one."}
    good, wrong = judged(part(60, 80), name="good", **words), judged(part(0.5, 0.9), name="wrong", **words)
    page = claims_markdown(paper(good, wrong), record(good, wrong))
    assert section(page, "good").endswith("|\n\nWe chose one.\n")
    assert section(page, "wrong").endswith("|\n\nWe chose one. It is too slow.")


def test_what_was_known_when_a_claim_was_made_is_shown_whatever_the_verdict() -> None:
    good, wrong = (
        judged(part(*ends), name=name, choice="We chose one.", after_results="Added late", remark="It is too slow")
        for name, ends in (("good", (60, 80)), ("wrong", (0.5, 0.9)))
    )
    page = claims_markdown(paper(good, wrong), record(good, wrong))
    assert section(page, "good").endswith("|\n\nWe chose one. Added late.\n")
    assert section(page, "wrong").endswith("|\n\nWe chose one. Added late. It is too slow.")
    found = record(good)
    del found["good"][0]["after_results"]  # an entry of an earlier version
    assert section(claims_markdown(paper(good), found), "good").endswith("|\n\nWe chose one.")


def test_an_open_claim_says_which_boundaries_it_crosses_and_what_would_decide_it() -> None:
    crossing = judged(
        part(90, 120, label="passes"),
        part(0.5, 70, label="crosses"),
        part(60, 80, None, label="not judged: y"),
        name="crossing",
        cost=Cost(120, 4.2),
    )
    page = claims_markdown(paper(crossing, NEAR, GOOD), record(crossing, NEAR, GOOD))
    assert section(page, "crossing").endswith(
        "|\n\nOpen: crosses 1, 50; the direction is open; about 120 seeds would decide it, 4 minutes more.\n"
    )
    assert section(page, "near").endswith(
        "|\n\nOpen: crosses 50; the direction is certain; within the declared margin of it; about 500 seeds would "
        "decide it, 7 minutes more.\n"
    )
    assert "Open" not in section(page, "good")


def test_an_open_claim_that_crosses_nothing_names_no_boundary_and_one_without_a_cost_on_record_says_nothing() -> None:
    """One number of twenty is on the wrong side by itself, and not after Holm's correction."""
    good = [Part(f"good {each}", Value(70.0, 0.1, 30), BAND) for each in range(19)]
    chance = judged(*good, Part("bad", Value(0.9, 0.04, 30), BAND), name="chance", cost=Cost(40, 2.0))
    page = claims_markdown(paper(chance, OPEN), record(chance, OPEN))
    assert section(page, "chance").endswith(
        "|\n\nOpen: the direction is open; about 40 seeds would decide it, 2 minutes more.\n"
    )
    assert section(page, "open").endswith("|")


def test_an_untestable_claim_says_why_whoever_found_it_so() -> None:
    found = record(GOOD)
    found["good"][-1].update(verdict="untestable", untestable="the paper's own runs scatter too much")
    assert "Untestable: the paper's own runs scatter too much." in section(claims_markdown(PAPER, found), "good")
    assert rows(verdicts_markdown(PAPER, found))["good"] == [
        "– untestable",
        "[`good`](#good)",
        "x: 70 [60, 80]",
        "50 to 100",
    ]


def test_every_reading_is_listed_with_its_support() -> None:
    assert readings_markdown(PAPER).splitlines() == [
        "- `default`: as it is. In the paper: section 1.",
        "- `other`: not so. In the paper: section 2.",
    ]


def changes(found: Record, of: Any = PAPER) -> list[str]:
    """Return the rows of the table of changes."""
    return changes_markdown(of, found).splitlines()[2:]


def test_a_claim_that_was_encoded_otherwise_stands_beside_what_it_was() -> None:
    found = record(OPEN, GOOD, before={"former": [FORMER]})
    before = ["| `open` | `former`: at most 100 | at most 100 | not reproduced (quick) | 50 to 100 | ? undecided |"]
    assert changes(found) == before
    moved = record(judged(part(60, 80, at_most(90.0)), name="good", tolerance="at most 90"), before=found)
    assert changes(moved) == [
        *before,
        "| `good` | `good`: 50 to 100 | 50 to 100 | holds (full) | at most 90 | ✓ holds |",
    ]


def test_a_claim_that_lives_on_beside_one_split_off_from_it_is_not_what_that_one_was() -> None:
    whole = judged(part(60, 80, label="a"), part(60, 80, label="b"), name="whole")
    rest = judged(part(60, 80, label="a"), name="whole")
    split = judged(part(60, 80, label="b"), name="split", replaces=("whole",))
    found = record(rest, split, before=record(whole))
    changed = changes(found, paper(rest, split))
    assert [line.split(" | ")[0] for line in changed] == ["| `whole`", "| `split`"]


def test_seeds_that_were_looked_at_are_listed_below_the_changes() -> None:
    found: Any = SimpleNamespace(
        **{**vars(PAPER), "seeds_used": (SeedsUsed(1, 30, "an audit"), SeedsUsed(1001, 1030, "bands"))}
    )
    assert changes_markdown(found, record(GOOD)).splitlines()[-2:] == ["- 1 to 30: an audit", "- 1001 to 1030: bands"]


@pytest.mark.parametrize(
    ("band", "then", "now"),
    [
        (Band(50, 100, Side.ABOVE, no_effect=1.0), "; no effect at none", "; no effect at 1"),
        (Band(50, 100, Side.ABOVE, margin=0.05), "; margin of the boundary 0", "; margin of the boundary 0.05"),
        (Band(50, 100), "; favourable side above", "; favourable side none"),
    ],
)
def test_a_change_that_the_bands_do_not_show_is_told(band: Band, then: str, now: str) -> None:
    before, after = (judged(part(60, 80, each), name="good") for each in (Band(50, 100, Side.ABOVE), band))
    (line,) = changes(record(after, before=record(before)))
    cells = line.split(" | ")
    assert (cells[2], cells[4]) == (f"50 to 100{then}", f"50 to 100{now}")


def test_that_other_numbers_are_judged_with_the_same_band_is_told_and_another_reason_too() -> None:
    one, other = (judged(part(60, 80, label=label), name="good") for label in "ab")
    (line,) = changes(record(other, before=record(one)))
    assert line.split(" | ")[4] == "50 to 100; of other numbers, points or metrics"
    nothing, too_little = (judged(part(60, 80, None), name="good", untestable=why) for why in ("no runs", "no axis"))
    (line,) = changes(record(too_little, before=record(nothing)))
    assert line.split(" | ")[4] == "another reason"


def test_a_claim_with_more_points_at_another_scale_was_not_changed() -> None:
    wide = judged(part(60, 80, label="a"), part(60, 80, label="b"), name="good")
    narrow = judged(part(60, 80, label="a"), name="good")
    assert changes_markdown(PAPER, record(wide, before=record(narrow, scale="quick"))) == "Nothing was changed."
    assert len(changes(record(narrow, before=record(wide)))) == 1
