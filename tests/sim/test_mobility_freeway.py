"""Freeway: cars stay on their road and in their lane, keep their distance, and change their speed within bounds."""

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from road_play import AREA, digest_of, drive, lanes_of, legs_of, points_of, speed_of

from roamcast.core.errors import UserError
from roamcast.core.parameters import ParameterError, build
from roamcast.sim.maps import map_text
from roamcast.sim.mobility import load_mobility
from roamcast.sim.mobility._street_files import read_street_map
from roamcast.sim.mobility.freeway import Freeway
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

LINE = """
junctions = [{ id = "a", x_m = 0, y_m = 50 }, { id = "b", x_m = 300, y_m = 50 }, { id = "c", x_m = 1000, y_m = 50 }]
streets = [{ from = "c", to = "b", limit_mps = 1 }, { from = "a", to = "b", limit_mps = 1 }]
"""

RING = """
junctions = [
    { id = "a", x_m = 0, y_m = 0 }, { id = "b", x_m = 300, y_m = 0 },
    { id = "c", x_m = 300, y_m = 300 }, { id = "d", x_m = 0, y_m = 300 },
]
streets = [
    { from = "a", to = "b", limit_mps = 10 }, { from = "c", to = "b", limit_mps = 10 },
    { from = "c", to = "d", limit_mps = 10 }, { from = "d", to = "a", limit_mps = 10 },
]
"""
HALVES_S = np.arange(0.5, 300.0)
"""In the middle of a second every car has one speed."""


@pytest.fixture
def line(tmp_path: Path) -> str:
    file = tmp_path / "line.toml"
    file.write_text(LINE)
    return str(file)


def driven_m(trajectories: Trajectories) -> NDArray[np.float64]:
    """Return how far along the line and back each car is in the middle of each second, counted on from lap to lap."""
    places = np.array([trajectories.positions(at_s)[:, 0] for at_s in HALVES_S])
    later = np.array([trajectories.positions(at_s + 1e-4)[:, 0] for at_s in HALVES_S])
    return np.unwrap(np.where(later > places, places, 2000 - places), period=2000, axis=0)


def test_it_is_found_by_the_name_of_its_file() -> None:
    assert load_mobility("freeway") is Freeway


def test_every_leg_is_on_one_straight_street_of_the_map_and_no_car_leaves_its_road() -> None:
    freeway = read_street_map("freeway")
    first_road = {frozenset((street.start, street.end)) for street in freeway.streets[:4]}
    sides = set()
    for legs in legs_of(drive(Freeway())):
        on_first = {frozenset(lane) in first_road for lane in lanes_of(legs, freeway)}
        assert len(on_first) == 1
        sides |= on_first
    assert sides == {True, False}


def test_a_car_turns_back_at_the_ends_of_its_road_and_nowhere_else() -> None:
    freeway = read_street_map("freeway")
    turned_at = set()
    for legs in legs_of(drive(Freeway())):
        for before, after in pairwise(lanes_of(legs, freeway)):
            assert before[1] == after[0]
            if after[1] == before[0]:
                turned_at.add(freeway.junctions[before[1]].id)
    assert turned_at == {"west", "east", "south", "north"}


