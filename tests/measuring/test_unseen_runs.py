"""Shares allow for runs that reach nobody although no seed has shown one yet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import (
    NON_NEGATIVE,
    SHARE,
    UNBOUNDED,
    Bounds,
    Sample,
    all_or_nothing_interval,
    bounded_interval,
)
from roamcast.measuring.verdicts import Claim, Deviation, Ratio, Sum, Value, Verdict, at_least, examine
from roamcast.measuring.verdicts.looks import LOOKS, UNSEEN_RUNS, look_at
from roamcast.papers.shared.claim_parts import value_part

BAND = at_least(0.89)
SHARES = st.floats(0, 1)
ERRORS = st.floats(0, 0.2)
SEEDS = st.integers(2, 300)


def allowing(value: float, error: float, seeds: int, unseen: float = UNSEEN_RUNS) -> tuple[float, float]:
    return bounded_interval(value, error, seeds, SHARE, unseen=unseen)


@given(SHARES, ERRORS, SEEDS)
def test_an_interval_that_allows_for_unseen_runs_contains_the_one_that_does_not(
    value: float, error: float, seeds: int
) -> None:
    shown, found = allowing(value, error, seeds, unseen=0), allowing(value, error, seeds)
    assert 0 <= found[0] <= shown[0] <= value <= shown[1] <= found[1] <= 1


@given(SHARES, ERRORS, SEEDS)
def test_it_is_never_wider_than_that_of_seeds_which_are_all_or_nothing(value: float, error: float, seeds: int) -> None:
    shown, found, widest = (
        allowing(value, error, seeds, unseen=0),
        allowing(value, error, seeds),
        all_or_nothing_interval(value, seeds),
    )
    assert found[0] >= min(shown[0], widest[0]) - 1e-9
    assert found[1] <= max(shown[1], widest[1]) + 1e-9


@given(SHARES, ERRORS, SEEDS)
def test_that_of_the_complement_is_turned_round(value: float, error: float, seeds: int) -> None:
    low, high = allowing(value, error, seeds)
    assert allowing(1 - value, error, seeds) == pytest.approx((1 - high, 1 - low), abs=1e-6)


@pytest.mark.parametrize(("seeds", "error"), list(zip(LOOKS.seeds, LOOKS.errors, strict=True)))
def test_seeds_that_all_missed_the_run_in_a_hundred_that_reaches_nobody_do_not_exclude_it(
    seeds: int, error: float
) -> None:
    """Of the first ten seeds nine in ten campaigns see no such run, of thirty three in four."""
    for period in (50, 100, 300):
        truth = 0.97 * (1 - 1 / period)
        interval = Value(0.97, 0.02 / seeds**0.5, seeds, SHARE).allowing(UNSEEN_RUNS).interval(error)
        assert interval is not None
        missed_by_chance = (1 - 1 / period) ** seeds
        assert interval[0] < truth or missed_by_chance < 0.05


def test_a_value_in_the_middle_of_the_unit_interval_allows_for_runs_at_either_end() -> None:
    low, high = allowing(0.5, 0.0, 10)
    assert low == pytest.approx(1 - high)
    assert low < 0.4


@pytest.mark.parametrize("bounds", [NON_NEGATIVE, UNBOUNDED])
def test_only_values_with_two_bounds_allow_for_them(bounds: Bounds) -> None:
    assert bounded_interval(5, 1, 10, bounds, unseen=2) == bounded_interval(5, 1, 10, bounds)


def test_every_share_in_a_quantity_allows_for_them_and_nothing_else_does() -> None:
    share, other = Value(0.9, 0.01, 20, SHARE), Value(0.8, 0.01, 20, SHARE)
    total = Value(0.1, 0.01, 20, Bounds(-1, 1), is_difference=True)
    for plain in (
        share,
        Deviation(share, 0.85, 30),
        Sum(total, ((1.0, share), (-1.0, other)), {(0, 1): 0.0}),
    ):
        (low, high), (wide_low, wide_high) = (each.interval(0.05) or (0, 0) for each in (plain, plain.allowing(1.25)))
        assert wide_low < low < high < wide_high
    for same in (Ratio(0.1, 0.01, 20), Value(5.0, 1.0, 20, NON_NEGATIVE)):
        assert same.allowing(1.25).interval(0.05) == same.interval(0.05)


def test_only_planned_looks_allow_for_them() -> None:
    rows = [
        Measurement(
            "sweep", {}, "delivery_ratio", 0.9, None, None, 10, tuple(Sample(seed, 0.9) for seed in range(1, 11))
        )
    ]
    measured = Measurements(rows)
    claim = Claim("c", "", "", "", (), lambda table: [value_part("x", table.first("sweep", "delivery_ratio"), BAND)])
    made = {row.place: range(1, 11) for row in rows}
    (looked,), (once,) = look_at([claim], measured, made, first_seed=1), examine([claim], measured, LOOKS.errors[0])
    assert (once.verdict, looked.finding.verdict) == (Verdict.HOLDS, Verdict.UNDECIDED)
