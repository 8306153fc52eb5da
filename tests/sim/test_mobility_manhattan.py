"""Manhattan: cars stay on the streets, turn as often as asked for, and keep their distance and speed within bounds."""

from collections import Counter
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from road_play import AREA, digest_of, drive, lane_of, lanes_of, legs_of, points_of, speed_of

from roamcast.core.errors import UserError
from roamcast.core.parameters import ParameterError, build
from roamcast.sim.maps import map_text
from roamcast.sim.mobility import load_mobility
from roamcast.sim.mobility._street_files import read_street_map
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.mobility.manhattan import Manhattan
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

GRID = read_street_map("manhattan")
Lane = tuple[int, int]

CROSS = """
junctions = [
    { id = "middle", x_m = 100, y_m = 100 }, { id = "west", x_m = 0, y_m = 100 }, { id = "east", x_m = 200, y_m = 120 },
    { id = "north", x_m = 100, y_m = 200 },
]
streets = [
    { from = "west", to = "middle", limit_mps = 10 }, { from = "middle", to = "east", limit_mps = 10 },
    { from = "north", to = "middle", limit_mps = 10, one_way = true },
    { from = "east", to = "north", limit_mps = 10, one_way = true },
]
"""


def turn_of(before: Lane, after: Lane, street_map: StreetMap = GRID) -> str:
    """Name a turn by the headings of the two lanes on a grid of streets to the north, south, east and west."""
    if before == after[::-1]:
        return "back"
    heads = []
    for start, end in ((street_map.junctions[each[0]], street_map.junctions[each[1]]) for each in (before, after)):
        heads.append(round(np.arctan2(end.y_m - start.y_m, end.x_m - start.x_m) / (np.pi / 2)))
    return {0: "straight", 1: "left", 3: "right"}[(heads[1] - heads[0]) % 4]


def turns_by_crossing(trajectories: Trajectories) -> dict[int, Counter[str]]:
    """Count the turns of all cars, by the number of streets at the crossing."""
    streets_at = GRID.streets_at()
    turns: dict[int, Counter[str]] = {2: Counter(), 3: Counter(), 4: Counter()}
    for legs in legs_of(trajectories):
        for before, after in pairwise(lanes_of(legs, GRID)):
            assert before[1] == after[0]
            turns[streets_at[before[1]]][turn_of(before, after)] += 1
    return turns


def is_share(count: int, total: int, share: float) -> bool:
    """Tell whether a share is within four standard deviations of what is expected."""
    return abs(count / total - share) <= 4 * sqrt(share * (1 - share) / total)


def test_it_is_found_by_the_name_of_its_file() -> None:
    assert load_mobility("manhattan") is Manhattan


def test_times_run_forward_on_straight_streets_at_speeds_within_their_bounds() -> None:
    speeds: list[float] = []
    driven: set[Lane] = set()
    for legs in legs_of(drive(Manhattan(speed_mps=(2.0, 15.0)))):
        assert legs[0][0][0] == 0.0
        assert legs[-1][1][0] >= 300.0
        assert all(end[0] > start[0] for start, end in legs)
        driven.update(lanes_of(legs, GRID))
        speeds.extend(speed_of(leg) for leg in legs)
    assert len(driven) == 2 * len(GRID.streets)
    assert min(speeds) == pytest.approx(2.0, rel=1e-6)
    assert max(speeds) == pytest.approx(15.0, rel=1e-6)
    assert all(2.0 * (1 - 1e-6) <= speed <= 15.0 * (1 + 1e-6) for speed in speeds)


def test_the_default_acceleration_is_a_tenth_of_the_highest_speed() -> None:
    assert digest_of(drive(Manhattan(acceleration_mps2=2.0))) == digest_of(drive(Manhattan()))
    assert digest_of(drive(Manhattan(acceleration_mps2=1.9))) != digest_of(drive(Manhattan()))


@pytest.mark.parametrize("given", [{}, {"left_probability": 0.1, "right_probability": 0.6}])
def test_turns_are_as_frequent_as_asked_for_and_share_what_the_border_makes_impossible(given: dict[str, float]) -> None:
    model = Manhattan(speed_mps=(15.0, 20.0), lanes=10, **given)  # type: ignore[arg-type]
    left, right = model.left_probability, model.right_probability
    turns = turns_by_crossing(drive(model, until_s=800.0))
    inner = turns[4]
    assert inner.total() > 600
    assert set(inner) == {"straight", "left", "right"}
    for turn, share in (("straight", 1 - left - right), ("left", left), ("right", right)):
        assert is_share(inner[turn], inner.total(), share)
    assert set(turns[2]) == {"left", "right"}  # at a corner there is one way


def test_at_the_border_the_ways_that_are_left_share_in_their_proportion() -> None:
    model = Manhattan(speed_mps=(15.0, 20.0), lanes=10, left_probability=0.1, right_probability=0.6)
    kinds: dict[str, Counter[str]] = {"along": Counter(), "against": Counter()}
    for legs in legs_of(drive(model, until_s=800.0)):
        for before, after in pairwise(lanes_of(legs, GRID)):
            if GRID.streets_at()[before[1]] == 3:
                places = [GRID.junctions[each] for each in before]
                bottom = all(place.y_m == 90 for place in places)
                if bottom and places[1].x_m > places[0].x_m:
                    kinds["along"][turn_of(before, after)] += 1  # eastward at the southern border: no way to the right
                elif places[1].y_m == 90 and places[0].y_m > 90:
                    kinds["against"][turn_of(before, after)] += 1
    assert set(kinds["along"]) == {"straight", "left"}
    assert is_share(kinds["along"]["straight"], kinds["along"].total(), 0.3 / 0.4)
    assert set(kinds["against"]) == {"left", "right"}
    assert is_share(kinds["against"]["right"], kinds["against"].total(), 0.6 / 0.7)


