"""Gossip: a node that hears an event for the first time forwards it with a given probability.

The baseline of "Structure-less Content-Based Routing in Mobile Ad Hoc Networks" (the hint-driven paper, section 5).
With probability 1 every node sends every event once: flooding. The publisher always sends. Nothing is stored, so a node
that was out of range when an event passed by never gets it.

The paper does not say when a node forwards an event. If it did so at once, all nodes that heard one frame would contend
for the medium together, and those that cannot sense each other would collide at the nodes between them. Ours waits a
random time, the same that hint-driven routing adds to its own delays, so that neither has an advantage.
docs/hint-driven.md shows the effect of other delays.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.parameters import AT_LEAST_ZERO, FRACTION, GREATER_THAN_ZERO, SIZE_BYTES, at_most
from roamcast.protocols.shared.delayed_messages import PendingMessages
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound


@dataclass(frozen=True, slots=True)
class GossipParameters:
    """The keys of ``[protocol]`` for gossip."""

    probability: Annotated[float, FRACTION] = 1.0
    """The probability that a node forwards an event it hears for the first time.

    The paper compares with 0.5. Our default is 1, which is flooding: the probability that suffices depends on the
    density of the network (figure 6), so a smaller one suits only a known network.
    """
    random_delay_s_max: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.03
    """The longest random delay before a node forwards an event, in seconds; drawn uniformly. Our choice."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most events that may wait to be forwarded; further ones are not forwarded. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most identifiers a node remembers as heard. Our choice."""
    identifier_bytes: Annotated[int, SIZE_BYTES] = 16
    """The size of an identifier in memory, in bytes; the Frugal paper's."""


@dataclass(frozen=True, slots=True)
class GossipedEvent(CarriesEvent, Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event


class Gossip(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = GossipParameters
    summary = "a node that hears an event for the first time forwards it with probability p; p = 1 is flooding"
    keeps_events: ClassVar[bool] = False
    """A node that was out of range when an event passed by never gets it."""

    def __init__(self, host: Host, parameters: GossipParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._seen = SeenEvents(parameters.identifiers_max)
        self._pending = PendingMessages(host, parameters.pending_max)

    def subscribe(self, interest: Interest) -> None:
        """Add an interest; matching events are delivered from now on."""
        if interest not in self._interests:
            self._interests = (*self._interests, interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        self._interests = tuple(each for each in self._interests if each != interest)

    def publish(self, event: Event) -> None:
        """Send a new event at once."""
        self._hear(event)
        self._host.broadcast(self._first(event))

    def on_message(self, message: Message, sender: int) -> None:  # noqa: ARG002 - the sender does not matter
        """Deliver an event if it is new, and toss a coin to decide whether to forward it."""
        if not isinstance(message, GossipedEvent):
            self._host.drop(message, "unknown-kind")
            return
        event = message.event
        if event.id in self._seen or event.id.publisher == self._host.node:
            return
        if not is_sound(event):
            self._host.drop(message, "malformed")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        else:
            self._hear(event)
            onward, random = self._onward(message), self._host.random
            if onward is not None and random.random() < self._parameters.probability:
                self._pending.schedule(onward, event.id, random.random() * self._parameters.random_delay_s_max)

    def on_wake(self, token: Any) -> None:
        """Forward the event whose delay is over."""
        if isinstance(token, EventId):
            self._pending.send(token)

    def storage_bytes(self) -> int:
        """Return the size of the stored identifiers and of the events that wait to be forwarded."""
        return self._pending.size_bytes() + len(self._seen) * self._parameters.identifier_bytes

    def _first(self, event: Event) -> GossipedEvent:
        """Return the message with which a publisher sends an event."""
        return GossipedEvent(event.size_bytes, event)

    def _onward(self, message: GossipedEvent) -> GossipedEvent | None:
        """Return the message that forwards another one, or None if the event ends here."""
        return self._first(message.event)

    def _hear(self, event: Event) -> None:
        """Remember an event, and deliver it if it is wanted."""
        self._seen.add(event, self._host.now)
        if any(interest.matches(event) for interest in self._interests):
            self._host.deliver(event)
