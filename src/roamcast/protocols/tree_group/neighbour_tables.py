"""Whom a node of a tree group knows: neighbours by their last heartbeat, and children with their filters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import hypot

from roamcast.core.host import Position
from roamcast.protocols.tree_group.messages import LEADER, MEMBER, Heartbeat
from roamcast.protocols.tree_group.parameters import TreeGroupParameters

QUALITY_MEMORY = 0.7
"""How much of the past stays in the share of heartbeats heard, from one to the next. Our choice."""
DEGREE_FULL = 16
"""With this many neighbours a node disseminates as well as it can. Our choice: twice what connects a network."""
LISTED_MAX = 24
"""How many neighbours a heartbeat lists."""
OUTLOOK = 1.5
"""For how many heartbeats a link should last. Our choice."""
REACH_M_MAX = 1e4
"""No radio of ours reaches further: who says that it is that far away says nonsense."""
REACH_MEMORY = 0.98
"""How much of the longest way by which anybody was heard stays from one of the node's own heartbeats to the next."""
REACH_MEDIANS = 4.0
"""Who is further away than this many times the neighbour in the middle is not believed. Our choice."""
BELIEVED_MIN = 3
"""If the node has at least so many neighbours whose distances it knows."""
WEAK = 0.1
"""A link with less than this of the strongest signal is likely to break soon. Our choice."""


@dataclass(slots=True)
class Neighbour:
    """A node that was heard not long ago."""

    heartbeat: Heartbeat
    heard_at_s: float
    quality: float = 1.0
    """The share of its heartbeats that were heard, the last ones counting most: what we know of its signal."""
    failures: int = 0
    """Frames that it did not acknowledge since."""
    away_m: float | None = None
    """How far away it was."""
    leaving_mps: float = 0.0
    """How fast it is going away."""

    def hear(self, heartbeat: Heartbeat, now_s: float) -> None:
        """Note one more heartbeat, and those between that were missed."""
        steps = heartbeat.beat - self.heartbeat.beat
        if 1 <= steps <= 8:
            self.quality = 1.0 - QUALITY_MEMORY + QUALITY_MEMORY**steps * self.quality
        self.heartbeat = heartbeat
        self.heard_at_s = now_s
        self.failures = 0

    def silent(self, now_s: float) -> float:
        """Return for how many of its own intervals it has been silent."""
        return (now_s - self.heard_at_s) / self.heartbeat.interval_s

    @property
    def has_group(self) -> bool:
        """Tell whether it is in a group now."""
        return self.heartbeat.state in (MEMBER, LEADER)


