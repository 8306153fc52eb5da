"""Subscriptions as messages, and the table in which homes and publishers keep them for a while.

The table is soft state (broker and rendezvous paper, section 3.4): a subscriber says again and again what it asks for,
and who is silent for too long is forgotten. So nothing needs to be handed over when a role moves to another node.
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
from roamcast.routing.shared.geometry import is_place

NODE_BYTES, NUMBER_BYTES, POSITION_BYTES, TIME_BYTES = 4, 4, 8, 4
PARTS_MAX = 64
"""In how many messages a subscriber may say what it asks for at one home."""
SUBSCRIPTION_BYTES_MAX = 65_535
"""The largest subscription that is kept: what a datagram holds."""


@dataclass(frozen=True, slots=True)
class HomePayload(Message):
    """What is said to a home."""

    kind: ClassVar[str] = "home-payload"
    home: Destination
    """To which home; it is the packet's destination, and takes no bytes of its own."""


@dataclass(frozen=True, slots=True)
class Subscribe(HomePayload):
    """A subscriber says to a home what it asks for there, who it is and where."""

    kind: ClassVar[str] = "subscriptions"
    subscriber: int
    number: int
    """The subscriber's count of such messages, so that an old one that comes late is known as such."""
    interests: tuple[Interest, ...]
    attributes: Attributes
    """What is known of the subscriber, for access policies."""
    at: Position | None
    """Where it is; None if its events are brought to it by another way."""
    part: int = 0
    """Which of the parts it is, where a subscriber asks for more than one message holds."""

    def wants(self, event: Event) -> bool:
        """Tell whether the topic and the filter of one interest and the event's policy all hold."""
        return any(interest.matches(event) for interest in self.interests) and event.is_open_to(self.attributes)


def subscription_bytes(interests: tuple[Interest, ...], attributes: Attributes, at: Position | None) -> int:
    """Return the size of a subscription: subscriber, number, place, interests and attributes."""
    place = 0 if at is None else POSITION_BYTES
    return NODE_BYTES + NUMBER_BYTES + place + sum(map(_interest_bytes, interests)) + _attributes_bytes(attributes)


def is_sound_subscription(message: Subscribe) -> bool:
    """Tell whether a subscription's numbers can be true, so that nothing absurd is kept."""
    at = message.at
    return (
        0 < message.size_bytes <= SUBSCRIPTION_BYTES_MAX
        and len(message.interests) <= INTERESTS_MAX
        and message.number >= 0
        and 0 <= message.part < PARTS_MAX
        and (at is None or is_place(at))
    )


def _interest_bytes(interest: Interest) -> int:
    if isinstance(interest, TopicInterest):
        return 1 + len(interest.topic.path)
    return interest.size_bytes() if isinstance(interest, Predicate) else 1 + len(str(interest))


def _attributes_bytes(attributes: Attributes) -> int:
    """Return for each attribute its name, a byte for its type, and a number's 8 bytes or a text's own."""
    values = (len(value.encode()) + 2 if isinstance(value, str) else 8 for value in attributes.values())
    return sum(len(name) + 2 for name in attributes) + sum(values)


@dataclass(frozen=True, slots=True)
class KeptSubscription:
    """A subscription, and when it was heard."""

    message: Subscribe
    heard_at_s: float


class SubscriptionTable:
    """What subscribers have said lately, at most ``count_max`` messages; the one heard longest ago makes room."""

    def __init__(self, keep_s: float, count_max: int) -> None:
        self._keep_s = keep_s
        self._count_max = count_max
        self._kept: dict[tuple[int, Destination, int], KeptSubscription] = {}

    def add(self, message: Subscribe, heard_at_s: float, now_s: float) -> None:
        """Keep what a subscriber says, in place of what it said before; what came too late changes nothing."""
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
        """Yield the subscriptions that have not timed out, and forget the others."""
        self._kept = {key: each for key, each in self._kept.items() if self._is_fresh(each, now_s)}
        return iter(tuple(self._kept.values()))

    def wanting(self, event: Event, now_s: float) -> dict[int, Position | None]:
        """Return who is to get an event, and where they said last that they were; this is the policy decision."""
        wanting = sorted(
            (each for each in self.fresh(now_s) if each.message.wants(event)), key=lambda each: each.heard_at_s
        )
        return {each.message.subscriber: each.message.at for each in wanting}

    def size_bytes(self, now_s: float) -> int:
        """Return the size of all that is kept."""
        return sum(each.message.size_bytes + TIME_BYTES for each in self.fresh(now_s))

    def _is_fresh(self, kept: KeptSubscription, now_s: float) -> bool:
        return kept.heard_at_s + self._keep_s > now_s
