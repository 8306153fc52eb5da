"""A broker of DRIP: collects the subscriptions and events of its region, shares them with other brokers, and matches.

Brokers share all subscriptions and all events of their regions; or, with ``publications = "wanted"``, events only with
brokers whose regions want them. Matching works in both directions, as in the protocols DRIP is compared with: events
are kept while they are valid, and later subscribers get them from the broker of their region or, if that has not got
them, from the broker where they were published, once the subscription has been shared with it.

What is shared is soft state: announcements carry the version of a region's subscriptions, and a broker that has missed
a change asks for all of them.
"""

from collections.abc import Callable

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Host
from roamcast.core.widths import EVENT_ID_BYTES, NODE_BYTES, NUMBER_BYTES
from roamcast.protocols.drip.broker_tables import KeptEvent, KeptEvents, Member, Members, OtherRegion, region_bytes
from roamcast.protocols.drip.messages import (
    EVERYTHING,
    Announcement,
    Ask,
    Membership,
    Notification,
    Publication,
    Shared,
    Undelivered,
    addressed_bytes,
    interests_bytes,
)
from roamcast.protocols.drip.parameters import ALL, DripParameters
from roamcast.protocols.drip.paths import Paths
from roamcast.protocols.drip.regions import BrokerList


class BrokerRole:
    """The actions and state of a node while it is a broker."""

    def __init__(
        self,
        host: Host,
        parameters: DripParameters,
        brokers: BrokerList,
        paths: Paths,
        accept: Callable[[Event], None],
        version: int,
    ) -> None:
        self._host = host
        self._accept = accept
        """Delivers an event to the node's own application, if it wants it."""
        self._parameters = parameters
        self._shares_all = parameters.publications == ALL
        self._brokers = brokers
        self._paths = paths
        self._members = Members(parameters.members_max)
        self._regions: dict[int, OtherRegion] = {}
        self._events = KeptEvents(parameters.events_max)
        self._added: dict[Interest, None] = {}
        self._removed: dict[Interest, None] = {}
        """Interests new to the region, and interests it has no more, that have not been shared with other brokers."""
        self._already_had: dict[EventId, None] = {}
        """Events that the new subscribers have already."""
        self.version = version

    # --- this region ---------------------------------------------------------------------------------------

    def on_membership(self, message: Membership) -> None:
        """Add or remove a node, share what has changed, and send the node what it lacks."""
        node = message.node
        before = self._members.get(node)
        if before is not None and message.number < before.number:
            return
        if not message.stays:
            self._note_change((), self._members.remove(node), ())
            return
        if len(self._members.interests()) + len(message.interests) > self._parameters.subscriptions_max:
            self._host.drop(message, "too-many-subscriptions")
            return
        changed = self._members.put(node, Member(message.number, message.interests, self._host.now))
        if changed is None:
            self._host.drop(message, "too-many-members")
            return
        for event_id in message.has:
            if kept := self._events.get(event_id):
                kept.notified.add(node)
        self._note_change(*changed, message.has)
        if before is not None and self._added:
            self.share_changes()  # a node from another region has been served there, and can wait a moment
        if before is None or before.is_owed or before.interests != message.interests:
            self._serve(node)

    def _serve(self, node: int) -> None:
        """Send a member the events that it wants and has not been sent."""
        member = self._members.get(node)
        for kept in self._events:
            if member is not None and node not in kept.notified and member.wants(kept.event):
                self._notify(kept, (node,))

    def _notify(self, kept: KeptEvent, nodes: tuple[int, ...]) -> None:
        """Send an event down to members, if it is still valid."""
        event = kept.event
        others = tuple(node for node in nodes if node not in (self._host.node, event.id.publisher))
        kept.notified.update(nodes)
        if self._host.node in nodes:
            self._accept(event)
        if not others or not event.is_valid(self._host.now):
            return
        size_bytes = addressed_bytes(len(others), NODE_BYTES + event.size_bytes, self._parameters)
        message = Notification(size_bytes, others, self._parameters.hops_max, event, self._host.node)
        self.owe(event.id, self._paths.send_down(message))

    def owe(self, event_id: EventId, nodes: tuple[int, ...]) -> None:
        """Record that an event did not reach members: it is sent again when they are next heard."""
        kept = self._events.get(event_id)
        for node in nodes:
            member = self._members.get(node)
            if member is not None and kept is not None:
                member.is_owed = True
                kept.notified.discard(node)

    def on_undelivered(self, message: Undelivered) -> None:
        """Record a relay's report of members that an event did not reach."""
        self.owe(message.event_id, message.nodes)

    # --- events --------------------------------------------------------------------------------------------

    def on_publication(self, event: Event, spread: bool) -> None:
        """Keep an event; send it to interested members and, if it is from here, to brokers of interested regions."""
        kept = self._events.put(event, spread, self._host.now)
        interested = tuple(node for node in self._members.interested_in(event) if node not in kept.notified)
        self._notify(kept, interested)
        if spread and self._shares_all:
            self._send_to(kept, list(self._brokers))
        elif spread:
            self._send_to(kept, [each for each, region in self._regions.items() if region.wants(event)])

    def _send_to(self, kept: KeptEvent, brokers: list[int]) -> None:
        to = tuple(each for each in brokers if each not in kept.sent_to and each in self._brokers)
        if to and kept.event.is_valid(self._host.now):
            kept.sent_to.update(to)
            size_bytes = addressed_bytes(len(to), kept.event.size_bytes, self._parameters)
            self._paths.send_up(Publication(size_bytes, to, self._parameters.hops_max, kept.event, spread=0))

    def home_events(self) -> list[Event]:
        """Return the valid events of this region, for the next broker."""
        return [kept.event for kept in self._events if kept.is_home and kept.event.is_valid(self._host.now)]

    # --- other regions -------------------------------------------------------------------------------------

    def _note_change(
        self, added: tuple[Interest, ...], removed: tuple[Interest, ...], has: tuple[EventId, ...]
    ) -> None:
        """Record what to tell other brokers: additions within a second, removals with them or later."""
        for interest in removed:
            if interest in self._added:
                del self._added[interest]
            else:
                self._removed[interest] = None
        for interest in added:
            if interest in self._removed:
                del self._removed[interest]
            else:
                self._added[interest] = None
        if added:
            self._already_had.update(dict.fromkeys(has))

    def share_changes(self) -> None:
        """Tell all other brokers which interests are new and which nobody has any more."""
        added, removed, has = tuple(self._added), tuple(self._removed), tuple(self._already_had)
        self._added, self._removed, self._already_had = {}, {}, {}
        if not added and not removed:
            return
        since, self.version = self.version, self.version + 1
        if others := tuple(self._brokers):
            self._paths.send_up(self._shared(others, since, added, removed, has))

    def _shared(
        self,
        to: tuple[int, ...],
        since: int,
        added: tuple[Interest, ...],
        removed: tuple[Interest, ...] = (),
        has: tuple[EventId, ...] = (),
    ) -> Shared:
        payload_bytes = NODE_BYTES + 2 * NUMBER_BYTES + len(has) * EVENT_ID_BYTES
        payload_bytes += interests_bytes((*added, *removed), self._host.world.attribute_limits)
        size_bytes, hops = addressed_bytes(len(to), payload_bytes, self._parameters), self._parameters.hops_max
        return Shared(size_bytes, to, hops, self._host.node, self.version, since, added, removed, has)

    def on_ask(self, message: Ask) -> None:
        """Send another broker all interests of this region."""
        if message.asker in self._brokers:
            self._paths.send_up(self._shared((message.asker,), EVERYTHING, self._members.interests()))

    def on_shared(self, message: Shared) -> None:
        """Store another region's interests, and send it the matching events it lacks."""
        if message.broker not in self._brokers:
            self._host.drop(message, "unknown-broker")
            return
        region = self._region(message.broker)
        if message.version <= region.version and message.since != EVERYTHING:
            return
        before = {} if message.since == EVERYTHING else region.interests
        for interest in message.removed:
            before.pop(interest, None)
        room = self._parameters.subscriptions_max - len(before)
        new = [each for each in message.added[: max(room, 0)] if each not in region.interests]
        region.interests = {**before, **dict.fromkeys(message.added[: max(room, 0)])}
        if message.since in (EVERYTHING, region.version):  # otherwise an earlier change has been missed
            region.version = message.version
        for kept in self._events:
            if kept.is_home and kept.event.id not in message.has and any(each.matches(kept.event) for each in new):
                self._send_to(kept, [message.broker])

    def _region(self, broker: int) -> OtherRegion:
        """Return another broker's region; if the broker is new, share this region's events with it."""
        region = self._regions.get(broker)
        if region is None:
            region = self._regions[broker] = OtherRegion()
            for kept in self._events if self._shares_all else ():
                if kept.is_home:
                    self._send_to(kept, [broker])
        return region

    def on_announcement(self, message: Announcement) -> None:
        """Ask a broker for its subscriptions if it is new, or if a change that it announced has not arrived."""
        region = self._region(message.broker)
        is_new = region.version == 0 and region.announced == 0 and message.version > 0
        if is_new or region.version < region.announced:
            self._request_all(message.broker)
        region.announced = message.version

    def _request_all(self, broker: int) -> None:
        size_bytes = addressed_bytes(1, NODE_BYTES, self._parameters)
        self._paths.send_up(Ask(size_bytes, (broker,), self._parameters.hops_max, self._host.node))

    # --- upkeep -------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget silent members, brokers that are gone, and expired events."""
        now_s = self._host.now
        for node in self._members.silent(now_s - self._parameters.member_timeout_s):
            self._note_change((), self._members.remove(node), ())
        if self._added:
            self.share_changes()
        self._regions = {each: region for each, region in self._regions.items() if each in self._brokers}
        self._events.forget_expired(now_s)

    def size_bytes(self) -> int:
        """Return the size of what a broker stores in addition to an ordinary node."""
        limits = self._host.world.attribute_limits
        regions = sum(region_bytes(region, limits) for region in self._regions.values())
        return self._members.size_bytes(limits) + regions + self._events.size_bytes(limits)
