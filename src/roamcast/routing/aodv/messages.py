"""The messages of AODV (RFC 3561, section 5)."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.routing import RoutingMessage

HOPS_MAX = 255
"""What the hop count of a message can say."""
UNREACHABLE_MAX = 255
"""What the count of destinations in an RERR can say."""
RREQ_BYTES, RREP_BYTES, RERR_BYTES, RERR_ENTRY_BYTES = 24, 20, 4, 8
"""The messages alone; an RERR has the entry's size for each destination (section 5.3)."""


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


@dataclass(frozen=True, slots=True)
class RoutedEvents(RoutedPacket):
    """A packet whose payload has events: counted apart, as data beside control."""

    kind: ClassVar[str] = "aodv-events"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events
