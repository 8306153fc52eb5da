"""Bounded tables that several protocols keep: a peer can fill them, never overfill them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

from roamcast.core.events import Event, EventId

EVENT_BYTES_MAX = 65_535
"""The largest event that is kept, in bytes: the most a datagram holds."""
INTERESTS_MAX = 256
"""The most interests that a neighbour may state in a heartbeat, so that a peer cannot make us store more."""


def is_sound(event: Event) -> bool:
    """Tell whether an event's numbers are plausible, so that a peer's nonsense is neither stored nor computed with."""
    return 0 < event.size_bytes <= EVENT_BYTES_MAX and 0 < event.validity_s < inf


@dataclass(slots=True)
class StoredEvent:
    """An event that a node keeps, and how often the node has sent it."""

    event: Event
    forwards: int = 0


class EventTable:
    """The events that a node keeps, at most ``events_max``.

    When the table is full, an expired event is replaced, or the one of least worth if none has expired.
    """

    def __init__(self, events_max: int, worth: Callable[[StoredEvent], float]) -> None:
        self._events_max = events_max
        self._worth = worth
        self._stored: dict[EventId, StoredEvent] = {}
        self._next_expiry_s = inf

    def __contains__(self, event_id: EventId) -> bool:
        return event_id in self._stored

    def __iter__(self) -> Iterator[StoredEvent]:
        return iter(self._stored.values())

    def __len__(self) -> int:
        return len(self._stored)

    def find(self, event_id: EventId) -> Event | None:
        """Return a stored event by its identifier."""
        stored = self._stored.get(event_id)
        return None if stored is None else stored.event

    def add(self, event: Event, now_s: float) -> None:
        """Store an event, in place of another one if the table is full."""
        if len(self._stored) >= self._events_max:
            del self._stored[self._victim(now_s)]
        self._stored[event.id] = StoredEvent(event)
        self._next_expiry_s = min(self._next_expiry_s, event.expires_at_s)

    def _victim(self, now_s: float) -> EventId:
        for stored in self._stored.values():
            if not stored.event.is_valid(now_s):
                return stored.event.id
        return min(self._stored.values(), key=self._worth).event.id

    def count_forward(self, event_id: EventId) -> None:
        """Count one more transmission of an event."""
        self._stored[event_id].forwards += 1

    def keep_only(self, wanted: Callable[[Event], bool]) -> None:
        """Remove the events that are not wanted."""
        self._stored = {each: stored for each, stored in self._stored.items() if wanted(stored.event)}

    def forget_expired(self, now_s: float) -> None:
        """Remove the expired events; costs nothing while there are none."""
        if now_s >= self._next_expiry_s:
            self.keep_only(lambda event: event.is_valid(now_s))
            self._next_expiry_s = min((each.event.expires_at_s for each in self), default=inf)

    def size_bytes(self) -> int:
        """Return the size of all stored events."""
        return sum(stored.event.size_bytes for stored in self._stored.values())


class SeenEvents:
    """The identifiers of delivered events, kept until the events expire, so that none is delivered twice.

    When it is full, it forgets the one that expires first.
    """

    def __init__(self, identifiers_max: int) -> None:
        self._identifiers_max = identifiers_max
        self._expires_at_s: dict[EventId, float] = {}

    def __contains__(self, event_id: EventId) -> bool:
        return event_id in self._expires_at_s

    def __len__(self) -> int:
        return len(self._expires_at_s)

    def add(self, event: Event, now_s: float) -> None:
        """Remember an event's identifier."""
        if len(self._expires_at_s) >= self._identifiers_max:
            left = {each: at_s for each, at_s in self._expires_at_s.items() if at_s > now_s}
            if len(left) >= self._identifiers_max:
                del left[min(left, key=left.__getitem__)]
            self._expires_at_s = left
        self._expires_at_s[event.id] = event.expires_at_s
