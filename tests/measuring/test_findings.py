"""From numbers to a verdict: claims of one part and of many, Holm's correction, and what would decide."""

from dataclasses import replace
from math import ceil, log, sqrt

import pytest

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.statistics import ERROR, NON_NEGATIVE, SHARE, UNBOUNDED, Bounds, t_quantile
from roamcast.measuring.verdicts import (
    Band,
    Claim,
    Deviation,
    Finding,
    Part,
    Ratio,
    Share,
    Sum,
    Value,
    Verdict,
    above,
    at_least,
    examine,
    factor,
    part_verdict,
    verdict_on,
    within,
)
from roamcast.measuring.verdicts.finding import is_settled
from roamcast.measuring.verdicts.quantity import PAPER_STEPS

UNLIMITED = 10**6
"""So many seeds leave an error of the paper alone."""
HOLDS, EXCEEDED, WEAKER, CONTRADICTED, UNDECIDED, UNTESTABLE = Verdict


def part(value: float, error: float, band: Band | None, label: str = "x", seeds: int = 21) -> Part:
    """Return a number whose 95 % interval is its value plus and minus ``error``."""
    return Part(label, Value(value, error / t_quantile(seeds - 1), seeds), band)


def claim(untestable: str = "") -> Claim:
    return Claim("name", "5", "Something is so", "as declared", (1,), lambda _: [], untestable=untestable)


def forecast(*parts: Part) -> tuple[int, Verdict]:
    """Return the seeds that would decide a claim of these numbers, and the verdict that they would give."""
    found = Finding(claim(), parts).forecast()
    assert found is not None
    return found


def test_a_claim_of_one_number_has_its_verdict() -> None:
    assert verdict_on([part(70, 10, factor(50, 100))]) is HOLDS
    assert verdict_on([part(120, 10, factor(50, 100))]) is EXCEEDED
    assert verdict_on([part(20, 5, factor(50, 100))]) is WEAKER
    assert verdict_on([part(0.5, 0.2, factor(50, 100))]) is CONTRADICTED
    assert verdict_on([part(100, 10, factor(50, 100))]) is UNDECIDED


def test_a_claim_of_many_numbers_holds_if_every_one_passes() -> None:
    band = factor(50, 100)
    assert verdict_on([part(70, 10, band), part(80, 10, band)]) is HOLDS
    assert verdict_on([part(70, 10, band), part(200, 10, band)]) is HOLDS
    assert verdict_on([part(70, 10, band), part(100, 10, band)]) is HOLDS  # inside or beyond: it passes either way
    assert verdict_on([part(150, 10, band), part(200, 10, band)]) is EXCEEDED
    assert verdict_on([part(70, 10, band), part(55, 10, band)]) is UNDECIDED


def test_it_is_weaker_if_all_go_the_right_way_and_some_fall_short() -> None:
    band = factor(50, 100)
    assert verdict_on([part(70, 10, band), part(20, 5, band)]) is WEAKER
    assert verdict_on([part(70, 10, band), part(2, 5, band)]) is UNDECIDED
    assert verdict_on([part(55, 10, band), part(20, 5, band)]) is WEAKER  # the first goes the right way, certainly


def test_a_number_that_is_not_judged_decides_nothing() -> None:
    assert verdict_on([part(70, 10, factor(50, 100)), part(0.1, 0.01, None)]) is HOLDS
    assert verdict_on([part(0.1, 0.01, None)]) is UNDECIDED
    assert verdict_on([]) is UNDECIDED


def test_a_number_that_is_missing_leaves_a_claim_open_unless_another_contradicts_it() -> None:
    assert verdict_on([part(70, 10, factor(50, 100)), Part.missing("y")]) is UNDECIDED
    assert verdict_on([part(0.1, 0.05, factor(50, 100)), Part.missing("y")]) is CONTRADICTED


def test_one_seed_decides_nothing() -> None:
    assert verdict_on([Part("x", Value(70, None, 1), factor(50, 100))]) is UNDECIDED


def test_of_ten_numbers_one_that_is_barely_on_the_wrong_side_contradicts_nothing() -> None:
    barely = part(-1.05, 1.0, above(0))  # its own 95 % interval is below 0
    good = [part(5, 1, above(0), f"good {number}") for number in range(9)]
    assert verdict_on([barely]) is CONTRADICTED
    assert verdict_on([barely, *good]) is UNDECIDED
    clearly = part(-2, 1.0, above(0))
    assert verdict_on([clearly, *good]) is CONTRADICTED


