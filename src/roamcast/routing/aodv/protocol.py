"""AODV: routes to nodes, sought when they are needed (C. Perkins, E. Belding-Royer, S. Das: RFC 3561, 2003).

A node that needs a route floods a request in widening rings. The destination, or a node with a fresh route, answers
along the reverse path; every relay keeps the next hop in both directions as long as packets use it. A frame that the
MAC could not deliver means a broken link: routes over it end, and their users are told.

Section numbers in the comments are the RFC's. docs/routing.md lists our choices and what is left out (gratuitous
replies, hello messages, RREP-ACK, multicast); ``route_table`` explains what keeps routes free of loops.
"""

from collections.abc import Callable, Hashable
from typing import Any

from roamcast.core.host import FrameHandler, Host, Position
from roamcast.core.messages import Message
from roamcast.core.open_classes import mypyc_attr
from roamcast.routing import Router, RouterUser, RoutingToken
from roamcast.routing.aodv.discovery import DISCOVERY, Discoveries
from roamcast.routing.aodv.messages import (
    HOPS_MAX,
    RREQ_BYTES,
    RoutedEvents,
    RoutedPacket,
    RouteError,
    RouteReply,
    RouteRequest,
)
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.replies import RouteReplies
from roamcast.routing.aodv.route_errors import RouteErrors
from roamcast.routing.aodv.route_table import Route, RouteTable
from roamcast.routing.aodv.sequence_numbers import (
    is_newer,
    is_sound_error,
    is_sound_reply,
    is_sound_request,
    next_number,
)
from roamcast.routing.shared.bounded_memory import Memory
from roamcast.routing.shared.packets import Outbox, Waiting, is_expired, is_sound

