"""Random waypoint: go straight to a random point at a random speed, pause there, choose the next.

The model is by D. Johnson and D. Maltz (1996), in the form of J. Broch et al. (1998): waypoints uniform in the area,
speeds uniform in a range, a constant pause. The Frugal paper's section 5.1 uses it with a pause of 1 s.

From a cold start it takes many trips until slow trips and the middle of the area are as frequent as they remain
afterwards; papers discard the first 600 to 1000 s for that reason. By default the model starts in this steady state
(``_steady_state``).
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from roamcast.core.parameters import AT_LEAST_ZERO, ParameterError, at_most, one_of
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._draws import Draw, anywhere, node_draws
from roamcast.sim.mobility._steady_state import SteadyState
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Point, Trajectories

_Speed = Annotated[float, AT_LEAST_ZERO, at_most(10_000)]


@dataclass(frozen=True, slots=True)
class RandomWaypoint(MobilityModel):
    """Nodes that walk from one random point to another."""

    summary: ClassVar[str] = "straight to a random point, pause, repeat; starts in its steady state (Navidi, Camp 2004)"

    speed_mps: tuple[_Speed, _Speed]
    """[lowest, highest] speed, in m/s; speeds are uniform between them. [10, 10]: always 10; [0, 0]: nobody moves."""

    pause_s: Annotated[float, AT_LEAST_ZERO] = 0.0
    """How long a node pauses at each waypoint, in seconds. Default: no pause, the model's simplest form."""

    start: Annotated[str, one_of("steady-state", "cold")] = "steady-state"
    """Either "steady-state", as if nodes had always been walking, or "cold", uniformly placed and all setting off at
    time 0."""

    speed_drawn: Annotated[str, one_of("trip", "node")] = "trip"
    """Either "trip", a new speed for each trip, as in the model, or "node", one speed for each node. Slow trips last
    longer, so with "trip" the mean speed over time is far below the middle of the range; with "node" it is the
    middle."""

    def __post_init__(self) -> None:
        """Check the speed range."""
        low_mps, high_mps = self.speed_mps
        if low_mps > high_mps:
            raise ParameterError("speed_mps", "must be [lowest, highest], with the lowest not above the highest")
        if low_mps == 0 < high_mps and self.start == "steady-state":
            expected = (
                'the lowest must be above 0: near 0 trips never end, so there is no steady state; or set start = "cold"'
            )
            raise ParameterError("speed_mps", expected)

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
        """Walk every node until its first waypoint at or after ``until_s``."""
        steady = self._steady_state(area)
        walks = []
        for node in range(count):
            draw = node_draws(streams, node)
            if self.speed_drawn == "node":
                own = self._with_one_speed(draw)
                walks.append(own._points(own._steady_state(area), area, until_s, draw))
            else:
                walks.append(self._points(steady, area, until_s, draw))
        return Trajectories.from_points(walks)

    def points(self, count: int, area: Area, until_s: float) -> float:
        """Assume trips of a third of the longer side, which is a lower bound of the mean."""
        trip_s = max(area.width_m, area.height_m) / 3 / max(sum(self.speed_mps) / 2, 1e-300) + self.pause_s
        return count * (1 + (2 if self.pause_s else 1) * until_s / trip_s)

    def _with_one_speed(self, draw: Draw) -> "RandomWaypoint":
        """Return the model for a node that keeps one speed of the range."""
        low_mps, high_mps = self.speed_mps
        speed_mps = high_mps - (high_mps - low_mps) * draw()
        return replace(self, speed_mps=(speed_mps, speed_mps), speed_drawn="trip")

    def _steady_state(self, area: Area) -> SteadyState | None:
        """Return the distribution of a node's state in an endless walk, or None if walks begin at time 0."""
        if self.start == "cold" or self.speed_mps[1] == 0:
            return None
        return SteadyState(area, self.speed_mps, self.pause_s)

    def _points(self, steady: SteadyState | None, area: Area, until_s: float, draw: Draw) -> list[Point]:
        """Return the walk of one node."""
        points = self._cold_start(area, draw) if steady is None else self._steady_start(steady, area, draw)
        if self.speed_mps[1] > 0:
            self._walk(points, area, until_s, draw)
        return points

    def _cold_start(self, area: Area, draw: Draw) -> list[Point]:
        """Return a uniform point at time 0."""
        return [(0.0, *anywhere(draw, area))]

    def _steady_start(self, steady: SteadyState, area: Area, draw: Draw) -> list[Point]:
        """Return the points up to the end of the pause, or of the trip and its pause, that includes time 0."""
        if draw() < steady.pause_probability:
            x_m, y_m = anywhere(draw, area)
            return [(0.0, x_m, y_m), (self.pause_s * draw(), x_m, y_m)]
        (x_m, y_m), waypoint = steady.path(draw)
        points = [(0.0, x_m, y_m)]
        self._trip(points, waypoint, steady.speed_mps(draw))
        return points

    def _walk(self, points: list[Point], area: Area, until_s: float, draw: Draw) -> None:
        """Add trips and pauses until time ``until_s`` is reached."""
        low_mps, high_mps = self.speed_mps
        while points[-1][0] < until_s:
            # Counted down from the highest speed, because a draw can be 0 and a speed must not.
            self._trip(points, anywhere(draw, area), high_mps - (high_mps - low_mps) * draw())

    def _trip(self, points: list[Point], waypoint: tuple[float, float], speed_mps: float) -> None:
        """Add one trip to a waypoint and the pause there."""
        from_s, from_x, from_y = points[-1]
        x_m, y_m = waypoint
        step_x, step_y = x_m - from_x, y_m - from_y
        arrival_s = from_s + math.sqrt(step_x * step_x + step_y * step_y) / speed_mps
        points.append((arrival_s, x_m, y_m))
        if self.pause_s > 0:
            points.append((arrival_s + self.pause_s, x_m, y_m))