def test_holm_goes_on_with_less_correction_after_each_number_that_is_clear() -> None:
    # Corrected for two, the second is not certain; once the first is out of the way, it is.
    wide = t_quantile(20, 0.05 / 2) / t_quantile(20)
    falls_short = part(20, 5, factor(50, 100), "short")
    barely_short = part(50 - (1 + wide) / 2 * 10, 10, factor(50, 100), "barely short")
    assert verdict_on([falls_short, barely_short]) is WEAKER
    assert barely_short.interval(0.05 / 2) is not None


def test_an_untestable_claim_is_not_judged_by_its_numbers() -> None:
    finding = Finding(claim("it names no point"), (part(0.1, 0.01, factor(50, 100)),))
    assert finding.verdict is UNTESTABLE
    assert not finding.is_open


def test_claims_without_any_number_are_left_out() -> None:
    assert examine([claim()], Measurements([])) == []


def test_a_finding_says_which_way_it_goes_and_whether_it_is_on_the_line() -> None:
    band = Band(50, 100, factor(1).favours, 1.0, margin=0.05, is_log=True)
    open_claim = Finding(claim(), (part(51, 5, band),))
    assert open_claim.is_open
    assert open_claim.is_direction_certain
    assert open_claim.is_on_the_line
    assert not Finding(claim(), (part(60, 15, band),)).is_on_the_line
    assert not Finding(claim(), (part(5, 8, band),)).is_direction_certain


def test_a_claim_is_not_on_the_line_if_a_number_far_from_it_speaks_against_the_claim_before_the_correction() -> None:
    near = Band(0, 10, factor(1).favours, margin=0.1)
    against, close = part(-1.05, 1.0, near, "against"), part(0.05, 1.0, near, "close")
    found = Finding(claim(), (against, close))
    assert part_verdict(against) is CONTRADICTED
    assert found.is_open  # one of two may look wrong by chance
    assert found.open_parts() == [against, close]
    assert not found.is_on_the_line
    assert Finding(claim(), (part(5, 1.0, near, "inside"), close)).is_on_the_line


def test_the_forecast_of_seeds_is_what_the_square_root_law_says() -> None:
    # Half the interval is 10 with 21 seeds, and has to be 2: about 25 times the seeds, less for t's smaller quantile.
    seeds, verdict = forecast(part(52, 10, at_least(50)))
    assert 21 * 20 < seeds < 21 * 27
    assert verdict is verdict_on([part(52, 10, at_least(50)).with_seeds(seeds)]) is HOLDS


def test_the_forecast_has_the_verdict_that_so_many_seeds_would_give() -> None:
    assert forecast(part(48, 10, at_least(50)))[1] is CONTRADICTED
    assert forecast(part(45, 10, factor(50, 100)))[1] is WEAKER
    assert forecast(part(105, 10, factor(50, 100)))[1] is EXCEEDED
    assert forecast(part(52, 10, at_least(50), "good"), part(48, 10, at_least(50), "bad"))[1] is CONTRADICTED


def test_no_number_of_seeds_is_forecast_for_a_number_on_the_boundary_or_one_that_is_missing() -> None:
    assert Finding(claim(), (part(50, 10, at_least(50)),)).forecast() is None
    assert Finding(claim(), (Part.missing("x"),)).forecast() is None


# --- the paper's own error -----------------------------------------------------------------------------------------


def printed(deviation: float, label: str = "x", seeds: int = 300) -> Part:
    """Return how far ours is from the mean of 30 runs of the paper, which may be up to 10.

    Such a mean has a standard error of 2, so that the paper's error alone leaves 3.92 to either side. Ours leaves 1.25
    with 300 seeds, and 4.1 with 30.
    """
    own = Value(100 + deviation, 2.0, 30).with_seeds(seeds)
    return Part(label, Deviation(own, 100.0, 30), within(-10, 10))


def test_the_paper_s_error_is_what_unlimited_seeds_of_ours_leave_around_every_value_that_ours_allow() -> None:
    for seeds in (30, 300):
        found = printed(7, seeds=seeds).intervals_of_paper(ERROR)
        ours = 2.0 * sqrt(30 / seeds) * t_quantile(seeds - 1)
        middles = [(low + high) / 2 for low, high in found]
        steps = [7 - ours + 2 * ours * index / PAPER_STEPS for index in range(PAPER_STEPS + 1)]
        assert middles == pytest.approx([*steps, 7])
        assert [high - low for low, high in found] == pytest.approx([2 * 2.0 * 1.96] * len(found), rel=1e-3)
        assert found[-1] == pytest.approx(printed(7, seeds=UNLIMITED).interval(ERROR))


