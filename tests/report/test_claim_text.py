"""A claim in words: what was measured, what was declared, why it is open, and what it was before."""

from dataclasses import replace

import pytest
from judged_claims import ALL, BAND, CHANGED, CONTRADICTED, EXCEEDED, HOLDS, UNDECIDED, UNTESTABLE, judged, part

from roamcast.measuring.verdicts import Deviation, Part, Value, Verdict, above, at_least, within
from roamcast.measuring.verdicts.judged import Cost
from roamcast.report.claim_text import (
    earlier_text,
    full_measured,
    notes_text,
    open_text,
    part_text,
    short_declared,
    short_measured,
    tally,
)

ONE_SEED = Part("x", Value(60.0, None, 1), BAND)


def test_a_number_has_its_interval_and_a_pooled_one_the_range_over_its_points() -> None:
    assert part_text(part(60, 80)) == "70 [60, 80]"
    assert part_text(part(60, 80, extent=(12.5, 300.0))) == "70 [60, 80], at its points 12.5 to 300"
    assert part_text(ONE_SEED) == "60"
    assert part_text(Part.missing("x")) == "not measured"


def test_a_number_that_the_paper_printed_stands_beside_ours_with_the_difference() -> None:
    quantity = Deviation(Value(0.9, 0.01, 30), 0.95, 30)
    low, high = quantity.interval(0.05) or (0.0, 0.0)
    assert part_text(Part("x", quantity, within(-0.05, 0.05))) == (
        f"0.900, paper 0.950, differs by -0.050 [{low:.3f}, {high:.3f}]"
    )


def test_the_interval_is_the_one_that_the_claim_is_judged_by() -> None:
    value = Part("x", Value(60.0, 1.0, 10), BAND)
    assert part_text(value, 0.05) == "60.0 [57.7, 62.3]"
    assert part_text(value, 0.0144) == "60.0 [57.0, 63.0]"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (judged(part(60, 80)), "70 [60, 80]"),
        (judged(part(60, 80, label="a"), part(70, 90, label="b")), "2 numbers, 70 to 80"),
        (
            judged(part(60, 80, label="a"), part(200, 210, label="b")),
            "2 numbers, 70 to 205, 1 of them beyond the band",
        ),
        (judged(part(190, 200, label="a"), part(200, 210, label="b")), "2 numbers, 195 to 205"),
        (
            judged(part(60, 80, label="a"), part(0.5, 0.9, label="b"), part(0.2, 0.4, label="c")),
            "b: 0.70 [0.50, 0.90] (2 of 3 numbers)",
        ),
        (judged(part(60, 80, label="a"), part(20, 40, label="b")), "b: 30 [20, 40] (1 of 2 numbers)"),
        (judged(part(60, 80, label="a"), part(40, 60, label="b")), "b: 50 [40, 60] (1 of 2 numbers)"),
        (judged(part(60, 80, label="a"), Part.missing("b")), "b: not measured (1 of 2 numbers)"),
        (judged(part(5, 6, None, label="a"), untestable="vague"), "5.50 [5.00, 6.00]"),
        (judged(part(60, 80, label="a"), part(5, 6, None, label="not judged: b")), "70 [60, 80]"),
    ],
)
def test_a_line_shows_the_numbers_that_the_verdict_rests_on(claim: object, text: str) -> None:
    assert short_measured(claim.finding) == text  # type: ignore[attr-defined]


def test_a_line_shows_each_band_once_and_none_for_a_claim_that_is_not_judged() -> None:
    assert short_declared(judged(part(1, 2), part(3, 4, label="y")).finding) == "50 to 100"
    bands = (above(1.0), at_least(0.99), within(0, 0.5))
    parts = [part(1, 2, band, label=str(band)) for band in bands]
    assert short_declared(judged(*parts[:2]).finding) == "above 1 / at least 0.99"
    assert short_declared(judged(*parts).finding) == "above 1 / at least 0.99 / ..."
    assert short_declared(UNTESTABLE.finding) == ""


def test_all_numbers_are_told_each_with_its_own_verdict_where_there_are_several() -> None:
    assert full_measured(HOLDS.finding) == "x: 70 [60, 80]"
    several = judged(part(60, 80, label="a"), part(40, 60, label="b"), part(5, 6, None, label="not judged: c"))
    assert full_measured(several.finding) == (
        "a: 70 [60, 80] (holds); b: 50 [40, 60] (undecided); not judged: c: 5.50 [5.00, 6.00]"
    )


def test_a_number_that_is_inside_its_band_or_beyond_it_whichever_passes() -> None:
    several = judged(part(90, 120, label="a"), part(60, 80, label="b"))
    assert several.verdict is Verdict.HOLDS
    assert full_measured(several.finding) == "a: 105 [90, 120] (holds or exceeded); b: 70 [60, 80] (holds)"


# --- why a claim is open -------------------------------------------------------------------------------------------


