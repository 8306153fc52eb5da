"""The messages and parameters of SOGR, and of RSGM, which stands on it (Xiang, Wang, Zhou; Xiang, Wang, Yang)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    LASTING_S,
    PART_BYTES,
    PERIOD_S,
    at_most,
)
from roamcast.core.widths import DISTANCE_BYTES, HOPS_BYTES, KIND_BYTES, NODE_BYTES, NUMBER_BYTES, POSITION_BYTES
from roamcast.routing import Destination, RoutingMessage
from roamcast.routing._packets import is_sound
from roamcast.routing._planar import COORDINATE_M_MAX, is_place

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


@dataclass(frozen=True, slots=True)
class SogrParameters:
    """The parameters of SOGR. No numbers are known from its authors, so all defaults are our choice."""

    answer_s: Annotated[float, GREATER_THAN_ZERO, at_most(1.0)] = 0.02
    """The longest wait before an answer, in seconds: who wins nothing waits as long, who wins a range not at all."""
    jitter_s: Annotated[float, AT_LEAST_ZERO, at_most(1.0)] = 0.005
    """Up to so much longer, drawn each time, so that equals do not collide; also before a request is relayed."""
    neighbour_s: Annotated[float, LASTING_S] = 2.0
    """How long a neighbour that was heard can be a next hop without a new request, in seconds."""
    progress_share: Annotated[float, FRACTION] = 0.5
    """It must be nearer to the destination by at least this share of the radio's range; else better ones are sought."""
    reach_share: Annotated[float, FRACTION] = 0.9
    """A neighbour farther away than this share of the range is not used without a request, and answers last."""
    search_hops: Annotated[int, AT_LEAST_ONE, at_most(SEARCH_HOPS_LIMIT)] = 16
    """On a void the search widens to 2, 4, ... hops, up to this."""
    retries: Annotated[int, AT_LEAST_ZERO, at_most(1000)] = 2
    """How often a packet whose node was not found waits for the network to change, and is tried again."""
    retry_s: Annotated[float, PERIOD_S] = 2.0
    """How long it waits, in seconds."""
    hops_max: Annotated[int, GREATER_THAN_ZERO, at_most(255)] = 64
    """The hop limit of a packet."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many neighbours a node keeps; the one heard longest ago makes room."""
    ways_max: Annotated[int, GREATER_THAN_ZERO] = 128
    """How many ways that searches have found a node keeps, and how many searches that failed."""
    packets_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """How many packets wait for a next hop; the oldest makes room."""
    requests_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many requests of others a node remembers."""
    relays_per_s: Annotated[int, GREATER_THAN_ZERO] = 5
    """How many requests that have more than 4 hops to go a node relays in any second: else they fill a full air."""
    header_bytes: Annotated[int, PART_BYTES] = 28
    """What every message has beside its contents: IP 20, UDP 8 bytes."""


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
        and is_place(message.sender_at)
        and all(is_place(stop.at) and is_distance(stop.nearest_m) for stop in message.stops)
    )


def is_sound_request(message: Request) -> bool:
    """Tell whether a request's numbers can be true."""
    return (
        0 < message.hops_left <= SEARCH_HOPS_LIMIT
        and is_place(message.at)
        and is_place(message.sender_at)
        and is_distance(message.nearer_than_m)
    )