class Neighbours:
    """At most ``neighbours_max`` of them."""

    def __init__(self, parameters: TreeGroupParameters, is_kept: Callable[[int], bool]) -> None:
        self._parameters = parameters
        self._is_kept = is_kept
        """Who never makes room for another one: the parent and the children."""
        self._rows: dict[int, Neighbour] = {}
        self._reach_m = 1.0
        """The longest way by which anybody was heard lately."""

    @property
    def reach_m(self) -> float:
        """Return how far a radio is believed to reach."""
        return self._reach_m

    def __iter__(self) -> Iterator[tuple[int, Neighbour]]:
        return iter(self._rows.items())

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, node: int | None) -> Neighbour | None:
        """Return what is known of a node."""
        return None if node is None else self._rows.get(node)

    def hear(self, node: int, heartbeat: Heartbeat, now_s: float, here: Position | None) -> bool:
        """Note a heartbeat, which was heard at a place; tell whether there was room for its sender."""
        row, since_s = self._rows.get(node), 0.0
        if row is not None:
            since_s = now_s - row.heard_at_s
            row.hear(heartbeat, now_s)
        else:
            if not self._has_room_for(node):
                return False
            row = self._rows[node] = Neighbour(heartbeat, now_s)
        self._locate(row, here, since_s)
        return True

    def _has_room_for(self, node: int) -> bool:
        """Make room where there is none; the parent and the children stay, whoever else is heard."""
        if len(self._rows) < self._parameters.neighbours_max:
            return True
        others = [each for each in self._rows if not self._is_kept(each)]
        room = others or (list(self._rows) if self._is_kept(node) else [])
        oldest = min(room, key=lambda each: self._rows[each].heard_at_s, default=None)
        if oldest is not None:
            del self._rows[oldest]
        return oldest is not None

    def _locate(self, row: Neighbour, here: Position | None, since_s: float) -> None:
        """Note how far away a neighbour is."""
        there = row.heartbeat.position
        if here is None or there is None:
            row.away_m = None
            return
        away_m = hypot(there[0] - here[0], there[1] - here[1])
        if not away_m < REACH_M_MAX:  # nor is it a number, perhaps
            row.away_m = None
            return
        if away_m > self._reach_m:
            self._reach_m = away_m
        if row.away_m is not None and since_s > 0:
            row.leaving_mps = (away_m - row.away_m) / since_s
        row.away_m = away_m

    def forget(self, node: int) -> None:
        """Take a node for lost."""
        self._rows.pop(node, None)

    def forget_silent(self, now_s: float) -> None:
        """Take those for lost that were not heard for long."""
        missed = self._parameters.missed_heartbeats + 0.5
        for node in [node for node, row in self._rows.items() if row.silent(now_s) > missed]:
            del self._rows[node]

    def age(self) -> None:
        """Forget a part of how far the radio reaches, and what cannot be true of it; at each heartbeat of the node."""
        known_m = sorted(row.away_m for row in self._rows.values() if row.away_m is not None)
        if len(known_m) >= BELIEVED_MIN:
            limit_m = REACH_MEDIANS * known_m[len(known_m) // 2]
            self._reach_m = min(self._reach_m, max(1.0, limit_m))
            known_m = [each for each in known_m if each <= limit_m]
        self._reach_m = max(1.0, REACH_MEMORY * self._reach_m, known_m[-1] if known_m else 0.0)

    def listed(self) -> tuple[int, ...]:
        """Return the neighbours for a heartbeat."""
        return tuple(self._rows) if len(self._rows) <= LISTED_MAX else tuple(self._rows)[:LISTED_MAX]

    def strength(self, row: Neighbour) -> float:
        """Return a neighbour's signal strength, from 0 to 1, as far as it can be told.

        With positions, it falls with the distance to 0 at the longest one by which anybody was heard. Without, it is
        the share of this node's neighbours that are also the other's: the nearer it is, the more.
        """
        if row.away_m is not None:
            return max(0.0, 1.0 - row.away_m / self._reach_m)
        return min(1.0, sum(each in self._rows for each in row.heartbeat.neighbours) / max(1, len(self._rows)))

    def is_weak(self, row: Neighbour, silent_s: float = 0.0) -> bool:
        """Tell whether a link is likely to break before long; without positions nobody knows."""
        if row.away_m is None:
            return False
        ahead_s = OUTLOOK * row.heartbeat.interval_s + silent_s
        return row.away_m + max(0.0, row.leaving_mps) * ahead_s > (1.0 - WEAK) * self._reach_m

    def weight(self, is_leader: bool) -> float:
        """Return how fit this node is to lead: WACA's four values, each from 0 to 1, weighed; and a leader's bonus."""
        chosen = self._parameters
        weights = (chosen.power_weight, chosen.signal_weight, chosen.clustering_weight, chosen.dissemination_weight)
        values = (chosen.power, self._signal(), self._clustering(), min(1.0, len(self._rows) / DEGREE_FULL))
        total = sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
        return total + (chosen.leader_bonus if is_leader else 0.0)

    def _signal(self) -> float:
        if not self._rows:
            return 0.0
        return sum(row.quality * self.strength(row) for row in self._rows.values()) / len(self._rows)

    def _clustering(self) -> float:
        """Return which share of pairs of neighbours hear each other."""
        count = len(self._rows)
        if count < 2:
            return 0.0
        linked = sum(sum(each in self._rows for each in row.heartbeat.neighbours) for row in self._rows.values())
        return min(1.0, linked / (count * (count - 1)))


@dataclass(slots=True)
class Child:
    """A child, and what its subtree asks for."""

    bits: int
    since_s: float
    height: int = 0
    offspring: int = 1


class Children:
    """The children of a node by their names, at most ``children_max``."""

    def __init__(self, children_max: int) -> None:
        self._children_max = children_max
        self._children: dict[int, Child] = {}

    def __contains__(self, node: object) -> bool:
        return node in self._children

    def __iter__(self) -> Iterator[tuple[int, Child]]:
        return iter(self._children.items())

    def __len__(self) -> int:
        return len(self._children)

    def get(self, node: int) -> Child | None:
        """Return a child."""
        return self._children.get(node)

    def has_room_for(self, node: int) -> bool:
        """Tell whether a node can be added."""
        return node in self._children or len(self._children) < self._children_max

    def add(self, node: int, child: Child) -> None:
        """Add a child, or what has become of one."""
        self._children[node] = child

    def remove(self, node: int) -> bool:
        """Forget a child with its filter, and tell whether there was one."""
        return self._children.pop(node, None) is not None

    def merged_bits(self) -> int:
        """Return what all subtrees ask for together."""
        bits = 0
        for child in self._children.values():
            bits |= child.bits
        return bits

    def height(self, without: int | None = None) -> int:
        """Return how many levels there are below the node, if one child is not counted."""
        return max((child.height + 1 for node, child in self._children.items() if node != without), default=0)

    def offspring(self) -> int:
        """Return how many nodes there are in the node's subtree, itself included."""
        return 1 + sum(child.offspring for child in self._children.values())
