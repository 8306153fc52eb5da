"""City section: cars stay on streets, keep the limits and the one-way lanes, and go where people go."""

import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from roamcast.core.errors import UserError
from roamcast.core.parameters import ParameterError, build
from roamcast.sim.maps import map_text
from roamcast.sim.mobility import load_mobility
from roamcast.sim.mobility._street_files import read_street_map
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.mobility.city_section import CitySection
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Point, Trajectories

AREA = Area(1200.0, 900.0)
Floats = NDArray[np.float64]

SQUARE = """
junctions = [
    { id = "a", x_m = 0, y_m = 0 }, { id = "b", x_m = 100, y_m = 0 },
    { id = "c", x_m = 100, y_m = 100 }, { id = "d", x_m = 0, y_m = 100 },
]
streets = [
    { from = "a", to = "b", limit_mps = 10, popularity = POPULARITY },
    { from = "b", to = "c", limit_mps = 10 },
    { from = "c", to = "d", limit_mps = 10 },
    { from = "d", to = "a", limit_mps = 10 },
]
"""

CROSS = """
junctions = [
    { id = "west", x_m = 0, y_m = 100 }, { id = "bend", x_m = 50, y_m = 100 }, { id = "middle", x_m = 100, y_m = 100 },
    { id = "east", x_m = 200, y_m = 100 }, { id = "north", x_m = 100, y_m = 200 },
]
streets = [
    { from = "west", to = "bend", limit_mps = 10 },
    { from = "bend", to = "middle", limit_mps = 10, popularity = 0 },
    { from = "east", to = "middle", limit_mps = 10 },
    { from = "north", to = "middle", limit_mps = 10 },
]
"""


def drive(model: CitySection, cars: int = 30, until_s: float = 1500.0, seed: int = 1) -> Trajectories:
    return model.trajectories(cars, AREA, until_s, RandomStreams(seed))


def points_of(trajectories: Trajectories, car: int) -> list[Point]:
    part = slice(trajectories.offsets[car], trajectories.offsets[car + 1])
    columns = (trajectories.time_s[part], trajectories.x_m[part], trajectories.y_m[part])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def legs_of(trajectories: Trajectories) -> list[tuple[Point, Point]]:
    cars = [points_of(trajectories, car) for car in range(trajectories.count)]
    return [leg for points in cars for leg in pairwise(points)]


def is_wait(leg: tuple[Point, Point]) -> bool:
    return leg[0][1:] == leg[1][1:]


def waits_s(trajectories: Trajectories) -> dict[tuple[float, float], list[float]]:
    """Return the durations of all stops and pauses by place."""
    waits: dict[tuple[float, float], list[float]] = {}
    for start, end in filter(is_wait, legs_of(trajectories)):
        waits.setdefault(start[1:], []).append(end[0] - start[0])
    return waits


def street_of(leg: tuple[Point, Point], street_map: StreetMap) -> int:
    """Find the street that a leg lies on in a permitted direction; -1: there is none."""
    (_, from_x, from_y), (_, to_x, to_y) = leg
    for number, street in enumerate(street_map.streets):
        start, end = street_map.junctions[street.start], street_map.junctions[street.end]
        along_x, along_y = end.x_m - start.x_m, end.y_m - start.y_m
        length = np.hypot(along_x, along_y)
        aside = [(y - start.y_m) * along_x - (x - start.x_m) * along_y for x, y in ((from_x, from_y), (to_x, to_y))]
        done = [(x - start.x_m) * along_x + (y - start.y_m) * along_y for x, y in ((from_x, from_y), (to_x, to_y))]
        inside = all(abs(each) / length < 1e-6 for each in aside) and all(
            -1e-6 < each / length < length + 1e-6 for each in done
        )
        if inside and (done[1] > done[0] or not street.one_way):
            return number
    return -1


def driven_s(trajectories: Trajectories, street_map: StreetMap) -> Floats:
    """Return the time that all cars together drove on each street."""
    times_s = np.zeros(len(street_map.streets))
    for leg in legs_of(trajectories):
        if not is_wait(leg):
            times_s[street_of(leg, street_map)] += leg[1][0] - leg[0][0]
    return times_s


def test_it_is_found_by_the_name_of_its_file() -> None:
    assert load_mobility("city-section") is CitySection


def test_cars_are_always_on_a_street_in_its_direction_and_at_its_limit() -> None:
    campus = read_street_map("campus")
    driven = set()
    for leg in legs_of(drive(CitySection())):
        (from_s, from_x, from_y), (to_s, to_x, to_y) = leg
        assert to_s > from_s
        if not is_wait(leg):
            street = street_of(leg, campus)
            assert street >= 0
            driven.add(street)
            speed_mps = np.hypot(to_x - from_x, to_y - from_y) / (to_s - from_s)
            assert speed_mps == pytest.approx(campus.streets[street].limit_mps, rel=1e-6)
    assert len(driven) > 0.9 * len(campus.streets)


def test_cars_begin_at_0_somewhere_along_a_street_and_drive_long_enough() -> None:
    trajectories = drive(CitySection(), cars=200, until_s=100.0)
    begins = [points_of(trajectories, car)[0] for car in range(200)]
    assert {time_s for time_s, _, _ in begins} == {0.0}
    assert len(set(begins)) == 200
    assert all(points_of(trajectories, car)[-1][0] >= 100.0 for car in range(200))


def test_a_popular_street_carries_more_traffic(tmp_path: Path) -> None:
    shares = {}
    for popularity in ("1", "10"):
        file = tmp_path / f"square-{popularity}.toml"
        file.write_text(SQUARE.replace("POPULARITY", popularity))
        times_s = driven_s(drive(CitySection(str(file)), cars=60), read_street_map(str(file)))
        shares[popularity] = times_s[0] / times_s[2]
    assert shares["1"] == pytest.approx(1.0, abs=0.15)
    assert shares["10"] > 3