def test_a_ring_road_has_no_end(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(RING)
    ways = set()
    for legs in legs_of(drive(Freeway(map=str(file)), cars=20)):
        turns = {(after[1] - before[0]) % 4 for before, after in pairwise(lanes_of(legs, read_street_map(str(file))))}
        assert turns == {2}  # never 0, the place where the car came from
        ways.add(lanes_of(legs, read_street_map(str(file)))[0] in ((0, 1), (1, 2), (2, 3), (3, 0)))
    assert ways == {True, False}


def test_times_run_forward_and_speeds_are_within_their_bounds() -> None:
    speeds: list[float] = []
    for legs in legs_of(drive(Freeway(speed_mps=(10.0, 40.0)))):
        assert legs[0][0][0] == 0.0
        assert legs[-1][1][0] >= 300.0
        assert all(end[0] > start[0] for start, end in legs)
        speeds.extend(speed_of(leg) for leg in legs)
    assert min(speeds) == pytest.approx(10.0, rel=1e-6)
    assert max(speeds) == pytest.approx(40.0, rel=1e-6)
    assert all(10.0 * (1 - 1e-6) <= speed <= 40.0 * (1 + 1e-6) for speed in speeds)


@pytest.mark.parametrize(("given", "change_mps"), [(None, 6.0), (1.5, 1.5)])
def test_a_car_alone_changes_its_speed_each_second_by_up_to_its_acceleration(
    line: str, given: float | None, change_mps: float
) -> None:
    trajectories = drive(Freeway(map=line, acceleration_mps2=given), cars=1, until_s=1000.0)
    legs = [leg for leg in legs_of(trajectories)[0] if leg[1][0] - leg[0][0] == 1.0]
    free = [
        speed_of(after) - speed_of(before)
        for before, after in pairwise(legs)
        if before[1] == after[0] and 17 < speed_of(before) < 53
    ]
    assert len(free) > 200
    assert max(map(abs, free)) <= change_mps + 1e-6
    assert np.mean(free) == pytest.approx(0.0, abs=4 * change_mps / np.sqrt(3 * len(free)))
    assert np.std(free) == pytest.approx(change_mps / np.sqrt(3), rel=0.15)


def test_cars_of_one_lane_never_overtake_and_keep_their_distance_all_the_way_round(line: str) -> None:
    along_m = driven_m(drive(Freeway(map=line, lanes=1, safety_distance_m=30.0), cars=25))
    order = np.argsort(along_m[0])
    ahead = np.roll(along_m[:, order], -1, axis=1)
    ahead[:, -1] += 2000.0
    gaps_m = ahead - along_m[:, order]
    assert (gaps_m >= np.minimum(30.0, gaps_m[0]) - 1e-6).all()
    assert (gaps_m[-1] >= 30.0 - 1e-6).all()
    assert (np.diff(along_m, axis=0) > 0).all()
    # It is the distance that holds them back: they have come as near as they may.
    assert (gaps_m < 30.0 + 1e-6).mean() > 0.1


def test_cars_overtake_only_those_of_the_other_lane(line: str) -> None:
    along_m = driven_m(drive(Freeway(map=line, lanes=2), cars=20))
    others: dict[int, set[int]] = {car: set() for car in range(20)}
    for one, other in combinations(range(20), 2):
        laps = np.floor((along_m[:, one] - along_m[:, other]) / 2000)
        if len(set(laps)) > 1:
            others[one].add(other)
            others[other].add(one)
    # Whoever overtakes is in another lane: two lanes must be enough to explain all of it.
    lane: dict[int, int] = {}
    for first in others:
        pending = [] if first in lane else [first]
        lane.setdefault(first, 0)
        while pending:
            car = pending.pop()
            unknown = [other for other in others[car] if other not in lane]
            lane.update(dict.fromkeys(unknown, 1 - lane[car]))
            pending.extend(unknown)
    assert all(lane[one] != lane[other] for one in others for other in others[one])
    assert sum(map(len, others.values())) > 20


def test_cars_begin_anywhere_along_a_road(line: str) -> None:
    at_0 = drive(Freeway(map=line, safety_distance_m=0.0), cars=3000, until_s=0.0).positions(0.0)
    assert at_0[:, 0].mean() == pytest.approx(500.0, abs=4 * 1000 / np.sqrt(12 * 3000))
    assert at_0[:, 0].std() == pytest.approx(1000 / np.sqrt(12), rel=0.05)


@pytest.mark.parametrize("popularity", [1, 5])
def test_long_roads_and_popular_ones_have_more_cars_at_the_start(tmp_path: Path, popularity: int) -> None:
    file = tmp_path / "own.toml"
    text = map_text("freeway")
    for bend in ("south", "south-bend"):  # 215 m and 224 m of the second road
        text = text.replace(f'from = "{bend}",', f'popularity = {popularity}, from = "{bend}",')
    file.write_text(text)
    at_0 = drive(Freeway(map=str(file), safety_distance_m=0.0), cars=3000, until_s=0.0).positions(0.0)
    first_m, west_m, south_m, north_m = 1041.1, 588.4, 439.0, 495.1
    share = west_m / (first_m + popularity * south_m + north_m)
    on_first = (at_0[:, 0] < 560).mean()  # the other road is never so far west
    assert on_first == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 3000))


def test_a_car_is_changed_only_by_those_in_its_way_and_not_by_the_duration(line: str) -> None:
    model = Freeway(map=line, lanes=100)
    few, many = drive(model, cars=4, until_s=100.0), drive(model, cars=8, until_s=300.0)
    for car in range(4):
        points = points_of(few, car)
        assert points == points_of(many, car)[: len(points)]
    alone, crowded = drive(Freeway(lanes=1), cars=1), drive(Freeway(lanes=1))
    assert points_of(alone, 0)[0] == points_of(crowded, 0)[0]
    assert points_of(alone, 0) != points_of(crowded, 0)
    assert points_of(crowded, 0) != points_of(drive(Freeway(lanes=1), seed=2), 0)