def test_the_paper_s_number_is_subtracted_so_its_longer_arm_is_on_the_other_side() -> None:
    """Ours may be far below what was measured; so may the paper's, which makes the difference larger."""
    own = Value(0.96, 0.02, 30, SHARE, skewness=-2.0)
    low, high = own.interval(ERROR) or (0.0, 0.0)
    below, above = 0.96 - low, high - 0.96
    assert below > 2 * above
    for runs in (30, 10**9):
        found = Deviation(own, 0.90, runs).interval(ERROR) or (0.0, 0.0)
        wider = sqrt(30 / runs)
        assert found[0] == pytest.approx(0.06 - sqrt(below**2 + (wider * above) ** 2))
        assert found[1] == pytest.approx(0.06 + sqrt(above**2 + (wider * below) ** 2))


def test_the_paper_s_error_is_unknown_with_fewer_seeds_than_it_had_runs_and_where_nothing_was_printed() -> None:
    assert printed(7, seeds=29).intervals_of_paper(ERROR) == ()
    assert part(7, 4, within(-10, 10)).intervals_of_paper(ERROR) == ()
    assert Part("x", Deviation(Value(7.0, None, 1), 0.0, 1), within(-10, 10)).intervals_of_paper(ERROR) == ()


def test_a_number_on_the_boundary_is_untestable_once_ours_is_the_smaller_error() -> None:
    for deviation in (10, -10):
        words = [verdict_on([printed(deviation, seeds=seeds)]) for seeds in (10, 29, 30, 40, 300, UNLIMITED)]
        assert words == [UNDECIDED] * 3 + [UNTESTABLE] * 3


@pytest.mark.parametrize(
    ("deviation", "now", "if_right"),
    [
        (0, HOLDS, HOLDS),
        (5, HOLDS, HOLDS),
        (5.95, UNDECIDED, HOLDS),
        (7, UNDECIDED, UNDECIDED),  # if it is 5.8 in truth, it holds; today's value alone made it untestable formerly
        (8, UNTESTABLE, UNDECIDED),
        (10, UNTESTABLE, UNDECIDED),
        (12, UNTESTABLE, UNDECIDED),
        (13, UNDECIDED, UNDECIDED),  # if it is 14.2 in truth, it is contradicted
        (14.05, UNDECIDED, CONTRADICTED),
        (15, CONTRADICTED, CONTRADICTED),
    ],
)
def test_a_number_is_untestable_just_where_unlimited_seeds_would_not_decide_it_whatever_its_true_value(
    deviation: float, now: Verdict, if_right: Verdict
) -> None:
    assert verdict_on([printed(deviation)]) is verdict_on([printed(-deviation)]) is now
    assert part_verdict(printed(deviation, seeds=UNLIMITED)) is if_right


def test_the_highest_value_counts_where_only_values_below_the_band_are_wrong() -> None:
    def at_most_five_less(deviation: float) -> Part:
        return replace(printed(deviation), band=at_least(-5))

    assert [verdict_on([at_most_five_less(value)]) for value in (-1, -2, -3, -5, -7, -8, -10)] == [
        *(UNDECIDED, UNDECIDED, UNTESTABLE, UNTESTABLE, UNTESTABLE, UNDECIDED, CONTRADICTED)
    ]


def test_a_value_in_the_middle_of_ours_counts_where_neither_its_ends_nor_the_present_one_would_be_decided() -> None:
    narrow = replace(printed(4, seeds=30), band=within(-4, 4))  # ours allows -0.1 to 8.1, and at 0 it would hold
    assert verdict_on([narrow]) is UNDECIDED
    assert verdict_on([replace(printed(4), band=within(-4, 4))]) is UNTESTABLE  # 2.7 to 5.3


def test_a_measured_number_on_the_boundary_stays_open_since_the_paper_has_no_part_in_it() -> None:
    assert verdict_on([part(50, 10, at_least(50), seeds=UNLIMITED)]) is UNDECIDED


def test_one_untestable_number_makes_a_claim_untestable_once_all_others_are_settled() -> None:
    hopeless = printed(10, "hopeless")
    assert verdict_on([hopeless, printed(0, "passes"), printed(1, "passes too")]) is UNTESTABLE
    assert verdict_on([hopeless, printed(-10, "as hopeless")]) is UNTESTABLE
    assert verdict_on([hopeless, printed(7, "more seeds")]) is UNDECIDED
    assert verdict_on([hopeless, part(7, 4, within(-10, 10), "more seeds")]) is UNDECIDED
    assert verdict_on([hopeless, Part.missing("not measured")]) is UNDECIDED
    assert verdict_on([hopeless, Part("shown", Value(7, 4, 5))]) is UNTESTABLE


