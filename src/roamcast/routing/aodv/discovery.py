"""Route discovery of AODV: the packets that wait, and how widely and how often their routes are requested.

RFC 3561, sections 6.3 and 6.4: rings that widen from TTL_START by TTL_INCREMENT up to TTL_THRESHOLD, then the whole
network, repeated RREQ_RETRIES times with a wait that doubles. If the length of a broken route is known, the first ring
starts from it. A node originates at most RREQ_RATELIMIT requests a second; further ones wait for their turn.

A repair (section 6.12) is a search by a node on the route, for packets of others, with one ring only. If it fails and
the node has packets of its own for the destination, an ordinary search follows.
"""

from collections.abc import Callable
from dataclasses import dataclass

from roamcast.core.host import Host
from roamcast.routing import RoutingToken
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.shared.bounded_memory import RateLimit
from roamcast.routing.shared.packets import Waiting, WaitingPackets

DISCOVERY = "aodv-discovery"
"""The token's word for a discovery that is due."""


@dataclass(slots=True)
class Search:
    """The search for one destination."""

    hops: int
    """The reach of the current ring, in hops."""
    retries: int = 0
    """How often the widest ring was repeated."""
    is_held: bool = False
    """Whether the request is still to be sent, because of the rate limit."""
    is_repair: bool = False
    """Whether the search is for packets of others, and ends after one ring."""


class Discoveries:
    """The current searches, one for each destination that packets wait for."""

    def __init__(
        self,
        host: Host,
        parameters: AodvParameters,
        request: Callable[[int, int, bool], None],
        give_up: Callable[[Waiting, str], None],
        repair_failed: Callable[[int], None],
    ) -> None:
        """Call ``request(destination, hops, is_repair)`` for an RREQ, and ``give_up`` for packets that get no route."""
        self._host = host
        self._parameters = parameters
        self._request = request
        self._give_up = give_up
        self._repair_failed = repair_failed
        self._limit = RateLimit(parameters.requests_per_s)
        self._waiting = WaitingPackets(parameters.packets_max)
        self.searches: dict[int, Search] = {}
        """The searches by destination."""

    def __contains__(self, destination: int) -> bool:
        return destination in self.searches

    def __len__(self) -> int:
        return len(self.searches)

    @property
    def waiting(self) -> WaitingPackets:
        """Return the waiting packets."""
        return self._waiting

    def wait(self, packet: Waiting, last_hops: int | None) -> None:
        """Store a packet until its route is found; ``last_hops`` is the length of the last known route."""
        start = self._parameters.ttl_start if last_hops is None else last_hops + self._parameters.ttl_increment
        self._keep(packet, Search(self._ring(start)))

    def repair(self, packet: Waiting, hops: int) -> None:
        """Store a packet of another node while a route is sought within some hops."""
        self._keep(packet, Search(min(hops, self._parameters.net_diameter), is_repair=True))

    def is_repairing(self, destination: int) -> bool:
        """Tell whether a route for packets of others is being sought."""
        search = self.searches.get(destination)
        return search is not None and search.is_repair

    def found(self, destination: int) -> list[Waiting]:
        """End a search, and return the packets that waited for it."""
        self._stop(destination)
        return self._waiting.take(destination)

    def on_wake(self, destination: int) -> None:
        """Send a request that was held back, or continue after a ring without an answer."""
        for packet in self._waiting.take_overdue(self._host.now):
            self._give_up(packet, "waited-too-long")
        search = self.searches.get(destination)
        if search is None:
            return
        if search.is_repair and not search.is_held:
            self._end_repair(destination, search)
        if not self._waiting.has_any_for(destination):
            self._abandon(destination)
        elif search.is_held or self._widen(search):
            self._send_request(destination)
        else:
            for packet in self.found(destination):
                self._give_up(packet, "no-route-found")

    def _keep(self, packet: Waiting, search: Search) -> None:
        victim = self._waiting.add(packet)
        if packet.destination not in self.searches:
            self.searches[packet.destination] = search
            self._send_request(packet.destination)
        if victim is not None:
            if not self._waiting.has_any_for(victim.destination):
                self._abandon(victim.destination)
            self._give_up(victim, "buffer-full")

    def _abandon(self, destination: int) -> None:
        """End a search that no packet waits for any more; a repair has failed by that."""
        was_repair = self.is_repairing(destination)
        self._stop(destination)
        if was_repair:
            self._repair_failed(destination)

    def _end_repair(self, destination: int, search: Search) -> None:
        search.is_repair = False
        for packet in self._waiting.take(destination, but_from=self._host.node):
            self._give_up(packet, "repair-failed")
        self._repair_failed(destination)

    def _widen(self, search: Search) -> bool:
        """Make the next ring wider, or repeat the widest; False after the last."""
        if search.hops < self._parameters.net_diameter:
            search.hops = self._ring(search.hops + self._parameters.ttl_increment)
            return True
        search.retries += 1
        return search.retries <= self._parameters.request_retries

    def _ring(self, hops: int) -> int:
        widest = self._parameters.net_diameter
        return widest if hops > self._parameters.ttl_threshold else min(hops, widest)

    def _send_request(self, destination: int) -> None:
        search, now_s, token = self.searches[destination], self._host.now, RoutingToken(DISCOVERY, destination)
        allowed_at_s = self._limit.next_at_s(now_s)
        search.is_held = allowed_at_s > now_s
        if search.is_held:
            self._host.wake(allowed_at_s, token)
            return
        self._limit.note(now_s)
        self._request(destination, search.hops, search.is_repair)
        self._host.wake(now_s + self._timeout_s(search), token)

    def _timeout_s(self, search: Search) -> float:
        """Return RING_TRAVERSAL_TIME, or for the widest ring NET_TRAVERSAL_TIME, doubled at each repetition."""
        parameters = self._parameters
        if search.hops < parameters.net_diameter:
            return 2 * parameters.node_traversal_s * (search.hops + parameters.timeout_buffer)
        return float(parameters.net_traversal_s * 2**search.retries)

    def _stop(self, destination: int) -> None:
        if self.searches.pop(destination, None) is not None:
            self._host.cancel_wake(RoutingToken(DISCOVERY, destination))
