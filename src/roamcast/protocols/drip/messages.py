"""The messages of DRIP, and their sizes.

Announcements are flooded through the whole network. All others are addressed to brokers or to nodes of a region and
travel hop by hop; where routes diverge, the list of addresses is split, so that a frame is sent once over each link.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite
from typing import ClassVar, Self

from roamcast.core.attribute_ranges import Ranges, interest_ranges, ranges_bytes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.predicates import Predicate
from roamcast.core.widths import HOPS_BYTES, KIND_BYTES, NODE_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.drip.parameters import HOPS_LIMIT, DripParameters
from roamcast.protocols.shared.event_tables import EVENT_BYTES_MAX, INTERESTS_MAX, is_sound

NUMBER_MAX = 2**31
RESIGNED = -1
"""Stands for a version in the announcement of a broker that resigns."""
EVERYTHING = -1
"""Stands for a version where the message holds all subscriptions."""
MESSAGE_BYTES_MAX = 2 * EVENT_BYTES_MAX
ADDRESSES_MAX = 512
"""The most addresses of a message."""


@dataclass(frozen=True, slots=True)
class Announcement(Message):
    """Here is a broker; every node relays it once, and again if the path is shorter than it knew."""

    kind: ClassVar[str] = "announcements"
    broker: int
    number: int
    """The broker's count of announcements."""
    hops: int
    """The distance of this frame's sender from the broker; a weak link counts for two."""
    sent_at_s: float
    """When the broker sent it, from which others compute the delay."""
    version: int
    """How often the subscriptions of the broker's region have changed."""
    at: Position | None
    """The position of this frame's sender; it stands for the strength of the signal, and takes no bytes."""


@dataclass(frozen=True, slots=True)
class Addressed(Message):
    """A message that travels hop by hop."""

    kind: ClassVar[str] = "addressed"
    to: tuple[int, ...]
    hops_left: int

    def onward(self, size_bytes: int, to: tuple[int, ...], hops_left: int) -> Self:
        """Return the message for some of its addresses; kinds that are sent often do it faster."""
        return replace(self, size_bytes=size_bytes, to=to, hops_left=hops_left)


@dataclass(frozen=True, slots=True)
class Membership(Addressed):
    """A node joins its broker's region or leaves it, and states its interests; the message leaves a route back."""

    kind: ClassVar[str] = "memberships"
    node: int
    number: int
    """The node's count of such messages."""
    interests: tuple[Interest, ...]
    has: tuple[EventId, ...]
    """Matching valid events that it has received from another broker."""
    stays: int
    """0 if the node leaves the region."""

    def onward(self, size_bytes: int, to: tuple[int, ...], hops_left: int) -> Self:
        """Return the message for some of its addresses."""
        return type(self)(size_bytes, to, hops_left, self.node, self.number, self.interests, self.has, self.stays)


@dataclass(frozen=True, slots=True)
class Shared(Addressed):
    """A broker shares its region's subscriptions with others: the changes, or everything."""

    kind: ClassVar[str] = "shared-subscriptions"
    broker: int
    version: int
    since: int
    """The version that this changes, or ``EVERYTHING``."""
    added: tuple[Interest, ...]
    removed: tuple[Interest, ...]
    has: tuple[EventId, ...]
    """Events that the new subscribers have already."""

    def onward(self, size_bytes: int, to: tuple[int, ...], hops_left: int) -> Self:
        """Return the message for some of its addresses."""
        changes = self.since, self.added, self.removed, self.has
        return type(self)(size_bytes, to, hops_left, self.broker, self.version, *changes)


@dataclass(frozen=True, slots=True)
class Ask(Addressed):
    """A broker asks another for all subscriptions of its region, because it has missed something."""

    kind: ClassVar[str] = "asks"
    asker: int


@dataclass(frozen=True, slots=True)
class Publication(CarriesEvent, Addressed):
    """An event on its way to its publisher's broker, or to others whose regions want it."""

    kind: ClassVar[str] = "publications"
    event: Event
    spread: int
    """1 if it goes to the publisher's broker, which forwards it to others."""

    def onward(self, size_bytes: int, to: tuple[int, ...], hops_left: int) -> Self:
        """Return the message for some of its addresses."""
        return type(self)(size_bytes, to, hops_left, self.event, self.spread)


@dataclass(frozen=True, slots=True)
class Notification(CarriesEvent, Addressed):
    """An event on its way down from a broker to nodes of its region."""

    kind: ClassVar[str] = "notifications"
    event: Event
    broker: int

    def onward(self, size_bytes: int, to: tuple[int, ...], hops_left: int) -> Self:
        """Return the message for some of its addresses."""
        return type(self)(size_bytes, to, hops_left, self.event, self.broker)


@dataclass(frozen=True, slots=True)
class Undelivered(Addressed):
    """A relay tells the broker that the route down to some nodes is broken."""

    kind: ClassVar[str] = "undelivered"
    event_id: EventId
    nodes: tuple[int, ...]


def interest_bytes(interest: Interest, limits: Ranges) -> int:
    """Return the size of a subscription: ranges as numbers, or the topic or predicate as text."""
    ranges = interest_ranges(interest, limits)
    if ranges:
        return 1 + ranges_bytes(ranges)
    if isinstance(interest, TopicInterest):
        return 1 + len(interest.topic.path)
    return interest.size_bytes() if isinstance(interest, Predicate) else 1


def interests_bytes(interests: Iterable[Interest], limits: Ranges) -> int:
    """Return the size of several subscriptions."""
    return sum(interest_bytes(each, limits) for each in interests)


def addressed_bytes(addresses: int, payload_bytes: int, parameters: DripParameters) -> int:
    """Return the size of an addressed message: IP and UDP headers, its kind, hops and addresses, and its payload."""
    return parameters.header_bytes + KIND_BYTES + HOPS_BYTES + addresses * NODE_BYTES + payload_bytes


ANNOUNCEMENT_BYTES = KIND_BYTES + NODE_BYTES + NUMBER_BYTES + HOPS_BYTES + TIME_BYTES + NUMBER_BYTES
"""The size of an announcement without IP and UDP headers, in bytes."""


def is_sound_announcement(message: Announcement) -> bool:
    """Tell whether an announcement's numbers are plausible."""
    return (
        0 <= message.hops < HOPS_LIMIT
        and 0 <= message.broker < NUMBER_MAX
        and 0 < message.number < NUMBER_MAX
        and RESIGNED <= message.version < NUMBER_MAX
        and isfinite(message.sent_at_s)
    )


def is_sound_addressed(message: Addressed) -> bool:
    """Tell whether a message's lists are not too long and its numbers plausible."""
    events_bytes = 0
    for event in message.events:
        if not is_sound(event):
            return False
        events_bytes += event.size_bytes
    if not 0 < len(message.to) <= ADDRESSES_MAX or not events_bytes <= message.size_bytes <= MESSAGE_BYTES_MAX:
        return False
    if isinstance(message, Membership):
        return 0 <= message.number < NUMBER_MAX and max(len(message.interests), len(message.has)) <= INTERESTS_MAX
    if isinstance(message, Shared):
        return 0 <= message.version < NUMBER_MAX and EVERYTHING <= message.since < NUMBER_MAX
    return not isinstance(message, Undelivered) or len(message.nodes) <= ADDRESSES_MAX
