"""Random waypoint: what a walk is made of, and what a person may ask of it."""

import hashlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from roamcast.core.errors import UserError
from roamcast.core.parameters import build
from roamcast.sim.mobility import load_mobility
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

AREA = Area(1500.0, 600.0)

_models = st.builds(
    lambda low, more, pause_s, start: RandomWaypoint((low, low + more), pause_s, start),
    st.floats(0.5, 30),
    st.sampled_from([0.0, 1.0, 25.0]),
    st.sampled_from([0.0, 1.0, 40.0]),
    st.sampled_from(["steady-state", "cold"]),
)


def node_points(trajectories: Trajectories, node: int) -> list[tuple[float, float, float]]:
    part = slice(trajectories.offsets[node], trajectories.offsets[node + 1])
    columns = (trajectories.time_s[part], trajectories.x_m[part], trajectories.y_m[part])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def legs(trajectories: Trajectories) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the durations and lengths of all legs of all nodes."""
    inner = np.ones(len(trajectories.time_s), dtype=bool)
    inner[trajectories.offsets[:-1]] = False
    steps = [np.diff(each, prepend=0.0)[inner] for each in (trajectories.time_s, trajectories.x_m, trajectories.y_m)]
    return steps[0], np.hypot(steps[1], steps[2])


def test_it_is_found_by_the_name_of_its_file() -> None:
    assert load_mobility("random-waypoint") is RandomWaypoint


@settings(max_examples=40)
@given(_models, st.integers(0, 10_000))
def test_every_leg_is_a_trip_within_the_speeds_or_a_pause_within_the_area(model: RandomWaypoint, seed: int) -> None:
    trajectories = model.trajectories(8, AREA, 300.0, RandomStreams(seed))
    durations_s, lengths_m = legs(trajectories)
    moving = lengths_m > 0
    speeds_mps = lengths_m[moving] / durations_s[moving]
    assert (speeds_mps >= model.speed_mps[0] * (1 - 1e-9)).all()
    assert (speeds_mps <= model.speed_mps[1] * (1 + 1e-9)).all()
    assert (durations_s[~moving] <= model.pause_s + 1e-9).all()
    assert (durations_s > 0).all()
    assert all(map(AREA.contains, trajectories.x_m, trajectories.y_m))


@settings(max_examples=40)
@given(_models, st.integers(0, 10_000))
def test_every_walk_begins_at_0_and_lasts_long_enough(model: RandomWaypoint, seed: int) -> None:
    trajectories = model.trajectories(8, AREA, 300.0, RandomStreams(seed))
    assert (trajectories.time_s[trajectories.offsets[:-1]] == 0.0).all()
    assert (trajectories.time_s[trajectories.offsets[1:] - 1] >= 300.0).all()


def test_trips_and_pauses_of_the_given_length_alternate() -> None:
    points = node_points(RandomWaypoint((10.0, 10.0), 3.0, "cold").trajectories(1, AREA, 500.0, RandomStreams(1)), 0)
    assert len(points) > 7
    for arrived, left in zip(points[1::2], points[2::2], strict=True):
        assert left == (arrived[0] + 3.0, arrived[1], arrived[2])


def test_a_cold_node_sets_off_at_once() -> None:
    trajectories = RandomWaypoint((10.0, 10.0), 50.0, "cold").trajectories(50, AREA, 1.0, RandomStreams(3))
    moved_m = np.abs(trajectories.positions(1.0) - trajectories.positions(0.0)).sum(axis=1)
    assert (moved_m > 1.0).all()


def test_nodes_stand_still_at_speed_0() -> None:
    for start in ("steady-state", "cold"):
        trajectories = RandomWaypoint((0.0, 0.0), 1.0, start).trajectories(300, AREA, 100.0, RandomStreams(1))
        assert trajectories.offsets.tolist() == list(range(301))
        assert trajectories.x_m.mean() == pytest.approx(750, abs=100)
        assert np.ptp(trajectories.y_m) > 550


@pytest.mark.parametrize("start", ["steady-state", "cold"])
def test_a_node_moves_the_same_whatever_the_number_of_nodes(start: str) -> None:
    model = RandomWaypoint((1.0, 20.0), 2.0, start)
    few = model.trajectories(3, AREA, 400.0, RandomStreams(5))
    many = model.trajectories(40, AREA, 400.0, RandomStreams(5))
    assert [node_points(few, node) for node in range(3)] == [node_points(many, node) for node in range(3)]
    assert node_points(many, 0) != node_points(many, 1)


def test_a_longer_run_begins_with_the_same_movement() -> None:
    model = RandomWaypoint((1.0, 20.0), 2.0)
    short = model.trajectories(20, AREA, 100.0, RandomStreams(5))
    long = model.trajectories(20, AREA, 5000.0, RandomStreams(5))
    for node in range(20):
        points = node_points(short, node)
        assert points == node_points(long, node)[: len(points)]


def test_another_seed_is_another_movement() -> None:
    model = RandomWaypoint((1.0, 20.0))
    one, other = (model.trajectories(1, AREA, 100.0, RandomStreams(seed)) for seed in (1, 2))
    assert node_points(one, 0) != node_points(other, 0)


def test_the_movement_of_a_seed_is_the_same_bits_everywhere() -> None:
    trajectories = RandomWaypoint((1.0, 40.0), 1.0).trajectories(50, AREA, 600.0, RandomStreams(1))
    joined = b"".join(each.tobytes() for each in (trajectories.time_s, trajectories.x_m, trajectories.y_m))
    assert hashlib.blake2b(joined, digest_size=8).hexdigest() == "8879c8d660941c6b"


def test_a_cold_start_may_have_speeds_down_to_0() -> None:
    model = build(RandomWaypoint, {"speed_mps": [0, 20], "start": "cold"}, "[mobility]")
    assert model.trajectories(20, AREA, 100.0, RandomStreams(1)).speed_mps_max() <= 20 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({}, "speed_mps: missing"),
        ({"speed_mps": [20, 10]}, "speed_mps = [20, 10]: must be [lowest, highest]"),
        ({"speed_mps": [-1, 10]}, "speed_mps[0] = -1: must be at least 0"),
        ({"speed_mps": [0, 10]}, "speed_mps = [0, 10]: the lowest must be above 0"),
        ({"speed_mps": 10}, "speed_mps = 10: must be a list of 2"),
        ({"speed_mps": [10, 10], "pause_s": -1}, "pause_s = -1: must be at least 0"),
        ({"speed_mps": [10, 10], "start": "warm"}, 'start = "warm": must be one of "steady-state", "cold"'),
        ({"speed_mps": [10, 10], "pauses": 1}, "pauses = 1: unknown key"),
    ],
)
def test_a_mistake_is_one_line_with_the_key_and_the_expectation(table: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        build(RandomWaypoint, table, "town.toml [mobility]")
    assert str(caught.value).startswith(f"town.toml [mobility] {line}")
    assert "\n" not in str(caught.value)


def test_a_node_that_keeps_one_speed_walks_every_trip_at_it_and_the_mean_is_the_middle_of_the_range() -> None:
    model = RandomWaypoint(speed_mps=(1.0, 39.0), speed_drawn="node")
    moves = model.trajectories(2000, Area(1000.0, 1000.0), 100.0, RandomStreams(1))
    means = []
    for node in range(moves.count):
        part = slice(moves.offsets[node], moves.offsets[node + 1])
        walked = np.hypot(np.diff(moves.x_m[part]), np.diff(moves.y_m[part]))
        speeds = walked / np.diff(moves.time_s[part])
        assert np.allclose(speeds, speeds[0])
        means.append(speeds[0])
    assert min(means) >= 1.0
    assert max(means) <= 39.0
    # Uniform on [1, 39]: mean 20, standard deviation 38 / sqrt(12); four standard errors.
    assert abs(np.mean(means) - 20.0) < 4 * 38 / math.sqrt(12 * len(means))