REQUEST_ID_BYTES = 12
"""The size of a remembered request, in bytes: originator, RREQ ID, time."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Aodv(Router):
    """One node's side of the protocol."""

    Parameters = AodvParameters
    summary = "routes to nodes on demand: requests in widening rings, link breaks from the MAC (RFC 3561)"

    def __init__(self, host: Host, parameters: AodvParameters, user: RouterUser) -> None:
        self._host = host
        self._node = host.node
        self._parameters = parameters
        self._user = user
        self._sequence = 0
        self._request_id = 0
        self.routes = RouteTable(parameters.routes_max, parameters.delete_s)
        self.discoveries = Discoveries(host, parameters, self._request, self._give_up, self._report_unrepaired)
        # Read for every request, so they are kept where compiled code finds them at once.
        self._discovery_s = 2 * parameters.net_traversal_s  # PATH_DISCOVERY_TIME
        self._active_route_s = parameters.active_route_s
        self._node_traversal_s = parameters.node_traversal_s
        self._relay_jitter_s = parameters.relay_jitter_s
        self._request_bytes = RREQ_BYTES + parameters.header_bytes
        self._requests_seen = Memory(self._discovery_s, parameters.requests_max)
        blacklist_s = max(1, parameters.request_retries) * parameters.net_traversal_s  # BLACKLIST_TIMEOUT
        self._one_way = Memory(blacklist_s, parameters.requests_max)
        self._doubtful = Memory(blacklist_s, parameters.requests_max)
        self._outbox = Outbox(host)
        self._errors = RouteErrors(host, parameters, self._outbox)
        self._replies = RouteReplies(host, parameters, self.routes, self._outbox)
        self._handlers: dict[type[Message], Callable[[Any, int], None]] = {
            RouteRequest: self._on_request,
            RoutedPacket: self._on_packet,
            RoutedEvents: self._on_packet,
            RouteReply: self._on_reply,
            RouteError: self._on_error,
        }

    # --- calls from the user -------------------------------------------------------------------------------

    def send(self, payload: Message, to: int, at: Position | None = None) -> None:  # noqa: ARG002 - AODV uses no positions
        """Send a payload to a node, after finding a route if there is none."""
        if to == self._node:
            self._user.on_packet(payload, to)
        elif not self._user.on_passing(payload, self._node, to):
            self._dispatch(self._waiting(payload, self._node, to, self._parameters.net_diameter))

    def storage_bytes(self) -> int:
        """Return the size of the route table, the waiting packets and the remembered requests."""
        tables = self.routes.size_bytes(self._host.now) + REQUEST_ID_BYTES * len(self._requests_seen)
        return tables + self.discoveries.waiting.size_bytes()

    # --- calls from the host -------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the host's time."""
        return self._host.now

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        self.handler(type(message))(message, sender)

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the function that handles messages of one type."""
        return self._handlers.get(kind, self._on_unknown)

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: list[Any]) -> FrameHandler | None:
        """Return the function for requests, unless a subclass may act on them in its own way."""
        from roamcast.routing.aodv.request_receivers import RequestReceivers  # it imports this module

        return RequestReceivers(nodes).hear if kind is RouteRequest and cls is Aodv and nodes else None

    def _on_unknown(self, message: Message, sender: int) -> None:  # noqa: ARG002
        self._host.drop(message, "unknown-kind")

    def on_wake(self, token: RoutingToken) -> None:
        """Continue a search."""
        if token.what == DISCOVERY and isinstance(token.about, int):
            self.discoveries.on_wake(token.about)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Treat the link as one-way if a reply failed (6.8), as broken if a packet did (6.10, 6.11).

        A failed error says nothing: a neighbour that has gone does not use this node's routes any more.
        """
        now_s = self._host.now
        if self._outbox.was_refused(message):
            self._on_refused(message)
        elif isinstance(message, RoutedPacket):
            self._doubtful.note(to, now_s)
            broken = list(self.routes.via(to, now_s))
            for route in broken:
                self.routes.break_route(route, now_s)
            self._on_packet_failed(message, broken)
        elif isinstance(message, RouteReply | RouteError):
            if isinstance(message, RouteReply):
                self._one_way.note(to, now_s)
            self._host.drop(message, "link-broken")

    def _on_refused(self, message: Message) -> None:
        """Drop a message for which the node's own queue had no room."""
        if isinstance(message, RoutedPacket):
            self._give_up(self._waiting(message.payload, message.origin, message.destination, 0), "refused")
        else:
            self._host.drop(message, "refused")

    # --- packets (6.2, 6.11) -------------------------------------------------------------------------------

    def _dispatch(self, packet: Waiting) -> None:
        """Send a waiting packet, or a new one of this node's own, now or when a route is found."""
        now_s = self._host.now
        if is_expired(packet.payload, now_s):
            self._give_up(packet, "expired")
        elif packet.hops_left <= 0:
            self._give_up(packet, "hop-limit")
        elif (route := self.routes.active(packet.destination, now_s)) is not None:
            self._pass_on(packet.payload, packet.origin, packet.hops_left, route)
        else:
            broken = self.routes.known(packet.destination, now_s)
            self.discoveries.wait(packet, None if broken is None else broken.hops)

    def _on_packet(self, message: RoutedPacket, sender: int) -> None:
        if not is_sound(message.payload) or not 0 < message.hops_left <= HOPS_MAX:
            self._host.drop(message, "malformed")
            return
        now_s = self._host.now
        until_s = now_s + self._active_route_s
        self._doubtful.forget(sender)
        self.routes.touch(sender, sender, until_s, now_s)
        self.routes.touch(message.origin, sender, until_s, now_s)
        if message.destination == self._node:
            self._user.on_packet(message.payload, message.origin)
            return
        self.routes.touch(message.destination, sender, now_s, now_s)  # its sender assumes a route through here
        if is_expired(message.payload, now_s):
            self._host.drop(message, "expired")
        elif message.hops_left == 1:
            self._host.drop(message, "hop-limit")
        elif not self._user.on_passing(message.payload, message.origin, message.destination):
            self._relay_packet(message, sender)

    def _on_packet_failed(self, message: RoutedPacket, broken: list[Route]) -> None:
        """Report the broken routes, and reroute the packet if it is this node's own or close to its destination."""
        origin, destination = message.origin, message.destination
        route = self.routes.known(destination, self._host.now)
        is_own = origin == self._node
        can_repair = (
            self._parameters.local_repair and not is_own and message.hops_left > 1 and self._is_near(route, broken)
        )
        self._errors.report([each for each in broken if not can_repair or each is not route])
        packet = self._waiting(message.payload, origin, destination, message.hops_left - 1)
        if is_own or (route is not None and route.is_active):  # a new route was found while the frame was queued
            self._dispatch(packet)
        elif can_repair or (packet.hops_left > 0 and self.discoveries.is_repairing(destination)):
            self.discoveries.repair(packet, self._repair_hops(origin, destination))
        else:
            self._host.drop(message, "link-broken")

    def _relay_packet(self, message: RoutedPacket, sender: int) -> None:
        now_s = self._host.now
        route = self.routes.active(message.destination, now_s)
        if route is not None:
            route.note_precursor(sender, self._parameters.precursors_max)
            self._pass_on(message.payload, message.origin, message.hops_left - 1, route)
            return
        known = self.routes.known(message.destination, now_s)
        if known is not None and self.discoveries.is_repairing(message.destination):
            known.note_precursor(sender, self._parameters.precursors_max)
            packet = self._waiting(message.payload, message.origin, message.destination, message.hops_left - 1)
            self.discoveries.repair(packet, 0)
            return
        self._host.drop(message, "no-route")
        self._errors.send([(message.destination, None if known is None else known.sequence)], sender)

    def _pass_on(self, payload: Message, origin: int, hops_left: int, route: Route) -> None:
        """Send a packet to the next hop, which keeps the route and the next hop alive (6.2)."""
        now_s = self._host.now
        until_s = now_s + self._active_route_s
        destination, next_hop = route.destination, route.next_hop
        self.routes.touch(destination, next_hop, until_s, now_s)
        self.routes.touch(next_hop, next_hop, until_s, now_s)
        size_bytes = payload.size_bytes + self._parameters.header_bytes
        kind = RoutedEvents if payload.events else RoutedPacket
        self._outbox.unicast(kind(size_bytes, payload, origin, destination, hops_left), next_hop)

    def _send_waiting(self, destination: int) -> None:
        """Send the packets that wait for a destination, if there is a route by now."""
        if destination in self.discoveries.searches and self.routes.active(destination, self._host.now) is not None:
            for packet in self.discoveries.found(destination):
                self._dispatch(packet)

    def _waiting(self, payload: Message, origin: int, destination: int, hops_left: int) -> Waiting:
        return Waiting(payload, origin, destination, self._host.now + self._parameters.waiting_s, hops_left)

    def _give_up(self, packet: Waiting, reason: str) -> None:
        self._host.drop(packet.payload, reason)
        if packet.origin == self._node:
            self._user.on_undeliverable(packet.payload, packet.destination, reason)

    # --- local repair (6.12) -------------------------------------------------------------------------------

    def _is_near(self, route: Route | None, broken: list[Route]) -> bool:
        """Tell whether a route that has just broken led to a destination close enough for a repair."""
        return any(each is route and each.hops <= self._parameters.repair_hops_max for each in broken)

    def _repair_hops(self, origin: int, destination: int) -> int:
        """Return the reach of a repair: the route's length or half the way to the origin, plus a margin."""
        now_s = self._host.now
        to_origin, route = self.routes.known(origin, now_s), self.routes.known(destination, now_s)
        half_way = 0 if to_origin is None else to_origin.hops // 2
        return max(1 if route is None else route.hops, half_way) + self._parameters.repair_hops_added

    def _report_unrepaired(self, destination: int) -> None:
        route = self.routes.known(destination, self._host.now)
        if route is not None and not route.is_active:
            self._errors.report([route])

    # --- requests (6.3, 6.5) -------------------------------------------------------------------------------

    def _request(self, destination: int, hops: int, is_repair: bool) -> None:
        """Flood a request, after incrementing this node's own sequence number (6.1)."""
        self._sequence = next_number(self._sequence)
        self._request_id += 1
        now_s = self._host.now
        known = self.routes.known(destination, now_s)
        if known is not None and not known.is_active:  # 6.4: keep the number while an answer may arrive
            known.until_s = max(known.until_s, now_s + self._discovery_s)
        self._host.broadcast(
            RouteRequest(
                self._request_bytes,
                self._request_id,
                self._node,
                self._sequence,
                destination,
                None if known is None else known.sequence,
                hops=0,
                hops_left=hops,
                destination_only=self._parameters.destination_only or is_repair,
            )
        )

    def _on_request(self, message: RouteRequest, sender: int) -> None:
        """Act on a request once; most that arrive are copies of one already heard, as in any flood.

        Copies, and the node's own requests that come back, only show that the sender is there (6.5), so they are
        neither counted as dropped nor examined any further.
        """
        self.hear_request(message, sender, (message.originator, message.request), message.originator, self._host.now)

    def hear_request(self, message: RouteRequest, sender: int, flood: Hashable, originator: int, now_s: float) -> None:
        """Act on a request whose flood and originator the caller has read, for all its receivers perhaps."""
        seen_until_s = self._requests_seen.until_s.get(flood)
        is_trusted = not self._doubtful.until_s or not self._doubtful.holds(sender, now_s)
        if (seen_until_s is not None and seen_until_s > now_s) or originator == self._node:
            if is_trusted and (not self._one_way.until_s or not self._one_way.holds(sender, now_s)):
                self._note_heard(sender, now_s)
            return
        if self._one_way.holds(sender, now_s):
            self._host.drop(message, "one-way")
            return
        if not is_sound_request(message):
            self._host.drop(message, "malformed")
            return
        if is_trusted:
            self._note_heard(sender, now_s)
        self._requests_seen.note(flood, now_s)
        self._replies.expect(message.originator, message.destination)
        self._learn_reverse_route(message, sender, now_s)
        self._answer_or_relay(message, sender, now_s)
        if message.originator in self.discoveries.searches:
            self._send_waiting(message.originator)

    def _learn_reverse_route(self, message: RouteRequest, sender: int, now_s: float) -> None:
        hops = message.hops + 1
        life_s = self._discovery_s - 2 * hops * self._node_traversal_s
        sequence, until_s = message.originator_sequence, now_s + max(life_s, 0.0)
        self.routes.learn(message.originator, sender, hops, sequence, until_s, now_s)

    def _answer_or_relay(self, message: RouteRequest, sender: int, now_s: float) -> None:
        requested = message.destination_sequence
        if self.routes.active(message.originator, now_s) is None:
            self._host.drop(message, "no-way-back")  # an older request than a known one, or no room in the table
            return
        if message.destination == self._node:
            if requested is not None and is_newer(requested, self._sequence):
                self._sequence = requested
            self._replies.send(message.originator, self._node, self._sequence, 0, self._parameters.own_route_s)
            return
        route = self.routes.known(message.destination, now_s)
        origin = message.originator
        if (
            route is not None
            and not message.destination_only
            and self._replies.can_answer(route, requested, origin, sender)
        ):
            self._replies.send_for(route, origin)
        elif message.hops_left > 1 and message.hops + 1 < HOPS_MAX:
            if (
                route is not None
                and route.sequence is not None
                and (requested is None or is_newer(route.sequence, requested))
            ):
                requested = route.sequence
            self._relay_request(message, requested)

    def _relay_request(self, message: RouteRequest, sequence: int | None) -> None:
        relayed = RouteRequest(
            self._request_bytes,
            message.request,
            message.originator,
            message.originator_sequence,
            message.destination,
            sequence,
            message.hops + 1,
            message.hops_left - 1,
            message.destination_only,
        )
        self._host.broadcast(relayed, self._host.random.random() * self._relay_jitter_s)

    # --- replies (6.6, 6.7) --------------------------------------------------------------------------------

    def _on_reply(self, message: RouteReply, sender: int) -> None:
        """Learn a route, with a lifetime shorter by one hop's time than the neighbour stated.

        So a route ends first where its packets start. With the lifetime as stated, it would end first on the way,
        earlier by the time the reply took, and packets sent in these milliseconds would be lost.
        """
        if not is_sound_reply(message) or message.destination == self._node:
            self._host.drop(message, "own-route" if message.destination == self._node else "malformed")
            return
        now_s, hops = self._host.now, message.hops + 1
        self._doubtful.forget(sender)
        self._one_way.forget(sender)
        self._note_heard(sender, now_s)
        life_s = min(message.lifetime_s, self._parameters.own_route_s) - self._node_traversal_s
        if life_s <= 0:
            self._host.drop(message, "stale-reply")
            return
        sequence, until_s = message.destination_sequence, now_s + life_s
        is_better = self.routes.learn(message.destination, sender, hops, sequence, until_s, now_s)
        if message.originator != self._node:
            self._replies.relay(message, is_better)
        self._send_waiting(message.destination)

    def _note_heard(self, neighbour: int, now_s: float) -> None:
        """Note that a node is there. Every frame of a neighbour leads here, so the usual case is made quick."""
        until_s = now_s + self._active_route_s
        route = self.routes.by_destination.get(neighbour)
        if route is not None and route.hops == 1 and route.is_active and now_s < route.until_s <= until_s:
            route.until_s = until_s
        elif neighbour != self._node:
            self.routes.hear(neighbour, until_s, now_s)
        if self.discoveries.searches and neighbour in self.discoveries.searches:
            self._send_waiting(neighbour)

    # --- errors (6.11) -------------------------------------------------------------------------------------

    def _on_error(self, message: RouteError, sender: int) -> None:
        if not is_sound_error(message):
            self._host.drop(message, "malformed")
            return
        broken, now_s = [], self._host.now
        for destination, sequence in message.unreachable:
            route = self.routes.active(destination, now_s)
            if route is not None and route.next_hop == sender:
                self.routes.break_route(route, now_s, sequence)
                broken.append(route)
        self._errors.report(broken)
