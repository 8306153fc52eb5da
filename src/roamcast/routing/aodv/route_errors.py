"""Errors of AODV: who is told that a route is broken, by unicast or by broadcast, and how often (RFC 3561, 6.11)."""

from collections.abc import Iterable, Sequence

from roamcast.core.host import Host
from roamcast.routing.aodv.messages import RERR_BYTES, RERR_ENTRY_BYTES, UNREACHABLE_MAX, RouteError
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.route_table import Route
from roamcast.routing.shared.bounded_memory import RateLimit
from roamcast.routing.shared.packets import Outbox


class RouteErrors:
    """A node's reports of broken routes, at most RERR_RATELIMIT messages a second."""

    def __init__(self, host: Host, parameters: AodvParameters, outbox: Outbox) -> None:
        self._host = host
        self._outbox = outbox
        self._header_bytes = parameters.header_bytes
        self._limit = RateLimit(parameters.errors_per_s)

    def report(self, broken: Iterable[Route]) -> None:
        """Tell the users of routes that they are broken, in as few messages as the format allows."""
        used = [route for route in broken if route.precursors]
        for first in range(0, len(used), UNREACHABLE_MAX):
            part = used[first : first + UNREACHABLE_MAX]
            listeners = {node for route in part for node in route.precursors}
            is_one = len(listeners) == 1 and not any(route.has_more_precursors for route in part)
            self.send([(route.destination, route.sequence) for route in part], min(listeners) if is_one else None)
        for route in used:
            route.precursors, route.has_more_precursors = set(), False

    def send(self, unreachable: Sequence[tuple[int, int | None]], to: int | None) -> None:
        """Send an error to one neighbour or, with None, to all; above the rate limit it is dropped."""
        size_bytes = RERR_BYTES + RERR_ENTRY_BYTES * len(unreachable) + self._header_bytes
        message, now_s = RouteError(size_bytes, tuple(unreachable)), self._host.now
        if self._limit.next_at_s(now_s) > now_s:
            self._host.drop(message, "error-rate-limit")
            return
        self._limit.note(now_s)
        if to is None:
            self._host.broadcast(message)
        else:
            self._outbox.unicast(message, to)
