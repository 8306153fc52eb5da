"""The list of brokers that every node of DRIP keeps: how far each is, its delay, and neighbours that are nearer to it.

The nearest broker's region is the node's own: together these are Voronoi regions by hops. With equal distances a node
stays where it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from roamcast.core.widths import HOPS_BYTES, NODE_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.drip.messages import RESIGNED, Announcement
from roamcast.protocols.drip.parameters import DripParameters

BROKER_BYTES = NODE_BYTES + 2 * NUMBER_BYTES + HOPS_BYTES + 2 * TIME_BYTES
FAILURES_MAX = 3
"""A neighbour that has not answered so often is no way any more."""
NEARER_HOPS = 2
"""So much nearer another broker must be before a node changes its region."""
WAY_BYTES = NODE_BYTES + HOPS_BYTES + 1
"""A neighbour, its hops, and whether that is of the last announcement or of the one before."""


class Way(NamedTuple):
    """A neighbour that has relayed a broker's announcement."""

    number: int
    """Which one."""
    own_hops: int
    """How far from the broker the neighbour is,"""
    hops: int
    """and how far one is over it."""


@dataclass(slots=True)
class KnownBroker:
    """What a node knows of a broker."""

    number: int
    hops: int
    heard_at_s: float
    delay_s: float
    version: int
    ways: dict[int, Way] = field(default_factory=dict)
    """By neighbour; the parent is the best of them."""


class BrokerList:
    """The brokers that are heard, at most ``brokers_max``."""

    def __init__(self, node: int, parameters: DripParameters) -> None:
        self._node = node
        self._parameters = parameters
        self._known: dict[int, KnownBroker] = {}
        self._failed: dict[int, int] = {}
        """How often neighbours have not answered since they were heard last."""
        self._resigned: dict[int, int] = {}
        """The last numbers of brokers that are none any more."""

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, broker: int) -> bool:
        return broker in self._known

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def get(self, broker: int) -> KnownBroker | None:
        """Return what is known of a broker."""
        return self._known.get(broker)

    def hear(self, heard: Announcement, sender: int, link_hops: int, now_s: float) -> bool:
        """Note an announcement, and tell whether it is new or shorter, so that it is to be relayed."""
        known = self._known.get(heard.broker)
        if heard.number <= self._resigned.get(heard.broker, 0):
            return False
        if heard.version == RESIGNED:
            return self._resigns(heard)
        hops = heard.hops + link_hops
        if known is None:
            if not self._has_room(hops):
                return False
            known = self._known[heard.broker] = KnownBroker(0, hops, now_s, 0.0, 0)
        is_new = heard.number > known.number
        if is_new:
            known.number, known.hops, known.version = heard.number, hops, heard.version
            known.heard_at_s, known.delay_s = now_s, max(0.0, now_s - heard.sent_at_s)
            known.ways = {each: way for each, way in known.ways.items() if way.number >= heard.number - 1}
        elif heard.number == known.number and hops < known.hops:
            known.hops = hops
            is_new = True
        if heard.number >= known.number - 1:
            self._note_way(known, sender, Way(heard.number, heard.hops, hops))
        return is_new

    def _resigns(self, heard: Announcement) -> bool:
        """Forget a broker that has resigned, but for its last number: older announcements may still be on their way."""
        known = self._known.get(heard.broker)
        if known is None or heard.number <= known.number:
            return False
        del self._known[heard.broker]
        if len(self._resigned) >= self._parameters.brokers_max:
            del self._resigned[next(iter(self._resigned))]
        self._resigned[heard.broker] = heard.number
        return True

    def _note_way(self, known: KnownBroker, sender: int, way: Way) -> None:
        """Note a neighbour's way to a broker; where there are too many, the longest goes."""
        known.ways[sender] = way
        if len(known.ways) > self._parameters.ways_max:
            del known.ways[max(known.ways, key=lambda each: (known.ways[each].hops, -known.ways[each].number))]

    def _has_room(self, hops: int) -> bool:
        """Tell whether a broker so far away can be taken; the farthest makes room for one that is nearer."""
        if len(self._known) < self._parameters.brokers_max:
            return True
        farthest = max(self._known, key=lambda each: self._known[each].hops)
        if self._known[farthest].hops <= hops:
            return False
        del self._known[farthest]
        return True

    def forget_silent(self, now_s: float) -> None:
        """Forget brokers that have not been heard for too long."""
        timeout_s = self._parameters.timeout_s
        if any(known.heard_at_s + timeout_s <= now_s for known in self._known.values()):
            self._known = {each: known for each, known in self._known.items() if known.heard_at_s + timeout_s > now_s}

    def nearest(self, current: int | None) -> int | None:
        """Return the broker with the fewest hops, of equals the one with the shortest delay.

        The current one stays unless another is two hops nearer: from announcement to announcement, hops vary by one.
        """
        if not self._known:
            return None
        best = min(self._known, key=lambda each: (self._known[each].hops, self._known[each].delay_s, each))
        here = None if current is None else self._known.get(current)
        return current if here is not None and here.hops < self._known[best].hops + NEARER_HOPS else best

    def near_with_lower_number(self) -> list[int]:
        """Return the brokers before which this one resigns."""
        hops_max = self._parameters.resign_hops
        return [each for each, known in self._known.items() if each < self._node and known.hops <= hops_max]

    def next_hop(self, broker: int) -> int | None:
        """Return the neighbour with the shortest way to a broker; it must itself be nearer, so that nothing circles."""
        known = self._known.get(broker)
        if known is None:
            return None
        failed = self._failed
        nearer = [
            (failed.get(each, 0), way.hops, -way.number, each)
            for each, way in known.ways.items()
            if way.own_hops < known.hops
        ]
        return min(nearer)[-1] if nearer else None

    def is_there(self, neighbour: int) -> None:
        """Note that a neighbour was heard: if it did not answer, that was not because it is away."""
        if self._failed:
            self._failed.pop(neighbour, None)

    def lose(self, neighbour: int) -> bool:
        """Prefer others to a neighbour that does not answer, and forget it if that goes on; tell whether it does."""
        self._failed[neighbour] = self._failed.get(neighbour, 0) + 1
        if self._failed[neighbour] < FAILURES_MAX:
            return False
        del self._failed[neighbour]
        for known in self._known.values():
            known.ways.pop(neighbour, None)
        return True

    def size_bytes(self) -> int:
        """Return the size of the list; who has resigned is remembered only to heed nothing old, and not counted."""
        return sum(BROKER_BYTES + len(known.ways) * WAY_BYTES for known in self._known.values())
