"""The list of brokers that every node of DRIP keeps: the distance and delay of each, and the neighbours closer to it.

A node belongs to the region of the nearest broker; together these are Voronoi regions by hops. If distances are equal,
a node stays where it is.

Routes are compared only within one announcement: what another number says of distances may be of another network. On
the way to a broker the number therefore never falls, and while it stays the same the hops do, so nothing can circle.
"""

from dataclasses import dataclass, field

from roamcast.core.widths import HOPS_BYTES, NODE_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.drip.messages import RESIGNED, Announcement
from roamcast.protocols.drip.parameters import DripParameters

BROKER_BYTES = NODE_BYTES + 2 * NUMBER_BYTES + HOPS_BYTES + 2 * TIME_BYTES
FAILURES_MAX = 3
"""A neighbour that has failed to answer this often is no longer a route."""
NEARER_HOPS = 2
"""How many hops nearer another broker must be before a node changes its region."""
ROUTE_BYTES = NODE_BYTES + HOPS_BYTES
"""The size of a route, in bytes: a neighbour and its hops."""


@dataclass(slots=True)
class Route:
    """A neighbour that has relayed a broker's last announcement."""

    own_hops: int
    """The neighbour's distance from the broker, in hops."""
    hops: int
    """This node's distance from the broker through the neighbour, in hops."""


@dataclass(slots=True)
class KnownBroker:
    """A broker that a node has heard of."""

    number: int
    hops: int
    heard_at_s: float
    delay_s: float
    version: int
    routes: dict[int, Route] = field(default_factory=dict)
    """The routes of that announcement by neighbour; the best of them is the parent."""


class BrokerList(dict[int, KnownBroker]):
    """The brokers heard, at most ``brokers_max``."""

    def __init__(self, node: int, parameters: DripParameters) -> None:
        super().__init__()
        self._node = node
        self._parameters = parameters
        self.failed: dict[int, int] = {}
        """How often neighbours have failed to answer since they were last heard."""
        self._silent_from_s = 0.0
        """No broker has been silent for too long before this time."""
        self._forgotten: dict[int, int] = {}
        """The last announcement numbers of brokers that are no longer known: older ones may still be travelling."""

    def hear(self, announcement: Announcement, sender: int, link_hops: int, now_s: float) -> bool:
        """Record an announcement, and tell whether it is new or its path shorter, so that it must be relayed."""
        if announcement.version == RESIGNED:
            return self._forget_resigned(announcement)
        broker, number, own_hops = announcement.broker, announcement.number, announcement.hops
        hops = own_hops + link_hops
        known = self.get(broker)
        if known is None:
            if number <= self._forgotten.get(broker, 0) or not self._has_room(hops):
                return False
            known = self[broker] = KnownBroker(0, hops, now_s, 0.0, 0)
        if number < known.number:
            return False
        is_news = number > known.number or hops < known.hops
        if number > known.number:
            known.number, known.version, known.heard_at_s = number, announcement.version, now_s
            known.delay_s = max(0.0, now_s - announcement.sent_at_s)
            known.routes.clear()
        if is_news:
            known.hops = hops
        route = known.routes.get(sender)
        if route is not None:
            route.own_hops, route.hops = own_hops, hops
        elif len(known.routes) < self._parameters.ways_max:
            known.routes[sender] = Route(own_hops, hops)
        else:
            _replace_longest(known.routes, sender, own_hops, hops)
        return is_news

    def _forget_resigned(self, announcement: Announcement) -> bool:
        """Forget a broker that has resigned."""
        known = self.get(announcement.broker)
        if known is None or announcement.number <= known.number:
            return False
        known.number = announcement.number
        self._forget(announcement.broker)
        return True

    def _forget(self, broker: int) -> None:
        """Forget a broker, but not its last number, of which there are as many at most as of brokers."""
        self._forgotten.pop(broker, None)
        if len(self._forgotten) >= self._parameters.brokers_max:
            del self._forgotten[next(iter(self._forgotten))]
        self._forgotten[broker] = self.pop(broker).number

    def _has_room(self, hops: int) -> bool:
        """Tell whether a broker at this distance can be added; a nearer one replaces the farthest."""
        if len(self) < self._parameters.brokers_max:
            return True
        farthest = max(self, key=lambda each: self[each].hops)
        if self[farthest].hops <= hops:
            return False
        self._forget(farthest)
        return True

    def forget_silent(self, now_s: float) -> None:
        """Forget brokers that have not been heard for too long."""
        if now_s < self._silent_from_s:
            return
        timeout_s = self._parameters.timeout_s
        for silent in [each for each, known in self.items() if known.heard_at_s + timeout_s <= now_s]:
            self._forget(silent)
        self._silent_from_s = min((known.heard_at_s for known in self.values()), default=now_s) + timeout_s

    def nearest(self, current: int | None) -> int | None:
        """Return the broker with the fewest hops, among equals the one with the shortest delay.

        The current one stays unless another is two hops nearer, since hops vary by one from announcement to
        announcement.
        """
        best, near = -1, None
        for broker, known in self.items():
            if near is not None and known.hops > near.hops:
                continue  # most brokers
            if near is None or (known.hops, known.delay_s, broker) < (near.hops, near.delay_s, best):
                best, near = broker, known
        if near is None:
            return None
        here = None if current is None else self.get(current)
        return current if here is not None and here.hops < near.hops + NEARER_HOPS else best

    def near_with_lower_number(self) -> list[int]:
        """Return the brokers in whose favour this one resigns."""
        hops_max = self._parameters.resign_hops
        return [each for each, known in self.items() if each < self._node and known.hops <= hops_max]

    def next_hop(self, broker: int) -> int | None:
        """Return the neighbour with the shortest route to a broker; it must itself be nearer, to rule out loops."""
        known = self.get(broker)
        if known is None:
            return None
        failed, hops = self.failed, known.hops
        best: tuple[int, int, int] | None = None
        for neighbour, route in known.routes.items():
            if route.own_hops < hops:
                rank = (failed.get(neighbour, 0), route.hops, neighbour)
                if best is None or rank < best:
                    best = rank
        return None if best is None else best[-1]

    def note_heard(self, neighbour: int) -> None:
        """Record that a neighbour was heard, so earlier failures to answer do not mean that it is gone."""
        self.failed.pop(neighbour, None)

    def lose(self, neighbour: int) -> bool:
        """Prefer others to a neighbour that does not answer; tell whether it is now forgotten."""
        self.failed[neighbour] = self.failed.get(neighbour, 0) + 1
        if self.failed[neighbour] < FAILURES_MAX:
            return False
        del self.failed[neighbour]
        for known in self.values():
            known.routes.pop(neighbour, None)
        return True

    def size_bytes(self) -> int:
        """Return the size of the list; forgotten brokers, kept to ignore stale messages, are not counted."""
        return sum(BROKER_BYTES + len(known.routes) * ROUTE_BYTES for known in self.values())


def _replace_longest(routes: dict[int, Route], neighbour: int, own_hops: int, hops: int) -> None:
    """Put a neighbour's route in place of the longest one, unless it is itself as long."""
    longest = max(routes, key=lambda each: routes[each].hops)
    if routes[longest].hops > hops:
        del routes[longest]
        routes[neighbour] = Route(own_hops, hops)
