"""The messages of SOGR, and of RSGM, which builds on it (Xiang, Wang, Zhou; Xiang, Wang, Yang)."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.core.widths import DISTANCE_BYTES, HOPS_BYTES, KIND_BYTES, NODE_BYTES, NUMBER_BYTES, POSITION_BYTES
from roamcast.routing import Destination, RoutingMessage
from roamcast.routing.shared.geometry import COORDINATE_M_MAX, is_sound_position
from roamcast.routing.shared.packets import is_sound

STOP_BYTES = NODE_BYTES + POSITION_BYTES + DISTANCE_BYTES
"""The size of a destination in a header, in bytes."""
PACKET_BYTES = KIND_BYTES + NODE_BYTES + HOPS_BYTES + POSITION_BYTES
"""The size of a packet's kind, origin, hops left and sender's position, in bytes."""
SEARCH_BYTES = KIND_BYTES + NODE_BYTES + NUMBER_BYTES + NODE_BYTES + DISTANCE_BYTES + POSITION_BYTES
"""The size of what a request and its answer share, in bytes: kind, search, a node, a distance, and the sender's
position."""
REQUEST_BYTES = SEARCH_BYTES + POSITION_BYTES + HOPS_BYTES
ANSWER_BYTES = SEARCH_BYTES
STOPS_MAX = 256
"""The most destinations of one packet; a longer list is split into several packets."""
SEARCH_HOPS_LIMIT = 64
"""The widest search that a scenario may ask for, in hops."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One destination of a packet."""

    node: int | None
    """The node it is for; None if it is for the node nearest to the place."""
    at: Position
    """The position, as far as the sender knew."""
    nearest_m: float
    """The packet's smallest distance from the position so far, in metres. It is only sent nearer than that, so it
    ends."""

    @property
    def destination(self) -> Destination:
        """Return the node, or the place."""
        return self.at if self.node is None else self.node


@dataclass(frozen=True, slots=True)
class Request(RoutingMessage):
    """Who is nearer to this place, or is the node that I am looking for?"""

    kind: ClassVar[str] = "sogr-request"
    origin: int
    """The node that looks for a next hop."""
    number: int
    """The origin's count of requests."""
    node: int | None
    at: Position
    nearer_than_m: float
    hops_left: int
    """How far the search goes; with 1 only neighbours answer."""
    sender_at: Position


@dataclass(frozen=True, slots=True)
class Answer(RoutingMessage):
    """I am, or I know a route to a node that is."""

    kind: ClassVar[str] = "sogr-answer"
    origin: int
    number: int
    """The number of the request."""
    to: int
    """The node that is to act on it: the origin, or a relay of its request; all others overhear it."""
    remaining_m: float
    """The distance from the first answering node to the place, in metres; 0 if it is the node itself."""
    sender_at: Position


@dataclass(frozen=True, slots=True)
class Packet(RoutingMessage):
    """A payload on its way to one or several destinations."""

    kind: ClassVar[str] = "sogr-packet"
    payload: Message
    origin: int
    stops: tuple[Stop, ...]
    hops_left: int
    sender_at: Position


@dataclass(frozen=True, slots=True)
class EventPacket(Packet):
    """A packet whose payload has events; counted separately, as data rather than control."""

    kind: ClassVar[str] = "sogr-events"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events


def packet_of(
    payload: Message, origin: int, stops: tuple[Stop, ...], hops_left: int, here: Position, header_bytes: int
) -> Packet:
    """Return the packet for a payload, of the type under which it is counted."""
    size_bytes = payload.size_bytes + header_bytes + PACKET_BYTES + STOP_BYTES * len(stops)
    kind = EventPacket if payload.events else Packet
    return kind(size_bytes, payload, origin, stops, hops_left, here)


def is_distance(distance_m: float) -> bool:
    """Tell whether a distance is plausible."""
    return 0 <= distance_m <= 3 * COORDINATE_M_MAX


def is_sound_packet(message: Packet) -> bool:
    """Tell whether a packet's numbers are plausible."""
    return (
        is_sound(message.payload)
        and 0 < message.hops_left <= 255
        and 0 < len(message.stops) <= STOPS_MAX
        and is_sound_position(message.sender_at)
        and all(is_sound_position(stop.at) and is_distance(stop.nearest_m) for stop in message.stops)
    )


def is_sound_request(message: Request) -> bool:
    """Tell whether a request's numbers are plausible. Searches are floods, so most messages are requests."""
    limit_m = COORDINATE_M_MAX
    (x_m, y_m), (sender_x_m, sender_y_m) = message.at, message.sender_at
    return (
        0 < message.hops_left <= SEARCH_HOPS_LIMIT
        and -limit_m < x_m < limit_m
        and -limit_m < y_m < limit_m
        and -limit_m < sender_x_m < limit_m
        and -limit_m < sender_y_m < limit_m
        and 0 <= message.nearer_than_m <= 3 * limit_m
    )
