"""When ours agrees with theirs, when it differs, and when the seeds do not tell."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.validation.cases import Case, Expectation, Quantity, Reference
from roamcast.validation.judging import Finding, Verdict, judge

WEIGHT = Quantity("weight", "weight")


def _nothing(seed: int, duration_s: float) -> Mapping[str, float]:
    return {WEIGHT.name: seed * duration_s}


def finding(reference: Reference, *ours: float, tolerance: float = 0.02) -> Finding:
    """Judge these outcomes."""
    expectation = Expectation(WEIGHT, reference, tolerance=tolerance)
    return Finding(Case("scales", "scales", _nothing, 1.0, 1.0, (expectation,)), expectation, ours, None)


def verdict(reference: Reference, middle: float, tolerance: float = 0.02) -> Verdict:
    """Judge six seeds whose mean is known well."""
    return finding(reference, *(3 * [middle - 0.0001, middle + 0.0001]), tolerance=tolerance).verdict


def test_a_mean_in_the_range_over_seeds_agrees_even_if_it_is_far_from_the_mean() -> None:
    assert verdict(Reference(100.0, 80.0, 110.0), 81.0) is Verdict.AGREES
    assert verdict(Reference(100.0, 80.0, 110.0), 79.0) is Verdict.DIFFERS
    assert verdict(Reference(100.0, 80.0, 110.0), 111.0) is Verdict.DIFFERS


def test_two_percent_of_the_mean_count_where_the_range_is_narrower() -> None:
    narrow = Reference(100.0, 99.9, 100.1)
    assert verdict(narrow, 98.1) is Verdict.AGREES
    assert verdict(narrow, 101.9) is Verdict.AGREES
    assert verdict(narrow, 97.85) is Verdict.DIFFERS
    assert verdict(narrow, 102.15) is Verdict.DIFFERS


def test_a_case_may_ask_for_more_than_two_percent() -> None:
    assert verdict(Reference(0.998), 0.99015) is Verdict.AGREES
    assert verdict(Reference(0.998), 0.99015, tolerance=0.001) is Verdict.DIFFERS


def test_a_range_without_a_mean_is_all_there_is() -> None:
    assert verdict(Reference(None, 80.0, 110.0), 80.05) is Verdict.AGREES
    assert verdict(Reference(None, 80.0, 110.0), 79.75) is Verdict.DIFFERS


def test_what_is_rounded_to_the_end_of_the_range_is_in_it() -> None:
    stated = Reference.percent(9.4, 9.2, 9.7)
    assert stated.allowed(0.0) == pytest.approx((0.0915, 0.0975))
    assert Reference.percent(9.4).allowed(0.0) == pytest.approx((0.094, 0.094))


def test_outside_by_less_than_three_standard_errors_is_undecided() -> None:
    reference = Reference(100.0, 95.0, 105.0)
    wide, narrow = (3 * [94.0 - each, 94.0 + each] for each in (1.0, 0.5))  # standard errors of 0.45 and 0.22
    assert finding(reference, *wide).verdict is Verdict.UNDECIDED
    assert finding(reference, *narrow).verdict is Verdict.DIFFERS


def test_a_few_seeds_never_tell_a_difference() -> None:
    reference = Reference(100.0, 95.0, 105.0)
    assert finding(reference, 50.0).verdict is Verdict.UNDECIDED
    assert finding(reference, *(2 * [49.9, 50.1])).verdict is Verdict.UNDECIDED
    assert finding(reference, *(2 * [49.9, 50.1]), 50.0).verdict is Verdict.DIFFERS
    assert finding(reference, 96.0).verdict is Verdict.AGREES


def test_the_outcomes_of_seeds_make_a_reference() -> None:
    assert Reference.of_seeds([3.0, 1.0, 5.0]) == Reference(3.0, 1.0, 5.0)


@given(
    reference=st.builds(Reference, st.floats(1, 1e6), st.floats(1, 1e6), st.floats(1, 1e6)),
    ours=st.lists(st.floats(0, 2e6), min_size=1, max_size=5),
)
def test_it_agrees_exactly_where_the_mean_is_allowed(reference: Reference, ours: list[float]) -> None:
    judged = finding(reference, *ours)
    low, high = judged.allowed
    assert (judged.verdict is Verdict.AGREES) == (low <= judged.mean <= high)
    assert reference.mean is not None
    assert low <= 0.98 * reference.mean + 1e-9
    assert high >= 1.02 * reference.mean - 1e-9
    assert (low, high) != (-inf, inf)


def test_every_quantity_is_judged_by_its_own_figures() -> None:
    height = Quantity("height", "height")
    light = Expectation(WEIGHT, Reference(10.1), theory=lambda: 9.5)
    tall = Expectation(height, Reference(10.0))
    case = replace(finding(Reference(10.0)).case, expectations=(light, tall))
    runs = [{"weight": 10 + each / 10, "height": 20 + each / 10} for each in range(5)]
    first, second = judge(case, runs)
    assert (first.ours, first.theory, first.verdict) == ((10.0, 10.1, 10.2, 10.3, 10.4), 9.5, Verdict.AGREES)
    assert (second.ours, second.theory, second.verdict) == ((20.0, 20.1, 20.2, 20.3, 20.4), None, Verdict.DIFFERS)
