"""RSGM: geographic multicast that keeps no tree (X. Xiang, X. Wang, Y. Yang: Stateless multicasting, 2010).

The BRVST paper multicasts with it ([11] there). A packet's header lists its destinations; each forwarder groups them by
next hop and splits the packet, so nothing is kept between packets. Destinations are places, such as the centres of
zones, or nodes with their presumed positions. Next hops are those of ``sogr``, which the paper names for unicast, and
whose packets have such lists anyway. An empty zone shows at its border: no node nearer to its centre is found, the
packet ends there, and its user, which knows the zones, gives it up.
"""

from collections.abc import Iterable

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.routing.sogr.messages import Stop
from roamcast.routing.sogr.protocol import FAR_M, Sogr


class Rsgm(Sogr):
    """One node's side of the protocol: SOGR, and packets for many destinations."""

    summary = "SOGR, and geographic multicast by lists of destinations in the header (Xiang, Wang, Yang)"

    def send_to_many(self, payload: Message, to: Iterable[tuple[int | None, Position]]) -> None:
        """Send a payload to nodes at given positions, and to the nodes nearest to positions given without a node."""
        stops, is_for_itself = [], False
        for node, at in dict.fromkeys(to):
            if node == self._host.node:
                is_for_itself = True
            else:
                stops.append(Stop(node, at, FAR_M))
        self._begin(payload, stops)
        if is_for_itself:
            self._user.on_packet(payload, self._host.node)
