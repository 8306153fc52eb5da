"""Who began to ask during the measurement, and what came of it: matching in both directions (BRVST paper, section V-A).

A subscription that comes later than an event finds it waiting, if it is still valid. How long a subscription waits for
its first match is until the first event that it matches is handed to its node: what its user sees, whatever the
protocol. An event that the node was handed before, for the sake of another subscription, does not count.
"""

from dataclasses import dataclass

from roamcast.core.events import Event, EventId
from roamcast.core.interests import Interest
from roamcast.sim.facts import SubscriptionFact


@dataclass(slots=True)
class _Asked:
    """A subscription, and what it has met so far."""

    node: int
    interest: Interest
    at_s: float
    waiting: int = 0
    waiting_delivered: int = 0
    matches: int = 0
    matched_after_s: float = 0.0


class Askers:
    """The subscriptions of the measurement."""

    def __init__(self) -> None:
        self._all: list[_Asked] = []
        self._live: dict[int, list[_Asked]] = {}
        self._waiting: dict[tuple[EventId, int], _Asked] = {}

    def begins(self, node: int, interest: Interest, now_s: float) -> None:
        """Note a new subscription."""
        asked = _Asked(node, interest, now_s)
        self._all.append(asked)
        self._live.setdefault(node, []).append(asked)

    def finds(self, node: int, event: Event) -> None:
        """Note that the node's newest subscription has found an event waiting."""
        asked = self._live[node][-1]
        asked.waiting += 1
        self._waiting[event.id, node] = asked

    def ends(self, node: int, interest: Interest) -> None:
        """Note that a subscription is over."""
        live = self._live.get(node, [])
        self._live[node] = [each for each in live if each.interest != interest]

    def delivered(self, node: int, event: Event, now_s: float) -> None:
        """Note that a node was handed an event; one that comes too late counts for nothing."""
        if not event.is_valid(now_s):
            return
        asked = self._waiting.pop((event.id, node), None)
        if asked is not None:
            asked.waiting_delivered += 1
        if node == event.id.publisher:
            return
        for each in self._live.get(node, ()):
            if each.interest.matches(event):
                each.matched_after_s = each.matched_after_s if each.matches else now_s - each.at_s
                each.matches += 1

    def facts(self, starts_at_s: float) -> tuple[SubscriptionFact, ...]:
        """Return what became of each, in the order in which they began."""
        return tuple(
            SubscriptionFact(
                each.node,
                each.at_s - starts_at_s,
                each.waiting,
                each.waiting_delivered,
                each.matches,
                each.matched_after_s,
            )
            for each in self._all
        )