def test_cars_that_never_turn_do_so_only_where_they_must_and_then_either_way() -> None:
    model = Manhattan(speed_mps=(15.0, 20.0), lanes=20, left_probability=0.0, right_probability=0.0)
    turns = turns_by_crossing(drive(model, cars=300, until_s=50.0))
    assert set(turns[4]) == {"straight"}
    forced = turns[3]["left"] + turns[3]["right"]
    assert forced > 100
    assert is_share(turns[3]["left"], forced, 0.5)


def test_any_map_will_do_with_dead_ends_slight_bends_and_one_way_streets(tmp_path: Path) -> None:
    file = tmp_path / "cross.toml"
    file.write_text(CROSS)
    own = read_street_map(str(file))
    model = Manhattan(map=str(file), left_probability=0.2, right_probability=0.3)
    followed = Counter[tuple[Lane, Lane]]()
    for legs in legs_of(drive(model, cars=20, until_s=600.0)):
        followed.update(pairwise(lanes_of(legs, own)))
    middle, west, east, north = range(4)
    assert set(followed) == {
        ((middle, west), (west, middle)),  # a dead end
        ((west, middle), (middle, east)),  # nobody may go north
        ((middle, east), (east, north)),
        ((east, north), (north, middle)),
        ((north, middle), (middle, west)),
        ((north, middle), (middle, east)),
        ((east, middle), (middle, west)),  # only by those who begin there
    }
    to_east = followed[(north, middle), (middle, east)]
    assert is_share(to_east, to_east + followed[(north, middle), (middle, west)], 0.2 / 0.5)


@pytest.mark.parametrize("popularity", [1, 5])
def test_lanes_have_cars_at_the_start_by_their_length_and_their_share_of_the_popularity(
    tmp_path: Path, popularity: int
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(CROSS.replace('from = "west",', f'popularity = {popularity}, from = "west",'))
    own = read_street_map(str(file))
    trajectories = drive(Manhattan(map=str(file), safety_distance_m=0.0, lanes=1), cars=2000, until_s=0.0)
    began = Counter(lane_of(legs[0], own) for legs in legs_of(trajectories))
    middle, west, east, north = range(4)
    to_east_m, to_north_m = 101.98, 128.06
    weights = {
        (west, middle): popularity * 100 / 2,
        (middle, west): popularity * 100 / 2,
        (middle, east): to_east_m / 2,
        (east, middle): to_east_m / 2,
        (north, middle): 100.0,  # one way: no other lane shares in the popularity
        (east, north): to_north_m,
    }
    assert set(began) == set(weights)
    for lane, weight in weights.items():
        assert is_share(began[lane], 2000, weight / sum(weights.values()))


def test_a_car_takes_the_same_turns_whoever_is_in_its_way() -> None:
    alone, crowded = drive(Manhattan(lanes=1), cars=1), drive(Manhattan(lanes=1))
    assert points_of(alone, 0) != points_of(crowded, 0)
    ways = [lanes_of(legs_of(each)[0], GRID) for each in (alone, crowded)]
    passed = min(map(len, ways))
    assert passed > 3
    assert ways[0][:passed] == ways[1][:passed]


def test_a_longer_run_begins_with_the_shorter_and_a_seed_is_the_same_bits_everywhere() -> None:
    short, long = drive(Manhattan(), until_s=99.5), drive(Manhattan(), until_s=300.0)
    for car in range(60):
        points = points_of(short, car)
        assert points[-1][0] >= 99.5
        assert points == points_of(long, car)[: len(points)]
    assert digest_of(long) != digest_of(drive(Manhattan(), seed=2))
    assert digest_of(long) == "63e4d263f691536f"


def test_waypoints_are_the_crossings() -> None:
    assert Manhattan().waypoints() == tuple((x_m, y_m) for y_m in (90, 360, 630, 900) for x_m in (90, 360, 630, 900))


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"speed_mps": [20, 1]}, "speed_mps = [20, 1]: must be [lowest, highest]"),
        ({"left_probability": 1.5}, "left_probability = 1.5: must be between 0 and 1"),
        ({"left_probability": 0.6, "right_probability": 0.5}, "right_probability = 0.5: must be at most 1 together"),
        ({"map": "manhatan"}, ""),
        ({"safety_distance_m": 10_001}, "safety_distance_m = 10001: must be at most 10,000"),
        ({"acceleration_mps2": -1}, "acceleration_mps2 = -1: must be at least 0"),
        ({"map_digest": "other"}, 'map_digest = "other": is not the current one of manhattan'),
    ],
)
def test_a_mistake_is_one_line_with_the_key_and_the_expectation(table: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        build(Manhattan, table, "city.toml [mobility]")
    expected = f"city.toml [mobility] {line}" if line else '[mobility] map = "manhatan": must be a path'
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)


def test_a_map_that_is_larger_than_the_area_is_an_error() -> None:
    with pytest.raises(UserError, match=r"^\[area\] height_m = 800: must be at least 900, since junction 'a4'"):
        Manhattan().trajectories(3, Area(1000.0, 800.0), 10.0, RandomStreams(1))
    trajectories = drive(Manhattan(), until_s=50.0)
    assert all(map(AREA.contains, trajectories.x_m.tolist(), trajectories.y_m.tolist()))


def test_a_map_that_changed_after_the_run_was_planned_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(map_text("manhattan"))
    planned = Manhattan(map=str(file))
    assert Manhattan(map=str(file), map_digest=planned.map_digest) == planned
    file.write_text(map_text("manhattan") + "\n# a new sign\n")
    with pytest.raises(ParameterError, match="map_digest"):
        Manhattan(map=str(file), map_digest=planned.map_digest)
