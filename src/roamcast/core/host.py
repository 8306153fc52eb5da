"""The interface between a protocol and its surroundings.

A protocol is a state machine: it never blocks, never reads a clock and never touches a socket. A driver (the simulator
or the live runtime) calls it through ``PubSub`` and offers it time, radio and randomness through ``Host``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from roamcast.core.attributes import Attributes
from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.messages import Message

FALSE_POSITIVE: Final = "false-positive"
"""The reason for a drop: approximate matching sent an event to a subscriber that did not ask for it."""
FALSE_POSITIVE_BROKER: Final = "false-positive-broker"
"""The same for a node that passes events on and has nobody to pass this one to."""
FALSE_POSITIVE_ENDED: Final = "false-positive-ended"
"""The recorder's word for the first, if the subscriber did ask for the event until a moment ago."""


FrameHandler = Callable[[Any, int, list[int]], None]
"""Acts on a message, from a sender, at some receivers."""


class Position(NamedTuple):
    """A point in the plane."""

    x_m: float
    y_m: float


@dataclass(frozen=True, slots=True)
class World:
    """Knowledge that all nodes share from the start."""

    nodes: int
    """How many nodes there are; their identifiers count from 0."""
    width_m: float
    height_m: float
    """The area in which the nodes move."""
    waypoints: tuple[Position, ...] = ()
    """Points on the map that nodes pass by; none if there is no map."""
    range_m: float = 250.0
    """The radio's nominal range."""
    attribute_limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The lowest and highest value of each numeric attribute with known limits (``core.attribute_ranges``)."""


class TreeStanding(NamedTuple):
    """Where a node stands in the trees of its protocol."""

    memberships: tuple[tuple[int, int | None], ...]
    """Each group that it is in, with its parent there; its own group comes first."""
    leads: bool
    """Whether it is the root of its own group's tree."""


class Host(Protocol):
    """The services that a node offers to the protocol that runs on it."""

    @property
    def node(self) -> int:
        """Return the node's own identifier."""
        ...

    @property
    def now(self) -> float:
        """Return the time in seconds."""
        ...

    @property
    def random(self) -> Random:
        """Return the protocol's own random stream on this node."""
        ...

    @property
    def world(self) -> World:
        """Return the knowledge that all nodes share from the start."""
        ...

    @property
    def attributes(self) -> Attributes:
        """Return the attributes of the node's user, which access policies refer to."""
        ...

    def position(self) -> Position | None:
        """Return the node's position, or None if it cannot know it."""
        ...

    def speed(self) -> float | None:
        """Return the node's speed in m/s, or None if it cannot know it."""
        ...

    def broadcast(self, message: Message, after_s: float = 0.0) -> None:
        """Queue one frame for every node in range; a delay keeps neighbours that heard the same apart."""
        ...

    def unicast(self, message: Message, to: int) -> None:
        """Queue one acknowledged frame for one neighbour.

        A failure is reported to ``on_unicast_failed``, also if the queue is full or no node has this identifier.
        """
        ...

    def wake(self, at_s: float, token: Hashable) -> None:
        """Call ``on_wake(token)`` at a time; this replaces an earlier wake with the same token."""
        ...

    def cancel_wake(self, token: Hashable) -> None:
        """Cancel the wake with this token, if there is one."""
        ...

    def deliver(self, event: Event) -> None:
        """Hand an event to the application, unless the event's policy excludes the node's user."""
        ...

    def drop(self, message: Message, reason: str) -> None:
        """Count a message, or a part of one, that the protocol ignores."""
        ...


@dataclass(frozen=True, slots=True)
class NoParameters:
    """The parameters of a protocol that has none."""


class PubSub(ABC):
    """A publish/subscribe protocol on one node.

    A subclass in ``roamcast/protocols/some_name.py`` is the protocol ``some-name`` of a scenario.
    """

    Parameters: ClassVar[type[Any]] = NoParameters
    """The frozen dataclass of the protocol's own parameters."""

    summary: ClassVar[str]
    """One line about what the protocol does, and its paper."""

    keeps_events: ClassVar[bool] = True
    """Whether nodes keep events for others that come into range after publication."""

    needs_positions: ClassVar[bool] = False
    """Whether nodes must know their position."""

    @abstractmethod
    def __init__(self, host: Host, parameters: Any) -> None:
        """Remember the host; do nothing else yet."""

    def start(self) -> None:  # noqa: B027 - most protocols have nothing to do before the first subscription
        """Begin: the host is ready and time is running."""

    @abstractmethod
    def subscribe(self, interest: Interest) -> None:
        """Subscribe to the events that an interest matches, from now on."""

    @abstractmethod
    def unsubscribe(self, interest: Interest) -> None:
        """End a subscription; an interest that was never subscribed to is ignored."""

    @abstractmethod
    def publish(self, event: Event) -> None:
        """Send a new event of this node to the nodes that want it."""

    @abstractmethod
    def on_message(self, message: Message, sender: int) -> None:
        """Act on a frame from a neighbour. Whatever it holds, do not raise."""

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:  # noqa: ARG002
        """Return the function for messages of one type: ``on_message``, or the one that it would call for this type.

        A host that delivers millions of messages asks only once for each type.
        """
        return self.on_message

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: "Sequence[PubSub]") -> "FrameHandler | None":  # noqa: ARG003
        """Return a function that acts on a frame for all its receivers at once; None: the host calls each by itself.

        ``nodes`` are the protocols of all nodes, by number. It is for simulators, and must do what ``handler`` does,
        receiver after receiver: in a flood, what is the same for all of them is worked out once, and those that have
        the message already cost next to nothing.
        """
        return None

    @abstractmethod
    def on_wake(self, token: Any) -> None:
        """Act on a wake that this protocol requested."""

    def on_unicast_failed(self, message: Message, to: int) -> None:  # noqa: B027
        """Act on a unicast frame that was not acknowledged."""

    def is_broker(self) -> bool:
        """Tell whether the node now stores and matches for others; the storage of brokers is counted separately."""
        return False

    def tree_standing(self) -> TreeStanding | None:
        """Return where the node stands, if the protocol has trees: ``roamcast run --explain`` asks."""
        return None

    @abstractmethod
    def storage_bytes(self) -> int:
        """Return how much this node now stores for the protocol: events, tables, identifiers."""
