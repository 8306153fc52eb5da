"""The table in which homes and publishers keep subscriptions for a while.

It is soft state (broker and rendezvous paper, section 3.4): a subscriber repeats its subscriptions, and one that
is silent for too long is forgotten. So nothing needs to be handed over when a role moves to another node.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.protocols.shared.topic_homes.messages import TIME_BYTES, Subscribe
from roamcast.routing import Destination


@dataclass(frozen=True, slots=True)
class KeptSubscription:
    """A subscription, and when it was heard."""

    message: Subscribe
    heard_at_s: float


class SubscriptionTable:
    """The subscriptions heard lately, at most ``count_max`` messages; the one heard longest ago is replaced."""

    def __init__(self, keep_s: float, count_max: int) -> None:
        self._keep_s = keep_s
        self._count_max = count_max
        self._kept: dict[tuple[int, Destination, int], KeptSubscription] = {}

    def add(self, message: Subscribe, heard_at_s: float, now_s: float) -> None:
        """Store a subscription in place of the subscriber's previous one; ignore a message that is too old."""
        if heard_at_s + self._keep_s <= now_s:
            return
        key = (message.subscriber, message.home, message.part)
        before = self._kept.get(key)
        if before is not None and before.message.number > message.number and self._is_fresh(before, now_s):
            return
        if before is None and len(self._kept) >= self._count_max:
            del self._kept[min(self._kept, key=lambda each: self._kept[each].heard_at_s)]
        self._kept[key] = KeptSubscription(message, heard_at_s)

    def fresh(self, now_s: float) -> Iterator[KeptSubscription]:
        """Return the subscriptions that have not timed out, and forget the others."""
        self._kept = {key: each for key, each in self._kept.items() if self._is_fresh(each, now_s)}
        return iter(tuple(self._kept.values()))

    def subscribers_of(self, event: Event, now_s: float) -> dict[int, Position | None]:
        """Return the nodes that are to get an event, with their last known positions; this is the policy decision."""
        interested = sorted(
            (each for each in self.fresh(now_s) if each.message.wants(event)), key=lambda each: each.heard_at_s
        )
        return {each.message.subscriber: each.message.at for each in interested}

    def size_bytes(self, now_s: float) -> int:
        """Return the size of all stored subscriptions."""
        return sum(each.message.size_bytes + TIME_BYTES for each in self.fresh(now_s))

    def _is_fresh(self, kept: KeptSubscription, now_s: float) -> bool:
        return kept.heard_at_s + self._keep_s > now_s
