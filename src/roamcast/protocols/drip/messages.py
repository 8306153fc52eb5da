"""What DRIP's nodes say to each other, and how large that is.

Announcements are broadcast through the whole network. All else is addressed to brokers or to nodes of a region and
goes hop by hop; where ways part, the list of addresses is split, so that a frame is sent once over each link.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.interests import Interest, TopicInterest
from roamcast.core.messages import Message
from roamcast.core.predicates import Predicate
from roamcast.core.ranges import Ranges, interest_ranges, ranges_bytes
from roamcast.core.widths import HOPS_BYTES, KIND_BYTES, NODE_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.drip.parameters import HOPS_LIMIT, DripParameters
from roamcast.protocols.shared.event_tables import EVENT_BYTES_MAX, INTERESTS_MAX, is_sound

NUMBER_MAX = 2**31
RESIGNED = -1
"""In the place of a version: the broker is none any more."""
EVERYTHING = -1
"""In the place of a version: what follows is all there is."""
MESSAGE_BYTES_MAX = 2 * EVENT_BYTES_MAX
ADDRESSES_MAX = 512
"""The most addresses of a message."""


@dataclass(frozen=True, slots=True)
class Announcement(Message):
    """A broker is there; every node relays it once, or when its distance is shorter than it knew."""

    kind: ClassVar[str] = "announcements"
    broker: int
    number: int
    """The broker's count of announcements."""
    hops: int
    """How far from the broker the sender of this frame is; a weak link counts for two."""
    sent_at_s: float
    """When the broker sent it, from which others tell the delay."""
    version: int
    """How often the subscriptions of the broker's region have changed."""
    at: Position | None
    """Where the sender of this frame is: it stands for the strength of the signal, and takes no bytes."""


@dataclass(frozen=True, slots=True)
class Addressed(Message):
    """A message that goes hop by hop."""

    kind: ClassVar[str] = "addressed"
    to: tuple[int, ...]
    hops_left: int


@dataclass(frozen=True, slots=True)
class Membership(Addressed):
    """A node says to its broker that it is of the region, or leaves it, and what it asks for; it leaves a way back."""

    kind: ClassVar[str] = "memberships"
    node: int
    number: int
    """The node's count of such messages."""
    interests: tuple[Interest, ...]
    has: tuple[EventId, ...]
    """Valid events of this kind that it had from another broker."""
    stays: int
    """0: the node leaves the region."""


@dataclass(frozen=True, slots=True)
class Shared(Addressed):
    """A broker tells others what its region asks for: what has changed, or everything."""

    kind: ClassVar[str] = "shared-subscriptions"
    broker: int
    version: int
    since: int
    """The version that this changes; ``EVERYTHING``: none."""
    added: tuple[Interest, ...]
    removed: tuple[Interest, ...]
    has: tuple[EventId, ...]
    """Events that those who ask now have already."""


@dataclass(frozen=True, slots=True)
class Ask(Addressed):
    """A broker asks another for all subscriptions of its region, because it has missed something."""

    kind: ClassVar[str] = "asks"
    asker: int


@dataclass(frozen=True, slots=True)
class Publication(Addressed):
    """An event on its way to its own broker, or to others whose region asked for it."""

    kind: ClassVar[str] = "publications"
    event: Event
    spread: int
    """1: to the publisher's broker, which sends it on to others."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


@dataclass(frozen=True, slots=True)
class Notification(Addressed):
    """An event on its way down from a broker to nodes of its region."""

    kind: ClassVar[str] = "notifications"
    event: Event
    broker: int

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


@dataclass(frozen=True, slots=True)
class Undelivered(Addressed):
    """A relay tells the broker that the way down to some nodes is broken."""

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
    """Return the size of an addressed message: IP and UDP, its kind, hops and addresses, and what it holds."""
    return parameters.header_bytes + KIND_BYTES + HOPS_BYTES + addresses * NODE_BYTES + payload_bytes


ANNOUNCEMENT_BYTES = KIND_BYTES + NODE_BYTES + NUMBER_BYTES + HOPS_BYTES + TIME_BYTES + NUMBER_BYTES
"""Without the headers of IP and UDP."""


def is_sound_announcement(message: Announcement) -> bool:
    """Tell whether an announcement's numbers can be true."""
    return (
        0 <= message.hops < HOPS_LIMIT
        and 0 <= message.broker < NUMBER_MAX
        and 0 < message.number < NUMBER_MAX
        and RESIGNED <= message.version < NUMBER_MAX
        and isfinite(message.sent_at_s)
    )


def is_sound_addressed(message: Addressed) -> bool:
    """Tell whether lists are not overlong and numbers can be true."""
    events_bytes = sum(event.size_bytes for event in message.events)
    if not 0 < len(message.to) <= ADDRESSES_MAX or not events_bytes <= message.size_bytes <= MESSAGE_BYTES_MAX:
        return False
    if not all(map(is_sound, message.events)):
        return False
    if isinstance(message, Membership):
        return 0 <= message.number < NUMBER_MAX and max(len(message.interests), len(message.has)) <= INTERESTS_MAX
    if isinstance(message, Shared):
        return 0 <= message.version < NUMBER_MAX and EVERYTHING <= message.since < NUMBER_MAX
    return not isinstance(message, Undelivered) or len(message.nodes) <= ADDRESSES_MAX
