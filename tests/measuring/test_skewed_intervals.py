"""Intervals of skewed seeds: longer towards the longer tail, never shorter than Student's, and else hardly wider."""

from math import exp
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import skew

from roamcast.measuring.statistics import (
    NON_NEGATIVE,
    SHARE,
    UNBOUNDED,
    Bounds,
    Interval,
    Sample,
    Sampled,
    bounded_interval,
    cut_interval,
    sampled,
    skewness,
)
from roamcast.measuring.verdicts import Ratio, Value
from roamcast.measuring.verdicts.looks import LOOKS

SKEWNESS = st.floats(-2.6, 2.6)  # ten values cannot have more: 8 / 3


def ends(found: Interval | None) -> Interval:
    assert found is not None
    return found


def drawn(values: list[float]) -> Sampled:
    found = sampled([Sample(seed, value) for seed, value in enumerate(values)])
    assert found is not None
    return found


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20).filter(lambda values: len(set(values)) > 1))
def test_skewness_is_that_of_scipy(values: list[int]) -> None:
    assert skewness(values) == pytest.approx(float(skew(values)), abs=1e-9)
    assert drawn([float(value) for value in values]).skewness == pytest.approx(skewness(values), abs=1e-6)


def test_values_that_are_all_the_same_have_no_skewness() -> None:
    assert skewness([0.1] * 10) == pytest.approx(0, abs=1e-9)
    assert skewness([5.0]) == 0


@given(SKEWNESS, st.floats(0.01, 30), st.sampled_from([UNBOUNDED, NON_NEGATIVE]))
def test_towards_the_longer_tail_an_interval_reaches_further_and_no_less_far_the_other_way(
    skewness: float, standard_error: float, bounds: Bounds
) -> None:
    plain = cut_interval(10, standard_error, 10, bounds)
    low, high = cut_interval(10, standard_error, 10, bounds, skewness=skewness)
    assert low == plain[0] if skewness >= 0 else low <= plain[0]
    assert high == plain[1] if skewness <= 0 else high >= plain[1]
    if abs(skewness) > 0.01:
        assert high > plain[1] or low < plain[0] or low == bounds.low
    assert cut_interval(10, standard_error, 4, bounds, skewness=skewness) == cut_interval(10, standard_error, 4, bounds)


@given(SKEWNESS, st.floats(0, 30))
def test_the_interval_of_a_skewed_time_is_round_it_and_never_below_zero(skewness: float, standard_error: float) -> None:
    low, high = bounded_interval(10, standard_error, 10, NON_NEGATIVE, LOOKS.errors[0], skewness)
    assert 0 <= low <= 10 <= high


@given(SKEWNESS, st.floats(0.1, 2))
def test_turned_round_a_skewed_value_has_its_interval_turned_round(skewness: float, standard_error: float) -> None:
    low, high = cut_interval(3, standard_error, 10, skewness=skewness)
    assert cut_interval(-3, standard_error, 10, skewness=-skewness) == pytest.approx((-high, -low))


def test_a_share_that_some_seeds_miss_altogether_reaches_further_down() -> None:
    """Nine of ten seeds are round 0.6 and one is 0: there may be more of these than one in ten."""
    value = drawn([0.6, 0.62, 0.58, 0.61, 0.59, 0.6, 0.63, 0.57, 0.6, 0.0])
    assert value.standard_error is not None
    plain, skewed = (
        bounded_interval(value.value, value.standard_error, 10, SHARE, 0.05, each) for each in (0.0, value.skewness)
    )
    assert skewed[0] < plain[0] - 0.05
    assert skewed[1] == plain[1]


def test_with_more_seeds_the_skewness_counts_less_and_less() -> None:
    """It is divided by the square root of the seeds once more than the standard error is."""
    for few in (Value(10.0, 0.5, 10, skewness=1.5), Ratio(0.0, 0.05, 10, skewness=1.5)):
        uneven = []
        for quantity in (few, few.with_seeds(1000)):
            low, high = ends(quantity.interval(0.05))
            uneven.append((high - quantity.value) / (quantity.value - low))
        assert uneven[0] > 1.2
        assert 1 < uneven[1] < 1.1


def test_without_a_skew_ten_seeds_have_intervals_that_are_a_quarter_wider_at_the_most() -> None:
    random, found = Random(1), []
    for _ in range(2000):
        value = drawn([random.gauss(10, 2) for _ in range(10)])
        assert value.standard_error is not None
        plain, skewed = (
            bounded_interval(value.value, value.standard_error, 10, NON_NEGATIVE, LOOKS.errors[0], each)
            for each in (0.0, value.skewness)
        )
        found.append((skewed[1] - skewed[0]) / (plain[1] - plain[0]))
    assert 1.1 < fmean(found) <= 1.25


@pytest.mark.parametrize(("seeds", "error"), list(zip(LOOKS.seeds, LOOKS.errors, strict=True))[:2])
def test_the_truth_of_a_very_skewed_time_is_rarely_above_its_interval(seeds: int, error: float) -> None:
    """Student's interval on the log scale would miss it in 4 % of the cases, at an error of 0.2 % on this side."""
    random, misses, truth = Random(seeds), 0, exp(0.5)
    for _ in range(3000):
        value = drawn([random.lognormvariate(0, 1) for _ in range(seeds)])
        misses += ends(Value.of(value, NON_NEGATIVE).interval(error))[1] < truth
    assert misses / 3000 < 0.02
