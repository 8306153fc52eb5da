"""Verdicts in the terminal: a line for each claim, all details of it, and claims by readings."""

from dataclasses import replace

from judged_claims import ALL, CHANGED, EXCEEDED, HOLDS, UNDECIDED, UNTESTABLE, WEAKER, judged, part

from roamcast.measuring.verdicts import Part, Verdict
from roamcast.measuring.verdicts.judged import Cost
from roamcast.report.claim_tables import (
    LINE_WIDTH,
    claim_details,
    claim_lines,
    legend,
    matrix_table,
    verdicts_by_reading,
)

HOLDS_LINE = (
    "✓ holds: the whole interval lies inside the declared band; of several numbers, some may lie or reach beyond it on "
    "the side that favours the paper"
)


def test_a_line_has_sign_word_name_and_what_was_measured_and_declared() -> None:
    assert claim_lines(ALL).splitlines()[:9] == [
        "Claims: 1 holds, 1 exceeded, 1 weaker, 1 contradicted, 1 undecided, 1 untestable",
        "",
        "? undecided     open    55 [40, 70]; declared 50 to 100",
        "✓ holds         good    70 [60, 80]; declared 50 to 100",
        "✗ contradicted  wrong   0.70 [0.50, 0.90]; declared 50 to 100",
        "» exceeded      better  120 [110, 130]; declared 50 to 100",
        "– untestable    vague   5.50 [5.00, 6.00]",
        "~ weaker        less    30 [20, 40]; declared 50 to 100",
        "",
    ]


def test_every_word_that_was_given_is_explained_below_in_one_line_and_no_other() -> None:
    lines = claim_lines([HOLDS, UNDECIDED]).splitlines()
    assert lines[-3:] == [
        "",
        HOLDS_LINE,
        "? undecided: the interval crosses a boundary; of several numbers, one does, and none is contradicted after "
        "Holm's correction",
    ]
    explained = legend(ALL).splitlines()
    assert [line.split(":")[0] for line in explained] == [f"{word.symbol} {word.value}" for word in Verdict]
    assert all(line.endswith(word.definition) for line, word in zip(explained, Verdict, strict=True))


def test_a_line_is_cut_before_what_was_declared() -> None:
    long = judged(part(0.5, 0.9, label="long" * 40), part(0.5, 0.9), name="wrong")
    line = claim_lines([long]).splitlines()[2]
    assert len(line) == LINE_WIDTH
    assert line.endswith("...; declared 50 to 100")


def test_without_any_claim_there_is_a_sentence() -> None:
    assert claim_lines([]) == "No claim of the paper can be checked with what was measured."


def test_details_have_what_the_paper_says_every_number_the_band_and_the_record() -> None:
    assert claim_details([CHANGED, UNTESTABLE]).splitlines() == [
        "✓ good: holds (5.2, figure 3)",
        "  The paper: The paper says good.",
        "  Measured:  x: 70 [60, 80].",
        "  Declared:  50 to 100.",
        "  Notes:     Changed after results had been seen. Before: good-most (quick scale, 2026-11-01, at most 100): "
        "not reproduced.",
        "",
        "– vague: untestable (5.2, figure 3)",
        "  The paper: The paper says vague.",
        "  Measured:  x: 5.50 [5.00, 6.00].",
        "  Declared:  50 to 100.",
        "  Notes:     Untestable: it does not say when.",
    ]
    assert "Notes" not in claim_details([HOLDS])


def test_claims_by_readings_have_a_sign_where_they_meet_and_each_sign_is_explained() -> None:
    found = [
        judged(part(60, 80), name="one"),
        judged(part(60, 80), name="two"),
        judged(part(0.5, 0.9), name="one", reading="other"),
    ]
    assert matrix_table(found).splitlines() == [
        "claim  (1)  (2)",
        "-----  ---  ---",
        "one    ✓    ✗",
        "two    ✓",
        "",
        "(1) default",
        "(2) other",
        "",
        HOLDS_LINE,
        "✗ contradicted: the interval lies entirely on the wrong side, or outside a band that favours no side; of "
        "several numbers, one does after Holm's correction",
    ]
    assert verdicts_by_reading(found) == {
        "one": {"default": Verdict.HOLDS, "other": Verdict.CONTRADICTED},
        "two": {"default": Verdict.HOLDS},
    }


def test_the_signs_are_all_different() -> None:
    assert len({each.verdict.symbol for each in (*ALL, EXCEEDED, WEAKER)}) == len(Verdict) == 6


def test_a_claim_that_has_not_been_looked_at_says_so_and_has_no_sign_under_its_reading() -> None:
    cost = Cost(10, 2.0, is_first_look=True)
    waiting = replace(judged(Part.missing("its first look"), name="later"), look=0, cost=cost)
    lines = claim_lines([HOLDS, waiting]).splitlines()
    assert lines[3] == "? undecided  later  Not looked at yet: its first look needs 10 seeds, about 2 minutes more."
    assert lines[-2:] == [
        HOLDS_LINE,
        "Claims that have not been looked at need more time: call again, with more --minutes.",
    ]
    assert verdicts_by_reading([HOLDS, waiting]) == {"good": {"default": Verdict.HOLDS}, "later": {}}
