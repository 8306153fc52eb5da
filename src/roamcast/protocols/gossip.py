"""Gossip: who hears an event for the first time sends it on with a probability (hint-driven paper, section 5).

The baseline of "Structure-less Content-Based Routing in Mobile Ad Hoc Networks": with probability 1 it is a flooding in
which every node sends every event once. The publisher always sends. Nothing is kept, so who was out of reach when an
event passed by never gets it.

The paper does not say when a node sends on. At once, all who heard one frame would ask for the medium together, and
those who do not sense each other collide at those between them; ours waits a random time, the same as hint-driven
routing adds to its own delays, so that neither has an advantage. docs/hint-driven.md has what another length does.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.core.parameters import AT_LEAST_ZERO, FRACTION, GREATER_THAN_ZERO, SOME_BYTES, at_most
from roamcast.protocols.shared.delayed_messages import PendingMessages
from roamcast.protocols.shared.event_tables import SeenEvents, is_sound


@dataclass(frozen=True, slots=True)
class GossipParameters:
    """The keys of ``[protocol]`` for gossip."""

    probability: Annotated[float, FRACTION] = 1.0
    """How likely a node sends on what it hears for the first time.

    The paper compares with 0.5. Ours is 1, flooding: what is enough to get through depends on how dense a network is
    (figure 6), so a smaller one is for who knows it.
    """
    random_delay_s_max: Annotated[float, AT_LEAST_ZERO, at_most(1e6)] = 0.03
    """A node waits up to this long, drawn uniformly, before it sends on, in seconds. Our choice."""
    pending_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many events may wait for their moment; further ones are not sent on. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many identifiers are remembered as heard. Our choice."""
    identifier_bytes: Annotated[int, SOME_BYTES] = 16
    """The size of an identifier in memory; the Frugal paper's."""


@dataclass(frozen=True, slots=True)
class GossipedEvent(Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


class Gossip(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = GossipParameters
    summary = "who hears an event for the first time sends it on with probability p; p = 1 floods once"
    keeps_events: ClassVar[bool] = False
    """Who was out of reach when an event passed by never gets it."""

    def __init__(self, host: Host, parameters: GossipParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._seen = SeenEvents(parameters.identifiers_max)
        self._pending = PendingMessages(host, parameters.pending_max)

    def subscribe(self, interest: Interest) -> None:
        """Deliver what the interest matches from now on."""
        if interest not in self._interests:
            self._interests = (*self._interests, interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Deliver it no more."""
        self._interests = tuple(each for each in self._interests if each != interest)

    def publish(self, event: Event) -> None:
        """Send a new event at once."""
        self._hear(event)
        self._host.broadcast(self._first(event))

    def on_message(self, message: Message, sender: int) -> None:  # noqa: ARG002 - who sent it does not matter
        """Deliver an event that is new, and toss a coin whether to send it on."""
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
            onward, draws = self._onward(message), self._host.random
            if onward is not None and draws.random() < self._parameters.probability:
                self._pending.schedule(onward, event.id, draws.random() * self._parameters.random_delay_s_max)

    def on_wake(self, token: Any) -> None:
        """Send on the event whose moment has come."""
        if isinstance(token, EventId):
            self._pending.send(token)

    def storage_bytes(self) -> int:
        """Return the size of the identifiers and of the events that wait."""
        return self._pending.size_bytes() + len(self._seen) * self._parameters.identifier_bytes

    def _first(self, event: Event) -> GossipedEvent:
        """Return what the publisher of an event sends."""
        return GossipedEvent(event.size_bytes, event)

    def _onward(self, message: GossipedEvent) -> GossipedEvent | None:
        """Return what is sent on of a message; None: it ends here."""
        return self._first(message.event)

    def _hear(self, event: Event) -> None:
        """Remember an event, and deliver it if it was asked for."""
        self._seen.add(event, self._host.now)
        if any(interest.matches(event) for interest in self._interests):
            self._host.deliver(event)
