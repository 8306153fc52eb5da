"""A node of DRIP as one who asks and publishes: its interests, its memberships, and the events that it has."""

from roamcast.core.events import Event, EventId
from roamcast.core.host import Host
from roamcast.core.interests import Interest
from roamcast.core.widths import EVENT_ID_BYTES, NODE_BYTES, NUMBER_BYTES
from roamcast.protocols.drip.messages import Membership, addressed_bytes, interests_bytes
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.shared.event_tables import INTERESTS_MAX, EventTable, SeenEvents, StoredEvent

HAD_MAX = 64
"""How many events a node tells a new broker of that it has already."""


class Subscriber:
    """What a node asks for, has, and waits to publish."""

    def __init__(self, host: Host, parameters: DripParameters) -> None:
        self._host = host
        self._parameters = parameters
        self.interests: tuple[Interest, ...] = ()
        self._delivered = SeenEvents(parameters.identifiers_max)
        self._had = EventTable(min(HAD_MAX, parameters.identifiers_max), _age)
        self._unsent = EventTable(parameters.waiting_max, _age)
        self._memberships = 0
        self._told_at_s, self._told_over = host.now, -1

    def add(self, interest: Interest) -> bool:
        """Ask for something; tell whether that is new."""
        is_new = interest not in self.interests and len(self.interests) < INTERESTS_MAX
        if is_new:
            self.interests = (*self.interests, interest)
        return is_new

    def remove(self, interest: Interest) -> bool:
        """Ask for something no more; tell whether it was asked for."""
        before = self.interests
        self.interests = tuple(each for each in before if each != interest)
        return self.interests != before

    # --- events --------------------------------------------------------------------------------------------

    def wants(self, event: Event) -> bool:
        """Tell whether an event is asked for."""
        return any(interest.matches(event) for interest in self.interests)

    def take(self, event: Event) -> None:
        """Hand an event to the application if it is wanted, new and valid."""
        if event.id not in self._delivered and event.is_valid(self._host.now) and self.wants(event):
            self._delivered.add(event, self._host.now)
            self._had.add(event, self._host.now)
            self._host.deliver(event)

    def has(self) -> tuple[EventId, ...]:
        """Return the valid events that a new broker need not send."""
        self._had.forget_expired(self._host.now)
        return tuple(stored.event.id for stored in self._had)

    def hold(self, event: Event) -> None:
        """Keep an event of this node until there is a broker for it."""
        self._unsent.add(event, self._host.now)

    def held(self) -> list[Event]:
        """Return the valid events that have waited for a broker, and wait no more."""
        unsent, self._unsent = self._unsent, EventTable(self._parameters.waiting_max, _age)
        return [stored.event for stored in unsent if stored.event.is_valid(self._host.now)]

    # --- memberships ---------------------------------------------------------------------------------------

    def is_due(self, over: int | None) -> bool:
        """Tell whether the broker must hear of this node again: after a while, or if events must come another way."""
        is_other_way = bool(self.interests) and over != self._told_over
        return is_other_way or self._host.now - self._told_at_s >= self._parameters.refresh_s

    def joins(self, region: int, over: int | None, has: tuple[EventId, ...]) -> Membership:
        """Return what this node says to its broker, over a neighbour."""
        self._told_at_s, self._told_over = self._host.now, -1 if over is None else over
        return self._membership(region, self.interests, has, stays=1)

    def leaves(self, region: int) -> Membership:
        """Return what it says to the broker of a region that it leaves."""
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
        """Return the size of the events that wait; what the node's own application asks for is not counted."""
        return sum(stored.event.size_bytes for stored in self._unsent)


def _age(stored: StoredEvent) -> float:
    return stored.event.published_at_s
