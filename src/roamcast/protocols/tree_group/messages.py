"""The messages of tree groups, and the label by which a tree stays a tree.

A *label* is (epoch, leader, -level). Labels are compared as tuples: a newer epoch is greater, and within one epoch of
one leader a lower level is. Every node's own label only ever grows, and a node accepts a parent only if the label it
heard from it is greater than its own. So along parents labels grow strictly, at every moment and whatever is under way:
there is never a cycle, and no node's parent is among its descendants. A gateway's second position has no label, and
takes no children, so no path leads through it.
"""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.messages import CarriesEvent, Message
from roamcast.protocols.shared.tree_epochs import EPOCH_MAX
from roamcast.protocols.tree_group.parameters import LEVELS_LIMIT

Label = tuple[int, int, int]
"""(epoch, leader, -level)."""
Adjacent = tuple[int, int, int, int, int]
"""An adjacent group: its leader, the hops down to the gateway, the level of the node heard there, its levels, its
members."""

NO_LABEL: Label = (-1, 0, 0)
"""The label of a node that was never in a group; less than every other."""
NEW, SEARCHING, LOST, MEMBER, LEADER = range(5)
"""A node's state: never in a group, searching for a parent, without hope of one, in a group, the leader of one.

While a node is SEARCHING its children stay with it; when it is LOST they look for other parents.
"""
ACCEPTED, JOINED, REFUSED = range(3)
"""The outcome of a request: I am your parent, I have become your child, or neither."""


def level_of(label: Label) -> int:
    """Return the level in a label."""
    return -label[2]


def below(label: Label) -> Label:
    """Return the label of a child of a node with this label."""
    return label[0], label[1], label[2] - 1


def is_sound_label(label: Label) -> bool:
    """Tell whether a label's numbers are plausible."""
    epoch, _, minus_level = label
    return -1 <= epoch < EPOCH_MAX and -LEVELS_LIMIT <= minus_level <= 0


@dataclass(frozen=True, slots=True)
class Heartbeat(Message):
    """I am here: for parents, children, neighbours in other groups and nodes that look for one, all in one frame."""

    kind: ClassVar[str] = "heartbeats"
    beat: int
    """The sender's count of heartbeats, so that a listener knows how many it has missed."""
    interval_s: float
    """When the next one is due, in seconds."""
    state: int
    label: Label
    parent: int | None
    weight: float
    height: int
    """The number of levels below the sender."""
    offspring: int
    """The number of nodes in the sender's subtree, including itself."""
    levels: int
    """The number of levels below the leader of its group, as far as the sender knows."""
    members: int
    """The number of nodes in its group."""
    second_parent: int | None
    """The sender's parent in its second group, if it is a gateway."""
    position: tuple[float, float] | None
    """The sender's position, if known: listeners estimate the signal strength from it, which hosts do not report."""
    neighbours: tuple[int, ...]
    """For the clustering coefficient, and to judge how close a neighbour is where positions are unknown."""
    adjacent: tuple[Adjacent, ...]
    """The groups that have a gateway in the sender's subtree, each with the gateway closest to the sender."""


@dataclass(frozen=True, slots=True)
class JoinRequest(Message):
    """May I be your child? These are my label and the filter of my subtree (Algorithm 1)."""

    kind: ClassVar[str] = "join"
    state: int
    label: Label
    weight: float
    height: int
    offspring: int
    bits: int
    as_gateway: bool = False
    """Whether the sender stays in its own group, and this would be its second."""


@dataclass(frozen=True, slots=True)
class JoinReply(Message):
    """The outcome of a request; also sent unrequested to a node that wrongly takes this one for its parent."""

    kind: ClassVar[str] = "join"
    outcome: int
    state: int
    label: Label
    bits: int
    """The filter of a new child's subtree."""


@dataclass(frozen=True, slots=True)
class FilterUpdate(Message):
    """From a child to its parent: this is the current filter of my subtree."""

    kind: ClassVar[str] = "filters"
    bits: int


@dataclass(frozen=True, slots=True)
class MergeRequest(Message):
    """From one leader to another: my group would join yours."""

    kind: ClassVar[str] = "merge"
    group: int
    """The leader that is asked."""
    label: Label
    """The label of the requesting leader."""
    weight: float
    """The weight of the requesting leader, without its bonus."""
    levels: int
    members: int
    depth: int
    """The depth of the requesting group below the last node on the path, or below the gateway, if it hung there."""
    depth_there: int
    """The depth of the requested group below the node that the gateway heard, if it hung there."""
    gateway_level: int
    """The level, in its own group, of the node that passes the request to the other group."""
    path: tuple[int, ...]
    """The nodes that have passed it on, from the requesting leader."""


@dataclass(frozen=True, slots=True)
class MergeReply(Message):
    """Agreed: sent back along the path as far as the gateway, which changes first."""

    kind: ClassVar[str] = "merge"
    label: Label
    """The label of this frame's sender, in the epoch that the leader has begun for the merge."""
    path: tuple[int, ...]
    """The nodes that are still to get it, the gateway first."""


@dataclass(frozen=True, slots=True)
class Notification(CarriesEvent, Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event
    towards: tuple[int, ...]
    """The groups to which gateways below are to pass it."""
    groups: tuple[int, ...]
    """The groups that have it: their leaders have passed it on."""
    borders: int
    """The number of borders between groups that it has crossed."""
