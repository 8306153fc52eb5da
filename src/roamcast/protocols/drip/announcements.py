"""Announcements of DRIP's brokers, flooded through the network: relayed once, and again if the path is shorter."""

from collections.abc import Callable
from math import hypot

from roamcast.core.host import Host, Position
from roamcast.protocols.drip.messages import ANNOUNCEMENT_BYTES, Announcement, is_sound_announcement
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.regions import BrokerList


class Announcements:
    """One node's part in the announcements of all brokers."""

    def __init__(
        self,
        host: Host,
        parameters: DripParameters,
        brokers: BrokerList,
        on_next: Callable[[Announcement], None],
    ) -> None:
        self._host = host
        self._on_next = on_next
        """Called with the next announcement of a broker, but not with copies of it."""
        self._parameters = parameters
        self.brokers = brokers
        """The brokers that this node knows."""
        self._number = 0
        self._size_bytes = ANNOUNCEMENT_BYTES + parameters.header_bytes
        self._strong_m = parameters.strong_fraction * host.world.range_m
        self._relays: dict[int, tuple[Announcement, int]] = {}
        """The announcements to relay and their hops, by broker."""

    def announce(self, version: int) -> None:
        """Announce this node, with the version of its region's subscriptions."""
        self._number += 1
        host = self._host
        host.broadcast(Announcement(self._size_bytes, host.node, self._number, 0, host.now, version, host.position()))

    def hear(self, message: Announcement, sender: int) -> None:
        """Record an announcement, and relay it soon if that is useful."""
        brokers = self.brokers
        if sender in brokers.failed:
            brokers.note_heard(sender)
        known = brokers.get(message.broker)
        if known is None or (message.number, -message.hops) > (known.number, -known.hops):
            self.hear_news(message, sender, is_sound_announcement(message))

    def hear_news(self, message: Announcement, sender: int, is_sound: bool) -> None:
        """Act on the next announcement of a broker, or on one whose sender is nearer to the broker than this node."""
        host, broker = self._host, message.broker
        if broker == host.node:
            return
        if not is_sound:
            host.drop(message, "malformed")
            return
        known, now_s = self.brokers.get(broker), host.now
        is_next = known is None or message.number > known.number
        link_hops = self._link_hops(message.at)
        if not self.brokers.hear(message, sender, link_hops, now_s):
            return
        if broker not in self._relays:
            delay_s = self._parameters.relay_s * (host.random.random() + link_hops - 1)
            host.wake(now_s + delay_s, broker)
        self._relays[broker] = (message, message.hops + link_hops)
        if is_next:
            self._on_next(message)

    def relay(self, broker: int) -> None:
        """Relay the announcement of a broker whose delay is over."""
        announcement, hops = self._relays.pop(broker)
        here = self._host.position()
        self._host.broadcast(
            Announcement(
                self._size_bytes,
                announcement.broker,
                announcement.number,
                hops,
                announcement.sent_at_s,
                announcement.version,
                here,
            )
        )

    def _link_hops(self, at: Position | None) -> int:
        """Return how many hops a link counts for: one, or two if the signal is weak, as such a link soon breaks."""
        here = self._host.position()
        if at is None or here is None:
            return 1
        (x_m, y_m), (here_x_m, here_y_m) = at, here
        return 1 if hypot(x_m - here_x_m, y_m - here_y_m) <= self._strong_m else 2


class AnnouncementReceivers:
    """The announcements of all nodes, for a frame at all its receivers: for most of them it is a copy."""

    def __init__(self, nodes: list[Announcements]) -> None:
        self._nodes = [(node, node.brokers, node.brokers.failed) for node in nodes]

    def hear(self, message: Announcement, sender: int, receivers: list[int]) -> None:
        """Do what ``Announcements.hear`` does, for one receiver after another."""
        nodes, broker, number, hops = self._nodes, message.broker, message.number, message.hops
        is_sound = is_sound_announcement(message)
        for receiver in receivers:
            node, brokers, failed = nodes[receiver]
            if sender in failed:
                del failed[sender]
            known = brokers.get(broker)
            if known is None or number > known.number or (hops < known.hops and number == known.number):
                node.hear_news(message, sender, is_sound)
