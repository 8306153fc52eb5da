"""The subscriptions made during the measurement and their matches, in both directions (BRVST paper, section V-A).

A subscription made after an event finds it waiting, if it is still valid. A subscription's time to its first match ends
when the first event that it matches is delivered to its node: this is what the user sees, whatever the protocol. An
event that was delivered to the node before, because of another subscription, does not count.

The workload alone decides since when a subscription has had a *counterpart*: since its start, if an event waited for
it, and else since the first matching event was published. An event that the node had asked for before, which only comes
late, is no counterpart of a new subscription.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.sim.facts import FirstMatchFact, SubscriptionFact


@dataclass(slots=True, eq=False)
class _Measured:
    """A subscription and its matches so far."""

    node: int
    interest: Interest
    at_s: float
    waiting: int = 0
    waiting_delivered: int = 0
    matches: int = 0
    matched_after_s: float = 0.0
    counterpart_after_s: float | None = None
    """The time to its first counterpart; None if there was none."""
    counterpart_sent_after_s: float | None = None
    """The time to the first delivery of a counterpart."""


class MeasuredSubscriptions:
    """The subscriptions made during the measurement."""

    def __init__(self) -> None:
        self._all: list[_Measured] = []
        self._live: dict[int, list[_Measured]] = {}
        self._waiting: dict[tuple[EventId, int], _Measured] = {}
        self._alone: list[_Measured] = []
        """Those that last and had no counterpart so far."""

    def any(self) -> bool:
        """Tell whether there are any."""
        return bool(self._all)

    def begin(self, node: int, interest: Interest, now_s: float) -> None:
        """Note a new subscription."""
        subscription = _Measured(node, interest, now_s)
        self._all.append(subscription)
        self._live.setdefault(node, []).append(subscription)
        self._alone.append(subscription)

    def found_waiting(self, node: int, event: Event) -> None:
        """Note that the node's newest subscription has found an event waiting."""
        subscription = self._live[node][-1]
        subscription.waiting += 1
        self._waiting[event.id, node] = subscription
        self._has_counterpart([subscription], subscription.at_s)

    def published(self, event: Event, interested: Collection[int], now_s: float) -> None:
        """Note a new event and the nodes that asked for it."""
        alone = [each for each in self._alone if each.node in interested and each.interest.matches(event)]
        self._has_counterpart(alone, now_s)

    def _has_counterpart(self, subscriptions: Sequence[_Measured], now_s: float) -> None:
        for subscription in subscriptions:
            if subscription.counterpart_after_s is None:
                subscription.counterpart_after_s = now_s - subscription.at_s
                self._alone.remove(subscription)

    def end(self, node: int, interest: Interest) -> None:
        """Note the end of a subscription."""
        live = self._live.get(node, [])
        self._live[node] = [subscription for subscription in live if subscription.interest != interest]
        self._alone = [each for each in self._alone if each.node != node or each.interest != interest]

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
                is_counterpart = found_it is subscription or event.published_at_s >= subscription.at_s
                if is_counterpart and subscription.counterpart_sent_after_s is None:
                    subscription.counterpart_sent_after_s = now_s - subscription.at_s

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

    def first_matches(self) -> Iterator[FirstMatchFact]:
        """Yield a fact for each subscription that had a counterpart."""
        for number, subscription in enumerate(self._all):
            yield from first_match_facts(
                False, number, subscription.counterpart_after_s, subscription.counterpart_sent_after_s
            )


def first_match_facts(
    is_publication: bool, number: int, counterpart_after_s: float | None, matched_after_s: float | None
) -> Iterator[FirstMatchFact]:
    """Yield the fact about one message, or nothing if it had no counterpart."""
    if counterpart_after_s is not None:
        is_matched = matched_after_s is not None
        yield FirstMatchFact(is_publication, number, counterpart_after_s, is_matched, matched_after_s or 0.0)
