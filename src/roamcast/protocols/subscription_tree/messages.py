"""What the nodes of a subscription tree say to each other, and the labels that keep the tree without a cycle.

A label is a node's standing in the tree: its root, the root's latest number that it knows, and its level. All labels
are ordered: by the epoch of the root, the root, the root's number, and then the lower level. A node's own
label only ever rises, and a node takes for a parent only one whose label is above its own. So at any moment every
node's label is below that of its parent, whatever was lost on the way, and no cycle can exist. It is the rule of
sequence numbers that AODV and MAODV have; an epoch, one more than that of the tree which a new root has lost, makes
the label of that root the highest in its part of the tree.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from roamcast.core.events import Event
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import EPOCH_MAX

NUMBER_MAX = 2**62
"""Larger numbers are nobody's: a root would have to send hellos for longer than there is time."""
LEVEL_MAX = 65_535


class Rank(NamedTuple):
    """A label as it is compared."""

    epoch: int
    root: int
    number: int
    nearness: int


@dataclass(frozen=True, slots=True)
class Label:
    """A node's standing in the tree."""

    epoch: int = 0
    """0: in no tree yet."""
    root: int = 0
    number: int = 0
    level: int = 0
    """How many hops of the tree the root is away."""

    @property
    def rank(self) -> Rank:
        """Return the place in the order of all labels."""
        return Rank(self.epoch, self.root, self.number, -self.level)

    @property
    def tree(self) -> tuple[int, int]:
        """Return what all nodes of a tree have in common; the higher tree takes over the lower one."""
        return (self.epoch, self.root)

    @property
    def below(self) -> "Label":
        """Return the label of a child."""
        return Label(self.epoch, self.root, self.number, self.level + 1)

    def can_adopt(self, child: "Label") -> bool:
        """Tell whether a node with the other label may become a child of one with this: its own would not fall."""
        return self.epoch > 0 and self.below.rank >= child.rank

    def is_ahead_of(self, other: "Label") -> bool:
        """Tell whether the other's part of the tree is behind: in a lower tree, or cut off from the root's hellos.

        One number is the difference that a hello makes on its way; two are a sign.
        """
        return self.tree > other.tree or (self.tree == other.tree and self.number >= other.number + 2)

    def is_sound(self) -> bool:
        """Tell whether the numbers can be true."""
        return (
            0 <= self.epoch < EPOCH_MAX
            and 0 <= self.root <= NUMBER_MAX
            and 0 <= self.number <= NUMBER_MAX
            and 0 <= self.level < LEVEL_MAX
        )


@dataclass(frozen=True, slots=True)
class LabelledMessage(Message):
    """A message with its sender's label."""

    kind: ClassVar[str] = "tree"
    label: Label


@dataclass(frozen=True, slots=True)
class TreeHello(LabelledMessage):
    """I am here, and this is my place: the heartbeat, and the root's group hello on its way down."""

    kind: ClassVar[str] = "hello"
    parent: int | None
    interval_s: float = 1.0
    """When the next one is to be expected at the latest."""


@dataclass(frozen=True, slots=True)
class JoinRequest(LabelledMessage):
    """I have lost my parent: who is nearer to the root?"""

    kind: ClassVar[str] = "join"


@dataclass(frozen=True, slots=True)
class JoinReply(LabelledMessage):
    """I am."""

    kind: ClassVar[str] = "join"


@dataclass(frozen=True, slots=True)
class Activation(LabelledMessage):
    """Be my parent."""

    kind: ClassVar[str] = "join"


@dataclass(frozen=True, slots=True)
class Acceptance(LabelledMessage):
    """I am your parent now."""

    kind: ClassVar[str] = "join"


@dataclass(frozen=True, slots=True)
class SubscriptionList(Message):
    """This is all that is asked for on my side of the tree; more may follow as changes."""

    kind: ClassVar[str] = "subscriptions"
    interests: tuple[Interest, ...]


@dataclass(frozen=True, slots=True)
class SubscriptionChange(Message):
    """This is asked for on my side of the tree from now on, and that no more."""

    kind: ClassVar[str] = "subscriptions"
    added: tuple[Interest, ...]
    removed: tuple[Interest, ...]


@dataclass(frozen=True, slots=True)
class TreeEvent(Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event
    hops: int
    """How many hops it has come, this one included."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)
