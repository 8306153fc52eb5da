"""The three messages of Frugal: heartbeats, identifiers and events (section 4; figures 6, 7 and 9)."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.messages import Message


@dataclass(frozen=True, slots=True)
class Heartbeat(Message):
    """I am here; these are my interests, and this is how fast I move."""

    kind: ClassVar[str] = "heartbeat"
    interests: tuple[Interest, ...]
    speed_mps: float | None


@dataclass(frozen=True, slots=True)
class Identifiers(Message):
    """These are the valid events I hold that you might want."""

    kind: ClassVar[str] = "identifiers"
    identifiers: tuple[EventId, ...]


@dataclass(frozen=True, slots=True)
class Events(Message):
    """Here are some events, and these neighbours of mine should now have them."""

    kind: ClassVar[str] = "events"
    carried: tuple[Event, ...]
    informed: tuple[int, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the events that the message carries."""
        return self.carried
