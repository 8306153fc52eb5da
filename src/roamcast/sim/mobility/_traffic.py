"""Cars that follow one another: what freeway and Manhattan have in common.

Source: F. Bai, N. Sadagopan, A. Helmy, "IMPORTANT: a framework to systematically analyze the impact of mobility on
performance of routing protocols for ad hoc networks", INFOCOM 2003. Once a second a car changes its speed by a random
part of an acceleration, within bounds; who is within the safety distance of the car in front drives no faster than it.

Said like this, a fast car could come from beyond the safety distance and pass through a slow one within a second. So
here a car takes at most the speed that leaves it the safety distance at the end of the second, and falls back where it
is closer: two cars in a lane never come closer than the safety distance, or than they were. They can be closer where
they come from different streets into one at the same time. Brakes have no limit, as in the source.
"""

import math
from bisect import bisect, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roamcast.core.errors import InvalidValueError
from roamcast.core.parameters import ParameterError
from roamcast.sim.mobility._draws import Draw, WeightedChoice, between, node_draws
from roamcast.sim.mobility._roads import Course
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.movement import Point, Trajectories
from roamcast.sim.random_streams import RandomStreams

_STEP_S = 1.0
"""The model's time slot: how often a car changes its speed."""

_MOMENT_S = 1e-6
"""Points nearer in time than this become one: between them, a speed would be all rounding."""

_TRIES = 1000
"""How often a free place is looked for before the roads count as full."""

NextCourse = Callable[[int, Draw], int]
"""Choose the course on which a car goes on after one."""


@dataclass(frozen=True, slots=True)
class Driving:
    """How all cars drive."""

    speed_mps: tuple[float, float]
    acceleration_mps2: float
    safety_distance_m: float
    lanes: int


def check_speeds(speed_mps: tuple[float, float]) -> None:
    """Check the order of the lowest and the highest speed."""
    if speed_mps[0] > speed_mps[1]:
        raise ParameterError("speed_mps", "must be [lowest, highest], the lowest not above the highest")


def points_per_s(street_map: StreetMap, speed_mps: float) -> float:
    """Return how many points a car makes in a second: one at its end, and the junctions on streets of a mean length."""
    return 1 + speed_mps / street_map.mean_length_m()


@dataclass(slots=True)
class _Car:
    node: int
    course: int
    lane: int
    at_m: float
    speed_mps: float
    next_course: int
    """Chosen when a course is entered, so that a car knows whom it will follow at the end of it."""
    accelerate: Draw
    choose: Draw
    """A stream apart, so that a car takes the same turns however late it comes to them."""
    points: list[Point]


class Traffic:
    """All cars on the courses of a map."""

    def __init__(self, courses: Sequence[Course], next_course: NextCourse, driving: Driving) -> None:
        self._courses = courses
        self._next_course = next_course
        self._driving = driving

    def trajectories(self, count: int, until_s: float, streams: RandomStreams) -> Trajectories:
        """Drive ``count`` cars until the first whole second after ``until_s``."""
        cars = self._placed(count, streams)
        moving = sorted(cars, key=_order)
        for step in range(math.floor(until_s / _STEP_S) + 1):
            self._choose_speeds(moving)
            for car in moving:
                self._drive(car, step * _STEP_S, (step + 1) * _STEP_S)
            moving.sort(key=_order)
        return Trajectories.from_points([car.points for car in cars])

    def _placed(self, count: int, streams: RandomStreams) -> list[_Car]:
        """Place cars anywhere along the courses, one after the other, each clear of those before it in its lane."""
        popular = WeightedChoice([course.popularity for course in self._courses])
        taken: dict[tuple[int, int], list[float]] = {}
        cars = []
        for node in range(count):
            draw, choose = node_draws(streams, node), streams.python("mobility-turns", node).random
            course, lane, at_m = self._free_place(taken, popular, draw)
            insort(taken.setdefault((course, lane), []), at_m)
            speed_mps = between(draw, self._driving.speed_mps)
            following = self._next_course(course, choose)
            points = [(0.0, *self._courses[course].place(at_m))]
            cars.append(_Car(node, course, lane, at_m, speed_mps, following, draw, choose, points))
        return cars

    def _free_place(
        self, taken: dict[tuple[int, int], list[float]], popular: WeightedChoice, draw: Draw
    ) -> tuple[int, int, float]:
        safety_m = self._driving.safety_distance_m
        for _ in range(_TRIES):
            course = popular.index(draw)
            lane = int(draw() * self._driving.lanes)
            at_m = draw() * self._courses[course].length_m
            others = taken.get((course, lane), [])
            after = bisect(others, at_m)
            if all(abs(other - at_m) >= safety_m for other in others[max(0, after - 1) : after + 1]):
                return course, lane, at_m
        raise InvalidValueError(
            "[mobility] safety_distance_m", safety_m, "leaves no room for so many nodes on this map and its lanes"
        )

    def _choose_speeds(self, cars: list[_Car]) -> None:
        """Give every car its speed for the next second; ``cars`` are in order, the first of each lane first."""
        low_mps, high_mps = self._driving.speed_mps
        change_mps, safety_m = self._driving.acceleration_mps2 * _STEP_S, self._driving.safety_distance_m
        rearmost_m = {(car.course, car.lane): car.at_m for car in cars}
        ahead: _Car | None = None
        for car in cars:
            wish_mps = car.speed_mps + change_mps * (2 * car.accelerate() - 1)
            if ahead is not None and ahead.course == car.course and ahead.lane == car.lane:
                gap_m, front_mps = ahead.at_m - car.at_m, ahead.speed_mps
            else:
                # What those on the next course will do is not decided yet: at worst they drive as slowly as allowed.
                clear_m = rearmost_m.get((car.next_course, car.lane), math.inf)
                gap_m, front_mps = self._courses[car.course].length_m - car.at_m + clear_m, low_mps
            safe_mps = front_mps + (gap_m - safety_m) / _STEP_S
            car.speed_mps = max(low_mps, min(high_mps, wish_mps, safe_mps))
            ahead = car

    def _drive(self, car: _Car, from_s: float, to_s: float) -> None:
        """Move a car for one second, by way of bends and crossings."""
        reach_m, driven_m = car.speed_mps * _STEP_S, 0.0
        while True:
            course = self._courses[car.course]
            bend = course.next_bend(car.at_m)
            to_bend_m = course.distances_m[bend] - car.at_m
            if driven_m + to_bend_m > reach_m:
                break
            driven_m += to_bend_m
            passed_s = driven_m / car.speed_mps if driven_m > 0 else 0.0
            _pass(car.points, (min(to_s, from_s + passed_s), *course.places[bend]))
            if bend < len(course.places) - 1:
                car.at_m = course.distances_m[bend]
            else:
                car.course, car.at_m = car.next_course, 0.0
                car.next_course = self._next_course(car.course, car.choose)
        car.at_m += reach_m - driven_m
        if to_s - car.points[-1][0] >= _MOMENT_S:
            car.points.append((to_s, *course.place(car.at_m)))


def _order(car: _Car) -> tuple[int, int, float, int]:
    """Order cars by lane, the first of each lane first."""
    return car.course, car.lane, -car.at_m, car.node


def _pass(points: list[Point], bend: Point) -> None:
    """Add a bend; a point that is all but there gives way to it, because a bend must not be cut."""
    if bend[0] - points[-1][0] < _MOMENT_S and len(points) > 1:
        points.pop()
    points.append(bend)
