"""The numbers that claims are made of: which value, on which scale, with which interval, paired by seed."""

from collections.abc import Callable
from math import exp, inf, log
from statistics import fmean, stdev

import pytest

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import SHARE, UNBOUNDED, Bounds, Sample, t_quantile
from roamcast.measuring.verdicts import Band, Deviation, Part, Ratio, Side, Sum, Value, above, within
from roamcast.papers.shared.claim_parts import (
    combined_part,
    difference_part,
    formula_part,
    if_measured,
    limits,
    pooled_ratio_part,
    printed_part,
    ratio_part,
    seeds_text,
    share_part,
    value_part,
)

CHEAP, DEAR, OTHER = (10.0, 12.0, 11.0, 9.0), (40.0, 50.0, 46.0, 35.0), (5.0, 4.0, 6.0, 5.5)


def row(*values: float, metric: str = "bytes_sent_per_node", first_seed: int = 1, x: float = 0) -> Measurement:
    """Return a measurement over seeds that count from a number on."""
    samples = tuple(Sample(first_seed + number, value) for number, value in enumerate(values))
    return Measurement("sweep", {"x": x}, metric, fmean(values), None, None, len(values), samples)


def share(*values: float) -> Measurement:
    return row(*values, metric="delivery_ratio")


def half_width(values: list[float]) -> float:
    """Return half of the plain 95 % interval of a mean."""
    return float(t_quantile(len(values) - 1) * stdev(values) / len(values) ** 0.5)


def interval(part: Part, error: float = 0.05) -> tuple[float, float]:
    found = part.interval(error)
    assert found is not None
    return found


def assert_paired(part: Part, values: list[float]) -> None:
    """Check that an interval is that of the pairs, with a little more above, where the tails of times are."""
    low, high = interval(part)
    assert low == pytest.approx(fmean(values) - half_width(values))
    assert 1 - 1e-9 <= (high - fmean(values)) / half_width(values) < 1.5


def test_a_measured_value_has_the_bounds_of_its_metric() -> None:
    part = value_part("x", share(0.5, 0.6, 0.7), within(0.4, 0.8))
    assert isinstance(part.quantity, Value)
    assert part.quantity.value == pytest.approx(0.6)
    assert (part.quantity.seeds, part.quantity.bounds) == (3, SHARE)
    assert part.points == {("sweep", '{"x": 0.0}')}
    assert part.is_judged
    assert value_part("x", row(1.0, 2.0)).quantity.bounds == Bounds(0.0, inf)  # type: ignore[union-attr]
    assert not value_part("x", row(1.0, 2.0)).is_judged


def test_a_difference_is_paired_by_seed_and_bounded_by_what_is_possible() -> None:
    part = difference_part("x", row(*DEAR), row(*CHEAP))
    gaps = [one - other for one, other in zip(DEAR, CHEAP, strict=True)]
    assert part.quantity is not None
    assert part.quantity.value == pytest.approx(fmean(gaps))
    assert_paired(part, gaps)
    shares = difference_part("x", share(0.9, 0.2), share(0.1, 0.3))
    assert interval(shares) == (-1.0, 1.0)


def test_a_weighted_sum_adds_up_its_terms_and_their_bounds() -> None:
    part = combined_part("x", [(0.5, row(*DEAR)), (-2.0, row(*CHEAP)), (1.0, row(*OTHER))])
    sums = [0.5 * dear - 2 * cheap + other for dear, cheap, other in zip(DEAR, CHEAP, OTHER, strict=True)]
    assert isinstance(part.quantity, Sum)
    assert part.quantity.value == pytest.approx(fmean(sums))
    assert part.quantity.total.bounds == UNBOUNDED
    assert [weight for weight, _ in part.quantity.terms] == [0.5, -2.0, 1.0]
    assert_paired(part, sums)


def test_a_ratio_is_one_of_means_judged_on_the_log_scale() -> None:
    part = ratio_part("x", row(*DEAR), row(*CHEAP), above(1.0))
    low, high = interval(part)
    assert part.quantity is not None
    assert part.quantity.value == pytest.approx(sum(DEAR) / sum(CHEAP))
    assert part.quantity.value / low == pytest.approx(high / part.quantity.value)
    turned = interval(ratio_part("x", row(*CHEAP), row(*DEAR)))
    assert turned == pytest.approx((1 / high, 1 / low))
    assert part.extent is None


def test_a_pooled_ratio_is_the_geometric_mean_over_points_with_the_lowest_and_the_highest() -> None:
    pairs = [(row(*DEAR, x=1), row(*CHEAP, x=1)), (row(*CHEAP, x=2), row(*OTHER, x=2))]
    part = pooled_ratio_part("x", pairs, above(1.0))
    ratios = [sum(DEAR) / sum(CHEAP), sum(CHEAP) / sum(OTHER)]
    assert isinstance(part.quantity, Ratio)
    assert part.quantity.value == pytest.approx(exp(fmean(map(log, ratios))))
    assert part.extent == pytest.approx((min(ratios), max(ratios)))
    assert len(part.points) == 2
    longer = [(row(*DEAR, 1000.0, x=1), row(*CHEAP, x=1)), pairs[1]]  # a seed that the other values lack
    assert pooled_ratio_part("x", longer, above(1.0)).extent == part.extent
    pulls = [
        (dear / fmean(DEAR) - cheap / fmean(CHEAP) + cheap / fmean(CHEAP) - other / fmean(OTHER)) / 2
        for dear, cheap, other in zip(DEAR, CHEAP, OTHER, strict=True)
    ]
    assert part.quantity.standard_error == pytest.approx(stdev(pulls) / 2)


