"""Freeway: cars that stay in their lane of a road, change their speed a little each second, and keep their distance.

The model is by F. Bai, N. Sadagopan and A. Helmy (IMPORTANT, INFOCOM 2003; rules: ``_car_traffic``). The broker and
rendezvous paper uses it for its highway scenario (section 4, Table 1) but does not say what happens at the end of a
road: here a car turns onto the opposite direction and keeps its lane number. Moving it back to the other end instead
would make it jump and break all its links at once, which no real car does.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.errors import InvalidValueError
from roamcast.core.parameters import AT_LEAST_ONE, AT_LEAST_ZERO, FILLED_IN, GREATER_THAN_ZERO, ParameterError, at_most
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._car_traffic import Driving, Traffic, check_speeds, points_per_s
from roamcast.sim.mobility._draws import Draw
from roamcast.sim.mobility._roads import (
    Course,
    MapPoint,
    checked_digest,
    road_courses,
    waypoints_along,
    waypoints_count,
)
from roamcast.sim.mobility._street_files import check_within, read_street_map
from roamcast.sim.mobility._streets import StreetMap
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

WAYPOINTS_MAX = 100_000
"""How many waypoints a map may have: a protocol that hashes topics to waypoints searches all of them."""
_Speed = Annotated[float, AT_LEAST_ZERO, at_most(10_000)]


@dataclass(frozen=True, slots=True)
class Freeway(MobilityModel):
    """Cars on the lanes of freeways."""

    summary: ClassVar[str] = "cars that keep their lane and their distance on freeways (IMPORTANT, Bai et al. 2003)"

    map: str = "freeway"
    """A shipped map, or the path of a ``.toml`` file. ``speed_mps`` replaces the map's speed limits."""

    speed_mps: tuple[_Speed, _Speed] = (10.0, 60.0)
    """[lowest, highest] speed, in m/s. Default: the paper's Table 1."""

    acceleration_mps2: Annotated[float, AT_LEAST_ZERO] | None = None
    """The largest change of a car's speed in one second, up or down, in m/s². Default: a tenth of the highest speed
    (our choice)."""

    safety_distance_m: Annotated[float, AT_LEAST_ZERO, at_most(10_000)] = 20.0
    """How far a car stays behind the one in front, in metres. Our choice; the model leaves it open."""

    lanes: Annotated[int, AT_LEAST_ONE, at_most(100)] = 2
    """How many lanes each direction of a road has. Our choice: the fewest a freeway has."""

    waypoint_spacing_m: Annotated[float, GREATER_THAN_ZERO] = 100.0
    """The largest distance between two waypoints along a road, in metres; a map may have up to 100,000 waypoints. Our
    choice: well within a radio's range."""

    map_digest: Annotated[str, FILLED_IN] = ""
    """The digest of the map's text, filled in when a run is planned. Leave it out."""

    def __post_init__(self) -> None:
        """Check the speeds and the map, so that a campaign fails before it starts."""
        check_speeds(self.speed_mps)
        if waypoints_count(road_courses(self._street_map())[::2], self.waypoint_spacing_m) > WAYPOINTS_MAX:
            raise ParameterError("waypoint_spacing_m", f"yields more than {WAYPOINTS_MAX:,} waypoints on this map")
        object.__setattr__(self, "map_digest", checked_digest(self.map, self.map_digest))

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
        """Drive every car until the first whole second after ``until_s``."""
        street_map = self._street_map()
        check_within(street_map, self.map, area)
        courses = road_courses(street_map)
        acceleration = self.speed_mps[1] / 10 if self.acceleration_mps2 is None else self.acceleration_mps2
        driving = Driving(self.speed_mps, acceleration, self.safety_distance_m, self.lanes)
        return Traffic(courses, _Ends(courses).next_course, driving).trajectories(count, until_s, streams)

    def points(self, count: int, area: Area, until_s: float) -> float:  # noqa: ARG002
        """Assume that all cars drive at the highest speed."""
        return count * (1 + until_s * points_per_s(read_street_map(self.map), self.speed_mps[1]))

    def waypoints(self) -> tuple[MapPoint, ...]:
        """Return the junctions of the map and points along its roads, to which topics can be hashed."""
        return waypoints_along(road_courses(self._street_map())[::2], self.waypoint_spacing_m)

    def _street_map(self) -> StreetMap:
        street_map = read_street_map(self.map)
        for number, street in enumerate(street_map.streets, start=1):
            if street.one_way:
                expected = "must be false: a freeway has lanes in both directions"
                raise InvalidValueError(f"{self.map} street {number} one_way", True, expected)
        return street_map


class _Ends:
    """Chooses where cars go at the end of each road."""

    def __init__(self, courses: list[Course]) -> None:
        self._is_ring = [course.corners[0] == course.corners[-1] for course in courses]

    def next_course(self, course: int, draw: Draw) -> int:  # noqa: ARG002
        """Turn onto the opposite direction, which is next to this one in the list; a ring road has no end."""
        return course if self._is_ring[course] else course ^ 1
