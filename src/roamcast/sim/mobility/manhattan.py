"""Manhattan: cars on a grid of streets that turn at random at crossings, and keep their distance.

The model is by F. Bai, N. Sadagopan and A. Helmy (IMPORTANT, INFOCOM 2003; rules: ``_car_traffic``). The broker and
rendezvous paper uses it for police surveillance (section 4, Table 1): straight on with probability 0.5, left and right
with 0.25 each. Where not all three are possible, at the border of the grid, the probabilities of the others are scaled
up; at a dead end a car turns back. Any street map will do: up to 45 degrees to either side counts as straight on.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.parameters import AT_LEAST_ONE, AT_LEAST_ZERO, FILLED_IN, FRACTION, ParameterError, at_most
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._car_traffic import Driving, Traffic, check_speeds, points_per_s
from roamcast.sim.mobility._draws import Draw, WeightedChoice
from roamcast.sim.mobility._roads import MapPoint, checked_digest, make_course
from roamcast.sim.mobility._street_files import check_within, read_street_map
from roamcast.sim.mobility._streets import Lane, StreetMap
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

_Speed = Annotated[float, AT_LEAST_ZERO, at_most(10_000)]


@dataclass(frozen=True, slots=True)
class Manhattan(MobilityModel):
    """Cars on the streets of a grid."""

    summary: ClassVar[str] = "cars on a grid of streets that turn at random at crossings (IMPORTANT, Bai et al. 2003)"

    map: str = "manhattan"
    """A shipped map, or the path of a ``.toml`` file. ``speed_mps`` replaces the map's speed limits."""

    speed_mps: tuple[_Speed, _Speed] = (1.0, 20.0)
    """[lowest, highest] speed, in m/s. Default: the paper's Table 1."""

    acceleration_mps2: Annotated[float, AT_LEAST_ZERO] | None = None
    """The largest change of a car's speed in one second, up or down, in m/s². Default: a tenth of the highest speed
    (our choice)."""

    safety_distance_m: Annotated[float, AT_LEAST_ZERO, at_most(10_000)] = 10.0
    """How far a car stays behind the one in front, in metres. Our choice; the model leaves it open."""

    lanes: Annotated[int, AT_LEAST_ONE, at_most(100)] = 2
    """How many lanes each direction of a street has. Default: the model's."""

    left_probability: Annotated[float, FRACTION] = 0.25
    """The probability that a car turns left at a crossing. Default: the model's."""

    right_probability: Annotated[float, FRACTION] = 0.25
    """The probability that a car turns right at a crossing; otherwise it goes straight on. Default: the model's."""

    map_digest: Annotated[str, FILLED_IN] = ""
    """The digest of the map's text, filled in when a run is planned. Leave it out."""

    def __post_init__(self) -> None:
        """Check the speeds, the turns and the map, so that a campaign fails before it starts."""
        check_speeds(self.speed_mps)
        if self.left_probability + self.right_probability > 1:
            raise ParameterError("right_probability", "must be at most 1 together with left_probability")
        read_street_map(self.map)
        object.__setattr__(self, "map_digest", checked_digest(self.map, self.map_digest))

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
        """Drive every car until the first whole second after ``until_s``."""
        street_map = read_street_map(self.map)
        check_within(street_map, self.map, area)
        lanes = street_map.lanes()
        courses = [make_course(street_map, (lane.start, lane.end), (lane.popularity,)) for lane in lanes]
        straight = max(0.0, 1 - self.left_probability - self.right_probability)
        turns = _Turns(street_map, lanes, (straight, self.left_probability, self.right_probability))
        acceleration = self.speed_mps[1] / 10 if self.acceleration_mps2 is None else self.acceleration_mps2
        driving = Driving(self.speed_mps, acceleration, self.safety_distance_m, self.lanes)
        return Traffic(courses, turns.next_course, driving).trajectories(count, until_s, streams)

    def points(self, count: int, area: Area, until_s: float) -> float:  # noqa: ARG002
        """Assume that all cars drive at the highest speed."""
        return count * (1 + until_s * points_per_s(read_street_map(self.map), self.speed_mps[1]))

    def waypoints(self) -> tuple[MapPoint, ...]:
        """Return the crossings of the map, to which topics can be hashed."""
        return tuple((junction.x_m, junction.y_m) for junction in read_street_map(self.map).junctions)


_STRAIGHT, _LEFT, _RIGHT = range(3)


class _Turns:
    """Chooses where cars go at the end of each lane."""

    def __init__(self, street_map: StreetMap, lanes: list[Lane], weights: tuple[float, float, float]) -> None:
        self._onward: list[list[int]] = []
        self._choices: list[WeightedChoice] = []
        for lane in lanes:
            leaving = [number for number, other in enumerate(lanes) if other.start == lane.end]
            onward = [number for number in leaving if lanes[number].end != lane.start] or leaving
            turns = [_turn(street_map, lane, lanes[number]) for number in onward]
            shares = [weights[turn] / turns.count(turn) for turn in turns]
            self._onward.append(onward)
            # If all possible turns have probability 0, they are equally likely.
            self._choices.append(WeightedChoice(shares if any(shares) else [1.0] * len(shares)))

    def next_course(self, course: int, draw: Draw) -> int:
        """Draw the lane that a car takes next; it turns back only if there is no other."""
        onward = self._onward[course]
        return onward[0] if len(onward) == 1 else onward[self._choices[course].index(draw)]


def _turn(street_map: StreetMap, lane: Lane, onward: Lane) -> int:
    """Tell whether the way from one lane into the next is straight, left or right."""
    start, crossing, end = (street_map.junctions[index] for index in (lane.start, lane.end, onward.end))
    in_x, in_y = crossing.x_m - start.x_m, crossing.y_m - start.y_m
    out_x, out_y = end.x_m - crossing.x_m, end.y_m - crossing.y_m
    along, leftward = in_x * out_x + in_y * out_y, in_x * out_y - in_y * out_x
    if along >= abs(leftward):
        return _STRAIGHT
    return _LEFT if leftward > 0 else _RIGHT
