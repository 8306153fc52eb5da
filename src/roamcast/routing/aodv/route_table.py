"""The route table of AODV: when a route changes, breaks and is forgotten (RFC 3561, sections 6.1, 6.2, 6.7, 6.11).

Routes are free of loops because along a route the pair (sequence number, fewer hops) gets strictly better at each node.
The RFC leaves loopholes (found by R. van Glabbeek et al., "Sequence numbers do not guarantee loop freedom", MSWiM
2013); each is closed here in the cautious way:
- a number never decreases. An RERR with an older number than the route's own, or without one, still breaks the route,
  but then the route's own number is incremented (6.11 would copy the older one);
- a route that expires breaks like one whose link breaks: its number is incremented;
- a route to a neighbour that was merely heard has no *confirmed* number: it is never reported to others, its breaking
  increments nothing, and it yields to any number that is not older than the one it remembers (6.7's condition (i) would
  accept an older one too);
- a broken route is remembered for DELETE_PERIOD after the last packet that came for it, whether or not an RERR was
  sent;
- a full table accepts no new destination rather than forgetting an old number.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from roamcast.routing.aodv.sequence_numbers import is_newer, next_number

ROUTE_BYTES = 32
"""The size of a route, in bytes: destination, next hop, number, hops, flags and times, in 4-byte words; our
estimate."""


@dataclass(slots=True)
class Route:
    """A row of the table."""

    destination: int
    next_hop: int
    hops: int
    sequence: int | None
    is_confirmed: bool
    """Whether the number is the destination's own for this route; the RFC's valid destination sequence number flag."""
    is_active: bool
    until_s: float
    """When an active route expires, or a broken one is forgotten, in seconds."""
    precursors: set[int] = field(default_factory=set)
    """The neighbours that use this route and are told if it breaks."""
    has_more_precursors: bool = False
    """Whether there were more users than are remembered."""

    def accepts(self, sequence: int, hops: int) -> bool:
        """Tell whether news of a route with this number and this many hops replaces this one (6.2, 6.7)."""
        if self.sequence is None or is_newer(sequence, self.sequence):
            return True
        if sequence != self.sequence:
            return False
        return not self.is_active or not self.is_confirmed or hops < self.hops

    def note_precursor(self, node: int, precursors_max: int) -> None:
        """Remember a neighbour that uses this route."""
        if len(self.precursors) < precursors_max or node in self.precursors:
            self.precursors.add(node)
        else:
            self.has_more_precursors = True


class RouteTable:
    """The routes of a node by destination, at most ``routes_max``. Every call is given the current time."""

    def __init__(self, routes_max: int, delete_s: float) -> None:
        self._routes_max = routes_max
        self._delete_s = delete_s
        self.by_destination: dict[int, Route] = {}

    def __len__(self) -> int:
        return len(self.by_destination)

    def known(self, destination: int, now_s: float) -> Route | None:
        """Return the route to a destination, active or remembered as broken."""
        route = self.by_destination.get(destination)
        if route is None or now_s < route.until_s:
            return route
        if route.is_active:
            self._expire(route)
        if now_s < route.until_s:
            return route
        del self.by_destination[destination]
        return None

    def active(self, destination: int, now_s: float) -> Route | None:
        """Return the route to a destination if packets can be sent on it."""
        route = self.known(destination, now_s)
        return route if route is not None and route.is_active else None

    def via(self, next_hop: int, now_s: float) -> Iterator[Route]:
        """Yield the active routes through a neighbour."""
        for destination in list(self.by_destination):
            route = self.active(destination, now_s)
            if route is not None and route.next_hop == next_hop:
                yield route

    def learn(self, destination: int, next_hop: int, hops: int, sequence: int, until_s: float, now_s: float) -> bool:
        """Adopt a route if it is better than the known one, and tell whether it was."""
        route = self.known(destination, now_s)
        if route is None:
            route = self._add(Route(destination, next_hop, hops, sequence, True, True, until_s), now_s)
            return route is not None
        if not route.accepts(sequence, hops):
            if route.is_active and (route.sequence, route.next_hop, route.hops) == (sequence, next_hop, hops):
                route.until_s = max(route.until_s, until_s)  # the same news again
            return False
        if route.is_active and route.next_hop == next_hop:
            until_s = max(until_s, route.until_s)
        route.next_hop, route.hops, route.sequence = next_hop, hops, sequence
        route.is_confirmed = route.is_active = True
        route.until_s = until_s
        return True

    def hear(self, neighbour: int, until_s: float, now_s: float) -> None:
        """Record that a node is a neighbour: a route of one hop, without a number of its own (6.5, 6.7)."""
        route = self.known(neighbour, now_s)
        if route is None:
            self._add(Route(neighbour, neighbour, 1, None, False, True, until_s), now_s)
            return
        if route.is_active:
            until_s = max(until_s, route.until_s) if route.next_hop == neighbour else until_s
        else:
            route.is_active, route.is_confirmed = True, False
        route.next_hop, route.hops, route.until_s = neighbour, 1, until_s

    def touch(self, destination: int, via: int, until_s: float, now_s: float) -> None:
        """Prolong a route because a packet was sent over it, or came from its destination through its next hop.

        The memory of a broken one is prolonged too: the packet's sender still assumes a route through here.
        """
        route = self.known(destination, now_s)
        if route is None:
            return
        if not route.is_active:
            route.until_s = max(route.until_s, now_s + self._delete_s)
        elif route.next_hop == via:
            route.until_s = max(route.until_s, until_s)

    def break_route(self, route: Route, now_s: float, sequence: int | None = None) -> None:
        """Invalidate a route, with the number that its next hop reported, if any (6.11)."""
        if sequence is not None and (route.sequence is None or is_newer(sequence, route.sequence)):
            route.sequence = sequence
        elif route.sequence is not None and route.is_confirmed:
            route.sequence = next_number(route.sequence)
        route.is_active = route.is_confirmed = False
        route.until_s = now_s + self._delete_s

    def size_bytes(self, now_s: float) -> int:
        """Return the size of the table, after forgetting expired routes."""
        self._forget(now_s)
        size_bytes = ROUTE_BYTES * len(self.by_destination)
        for route in self.by_destination.values():  # not a sum: generators are slow in compiled code
            size_bytes += 4 * len(route.precursors)
        return size_bytes

    def _add(self, route: Route, now_s: float) -> Route | None:
        if len(self.by_destination) >= self._routes_max:
            self._forget(now_s)
            if len(self.by_destination) >= self._routes_max:
                return None
        self.by_destination[route.destination] = route
        return route

    def _expire(self, route: Route) -> None:
        """Break a route that has expired, as of its expiry."""
        self.break_route(route, route.until_s)

    def _forget(self, now_s: float) -> None:
        for route in list(self.by_destination.values()):
            if route.until_s <= now_s:
                self.known(route.destination, now_s)
