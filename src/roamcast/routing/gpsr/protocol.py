"""GPSR: packets routed by positions (B. Karp, H. T. Kung: MobiCom 2000), to a node or to a place.

Beacons tell the neighbours a node's position. A packet goes to the neighbour nearest to its target as long as one is
nearer than the node itself (greedy mode); otherwise it walks around the void by the right-hand rule, along the edges of
a planar graph (perimeter mode), until it is nearer to the target than where the walk began.

**Where a packet for a place ends.** At the node where a walk begins and to which it returns after going around the face
that encloses the place without meeting a nearer node: the home node of a geographic hash table (S. Ratnasamy et al.:
GHT, WSNA 2002). In a connected network that stands still, that is the node nearest to the place: the edges of both
planar graphs are so short that any edge crossing the line to the place has an end that is nearer to it. A node without
neighbours is its own home node. If neighbours move while a packet walks, it may end at another node of the face.
docs/routing.md lists our choices and what is left out.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roamcast.core.host import Host, Position
from roamcast.core.messages import Message
from roamcast.routing import GeographicRouter, RouterUser, RoutingToken
from roamcast.routing.gpsr.messages import (
    BEACON_BYTES,
    NODE_BYTES,
    PACKET_BYTES,
    POSITION_BYTES,
    WALK_BYTES,
    Beacon,
    GeographicEvents,
    GeographicPacket,
    Walk,
)
from roamcast.routing.gpsr.neighbours import Neighbours
from roamcast.routing.gpsr.parameters import GpsrParameters
from roamcast.routing.shared.geometry import crossing, is_sound_position, next_counterclockwise, squared_m2
from roamcast.routing.shared.packets import Outbox, is_expired, is_sound

BEACON = RoutingToken("gpsr-beacon")
NEARER = 1.0 - 1e-9
"""A crossing counts as nearer to the target only if rounding cannot explain the difference."""


class Gpsr(GeographicRouter):
    """One node's side of the protocol."""

    Parameters = GpsrParameters
    summary = "greedy by position, round voids by the right-hand rule, to nodes and places (Karp, Kung 2000)"

    def __init__(self, host: Host, parameters: GpsrParameters, user: RouterUser) -> None:
        self._host = host
        self._parameters = parameters
        self._user = user
        self._outbox = Outbox(host)
        self._neighbours = Neighbours()
        self._next_expiry_s = 0.0
        is_gabriel = parameters.planar_graph == "gabriel"
        self._planar = self._neighbours.gabriel if is_gabriel else self._neighbours.relative

    def start(self) -> None:
        """Send the first beacon at a random moment of the beacon time."""
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.beacon_s, BEACON)

    # --- calls from the user -------------------------------------------------------------------------------

    def send(self, payload: Message, to: int, at: Position | None = None) -> None:
        """Send a payload to a node that is at ``at``; without a position only a neighbour can be reached."""
        if to == self._host.node:
            self._user.on_packet(payload, to)
            return
        target = self.neighbours().get(to) if at is None else at
        self._begin(payload, to, target)

    def send_to_place(self, payload: Message, place: Position) -> None:
        """Send a payload to the home node of a place: the node nearest to it on the face around it."""
        self._begin(payload, None, place)

    def neighbours(self) -> Neighbours:
        """Return the neighbours heard recently, with their positions."""
        now_s = self._host.now
        if now_s > self._next_expiry_s:  # nobody expires earlier
            keep_s = self._parameters.beacon_s * self._parameters.forget_factor
            while (oldest := self._neighbours.oldest()) is not None and oldest[1] < now_s - keep_s:
                self._neighbours.forget(oldest[0])
            self._next_expiry_s = keep_s + (now_s if oldest is None else oldest[1])
        return self._neighbours

    def storage_bytes(self) -> int:
        """Return the size of the table of neighbours."""
        return (NODE_BYTES + POSITION_BYTES) * len(self.neighbours())

    # --- calls from the host -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        self.handler(type(message))(message, sender)

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the function that handles messages of one type."""
        if kind is Beacon:
            return self._on_beacon
        return self._on_packet if issubclass(kind, GeographicPacket) else self._on_unknown

    def _on_beacon(self, message: Beacon, sender: int) -> None:
        if is_sound_position(message.position):
            self._hear(sender, message.position)
        else:
            self._host.drop(message, "malformed")

    def _on_unknown(self, message: Message, sender: int) -> None:  # noqa: ARG002
        self._host.drop(message, "unknown-kind")

    def on_wake(self, token: RoutingToken) -> None:
        """Send a beacon; the next one follows after half to one and a half beacon times (section 2.1)."""
        if token != BEACON:
            return
        here = self._host.position()
        if here is not None:
            self._host.broadcast(Beacon(BEACON_BYTES + self._parameters.header_bytes, here))
        delay_s = (0.5 + self._host.random.random()) * self._parameters.beacon_s
        self._host.wake(self._host.now + delay_s, BEACON)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Forget the neighbour that the MAC could not reach, and find another route for the packet (section 2.5)."""
        if not isinstance(message, GeographicPacket):
            return
        if self._outbox.was_refused(message):
            self._give_up(message, "refused")
            return
        lost_at = self._neighbours.get(to)
        self._neighbours.forget(to)
        here = self._host.position()
        if here is None or message.hops_left <= 1:
            self._give_up(message, "no-position" if here is None else "hop-limit")
        elif not is_sound(message.payload):
            self._give_up(message, "malformed")
        elif is_expired(message.payload, self._host.now):
            self._give_up(message, "expired")
        elif message.walk is None or lost_at is None:
            self._go_greedy(message, here)
        else:
            # Turning on from the lost neighbour gives the edge that the right-hand rule would choose without it.
            begins = message.walk.first_edge == (self._host.node, to)
            self._walk_on(message, message.walk, here, lost_at, begins)

    # --- neighbours ----------------------------------------------------------------------------------------

    def _hear(self, node: int, position: Position) -> None:
        neighbours = self._neighbours
        if node == self._host.node:
            return
        if node not in neighbours and len(neighbours) >= self._parameters.neighbours_max:
            oldest = neighbours.oldest()
            if oldest is not None:
                neighbours.forget(oldest[0])
        neighbours.hear(node, position, self._host.now)

    # --- packets -------------------------------------------------------------------------------------------

    def _begin(self, payload: Message, node: int | None, target: Position | None) -> None:
        here, origin = self._host.position(), self._host.node
        if here is None or target is None or not is_sound_position(target):
            self._host.drop(payload, "no-position")
            nowhere = Position(0.0, 0.0) if target is None else target
            self._user.on_undeliverable(payload, nowhere if node is None else node, "no-position")
            return
        packet = GeographicPacket(0, payload, origin, node, target, self._parameters.hops_max + 1, here, None)
        if not self._user.on_passing(payload, origin, packet.destination):
            self._go_greedy(packet, here)

    def _on_packet(self, message: GeographicPacket, sender: int) -> None:
        if not _is_sound_packet(message):
            self._host.drop(message, "malformed")
            return
        self._hear(sender, message.sender_at)
        here = self._host.position()
        if message.node == self._host.node:
            self._user.on_packet(message.payload, message.origin)
        elif is_expired(message.payload, self._host.now):
            self._host.drop(message, "expired")
        elif here is None:
            self._give_up(message, "no-position")
        elif self._user.on_passing(message.payload, message.origin, message.destination):
            pass
        elif message.hops_left == 1:
            self._give_up(message, "hop-limit")
        else:
            self._forward(message, here)

    def _forward(self, packet: GeographicPacket, here: Position) -> None:
        """Forward a packet greedily or along its walk, which also ends next to the node that it is for.

        Should that node be gone, a new walk begins here: the edge to it was not part of the old one.
        """
        walk, target = packet.walk, packet.target
        is_beside = packet.node is not None and packet.node in self.neighbours()
        if walk is None or is_beside or squared_m2(here, target) < squared_m2(walk.entered_at, target):
            self._go_greedy(packet, here)
        else:
            self._walk_on(packet, walk, here, packet.sender_at, False)

    def _go_greedy(self, packet: GeographicPacket, here: Position) -> None:
        """Send a packet to the neighbour nearest to its target, or start a walk (section 2.1)."""
        target, neighbours = packet.target, self.neighbours()
        if packet.node is not None and packet.node in neighbours:
            self._pass_on(packet, None, here, packet.node)
            return
        nearest = neighbours.nearest(target, squared_m2(here, target))
        if nearest is not None:
            self._pass_on(packet, None, here, nearest)
            return
        first = next_counterclockwise(here, target, self._planar(here))
        if first is None:
            self._end(packet, "no-neighbour")
        else:
            self._pass_on(packet, Walk(here, here, (self._host.node, first)), here, first)

    def _walk_on(self, packet: GeographicPacket, walk: Walk, here: Position, start: Position, begins: bool) -> None:
        """Send a packet along the face, or to the next face where the line to the target is crossed (2.2, 2.4).

        ``start`` is the position to turn from; ``begins`` says that the walk's first edge is to be chosen anew.
        """
        self.neighbours()
        planar, node = self._planar(here), self._host.node
        chosen = next_counterclockwise(here, start, planar)
        if chosen is None:
            self._end(packet, "no-neighbour")
            return
        for _ in planar:  # each change of face is at another edge
            point = crossing(walk.entered_at, packet.target, here, planar[chosen])
            if point is None or not _is_nearer(point, walk.face_at, packet.target):
                break
            turned = next_counterclockwise(here, planar[chosen], planar)
            chosen = chosen if turned is None else turned
            walk, begins = replace(walk, face_at=point), True
        if begins:
            walk = replace(walk, first_edge=(node, chosen))
        elif walk.first_edge == (node, chosen):
            self._end(packet, "gone-round")
            return
        self._pass_on(packet, walk, here, chosen)

    def _pass_on(self, packet: GeographicPacket, walk: Walk | None, here: Position, to: int) -> None:
        """Send a packet to a neighbour, with one hop fewer left."""
        size_bytes = packet.payload.size_bytes + self._parameters.header_bytes + PACKET_BYTES
        size_bytes += 0 if walk is None else WALK_BYTES
        kind = GeographicEvents if packet.payload.events else GeographicPacket
        sent = kind(  # not dataclasses.replace, which takes as long as all the rest
            size_bytes, packet.payload, packet.origin, packet.node, packet.target, packet.hops_left - 1, here, walk
        )
        self._outbox.unicast(sent, to)

    def _end(self, packet: GeographicPacket, reason: str) -> None:
        """Deliver a packet for a place where its route ends; one for a node has missed it."""
        if packet.node is None:
            self._user.on_packet(packet.payload, packet.origin)
        else:
            self._give_up(packet, reason)

    def _give_up(self, packet: GeographicPacket, reason: str) -> None:
        self._host.drop(packet, reason)
        if packet.origin == self._host.node:
            self._user.on_undeliverable(packet.payload, packet.destination, reason)


def _is_nearer(point: Position, other: Position, target: Position) -> bool:
    return squared_m2(point, target) < squared_m2(other, target) * NEARER


def _is_sound_packet(message: GeographicPacket) -> bool:
    walk = message.walk
    return (
        is_sound(message.payload)
        and 0 < message.hops_left <= 255
        and is_sound_position(message.target)
        and is_sound_position(message.sender_at)
        and (walk is None or (is_sound_position(walk.entered_at) and is_sound_position(walk.face_at)))
    )