def test_the_movement_of_a_seed_is_the_same_bits_everywhere() -> None:
    assert digest_of(drive(Freeway())) == "09047342dff2caad"


def test_nobody_moves_at_a_speed_of_0(line: str) -> None:
    trajectories = drive(Freeway(map=line, speed_mps=(0.0, 0.0)), cars=5)
    assert (trajectories.positions(300.0) == trajectories.positions(0.0)).all()


def test_cars_that_may_stand_still_do_not_run_into_one_another(line: str) -> None:
    along_m = driven_m(drive(Freeway(map=line, speed_mps=(0.5, 10.0), lanes=1, safety_distance_m=30.0), cars=40))
    ordered = along_m[:, np.argsort(along_m[0])]
    gaps_m = np.diff(ordered, axis=1)
    assert (gaps_m >= np.minimum(30.0, gaps_m[0]) - 1e-6).all()


def test_waypoints_are_the_junctions_and_places_between_them_on_the_roads() -> None:
    freeway = read_street_map("freeway")
    waypoints = Freeway().waypoints()
    assert len(set(waypoints)) == len(waypoints)
    assert {(junction.x_m, junction.y_m) for junction in freeway.junctions} <= set(waypoints)
    trajectories = drive(Freeway(), until_s=200.0)
    for at_s in np.arange(0.0, 200.0, 5.0):
        for place in trajectories.positions(at_s):
            assert np.hypot(*(np.array(waypoints) - place).T).min() <= 50.0 + 1e-6
    assert len(Freeway(waypoint_spacing_m=1000.0).waypoints()) == len(freeway.junctions)


def test_waypoints_are_evenly_spaced_along_a_street(line: str) -> None:
    expected = {(float(x_m), 50.0) for x_m in (0, 150, 300, 475, 650, 825, 1000)}
    assert set(Freeway(map=line, waypoint_spacing_m=180.0).waypoints()) == expected


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"speed_mps": [60, 10]}, "speed_mps = [60, 10]: must be [lowest, highest]"),
        ({"speed_mps": [-1, 10]}, "speed_mps[0] = -1: must be at least 0"),
        ({"lanes": 0}, "lanes = 0: must be at least 1"),
        ({"safety_distance_m": -1}, "safety_distance_m = -1: must be at least 0"),
        ({"safety_distance_m": 10_001}, "safety_distance_m = 10001: must be at most 10,000"),
        ({"waypoint_spacing_m": 0}, "waypoint_spacing_m = 0: must be greater than 0"),
        ({"acceleration_mps2": -1}, "acceleration_mps2 = -1: must be at least 0"),
        ({"map_digest": "other"}, 'map_digest = "other": is not the current one of freeway'),
    ],
)
def test_a_mistake_is_one_line_with_the_key_and_the_expectation(table: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        build(Freeway, table, "city.toml [mobility]")
    assert str(caught.value).startswith(f"city.toml [mobility] {line}")
    assert "\n" not in str(caught.value)


def test_a_map_with_one_way_streets_is_no_freeway() -> None:
    with pytest.raises(UserError, match=r"campus street [0-9]+ one_way = true: must be false"):
        Freeway(map="campus")


def test_more_cars_than_the_lanes_have_room_for_are_an_error(line: str) -> None:
    with pytest.raises(UserError, match=r"safety_distance_m = 100\.0: leaves no room"):
        drive(Freeway(map=line, lanes=1, safety_distance_m=100.0), cars=25)


def test_a_map_that_is_larger_than_the_area_is_an_error() -> None:
    with pytest.raises(UserError, match=r"^\[area\] width_m = 900: must be at least 1000, since junction 'east'"):
        Freeway().trajectories(3, Area(900.0, 1000.0), 10.0, RandomStreams(1))
    assert all(AREA.contains(x_m, y_m) for x_m, y_m in drive(Freeway(), until_s=50.0).positions(50.0))


def test_a_map_that_changed_after_the_run_was_planned_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(map_text("freeway"))
    planned = Freeway(map=str(file))
    assert Freeway(map=str(file), map_digest=planned.map_digest) == planned
    file.write_text(map_text("freeway") + "\n# a new sign\n")
    with pytest.raises(ParameterError, match="map_digest"):
        Freeway(map=str(file), map_digest=planned.map_digest)
