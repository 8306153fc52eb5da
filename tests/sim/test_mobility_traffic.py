"""Cars that follow one another: nobody comes too near to, or passes through, whom it follows along its way."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, pairwise, repeat
from math import ceil, floor, sqrt
from pathlib import Path

import numpy as np
import pytest
from road_play import drive, lane_of, points_of

from roamcast.sim.mobility import _car_traffic
from roamcast.sim.mobility._car_traffic import Driving, NextCourse, Traffic
from roamcast.sim.mobility._draws import Draw
from roamcast.sim.mobility._roads import Course, MapPoint
from roamcast.sim.mobility._street_files import read_street_map
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.mobility.manhattan import Manhattan
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Floats, Trajectories

ALLEYS_X_M = (0, 11, 15, 40, 48)
ALLEYS_Y_M = (0, 5, 26, 36)
"""A grid of streets so short that a fast car crosses several in a second."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A car on a street, from one end to the other."""

    car: int
    enter_s: float
    leave_s: float
    enter_m: float
    """The distance that the car had driven in all when it came in; below 0 if it began on the street."""
    origin: int | None
    """The junction from which it came to the street's start; None if it began on the street."""


class Watch:
    """Where all cars were: what each had driven at each whole second, and its visits to each street."""

    def __init__(self, trajectories: Trajectories, street_map: StreetMap) -> None:
        self.driven_m: list[Floats] = []
        self.visits: dict[tuple[int, int], list[Visit]] = {}
        self._junctions = {(junction.x_m, junction.y_m): each for each, junction in enumerate(street_map.junctions)}
        self._street_map = street_map
        for car in range(trajectories.count):
            self._add(car, points_of(trajectories, car))

    def _add(self, car: int, points: list[tuple[float, float, float]]) -> None:
        times_s = [at_s for at_s, _, _ in points]
        steps_m = [sqrt((x - from_x) ** 2 + (y - from_y) ** 2) for (_, from_x, from_y), (_, x, y) in pairwise(points)]
        driven_m = np.concatenate(([0.0], np.cumsum(steps_m)))
        self.driven_m.append(np.interp(np.arange(floor(times_s[-1]) + 1), times_s, driven_m))
        found = [self._junctions.get((x_m, y_m)) for _, x_m, y_m in points]
        bounds = [each for each, junction in enumerate(found) if junction is not None or each in (0, len(points) - 1)]
        origin = None
        for first, last in pairwise(bounds):
            start_junction, end_junction = found[first], found[last]
            if start_junction is None or end_junction is None:
                lane = lane_of((points[first], points[last]), self._street_map)
                assert lane is not None
            else:
                lane = (start_junction, end_junction)
            start = self._street_map.junctions[lane[0]]
            along_m = sqrt((points[first][1] - start.x_m) ** 2 + (points[first][2] - start.y_m) ** 2)
            visit = Visit(car, times_s[first], times_s[last], float(driven_m[first]) - along_m, origin)
            self.visits.setdefault(lane, []).append(visit)
            origin = lane[0]

    def followings(self) -> Iterator[tuple[str, float, float]]:
        """Go through all who were on a street together within a second: how they came to be, and both gaps.

        The gaps are by how much the one was further along the way into and down the street than the other, at the
        beginning of the second, when the one in front has more than 0, and at its end.
        """
        for visits in self.visits.values():
            for one, other in combinations(visits, 2):
                from_s, to_s = max(one.enter_s, other.enter_s), min(one.leave_s, other.leave_s)
                if one.car == other.car or from_s >= to_s:
                    continue
                for second in range(floor(from_s), ceil(to_s)):
                    before_m, after_m = (
                        float(self.driven_m[one.car][at_s] - one.enter_m)
                        - float(self.driven_m[other.car][at_s] - other.enter_m)
                        for at_s in (second, second + 1)
                    )
                    there = (one.enter_s <= second) + (other.enter_s <= second)
                    kind = ("from one side" if one.origin == other.origin else "from two sides", "corner", "street")[
                        there
                    ]
                    yield kind, abs(before_m), after_m if before_m > 0 else -after_m


def alleys(folder: Path) -> str:
    """Write the map of the alleys, all of which lead both ways."""
    junctions = [f'{{ id = "{x_m}-{y_m}", x_m = {x_m}, y_m = {y_m} }}' for y_m in ALLEYS_Y_M for x_m in ALLEYS_X_M]
    pairs = [((x_m, y_m), (next_m, y_m)) for y_m in ALLEYS_Y_M for x_m, next_m in pairwise(ALLEYS_X_M)]
    pairs += [((x_m, y_m), (x_m, next_m)) for x_m in ALLEYS_X_M for y_m, next_m in pairwise(ALLEYS_Y_M)]
    streets = [f'{{ from = "{a}-{b}", to = "{c}-{d}", limit_mps = 10 }}' for (a, b), (c, d) in pairs]
    file = folder / "alleys.toml"
    file.write_text(f"junctions = [{', '.join(junctions)}]\nstreets = [{', '.join(streets)}]\n")
    return str(file)


