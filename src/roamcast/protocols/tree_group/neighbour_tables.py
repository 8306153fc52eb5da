"""The nodes that a node of a tree group knows: neighbours by their last heartbeat, and children with their filters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import hypot

from roamcast.core.host import Position
from roamcast.protocols.tree_group.messages import LEADER, MEMBER, Heartbeat
from roamcast.protocols.tree_group.parameters import TreeGroupParameters

QUALITY_MEMORY = 0.7
"""The weight of the past in the share of heartbeats heard, from one to the next. Our choice."""
MISSED_MAX = 8
"""A count of heartbeats that has moved by more than this says nothing of the signal. Our choice."""
DEGREE_FULL = 16
"""With this many neighbours a node disseminates as well as it can. Our choice: twice what connects a network."""
LISTED_MAX = 24
"""The most neighbours a heartbeat lists."""
OUTLOOK = 1.5
"""For how many heartbeats a link should last. Our choice."""
REACH_M_MAX = 1e4
"""The longest range of any radio, in metres: a greater distance is nonsense."""
REACH_MEMORY = 0.98
"""The share of the longest distance heard that remains from one of the node's own heartbeats to the next."""
REACH_MEDIANS = 4.0
"""A neighbour farther away than this many times the median distance is not believed. Our choice."""
BELIEVED_MIN = 3
"""That rule needs at least this many neighbours with known distances."""
WEAK = 0.1
"""A link with less than this share of the strongest signal is likely to break soon. Our choice."""


@dataclass(slots=True)
class Neighbour:
    """A node heard recently."""

    heartbeat: Heartbeat
    heard_at_s: float
    quality: float = 1.0
    """The share of its heartbeats that were heard, the last ones counting most: an estimate of its signal."""
    failures: int = 0
    """Frames that it has not acknowledged since then."""
    distance_m: float | None = None
    """Its distance, in metres."""
    receding_mps: float = 0.0
    """How fast it is moving away, in m/s."""

    def silent(self, now_s: float) -> float:
        """Return for how many of its own intervals it has been silent."""
        return (now_s - self.heard_at_s) / self.heartbeat.interval_s

    @property
    def has_group(self) -> bool:
        """Tell whether it is in a group now."""
        return self.heartbeat.state in (MEMBER, LEADER)


