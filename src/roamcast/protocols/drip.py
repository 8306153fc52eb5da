"""DRIP: Voronoi regions round brokers (Yuan, Wu: INFOCOM 2008), as far as it is known; a peer in the BRVST paper.

Known: brokers divide the network into Voronoi regions and every other node joins the nearest; a broker collects the
subscriptions and events of its region and notifies subscribers; brokers share subscriptions and useful events. From the
BRVST paper: regions are set up and kept up by network-wide broadcast; nodes keep a list of brokers with delays.

Our reconstruction of the rest (docs/protocols.md): a node that hears of no broker within some hops stands for election
after a random time, and a broker that comes too near to another resigns. Brokers announce themselves with a number that
grows; who relays an announcement becomes a way to the broker. Memberships go up, and leave pointers by which events
come down. The parts stand beside this file: ``_drip_regions`` (the list of brokers), ``_drip_paths`` (ways up and
down), ``_drip_broker`` (what a broker does), ``_drip_tables`` and ``_drip_messages``.
"""

from dataclasses import replace
from math import hypot
from typing import Any, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Host, Position, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.protocols._drip_broker import BrokerRole
from roamcast.protocols._drip_messages import (
    ANNOUNCEMENT_BYTES,
    EVENT_ID_BYTES,
    NODE_BYTES,
    NUMBER_BYTES,
    RESIGNED,
    Addressed,
    Announcement,
    Ask,
    Membership,
    Notification,
    Publication,
    Shared,
    Undelivered,
    addressed_bytes,
    interests_bytes,
    is_sound_addressed,
    is_sound_announcement,
)
from roamcast.protocols._drip_parameters import DripParameters
from roamcast.protocols._drip_paths import RETRY, Paths
from roamcast.protocols._drip_regions import BrokerList
from roamcast.protocols._tables import INTERESTS_MAX, EventTable, SeenEvents

CHECK, ANNOUNCE, RELAY = "check", "announce", "relay"
CHECK_S = 1.0
"""How often a node looks at its region, in seconds."""
JITTER = 0.1
"""The part of an announcement's period by which it varies, so that brokers do not keep step."""
HAD_MAX = 64
"""How many events a node tells a new broker of that it has already."""


