"""What a node of SOGR knows of next hops: neighbours that it has heard lately, and ways that searches have found."""

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
"""How long nothing is looked for again that was not found."""
JUST_S = 0.1
"""A neighbour that was heard so short a time ago is there, however far it is."""
K = TypeVar("K")
V = TypeVar("V")
Goal = tuple[int | None, Position]
"""What is looked for."""


def distance_m(one: Position, other: Position) -> float:
    """Return the distance between two places."""
    return hypot(one.x_m - other.x_m, one.y_m - other.y_m)


class NextHops:
    """Neighbours and ways, each for a while."""

    def __init__(self, host: Host, parameters: SogrParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._positions: dict[int, tuple[Position, float]] = {}
        self._routes: dict[Goal, tuple[int, float]] = {}
        self._failed = Memory(FAILED_S, parameters.ways_max)

    def stored_bytes(self) -> int:
        """Return the size of neighbours with their places, and of ways: a node, its place and a next hop."""
        _forget_old(self._positions, self._host.now)
        _forget_old(self._routes, self._host.now)
        place_bytes = NODE_BYTES + POSITION_BYTES
        return place_bytes * len(self._positions) + (place_bytes + NODE_BYTES) * len(self._routes)

    def hear(self, node: int, at: Position) -> None:
        """Note where a neighbour is."""
        if node == self._host.node:
            return
        self._positions.pop(node, None)
        _forget_old(self._positions, self._host.now)
        if len(self._positions) >= self._parameters.neighbours_max:
            del self._positions[next(iter(self._positions))]
        self._positions[node] = (at, self._host.now + self._parameters.neighbour_s)

    def forget(self, node: int) -> None:
        """Forget a neighbour that could not be reached, and the ways over it."""
        self._positions.pop(node, None)
        self._routes = {goal: way for goal, way in self._routes.items() if way[0] != node}

    def position_of(self, node: int) -> Position | None:
        """Return where a neighbour was heard lately."""
        at, until_s = self._positions.get(node, (None, 0.0))
        return at if until_s > self._host.now else None

    def next_hop(self, stop: Stop, here: Position, came_from: int | None) -> int | None:
        """Return a next hop that is known: the node itself, a way that was found, or one that is nearer by enough."""
        now_s = self._host.now
        if stop.node is not None and self.position_of(stop.node) is not None:
            return stop.node
        hop, until_s = self._routes.get((stop.node, stop.at), (None, 0.0))
        if hop is not None and until_s > now_s and hop != came_from:
            return hop
        enough_m = distance_m(here, stop.at) - self._parameters.progress_share * self._host.world.range_m
        best, best_m = None, min(enough_m, stop.nearest_m)
        reach_m = self._parameters.reach_share * self._host.world.range_m
        just_until_s = now_s + self._parameters.neighbour_s - JUST_S
        for node, (at, heard_until_s) in self._positions.items():
            is_there = heard_until_s > now_s and (heard_until_s >= just_until_s or distance_m(at, here) <= reach_m)
            if is_there and (left_m := distance_m(at, stop.at)) < best_m:
                best, best_m = node, left_m
        return best

    def has_failed(self, goal: Goal) -> bool:
        """Tell whether a search was in vain just now."""
        return self._failed.holds(_name(goal), self._host.now)

    def note_failure(self, goal: Goal) -> None:
        """Remember that a search was in vain."""
        self._failed.note(_name(goal), self._host.now)

    def add_route(self, goal: Goal, hop: int) -> None:
        """Remember the way that a search has found."""
        self._routes.pop(goal, None)
        _forget_old(self._routes, self._host.now)
        if len(self._routes) >= self._parameters.ways_max:
            del self._routes[next(iter(self._routes))]
        self._routes[goal] = (hop, self._host.now + self._parameters.neighbour_s)
        self._failed.forget(_name(goal))


def _forget_old(known: dict[K, tuple[V, float]], now_s: float) -> None:
    """Forget what was true until a time that is over; what was heard longest ago stands first."""
    while known and known[first := next(iter(known))][1] <= now_s:
        del known[first]


def _name(goal: Goal) -> Hashable:
    """Return by what a search that failed is remembered: a node that is nowhere to be found is not here either."""
    node, at = goal
    return at if node is None else node
