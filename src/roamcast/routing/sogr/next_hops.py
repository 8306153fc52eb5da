"""The next hops that a SOGR node knows: neighbours heard recently, and routes that searches have found."""

from collections.abc import Hashable
from math import hypot
from typing import TypeVar

from roamcast.core.host import Host, Position
from roamcast.core.widths import NODE_BYTES, POSITION_BYTES
from roamcast.routing.shared.bounded_memory import Memory
from roamcast.routing.sogr.messages import (
    Stop,
)
from roamcast.routing.sogr.parameters import SogrParameters

FAILED_S = 0.5
"""How long a search that failed is not repeated, in seconds."""
JUST_S = 0.1
"""A neighbour heard this recently is in range, however far away it is, in seconds."""
K = TypeVar("K")
V = TypeVar("V")
Heard = tuple[Position, float]
"""A neighbour's position, and until when it is remembered."""
Goal = tuple[int | None, Position]
"""The target of a search: a node, or None for a place, and its position."""


def distance_m(one: Position, other: Position) -> float:
    """Return the distance between two positions, in metres."""
    return hypot(one.x_m - other.x_m, one.y_m - other.y_m)


class NextHops:
    """Neighbours and routes, each remembered for a while."""

    def __init__(self, host: Host, parameters: SogrParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._positions: dict[int, Heard] = {}
        self._routes: dict[Goal, tuple[int, float]] = {}
        self._failed = Memory(FAILED_S, parameters.ways_max)

    def stored_bytes(self) -> int:
        """Return the size of neighbours with their positions, and of routes: a node, its position and a next hop."""
        _forget_old(self._positions, self._host.now)
        _forget_old(self._routes, self._host.now)
        position_bytes = NODE_BYTES + POSITION_BYTES
        return position_bytes * len(self._positions) + (position_bytes + NODE_BYTES) * len(self._routes)

    def hear(self, node: int, at: Position) -> None:
        """Record a neighbour's position."""
        self.note(node, (at, self._host.now + self._parameters.neighbour_s))

    def note(self, node: int, heard: Heard) -> None:
        """Record a neighbour's position, in place of an earlier one and behind all others."""
        positions = self._positions
        if node in positions:
            del positions[node]
        elif node == self._host.node:
            return
        elif len(positions) >= self._parameters.neighbours_max:
            _forget_old(positions, self._host.now)
            if len(positions) >= self._parameters.neighbours_max:
                del positions[next(iter(positions))]
        positions[node] = heard

    def forget(self, node: int) -> None:
        """Forget a neighbour that could not be reached, and the routes through it."""
        self._positions.pop(node, None)
        self._routes = {goal: route for goal, route in self._routes.items() if route[0] != node}

    def position_of(self, node: int) -> Position | None:
        """Return the position at which a neighbour was heard recently."""
        at, until_s = self._positions.get(node, (None, 0.0))
        return at if until_s > self._host.now else None

    def next_hop(self, stop: Stop, here: Position, came_from: int | None) -> int | None:
        """Return a known next hop: the node itself, a found route's, or a neighbour that is sufficiently nearer."""
        now_s = self._host.now
        if stop.node is not None and self.position_of(stop.node) is not None:
            return stop.node
        hop, until_s = self._routes.get((stop.node, stop.at), (None, 0.0))
        if hop is not None and until_s > now_s and hop != came_from:
            return hop
        enough_m = distance_m(here, stop.at) - self._parameters.progress_share * self._host.world.range_m
        _forget_old(self._positions, now_s)
        best, best_m = None, min(enough_m, stop.nearest_m)
        reach_m = self._parameters.reach_share * self._host.world.range_m
        just_until_s = now_s + self._parameters.neighbour_s - JUST_S
        (goal_x_m, goal_y_m), (here_x_m, here_y_m) = stop.at, here
        for node, ((x_m, y_m), heard_until_s) in self._positions.items():
            left_m = hypot(x_m - goal_x_m, y_m - goal_y_m)
            if left_m < best_m and (heard_until_s >= just_until_s or hypot(x_m - here_x_m, y_m - here_y_m) <= reach_m):
                best, best_m = node, left_m
        return best

    def has_failed(self, goal: Goal) -> bool:
        """Tell whether a search failed just now."""
        return self._failed.holds(_name(goal), self._host.now)

    def note_failure(self, goal: Goal) -> None:
        """Remember that a search failed."""
        self._failed.note(_name(goal), self._host.now)

    def add_route(self, goal: Goal, hop: int) -> None:
        """Remember the route that a search has found."""
        self._routes.pop(goal, None)
        _forget_old(self._routes, self._host.now)
        if len(self._routes) >= self._parameters.ways_max:
            del self._routes[next(iter(self._routes))]
        self._routes[goal] = (hop, self._host.now + self._parameters.neighbour_s)
        self._failed.forget(_name(goal))


def _forget_old(known: dict[K, tuple[V, float]], now_s: float) -> None:
    """Forget expired entries; those that expire first come first."""
    while known and known[first := next(iter(known))][1] <= now_s:
        del known[first]


def _name(goal: Goal) -> Hashable:
    """Return the key under which a failed search is remembered: a missing node is missing at any position."""
    node, at = goal
    return at if node is None else node