def test_a_share_of_another_value_stays_between_nothing_and_all() -> None:
    part = share_part("x", row(9.0, 10.0, 9.9), row(10.0, 10.0, 10.0))
    assert isinstance(part.quantity, Value)
    assert part.quantity.bounds == SHARE
    assert interval(part)[1] <= 1.0


def test_a_printed_number_has_the_papers_runs() -> None:
    part = printed_part("x", share(0.9, 0.8, 0.85), 0.95, 30, within(-0.05, 0.05))
    assert isinstance(part.quantity, Deviation)
    assert (part.quantity.printed, part.quantity.runs) == (0.95, 30)
    assert part.quantity.value == pytest.approx(-0.1)


def test_any_formula_can_be_a_number() -> None:
    part = formula_part(
        "x", [row(*DEAR), row(*CHEAP)], lambda values: Value.of(values[0] * values[1]), within(0, 1), is_share=True
    )
    assert part.quantity is not None
    assert part.quantity.value == pytest.approx(fmean(DEAR) * fmean(CHEAP))
    assert part.band is not None
    assert (part.band.margin, part.band.is_log) == (0.01, False)


def test_only_the_seeds_that_all_values_have_are_compared() -> None:
    part = difference_part("x", row(1.0, 2.0, 3.0), row(10.0, 20.0, 30.0, first_seed=2))
    assert part.quantity is not None
    assert part.quantity.seeds == 2
    assert part.quantity.value == pytest.approx(2.5 - 15.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: value_part("x", None, above(1)),
        lambda: difference_part("x", row(1.0, 2.0), None, above(1)),
        lambda: ratio_part("x", None, row(1.0, 2.0), above(1)),
        lambda: ratio_part("x", row(0.0, 0.0), row(1.0, 2.0), above(1)),
        lambda: ratio_part("x", row(1.0, 2.0), row(0.0, 0.0), above(1)),
        lambda: share_part("x", row(1.0, 2.0), row(0.0, 0.0), above(1)),
        lambda: pooled_ratio_part("x", [(row(1.0, 2.0), row(1.0, 2.0)), (None, row(1.0, 2.0))], above(1)),
        lambda: pooled_ratio_part("x", [], above(1)),
        lambda: printed_part("x", None, 1.0, 30, above(1)),
        lambda: difference_part("x", row(1.0), row(1.0, first_seed=9), above(1)),
    ],
)
def test_what_was_not_measured_or_has_no_value_is_a_judged_part_without_one(make: Callable[[], Part]) -> None:
    part = make()
    assert part.quantity is None
    assert part.is_judged
    assert part.interval(0.05) is None
    assert part.extent is None


@pytest.mark.parametrize(
    ("part", "margin", "is_log"),
    [
        (value_part("x", share(0.5, 0.6), within(0, 1)), 0.01, False),
        (difference_part("x", share(0.5, 0.6), share(0.5, 0.6), above(0)), 0.01, False),
        (value_part("x", row(5.0, 6.0), within(0, 1)), 0.05, True),
        (ratio_part("x", row(5.0, 6.0), row(5.0, 6.0), above(1)), 0.05, True),
        (ratio_part("x", row(5.0, 6.0), row(5.0, 6.0), Band(1, 2, margin=0.3)), 0.3, False),
    ],
)
def test_a_point_of_a_share_and_a_twentieth_of_all_else_are_on_the_line_unless_the_band_says_otherwise(
    part: Part, margin: float, is_log: bool
) -> None:
    assert part.band is not None
    assert (part.band.margin, part.band.is_log) == (margin, is_log)


def test_two_limits_are_a_band_one_is_a_side_and_none_is_nothing_to_judge() -> None:
    assert limits(1, 2) == within(1, 2)
    assert limits(1) == Band(low=1, favours=Side.ABOVE)
    assert limits(high=2) == Band(high=2, favours=Side.BELOW)
    assert limits() is None


def test_a_measure_is_asked_only_if_its_sweep_was_run() -> None:
    measure = if_measured("sweep", lambda _: [Part.missing("x")])
    assert measure(Measurements([])) == []
    assert [part.label for part in measure(Measurements([row(1.0)]))] == ["x"]


def test_measurements_are_found_by_labels_whatever_the_spelling_of_numbers() -> None:
    one = Measurement("sweep", {"speed": [10, 10], "fraction": 1}, "metric", 0.5, 0.4, 0.6, 3)
    other = Measurement("sweep", {"speed": [20, 20], "fraction": 1}, "metric", 0.7, 0.6, 0.8, 3)
    measured = Measurements([one, other])
    assert measured.where("sweep", "metric", {"speed": [10.0, 10.0]}) == [one]
    assert measured.where("sweep", "metric", {"fraction": 1.0}) == [one, other]
    assert measured.where("sweep", "metric", {"absent": 1}) == []
    assert measured.find("sweep", "metric", {"fraction": 1.0, "speed": [20.0, 20.0]}) == other
    assert measured.find("sweep", "other", {"fraction": 1.0, "speed": [20.0, 20.0]}) is None


def test_a_caption_says_how_many_seeds_there_are() -> None:
    assert seeds_text([row(1.0, 2.0), row(1.0, 2.0, 3.0)]) == "Values over 2 to 3 seeds with 95 % intervals."