class Drip(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = DripParameters
    summary = "Voronoi regions round elected brokers that share subscriptions and useful events (Yuan, Wu 2008)"

    def __init__(self, host: Host, parameters: DripParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._brokers = BrokerList(host.node, parameters)
        self._paths = Paths(host, parameters, self._brokers)
        self._role: BrokerRole | None = None
        self._region: int | None = None
        """The broker whose region this is; a broker's own is its own."""
        self._interests: tuple[Interest, ...] = ()
        self._delivered = SeenEvents(parameters.identifiers_max)
        self._had = EventTable(min(HAD_MAX, parameters.identifiers_max), lambda stored: stored.event.published_at_s)
        self._unsent = EventTable(parameters.waiting_max, lambda stored: stored.event.published_at_s)
        self._relays: dict[int, Announcement] = {}
        self._number = self._version = 0
        self._registered_at_s, self._registered_over = host.now, -1
        self._registrations = self._lonely = 0

    # --- what the application asks for ---------------------------------------------------------------------

    def start(self) -> None:
        """Begin to listen; stand for election after a random time, if nobody else has."""
        self._host.wake(self._host.now + self._parameters.election_s * self._host.random.random(), CHECK)

    def subscribe(self, interest: Interest) -> None:
        """Ask for what the interest matches, of now and of what is still valid."""
        if interest not in self._interests and len(self._interests) < INTERESTS_MAX:
            self._interests = (*self._interests, interest)
            self._register()

    def unsubscribe(self, interest: Interest) -> None:
        """Ask for it no more."""
        if interest in self._interests:
            self._interests = tuple(each for each in self._interests if each != interest)
            self._register()

    def publish(self, event: Event) -> None:
        """Send an event to the broker of this region; without one it waits."""
        self._deliver(event)
        self._bring(event)

    def is_broker(self) -> bool:
        """Tell whether this node is a broker."""
        return self._role is not None

    def _bring(self, event: Event) -> None:
        if self._role is not None:
            self._role.on_publication(event, spread=True)
        elif self._region is None:
            self._unsent.add(event, self._host.now)
        else:
            size_bytes = addressed_bytes(1, event.size_bytes)
            self._paths.send_up(Publication(size_bytes, (self._region,), self._parameters.hops_max, event, spread=1))

    def _deliver(self, event: Event) -> bool:
        """Hand an event to the application if it is wanted, new and valid; tell whether it is wanted."""
        wanted = any(interest.matches(event) for interest in self._interests)
        if wanted and event.id not in self._delivered and event.is_valid(self._host.now):
            self._delivered.add(event, self._host.now)
            self._had.add(event, self._host.now)
            self._host.deliver(event)
        return wanted

    # --- what the host calls -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on what a neighbour sent."""
        if type(message) is Announcement:
            self._on_announcement(message, sender)
        elif isinstance(message, (Membership, Shared, Ask, Publication, Notification, Undelivered)):
            self._on_addressed(message, sender)
        else:
            self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Look at the region, announce, relay, or try again."""
        if token == CHECK:
            self._check()
        elif token == ANNOUNCE:
            self._announce()
        elif token == RETRY:
            self._paths.retry()
        elif (relayed := self._relays.pop(token[1], None)) is not None:
            self._host.broadcast(replace(relayed, at=self._host.position()))

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Forget a neighbour that does not answer, and try another way."""
        self._paths.lose(to)
        if not isinstance(message, Addressed) or not is_sound_addressed(message):
            return
        if not all(event.is_valid(self._host.now) for event in message.events):
            self._host.drop(message, "expired")
        elif isinstance(message, Notification):
            self._undelivered(message, message.to)
        else:
            self._paths.send_up(message)

    def storage_bytes(self) -> int:
        """Return the size of the lists, of what this node asks for and, if it is one, of what a broker keeps.

        What all schemes of the BRVST paper need alike is left out: the data of events, and identifiers of those seen.
        """
        own = interests_bytes(self._interests, self._host.world.attribute_limits)
        role = 0 if self._role is None else self._role.size_bytes()
        return self._brokers.size_bytes() + self._paths.size_bytes() + own + role

    # --- regions -------------------------------------------------------------------------------------------

    def _on_announcement(self, message: Announcement, sender: int) -> None:
        self._brokers.is_there(sender)
        known = self._brokers.get(message.broker)
        is_next = known is None or message.number > known.number
        if message.broker == self._host.node or (not is_next and known is not None and message.hops >= known.hops):
            return  # most copies: from neighbours that are no nearer, so neither a shorter distance nor a way
        if not is_sound_announcement(message):
            self._host.drop(message, "malformed")
            return
        link_hops = self._link_hops(message.at)
        if not self._brokers.hear(message, sender, link_hops, self._host.now):
            return
        if message.broker not in self._relays:
            delay_s = self._parameters.relay_s * (self._host.random.random() + link_hops - 1)
            self._host.wake(self._host.now + delay_s, (RELAY, message.broker))
        self._relays[message.broker] = replace(message, hops=message.hops + link_hops, size_bytes=ANNOUNCEMENT_BYTES)
        if is_next and self._role is not None and message.version != RESIGNED:
            self._role.on_announcement(message)

    def _link_hops(self, at: Position | None) -> int:
        """Return for how many hops a link counts: one, or two if the signal is weak, as such a link soon breaks."""
        here = self._host.position()
        if at is None or here is None:
            return 1
        strong_m = self._parameters.strong_fraction * self._host.world.range_m
        return 1 if hypot(at.x_m - here.x_m, at.y_m - here.y_m) <= strong_m else 2

    def _check(self) -> None:
        """Once a second: forget who is silent, and see whether this is still the region, and who should be broker."""
        self._brokers.forget_silent(self._host.now)
        self._paths.forget_silent()
        self._had.forget_expired(self._host.now)
        if self._role is not None:
            self._role.forget()
            self._resign_if_near()
        else:
            self._choose_region()
        self._host.wake(self._host.now + CHECK_S, CHECK)

    def _choose_region(self) -> None:
        nearest = self._brokers.nearest(self._region)
        known = None if nearest is None else self._brokers.get(nearest)
        is_lonely = known is not None and known.hops > self._parameters.region_hops
        self._lonely = self._lonely + 1 if is_lonely else 0
        if nearest is None or self._lonely >= self._parameters.lonely_checks:
            self._become_broker()
        elif nearest != self._region:
            self._move_to(nearest)
        elif self._is_due(nearest):
            self._register()

    def _is_due(self, region: int) -> bool:
        """Tell whether the broker must hear of this node again: after a while, or if events must come another way."""
        is_other_way = bool(self._interests) and self._brokers.next_hop(region) != self._registered_over
        return is_other_way or self._host.now - self._registered_at_s >= self._parameters.refresh_s

    def _become_broker(self) -> None:
        before, self._region, self._lonely = self._region, self._host.node, 0
        self._leave(before)
        self._role = BrokerRole(self._host, self._parameters, self._brokers, self._paths, self._version)
        self._announce()
        self._settle(())

    def _resign_if_near(self) -> None:
        """Be broker no more if one with a lower number is near: its region and this one are one."""
        role = self._role
        near = [
            each
            for each in self._brokers
            if each < self._host.node
            and (known := self._brokers.get(each)) is not None
            and known.hops <= self._parameters.resign_hops
        ]
        if role is None or not near:
            return
        self._version = role.version + 1
        self._host.cancel_wake(ANNOUNCE)
        self._say(RESIGNED)
        self._role = None
        self._move_to(min(near))
        for event in role.home_events():
            self._bring(event)

    def _move_to(self, region: int) -> None:
        before, self._region = self._region, region
        self._leave(before)
        self._settle(tuple(stored.event.id for stored in self._had))

    def _settle(self, has: tuple[Any, ...]) -> None:
        """Register in a new region, and send what has waited for one."""
        self._register(has)
        unsent, self._unsent = self._unsent, EventTable(self._parameters.waiting_max, lambda _: 0.0)
        for stored in unsent:
            if stored.event.is_valid(self._host.now):
                self._bring(stored.event)

    def _announce(self) -> None:
        if self._role is None:
            return
        self._role.tell_ended()
        self._say(self._role.version)
        spread = 1.0 + JITTER * (2.0 * self._host.random.random() - 1.0)
        self._host.wake(self._host.now + self._parameters.announce_s * spread, ANNOUNCE)

    def _say(self, version: int) -> None:
        self._number += 1
        self._host.broadcast(
            Announcement(
                ANNOUNCEMENT_BYTES,
                self._host.node,
                self._number,
                0,
                self._host.now,
                version,
                self._host.position(),
            )
        )

    # --- memberships ---------------------------------------------------------------------------------------

    def _register(self, has: tuple[Any, ...] = ()) -> None:
        """Tell the broker of this region what this node asks for."""
        if self._region is None:
            return
        over = self._brokers.next_hop(self._region)
        self._registered_at_s, self._registered_over = self._host.now, -1 if over is None else over
        message = self._membership(self._region, self._interests, has, stays=1)
        if self._role is not None:
            self._role.on_membership(message)
        else:
            self._paths.send_up(message)

    def _leave(self, region: int | None) -> None:
        if region is not None and region in self._brokers:
            self._paths.send_up(self._membership(region, (), (), stays=0))

    def _membership(self, region: int, interests: tuple[Interest, ...], has: tuple[Any, ...], stays: int) -> Membership:
        self._registrations += 1
        payload_bytes = NODE_BYTES + NUMBER_BYTES + 1 + len(has) * EVENT_ID_BYTES
        payload_bytes += interests_bytes(interests, self._host.world.attribute_limits)
        size_bytes, hops = addressed_bytes(1, payload_bytes), self._parameters.hops_max
        number = self._registrations
        return Membership(size_bytes, (region,), hops, self._host.node, number, interests, has, stays)

    # --- messages on their way -----------------------------------------------------------------------------

    def _on_addressed(self, message: Addressed, sender: int) -> None:
        if not is_sound_addressed(message):
            self._host.drop(message, "malformed")
            return
        if not all(event.is_valid(self._host.now) for event in message.events):
            self._host.drop(message, "expired")
            return
        for event in message.events:
            self._deliver(event)
        if isinstance(message, Membership) and message.node != self._host.node:
            self._paths.note(message, sender)
        if self._host.node in message.to:
            self._arrive(message)
        others = tuple(each for each in message.to if each != self._host.node)
        if not others:
            return
        hops_left = min(message.hops_left, self._parameters.hops_max) - 1
        if hops_left <= 0:
            self._host.drop(message, "hop-limit")
            return
        onward = replace(message, to=others, hops_left=hops_left)
        if isinstance(onward, Notification):
            self._undelivered(onward, self._paths.send_down(onward))
        else:
            self._paths.send_up(onward)

    def _undelivered(self, message: Notification, nodes: tuple[int, ...]) -> None:
        """Let the broker know to whom an event could not be brought."""
        if not nodes:
            return
        if message.broker == self._host.node:
            if self._role is not None:
                self._role.owe(message.event.id, nodes)
        else:
            self._paths.complain(message, nodes)

    def _arrive(self, message: Addressed) -> None:
        """Act on a message for this node."""
        role = self._role
        if isinstance(message, Notification):
            if not any(interest.matches(message.event) for interest in self._interests):
                self._host.drop(message, "unwanted")
        elif isinstance(message, Publication):
            if role is not None:
                role.on_publication(message.event, spread=message.spread != 0)
            elif message.spread:  # it was broker when the event was sent
                self._bring(message.event)
        elif role is None:
            self._host.drop(message, "no-broker")
        elif isinstance(message, Membership):
            role.on_membership(message)
        elif isinstance(message, Shared):
            role.on_shared(message)
        elif isinstance(message, Ask):
            role.on_ask(message)
        elif isinstance(message, Undelivered):
            role.on_undelivered(message)