def test_a_number_that_is_certainly_wrong_contradicts_a_claim_whatever_cannot_be_tested_in_it() -> None:
    assert verdict_on([printed(10, "hopeless"), printed(25, "wrong")]) is CONTRADICTED
    assert verdict_on([printed(10, "hopeless"), part(16, 4, within(-10, 10), "wrong")]) is CONTRADICTED


def test_further_seeds_go_to_the_open_number_and_not_to_the_untestable_one() -> None:
    hopeless, still_open, passes = printed(10, "hopeless"), printed(7, "open"), printed(0, "passes")
    finding = Finding(claim(), (hopeless, still_open, passes))
    assert finding.is_open
    assert finding.open_parts() == [still_open]
    assert [is_settled(each, finding.parts, ERROR) for each in finding.parts] == [True, False, True]
    assert Finding(claim(), (hopeless, printed(5, "open"), passes)).verdict is UNTESTABLE


def test_among_many_numbers_unlimited_seeds_would_need_no_correction_to_pass_and_one_to_contradict() -> None:
    passes = printed(0, "passes")
    assert verdict_on([printed(5.95), passes]) is UNDECIDED
    assert verdict_on([printed(5.95, seeds=UNLIMITED), printed(0, "passes", UNLIMITED)]) is HOLDS
    assert verdict_on([printed(7.1), passes]) is UNDECIDED  # at 5.86 it would pass, though not after a correction
    assert verdict_on([printed(14, seeds=30_000)]) is CONTRADICTED
    assert verdict_on([printed(14, seeds=30_000), passes]) is UNTESTABLE  # wrong only if nothing stood beside it
    assert verdict_on([printed(14), passes]) is UNDECIDED  # with 300 seeds it may be 15.4


def test_the_forecast_is_the_number_of_seeds_that_shows_a_number_to_be_untestable() -> None:
    few = printed(10, seeds=10)
    seeds, verdict = forecast(few)
    assert verdict is verdict_on([few.with_seeds(seeds)]) is UNTESTABLE
    assert verdict_on([few.with_seeds(ceil(seeds / 1.2))]) is UNDECIDED  # it is tried in steps of a tenth
    decided, verdict = forecast(printed(5, seeds=10))
    assert verdict is verdict_on([printed(5, seeds=decided)]) is HOLDS
    assert forecast(printed(10, "hopeless"), printed(7, "open"))[1] is UNTESTABLE
    assert forecast(printed(10, "hopeless", 20), printed(15, "wrong", 20))[1] is CONTRADICTED


def test_a_finding_says_which_number_the_paper_s_runs_leave_open_and_how_far() -> None:
    finding = Finding(claim(), (printed(7, "the mean", 3000), printed(0, "the rest", 3000)))
    assert finding.verdict is UNTESTABLE
    assert not finding.is_open
    assert not finding.is_on_the_line
    assert "the paper's own 30 runs alone leaves the mean between 3.1 and 11," in finding.why_untestable
    assert "the rest" not in finding.why_untestable
    both = Finding(claim(), (printed(7, "the mean", 3000), printed(-10, "the rest", 3000)))
    assert "the mean between 3.1 and 11," in both.why_untestable
    assert both.why_untestable.endswith("(1 more of its numbers likewise)")
    single = Part("the mean", Deviation(Value(7.0, 0.1, 400), 0.0, 1), within(-10, 10))
    assert "own single run alone leaves the mean between 3.1 and 11," in Finding(claim(), (single,)).why_untestable


def test_a_claim_that_was_declared_untestable_keeps_its_own_words_and_one_with_a_verdict_has_none() -> None:
    assert Finding(claim("it names no point"), (printed(10),)).why_untestable == "it names no point"
    for deviation in (0, 7, 17):
        assert Finding(claim(), (printed(deviation),)).why_untestable == ""


# --- kinds of numbers ----------------------------------------------------------------------------------------------


def test_a_ratio_is_judged_on_the_log_scale() -> None:
    quantity = Ratio(log(2), 0.1, 21)
    low, high = quantity.interval(0.05) or (0, 0)
    assert (quantity.value, low * high) == pytest.approx((2, 4))
    assert high == pytest.approx(2 * 2.718281828 ** (0.1 * t_quantile(20)))
    assert Ratio(5000.0, 1.0, 3).interval(0.05) is not None  # no overflow


def test_a_printed_number_has_the_sampling_error_of_both() -> None:
    own = Value(10.0, 1.0, 20)
    plain, widened = own.interval(0.05), Deviation(own, 9.0, 20).interval(0.05)
    assert plain is not None
    assert widened is not None
    assert widened[1] - 1.0 == pytest.approx((plain[1] - 10.0) * sqrt(2))
    narrow = Deviation(own, 9.0, 10**9).interval(0.05)
    assert narrow == pytest.approx((plain[0] - 9, plain[1] - 9))