@pytest.mark.parametrize(
    ("on_alleys", "cars", "speed_mps", "safety_m", "merging"),
    [
        (False, 60, (1.0, 20.0), 10.0, 0),
        (False, 60, (5.0, 60.0), 10.0, 10),
        (False, 100, (1.0, 40.0), 2.0, 0),
        (False, 80, (0.0, 30.0), 5.0, 0),
        (False, 60, (2.0, 20.0), 25.0, 0),
        (True, 12, (1.0, 20.0), 4.0, 0),
        (True, 8, (0.0, 60.0), 12.0, 0),
        (True, 16, (3.0, 50.0), 2.0, 100),
        (True, 12, (20.0, 220.0), 0.0, 100),
    ],
)
def test_nobody_comes_closer_than_the_safety_distance_or_than_before_along_its_way_or_passes_through(
    tmp_path: Path, on_alleys: bool, cars: int, speed_mps: tuple[float, float], safety_m: float, merging: int
) -> None:
    model = Manhattan(
        map=alleys(tmp_path) if on_alleys else "manhattan", lanes=1, speed_mps=speed_mps, safety_distance_m=safety_m
    )
    seen = Counter[str]()
    for seed in range(1, 7):
        watch = Watch(drive(model, cars=cars, until_s=300.0, seed=seed), read_street_map(model.map))
        for kind, before_m, after_m in watch.followings():
            seen[kind] += 1
            seen["near"] += after_m < safety_m + 1e-3
            # A point that is a millionth of a second from a bend is left out, which moves a car by that much.
            if before_m > 1e-3:
                assert after_m >= min(safety_m, before_m) - 1e-3, (seed, kind)
    assert min(seen["street"], seen["near"]) > 300
    assert seen["corner"] > 100
    assert seen["from two sides"] >= merging


def course(*places: MapPoint) -> Course:
    distances_m = [0.0]
    for (from_x, from_y), (to_x, to_y) in pairwise(places):
        distances_m.append(distances_m[-1] + sqrt((to_x - from_x) ** 2 + (to_y - from_y) ** 2))
    return Course(places, tuple(distances_m), 1.0)


def after_a_second(
    monkeypatch: pytest.MonkeyPatch,
    courses: list[Course],
    next_course: NextCourse,
    cars: list[tuple[int, float, float]],
    seed: int = 1,
) -> list[list[float]]:
    """Return where cars are that are (on a course, so far along it, at a speed), and that wish to keep their speed.

    They drive 1 to 20 m/s at a safety distance of 10 m.
    """

    def node_draws(_: RandomStreams, node: int) -> Draw:
        number, at_m, speed_mps = cars[node]
        place = ((number + 0.5) / len(courses), 0.0, at_m / courses[number].length_m)
        return chain(place, [(speed_mps - 1) / 19], repeat(0.5)).__next__

    monkeypatch.setattr(_car_traffic, "node_draws", node_draws)
    traffic = Traffic(courses, next_course, Driving((1.0, 20.0), 2.0, 10.0, 1))
    places = traffic.trajectories(len(cars), 0.0, RandomStreams(seed)).positions(1.0)
    return [[round(float(each), 3) for each in place] for place in places]


WEST, EAST, NORTH = (course(*ends) for ends in (((0, 0), (270, 0)), ((270, 0), (540, 0)), ((270, 0), (270, 270))))


def test_who_turns_off_behind_another_looks_at_the_street_that_it_turns_into(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = (
        (seed, [RandomStreams(seed).python("mobility-turns", car).random() for car in range(2)]) for seed in range(99)
    )
    seed = next(seed for seed, (first, second) in turns if first < 0.5 <= second)
    cars = [(0, 269.0, 20.0), (0, 258.5, 20.0), (2, 2.0, 1.0)]
    places = after_a_second(monkeypatch, [WEST, EAST, NORTH], lambda _, draw: 1 if draw() < 0.5 else 2, cars, seed)
    # The second is 13.5 m behind the third, which drives 1 m/s: 4.5 m/s leave it 10 m.
    assert places == [[289.0, 0.0], [263.0, 0.0], [270.0, 3.0]]


def test_of_two_who_come_into_a_street_from_two_sides_the_nearer_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from_east = course((540, 0), (270, 0))
    cars = [(0, 264.0, 20.0), (1, 265.0, 6.0), (0, 240.0, 20.0)]
    places = after_a_second(monkeypatch, [WEST, from_east, NORTH], lambda _, __: 2, cars)
    # The first is 1 m further off, and falls back as far as it can; the third keeps 10 m to the first.
    assert places == [[265.0, 0.0], [270.0, 1.0], [255.0, 0.0]]


def test_of_two_who_are_as_near_to_a_street_the_first_of_them_by_number_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from_east = course((540, 0), (270, 0))
    places = after_a_second(
        monkeypatch, [WEST, from_east, NORTH], lambda _, __: 2, [(1, 260.0, 15.0), (0, 260.0, 20.0)]
    )
    assert places == [[270.0, 5.0], [261.0, 0.0]]


def test_who_follows_another_round_a_corner_keeps_its_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    cars = [(0, 264.0, 20.0), (0, 253.0, 20.0)]
    assert after_a_second(monkeypatch, [WEST, EAST, NORTH], lambda _, __: 2, cars) == [[270.0, 14.0], [270.0, 3.0]]


def test_a_car_looks_round_as_many_corners_as_it_can_pass_in_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    corners: list[MapPoint] = [(0, 0), (270, 0), (270, 4), (274, 4), (274, 270)]
    courses = [course(*ends) for ends in pairwise(corners)]
    places = after_a_second(monkeypatch, courses, lambda each, _: (each + 1) % 4, [(0, 265.0, 20.0), (3, 2.0, 1.0)])
    # 15 m lie between them: 6 m/s leave 10 m.
    assert places == [[270.0, 1.0], [274.0, 7.0]]


def test_a_car_alone_on_a_short_ring_is_not_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = course((0, 0), (3, 0), (3, 3), (0, 3), (0, 0))
    assert after_a_second(monkeypatch, [ring], lambda _, __: 0, [(0, 1.0, 13.0)]) == [[2.0, 0.0]]
