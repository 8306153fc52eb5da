"""Cars that follow one another: what freeway and Manhattan have in common.

Source: F. Bai, N. Sadagopan, A. Helmy, "IMPORTANT: a framework to systematically analyze the impact of mobility on
performance of routing protocols for ad hoc networks", INFOCOM 2003. Once a second a car changes its speed by a random
part of an acceleration, within bounds; who is within the safety distance of the car in front drives no faster than it.

Said like this, a fast car could come from beyond the safety distance and pass through a slow one within a second. So
here a car takes at most the speed that leaves it the safety distance at the end of the second, and falls back where it
is closer: two cars in a lane never come closer than the safety distance, or than they were. That holds along the way
that the car behind will take, round as many corners as it can pass in the second. Of two cars that come into a street
from different sides within a second, the one that is nearer to it goes first; how far they are apart is then how much
nearer, which can be less than the safety distance, since no car waits at a crossing. Brakes have no limit, as in the
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
from roamcast.sim.movement import Point, Trajectories
from roamcast.sim.random_streams import RandomStreams

_STEP_S = 1.0
"""The model's time slot: how often a car changes its speed."""

_MOMENT_S = 1e-6
"""Points nearer in time than this become one: between them, a speed would be all rounding."""

_ROUNDING_M = 1e-6
"""Who may come this near to the end of a course may pass it: the same way, summed up differently, differs by less."""

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
    onward: deque[int]
    """The next courses, as far as the car had to look for whom it will follow."""
    accelerate: Draw
    choose: Draw
    """A stream apart, so that a car takes the same turns however late it comes to them."""
    points: list[Point]


_Lane = tuple[int, int]
"""A course and a lane of it."""

_Arrivals = dict[_Lane, list[tuple[float, int, int]]]
"""By lane, who may come into it within the next second: the way to there, the node, the course that it comes from."""


class Traffic:
    """All cars on the courses of a map."""

    def __init__(self, courses: Sequence[Course], next_course: NextCourse, driving: Driving) -> None:
        self._courses = courses
        self._lengths_m = [course.length_m for course in courses]
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
        taken: dict[_Lane, list[float]] = {}
        cars = []
        for node in range(count):
            draw, choose = node_draws(streams, node), streams.python("mobility-turns", node).random
            course, lane, at_m = self._free_place(taken, popular, draw)
            insort(taken.setdefault((course, lane), []), at_m)
            speed_mps = between(draw, self._driving.speed_mps)
            points = [(0.0, *self._courses[course].place(at_m))]
            cars.append(_Car(node, course, lane, at_m, speed_mps, deque(), draw, choose, points))
        return cars

    def _free_place(
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
        """Give every car its speed for the next second; ``cars`` are in order, the first of each lane first."""
        arrivals = self._wish(cars)
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
                # What those round the corner will do is not decided yet: at worst they drive as slowly as allowed.
                safe_mps = low_mps + (self._clear_m(car, margin_m, rearmost, arrivals) - safety_m) / _STEP_S
                if safe_mps < car.speed_mps:
                    car.speed_mps = max(low_mps, safe_mps)
            ahead = car

    def _wish(self, cars: list[_Car]) -> _Arrivals:
        """Give every car the speed that it would take if it were alone, and say who may then come into which lane."""
        low_mps, high_mps = self._driving.speed_mps
        lengths_m, change_mps = self._lengths_m, self._driving.acceleration_mps2 * _STEP_S
        arrivals: _Arrivals = {}
        for car in cars:
            wish_mps = car.speed_mps + change_mps * (2 * car.accelerate() - 1)
            car.speed_mps = wish_mps = low_mps if wish_mps < low_mps else min(wish_mps, high_mps)
            reach_m = wish_mps * _STEP_S + _ROUNDING_M
            if lengths_m[car.course] - car.at_m <= reach_m:
                for to_m, origin, course in self._way(car, reach_m):
                    arrivals.setdefault((course, car.lane), []).append((to_m, car.node, origin))
        return arrivals

    def _clear_m(self, car: _Car, margin_m: float, rearmost: dict[_Lane, _Car], arrivals: _Arrivals) -> float:
        """Return how far a car is from the next one round the corners that it may pass or come near to."""
        reach_m, clear_m = car.speed_mps * _STEP_S, math.inf
        for to_m, origin, course in self._way(car, reach_m + margin_m):
            rear = rearmost.get((course, car.lane))
            if rear is not None and rear is not car:
                clear_m = min(clear_m, to_m + rear.at_m)
            if to_m <= reach_m + _ROUNDING_M:
                for other_to_m, node, other_origin in arrivals.get((course, car.lane), ()):
                    # Who comes from the same course is followed there already.
                    if other_origin != origin and node != car.node and (other_to_m, node) < (to_m, car.node):
                        clear_m = min(clear_m, to_m - other_to_m)
            elif to_m >= clear_m:
                break
        return clear_m

    def _way(self, car: _Car, reach_m: float) -> Iterator[tuple[float, int, int]]:
        """Go through the courses that begin within so many metres: the way to each, the one before it, and itself."""
        to_m, here, passed = self._lengths_m[car.course] - car.at_m, car.course, 0
        while to_m <= reach_m:
            if passed == len(car.onward):
                car.onward.append(self._next_course(here, car.choose))
            following = car.onward[passed]
            yield to_m, here, following
            to_m, here, passed = to_m + self._lengths_m[following], following, passed + 1

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
                following = car.onward.popleft() if car.onward else self._next_course(car.course, car.choose)
                car.course, car.at_m = following, 0.0
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
