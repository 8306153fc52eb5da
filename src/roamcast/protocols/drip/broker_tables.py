"""A DRIP broker's tables: the nodes of its region, the subscriptions of other regions, and events."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from roamcast.core.attribute_ranges import Ranges, event_ranges, ranges_bytes
from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.widths import EVENT_ID_BYTES, NODE_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.drip.messages import interest_bytes, interests_bytes

MEMBER_BYTES = NODE_BYTES + NUMBER_BYTES + TIME_BYTES


@dataclass(slots=True)
class Member:
    """A node of the region."""

    number: int
    interests: tuple[Interest, ...]
    heard_at_s: float
    is_owed: bool = False
    """Whether an event failed to reach it; when it is heard again, it is sent whatever it lacks."""

    def wants(self, event: Event) -> bool:
        """Tell whether it is interested in an event."""
        return any(interest.matches(event) for interest in self.interests)


@dataclass(slots=True)
class OtherRegion:
    """The subscriptions that another broker has shared of its region."""

    version: int = 0
    interests: dict[Interest, None] = field(default_factory=dict)
    announced: int = 0
    """The version in its previous announcement: if that has not arrived by the next one, it is requested."""

    def wants(self, event: Event) -> bool:
        """Tell whether the region is interested in an event."""
        return any(interest.matches(event) for interest in self.interests)


@dataclass(slots=True)
class KeptEvent:
    """An event that a broker keeps while it is valid."""

    event: Event
    is_home: bool
    """Whether it was published in this region, so that this broker sends it to others."""
    notified: set[int] = field(default_factory=set)
    """The nodes of the region to which it was sent."""
    sent_to: set[int] = field(default_factory=set)
    """The brokers to which it was sent."""


class Members:
    """The nodes of a region, at most ``count_max``, and how many of them have each interest."""

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        self._members: dict[int, Member] = {}
        self._interest_counts: Counter[Interest] = Counter()

    def __contains__(self, node: int) -> bool:
        return node in self._members

    def __len__(self) -> int:
        return len(self._members)

    def get(self, node: int) -> Member | None:
        """Return a member."""
        return self._members.get(node)

    def interested_in(self, event: Event) -> Iterator[int]:
        """Return the members that want an event."""
        return (node for node, member in self._members.items() if member.interests and member.wants(event))

    def interests(self) -> tuple[Interest, ...]:
        """Return the interests of the region."""
        return tuple(self._interest_counts)

    def put(self, node: int, member: Member) -> tuple[tuple[Interest, ...], tuple[Interest, ...]] | None:
        """Store a member in place of its previous state; return the interests new to the region and those that end.

        None if there are too many members already.
        """
        before = self._members.get(node)
        if before is None and len(self._members) >= self._count_max:
            return None
        self._members[node] = member
        return self._count(member.interests, before.interests if before else ())

    def remove(self, node: int) -> tuple[Interest, ...]:
        """Forget a member, and return the interests that nobody has any more."""
        member = self._members.pop(node, None)
        return self._count((), member.interests)[1] if member else ()

    def silent(self, since_s: float) -> list[int]:
        """Return the members not heard since a given time."""
        return [node for node, member in self._members.items() if member.heard_at_s < since_s]

    def _count(
        self, now: tuple[Interest, ...], before: tuple[Interest, ...]
    ) -> tuple[tuple[Interest, ...], tuple[Interest, ...]]:
        if now == before:
            return (), ()
        added = tuple(each for each in dict.fromkeys(now) if each not in self._interest_counts)
        self._interest_counts.update(dict.fromkeys(now, 1))
        self._interest_counts.subtract(dict.fromkeys(before, 1))
        removed = tuple(each for each in dict.fromkeys(before) if self._interest_counts[each] <= 0)
        for interest in removed:
            del self._interest_counts[interest]
        return added, removed

    def size_bytes(self, limits: Ranges) -> int:
        """Return the size of all members and their interests."""
        members = self._members.values()
        return sum(MEMBER_BYTES + interests_bytes(member.interests, limits) for member in members)


class KeptEvents:
    """The valid events that a broker has, at most ``count_max``; an expired one is replaced first, then the oldest."""

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        self._kept: dict[EventId, KeptEvent] = {}

    def __iter__(self) -> Iterator[KeptEvent]:
        return iter(tuple(self._kept.values()))

    def get(self, event_id: EventId) -> KeptEvent | None:
        """Return an event that is kept."""
        return self._kept.get(event_id)

    def put(self, event: Event, is_home: bool, now_s: float) -> KeptEvent:
        """Store an event, and return its record."""
        kept = self._kept.get(event.id)
        if kept is None:
            if len(self._kept) >= self._count_max:
                self.forget_expired(now_s)
            if len(self._kept) >= self._count_max:
                del self._kept[next(iter(self._kept))]
            kept = self._kept[event.id] = KeptEvent(event, is_home)
        kept.is_home = kept.is_home or is_home
        return kept

    def forget_expired(self, now_s: float) -> None:
        """Remove the events that are no longer valid."""
        self._kept = {each: kept for each, kept in self._kept.items() if kept.event.is_valid(now_s)}

    def size_bytes(self, limits: Ranges) -> int:
        """Return the size of what events are matched by; their contents, and who has received them, are left out."""
        ranges = (event_ranges(kept.event.attributes, limits) for kept in self._kept.values())
        return sum(EVENT_ID_BYTES + TIME_BYTES + ranges_bytes(each) for each in ranges)


def region_bytes(region: OtherRegion, limits: Ranges) -> int:
    """Return the size of what is stored about another region."""
    return NODE_BYTES + 2 * NUMBER_BYTES + sum(interest_bytes(each, limits) for each in region.interests)
