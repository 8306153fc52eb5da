"""The messages of AODV (RFC 3561, section 5) and the arithmetic of its sequence numbers (section 6.1)."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.routing import RoutingMessage

SEQUENCE_COUNT = 2**32
"""Sequence numbers have 32 bits and go round."""
HOPS_MAX = 255
"""What the hop count of a message can say."""
UNREACHABLE_MAX = 255
"""What the count of destinations in an RERR can say."""
RREQ_BYTES, RREP_BYTES, RERR_BYTES, RERR_ENTRY_BYTES = 24, 20, 4, 8
"""The messages alone; an RERR has the entry's size for each destination (section 5.3)."""


def is_newer(one: int, other: int) -> bool:
    """Tell whether a sequence number was issued after another: the signed difference in 32 bits is positive."""
    return 0 < (one - other) % SEQUENCE_COUNT < SEQUENCE_COUNT // 2


def next_number(number: int) -> int:
    """Return the sequence number after this one."""
    return (number + 1) % SEQUENCE_COUNT


@dataclass(frozen=True, slots=True)
class RouteRequest(RoutingMessage):
    """An RREQ (section 5.1), with the IP header's TTL."""

    kind: ClassVar[str] = "aodv-rreq"
    request: int
    """The RREQ ID: with the originator it names one flood."""
    originator: int
    originator_sequence: int
    destination: int
    destination_sequence: int | None
    """The last one known to the originator or on the way; None is the U flag."""
    hops: int
    hops_left: int
    destination_only: bool = False
    """The D flag: nobody but the destination may answer."""


@dataclass(frozen=True, slots=True)
class RouteReply(RoutingMessage):
    """An RREP (section 5.2)."""

    kind: ClassVar[str] = "aodv-rrep"
    originator: int
    """Who asked."""
    destination: int
    destination_sequence: int
    hops: int
    """From the sender of this message to the destination."""
    lifetime_s: float


@dataclass(frozen=True, slots=True)
class RouteError(RoutingMessage):
    """An RERR (section 5.3)."""

    kind: ClassVar[str] = "aodv-rerr"
    unreachable: tuple[tuple[int, int | None], ...]
    """Destinations and their sequence numbers; None where the sender knows none."""


@dataclass(frozen=True, slots=True)
class RoutedPacket(RoutingMessage):
    """A payload on its way along a route, with the parts of the IP header that matter."""

    kind: ClassVar[str] = "aodv-data"
    payload: Message
    origin: int
    destination: int
    hops_left: int

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events


def is_sequence(number: int) -> bool:
    """Tell whether a number has 32 bits."""
    return 0 <= number < SEQUENCE_COUNT


def is_sound_request(message: RouteRequest) -> bool:
    """Tell whether a request's numbers can be true."""
    asked = message.destination_sequence
    return (
        0 <= message.hops < HOPS_MAX
        and 0 < message.hops_left <= HOPS_MAX
        and 0 <= message.originator_sequence < SEQUENCE_COUNT
        and (asked is None or 0 <= asked < SEQUENCE_COUNT)
        and message.originator != message.destination
    )


def is_sound_reply(message: RouteReply) -> bool:
    """Tell whether a reply's numbers can be true; a lifetime that is not a number compares as False."""
    return 0 <= message.hops < HOPS_MAX and is_sequence(message.destination_sequence) and message.lifetime_s > 0


def is_sound_error(message: RouteError) -> bool:
    """Tell whether an error's numbers can be true."""
    numbers = [sequence for _, sequence in message.unreachable if sequence is not None]
    return len(message.unreachable) <= UNREACHABLE_MAX and all(map(is_sequence, numbers))
