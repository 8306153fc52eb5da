"""What nodes of tree groups say to each other, and the label by which a tree stays a tree.

A *label* is (epoch, leader, -level). Labels are compared as they stand: a newer epoch is greater, and in one epoch of
one leader a lower level is. Every node's own label only ever grows, and a node takes a parent only if the label that it
heard from it is greater than its own. So along parents labels grow strictly, at every moment and whatever is under
way: there is never a cycle, and no node's parent is among its descendants.
"""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import EPOCH_MAX
from roamcast.protocols.tree_group.parameters import LEVELS_LIMIT

Label = tuple[int, int, int]
"""(epoch, leader, -level)."""
Adjacent = tuple[int, int, int, int, int]
"""An adjacent group: its leader, hops down to the gateway, the level of who is heard there, its levels, its members."""

NO_LABEL: Label = (-1, 0, 0)
"""Of a node that was never in a group; less than every other."""
NEW, SEARCHING, LOST, MEMBER, LEADER = range(5)
"""What a node is: never in a group, without its parent, without hope of one, in a group, the leader of one.

While a node is SEARCHING its children stay with it; when it is LOST they look for other parents."""
ACCEPTED, JOINED, REFUSED = range(3)
"""The outcome of a request: I am your parent, I have become your child, or neither."""


def level_of(label: Label) -> int:
    """Return the level that a label says."""
    return -label[2]


def below(label: Label) -> Label:
    """Return the label of a child of who has this one."""
    return label[0], label[1], label[2] - 1


def is_sound_label(label: Label) -> bool:
    """Tell whether the numbers of a label can be true."""
    epoch, _, minus_level = label
    return -1 <= epoch < EPOCH_MAX and -LEVELS_LIMIT <= minus_level <= 0


@dataclass(frozen=True, slots=True)
class Heartbeat(Message):
    """I am here: for parents, children, neighbours of other groups and those who look for one, all in one frame."""

    kind: ClassVar[str] = "heartbeats"
    beat: int
    """Counts the sender's heartbeats, so that a listener knows what it has missed."""
    interval_s: float
    """When the next one is to be expected."""
    state: int
    label: Label
    parent: int | None
    weight: float
    height: int
    """How many levels there are below the sender."""
    offspring: int
    """How many nodes there are in the subtree of the sender, itself included."""
    levels: int
    """How many levels below the leader its group has, as far as the sender knows."""
    members: int
    """How many nodes its group has."""
    position: tuple[float, float] | None
    """Where the sender is, if it knows: with it a listener estimates the signal strength, which hosts do not tell."""
    neighbours: tuple[int, ...]
    """For the clustering coefficient, and to judge how near a neighbour is where positions are not known."""
    adjacent: tuple[Adjacent, ...]
    """Groups that have a gateway in the sender's subtree, each by the gateway nearest to the sender."""


@dataclass(frozen=True, slots=True)
class JoinRequest(Message):
    """May I be your child? These are my label and all that my subtree asks for (Algorithm 1)."""

    kind: ClassVar[str] = "join"
    state: int
    label: Label
    weight: float
    height: int
    offspring: int
    bits: int


@dataclass(frozen=True, slots=True)
class JoinReply(Message):
    """What has become of a request; also, unasked, to one who takes this node for its parent by mistake."""

    kind: ClassVar[str] = "join"
    outcome: int
    state: int
    label: Label
    bits: int
    """What the subtree of a new child asks for."""


@dataclass(frozen=True, slots=True)
class FilterUpdate(Message):
    """This is now what my subtree asks for; from a child to its parent."""

    kind: ClassVar[str] = "filters"
    bits: int


@dataclass(frozen=True, slots=True)
class MergeRequest(Message):
    """From a leader to another one: my group would join yours."""

    kind: ClassVar[str] = "merge"
    group: int
    """The leader who is asked."""
    label: Label
    """Of the leader who asks."""
    weight: float
    """Of the leader who asks, without its bonus."""
    levels: int
    members: int
    depth: int
    """How deep the group that asks is below who has passed this on, or below the gateway, if it hung there."""
    depth_there: int
    """How deep the group that is asked is below the node that the gateway heard, if it hung there."""
    gateway_level: int
    """The level of who passes it to the other group, in its own."""
    path: tuple[int, ...]
    """Who has passed it on, from the leader who asks."""


@dataclass(frozen=True, slots=True)
class MergeReply(Message):
    """Yes: back along the path as far as the gateway, who is the first to change."""

    kind: ClassVar[str] = "merge"
    label: Label
    """Of who sends this frame, in the epoch that the leader has begun for it."""
    path: tuple[int, ...]
    """Who is still to get it, the gateway first."""


@dataclass(frozen=True, slots=True)
class Notification(Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event
    towards: tuple[int, ...]
    """Groups that it is to be passed to by gateways below."""
    groups: tuple[int, ...]
    """Groups that have it: their leaders have passed it on."""
    promised: tuple[int, ...]
    """Groups that the last of these leaders has sent it to, which may not have got it."""
    borders: int
    """How many borders between groups it has crossed."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)
