"""Replies of AODV: which nodes may answer a request, and how an answer travels back (RFC 3561, 6.6 and 6.7)."""

from roamcast.core.host import Host
from roamcast.routing.aodv.messages import HOPS_MAX, RREP_BYTES, RouteReply
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.route_table import Route, RouteTable
from roamcast.routing.aodv.sequence_numbers import is_newer
from roamcast.routing.shared.bounded_memory import Memory
from roamcast.routing.shared.packets import Outbox


class RouteReplies:
    """A node's answers, for itself and for routes that it knows, and which ones it has given recently."""

    def __init__(self, host: Host, parameters: AodvParameters, routes: RouteTable, outbox: Outbox) -> None:
        self._host = host
        self._parameters = parameters
        self._routes = routes
        self._outbox = outbox
        self._answered = Memory(2 * parameters.net_traversal_s, parameters.requests_max)

    def expect(self, originator: int, destination: int) -> None:
        """Allow a repeated request to be answered again."""
        self._answered.until_s.pop((originator, destination), None)

    def can_answer(self, route: Route, requested: int | None, originator: int, sender: int) -> bool:
        """Tell whether a route is fresh enough to answer with (6.6); never to its own next hop."""
        if not route.is_active or not route.is_confirmed:
            return False
        fresh = requested is None or route.sequence == requested or is_newer(route.sequence or 0, requested)
        return fresh and route.next_hop != sender and self._outlasts(route, originator)

    def _outlasts(self, route: Route, originator: int) -> bool:
        """Tell whether a route lives long enough to report: each hop of the reply takes one hop's time off its life."""
        now_s = self._host.now
        back = self._routes.active(originator, now_s)
        return back is not None and route.until_s - now_s > back.hops * self._parameters.node_traversal_s

    def send_for(self, route: Route, originator: int) -> None:
        """Report a known route to the originator, and record both ends' next hops as users (6.6.2, 6.7)."""
        now_s = self._host.now
        back = self._routes.active(originator, now_s)
        if back is None or route.sequence is None:
            return
        self._answered.note((originator, route.destination), now_s)
        route.note_precursor(back.next_hop, self._parameters.precursors_max)
        back.note_precursor(route.next_hop, self._parameters.precursors_max)
        self.send(originator, route.destination, route.sequence, route.hops, route.until_s - now_s)

    def send(self, originator: int, destination: int, sequence: int, hops: int, lifetime_s: float) -> None:
        """Send a reply towards the originator, if there is a route to it."""
        now_s = self._host.now
        back = self._routes.active(originator, now_s)
        if back is None:
            return
        self._routes.touch(originator, back.next_hop, now_s + self._parameters.active_route_s, now_s)
        size_bytes = RREP_BYTES + self._parameters.header_bytes
        self._outbox.unicast(RouteReply(size_bytes, originator, destination, sequence, hops, lifetime_s), back.next_hop)

    def relay(self, message: RouteReply, is_better: bool) -> None:
        """Forward a reply if it was better than the known route, or if the known one has not been reported yet.

        The RFC forwards it only in the first case (6.7), so that the second of two requesting nodes may get no answer.
        """
        now_s, question = self._host.now, (message.originator, message.destination)
        route = self._routes.active(message.destination, now_s)
        self._routes.touch(message.originator, self._host.node, now_s, now_s)
        if route is None or not route.is_confirmed or route.hops >= HOPS_MAX:
            self._host.drop(message, "stale-reply")
        elif not is_better and self._answered.holds(question, now_s):
            self._host.drop(message, "duplicate-reply")
        elif self._routes.active(message.originator, now_s) is None:
            self._host.drop(message, "no-way-back")
        elif not self._outlasts(route, message.originator):
            self._host.drop(message, "stale-reply")
        else:
            self.send_for(route, message.originator)
