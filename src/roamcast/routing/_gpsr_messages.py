"""The messages and parameters of GPSR (Karp and Kung, MobiCom 2000, section 2.4 and its table of packet fields)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.core.parameters import GREATER_THAN_ZERO, PART_BYTES, PERIOD_S, at_least, at_most, one_of
from roamcast.routing import Destination, RoutingMessage

NODE_BYTES, POSITION_BYTES, MODE_BYTES = 4, 8, 1
"""An address, two coordinates of 4 bytes each, and the mode of a packet."""
BEACON_BYTES = NODE_BYTES + POSITION_BYTES
PACKET_BYTES = MODE_BYTES + 2 * POSITION_BYTES
"""The mode, the target and the sender's own position."""
WALK_BYTES = 2 * POSITION_BYTES + 2 * NODE_BYTES
"""What perimeter mode adds: Lp, Lf and e0."""


@dataclass(frozen=True, slots=True)
class Beacon(RoutingMessage):
    """A node says where it is."""

    kind: ClassVar[str] = "gpsr-beacon"
    position: Position


@dataclass(frozen=True, slots=True)
class Walk:
    """What a packet in perimeter mode remembers of its way round a void."""

    entered_at: Position
    """Where it left greedy mode; the paper's Lp."""
    face_at: Position
    """Where the line from there to the target met the face that is walked round; Lf."""
    first_edge: tuple[int, int]
    """The first edge of that walk, from and to; e0."""


@dataclass(frozen=True, slots=True)
class GeographicPacket(RoutingMessage):
    """A payload on its way to a place."""

    kind: ClassVar[str] = "gpsr-data"
    payload: Message
    origin: int
    node: int | None
    """For whom it is; None: for whoever is nearest to the target."""
    target: Position
    """Where it goes; the paper's D."""
    hops_left: int
    sender_at: Position
    """Where the last sender was."""
    walk: Walk | None
    """None in greedy mode."""

    @property
    def destination(self) -> Destination:
        """Return the node, or the place where it is for a place."""
        return self.target if self.node is None else self.node


@dataclass(frozen=True, slots=True)
class GeographicEvents(GeographicPacket):
    """A packet whose payload has events: counted apart, as data beside control."""

    kind: ClassVar[str] = "gpsr-events"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events


@dataclass(frozen=True, slots=True)
class GpsrParameters:
    """The parameters of GPSR."""

    beacon_s: Annotated[float, PERIOD_S] = 1.0
    """The mean time between beacons, in seconds; the paper's B, the shortest of those that it compares."""
    forget_factor: Annotated[float, at_least(1.5, "the longest time between two beacons")] = 4.5
    """A neighbour not heard for this many beacon times is forgotten; the paper's T is 4.5 B. At least 1.5: with
    less, one may be forgotten of which no beacon was lost."""
    planar_graph: Annotated[str, one_of("relative-neighbourhood", "gabriel")] = "relative-neighbourhood"
    """Which edges perimeter mode walks along; the paper gives both."""
    hops_max: Annotated[int, GREATER_THAN_ZERO, at_most(255)] = 128
    """The hop limit of a packet, a net below the walk's own end; our choice: round a tree of 60 nodes and back."""
    neighbours_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """How many neighbours a node keeps; the one heard longest ago makes room. Our choice."""
    header_bytes: Annotated[int, PART_BYTES] = 28
    """What every packet has beside its contents: IP 20, UDP 8 bytes."""
