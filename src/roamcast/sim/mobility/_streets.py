"""Streets as a graph: junctions, the lanes between them, and the fastest route from one junction to another.

Made for city section, where travel times, not lengths, decide the route (J. Davies 2000; T. Camp, J. Boleng, V. Davies,
"A survey of mobility models for ad hoc network research", 2002).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

_EQUAL = 1e-9
"""Routes whose times differ by less than this fraction count as equally fast: on a grid they differ by rounding."""


@dataclass(frozen=True, slots=True)
class Junction:
    """A point where streets meet, bend or end."""

    id: str
    x_m: float
    y_m: float


@dataclass(frozen=True, slots=True)
class Street:
    """A straight street between two junctions, given by their indices in the list of junctions."""

    start: int
    end: int
    limit_mps: float
    popularity: float = 1.0
    one_way: bool = False
    """Driven from ``start`` to ``end`` only."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One direction of a street."""

    start: int
    end: int
    travel_s: float
    """The time to drive its full length at the limit."""
    popularity: float
    """The street's popularity, divided among its lanes."""


@dataclass(frozen=True, slots=True)
class StreetMap:
    """The junctions and streets of a map."""

    junctions: tuple[Junction, ...]
    streets: tuple[Street, ...]

    def mean_length_m(self) -> float:
        """Return the mean length of a street."""
        return sum(map(self._length_m, self.streets)) / len(self.streets)

    def lanes(self) -> list[Lane]:
        """Return the directions in which streets may be driven, in the order of the streets."""
        lanes = []
        for street in self.streets:
            travel_s = self._length_m(street) / street.limit_mps
            share = street.popularity if street.one_way else street.popularity / 2
            lanes.append(Lane(street.start, street.end, travel_s, share))
            if not street.one_way:
                lanes.append(Lane(street.end, street.start, travel_s, share))
        return lanes

    def _length_m(self, street: Street) -> float:
        start, end = self.junctions[street.start], self.junctions[street.end]
        step_x, step_y = end.x_m - start.x_m, end.y_m - start.y_m
        return math.sqrt(step_x * step_x + step_y * step_y)

    def junction_popularities(self) -> list[float]:
        """Return, for each junction, the sum of the popularities of its streets."""
        popularities = [0.0] * len(self.junctions)
        for street in self.streets:
            popularities[street.start] += street.popularity
            popularities[street.end] += street.popularity
        return popularities

    def streets_at(self) -> list[int]:
        """Return, for each junction, how many streets it has."""
        counts = [0] * len(self.junctions)
        for street in self.streets:
            counts[street.start] += 1
            counts[street.end] += 1
        return counts


class Navigator:
    """Finds the fastest routes on a map and remembers them."""

    def __init__(self, junction_count: int, lanes: Sequence[Lane]) -> None:
        self._incoming: list[list[Lane]] = [[] for _ in range(junction_count)]
        for lane in lanes:
            self._incoming[lane.end].append(lane)
        self._towards: dict[int, list[list[Lane]]] = {}

    def next_lanes(self, here: int, destination: int) -> list[Lane]:
        """Return the first lanes of the fastest routes to another junction: several if routes are equally fast."""
        if destination not in self._towards:
            self._towards[destination] = self._routes_to(destination)
        return self._towards[destination][here]

    def _routes_to(self, destination: int) -> list[list[Lane]]:
        """Return the lanes to take from each junction."""
        order, left_s = self._by_time_left(destination)
        routes: list[list[Lane]] = [[] for _ in self._incoming]
        done = set()
        for junction in order:
            done.add(junction)
            for lane in self._incoming[junction]:
                through_s = left_s[junction] + lane.travel_s
                # A junction that is done is nearer to the destination, so a route never leads away from it.
                if lane.start not in done and through_s <= left_s[lane.start] * (1 + _EQUAL):
                    routes[lane.start].append(lane)
        return routes

    def _by_time_left(self, destination: int) -> tuple[list[int], list[float]]:
        """Return the junctions in order of their travel time to the destination, and those times.

        Dijkstra's algorithm, backwards from the destination.
        """
        left_s = [math.inf] * len(self._incoming)
        left_s[destination] = 0.0
        queue = [(0.0, destination)]
        order: dict[int, None] = {}
        while queue:
            _, junction = heappop(queue)
            if junction in order:
                continue
            order[junction] = None
            for lane in self._incoming[junction]:
                through_s = left_s[junction] + lane.travel_s
                if through_s < left_s[lane.start]:
                    left_s[lane.start] = through_s
                    heappush(queue, (through_s, lane.start))
        return list(order), left_s


def find_unreachable(street_map: StreetMap) -> tuple[int, int] | None:
    """Return two junctions with no route from the first to the second, or None if all are connected."""
    lanes = street_map.lanes()
    forward = _reached(len(street_map.junctions), [(lane.start, lane.end) for lane in lanes])
    backward = _reached(len(street_map.junctions), [(lane.end, lane.start) for lane in lanes])
    for junction in range(len(street_map.junctions)):
        if not forward[junction]:
            return 0, junction
        if not backward[junction]:
            return junction, 0
    return None


def _reached(junction_count: int, steps: Sequence[tuple[int, int]]) -> list[bool]:
    """Tell for each junction whether it can be reached from the first one by the given steps."""
    onward: list[list[int]] = [[] for _ in range(junction_count)]
    for start, end in steps:
        onward[start].append(end)
    reached = [False] * junction_count
    reached[0] = True
    pending = [0]
    while pending:
        for junction in onward[pending.pop()]:
            if not reached[junction]:
                reached[junction] = True
                pending.append(junction)
    return reached
