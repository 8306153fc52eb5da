"""The messages of the systems with homes (broker and rendezvous paper, section 3), and their sizes."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.attributes import Attributes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event
from roamcast.core.host import Position
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.predicates import Predicate
from roamcast.core.topics import Topic
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


@dataclass(frozen=True, slots=True)
class SubscriptionCopy(Message):
    """A node at a home tells its neighbours of a subscription it has captured."""

    kind: ClassVar[str] = "subscription-copies"
    subscription: Subscribe


@dataclass(frozen=True, slots=True)
class Notification(CarriesEvent, Message):
    """An event for one subscriber."""

    kind: ClassVar[str] = "notifications"
    event: Event


@dataclass(frozen=True, slots=True)
class BrokeredEvent(CarriesEvent, HomePayload):
    """An event on its way to a broker."""

    kind: ClassVar[str] = "publications"
    event: Event


@dataclass(frozen=True, slots=True)
class Advertise(HomePayload):
    """A publisher asks a home who subscribes to a topic."""

    kind: ClassVar[str] = "advertisements"
    publisher: int
    topic: Topic
    at: Position | None
    """The publisher's position, for the answer."""


@dataclass(frozen=True, slots=True)
class SubscriptionList(Message):
    """A home tells a publisher which subscriptions it has heard lately, and how many seconds ago."""

    kind: ClassVar[str] = "subscription-lists"
    topic: Topic
    home: Destination
    subscriptions: tuple[tuple[Subscribe, float], ...]


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
