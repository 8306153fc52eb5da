"""Announcements of DRIP's brokers, flooded through the network: relayed once, and again if the path is shorter."""

from collections.abc import Callable
from math import hypot

from roamcast.core.host import Host, Position
from roamcast.protocols.drip.messages import ANNOUNCEMENT_BYTES, Announcement, is_sound_announcement
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.regions import BrokerList

RELAY = "relay"


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
        self._brokers = brokers
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
        brokers = self._brokers
        if brokers.failed:
            brokers.note_heard(sender)
        known = brokers.get(message.broker)
        is_next = known is None or message.number > known.number
        if message.broker == self._host.node or (not is_next and known is not None and message.hops >= known.hops):
            return  # most copies: their sender is no nearer, so they offer neither a shorter path nor a route
        if not is_sound_announcement(message):
            self._host.drop(message, "malformed")
            return
        link_hops = self._link_hops(message.at)
        if not brokers.hear(message, sender, link_hops, self._host.now):
            return
        if message.broker not in self._relays:
            delay_s = self._parameters.relay_s * (self._host.random.random() + link_hops - 1)
            self._host.wake(self._host.now + delay_s, (RELAY, message.broker))
        self._relays[message.broker] = (message, message.hops + link_hops)
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
        return 1 if hypot(at.x_m - here.x_m, at.y_m - here.y_m) <= self._strong_m else 2
