"""Gossip's cost between the probabilities that were measured, and its standard error."""

from collections.abc import Mapping, Sequence

import pytest
from hint_driven_rows import COST, CREDITS, DELIVERY, PROBABILITY
from hypothesis import given
from hypothesis import strategies as st

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sample, Sampled, sampled
from roamcast.measuring.verdicts import at_least
from roamcast.papers.hint_driven.equal_delivery import cost_over_gossip_part, gossip_cost_part
from roamcast.papers.shared.interpolation import interpolated


def sure(*values: float) -> list[Sampled]:
    """Return values without any error."""
    return [Sampled(value, (0.0, 0.0)) for value in values]


def test_between_two_points_the_value_lies_on_the_line() -> None:
    along, values = sure(0.2, 0.6, 0.9), sure(2.0, 4.0, 7.0)
    assert interpolated(along, values, 0.5).value == pytest.approx(3.5)
    assert interpolated(along, values, 0.7).value == pytest.approx(5.0)
    for delivery, cost in zip(along, values, strict=True):
        assert interpolated(along, values, delivery.value).value == pytest.approx(cost.value)


@pytest.mark.parametrize("target", [0.1, 0.95])
def test_beyond_the_points_there_is_no_value(target: float) -> None:
    with pytest.raises(ValueError, match="no point below and above"):
        interpolated(sure(0.2, 0.9), sure(2.0, 7.0), target)


def test_a_dip_does_not_lead_to_a_second_value() -> None:
    """Of the lines that enclose the target, the first one counts; two points at one height enclose nothing."""
    assert interpolated(sure(0.2, 0.6, 0.5, 0.9), sure(2, 4, 9, 10), 0.55).value == pytest.approx(3.75)
    assert interpolated(sure(0.5, 0.5, 0.7), sure(1, 2, 4), 0.5).value == pytest.approx(2.0)


def measured_gossip(curves: Mapping[float, Sequence[tuple[float, float]]]) -> list[Measurement]:
    """Return gossip's delivery and cost by probability, with the values of each seed."""
    rows = []
    for probability, seeds in curves.items():
        point = {"curve": "gossip", "protocol.name": "gossip", PROBABILITY: probability}
        for metric, index in ((DELIVERY, 0), (COST, 1)):
            samples = tuple(Sample(seed, values[index]) for seed, values in enumerate(seeds))
            found = sampled(samples)
            assert found is not None
            rows.append(Measurement("probability", point, metric, found.value, None, None, len(samples), samples))
    return rows


THREE_SEEDS = {
    0.1: [(0.9, 1.0), (0.9, 1.0), (0.9, 1.0)],
    0.4: [(0.38, 4.0), (0.40, 4.2), (0.42, 4.4)],
    0.5: [(0.62, 5.2), (0.60, 5.0), (0.58, 5.1)],
    0.7: [(0.80, 7.0), (0.80, 7.0), (0.80, 7.0)],
}


def test_the_cost_at_half_by_hand() -> None:
    """0.4 at 4.2 and 0.6 at 5.1: half-way at 4.65; a probability below 0.3 does not take part."""
    part = gossip_cost_part("half", Measurements(measured_gossip(THREE_SEEDS)), 0.5, at_least(5.0))
    assert part.quantity is not None
    assert part.quantity.value == pytest.approx(4.65)
    assert part.quantity.seeds == 3
    # c1 + (c2 - c1) (0.5 - d1) / (d2 - d1) has the slope 1/2 in each cost, and -0.9 / 0.2 / 2 in each delivery.
    pulls = [
        0.5 * (low - 4.2) + 0.5 * (high - 5.1) - 2.25 * (one - 0.4) - 2.25 * (two - 0.6)
        for (one, low), (two, high) in zip(THREE_SEEDS[0.4], THREE_SEEDS[0.5], strict=True)
    ]
    error = (sum(pull**2 for pull in pulls) / 2 / 3) ** 0.5
    low, high = part.interval(0.05) or (0.0, 0.0)
    assert (high - low) / 2 == pytest.approx(4.302653 * error, rel=1e-5)  # Student's t with two degrees of freedom


def test_a_cost_over_gossip_that_delivers_as_much_by_hand() -> None:
    """Of 0.5 delivered at 2.0 and of 0.7 at 3.0, where gossip costs 4.65 and 6.05."""
    rows = measured_gossip(THREE_SEEDS)
    for count, delivery, cost in ((0, 0.5, 2.0), (1, 0.7, 3.0)):
        point = {"curve": "hints", "protocol.name": "hint-driven", CREDITS: count}
        for metric, value in ((DELIVERY, delivery), (COST, cost)):
            samples = tuple(Sample(seed, value) for seed in range(3))
            rows.append(Measurement("credits", point, metric, value, None, None, 3, samples))
    own = rows[-4:]
    both = cost_over_gossip_part("both", Measurements(rows), [(own[0], own[1]), (own[2], own[3])], None)
    assert both.quantity is not None
    assert both.extent == pytest.approx((2.0 / 4.65, 3.0 / 6.05))
    assert both.quantity.value == pytest.approx((2.0 / 4.65 * 3.0 / 6.05) ** 0.5)
    assert {sweep for sweep, _ in both.points} == {"probability", "credits"}
    assert len(both.points) == 5


def test_without_a_gossip_that_delivers_as_much_there_is_nothing_to_compare_with() -> None:
    rows = measured_gossip(THREE_SEEDS)
    assert gossip_cost_part("most", Measurements(rows), 0.85, at_least(5.0)).quantity is None
    assert gossip_cost_part("none", Measurements([]), 0.5, at_least(5.0)).quantity is None


shares = st.floats(0.01, 0.99)


@given(shares, st.tuples(st.floats(0.1, 0.4), st.floats(0.5, 0.9)), st.tuples(st.floats(1, 5), st.floats(1, 9)))
def test_each_seeds_pull_is_that_of_the_formula(
    share: float, ends: tuple[float, float], costs: tuple[float, float]
) -> None:
    """Moving one operand by little moves the result by its pull, whatever the operand."""
    target = ends[0] + share * (ends[1] - ends[0])
    plain = [*ends, *costs, target]
    step = 1e-6

    def value(at: Sequence[float]) -> float:
        one, two, low, high, wanted = sure(*at)
        return interpolated([one, two], [low, high], wanted).value

    for moved in range(5):
        operands = [Sampled(each, (1.0 if index == moved else 0.0, 0.0)) for index, each in enumerate(plain)]
        found = interpolated(operands[:2], operands[2:4], operands[4])
        after = value([each + (step if index == moved else 0.0) for index, each in enumerate(plain)])
        assert found.pulls[0] == pytest.approx((after - value(plain)) / step, rel=1e-3, abs=1e-3)
