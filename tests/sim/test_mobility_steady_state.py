"""The steady state of random waypoint, against what mathematics says of it and against itself at a later time.

Seeds are fixed, so these tests always see the same samples; the bounds are those of a test at the level 0.0001.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from roamcast.sim.mobility._steady_state import trip_length_m_mean
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

Floats = NDArray[np.float64]

NODES = 6000
SQUARE = Area(1000.0, 1000.0)
WIDE = Area(1500.0, 600.0)
CRITICAL = math.sqrt(math.log(2 / 0.0001) / 2)
"""Kolmogorov's: the distance of two distributions, times the root of the sample's size, exceeds it once in 10,000."""


def walk(model: RandomWaypoint, area: Area = SQUARE, until_s: float = 1.0, nodes: int = NODES) -> Trajectories:
    return model.trajectories(nodes, area, until_s, RandomStreams(7))


def first_legs(trajectories: Trajectories) -> tuple[Floats, Floats]:
    """Return the length and the duration of every node's first leg."""
    first = trajectories.offsets[:-1]
    x_m, y_m, time_s = (
        each[first + 1] - each[first] for each in (trajectories.x_m, trajectories.y_m, trajectories.time_s)
    )
    return np.hypot(x_m, y_m), time_s


def speeds_mps(trajectories: Trajectories, at_s: float) -> Floats:
    step_m = trajectories.positions(at_s + 0.001) - trajectories.positions(at_s)
    return np.round(np.hypot(step_m[:, 0], step_m[:, 1]) / 0.001, 6)


def distance_to(sample: Floats, cumulative: Callable[[Floats], Floats]) -> float:
    """Return Kolmogorov's statistic of a sample and a distribution."""
    expected = cumulative(np.sort(sample))
    steps = np.arange(len(sample) + 1) / len(sample)
    return float(max((steps[1:] - expected).max(), (expected - steps[:-1]).max()) * math.sqrt(len(sample)))


def distance_between(one: Floats, other: Floats) -> float:
    """Return Kolmogorov's and Smirnov's statistic of two samples."""
    everywhere = np.sort(np.concatenate((one, other)))
    shares = [np.searchsorted(np.sort(each), everywhere, side="right") / len(each) for each in (one, other)]
    size = len(one) * len(other) / (len(one) + len(other))
    return float(np.abs(shares[0] - shares[1]).max() * math.sqrt(size))


def test_the_mean_trip_in_a_unit_square_is_the_published_constant() -> None:
    assert trip_length_m_mean(Area(1.0, 1.0)) == pytest.approx((2 + math.sqrt(2) + 5 * math.log(1 + math.sqrt(2))) / 15)
    assert trip_length_m_mean(Area(1000.0, 1000.0)) == pytest.approx(521.4054331, abs=1e-6)


@pytest.mark.parametrize(("width_m", "height_m"), [(1500.0, 600.0), (200.0, 9000.0), (3.0, 4.0)])
def test_the_mean_trip_in_a_rectangle_is_the_integral_over_all_pairs(width_m: float, height_m: float) -> None:
    middles = (np.arange(1500) + 0.5) / 1500
    # The difference of two uniform numbers has the density 2 (1 - u).
    weights = np.outer(1 - middles, 1 - middles) * 4 / 1500**2
    lengths_m = np.hypot(width_m * middles[:, None], height_m * middles[None, :])
    assert trip_length_m_mean(Area(width_m, height_m)) == pytest.approx(float((weights * lengths_m).sum()), rel=1e-5)


def test_a_very_thin_area_has_a_third_of_its_length_as_the_mean_trip() -> None:
    assert trip_length_m_mean(Area(10_000.0, 1.0)) == pytest.approx(10_000 / 3, rel=1e-5)


def test_trips_of_a_cold_walk_have_the_mean_length_of_the_formula() -> None:
    lengths_m, _ = first_legs(walk(RandomWaypoint((10.0, 10.0), start="cold")))
    assert lengths_m.mean() == pytest.approx(521.405, abs=4 * lengths_m.std() / math.sqrt(NODES))


