"""Subscription messages, and the table in which homes and publishers keep them for a while.

The table is soft state (broker and rendezvous paper, section 3.4): a subscriber repeats its subscriptions, and one that
is silent for too long is forgotten. So nothing needs to be handed over when a role moves to another node.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.attributes import Attributes
from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.core.interests import Interest, TopicInterest
from roamcast.core.messages import Message
from roamcast.core.predicates import Predicate
from roamcast.protocols.shared.event_tables import INTERESTS_MAX
from roamcast.routing import Destination
from roamcast.routing.shared.geometry import is_sound_position

NODE_BYTES, NUMBER_BYTES, POSITION_BYTES, TIME_BYTES = 4, 4, 8, 4
PARTS_MAX = 64
"""The most messages over which a subscriber may spread its subscriptions at one home."""
SUBSCRIPTION_BYTES_MAX = 65_535
"""The largest subscription that is kept, in bytes: the most a datagram holds."""


@dataclass(frozen=True, slots=True)
class HomePayload(Message):
    """A payload addressed to a home."""

    kind: ClassVar[str] = "home-payload"
    home: Destination
    """The home it is for; the packet's destination already says so, so it takes no bytes of its own."""


@dataclass(frozen=True, slots=True)
class Subscribe(HomePayload):
    """A subscriber tells a home its interests there, who it is and where it is."""

    kind: ClassVar[str] = "subscriptions"
    subscriber: int
    number: int
    """The subscriber's count of such messages, so that an old one that arrives late is recognised."""
    interests: tuple[Interest, ...]
    attributes: Attributes
    """The subscriber's attributes, for access policies."""
    at: Position | None
    """The subscriber's position; None if its events reach it without one."""
    part: int = 0
    """The index of this message, where a subscriber has more interests than one message holds."""

    def wants(self, event: Event) -> bool:
        """Tell whether one of the interests matches an event and the event's policy admits the subscriber."""
        return any(interest.matches(event) for interest in self.interests) and event.is_open_to(self.attributes)


def subscription_bytes(interests: tuple[Interest, ...], attributes: Attributes, at: Position | None) -> int:
    """Return the size of a subscription: subscriber, number, position, interests and attributes."""
    at_bytes = 0 if at is None else POSITION_BYTES
    return NODE_BYTES + NUMBER_BYTES + at_bytes + sum(map(_interest_bytes, interests)) + _attributes_bytes(attributes)


def is_sound_subscription(message: Subscribe) -> bool:
    """Tell whether a subscription's numbers are plausible, so that nothing absurd is kept."""
    at = message.at
    return (
        0 < message.size_bytes <= SUBSCRIPTION_BYTES_MAX
        and len(message.interests) <= INTERESTS_MAX
        and message.number >= 0
        and 0 <= message.part < PARTS_MAX
        and (at is None or is_sound_position(at))
    )


def _interest_bytes(interest: Interest) -> int:
    if isinstance(interest, TopicInterest):
        return 1 + len(interest.topic.path)
    return interest.size_bytes() if isinstance(interest, Predicate) else 1 + len(str(interest))


def _attributes_bytes(attributes: Attributes) -> int:
    """Return the size of attributes: each has its name, a byte for its type, and 8 bytes of number or its text."""
    values = (len(value.encode()) + 2 if isinstance(value, str) else 8 for value in attributes.values())
    return sum(len(name) + 2 for name in attributes) + sum(values)


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
