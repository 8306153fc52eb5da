"""Simple flooding, the Frugal paper's alternative (1): everybody sends every valid event once a period.

A node keeps each event that it hears, whatever its own interests, and broadcasts it once a second until it
expires (section 5.2). Each node's second begins at a random moment. One frame carries one event.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Host, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.core.parameters import GREATER_THAN_ZERO, PERIOD_S, SOME_BYTES
from roamcast.protocols.shared.event_tables import EventTable, SeenEvents, StoredEvent, is_sound

TICK = "tick"


@dataclass(frozen=True, slots=True)
class FloodingParameters:
    """The keys of ``[protocol]`` for a flooding."""

    period_s: Annotated[float, PERIOD_S] = 1.0
    """How long a node waits before it sends an event again, in seconds; section 5.2."""
    events_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many events a node keeps; the one that expires first makes room. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many identifiers are remembered as delivered. Our choice."""
    identifier_bytes: Annotated[int, SOME_BYTES] = 16
    """The size of an event's identifier; section 5.2."""


@dataclass(frozen=True, slots=True)
class FloodedEvent(Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


def _expiry(stored: StoredEvent) -> float:
    return stored.event.expires_at_s


class Flooding(PubSub):
    """One node's side of the flooding; variants decide what to keep and what to send."""

    Parameters: ClassVar[type[Any]] = FloodingParameters
    summary = "every node sends every valid event once a second"

    def __init__(self, host: Host, parameters: FloodingParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._events = EventTable(parameters.events_max, _expiry)
        self._seen = SeenEvents(parameters.identifiers_max)

    def start(self) -> None:
        """Begin at a random moment of the period."""
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.period_s, TICK)

    def subscribe(self, interest: Interest) -> None:
        """Deliver what the interest matches from now on, and what this node has been passing on for others."""
        if interest not in self._interests:
            self._interests = (*self._interests, interest)
        for stored in self._events:
            if stored.event.is_valid(self._host.now):
                self._deliver(stored.event)

    def unsubscribe(self, interest: Interest) -> None:
        """Deliver it no more."""
        self._interests = tuple(each for each in self._interests if each != interest)
        self._events.keep_only(self._keeps)

    def publish(self, event: Event) -> None:
        """Keep the event; it is sent with the next tick."""
        self._events.add(event, self._host.now)
        self._deliver(event)

    def on_message(self, message: Message, sender: int) -> None:
        """Keep and deliver an event that is new; whoever sent it."""
        if not isinstance(message, FloodedEvent):
            self._on_other(message, sender)
            return
        event = message.event
        if event.id in self._events or event.id.publisher == self._host.node:
            return
        if not is_sound(event):
            self._host.drop(message, "malformed")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif self._keeps(event):
            self._events.add(event, self._host.now)
            self._deliver(event)
        else:
            self._host.drop(message, "parasite")

    def on_wake(self, token: Any) -> None:
        """Send what is to be sent, once a period."""
        if token != TICK:
            return
        now_s = self._host.now
        self._events.forget_expired(now_s)
        for stored in self._events:
            self._send(stored.event)
        self._host.wake(now_s + self._parameters.period_s, TICK)

    def storage_bytes(self) -> int:
        """Return the size of the events and identifiers kept."""
        return self._events.size_bytes() + len(self._seen) * self._parameters.identifier_bytes

    def _on_other(self, message: Message, sender: int) -> None:  # noqa: ARG002 - a variant's messages have senders
        """Act on a message that is not an event."""
        self._host.drop(message, "unknown-kind")

    def _deliver(self, event: Event) -> None:
        if event.id not in self._seen and self._wants(event):
            self._seen.add(event, self._host.now)
            self._host.deliver(event)

    def _wants(self, event: Event) -> bool:
        return any(interest.matches(event) for interest in self._interests)

    def _keeps(self, event: Event) -> bool:  # noqa: ARG002 - the simple flooding keeps all
        """Tell whether the node keeps an event, and so passes it on."""
        return True

    def _send(self, event: Event) -> None:
        self._host.broadcast(FloodedEvent(event.size_bytes, event))
