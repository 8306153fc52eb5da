"""DRIP: Voronoi regions around brokers (Yuan, Wu: INFOCOM 2008), as far as it is known; a baseline of the BRVST paper.

Known: brokers divide the network into Voronoi regions, and every other node joins the nearest. A broker collects the
subscriptions and events of its region and notifies subscribers; brokers share subscriptions and useful events. From the
BRVST paper: regions are set up and maintained by network-wide broadcasts; nodes keep a list of brokers with delays.

We reconstructed the rest (docs/protocols.md). A node that hears of no broker within some hops stands for election after
a random time, and a broker that comes too close to another resigns. Brokers announce themselves with a growing number;
a node that relays an announcement becomes a route to the broker. Memberships travel up and leave pointers along which
events come down.

The other files of this folder: ``regions`` (the list of brokers), ``paths`` (routes up and down), ``announcements``,
``subscriber`` (a node's interests and events), ``broker`` and ``broker_tables`` (what a broker does and keeps), and
``messages``.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event, EventId
from roamcast.core.host import FrameHandler, Host, PubSub
from roamcast.core.messages import Message
from roamcast.protocols.drip.announcements import AnnouncementReceivers, Announcements
from roamcast.protocols.drip.broker import BrokerRole
from roamcast.protocols.drip.messages import (
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
    is_sound_addressed,
)
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.paths import RETRY, Paths
from roamcast.protocols.drip.regions import BrokerList
from roamcast.protocols.drip.subscriber import Subscriber

ADDRESSED = (Membership, Shared, Ask, Publication, Notification, Undelivered)
CHECK, ANNOUNCE = "check", "announce"
CHECK_S = 1.0
"""How often a node checks its region, in seconds."""
JITTER = 0.1
"""The share of an announcement's period by which it varies, so that brokers do not fall into step."""


