"""City section: cars on the streets of a map, at the speed limit, on the fastest route, with red lights and parking.

The model is by J. Davies (2000), as described in T. Camp, J. Boleng, V. Davies, "A survey of mobility models for ad hoc
network research" (2002), with the additions of the Frugal paper's sections 5.1 and 5.2: some streets are used more
often than others, and cars stop at red lights and to park. Cars neither accelerate nor keep a distance: they pass
through one another.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.parameters import AT_LEAST_ZERO, FILLED_IN, FRACTION, ParameterError
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._draws import Draw, WeightedChoice, between, node_draws
from roamcast.sim.mobility._roads import checked_digest
from roamcast.sim.mobility._street_files import check_within, read_street_map
from roamcast.sim.mobility._streets import Lane, Navigator, StreetMap
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Point, Trajectories

_Duration = Annotated[float, AT_LEAST_ZERO]

_CROSSING_STREETS = 3
"""Where fewer streets meet, a street merely bends or ends, and there is nothing to wait for."""


@dataclass(frozen=True, slots=True)
class CitySection(MobilityModel):
    """Cars on a street map."""

    summary: ClassVar[str] = "cars on a street map: limits, one-way lanes, popular streets, stops (Davies 2000)"

    map: str = "campus"
    """A shipped map, or the path of a ``.toml`` file, relative to the working directory."""

    stop_probability: Annotated[float, FRACTION] = 0.2
    """The probability that a car stops where three or more streets meet. Our choice: two in five have lights, which are
    red half of the time."""

    stop_s: tuple[_Duration, _Duration] = (0.0, 30.0)
    """[shortest, longest] stop, in seconds, uniform between them. Our choice: the remainder of a 30 s red phase."""

    pause_s: tuple[_Duration, _Duration] = (10.0, 60.0)
    """[shortest, longest] pause at a destination, in seconds, uniform between them. Our choice: someone gets in or out;
    Frugal's cars must drive for much of an event's 25 to 150 s, so they do not park for hours."""

    map_digest: Annotated[str, FILLED_IN] = ""
    """The digest of the map's text, filled in when a run is planned, so that a run with a changed map is a different
    run or an error. Leave it out."""

    def __post_init__(self) -> None:
        """Check the ranges and the map, so that a campaign fails before it starts."""
        for key, (shortest, longest) in (("stop_s", self.stop_s), ("pause_s", self.pause_s)):
            if shortest > longest:
                raise ParameterError(key, "must be [shortest, longest], with the shortest not above the longest")
        read_street_map(self.map)
        object.__setattr__(self, "map_digest", checked_digest(self.map, self.map_digest))

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
        """Drive every car until the end of its first trip that ends at or after ``until_s``."""
        street_map = read_street_map(self.map)
        check_within(street_map, self.map, area)
        city = _City(street_map)
        return Trajectories.from_points(
            [self._drive(city, until_s, node_draws(streams, node)) for node in range(count)]
        )

    def points(self, count: int, area: Area, until_s: float) -> float:  # noqa: ARG002
        """Assume that nobody ever stops."""
        lanes = read_street_map(self.map).lanes()
        return count * (1 + until_s * len(lanes) / sum(lane.travel_s for lane in lanes))

    def waypoints(self) -> tuple[tuple[float, float], ...]:
        """Return the junctions of the map."""
        return tuple((junction.x_m, junction.y_m) for junction in read_street_map(self.map).junctions)

    def _drive(self, city: "_City", until_s: float, draw: Draw) -> list[Point]:
        """Return the points of one car: from somewhere on a street to its end, then trip after trip."""
        lane, done = city.lanes[city.popular_lane.index(draw)], draw()
        points = [city.start_on(lane, done)]
        city.advance(points, lane, 1.0 - done)
        here = lane.end
        self._stop(points, city, here, draw)
        while points[-1][0] < until_s:
            destination = city.draw_destination(here, draw)
            while here != destination:
                lane = city.draw_lane(here, destination, draw)
                city.advance(points, lane)
                here = lane.end
                if here != destination:
                    self._stop(points, city, here, draw)
            _wait(points, between(draw, self.pause_s))
        return points

    def _stop(self, points: list[Point], city: "_City", junction: int, draw: Draw) -> None:
        """Wait at a junction, if its light is red."""
        if city.streets_at[junction] >= _CROSSING_STREETS and draw() < self.stop_probability:
            _wait(points, between(draw, self.stop_s))


class _City:
    """A map with everything a driver needs."""

    def __init__(self, street_map: StreetMap) -> None:
        self.street_map = street_map
        self.lanes = street_map.lanes()
        self.streets_at = street_map.streets_at()
        self._navigator = Navigator(len(street_map.junctions), self.lanes)
        self.popular_lane = WeightedChoice([lane.popularity for lane in self.lanes])
        self._popular_junction = WeightedChoice(street_map.junction_popularities())

    def start_on(self, lane: Lane, done: float) -> Point:
        """Return the position at time 0 of a car that has driven a fraction of a lane."""
        start, end = self.street_map.junctions[lane.start], self.street_map.junctions[lane.end]
        return 0.0, start.x_m + (end.x_m - start.x_m) * done, start.y_m + (end.y_m - start.y_m) * done

    def advance(self, points: list[Point], lane: Lane, part: float = 1.0) -> None:
        """Drive the last part of a lane, at its limit, to the junction at its end."""
        junction = self.street_map.junctions[lane.end]
        points.append((points[-1][0] + lane.travel_s * part, junction.x_m, junction.y_m))

    def draw_destination(self, here: int, draw: Draw) -> int:
        """Draw a junction other than this one."""
        # A street counts for both of its ends, so no junction has more than half of the weight and this ends soon.
        while True:
            junction = self._popular_junction.index(draw)
            if junction != here:
                return junction

    def draw_lane(self, here: int, destination: int, draw: Draw) -> Lane:
        """Return the first lane of the fastest route, drawn at random if several routes are equally fast."""
        lanes = self._navigator.next_lanes(here, destination)
        return lanes[0] if len(lanes) == 1 else lanes[int(draw() * len(lanes))]


def _wait(points: list[Point], duration_s: float) -> None:
    """Let a car stand for a while."""
    if duration_s > 0:
        time_s, x_m, y_m = points[-1]
        points.append((time_s + duration_s, x_m, y_m))
