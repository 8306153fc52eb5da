"""Simple flooding, alternative (1) of the Frugal paper: every node sends every valid event once a period.

A node keeps each event it hears, whatever its own interests, and broadcasts it once a second until it expires (section
5.2). One frame carries one event. When the second begins is not said: at a moment that each node draws for itself
(``phase = "random"``), or when the node receives the event (``"reception"``), which makes all nodes that heard one
frame send together a second later.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.parameters import GREATER_THAN_ZERO, PERIOD_S, SIZE_BYTES, one_of
from roamcast.protocols.shared.event_tables import EventTable, SeenEvents, StoredEvent, is_sound

TICK = "tick"
RECEPTION = "reception"


@dataclass(frozen=True, slots=True)
class FloodingParameters:
    """The keys of ``[protocol]`` for flooding. Sections are those of the Frugal paper."""

    period_s: Annotated[float, PERIOD_S] = 1.0
    """How long a node waits before it sends an event again, in seconds; section 5.2."""
    phase: Annotated[str, one_of("random", RECEPTION)] = "random"
    """When the period begins: at a moment that each node draws, or for each event with its publication or reception.
    Section 5.2 leaves it open; nodes that hear the same frame would send at the same moment in the second case."""
    events_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most events a node keeps; the one that expires first is replaced. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most identifiers a node remembers as delivered. Our choice."""
    identifier_bytes: Annotated[int, SIZE_BYTES] = 16
    """The size of an event's identifier, in bytes; section 5.2."""


@dataclass(frozen=True, slots=True)
class FloodedEvent(CarriesEvent, Message):
    """Here is an event."""

    kind: ClassVar[str] = "events"
    event: Event


def _expiry(stored: StoredEvent) -> float:
    return stored.event.expires_at_s


class Flooding(PubSub):
    """One node's side of flooding; variants decide which events to keep and which to send."""

    Parameters: ClassVar[type[Any]] = FloodingParameters
    summary = "every node sends every valid event once a second"

    def __init__(self, host: Host, parameters: FloodingParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: tuple[Interest, ...] = ()
        self._events = EventTable(parameters.events_max, _expiry)
        self._seen = SeenEvents(parameters.identifiers_max)

    def start(self) -> None:
        """Start the period at a random moment."""
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.period_s, TICK)

    def subscribe(self, interest: Interest) -> None:
        """Add an interest; deliver at once the matching events that this node has been forwarding for others."""
        if interest not in self._interests:
            self._interests = (*self._interests, interest)
        for stored in self._events:
            if stored.event.is_valid(self._host.now):
                self._deliver(stored.event)

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        self._interests = tuple(each for each in self._interests if each != interest)
        self._events.keep_only(self._keeps)

    def publish(self, event: Event) -> None:
        """Store a new event; it is sent when the period begins."""
        self._store(event, wait_s=0.0)

    def on_message(self, message: Message, sender: int) -> None:
        """Store and deliver a new event, whoever sent it."""
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
            self._store(event, wait_s=self._parameters.period_s)
        else:
            self._host.drop(message, "parasite")

    def on_wake(self, token: Any) -> None:
        """Send what is due: every stored event, or the one whose own period begins again."""
        now_s = self._host.now
        self._events.forget_expired(now_s)
        if token == TICK:
            if self._parameters.phase != RECEPTION:
                for stored in self._events:
                    self._send(stored.event)
            self._host.wake(now_s + self._parameters.period_s, TICK)
        elif isinstance(token, EventId) and (due := self._events.find(token)) is not None:
            self._send(due)
            self._host.wake(now_s + self._parameters.period_s, token)

    def storage_bytes(self) -> int:
        """Return the size of the stored events and identifiers."""
        return self._events.size_bytes() + len(self._seen) * self._parameters.identifier_bytes

    def _on_other(self, message: Message, sender: int) -> None:  # noqa: ARG002 - variants use the sender
        """Act on a message that is not an event."""
        self._host.drop(message, "unknown-kind")

    def _store(self, event: Event, wait_s: float) -> None:
        """Keep an event and deliver it; if it has a period of its own, begin that after a wait."""
        self._events.add(event, self._host.now)
        self._deliver(event)
        if self._parameters.phase == RECEPTION:
            self._host.wake(self._host.now + wait_s, event.id)

    def _deliver(self, event: Event) -> None:
        if event.id not in self._seen and self._wants(event):
            self._seen.add(event, self._host.now)
            self._host.deliver(event)

    def _wants(self, event: Event) -> bool:
        return any(interest.matches(event) for interest in self._interests)

    def _keeps(self, event: Event) -> bool:  # noqa: ARG002 - simple flooding keeps every event
        """Tell whether the node keeps an event, and therefore forwards it."""
        return True

    def _send(self, event: Event) -> None:
        self._host.broadcast(FloodedEvent(event.size_bytes, event))