class Drip(PubSub):
    """One node's side of the protocol."""

    Parameters: ClassVar[type[Any]] = DripParameters
    summary = "Voronoi regions round elected brokers that share subscriptions and useful events (Yuan, Wu 2008)"

    def __init__(self, host: Host, parameters: DripParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._brokers = BrokerList(host.node, parameters)
        self._paths = Paths(host, parameters, self._brokers)
        self._announcements = Announcements(host, parameters, self._brokers, self._on_next_announcement)
        self._subscriber = Subscriber(host, parameters)
        self._role: BrokerRole | None = None
        self._region: int | None = None
        """The broker of the region this node is in; a broker is in its own."""
        self._version = self._checks_alone = 0

    # --- calls from the application ------------------------------------------------------------------------

    def start(self) -> None:
        """Start listening; stand for election after a random time, unless another node does first."""
        self._host.wake(self._host.now + self._parameters.election_s * self._host.random.random(), CHECK)

    def subscribe(self, interest: Interest) -> None:
        """Add an interest, for future events and for those still valid."""
        if self._subscriber.add(interest):
            self._register()

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        if self._subscriber.remove(interest):
            self._register()

    def publish(self, event: Event) -> None:
        """Send a new event to the broker of this region; if there is none, the event waits."""
        self._subscriber.accept(event)
        self._send_to_broker(event)

    def is_broker(self) -> bool:
        """Tell whether this node is a broker."""
        return self._role is not None

    def _send_to_broker(self, event: Event) -> None:
        if self._role is not None:
            self._role.on_publication(event, spread=True)
        elif self._region is None:
            self._subscriber.hold(event)
        else:
            size_bytes = addressed_bytes(1, event.size_bytes, self._parameters)
            self._paths.send_up(Publication(size_bytes, (self._region,), self._parameters.hops_max, event, spread=1))

    # --- calls from the host -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        self.handler(type(message))(message, sender)

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the function that handles messages of one type."""
        if kind is Announcement:
            return self._announcements.hear
        return self._on_addressed if issubclass(kind, ADDRESSED) else self._on_unknown

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:
        """Act on an announcement for all receivers at once; for most of them it is a copy."""
        if kind is not Announcement or cls.handler is not Drip.handler:
            return None
        return AnnouncementReceivers([node._announcements for node in nodes]).hear

    def _on_next_announcement(self, message: Announcement) -> None:
        if self._role is not None and message.version != RESIGNED:
            self._role.on_announcement(message)

    def _on_unknown(self, message: Message, sender: int) -> None:  # noqa: ARG002 - a handler
        self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Check the region, announce, relay, or retry."""
        if isinstance(token, int):  # the broker whose announcement is to be relayed
            self._announcements.relay(token)
        elif token == CHECK:
            self._check()
        elif token == ANNOUNCE:
            self._announce()
        elif token == RETRY:
            self._paths.retry()

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Forget a neighbour that does not answer, and try another route."""
        self._paths.lose(to)
        if not isinstance(message, Addressed) or not is_sound_addressed(message):
            return
        if not all(event.is_valid(self._host.now) for event in message.events):
            self._host.drop(message, "expired")
        elif isinstance(message, Notification):
            self._report_undelivered(message, message.to)
        else:
            self._paths.send_up(message)

    def storage_bytes(self) -> int:
        """Return the size of the lists, of waiting messages and, on a broker, of its tables (docs/brvst.md)."""
        role = 0 if self._role is None else self._role.size_bytes()
        return self._brokers.size_bytes() + self._paths.size_bytes() + self._subscriber.size_bytes() + role

    # --- regions -------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Once a second, forget silent nodes and decide on the region and on whether this node is its broker."""
        self._brokers.forget_silent(self._host.now)
        self._paths.forget_silent()
        if self._role is not None:
            self._role.forget()
            self._resign_if_near()
        else:
            self._choose_region()
        self._host.wake(self._host.now + CHECK_S, CHECK)

    def _choose_region(self) -> None:
        nearest = self._brokers.nearest(self._region)
        known = None if nearest is None else self._brokers.get(nearest)
        is_alone = known is not None and known.hops > self._parameters.region_hops
        self._checks_alone = self._checks_alone + 1 if is_alone else 0
        if nearest is None or self._checks_alone >= self._parameters.lonely_checks:
            self._become_broker()
        elif nearest != self._region:
            self._move_to(nearest)
        elif self._subscriber.is_due(self._brokers.next_hop(nearest)):
            self._register()

    def _become_broker(self) -> None:
        before, self._region, self._checks_alone = self._region, self._host.node, 0
        self._leave(before)
        accept, version = self._subscriber.accept, self._version
        self._role = BrokerRole(self._host, self._parameters, self._brokers, self._paths, accept, version)
        self._announce()
        self._settle(())

    def _resign_if_near(self) -> None:
        """Stop being a broker if one with a lower number is close: its region and this one become one."""
        role, near = self._role, self._brokers.near_with_lower_number()
        if role is None or not near:
            return
        self._version = role.version + 1
        self._host.cancel_wake(ANNOUNCE)
        self._announcements.announce(RESIGNED)
        self._role = None
        self._move_to(min(near))
        for event in role.home_events():
            self._send_to_broker(event)

    def _move_to(self, region: int) -> None:
        before, self._region = self._region, region
        self._leave(before)
        self._settle(self._subscriber.recent_events())

    def _settle(self, has: tuple[EventId, ...]) -> None:
        """Register in a new region, and send the events that waited for one."""
        self._register(has)
        for event in self._subscriber.release_held():
            self._send_to_broker(event)

    def _register(self, has: tuple[EventId, ...] = ()) -> None:
        """Send the broker of this region this node's interests."""
        if self._region is None:
            return
        message = self._subscriber.join_message(self._region, self._brokers.next_hop(self._region), has)
        if self._role is not None:
            self._role.on_membership(message)
        else:
            self._paths.send_up(message)

    def _leave(self, region: int | None) -> None:
        if region is not None and region in self._brokers:
            self._paths.send_up(self._subscriber.leave_message(region))

    def _announce(self) -> None:
        if self._role is None:
            return
        self._role.share_changes()
        self._announcements.announce(self._role.version)
        spread = 1.0 + JITTER * (2.0 * self._host.random.random() - 1.0)
        period_s = self._parameters.announce_after_s(self._host.speed())
        self._host.wake(self._host.now + period_s * spread, ANNOUNCE)

    # --- addressed messages --------------------------------------------------------------------------------

    def _on_addressed(self, message: Addressed, sender: int) -> None:
        if not is_sound_addressed(message):
            self._host.drop(message, "malformed")
            return
        node, now_s, others = self._host.node, self._host.now, message.to
        is_for_me = node in others
        for event in message.events:  # at most one
            if not event.is_valid(now_s):
                self._host.drop(message, "expired")
                return
            if is_for_me or self._parameters.relays_deliver:
                self._subscriber.accept(event)
        if isinstance(message, Membership) and message.node != node:
            self._paths.remember_pointer(message, sender)
        if is_for_me:
            self._act(message)
            others = tuple(each for each in others if each != node)
        if not others:
            return
        hops_left = min(message.hops_left, self._parameters.hops_max) - 1
        if hops_left <= 0:
            self._host.drop(message, "hop-limit")
            return
        onward = message.onward(message.size_bytes, others, hops_left)
        if isinstance(onward, Notification):
            self._report_undelivered(onward, self._paths.send_down(onward))
        else:
            self._paths.send_up(onward)

    def _report_undelivered(self, message: Notification, nodes: tuple[int, ...]) -> None:
        """Tell the broker which nodes an event could not be sent to."""
        if not nodes:
            return
        if message.broker == self._host.node:
            if self._role is not None:
                self._role.owe(message.event.id, nodes)
        else:
            self._paths.report_undelivered(message, nodes)

    def _act(self, message: Addressed) -> None:
        """Act on a message for this node."""
        role = self._role
        if isinstance(message, Notification):
            if not self._subscriber.wants(message.event):
                self._host.drop(message, "unwanted")
        elif isinstance(message, Publication):
            if role is not None:
                role.on_publication(message.event, spread=message.spread != 0)
            elif message.spread:  # this node was a broker when the event was sent
                self._send_to_broker(message.event)
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
