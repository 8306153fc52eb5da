"""The messages of SOGR, and of RSGM, which stands on it (Xiang, Wang, Zhou; Xiang, Wang, Yang)."""

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
"""What a header lists for each destination."""
PACKET_BYTES = KIND_BYTES + NODE_BYTES + HOPS_BYTES + POSITION_BYTES
"""What it is, its origin, hops left and the sender's position."""
SEARCH_BYTES = KIND_BYTES + NODE_BYTES + NUMBER_BYTES + NODE_BYTES + DISTANCE_BYTES + POSITION_BYTES
"""What a request and its answer both say, beside what they are: which search it is, a node, how far, and from where."""
REQUEST_BYTES = SEARCH_BYTES + POSITION_BYTES + HOPS_BYTES
ANSWER_BYTES = SEARCH_BYTES
STOPS_MAX = 256
"""The most destinations of one packet; a user's longer list goes in several packets."""
SEARCH_HOPS_LIMIT = 64
"""The widest search that anybody may ask for."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One destination of a packet."""

    node: int | None
    """For whom it is; None: for whoever is nearest to the place."""
    at: Position
    """Where that is, as far as the sender knew."""
    nearest_m: float
    """How near the packet has come to the place so far. It only goes where it gets nearer than that, so it ends."""

    @property
    def destination(self) -> Destination:
        """Return the node, or the place."""
        return self.at if self.node is None else self.node


@dataclass(frozen=True, slots=True)
class Request(RoutingMessage):
    """Who is nearer to this place, or is the node that I look for?"""

    kind: ClassVar[str] = "sogr-request"
    origin: int
    """Who looks for a next hop."""
    number: int
    """The origin's count of requests."""
    node: int | None
    at: Position
    nearer_than_m: float
    hops_left: int
    """How far the search goes; 1: only neighbours answer."""
    sender_at: Position


@dataclass(frozen=True, slots=True)
class Answer(RoutingMessage):
    """I am, or I know the way to who is."""

    kind: ClassVar[str] = "sogr-answer"
    origin: int
    number: int
    """Of the request."""
    to: int
    """Who is to act on it: the origin, or who relayed its request; all others overhear it."""
    remaining_m: float
    """How far it is from who answered first to the place; 0 if it is the node itself."""
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
    """A packet whose payload has events: counted apart, as data beside control."""

    kind: ClassVar[str] = "sogr-events"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events


def packet_of(
    payload: Message, origin: int, stops: tuple[Stop, ...], hops_left: int, here: Position, header_bytes: int
) -> Packet:
    """Return the packet for a payload, of the type by which it is counted."""
    size_bytes = payload.size_bytes + header_bytes + PACKET_BYTES + STOP_BYTES * len(stops)
    kind = EventPacket if payload.events else Packet
    return kind(size_bytes, payload, origin, stops, hops_left, here)


def is_distance(distance_m: float) -> bool:
    """Tell whether a distance can be true."""
    return 0 <= distance_m <= 3 * COORDINATE_M_MAX


def is_sound_packet(message: Packet) -> bool:
    """Tell whether a packet's numbers can be true."""
    return (
        is_sound(message.payload)
        and 0 < message.hops_left <= 255
        and 0 < len(message.stops) <= STOPS_MAX
        and is_sound_position(message.sender_at)
        and all(is_sound_position(stop.at) and is_distance(stop.nearest_m) for stop in message.stops)
    )


def is_sound_request(message: Request) -> bool:
    """Tell whether a request's numbers can be true."""
    return (
        0 < message.hops_left <= SEARCH_HOPS_LIMIT
        and is_sound_position(message.at)
        and is_sound_position(message.sender_at)
        and is_distance(message.nearer_than_m)
    )