def test_an_open_claim_says_which_boundary_it_crosses_whether_the_direction_is_sure_and_what_would_decide() -> None:
    assert open_text(UNDECIDED) == (
        "Crosses 50; the direction is certain; about 120 seeds would decide it, 4 minutes more."
    )
    wide = judged(part(0.5, 120), cost=Cost(5000, 0.5))
    assert open_text(wide) == (
        "Crosses 1, 50, 100; the direction is open; about 5,000 seeds would decide it, 30 s more."
    )
    two_sided = judged(part(0.4, 0.7, within(0.5, 1.0)), cost=Cost(None, None))
    assert open_text(two_sided) == "Crosses 0.500; not even 100,000 seeds would decide it."
    assert open_text(HOLDS) == open_text(CONTRADICTED) == open_text(UNTESTABLE) == ""


def test_the_cost_says_whether_seeds_would_decide_or_show_that_the_claim_cannot_be_tested() -> None:
    assert str(Cost(5000, 30.0)) == "about 5,000 seeds would decide it, 30 minutes more"
    assert str(Cost(5000, 30.0, is_untestable=True)) == (
        "about 5,000 seeds would show that it cannot be tested, 30 minutes more"
    )
    assert str(Cost(None, None)) == "not even 100,000 seeds would decide it"


def test_an_open_claim_with_a_number_that_falls_short_says_that_it_cannot_hold_and_where() -> None:
    crosses, cost = part(0.5, 70, label="crosses"), Cost(120, 4.2)
    claim = judged(part(60, 80, label="good"), crosses, part(20, 40, label="less"), cost=cost)
    assert open_text(claim) == (
        "Crosses 1, 50; the direction is open; it cannot hold, since it falls short at less; "
        "about 120 seeds would decide it, 4 minutes more."
    )
    assert "cannot hold" not in open_text(judged(part(60, 80, label="good"), crosses, cost=cost))
    assert "cannot hold" not in open_text(judged(part(110, 130, label="beyond"), crosses, cost=cost))


def test_a_claim_within_the_declared_margin_says_so() -> None:
    near = judged(part(49, 52, replace(BAND, margin=0.05, is_log=True)))
    assert "; the direction is certain; within the declared margin of the boundary" in open_text(near)


def test_a_claim_with_one_seed_needs_more_and_nothing_is_said_of_how_many() -> None:
    assert open_text(judged(ONE_SEED, cost=Cost(None, None))) == "Needs more than one seed."


def test_a_claim_that_lacks_a_number_says_so() -> None:
    claim = judged(part(60, 80), Part.missing("b"), cost=Cost(None, None))
    assert open_text(claim) == "A number that it rests on was not measured, or has no value."


def test_a_claim_that_only_the_correction_for_many_numbers_leaves_open_crosses_nothing() -> None:
    """One number of twenty is on the wrong side by itself, and not after Holm's correction."""
    good = [Part(f"good {each}", Value(70.0, 0.1, 30), BAND) for each in range(19)]
    claim = judged(*good, Part("bad", Value(0.9, 0.04, 30), BAND), cost=Cost(40, 1.0))
    assert claim.verdict is Verdict.UNDECIDED
    assert [each.label for each in claim.finding.open_parts()] == ["bad"]
    assert open_text(claim).startswith("Of so many numbers, the one that speaks against the claim may do so by chance;")
    assert "more than one seed" not in open_text(claim)
    assert "cannot hold" not in open_text(claim)  # what may be chance may pass with more seeds


# --- notes ---------------------------------------------------------------------------------------------------------


def test_a_choice_is_told_whatever_the_verdict_and_a_remark_only_where_it_explains() -> None:
    for low, high, text in (
        (60, 80, "A choice."),
        (110, 130, "A choice."),
        (20, 40, "A choice. A remark."),
        (0.5, 0.9, "A choice. A remark."),
    ):
        assert notes_text(judged(part(low, high), remark="A remark.", choice="A choice.")) == text


def test_what_was_known_when_a_claim_was_made_is_told_whatever_the_verdict() -> None:
    for low, high in ((60, 80), (0.5, 0.9)):
        assert notes_text(judged(part(low, high), choice="A choice.", after_results="Added late.")) == (
            "A choice. Added late."
        )
    assert notes_text(judged(part(5, 6, None), untestable="it is vague", after_results="Added late.")) == (
        "Untestable: it is vague. Added late."
    )


def test_an_untestable_claim_says_why() -> None:
    assert notes_text(UNTESTABLE) == "Untestable: it does not say when."


def test_a_claim_that_was_changed_says_what_it_was_and_what_came_out() -> None:
    assert earlier_text(HOLDS) == ""
    assert notes_text(CHANGED) == ""
    assert earlier_text(CHANGED) == (
        "Changed after results had been seen. Before: good-most (quick scale, 2026-11-01, at most 100): not reproduced."
    )


def test_verdicts_are_counted_in_the_order_of_the_words() -> None:
    assert tally([*ALL, EXCEEDED]) == ("1 holds, 2 exceeded, 1 weaker, 1 contradicted, 1 undecided, 1 untestable")
    assert tally([HOLDS, HOLDS]) == "2 holds"
    assert tally([]) == ""
