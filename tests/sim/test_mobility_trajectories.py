"""Trajectories: what every mobility model ends up as, whatever the model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.sim.trajectories import Area, Point, Trajectories

_coordinates = st.floats(0, 1000)


@st.composite
def _walks(draw: st.DrawFn) -> list[Point]:
    times_s = sorted(draw(st.lists(st.integers(0, 200), min_size=1, max_size=6, unique=True)))
    return [(float(time_s), draw(_coordinates), draw(_coordinates)) for time_s in times_s]


@given(st.lists(_walks(), min_size=1, max_size=5), st.floats(-10, 210))
def test_a_position_is_on_the_straight_line_between_two_points(walks: list[list[Point]], at_s: float) -> None:
    positions = Trajectories.from_points(walks).positions(at_s)
    for node, walk in enumerate(walks):
        time_s, x_m, y_m = zip(*walk, strict=True)
        assert positions[node, 0] == pytest.approx(np.interp(at_s, time_s, x_m), abs=1e-6)
        assert positions[node, 1] == pytest.approx(np.interp(at_s, time_s, y_m), abs=1e-6)


def test_a_node_stands_still_before_its_first_and_after_its_last_point() -> None:
    trajectories = Trajectories.from_points([[(10.0, 1.0, 2.0), (20.0, 3.0, 4.0)], [(0.0, 7.0, 8.0)]])
    assert trajectories.positions(0.0).tolist() == [[1.0, 2.0], [7.0, 8.0]]
    assert trajectories.positions(99.0).tolist() == [[3.0, 4.0], [7.0, 8.0]]


def test_the_highest_speed_ignores_the_jump_from_one_node_to_the_next() -> None:
    first = [(0.0, 0.0, 0.0), (10.0, 30.0, 40.0)]
    second = [(0.0, 900.0, 900.0), (5.0, 900.0, 890.0), (9.0, 900.0, 890.0)]
    assert Trajectories.from_points([first, second]).speed_mps_max() == 5.0


def test_an_area_includes_its_edges() -> None:
    area = Area(1200.0, 900.0)
    assert area.contains(0.0, 900.0)
    assert area.contains(1200.0, 0.0)
    assert not area.contains(1200.1, 10.0)
    assert not area.contains(10.0, -0.1)
    assert str(area) == "1200 x 900 m"


def test_a_node_that_jumps_is_infinitely_fast_and_the_others_count_as_they_walk() -> None:
    walk = [(0.0, 0.0, 0.0), (10.0, 30.0, 40.0)]
    assert Trajectories.from_points([walk]).speed_mps_max() == 5.0
    jump = [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0), (5.0, 100.0, 0.0)]
    assert Trajectories.from_points([walk, jump]).speed_mps_max() == float("inf")
    stand = [(0.0, 7.0, 7.0), (5.0, 7.0, 7.0), (5.0, 7.0, 7.0)]
    assert Trajectories.from_points([stand]).speed_mps_max() == 0.0
