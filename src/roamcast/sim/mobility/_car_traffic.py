"""Cars that follow one another: the rules that freeway and Manhattan share.

Source: F. Bai, N. Sadagopan, A. Helmy, "IMPORTANT: a framework to systematically analyze the impact of mobility on
performance of routing protocols for ad hoc networks", INFOCOM 2003. Once a second a car changes its speed by a random
part of an acceleration, within bounds; a car within the safety distance of the one in front drives no faster than it.

Taken literally, a fast car could start beyond the safety distance and pass through a slow one within a second. So here
a car drives at most at the speed that keeps the safety distance at the end of the second, and falls back if it is
closer: two cars in a lane never get closer than the safety distance, or than they already were. This holds along the
route that the car behind will take, round as many corners as it can pass in the second. Of two cars that enter a street
from different sides within a second, the nearer one goes first; the gap between them is then the difference of their
distances, which can be less than the safety distance, since no car waits at a crossing. Braking is unlimited, as in the
source.
"""

import math
from bisect import bisect, insort
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from roamcast.core.errors import InvalidValueError
from roamcast.core.parameters import ParameterError
from roamcast.sim.mobility._draws import Draw, WeightedChoice, between, node_draws
from roamcast.sim.mobility._roads import Course
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Point, Trajectories

_STEP_S = 1.0
"""The model's time slot: how often a car changes its speed."""

_MOMENT_S = 1e-6
"""Points closer in time than this are merged: a speed between them would be nothing but rounding."""

_ROUNDING_M = 1e-6
"""A car that may come this close to the end of a course may pass it: distances summed in another order differ by less.
"""

_TRIES = 1000
"""How many times to try to find a free spot before the roads count as full."""

NextCourse = Callable[[int, Draw], int]
"""Chooses the course on which a car continues after another."""


@dataclass(frozen=True, slots=True)
class Driving:
    """Parameters shared by all cars."""

    speed_mps: tuple[float, float]
    acceleration_mps2: float
    safety_distance_m: float
    lanes: int


def check_speeds(speed_mps: tuple[float, float]) -> None:
    """Raise an error if the lowest speed is above the highest."""
    if speed_mps[0] > speed_mps[1]:
        raise ParameterError("speed_mps", "must be [lowest, highest], with the lowest not above the highest")


def points_per_s(street_map: StreetMap, speed_mps: float) -> float:
    """Estimate a car's points per second: one at the second's end, and the junctions if streets have mean length."""
    return 1 + speed_mps / street_map.mean_length_m()


@dataclass(slots=True)
class _Car:
    node: int
    course: int
    lane: int
    at_m: float
    speed_mps: float
    onward: deque[int]
    """The next courses, as far ahead as they have been drawn to find the car in front."""
    accelerate: Draw
    choose: Draw
    """A separate stream, so that a car takes the same turns however late it reaches them."""
    points: list[Point]


_Lane = tuple[int, int]
"""A course and a lane of it."""

_Arrivals = dict[_Lane, list[tuple[float, int, int]]]
"""For each lane, the cars that may enter it within the next second: distance to it, node, and course they come from."""


