"""RSGM: geographic multicast that keeps no tree (X. Xiang, X. Wang, Y. Yang: Stateless multicasting, 2010).

The BRVST paper multicasts by it ([11] there): a packet's header lists its destinations, each forwarder groups them by
its next hops and splits the packet, so nothing is kept between packets. Destinations are places, such as the centres of
zones, or nodes with the places where they are thought to be. Next hops are those of ``sogr``, which the paper names for
unicast; its packets have had lists all along. A zone that is empty is met at its border: nobody nearer to its centre is
found, the packet ends there, and its user, who knows the zones, gives it up.
"""

from collections.abc import Iterable

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.routing.sogr.messages import Stop
from roamcast.routing.sogr.protocol import FAR_M, Sogr


class Rsgm(Sogr):
    """One node's side of the protocol: SOGR, and packets for many."""

    summary = "SOGR, and geographic multicast by lists of destinations in the header (Xiang, Wang, Yang)"

    def send_to_many(self, payload: Message, to: Iterable[tuple[int | None, Position]]) -> None:
        """Bring a payload to nodes at places, and to whoever is nearest to the places that stand without a node."""
        stops, is_for_itself = [], False
        for node, at in dict.fromkeys(to):
            if node == self._host.node:
                is_for_itself = True
            else:
                stops.append(Stop(node, at, FAR_M))
        self._begin(payload, stops)
        if is_for_itself:
            self._user.on_packet(payload, self._host.node)
