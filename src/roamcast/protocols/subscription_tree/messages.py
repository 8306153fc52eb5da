"""The messages of a subscription tree, and the labels that keep the tree free of cycles.

A label is a node's standing in the tree: its root, the latest number of the root that it knows, and its level. All
labels are ordered: by the epoch of the root, the root, the root's number, and then the lower level. A node's own label
only ever rises, and a node accepts as parent only a node whose label is above its own. So at any moment every node's
label is below that of its parent, whatever was lost on the way, and no cycle can exist. It is the rule of sequence
numbers in AODV and MAODV; an epoch, one more than that of the tree which a new root has lost, makes the label of that
root the highest in its part of the tree.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.messages import CarriesEvent, Message
from roamcast.protocols.shared.tree_epochs import EPOCH_MAX

NUMBER_MAX = 2**62
"""The largest number: no root can send more hellos than this in any realistic time."""
LEVEL_MAX = 65_535


class Rank(NamedTuple):
    """A label in the form in which it is compared."""

    epoch: int
    root: int
    number: int
    nearness: int


@dataclass(frozen=True, slots=True)
class Label:
    """A node's standing in the tree."""

    epoch: int = 0
    """0 if the node is in no tree yet."""
    root: int = 0
    number: int = 0
    level: int = 0
    """The number of hops to the root along the tree."""

    @property
    def rank(self) -> Rank:
        """Return the key by which all labels are ordered."""
        return Rank(self.epoch, self.root, self.number, -self.level)

    @property
    def tree(self) -> tuple[int, int]:
        """Return the part that all nodes of a tree share; a higher tree takes over a lower one."""
        return (self.epoch, self.root)

    @property
    def below(self) -> "Label":
        """Return the label of a child."""
        return Label(self.epoch, self.root, self.number, self.level + 1)

    def can_adopt(self, child: "Label") -> bool:
        """Tell whether a node with the other label may become a child of one with this: its own would not fall."""
        if self.epoch == 0:
            return False
        mine, its = (self.epoch, self.root, self.number), (child.epoch, child.root, child.number)
        return mine > its or (mine == its and self.level < child.level)

    def is_ahead_of(self, other: "Label") -> bool:
        """Tell whether the other's part of the tree is behind: in a lower tree, or cut off from the root's hellos.

        A difference of one may just mean that a hello is on its way; two are a sign.
        """
        if self.root == other.root and self.epoch == other.epoch:
            return self.number >= other.number + 2
        return self.tree > other.tree

    def is_sound(self) -> bool:
        """Tell whether the numbers are plausible."""
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
    """I am here, and this is my label: the heartbeat, and the root's group hello on its way down."""

    kind: ClassVar[str] = "hello"
    parent: int | None
    interval_s: float = 1.0
    """The latest time at which the next one is due, in seconds."""


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
    """These are all interests on my side of the tree; more may follow as changes."""

    kind: ClassVar[str] = "subscriptions"
    interests: tuple[Interest, ...]


@dataclass(frozen=True, slots=True)
class SubscriptionChange(Message):
    """These interests are new on my side of the tree, and those are gone."""

    kind: ClassVar[str] = "subscriptions"
    added: tuple[Interest, ...]
    removed: tuple[Interest, ...]


@dataclass(frozen=True, slots=True)
class TreeEvent(CarriesEvent, Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event
    hops: int
    """The number of hops it has travelled, including this one."""
