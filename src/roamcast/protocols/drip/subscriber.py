"""A DRIP node as a subscriber and publisher: its interests, its memberships, and its events."""

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host
from roamcast.core.widths import EVENT_ID_BYTES, NODE_BYTES, NUMBER_BYTES
from roamcast.protocols.drip.messages import Membership, addressed_bytes, interests_bytes
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.shared.event_tables import INTERESTS_MAX, EventTable, SeenEvents, StoredEvent

RECENT_MAX = 64
"""The most events that a node reports to a new broker as already received."""


class Subscriber:
    """A node's interests, its recent events, and the events it waits to publish."""

    def __init__(self, host: Host, parameters: DripParameters) -> None:
        self._host = host
        self._parameters = parameters
        self.interests: tuple[Interest, ...] = ()
        self._delivered = SeenEvents(parameters.identifiers_max)
        self._recent = EventTable(min(RECENT_MAX, parameters.identifiers_max), _age)
        self._unsent = EventTable(parameters.waiting_max, _age)
        self._memberships = 0
        self._registered_at_s, self._registered_via = host.now, -1

    def add(self, interest: Interest) -> bool:
        """Add an interest, and tell whether it is new."""
        is_new = interest not in self.interests and len(self.interests) < INTERESTS_MAX
        if is_new:
            self.interests = (*self.interests, interest)
        return is_new

    def remove(self, interest: Interest) -> bool:
        """Remove an interest, and tell whether it was there."""
        before = self.interests
        self.interests = tuple(each for each in before if each != interest)
        return self.interests != before

    # --- events --------------------------------------------------------------------------------------------

    def wants(self, event: Event) -> bool:
        """Tell whether the node is interested in an event."""
        return any(interest.matches(event) for interest in self.interests)

    def accept(self, event: Event) -> None:
        """Deliver an event to the application if it is wanted, new and valid."""
        if event.id not in self._delivered and event.is_valid(self._host.now) and self.wants(event):
            self._delivered.add(event, self._host.now)
            self._recent.add(event, self._host.now)
            self._host.deliver(event)

    def recent_events(self) -> tuple[EventId, ...]:
        """Return the valid events that a new broker need not send."""
        self._recent.forget_expired(self._host.now)
        return tuple(stored.event.id for stored in self._recent)

    def hold(self, event: Event) -> None:
        """Keep an event of this node until there is a broker for it."""
        self._unsent.add(event, self._host.now)

    def release_held(self) -> list[Event]:
        """Remove and return the valid events that waited for a broker."""
        unsent, self._unsent = self._unsent, EventTable(self._parameters.waiting_max, _age)
        return [stored.event for stored in unsent if stored.event.is_valid(self._host.now)]

    # --- memberships ---------------------------------------------------------------------------------------

    def is_due(self, via: int | None) -> bool:
        """Tell whether to register again: after a while, or when a subscriber's route has changed."""
        has_new_route = bool(self.interests) and via != self._registered_via
        return has_new_route or self._host.now - self._registered_at_s >= self._parameters.refresh_s

    def join_message(self, region: int, via: int | None, has: tuple[EventId, ...]) -> Membership:
        """Return the membership that registers this node with its broker, sent via a neighbour."""
        self._registered_at_s, self._registered_via = self._host.now, -1 if via is None else via
        return self._membership(region, self.interests, has, stays=1)

    def leave_message(self, region: int) -> Membership:
        """Return the membership with which this node leaves a region."""
        return self._membership(region, (), (), stays=0)

    def _membership(
        self, region: int, interests: tuple[Interest, ...], has: tuple[EventId, ...], stays: int
    ) -> Membership:
        self._memberships += 1
        payload_bytes = NODE_BYTES + NUMBER_BYTES + 1 + len(has) * EVENT_ID_BYTES
        payload_bytes += interests_bytes(interests, self._host.world.attribute_limits)
        size_bytes, hops = addressed_bytes(1, payload_bytes, self._parameters), self._parameters.hops_max
        number = self._memberships
        return Membership(size_bytes, (region,), hops, self._host.node, number, interests, has, stays)

    def size_bytes(self) -> int:
        """Return the size of the waiting events; the application's own interests are not counted."""
        return sum(stored.event.size_bytes for stored in self._unsent)


def _age(stored: StoredEvent) -> float:
    return stored.event.published_at_s
