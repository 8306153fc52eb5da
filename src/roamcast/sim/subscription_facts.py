"""The subscriptions made during the measurement and their matches, in both directions (BRVST paper, section V-A).

A subscription made after an event finds it waiting, if it is still valid. A subscription's time to its first match ends
when the first event that it matches is delivered to its node: this is what the user sees, whatever the protocol. An
event that was delivered to the node before, because of another subscription, does not count.
"""

from dataclasses import dataclass

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.sim.facts import SubscriptionFact


@dataclass(slots=True)
class _Measured:
    """A subscription and its matches so far."""

    node: int
    interest: Interest
    at_s: float
    waiting: int = 0
    waiting_delivered: int = 0
    matches: int = 0
    matched_after_s: float = 0.0


class MeasuredSubscriptions:
    """The subscriptions made during the measurement."""

    def __init__(self) -> None:
        self._all: list[_Measured] = []
        self._live: dict[int, list[_Measured]] = {}
        self._waiting: dict[tuple[EventId, int], _Measured] = {}

    def begin(self, node: int, interest: Interest, now_s: float) -> None:
        """Note a new subscription."""
        subscription = _Measured(node, interest, now_s)
        self._all.append(subscription)
        self._live.setdefault(node, []).append(subscription)

    def found_waiting(self, node: int, event: Event) -> None:
        """Note that the node's newest subscription has found an event waiting."""
        subscription = self._live[node][-1]
        subscription.waiting += 1
        self._waiting[event.id, node] = subscription

    def end(self, node: int, interest: Interest) -> None:
        """Note the end of a subscription."""
        live = self._live.get(node, [])
        self._live[node] = [subscription for subscription in live if subscription.interest != interest]

    def delivered(self, node: int, event: Event, now_s: float) -> None:
        """Note that an event was delivered to a node; one that comes too late does not count."""
        if not event.is_valid(now_s):
            return
        found_it = self._waiting.pop((event.id, node), None)
        if found_it is not None:
            found_it.waiting_delivered += 1
        if node == event.id.publisher:
            return
        for subscription in self._live.get(node, ()):
            if subscription.interest.matches(event):
                if not subscription.matches:
                    subscription.matched_after_s = now_s - subscription.at_s
                subscription.matches += 1

    def facts(self, starts_at_s: float) -> tuple[SubscriptionFact, ...]:
        """Return one fact per subscription, in the order in which they began."""
        return tuple(
            SubscriptionFact(
                subscription.node,
                subscription.at_s - starts_at_s,
                subscription.waiting,
                subscription.waiting_delivered,
                subscription.matches,
                subscription.matched_after_s,
            )
            for subscription in self._all
        )
