"""Networks of tree group nodes without a simulator: nothing is lost between nodes within range, and no time passes."""

from collections import deque
from collections.abc import Iterable, Sequence
from math import dist
from random import Random
from typing import Any

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.protocols.tree_group.messages import LEADER
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.protocols.tree_group.tree_position import TreePosition
from roamcast.testing import RecordingHost

RANGE_M = 150.0
STEPS_MAX = 1_000_000


class LinkedHost(RecordingHost):
    """A host whose unicasts, too, go to a link."""

    network: "TreeNetwork"

    def unicast(self, message: Message, to: int) -> None:
        """Write down a message and hand it to the link."""
        super().unicast(message, to)
        self.network.queue.append((self.node, message, to))


class TreeNetwork:
    """Nodes at points in the plane that hear each other up to 150 m; move or silence them at will."""

    def __init__(
        self,
        points_m: Sequence[tuple[float, float]],
        parameters: TreeGroupParameters | None = None,
        seed: int = 0,
        knows_positions: bool = True,
    ) -> None:
        self.queue: deque[tuple[int, Message, int | None]] = deque()
        self.points_m = list(points_m)
        self.silent: set[int] = set()
        self.knows_positions = knows_positions
        self.hosts = [LinkedHost(node, random=Random(1000 * seed + node)) for node in range(len(points_m))]
        self.protocols: list[TreeGroup] = []
        for host in self.hosts:
            host.network = self
            host.on_broadcast = lambda sender, message: self.queue.append((sender, message, None))
            self._place(host)
            self.protocols.append(self.install(host, parameters))

    def install(self, host: RecordingHost, parameters: TreeGroupParameters | None, /) -> Any:
        """Start a node's protocol; a network of another one has its own."""
        return host.install(TreeGroup, parameters)

    def _place(self, host: RecordingHost) -> None:
        host.current_position = Position(*self.points_m[host.node]) if self.knows_positions else None

    @property
    def now_s(self) -> float:
        """Return the time."""
        return self.hosts[0].now

    @property
    def places(self) -> list[TreePosition]:
        """Return what every node knows of its place."""
        return [protocol.tree_position for protocol in self.protocols]

    def move(self, node: int, x_m: float, y_m: float) -> None:
        """Put a node elsewhere."""
        self.points_m[node] = (x_m, y_m)
        self._place(self.hosts[node])

    def hears(self, one: int, other: int) -> bool:
        """Tell whether two nodes are within range and neither is silent."""
        if one == other or one in self.silent or other in self.silent:
            return False
        return dist(self.points_m[one], self.points_m[other]) <= RANGE_M

    def component(self, node: int) -> set[int]:
        """Return all nodes that can be reached from a node."""
        found, edge = {node}, [node]
        while edge:
            here = edge.pop()
            new = {each for each in range(len(self.hosts)) if each not in found and self.hears(here, each)}
            found |= new
            edge.extend(new)
        return found

    def advance_to(self, at_s: float) -> None:
        """Let time pass for all nodes together."""
        for _ in range(STEPS_MAX):
            self._carry()
            due = [(*wake, host.node) for host in self.hosts if (wake := host.next_wake()) is not None]
            first = min(due, key=lambda each: (each[0], each[2]), default=None)
            next_s = at_s if first is None else min(at_s, first[0])
            for host in self.hosts:
                host.now = max(host.now, next_s)
            if first is None or first[0] > at_s:
                return
            self.hosts[first[2]].fire_next_wake()
        raise AssertionError("the network does not come to rest")

    def _carry(self) -> None:
        for _ in range(STEPS_MAX):
            if not self.queue:
                return
            sender, message, to = self.queue.popleft()
            if to is None:
                for node in range(len(self.hosts)):
                    if self.hears(sender, node):
                        self.protocols[node].on_message(message, sender)
            elif 0 <= to < len(self.hosts) and self.hears(sender, to):
                self.protocols[to].on_message(message, sender)
            else:
                self.protocols[sender].on_unicast_failed(message, to)
        raise AssertionError("the nodes answer each other forever")

    def settle(self, quiet_s: float = 8.0, until_s: float = 300.0) -> bool:
        """Let time pass until no node has changed its place for a while, and tell whether that came to be."""
        before, since_s = self._shape(), self.now_s
        while self.now_s < until_s:
            self.advance_to(self.now_s + 1.0)
            after = self._shape()
            if after != before:
                before, since_s = after, self.now_s
            elif self.now_s - since_s >= quiet_s:
                return True
        return False

    def _shape(self) -> list[tuple[int, int, int | None, int]]:
        return [(place.state, place.group, place.parent, place.level) for place in self.places]

    def delivered(self) -> dict[int, list[int]]:
        """Return for each node the numbers of the events that it was handed."""
        return {host.node: [event.id.number for event in host.delivered()] for host in self.hosts}


def ancestors(places: Sequence[TreePosition], node: int) -> list[int]:
    """Return a node's parent, its parent and so on; fails where that goes round."""
    found: list[int] = []
    parent = places[node].parent
    while parent is not None:
        assert parent not in (node, *found), f"a cycle: {node}, {found}, {parent}"
        found.append(parent)
        parent = places[parent].parent
    return found


def check_trees(places: Sequence[TreePosition], nodes: Iterable[int], levels_limit: int) -> None:
    """Check that nodes at rest form trees: one for each group, with its leader at the root and levels by one."""
    for node in nodes:
        above = ancestors(places, node)
        root = places[above[-1] if above else node]
        assert root.state == LEADER, f"{node} hangs on {root.node}, which leads nobody"
        assert places[node].group == root.node
        assert places[node].level == len(above) <= levels_limit
