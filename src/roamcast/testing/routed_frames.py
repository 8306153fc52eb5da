"""The frames in which a peer could send a message to a protocol that has a router below it."""

from collections.abc import Iterator

from roamcast.core.host import Position, PubSub
from roamcast.core.messages import Message
from roamcast.routing import Router
from roamcast.routing.aodv.messages import RoutedPacket
from roamcast.routing.aodv.protocol import Aodv
from roamcast.routing.gpsr.messages import GeographicPacket
from roamcast.routing.gpsr.protocol import Gpsr
from roamcast.routing.sogr.messages import Packet, Stop
from roamcast.routing.sogr.protocol import Sogr

ORIGIN, HOPS_LEFT = 9, 5


def frames_with(message: Message, protocol: PubSub, node: int, at: Position) -> Iterator[Message]:
    """Yield a message bare and, if the protocol has a router, in a packet that the router hands over at the node."""
    yield message
    router = next((value for value in getattr(protocol, "__dict__", {}).values() if isinstance(value, Router)), None)
    if isinstance(router, Aodv):
        yield RoutedPacket(message.size_bytes, message, ORIGIN, node, HOPS_LEFT)
    elif isinstance(router, Gpsr):
        yield GeographicPacket(message.size_bytes, message, ORIGIN, node, at, HOPS_LEFT, at, None)
        yield GeographicPacket(message.size_bytes, message, ORIGIN, None, at, HOPS_LEFT, at, None)
    elif isinstance(router, Sogr):
        yield Packet(message.size_bytes, message, ORIGIN, (Stop(node, at, 9.0),), HOPS_LEFT, at)