@pytest.mark.parametrize(("low_mps", "high_mps"), [(1.0, 40.0), (10.0, 15.0), (0.01, 20.0), (1.0, 2.0)])
def test_speeds_at_the_start_have_the_density_one_over_speed(low_mps: float, high_mps: float) -> None:
    lengths_m, durations_s = first_legs(walk(RandomWaypoint((low_mps, high_mps))))
    speeds = lengths_m / durations_s
    assert distance_to(speeds, lambda v: np.log(v / low_mps) / math.log(high_mps / low_mps)) < CRITICAL
    stationary_mps = (high_mps - low_mps) / math.log(high_mps / low_mps)
    assert speeds.mean() == pytest.approx(stationary_mps, abs=4 * speeds.std() / math.sqrt(NODES))


def test_the_share_of_pausing_nodes_at_the_start_is_that_of_the_pauses_in_time() -> None:
    model = RandomWaypoint((1.0, 19.0), pause_s=100.0)
    lengths_m, durations_s = first_legs(walk(model))
    pausing = lengths_m == 0
    trip_s = 521.405 * math.log(19) / 18
    expected = 100 / (100 + trip_s)
    assert pausing.mean() == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / NODES))
    assert distance_to(durations_s[pausing], lambda left_s: left_s / 100) < CRITICAL


def test_pausing_nodes_are_uniform_and_moving_nodes_gather_in_the_middle() -> None:
    # On a line, moving nodes have the density 6 x (1 - x): the one-dimensional case of Navidi and Camp.
    line = Area(1000.0, 0.01)
    model = RandomWaypoint((10.0, 10.0), pause_s=30.0)
    trajectories = walk(model, line)
    moving = first_legs(trajectories)[0] > 0
    x = trajectories.positions(0.0)[:, 0] / 1000
    assert 1000 < moving.sum() < NODES - 1000
    assert distance_to(x[moving], lambda x: 3 * x**2 - 2 * x**3) < CRITICAL
    assert distance_to(x[~moving], lambda x: x) < CRITICAL
    squares = (x[moving] - 0.5) ** 2
    assert squares.mean() == pytest.approx(1 / 20, abs=4 * squares.std() / math.sqrt(len(squares)))


def test_what_is_left_of_the_first_trip_is_half_a_trip_chosen_by_its_length() -> None:
    # Renewal theory: E[L^2] / (2 E[L]), where two uniform points of a unit square have E[L^2] = 1/3.
    lengths_m, _ = first_legs(walk(RandomWaypoint((10.0, 10.0))))
    expected_m = 1000 * (1 / 3) / (2 * 0.5214054)
    assert lengths_m.mean() == pytest.approx(expected_m, abs=4 * lengths_m.std() / math.sqrt(NODES))


@pytest.mark.parametrize("pause_s", [0.0, 20.0])
def test_the_steady_state_does_not_drift(pause_s: float) -> None:
    trajectories = walk(RandomWaypoint((2.0, 20.0), pause_s), WIDE, until_s=501.0)
    begin, end = trajectories.positions(0.0), trajectories.positions(500.0)
    assert distance_between(begin[:, 0], end[:, 0]) < CRITICAL
    assert distance_between(begin[:, 1], end[:, 1]) < CRITICAL
    assert distance_between(to_centre_m(begin), to_centre_m(end)) < CRITICAL
    assert distance_between(speeds_mps(trajectories, 0.0), speeds_mps(trajectories, 500.0)) < CRITICAL


def test_a_cold_start_ends_in_the_state_in_which_the_steady_start_begins() -> None:
    cold = walk(RandomWaypoint((5.0, 20.0), 5.0, start="cold"), WIDE, until_s=1501.0)
    # Other nodes than the cold ones: the two samples must be independent.
    steady = RandomWaypoint((5.0, 20.0), 5.0).trajectories(NODES, WIDE, 1.0, RandomStreams(8))
    begin, late, target = cold.positions(0.0), cold.positions(1500.0), steady.positions(0.0)
    assert distance_between(to_centre_m(begin), to_centre_m(target)) > 2 * CRITICAL
    assert distance_between(to_centre_m(late), to_centre_m(target)) < CRITICAL
    assert distance_between(speeds_mps(cold, 0.0), speeds_mps(steady, 0.0)) > 2 * CRITICAL
    assert distance_between(speeds_mps(cold, 1500.0), speeds_mps(steady, 0.0)) < CRITICAL


def to_centre_m(positions: Floats) -> Floats:
    return np.hypot(positions[:, 0] - WIDE.width_m / 2, positions[:, 1] - WIDE.height_m / 2)
