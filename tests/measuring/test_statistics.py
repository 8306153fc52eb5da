"""Values over seeds and their comparisons: against the textbook's formulas, a bootstrap, and plain arithmetic.

That intervals respect bounds is tested in ``test_bounded_intervals``, skewed seeds in ``test_skewed_intervals``.
"""

from math import exp, sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from roamcast.measuring.statistics import Estimate, Sample, difference, pooled, ratio, t_quantile

HIGH, LOW = [70.0, 35.0, 95.0, 60.0], [2.5, 1.0, 4.0, 2.5]
"""As far above their means as below, and so are their differences: intervals have no skewness to allow for."""


def means(values: list[float]) -> list[Sample]:
    return [Sample(seed, value) for seed, value in enumerate(values)]


def known(found: Estimate | None) -> tuple[float, float]:
    """Return a value and half of the width of its interval."""
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.mean, (found.high - found.low) / 2


def test_with_bases_of_one_a_value_is_the_mean_with_its_t_interval() -> None:
    assert known(pooled(means(HIGH))) == pytest.approx((fmean(HIGH), t_quantile(3) * stdev(HIGH) / sqrt(4)))


def test_a_seed_that_delivered_nothing_still_counts_its_frames() -> None:
    assert known(pooled([Sample(1, 100, 50), Sample(2, 20, 0)]))[0] == pytest.approx(2.4)
    assert pooled([Sample(1, 100, 0), Sample(2, 20, 0)]) is None
    assert pooled([]) is None


def test_a_seed_with_few_deliveries_weighs_little() -> None:
    usual = [Sample(seed, 1500 + seed, 600) for seed in range(19)]
    value, half_width = known(pooled([*usual, Sample(19, 600, 7)]))
    assert value == pytest.approx(2.56, abs=0.02)
    assert half_width < 0.4


def test_one_seed_has_a_value_and_no_interval() -> None:
    assert pooled([Sample(1, 6, 2)]) == Estimate(3.0, None, None, 1)


def test_a_difference_has_the_t_interval_of_the_differences() -> None:
    apart = [above - below for above, below in zip(HIGH, LOW, strict=True)]
    value, half_width = known(difference(means(HIGH), means(LOW)))
    assert value == pytest.approx(fmean(apart))
    assert half_width == pytest.approx(t_quantile(3) * stdev(apart) / sqrt(4))


def test_a_ratio_is_that_of_the_means_with_the_interval_of_the_pairs_on_the_log_scale() -> None:
    times = fmean(HIGH) / fmean(LOW)
    residuals = [above - times * below for above, below in zip(HIGH, LOW, strict=True)]
    factor = exp(t_quantile(3) * stdev(residuals) / sqrt(4) / fmean(LOW) / times)
    found = ratio(means(HIGH), means(LOW))
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((times, times / factor, times * factor))
    assert ratio(means(HIGH), means([0.0] * 4)) is None
    assert ratio(means([0.0] * 4), means(HIGH)) == Estimate(0.0, 0.0, 0.0, 4)


def test_only_seeds_that_both_have_are_compared_whatever_their_order() -> None:
    found = difference(
        [Sample(3, 9.0), Sample(1, 5.0), Sample(2, 7.0)], [Sample(2, 6.0), Sample(3, 7.0), Sample(4, 0.0)]
    )
    assert known(found) == pytest.approx((1.5, t_quantile(1) * stdev([1.0, 2.0]) / sqrt(2)))
    assert difference([Sample(1, 5.0)], [Sample(2, 5.0)]) is None


def test_what_is_always_in_the_same_proportion_has_a_ratio_without_doubt() -> None:
    costs = [Sample(seed, 3.0 * base + seed, base) for seed, base in enumerate((100.0, 80.0, 130.0))]
    doubled = [Sample(each.seed, 2 * each.amount, each.base) for each in costs]
    assert known(ratio(doubled, costs)) == pytest.approx((2.0, 0.0), abs=1e-12)
    assert known(difference(costs, costs)) == pytest.approx((0.0, 0.0), abs=1e-12)


def campaign(random: Random, seeds: int, cost: float) -> list[Sample]:
    """Draw runs that deliver between a few and six hundred events, and send about ``cost`` frames for each."""
    bases = [random.randint(150, 600) for _ in range(seeds)]
    return [Sample(seed, 100 + base * random.gauss(cost, 0.4), base) for seed, base in enumerate(bases)]


def bootstrapped(random: Random, groups: list[list[Sample]], value: int) -> float:
    """Return the standard deviation of a value over seeds drawn again and again with replacement."""
    drawn = []
    for _ in range(1500):
        seeds = random.choices(range(len(groups[0])), k=len(groups[0]))
        first, last = (
            sum(group[seed].amount for seed in seeds) / sum(group[seed].base for seed in seeds)
            for group in (groups[0], groups[-1])
        )
        drawn.append((first, first - last, first / last)[value])
    return stdev(drawn)


@pytest.mark.parametrize("value", [0, 1, 2], ids=["pooled", "difference", "ratio"])
def test_intervals_of_ratios_of_sums_are_those_of_a_bootstrap_over_seeds(value: int) -> None:
    random = Random(value)
    groups = [campaign(random, 40, 2.5), campaign(random, 40, 5.5)]
    found = (pooled(groups[0]), difference(groups[0], groups[1]), ratio(*groups))[value]
    standard_error = known(found)[1] / t_quantile(39)
    assert standard_error == pytest.approx(bootstrapped(random, groups, value), rel=0.1)


def test_the_interval_of_a_ratio_of_sums_covers_the_truth_as_often_as_it_says() -> None:
    random, hits = Random(7), 0
    truth = 2.5 + 100 / 375  # a mean of 375 deliveries
    for _ in range(1000):
        value, half_width = known(pooled(campaign(random, 20, 2.5)))
        hits += abs(value - truth) < half_width
    assert 920 <= hits <= 975
