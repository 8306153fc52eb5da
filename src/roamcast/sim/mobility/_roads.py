"""Roads of a street map as courses: what a car drives along without a choice, from one end to the other.

In a freeway a course is one direction of a whole road, with its bends; in Manhattan one direction of a street between
two crossings. Lanes of one direction are not drawn apart: all lie on the middle of the street, which is also where the
waypoints are that a topic can be hashed to (section 3.6 of the broker and rendezvous paper).
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from roamcast.core.parameters import ParameterError
from roamcast.sim.mobility._street_files import street_map_digest
from roamcast.sim.mobility._streets import Street, StreetMap

Place = tuple[float, float]
"""A place on the map: (x_m, y_m)."""


@dataclass(frozen=True, slots=True)
class Course:
    """A way with one direction and no choice, from a first junction by way of bends to a last one."""

    places: tuple[Place, ...]
    """The junctions' places, at least two."""
    distances_m: tuple[float, ...]
    """How far each of them is from the first, along the course."""
    popularity: float
    """How likely a car begins here, relative to other courses: the streets' lengths, each times its popularity."""

    @property
    def length_m(self) -> float:
        """Return the length of the whole course."""
        return self.distances_m[-1]

    def place(self, at_m: float) -> Place:
        """Return the place that is so far from the start."""
        after = self.next_bend(at_m)
        (from_x, from_y), (to_x, to_y) = self.places[after - 1], self.places[after]
        done = (at_m - self.distances_m[after - 1]) / (self.distances_m[after] - self.distances_m[after - 1])
        return from_x + (to_x - from_x) * done, from_y + (to_y - from_y) * done

    def next_bend(self, at_m: float) -> int:
        """Return which of the places comes next; at the end of the course, where a sum was rounded up, the last."""
        return min(bisect_right(self.distances_m, at_m), len(self.places) - 1)


def make_course(street_map: StreetMap, junctions: Sequence[int], popularities: Sequence[float]) -> Course:
    """Make the course through some junctions; ``popularities`` are those of the streets between them."""
    places = tuple((street_map.junctions[each].x_m, street_map.junctions[each].y_m) for each in junctions)
    distances_m, weight = [0.0], 0.0
    for (start, end), popularity in zip(pairwise(places), popularities, strict=True):
        length_m = _distance(start, end)
        distances_m.append(distances_m[-1] + length_m)
        weight += length_m * popularity
    return Course(places, tuple(distances_m), weight)


def road_courses(street_map: StreetMap) -> list[Course]:
    """Return both directions of every road, one after the other.

    At a junction the two streets that go on straightest are one road, then the two that do of the others; a street that
    is left over ends there.
    """
    partners = _partners(street_map)
    courses, seen = [], set[int]()
    for street in range(len(street_map.streets)):
        if street not in seen:
            junctions, streets = _road(street_map, partners, street)
            seen.update(streets)
            popularities = [street_map.streets[each].popularity for each in streets]
            courses.append(make_course(street_map, junctions, popularities))
            courses.append(make_course(street_map, junctions[::-1], popularities[::-1]))
    return courses


def waypoints_along(courses: Sequence[Course], spacing_m: float) -> tuple[Place, ...]:
    """Return every junction of some courses and places between them, evenly and at most ``spacing_m`` apart."""
    found: dict[Place, None] = {}
    for course in courses:
        for (from_x, from_y), (to_x, to_y) in pairwise(course.places):
            parts = math.ceil(_distance((from_x, from_y), (to_x, to_y)) / spacing_m)
            for part in range(parts):
                found[from_x + (to_x - from_x) * part / parts, from_y + (to_y - from_y) * part / parts] = None
        found[course.places[-1]] = None
    return tuple(found)


def waypoints_count(courses: Sequence[Course], spacing_m: float) -> float:
    """Return about how many places ``waypoints_along`` would return, without making them."""
    return sum(course.length_m / spacing_m + len(course.places) for course in courses)


def checked_digest(name: str, planned: str) -> str:
    """Return the fingerprint of a map, which must be the one that a run was planned with, if it was."""
    digest = street_map_digest(name)
    if planned not in ("", digest):
        raise ParameterError("map_digest", f"is not that of {name} now ({digest}); leave it out, or plan again")
    return digest


_Partners = dict[tuple[int, int], int]
"""By a street and a junction at its end: the street as which the road goes on."""


def _partners(street_map: StreetMap) -> _Partners:
    """Pair the streets at each junction, the straightest pair first."""
    at: list[list[int]] = [[] for _ in street_map.junctions]
    for number, street in enumerate(street_map.streets):
        at[street.start].append(number)
        at[street.end].append(number)
    partners: _Partners = {}
    for junction, streets in enumerate(at):
        away = {each: _unit_away(street_map, street_map.streets[each], junction) for each in streets}
        bends = [(away[a][0] * away[b][0] + away[a][1] * away[b][1], a, b) for a, b in combinations(streets, 2)]
        for _, one, other in sorted(bends):
            if (one, junction) not in partners and (other, junction) not in partners:
                partners[one, junction], partners[other, junction] = other, one
    return partners


def _road(street_map: StreetMap, partners: _Partners, street: int) -> tuple[list[int], list[int]]:
    """Return the junctions and the streets of the road that a street is part of, from one end to the other."""
    first, here = street, street_map.streets[street].start
    while (before := partners.get((first, here))) not in (None, street):
        assert before is not None
        first, here = before, _other_end(street_map.streets[before], here)
    junctions, streets = [here, _other_end(street_map.streets[first], here)], [first]
    while (after := partners.get((streets[-1], junctions[-1]))) not in (None, first):
        assert after is not None
        streets.append(after)
        junctions.append(_other_end(street_map.streets[after], junctions[-1]))
    return junctions, streets


def _other_end(street: Street, junction: int) -> int:
    return street.start if street.end == junction else street.end


def _unit_away(street_map: StreetMap, street: Street, junction: int) -> Place:
    """Return the direction in which a street leaves a junction."""
    here, there = street_map.junctions[junction], street_map.junctions[_other_end(street, junction)]
    length_m = _distance((here.x_m, here.y_m), (there.x_m, there.y_m))
    return (there.x_m - here.x_m) / length_m, (there.y_m - here.y_m) / length_m


def _distance(start: Place, end: Place) -> float:
    """Return the length of a line; unlike ``math.hypot`` with the same last bit on every machine."""
    step_x, step_y = end[0] - start[0], end[1] - start[1]
    return math.sqrt(step_x * step_x + step_y * step_y)
