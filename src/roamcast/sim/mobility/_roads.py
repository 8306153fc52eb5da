"""Roads of a street map as courses: stretches that a car drives from one end to the other without a choice.

On a freeway a course is one direction of a whole road, with its bends; in Manhattan one direction of a street between
two crossings. Lanes are not set apart: all lie on the middle of the street, and so do the waypoints that a topic can be
hashed to (section 3.6 of the broker and rendezvous paper).
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from roamcast.core.parameters import ParameterError
from roamcast.sim.mobility._street_files import street_map_digest
from roamcast.sim.mobility._streets import Street, StreetMap

MapPoint = tuple[float, float]
"""A point on the map: (x_m, y_m)."""


@dataclass(frozen=True, slots=True)
class Course:
    """A stretch with one direction and no choice, from a first junction through bends to a last one."""

    corners: tuple[MapPoint, ...]
    """The positions of its junctions, at least two."""
    distances_m: tuple[float, ...]
    """Each corner's distance from the first, along the course."""
    popularity: float
    """How likely a car starts here, relative to other courses: the sum of each street's length times its popularity."""

    @property
    def length_m(self) -> float:
        """Return the length of the whole course."""
        return self.distances_m[-1]

    def position(self, at_m: float) -> MapPoint:
        """Return the point at a distance from the start."""
        after = self.next_corner(at_m)
        (from_x, from_y), (to_x, to_y) = self.corners[after - 1], self.corners[after]
        done = (at_m - self.distances_m[after - 1]) / (self.distances_m[after] - self.distances_m[after - 1])
        return from_x + (to_x - from_x) * done, from_y + (to_y - from_y) * done

    def next_corner(self, at_m: float) -> int:
        """Return the index of the next corner; the last one if rounding put the car past the end."""
        return min(bisect_right(self.distances_m, at_m), len(self.corners) - 1)


def make_course(street_map: StreetMap, junctions: Sequence[int], popularities: Sequence[float]) -> Course:
    """Make the course through some junctions; ``popularities`` are those of the streets between them."""
    corners = tuple((street_map.junctions[index].x_m, street_map.junctions[index].y_m) for index in junctions)
    distances_m, weight = [0.0], 0.0
    for (start, end), popularity in zip(pairwise(corners), popularities, strict=True):
        length_m = _distance(start, end)
        distances_m.append(distances_m[-1] + length_m)
        weight += length_m * popularity
    return Course(corners, tuple(distances_m), weight)


def road_courses(street_map: StreetMap) -> list[Course]:
    """Return both directions of every road, one after the other.

    At a junction the two streets that continue each other most nearly straight form one road, then the best pair of the
    others, and so on; a street that is left over ends there.
    """
    partners = _partners(street_map)
    courses, seen = [], set[int]()
    for street in range(len(street_map.streets)):
        if street not in seen:
            junctions, streets = _road(street_map, partners, street)
            seen.update(streets)
            popularities = [street_map.streets[index].popularity for index in streets]
            courses.append(make_course(street_map, junctions, popularities))
            courses.append(make_course(street_map, junctions[::-1], popularities[::-1]))
    return courses


def waypoints_along(courses: Sequence[Course], spacing_m: float) -> tuple[MapPoint, ...]:
    """Return every junction of the courses and points between them, evenly spaced and at most ``spacing_m`` apart."""
    found: dict[MapPoint, None] = {}
    for course in courses:
        for (from_x, from_y), (to_x, to_y) in pairwise(course.corners):
            parts = math.ceil(_distance((from_x, from_y), (to_x, to_y)) / spacing_m)
            for part in range(parts):
                found[from_x + (to_x - from_x) * part / parts, from_y + (to_y - from_y) * part / parts] = None
        found[course.corners[-1]] = None
    return tuple(found)


def waypoints_count(courses: Sequence[Course], spacing_m: float) -> float:
    """Return roughly how many points ``waypoints_along`` would return, without making them."""
    return sum(course.length_m / spacing_m + len(course.corners) for course in courses)


def checked_digest(name: str, planned: str) -> str:
    """Return the digest of a map, after checking that it is the one the run was planned with, if any."""
    digest = street_map_digest(name)
    if planned not in ("", digest):
        raise ParameterError("map_digest", f"is not the current one of {name} ({digest}); leave it out or plan again")
    return digest


_Partners = dict[tuple[int, int], int]
"""Maps a street and a junction at its end to the street in which the road continues."""


def _partners(street_map: StreetMap) -> _Partners:
    """Pair the streets at each junction, the straightest pair first."""
    at: list[list[int]] = [[] for _ in street_map.junctions]
    for number, street in enumerate(street_map.streets):
        at[street.start].append(number)
        at[street.end].append(number)
    partners: _Partners = {}
    for junction, streets in enumerate(at):
        away = {index: _unit_away(street_map, street_map.streets[index], junction) for index in streets}
        bends = [(away[a][0] * away[b][0] + away[a][1] * away[b][1], a, b) for a, b in combinations(streets, 2)]
        for _, one, other in sorted(bends):
            if (one, junction) not in partners and (other, junction) not in partners:
                partners[one, junction], partners[other, junction] = other, one
    return partners


def _road(street_map: StreetMap, partners: _Partners, street: int) -> tuple[list[int], list[int]]:
    """Return the junctions and streets of the road that a street belongs to, from one end to the other."""
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


def _unit_away(street_map: StreetMap, street: Street, junction: int) -> MapPoint:
    """Return the direction in which a street leaves a junction."""
    here, there = street_map.junctions[junction], street_map.junctions[_other_end(street, junction)]
    length_m = _distance((here.x_m, here.y_m), (there.x_m, there.y_m))
    return (there.x_m - here.x_m) / length_m, (there.y_m - here.y_m) / length_m


def _distance(start: MapPoint, end: MapPoint) -> float:
    """Return the length of a line, with the same last bit on every machine, unlike ``math.hypot``."""
    step_x, step_y = end[0] - start[0], end[1] - start[1]
    return math.sqrt(step_x * step_x + step_y * step_y)