def test_cars_begin_on_popular_streets_more_often(tmp_path: Path) -> None:
    file = tmp_path / "square.toml"
    file.write_text(SQUARE.replace("POPULARITY", "7"))
    trajectories = drive(CitySection(str(file)), cars=2000, until_s=0.0)
    on_popular = (trajectories.positions(0.0)[:, 1] == 0.0).mean()
    assert on_popular == pytest.approx(0.7, abs=4 * np.sqrt(0.7 * 0.3 / 2000))


def test_the_avenues_of_the_campus_are_its_busiest_streets() -> None:
    campus = read_street_map("campus")
    times_s = driven_s(drive(CitySection(), cars=60), campus)
    popularities = np.array([street.popularity for street in campus.streets])
    assert times_s[popularities >= 8].mean() > 4 * times_s[popularities <= 1].mean()


def test_a_red_light_stops_cars_where_streets_cross_and_nowhere_else(tmp_path: Path) -> None:
    file = tmp_path / "cross.toml"
    file.write_text(CROSS)
    model = CitySection(str(file), stop_probability=1.0, stop_s=(7.0, 7.0), pause_s=(0.0, 0.0))
    trajectories = drive(model, cars=10)
    waits = waits_s(trajectories)
    assert set(waits) == {(100.0, 100.0)}
    assert all(wait_s == pytest.approx(7.0) for wait_s in waits[100.0, 100.0])
    # Between two places that are not the middle there is no way but through it.
    passed = sum(end[1:] == (100.0, 100.0) and not is_wait((start, end)) for start, end in legs_of(trajectories))
    assert 0 < len(waits[100.0, 100.0]) < passed


def test_stops_are_as_frequent_and_as_long_as_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "cross.toml"
    file.write_text(CROSS.replace('to = "middle", limit_mps = 10 }', 'to = "middle", limit_mps = 10, popularity = 0 }'))
    # Only the street from west to bend is popular, so every trip is between those two: east and north just adjoin.
    model = CitySection(str(file), pause_s=(20.0, 30.0))
    assert set(waits_s(drive(model))) == {(0.0, 100.0), (50.0, 100.0)}
    file.write_text(CROSS)
    model = CitySection(str(file), stop_probability=0.3, stop_s=(4.0, 12.0), pause_s=(20.0, 30.0))
    trajectories = drive(model, cars=60)
    middle_s = np.array(waits_s(trajectories)[100.0, 100.0])
    stops_s, pauses_s = middle_s[middle_s < 16], middle_s[middle_s > 16]
    for waits, (low_s, high_s) in ((stops_s, (4.0, 12.0)), (pauses_s, (20.0, 30.0))):
        assert waits.min() >= low_s - 1e-6
        assert waits.max() <= high_s + 1e-6
        assert waits.mean() == pytest.approx((low_s + high_s) / 2, abs=4 * (high_s - low_s) / np.sqrt(12 * len(waits)))
    arrivals = sum(end[1:] == (100.0, 100.0) and not is_wait((start, end)) for start, end in legs_of(trajectories))
    passed = arrivals - len(pauses_s)
    assert len(stops_s) / passed == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / passed))


def test_cars_drive_on_without_stops_and_pauses() -> None:
    assert waits_s(drive(CitySection(stop_probability=0.0, pause_s=(0.0, 0.0)))) == {}


def test_a_car_drives_the_same_whatever_the_number_of_cars_and_the_duration() -> None:
    short, long = drive(CitySection(), cars=3, until_s=200.0), drive(CitySection(), cars=15, until_s=900.0)
    for car in range(3):
        points = points_of(short, car)
        assert points == points_of(long, car)[: len(points)]
    assert points_of(long, 0) != points_of(long, 1)
    assert points_of(short, 0) != points_of(drive(CitySection(), cars=1, until_s=200.0, seed=2), 0)


def test_the_movement_of_a_seed_is_the_same_bits_everywhere() -> None:
    trajectories = drive(CitySection(), cars=15, until_s=600.0)
    joined = b"".join(each.tobytes() for each in (trajectories.time_s, trajectories.x_m, trajectories.y_m))
    assert hashlib.blake2b(joined, digest_size=8).hexdigest() == "8e24d7add2ef521f"


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"stop_probability": 1.2}, "stop_probability = 1.2: must be between 0 and 1"),
        ({"stop_s": [30, 10]}, "stop_s = [30, 10]: must be [shortest, longest]"),
        ({"pause_s": [60, 10]}, "pause_s = [60, 10]: must be [shortest, longest]"),
        ({"pause_s": 10}, "pause_s = 10: must be a list of 2"),
        ({"pause_s": [-5, 10]}, "pause_s[0] = -5: must be at least 0"),
        ({"maps": "campus"}, 'maps = "campus": unknown key'),
    ],
)
def test_a_mistake_is_one_line_with_the_key_and_the_expectation(table: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        build(CitySection, table, "city.toml [mobility]")
    assert str(caught.value).startswith(f"city.toml [mobility] {line}")
    assert "\n" not in str(caught.value)


def test_a_map_that_changed_after_the_run_was_planned_is_an_error_and_another_run(tmp_path: Path) -> None:
    file = tmp_path / "village.toml"
    file.write_text(map_text("campus"))
    planned = CitySection(map=str(file))
    assert CitySection(map=str(file), map_digest=planned.map_digest) == planned
    file.write_text(map_text("campus") + "\n# a new street sign\n")
    assert CitySection(map=str(file)).map_digest != planned.map_digest
    with pytest.raises(ParameterError, match="map_digest"):
        CitySection(map=str(file), map_digest=planned.map_digest)
