"""Static: nodes that stay where they are put."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.core.parameters import build
from roamcast.sim.mobility.static import Static
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area

AREA = Area(1200.0, 900.0)


def places(model: Static, count: int, area: Area = AREA, seed: int = 1) -> list[list[float]]:
    trajectories = model.trajectories(count, area, 100.0, RandomStreams(seed))
    assert trajectories.positions(0.0).tolist() == trajectories.positions(100.0).tolist()
    result: list[list[float]] = trajectories.positions(50.0).tolist()
    return result


def test_uniform_nodes_fill_the_area_evenly() -> None:
    placed = np.array(places(Static(), 4000))
    quarters = np.histogram2d(placed[:, 0], placed[:, 1], bins=4, range=[[0, 1200], [0, 900]])[0]
    assert quarters.sum() == 4000
    assert quarters.min() > 250 - 5 * np.sqrt(250)
    assert quarters.max() < 250 + 5 * np.sqrt(250)


def test_a_node_stands_at_the_same_place_whatever_the_number_of_nodes() -> None:
    assert places(Static(), 5) == places(Static(), 50)[:5]
    assert places(Static(), 5, seed=2) != places(Static(), 5, seed=1)


def test_a_grid_is_the_middles_of_equal_cells_row_by_row() -> None:
    expected = [[200.0, 225.0], [600.0, 225.0], [1000.0, 225.0], [200.0, 675.0], [600.0, 675.0], [1000.0, 675.0]]
    assert places(Static("grid"), 6) == expected


@given(st.integers(1, 300), st.floats(1, 1e4), st.floats(1, 1e4))
def test_a_grid_has_a_cell_for_every_node_within_the_area(count: int, width_m: float, height_m: float) -> None:
    area = Area(width_m, height_m)
    placed = places(Static("grid"), count, area)
    assert len({(x_m, y_m) for x_m, y_m in placed}) == count
    assert all(area.contains(x_m, y_m) for x_m, y_m in placed)


def test_given_positions_are_taken_as_they_are() -> None:
    model = build(Static, {"positions_m": [[0, 0], [1200, 900], [7.5, 8]]}, "[mobility]")
    assert places(model, 3) == [[0.0, 0.0], [1200.0, 900.0], [7.5, 8.0]]


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"positions_m": [[1, 2]]}, "[mobility] positions_m = [[1.0, 2.0]]: has 1 positions for 2 nodes"),
        ({"positions_m": []}, "[mobility] positions_m = []: has 0 positions for 2 nodes"),
        ({"positions_m": [[1, 2], [1201, 5]]}, "[mobility] positions_m[1] = [1201.0, 5.0]: must be within the area"),
        ({"positions_m": [[1, 2], [3]]}, "[mobility] positions_m[1] = [3]: must be a list of 2"),
        ({"positions_m": [[1, 2], [3, 4]], "placement": "grid"}, "[mobility] positions_m = [[1, 2], [3, 4]]: cannot"),
        ({"placement": "circle"}, '[mobility] placement = "circle": must be one of "uniform", "grid"'),
    ],
)
def test_a_mistake_is_one_line_with_the_key_and_the_expectation(table: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        places(build(Static, table, "[mobility]"), 2)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
