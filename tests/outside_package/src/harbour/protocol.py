"""Fog horn: every node repeats each valid event it holds, once a period."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from roamcast.plugin import (
    GREATER_THAN_ZERO,
    PERIOD_S,
    Event,
    EventTable,
    Host,
    Interest,
    Message,
    PubSub,
    SeenEvents,
    StoredEvent,
    is_sound,
)

IDENTIFIER_BYTES = 16


@dataclass(frozen=True, slots=True)
class FogHornParameters:
    """The keys of ``[protocol]``."""

    period_s: Annotated[float, PERIOD_S] = 1.0
    """How often a node repeats its events, in seconds."""
    events_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many events a node keeps."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """How many delivered events a node remembers."""


@dataclass(frozen=True, slots=True)
class Blast(Message):
    """Here is an event."""

    kind: ClassVar[str] = "blasts"
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the event."""
        return (self.event,)


def _expiry(stored: StoredEvent) -> float:
    return stored.event.expires_at_s


class FogHorn(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = FogHornParameters
    summary = "every node repeats each valid event once a period"

    def __init__(self, host: Host, parameters: FogHornParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._interests: list[Interest] = []
        self._events = EventTable(parameters.events_max, _expiry)
        self._seen = SeenEvents(parameters.identifiers_max)

    def start(self) -> None:
        """Begin at a random moment."""
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.period_s, "blast")

    def subscribe(self, interest: Interest) -> None:
        """Deliver what matches from now on."""
        if interest not in self._interests:
            self._interests.append(interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Stop delivering it."""
        if interest in self._interests:
            self._interests.remove(interest)

    def publish(self, event: Event) -> None:
        """Keep an event of this node's own."""
        self._keep(event)

    def on_message(self, message: Message, sender: int) -> None:  # noqa: ARG002 - anybody may repeat an event
        """Keep an event of another node."""
        if not isinstance(message, Blast):
            self._host.drop(message, "unknown-kind")
        elif not is_sound(message.event) or message.event.id.publisher == self._host.node:
            self._host.drop(message, "malformed")
        elif not message.event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif message.event.id not in self._events:
            self._keep(message.event)

    def on_wake(self, token: Any) -> None:
        """Repeat every valid event."""
        self._events.forget_expired(self._host.now)
        for stored in self._events:
            self._host.broadcast(Blast(stored.event.size_bytes, stored.event))
        self._host.wake(self._host.now + self._parameters.period_s, token)

    def storage_bytes(self) -> int:
        """Return the size of what is kept."""
        return self._events.size_bytes() + IDENTIFIER_BYTES * len(self._seen)

    def _keep(self, event: Event) -> None:
        self._events.add(event, self._host.now)
        if event.id not in self._seen and any(interest.matches(event) for interest in self._interests):
            self._seen.add(event, self._host.now)
            self._host.deliver(event)
