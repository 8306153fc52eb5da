"""Manhattan: cars on a grid of streets that turn at crossings by chance, and keep their distance.

The model is F. Bai's, N. Sadagopan's and A. Helmy's (IMPORTANT, INFOCOM 2003; ``_traffic`` has the rules), which the
broker and rendezvous paper uses for its police surveillance (section 4, Table 1): straight on with probability 0.5,
left and right with 0.25 each. Where not all three are possible, at the border of the grid, the others share in their
proportion; at a dead end a car turns back. Any street map will do: up to 45 degrees aside is straight on.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.parameters import AT_LEAST_ONE, AT_LEAST_ZERO, FILLED_IN, FRACTION, ParameterError, at_most
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._draws import Draw, WeightedChoice
from roamcast.sim.mobility._roads import Place, checked_digest, make_course
from roamcast.sim.mobility._street_files import check_within, read_street_map
from roamcast.sim.mobility._streets import Lane, StreetMap
from roamcast.sim.mobility._traffic import Driving, Traffic, check_speeds, points_per_s
from roamcast.sim.movement import Area, Trajectories
from roamcast.sim.random_streams import RandomStreams

_Speed = Annotated[float, AT_LEAST_ZERO, at_most(10_000)]


@dataclass(frozen=True, slots=True)
class Manhattan(MobilityModel):
    """Cars on the streets of a grid."""

    summary: ClassVar[str] = "cars on a grid of streets that turn at crossings by chance (IMPORTANT, Bai et al. 2003)"

    map: str = "manhattan"
    """A shipped map, or the path of a file that ends in ``.toml``; its limits do not count, ``speed_mps`` does."""

    speed_mps: tuple[_Speed, _Speed] = (1.0, 20.0)
    """The lowest and the highest speed. The paper's Table 1."""

    acceleration_mps2: Annotated[float, AT_LEAST_ZERO] | None = None
    """A speed changes by up to this much in a second, up or down. None: a tenth of the highest speed. Ours."""

    safety_distance_m: Annotated[float, AT_LEAST_ZERO, at_most(10_000)] = 10.0
    """How far a car stays behind the one in front. Ours; the model leaves it open."""

    lanes: Annotated[int, AT_LEAST_ONE, at_most(100)] = 2
    """How many lanes each direction of a street has. The model's."""

    left_probability: Annotated[float, FRACTION] = 0.25
    """How often a car turns left at a crossing. The model's."""

    right_probability: Annotated[float, FRACTION] = 0.25
    """How often a car turns right at a crossing; in all other cases it goes straight on. The model's."""

    map_digest: Annotated[str, FILLED_IN] = ""
    """The fingerprint of the map's text; filled in where a run is planned. Leave it out."""

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
        """Return what cars at the highest speed make."""
        return count * (1 + until_s * points_per_s(read_street_map(self.map), self.speed_mps[1]))

    def waypoints(self) -> tuple[Place, ...]:
        """Return the crossings of the map, which a topic can be hashed to."""
        return tuple((junction.x_m, junction.y_m) for junction in read_street_map(self.map).junctions)


_STRAIGHT, _LEFT, _RIGHT = range(3)


class _Turns:
    """Where cars go from the end of each lane."""

    def __init__(self, street_map: StreetMap, lanes: list[Lane], weights: tuple[float, float, float]) -> None:
        self._onward: list[list[int]] = []
        self._choices: list[WeightedChoice] = []
        for lane in lanes:
            leaving = [number for number, other in enumerate(lanes) if other.start == lane.end]
            onward = [number for number in leaving if lanes[number].end != lane.start] or leaving
            turns = [_turn(street_map, lane, lanes[number]) for number in onward]
            shares = [weights[turn] / turns.count(turn) for turn in turns]
            self._onward.append(onward)
            # Where no wanted turn is possible, all others are as likely.
            self._choices.append(WeightedChoice(shares if any(shares) else [1.0] * len(shares)))

    def next_course(self, course: int, draw: Draw) -> int:
        """Draw the lane with which a car goes on; nobody turns back where there is another way."""
        onward = self._onward[course]
        return onward[0] if len(onward) == 1 else onward[self._choices[course].index(draw)]


def _turn(street_map: StreetMap, lane: Lane, onward: Lane) -> int:
    """Tell whether one lane goes on as another, or turns left or right into it."""
    start, crossing, end = (street_map.junctions[each] for each in (lane.start, lane.end, onward.end))
    in_x, in_y = crossing.x_m - start.x_m, crossing.y_m - start.y_m
    out_x, out_y = end.x_m - crossing.x_m, end.y_m - crossing.y_m
    along, leftward = in_x * out_x + in_y * out_y, in_x * out_y - in_y * out_x
    if along >= abs(leftward):
        return _STRAIGHT
    return _LEFT if leftward > 0 else _RIGHT
