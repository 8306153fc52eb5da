"""The border between a protocol and the world.

A protocol is a state machine: it never blocks, never reads a clock and never touches a socket. The simulator
and, later, the live runtime drive it through ``PubSub`` and give it the world through ``Host``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from roamcast.core.attributes import Attributes
from roamcast.core.events import Event
from roamcast.core.interests import Interest
from roamcast.core.messages import Message

FALSE_POSITIVE: Final = "false-positive"
"""The reason for a drop: an event came by an approximate match to a subscriber who did not ask for it."""
FALSE_POSITIVE_BROKER: Final = "false-positive-broker"
"""The same of a node that passes events on, and has nobody to pass this one to."""


class Position(NamedTuple):
    """A place in the plane."""

    x_m: float
    y_m: float


@dataclass(frozen=True, slots=True)
class World:
    """What every node is told beforehand, and all are told the same."""

    nodes: int
    """How many nodes there are; their identifiers count from 0."""
    width_m: float
    height_m: float
    """The area in which the nodes move."""
    waypoints: tuple[Position, ...] = ()
    """Places on the map that nodes pass by; none where there is no map."""
    range_m: float = 250.0
    """How far the radio reaches, as its maker says."""
    attribute_limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The lowest and the highest value of each numeric attribute for which that is known (``core.ranges``)."""


class Host(Protocol):
    """What a node offers to the protocol that runs on it."""

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
        """Return what every node knows from the start."""
        ...

    @property
    def attributes(self) -> Attributes:
        """Return what is known of the node's user, whom access policies ask about."""
        ...

    def position(self) -> Position | None:
        """Return where the node is, or None if it cannot know."""
        ...

    def speed(self) -> float | None:
        """Return the node's speed in m/s, or None if it cannot know."""
        ...

    def broadcast(self, message: Message, after_s: float = 0.0) -> None:
        """Queue one frame for whoever is in range; after some time, if neighbours that heard the same are to differ."""
        ...

    def unicast(self, message: Message, to: int) -> None:
        """Queue one acknowledged frame for one neighbour.

        A failure comes back by ``on_unicast_failed``, also where the queue is full or nobody has this identifier.
        """
        ...

    def wake(self, at_s: float, token: Hashable) -> None:
        """Call ``on_wake(token)`` at a time, instead of when the same token was due before."""
        ...

    def cancel_wake(self, token: Hashable) -> None:
        """Forget the wake of this token, if there is one."""
        ...

    def deliver(self, event: Event) -> None:
        """Hand an event to the application; one whose policy excludes the node's user is dropped here at the last."""
        ...

    def drop(self, message: Message, reason: str) -> None:
        """Count a message, or a part of one, that is not acted upon."""
        ...


@dataclass(frozen=True, slots=True)
class NoParameters:
    """The parameters of a protocol that has none."""


class PubSub(ABC):
    """A publish/subscribe protocol on one node.

    A subclass that stands in ``roamcast/protocols/some_name.py`` is the protocol ``some-name`` of a scenario.
    """

    Parameters: ClassVar[type[Any]] = NoParameters
    """The frozen dataclass of the protocol's own parameters."""

    summary: ClassVar[str]
    """One line on what the protocol does, and its paper."""

    keeps_events: ClassVar[bool] = True
    """Whether events are kept for nodes that come into reach after an event was published."""

    needs_positions: ClassVar[bool] = False
    """Whether nodes must know where they are."""

    @abstractmethod
    def __init__(self, host: Host, parameters: Any) -> None:
        """Remember the host; do nothing else yet."""

    def start(self) -> None:  # noqa: B027 - most protocols have nothing to do before the first subscription
        """Begin: the host is there and time runs."""

    @abstractmethod
    def subscribe(self, interest: Interest) -> None:
        """Ask for the events that an interest matches, from now on."""

    @abstractmethod
    def unsubscribe(self, interest: Interest) -> None:
        """Stop asking; an interest that was never subscribed is ignored."""

    @abstractmethod
    def publish(self, event: Event) -> None:
        """Bring a new event of this node to those who want it."""

    @abstractmethod
    def on_message(self, message: Message, sender: int) -> None:
        """Act on a frame from a neighbour. Whatever it holds, do not raise."""

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:  # noqa: ARG002
        """Return what acts on messages of one type: ``on_message``, or that to which it would hand them on.

        For a host that brings millions of messages, and asks once for each type.
        """
        return self.on_message

    @abstractmethod
    def on_wake(self, token: Any) -> None:
        """Act on a wake that this protocol asked for."""

    def on_unicast_failed(self, message: Message, to: int) -> None:  # noqa: B027
        """Act on a unicast that no acknowledgement came for."""

    def is_broker(self) -> bool:
        """Tell whether the node now stores and matches for others; their storage is counted apart."""
        return False

    @abstractmethod
    def storage_bytes(self) -> int:
        """Return the size of what this node stores for the protocol now: events, tables, identifiers."""
