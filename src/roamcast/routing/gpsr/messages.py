"""The messages of GPSR (Karp and Kung, MobiCom 2000, section 2.4 and its table of packet fields)."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.routing import Destination, RoutingMessage

NODE_BYTES, POSITION_BYTES, MODE_BYTES = 4, 8, 1
"""The sizes of an address, two coordinates of 4 bytes each, and the mode of a packet, in bytes."""
BEACON_BYTES = NODE_BYTES + POSITION_BYTES
PACKET_BYTES = MODE_BYTES + 2 * POSITION_BYTES
"""The size of the mode, the target and the sender's own position, in bytes."""
WALK_BYTES = 2 * POSITION_BYTES + 2 * NODE_BYTES
"""The size that perimeter mode adds, in bytes: Lp, Lf and e0."""


@dataclass(frozen=True, slots=True)
class Beacon(RoutingMessage):
    """A node announces its position."""

    kind: ClassVar[str] = "gpsr-beacon"
    position: Position


@dataclass(frozen=True, slots=True)
class Walk:
    """The state of a packet in perimeter mode, on its way around a void."""

    entered_at: Position
    """Where it left greedy mode; the paper's Lp."""
    face_at: Position
    """Where the line from there to the target met the face that is being walked around; Lf."""
    first_edge: tuple[int, int]
    """The first edge of that walk, from and to; e0."""


@dataclass(frozen=True, slots=True)
class GeographicPacket(RoutingMessage):
    """A payload on its way to a place."""

    kind: ClassVar[str] = "gpsr-data"
    payload: Message
    origin: int
    node: int | None
    """The node it is for; None if it is for the node nearest to the target."""
    target: Position
    """The position it goes to; the paper's D."""
    hops_left: int
    sender_at: Position
    """The position of the last sender."""
    walk: Walk | None
    """None in greedy mode."""

    @property
    def destination(self) -> Destination:
        """Return the node, or the target if it is for a place."""
        return self.target if self.node is None else self.node


@dataclass(frozen=True, slots=True)
class GeographicEvents(GeographicPacket):
    """A packet whose payload has events; counted separately, as data rather than control."""

    kind: ClassVar[str] = "gpsr-events"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the payload's events."""
        return self.payload.events
