"""Packets, as all routers handle them: payloads not worth a frame any more, and packets that wait for a route."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from roamcast.core.host import Host
from roamcast.core.messages import Message

PAYLOAD_BYTES_MAX = 65_535
"""The largest payload that is carried, in bytes: the most a datagram holds."""


def is_sound(payload: Message) -> bool:
    """Tell whether a payload's size is plausible: it has room for the events that it carries."""
    events_bytes = 0
    for event in payload.events:  # neither a sum nor any(): generators are slow in compiled code
        events_bytes += event.size_bytes
    return 0 <= events_bytes <= payload.size_bytes <= PAYLOAD_BYTES_MAX


def is_expired(payload: Message, now_s: float) -> bool:
    """Tell whether a payload carries events, and all of them have expired."""
    events = payload.events
    for event in events:
        if event.is_valid(now_s):
            return False
    return bool(events)


class Outbox:
    """The unicasts of one instant, to tell a frame refused by the node's own full queue from one that got no answer.

    A refusal is reported at the instant of sending, and says nothing about the neighbour.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._at_s = 0.0
        self._messages: list[Message] = []

    def unicast(self, message: Message, to: int) -> None:
        """Send a message to a neighbour."""
        now_s = self._host.now
        if self._at_s != now_s:
            self._at_s, self._messages = now_s, []
        self._messages.append(message)
        self._host.unicast(message, to)

    def was_refused(self, message: Message) -> bool:
        """Tell whether a message that has failed was sent at this very instant."""
        return self._at_s == self._host.now and any(each is message for each in self._messages)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A packet that waits for a route."""

    payload: Message
    origin: int
    destination: int
    until_s: float
    hops_left: int
    """How many hops the packet may still make."""


class WaitingPackets:
    """The packets that wait for routes, at most ``packets_max`` in all; the oldest is pushed out."""

    def __init__(self, packets_max: int) -> None:
        self._packets_max = packets_max
        self._waiting: list[Waiting] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self._waiting)

    def add(self, packet: Waiting) -> Waiting | None:
        """Store a packet; return the one that was pushed out, if any."""
        self._waiting.append(packet)
        return self._waiting.pop(0) if len(self._waiting) > self._packets_max else None

    def has_any_for(self, destination: int) -> bool:
        """Tell whether a packet waits for a destination."""
        return any(each.destination == destination for each in self._waiting)

    def take(self, destination: int, but_from: int | None = None) -> list[Waiting]:
        """Remove and return the packets for a destination, oldest first; those from one origin can stay."""
        return self._take(lambda each: each.destination == destination and each.origin != but_from)

    def take_overdue(self, now_s: float) -> list[Waiting]:
        """Remove and return the packets that have waited too long."""
        return self._take(lambda each: each.until_s <= now_s)

    def _take(self, is_taken: Callable[[Waiting], bool]) -> list[Waiting]:
        taken = [each for each in self._waiting if is_taken(each)]
        if taken:
            self._waiting = [each for each in self._waiting if not is_taken(each)]
        return taken

    def size_bytes(self) -> int:
        """Return the size of all waiting payloads."""
        return sum(each.payload.size_bytes for each in self._waiting)
