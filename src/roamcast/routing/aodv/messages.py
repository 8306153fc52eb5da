"""The messages of AODV (RFC 3561, section 5)."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.routing import RoutingMessage

HOPS_MAX = 255
"""The largest hop count that a message can state."""
UNREACHABLE_MAX = 255
"""The most destinations that an RERR can list."""
RREQ_BYTES, RREP_BYTES, RERR_BYTES, RERR_ENTRY_BYTES = 24, 20, 4, 8
"""The sizes of the messages alone, in bytes; an RERR adds an entry for each destination (section 5.3)."""


@dataclass(frozen=True, slots=True)
class RouteRequest(RoutingMessage):
    """An RREQ (section 5.1), with the IP header's TTL."""

    kind: ClassVar[str] = "aodv-rreq"
    request: int
    """The RREQ ID; together with the originator it identifies one flood."""
    originator: int
    originator_sequence: int
    destination: int
    destination_sequence: int | None
    """The latest one known to the originator or along the path; None is the U flag."""
    hops: int
    hops_left: int
    destination_only: bool = False
    """The D flag: only the destination may answer."""


@dataclass(frozen=True, slots=True)
class RouteReply(RoutingMessage):
    """An RREP (section 5.2)."""

    kind: ClassVar[str] = "aodv-rrep"
    originator: int
    """The node that requested the route."""
    destination: int
    destination_sequence: int
    hops: int
    """The number of hops from this message's sender to the destination."""
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
    """A packet whose payload has events; counted separately, as data rather than control."""

    kind: ClassVar[str] = "aodv-events"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events