class Traffic:
    """All cars on the courses of a map."""

    def __init__(self, courses: Sequence[Course], next_course: NextCourse, driving: Driving) -> None:
        self._courses = courses
        self._lengths_m = [course.length_m for course in courses]
        self._next_course = next_course
        self._driving = driving

    def trajectories(self, count: int, until_s: float, streams: RandomStreams) -> Trajectories:
        """Drive ``count`` cars until the first whole second after ``until_s``."""
        cars = self._initial_cars(count, streams)
        moving = sorted(cars, key=_order)
        for step in range(math.floor(until_s / _STEP_S) + 1):
            self._choose_speeds(moving)
            for car in moving:
                self._drive(car, step * _STEP_S, (step + 1) * _STEP_S)
            moving.sort(key=_order)
        return Trajectories.from_points([car.points for car in cars])

    def _initial_cars(self, count: int, streams: RandomStreams) -> list[_Car]:
        """Put cars at random points of the courses, one by one, each clear of the earlier ones in its lane."""
        popular = WeightedChoice([course.popularity for course in self._courses])
        taken: dict[_Lane, list[float]] = {}
        cars = []
        for node in range(count):
            draw, choose = node_draws(streams, node), streams.python("mobility-turns", node).random
            course, lane, at_m = self._free_spot(taken, popular, draw)
            insort(taken.setdefault((course, lane), []), at_m)
            speed_mps = between(draw, self._driving.speed_mps)
            points = [(0.0, *self._courses[course].position(at_m))]
            cars.append(_Car(node, course, lane, at_m, speed_mps, deque(), draw, choose, points))
        return cars

    def _free_spot(
        self, taken: dict[_Lane, list[float]], popular: WeightedChoice, draw: Draw
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
        """Set every car's speed for the next second; ``cars`` are in order, the first of each lane first."""
        arrivals = self._desire_speeds(cars)
        lengths_m, low_mps, safety_m = self._lengths_m, self._driving.speed_mps[0], self._driving.safety_distance_m
        margin_m = max(0.0, safety_m - low_mps * _STEP_S) + _ROUNDING_M
        rearmost = {(car.course, car.lane): car for car in cars}
        ahead: _Car | None = None
        for car in cars:
            if ahead is not None and ahead.course == car.course and ahead.lane == car.lane:
                safe_mps = ahead.speed_mps + (ahead.at_m - car.at_m - safety_m) / _STEP_S
                if safe_mps < car.speed_mps:
                    car.speed_mps = safe_mps if safe_mps > low_mps else low_mps
            if lengths_m[car.course] - car.at_m <= car.speed_mps * _STEP_S + margin_m:
                # The speeds of cars round the corner are not decided yet: at worst they drive at the lowest speed.
                safe_mps = low_mps + (self._clear_m(car, margin_m, rearmost, arrivals) - safety_m) / _STEP_S
                if safe_mps < car.speed_mps:
                    car.speed_mps = max(low_mps, safe_mps)
            ahead = car

    def _desire_speeds(self, cars: list[_Car]) -> _Arrivals:
        """Set the speed that every car would choose if it were alone; return which cars may then enter which lane."""
        low_mps, high_mps = self._driving.speed_mps
        lengths_m, change_mps = self._lengths_m, self._driving.acceleration_mps2 * _STEP_S
        arrivals: _Arrivals = {}
        for car in cars:
            desired_mps = car.speed_mps + change_mps * (2 * car.accelerate() - 1)
            car.speed_mps = desired_mps = low_mps if desired_mps < low_mps else min(desired_mps, high_mps)
            reach_m = desired_mps * _STEP_S + _ROUNDING_M
            if lengths_m[car.course] - car.at_m <= reach_m:
                for to_m, origin, course in self._courses_ahead(car, reach_m):
                    arrivals.setdefault((course, car.lane), []).append((to_m, car.node, origin))
        return arrivals

    def _clear_m(self, car: _Car, margin_m: float, rearmost: dict[_Lane, _Car], arrivals: _Arrivals) -> float:
        """Return the distance to the next car round the corners that a car may pass or come near to."""
        reach_m, clear_m = car.speed_mps * _STEP_S, math.inf
        for to_m, origin, course in self._courses_ahead(car, reach_m + margin_m):
            rear = rearmost.get((course, car.lane))
            if rear is not None and rear is not car:
                clear_m = min(clear_m, to_m + rear.at_m)
            if to_m <= reach_m + _ROUNDING_M:
                for other_to_m, node, other_origin in arrivals.get((course, car.lane), ()):
                    # A car that comes from the same course is already the car in front there.
                    if other_origin != origin and node != car.node and (other_to_m, node) < (to_m, car.node):
                        clear_m = min(clear_m, to_m - other_to_m)
            elif to_m >= clear_m:
                break
        return clear_m

    def _courses_ahead(self, car: _Car, reach_m: float) -> Iterator[tuple[float, int, int]]:
        """Yield the courses that begin within ``reach_m``: the distance to each, the one before it, and itself."""
        to_m, here, passed = self._lengths_m[car.course] - car.at_m, car.course, 0
        while to_m <= reach_m:
            if passed == len(car.onward):
                car.onward.append(self._next_course(here, car.choose))
            course = car.onward[passed]
            yield to_m, here, course
            to_m, here, passed = to_m + self._lengths_m[course], course, passed + 1

    def _drive(self, car: _Car, from_s: float, to_s: float) -> None:
        """Move a car for one second, through bends and crossings."""
        reach_m, driven_m = car.speed_mps * _STEP_S, 0.0
        while True:
            course = self._courses[car.course]
            corner = course.next_corner(car.at_m)
            to_corner_m = course.distances_m[corner] - car.at_m
            if driven_m + to_corner_m > reach_m:
                break
            driven_m += to_corner_m
            passed_s = driven_m / car.speed_mps if driven_m > 0 else 0.0
            _add_corner(car.points, (min(to_s, from_s + passed_s), *course.corners[corner]))
            if corner < len(course.corners) - 1:
                car.at_m = course.distances_m[corner]
            else:
                next_course = car.onward.popleft() if car.onward else self._next_course(car.course, car.choose)
                car.course, car.at_m = next_course, 0.0
        car.at_m += reach_m - driven_m
        if to_s - car.points[-1][0] >= _MOMENT_S:
            car.points.append((to_s, *course.position(car.at_m)))


def _order(car: _Car) -> tuple[int, int, float, int]:
    """Order cars by lane, the first of each lane first."""
    return car.course, car.lane, -car.at_m, car.node


def _add_corner(points: list[Point], corner: Point) -> None:
    """Add a corner in place of a point just before it, if there is one: a corner must not be cut."""
    if corner[0] - points[-1][0] < _MOMENT_S and len(points) > 1:
        points.pop()
    points.append(corner)