def test_two_shares_differ_by_one_at_most_however_few_runs_the_paper_made() -> None:
    for own, paper in ((0.6, 0.4), (0.4, 0.6)):
        low, high = Deviation(Value(own, 0.15, 10, SHARE), paper, 1).interval(0.003) or (0, 0)
        assert (min(low, -high), max(high, -low)) == (-1.0, 1.0)


def test_a_share_of_cases_lies_between_the_won_and_the_not_lost_ones() -> None:
    assert verdict_on([Part("most", Share(0.6, 0.8, 3), at_least(0.5))]) is HOLDS
    assert verdict_on([Part("most", Share(0.4, 0.8, 3), at_least(0.5))]) is UNDECIDED
    assert verdict_on([Part("most", Share(0.1, 0.4, 3), at_least(0.5))]) is CONTRADICTED


TOGETHER = {(0, 1): 0.98}
"""The correlation of two values that go up and down together."""


def test_a_difference_of_shares_at_their_bound_is_not_certain() -> None:
    everything, nearly = Value(1.0, 0.0, 10, SHARE), Value(0.97, 0.01, 10, SHARE)
    both = Sum(Value(0.03, 0.01, 10, Bounds(-1, 1), is_difference=True), ((1.0, everything), (-1.0, nearly)), TOGETHER)
    low, high = both.interval(0.05) or (0.0, 0.0)
    own_low = (everything.interval(0.05) or (0.0, 0.0))[0]
    assert low <= 0.03 - (1 - own_low)  # as far down as all of ten seeds leaves open
    assert high > 0.03
    assert verdict_on([Part("x", both, within(-0.05, 0.05))]) is UNDECIDED


def test_a_difference_of_shares_far_from_their_bounds_has_about_the_interval_of_its_pairs() -> None:
    terms = ((1.0, Value(0.6, 0.05, 20, SHARE)), (-1.0, Value(0.5, 0.05, 20, SHARE)))
    total = Value(0.1, 0.01, 20, Bounds(-1, 1), is_difference=True)
    assert Sum(total, terms, TOGETHER).interval(0.05) == pytest.approx(total.interval(0.05), abs=0.001)
    forecast = Sum(total, terms, TOGETHER).with_seeds(80)
    assert (forecast.seeds, forecast.value) == (80, 0.1)
    assert forecast.interval(0.05) == pytest.approx(total.with_seeds(80).interval(0.05), abs=0.001)


def test_a_difference_of_skewed_times_reaches_as_far_as_the_longer_tail_of_a_term() -> None:
    """Times that go up and down together have pairs that hide on which side the tail of each is."""
    long, short = (Value(1.0, error, 10, NON_NEGATIVE, skewness=2.0) for error in (0.2, 0.1))
    total = Value(0.0, 0.12, 10, is_difference=True, skewness=0.0)
    terms = ((1.0, long), (-1.0, short))
    plain, alone = total.interval(0.05), Sum(total, terms, {(0, 1): 0.9}).interval(0.05)
    assert plain is not None
    assert alone is not None
    assert alone[1] > plain[1]
    assert alone[0] <= plain[0]
    swapped = Sum(total, ((-1.0, long), (1.0, short)), {(0, 1): 0.9}).interval(0.05)
    assert swapped == pytest.approx((-alone[1], -alone[0]))


@pytest.mark.parametrize(
    ("value", "standard_error", "printed", "band", "bounds"),
    [
        (1.0, 0.0, 1.0, at_least(-0.05), SHARE),  # all of 30 seeds reach everybody, as the paper says
        (0.995, 0.003, 1.0, at_least(-0.05), SHARE),
        (0.985, 0.005, 1.0, at_least(-0.05), SHARE),
        (0.94, 0.02, 0.95, within(-0.05, 0.05), SHARE),
        (5.95, 2.0, 0.0, within(-10, 10), UNBOUNDED),  # 30 seeds: Student's t for 29 degrees, not the normal quantile
    ],
)
def test_a_number_is_untestable_only_if_unlimited_seeds_would_not_decide_it(
    value: float, standard_error: float, printed: float, band: Band, bounds: Bounds
) -> None:
    part = Part("x", Deviation(Value(value, standard_error, 30, bounds), printed, 30), band)
    assert part_verdict(part.with_seeds(UNLIMITED)) is Verdict.HOLDS
    assert verdict_on([part]) is not Verdict.UNTESTABLE
