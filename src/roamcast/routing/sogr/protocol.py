"""SOGR: geographic unicast without beacons (X. Xiang, X. Wang, Z. Zhou: self-adaptive on-demand geographic routing).

The BRVST paper routes with it ([12] there) and says no more than that it works on demand. What is known of it: a node
with a packet but no next hop asks its neighbours, and those nearer to the destination answer, the best first; at a void
the search widens. The rest is our choice (docs/routing.md lists it all); ``next_hops`` holds the known next hops and
``search`` looks for others.

A packet's header lists its *stops*: one for a unicast, several with ``rsgm``. At every node the stops are grouped by
next hop, and each group goes on as one packet. A stop records how near the packet has come to it, and is sent only to
where it comes nearer, even by a search around a void; so no packet travels forever, and the hop limit is only a safety
net. A packet for a place ends where no nearer node is found within ``search_hops`` hops.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roamcast.core.host import FrameHandler, Host, Position
from roamcast.core.messages import Message
from roamcast.routing import GeographicRouter, RouterUser, RoutingToken
from roamcast.routing.shared.geometry import is_sound_position
from roamcast.routing.shared.packets import Outbox, is_expired
from roamcast.routing.sogr.messages import (
    STOPS_MAX,
    Answer,
    Packet,
    Request,
    Stop,
    is_distance,
    is_sound_packet,
    is_sound_request,
    packet_of,
)
from roamcast.routing.sogr.next_hops import Goal, NextHops, distance_m
from roamcast.routing.sogr.parameters import SogrParameters
from roamcast.routing.sogr.requests_heard import RequestReceivers
from roamcast.routing.sogr.search import Searches

RETRY = RoutingToken("sogr-retry")
FAR_M = 1e9
"""The distance recorded for a packet that has not started yet, in metres."""


@dataclass(frozen=True, slots=True)
class Load:
    """A payload to be forwarded to some stops."""

    payload: Message
    origin: int
    stops: tuple[Stop, ...]
    hops_left: int
    came_from: int | None
    tries: int = 0
    """How often it has waited for the network to change."""


class Sogr(GeographicRouter):
    """One node's side of the protocol."""

    Parameters = SogrParameters
    summary = "greedy by position without beacons: next hops are requested when needed (Xiang, Wang, Zhou)"

    def __init__(self, host: Host, parameters: SogrParameters, user: RouterUser) -> None:
        self._host = host
        self._parameters = parameters
        self._user = user
        self._outbox = Outbox(host)
        self.next_hops = NextHops(host, parameters)
        self.searches = Searches(host, parameters, self.next_hops, self._on_search_ended)
        self._waiting: list[tuple[Goal, Load]] = []
        self._resting: list[Load] = []

    # --- calls from the user -------------------------------------------------------------------------------

    def send(self, payload: Message, to: int, at: Position | None = None) -> None:
        """Send a payload to a node that is at ``at``; without a position it reaches only a neighbour heard recently."""
        if to == self._host.node:
            self._user.on_packet(payload, to)
            return
        position = self.next_hops.position_of(to) if at is None else at
        if position is None:
            self._host.drop(payload, "no-position")
            self._user.on_undeliverable(payload, to, "no-position")
        else:
            self._begin(payload, [Stop(to, position, FAR_M)])

    def send_to_place(self, payload: Message, place: Position) -> None:
        """Send a payload to a node near a place from which no nearer node is found."""
        self._begin(payload, [Stop(None, place, FAR_M)])

    def storage_bytes(self) -> int:
        """Return the size of the known neighbours and routes, and of waiting payloads."""
        loads = [*(load for _, load in self._waiting), *self._resting]
        return self.next_hops.stored_bytes() + sum(load.payload.size_bytes for load in loads)

    def _begin(self, payload: Message, stops: Sequence[Stop]) -> None:
        """Send a payload of this node on its way."""
        here, origin = self._host.position(), self._host.node
        going = []
        for stop in stops:
            if here is None or not is_sound_position(stop.at):
                self._host.drop(payload, "no-position")
                self._user.on_undeliverable(payload, stop.destination, "no-position")
            elif not self._user.on_passing(payload, origin, stop.destination):
                going.append(stop)
        for first in range(0, len(going), STOPS_MAX):
            part = tuple(going[first : first + STOPS_MAX])
            self._forward(Load(payload, origin, part, self._parameters.hops_max, None))

    # --- calls from the host -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        self.handler(type(message))(message, sender)

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the function that handles messages of one type."""
        if issubclass(kind, Packet):
            return self._on_packet
        return self._on_request if kind is Request else self._on_answer if kind is Answer else self._on_unknown

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: list[Any]) -> FrameHandler | None:
        """Act on a request for all receivers at once; most have heard it before."""
        is_theirs = kind is Request and cls.handler is Sogr.handler and len(nodes) > 0
        return RequestReceivers(nodes).hear if is_theirs else None

    def remembered_until_s(self) -> float:
        """Return until when a neighbour that is heard now is remembered: the same on all nodes of a simulation."""
        return self._host.now + self._parameters.neighbour_s

    def _on_request(self, message: Request, sender: int) -> None:
        if is_sound_request(message):
            self.next_hops.hear(sender, message.sender_at)
            self.searches.on_request(message, sender)
        else:
            self._host.drop(message, "malformed")

    def _on_answer(self, message: Answer, sender: int) -> None:
        if is_distance(message.remaining_m) and is_sound_position(message.sender_at):
            self.next_hops.hear(sender, message.sender_at)
            self.searches.on_answer(message, sender)
        else:
            self._host.drop(message, "malformed")

    def _on_unknown(self, message: Message, sender: int) -> None:  # noqa: ARG002 - a handler
        self._host.drop(message, "unknown-kind")

    def on_wake(self, token: RoutingToken) -> None:
        """Continue a search, or retry packets whose node was not found."""
        if token == RETRY:
            rested, self._resting = self._resting, []
            for load in rested:
                self._forward_or_give_up(load)
        else:
            self.searches.on_wake(token)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Forget the neighbour that the MAC could not reach, and find another route."""
        if not isinstance(message, Packet):
            return
        load = Load(message.payload, message.origin, message.stops, message.hops_left, None)
        if self._outbox.was_refused(message):
            self._give_up_all(load, "refused")
            return
        self.next_hops.forget(to)
        self._forward_or_give_up(load)

    # --- packets -------------------------------------------------------------------------------------------

    def _on_packet(self, packet: Packet, sender: int) -> None:
        if not is_sound_packet(packet):
            self._host.drop(packet, "malformed")
            return
        self.next_hops.hear(sender, packet.sender_at)
        payload, origin, node = packet.payload, packet.origin, self._host.node
        going = [
            stop
            for stop in packet.stops
            if stop.node != node and not self._user.on_passing(payload, origin, stop.destination)
        ]
        if going:
            self._forward_or_give_up(Load(payload, origin, tuple(going), packet.hops_left - 1, sender))
        if any(stop.node == node for stop in packet.stops):
            self._user.on_packet(payload, origin)

    def _forward_or_give_up(self, load: Load) -> None:
        if is_expired(load.payload, self._host.now):
            self._give_up_all(load, "expired")
        elif load.hops_left <= 0:
            self._give_up_all(load, "hop-limit")
        else:
            self._forward(load)

    def _forward(self, load: Load) -> None:
        """Group the stops by next hop, and search a next hop for the farthest of the remaining ones."""
        here = self._host.position()
        if here is None:
            self._give_up_all(load, "no-position")
            return
        by_hop: dict[int, list[Stop]] = {}
        without: list[Stop] = []
        for stop in load.stops:
            stop = Stop(stop.node, stop.at, min(stop.nearest_m, distance_m(here, stop.at)))
            hop = self.next_hops.next_hop(stop, here, load.came_from)
            (without if hop is None else by_hop.setdefault(hop, [])).append(stop)
        for hop, stops in by_hop.items():
            self._pass_on(load, tuple(stops), here, hop)
        ended = [stop for stop in without if self.next_hops.has_failed((stop.node, stop.at))]
        sought = [stop for stop in without if stop not in ended]
        if sought:
            self._seek(load, tuple(sought))
        for stop in ended:
            self._end(load, stop)

    def _seek(self, load: Load, stops: tuple[Stop, ...]) -> None:
        """Let a load wait for a next hop for its farthest stop, which may do for the others too."""
        farthest = max(stops, key=lambda stop: stop.nearest_m)
        self._waiting.append(((farthest.node, farthest.at), replace(load, stops=stops)))
        self.searches.start(farthest)
        if len(self._waiting) > self._parameters.packets_max:
            goal, oldest = self._waiting.pop(0)
            if all(each != goal for each, _ in self._waiting):
                self.searches.cancel(goal)
            self._give_up_all(oldest, "buffer-full")

    def _on_search_ended(self, goal: Goal) -> None:
        """Continue with the loads that waited for this search; those with other goals may share what was found."""
        loads = [load for each, load in self._waiting if each == goal]
        self._waiting = [each for each in self._waiting if each[0] != goal]
        for load in loads:  # the route just found may well lead back to where the packet came from
            self._forward_or_give_up(replace(load, came_from=None))

    def _pass_on(self, load: Load, stops: tuple[Stop, ...], here: Position, to: int) -> None:
        """Send a payload to a neighbour."""
        header_bytes = self._parameters.header_bytes
        self._outbox.unicast(packet_of(load.payload, load.origin, stops, load.hops_left, here, header_bytes), to)

    def _end(self, load: Load, stop: Stop) -> None:
        """Deliver at a place where the route ends; a node was not found, so retry later or give up."""
        if stop.node is None:
            self._user.on_packet(load.payload, load.origin)
        elif load.tries == self._parameters.retries or len(self._resting) >= self._parameters.packets_max:
            self._give_up(load, stop, "no-next-hop")
        else:
            self._resting.append(replace(load, stops=(stop,), tries=load.tries + 1))
            if len(self._resting) == 1:
                self._host.wake(self._host.now + self._parameters.retry_s, RETRY)

    def _give_up_all(self, load: Load, reason: str) -> None:
        for stop in load.stops:
            self._give_up(load, stop, reason)

    def _give_up(self, load: Load, stop: Stop, reason: str) -> None:
        self._host.drop(load.payload, reason)
        is_own = load.origin == self._host.node
        report = self._user.on_undeliverable if is_own else self._user.on_stranded
        report(load.payload, stop.destination, reason)
