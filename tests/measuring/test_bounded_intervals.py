"""Intervals of quantities that have bounds: they never leave them, and cover the truth as often as they say."""

from collections.abc import Callable
from math import exp, inf, log
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roamcast.measuring.statistics import (
    NON_NEGATIVE,
    SHARE,
    UNBOUNDED,
    Bounds,
    Estimate,
    Sample,
    all_or_nothing_interval,
    difference,
    pooled,
    ratio,
)


def means(values: list[float]) -> list[Sample]:
    return [Sample(seed, value) for seed, value in enumerate(values)]


def interval(values: list[float], bounds: Bounds) -> tuple[float, float]:
    return ends(pooled(means(values), bounds))


def ends(found: Estimate | None) -> tuple[float, float]:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


shares = st.lists(
    st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1).map(lambda share: round(share, 6))), min_size=2, max_size=12
)
amounts = st.lists(st.one_of(st.just(0.0), st.floats(1e-9, 1e9)), min_size=2, max_size=12)


@given(shares)
def test_the_interval_of_a_share_is_round_its_mean_and_within_zero_and_one(values: list[float]) -> None:
    low, high = interval(values, SHARE)
    mean = sum(values) / len(values)
    assert 0 <= low <= mean <= high <= 1


@given(st.integers(2, 40), st.sampled_from([0.0, 1.0]))
def test_a_share_that_is_none_or_all_on_every_seed_is_not_certain(seeds: int, value: float) -> None:
    low, high = interval([value] * seeds, SHARE)
    assert low <= value <= high
    assert high - low == pytest.approx(1 - 0.05 ** (1 / seeds))  # the rule of three: about 3 / seeds


@given(amounts)
def test_the_interval_of_a_count_or_a_time_is_round_its_mean_and_never_below_zero(values: list[float]) -> None:
    low, high = interval(values, NON_NEGATIVE)
    assert 0 <= low <= sum(values) / len(values) * (1 + 1e-12)
    assert high >= sum(values) / len(values) * (1 - 1e-12)
    assert high < inf


@given(amounts, amounts)
def test_the_interval_of_a_ratio_is_never_below_zero(above: list[float], below: list[float]) -> None:
    found = ratio(means(above), means(below))
    assume(found is not None and found.low is not None)
    low, high = ends(found)
    assert found is not None
    assert 0 <= low <= found.mean <= high


@given(shares, shares)
def test_shares_differ_by_one_at_most(one: list[float], other: list[float]) -> None:
    low, high = ends(difference(means(one), means(other), SHARE))
    assert -1 <= low <= high <= 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.sampled_from([SHARE, NON_NEGATIVE, UNBOUNDED]))
def test_values_that_break_their_bounds_have_an_interval_all_the_same(values: list[float], bounds: Bounds) -> None:
    low, high = interval(values, bounds)
    mean = sum(values) / len(values)
    assert low <= mean + 1e-6
    assert high >= mean - 1e-6


@given(st.integers(2, 30), st.floats(0, 1), st.floats(0, 1))
def test_the_worse_one_seed_is_among_seeds_at_the_bound_the_lower_the_interval(
    seeds: int, one: float, other: float
) -> None:
    worse, better = (interval([*[1.0] * (seeds - 1), value], SHARE) for value in sorted((one, other)))
    assert worse[0] <= better[0] + 1e-9
    assert worse[1] <= better[1] + 1e-9
    assert better[0] <= interval([1.0] * seeds, SHARE)[0] + 1e-9


@given(st.integers(2, 30), st.floats(0, 0.01))
def test_one_seed_hardly_off_the_bound_says_hardly_more_than_none(seeds: int, shortfall: float) -> None:
    at, near = (interval([*[1.0] * (seeds - 1), value], SHARE) for value in (1.0, 1 - shortfall))
    assert near == pytest.approx(at, abs=shortfall + 1e-9)


@given(shares)
def test_the_interval_of_a_share_is_that_of_its_complement_turned_round(values: list[float]) -> None:
    low, high = interval(values, SHARE)
    other_low, other_high = interval([1 - value for value in values], SHARE)
    assert (low, high) == pytest.approx((1 - other_high, 1 - other_low), abs=1e-6)


@given(shares)
def test_no_interval_of_a_share_is_wider_than_that_of_seeds_that_are_all_or_nothing(values: list[float]) -> None:
    low, high = interval(values, SHARE)
    widest_low, widest_high = all_or_nothing_interval(sum(values) / len(values), len(values))
    assert widest_low - 1e-9 <= low
    assert high <= widest_high + 1e-9


@given(st.integers(2, 12), st.floats(0, 1), st.floats(0.5, 1.2))
def test_an_interval_passes_without_a_jump_from_the_widest_to_students(seeds: int, spread: float, size: float) -> None:
    """From one seed off the bound to all of them, in small steps."""
    values = [1 - 0.4 * size * spread ** min(index, 50) for index in range(seeds)]
    nudged = [value - 1e-7 for value in values]
    assert interval(nudged, SHARE) == pytest.approx(interval(values, SHARE), abs=1e-3)


@pytest.mark.parametrize(
    ("hits", "seeds", "low", "high"),
    [(5, 10, 0.1871, 0.8129), (1, 10, 0.0025, 0.4450), (18, 20, 0.6830, 0.9877), (3, 4, 0.1941, 0.9937)],
)
def test_seeds_that_are_all_or_nothing_have_the_interval_of_clopper_and_pearson(
    hits: int, seeds: int, low: float, high: float
) -> None:
    """The numbers are those of the usual tables."""
    assert all_or_nothing_interval(hits / seeds, seeds) == pytest.approx((low, high), abs=1e-4)