class Neighbours:
    """The neighbours of a node, at most ``neighbours_max``."""

    def __init__(self, parameters: TreeGroupParameters, is_kept: Callable[[int], bool]) -> None:
        self._parameters = parameters
        self._is_kept = is_kept
        """Tells which nodes are never replaced: the parent and the children."""
        self._rows: dict[int, Neighbour] = {}
        self._reach_m = 1.0
        """The longest distance over which any node was heard lately."""

    @property
    def reach_m(self) -> float:
        """Return the estimated range of the radio, in metres."""
        return self._reach_m

    def __iter__(self) -> Iterator[tuple[int, Neighbour]]:
        return iter(self._rows.items())

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, node: int | None) -> Neighbour | None:
        """Return what is known of a node."""
        return None if node is None else self._rows.get(node)

    def hear(self, node: int, heartbeat: Heartbeat, now_s: float, here: Position | None) -> bool:
        """Record a heartbeat heard at position ``here``, and tell whether there was room for its sender."""
        row, since_s = self._rows.get(node), 0.0
        if row is not None:
            since_s = now_s - row.heard_at_s
            steps = heartbeat.beat - row.heartbeat.beat
            if 1 <= steps <= MISSED_MAX:  # the heartbeats missed in between count, too
                row.quality = 1.0 - QUALITY_MEMORY + QUALITY_MEMORY**steps * row.quality
            row.heartbeat, row.heard_at_s, row.failures = heartbeat, now_s, 0
        else:
            if not self._has_room_for(node):
                return False
            row = self._rows[node] = Neighbour(heartbeat, now_s)
        there = heartbeat.position
        if here is None or there is None:
            row.distance_m = None
            return True
        (x_m, y_m), (here_x_m, here_y_m) = there, here
        distance_m = hypot(x_m - here_x_m, y_m - here_y_m)
        if not distance_m < REACH_M_MAX:  # also catches NaN
            row.distance_m = None
            return True
        if distance_m > self._reach_m:
            self._reach_m = distance_m
        if since_s > 0 and row.distance_m is not None:
            row.receding_mps = (distance_m - row.distance_m) / since_s
        row.distance_m = distance_m
        return True

    def _has_room_for(self, node: int) -> bool:
        """Tell whether there is room for a node, replacing another if necessary; the parent and the children stay."""
        if len(self._rows) < self._parameters.neighbours_max:
            return True
        others = [each for each in self._rows if not self._is_kept(each)]
        room = others or (list(self._rows) if self._is_kept(node) else [])
        oldest = min(room, key=lambda each: self._rows[each].heard_at_s, default=None)
        if oldest is not None:
            del self._rows[oldest]
        return oldest is not None

    def forget(self, node: int) -> None:
        """Consider a node lost."""
        self._rows.pop(node, None)

    def forget_silent(self, now_s: float) -> None:
        """Consider the nodes lost that have not been heard for long."""
        missed = self._parameters.missed_heartbeats + 0.5
        rows = self._rows
        for node in [
            node for node, row in rows.items() if (now_s - row.heard_at_s) / row.heartbeat.interval_s > missed
        ]:
            del rows[node]

    def age(self) -> None:
        """Let the estimated range decay, and drop implausible distances; called at each heartbeat of the node."""
        known_m = sorted([row.distance_m for row in self._rows.values() if row.distance_m is not None])
        if len(known_m) >= BELIEVED_MIN:
            limit_m = REACH_MEDIANS * known_m[len(known_m) // 2]
            self._reach_m = min(self._reach_m, max(1.0, limit_m))
            known_m = [each for each in known_m if each <= limit_m]
        self._reach_m = max(1.0, REACH_MEMORY * self._reach_m, known_m[-1] if known_m else 0.0)

    def listed(self) -> tuple[int, ...]:
        """Return the neighbours for a heartbeat."""
        return tuple(self._rows) if len(self._rows) <= LISTED_MAX else tuple(self._rows)[:LISTED_MAX]

    def strength(self, row: Neighbour) -> float:
        """Return an estimate of a neighbour's signal strength, from 0 to 1.

        With positions, it falls with the distance to 0 at the longest one over which any node was heard. Without, it is
        the share of this node's neighbours that are also the other's: the closer it is, the more.
        """
        if row.distance_m is not None:
            return max(0.0, 1.0 - row.distance_m / self._reach_m)
        return min(1.0, sum(each in self._rows for each in row.heartbeat.neighbours) / max(1, len(self._rows)))

    def is_weak(self, row: Neighbour, silent_s: float = 0.0) -> bool:
        """Tell whether a link is likely to break soon; without positions nobody knows."""
        if row.distance_m is None:
            return False
        ahead_s = OUTLOOK * row.heartbeat.interval_s + silent_s
        return row.distance_m + max(0.0, row.receding_mps) * ahead_s > (1.0 - WEAK) * self._reach_m

    def weight(self, is_leader: bool) -> float:
        """Return this node's fitness to lead: WACA's four values, each from 0 to 1, weighted; and a leader's bonus."""
        parameters = self._parameters
        weights = (
            parameters.power_weight,
            parameters.signal_weight,
            parameters.clustering_weight,
            parameters.dissemination_weight,
        )
        values = (parameters.power, self._signal(), self._clustering(), min(1.0, len(self._rows) / DEGREE_FULL))
        total = sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
        return total + (parameters.leader_bonus if is_leader else 0.0)

    def _signal(self) -> float:
        if not self._rows:
            return 0.0
        return sum(row.quality * self.strength(row) for row in self._rows.values()) / len(self._rows)

    def _clustering(self) -> float:
        """Return the share of pairs of neighbours that hear each other."""
        count = len(self._rows)
        if count < 2:
            return 0.0
        linked = sum(sum(each in self._rows for each in row.heartbeat.neighbours) for row in self._rows.values())
        return min(1.0, linked / (count * (count - 1)))


@dataclass(slots=True)
class Child:
    """A child, and the filter of its subtree."""

    bits: int
    since_s: float
    height: int = 0
    offspring: int = 1
    is_gateway: bool = False
    """Whether the child is in this group as its second."""


class Children(dict[int, Child]):
    """The children of a node by identifier, at most ``children_max``.

    Gateways of other groups are among them: they are served as any child, but their own group counts them.
    """

    def __init__(self, children_max: int) -> None:
        super().__init__()
        self._children_max = children_max

    def has_room_for(self, node: int) -> bool:
        """Tell whether a node can be added."""
        return node in self or len(self) < self._children_max

    def remove(self, node: int) -> bool:
        """Remove a child with its filter, and tell whether there was one."""
        return self.pop(node, None) is not None

    def merged_bits(self) -> int:
        """Return the union of all subtrees' filters."""
        bits = 0
        for child in self.values():
            bits |= child.bits
        return bits

    def height(self, without: int | None = None) -> int:
        """Return the number of levels below the node, not counting one child."""
        own = (child.height for node, child in self.items() if node != without and not child.is_gateway)
        return max(own, default=-1) + 1

    def offspring(self) -> int:
        """Return the number of nodes in the node's subtree, including itself."""
        return 1 + sum(child.offspring for child in self.values() if not child.is_gateway)