def test_what_was_shown_as_0_08_plus_or_minus_0_24_is_an_interval_that_can_be() -> None:
    low, high = interval([0.0, 0.0, 0.0, 0.32], SHARE)
    assert 0 < low < 0.01
    assert 0.5 < high < 0.8


def test_far_from_bounds_the_interval_is_the_plain_one() -> None:
    values = [0.49, 0.5, 0.51, 0.5]
    for bounds in (SHARE, NON_NEGATIVE):
        assert interval(values, bounds) == pytest.approx(interval(values, UNBOUNDED), rel=1e-2)


def test_an_interval_that_would_touch_zero_is_cut_there_and_grows_no_further_upwards() -> None:
    low, high = interval([1.0, 3.0], NON_NEGATIVE)
    assert (low, high) == pytest.approx((0.0, interval([1.0, 3.0], UNBOUNDED)[1]))


def test_a_count_that_is_zero_on_every_seed_has_no_scale_to_be_uncertain_on() -> None:
    assert interval([0.0, 0.0, 0.0], NON_NEGATIVE) == (0.0, 0.0)


Draw = Callable[[Random], float]
CASES: dict[str, tuple[Draw, float, Bounds]] = {
    "a share, anything": (lambda random: random.random(), 0.5, SHARE),
    "a share, mostly high": (lambda random: random.betavariate(8, 2), 0.8, SHARE),
    "a share, low": (lambda random: random.betavariate(2, 18), 0.1, SHARE),
    "a share of 40 pairs": (lambda random: sum(random.random() < 0.9 for _ in range(40)) / 40, 0.9, SHARE),
    "a time, even": (lambda random: random.gauss(10, 2), 10.0, NON_NEGATIVE),
    "a time, skewed": (lambda random: random.lognormvariate(0, 0.5), exp(0.125), NON_NEGATIVE),
    "a time, gamma": (lambda random: random.gammavariate(4, 0.5), 2.0, NON_NEGATIVE),
}


@pytest.mark.parametrize("seeds", [4, 10, 30])
@pytest.mark.parametrize("case", CASES)
def test_an_interval_covers_the_truth_as_often_as_it_says(case: str, seeds: int) -> None:
    draw, truth, bounds = CASES[case]
    random, repetitions = Random(f"{case} {seeds}"), 2000
    hits = 0
    for _ in range(repetitions):
        low, high = interval([draw(random) for _ in range(seeds)], bounds)
        hits += low <= truth <= high
    assert 0.92 <= hits / repetitions <= 0.99


def partly(chance: float, share: float) -> Draw:
    """Return seeds that are mostly perfect, and else a share: a network that now and then falls apart."""
    return lambda random: share if random.random() < chance else 1.0


def delivered(pairs: int, chance: float) -> Draw:
    """Return the share of a run's pairs that are delivered."""
    return lambda random: sum(random.random() < chance for _ in range(pairs)) / pairs


AT_THE_BOUND: dict[str, tuple[Draw, float]] = {
    "100 pairs, 99 %": (delivered(100, 0.99), 0.99),
    "100 pairs, 99.8 %": (delivered(100, 0.998), 0.998),
    "10 pairs, 99 %": (delivered(10, 0.99), 0.99),
    "falls apart, one in ten": (partly(0.1, 0.5), 0.95),
    "falls apart, one in five": (partly(0.2, 0.6), 0.92),
    "all or nothing": (partly(0.2, 0.0), 0.8),
    "skewed": (lambda random: random.betavariate(1.8, 0.2), 0.9),
    "perfect or not": (lambda random: 1.0 if random.random() < 0.6 else random.betavariate(9, 1), 0.96),
}


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("case", AT_THE_BOUND)
def test_near_a_bound_the_truth_is_covered_whatever_the_distribution(case: str, seeds: int) -> None:
    draw, truth = AT_THE_BOUND[case]
    random, repetitions = Random(f"{case} {seeds}"), 1000
    found = (interval([draw(random) for _ in range(seeds)], SHARE) for _ in range(repetitions))
    hits = sum(low <= truth <= high for low, high in found)
    assert hits / repetitions >= 0.92  # 0.95 less what chance and a skew as strong as these take off


@pytest.mark.parametrize("seeds", [4, 10, 30])
def test_an_interval_of_a_paired_ratio_covers_the_truth_as_often_as_it_says(seeds: int) -> None:
    random, hits = Random(seeds), 0
    for _ in range(2000):
        shared = [random.lognormvariate(0, 0.5) for _ in range(seeds)]
        one, other = ([each * random.lognormvariate(log(size), 0.2) for each in shared] for size in (6.0, 2.0))
        low, high = ends(ratio(means(one), means(other)))
        hits += low <= 3.0 <= high
    assert 0.92 <= hits / 2000 <= 0.985


def test_a_share_that_is_nearly_always_all_is_covered_although_most_campaigns_see_nothing_else() -> None:
    """Of 4 seeds with 10 pairs each of which 99 % are delivered, two campaigns in three deliver all."""
    random, hits = Random(1), 0
    for _ in range(2000):
        values = [sum(random.random() < 0.99 for _ in range(10)) / 10 for _ in range(4)]
        low, high = interval(values, SHARE)
        hits += low <= 0.99 <= high
    assert hits / 2000 > 0.95
