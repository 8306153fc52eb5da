"""Flows of packets through a router: a publish/subscribe protocol whose topics are addresses.

An event with the topic ``to.5`` is sent to node 5, which subscribes to that topic, so a run's facts show what arrived.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event
from roamcast.core.host import FrameHandler, Host, Position, PubSub
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.topics import Topic
from roamcast.routing import RouterUser, RoutingMessage, RoutingToken, frame_handler_of, load_router
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

PACKET_BYTES, EVERY_S, VALIDITY_S = 512, 10.0, 60.0


@dataclass(frozen=True, slots=True)
class Parcel(CarriesEvent, Message):
    """An event for one node."""

    kind: ClassVar[str] = "parcel"
    event: Event


@dataclass(frozen=True, slots=True)
class ParcelParameters:
    """The router that carries the parcels, and all hosts, for a router that needs positions."""

    router: str = "aodv"
    """The router's name."""
    router_parameters: object | None = None
    """None: the router's defaults."""
    hosts: dict[int, Host] = field(default_factory=dict)
    """Filled by the run: each node's host, from which senders get its position."""


class ParcelService(PubSub, RouterUser):
    """Sends each event to the node that its topic names."""

    Parameters: ClassVar[type[Any]] = ParcelParameters
    summary = "one event, one node"

    def __init__(self, host: Host, parameters: ParcelParameters) -> None:
        router = load_router(parameters.router)
        self._host = host
        self._hosts = parameters.hosts
        self._hosts[host.node] = host
        given = parameters.router_parameters
        self._router = router(host, router.Parameters() if given is None else given, self)
        self._seen: set[Event] = set()

    def start(self) -> None:
        """Start the router."""
        self._router.start()

    def subscribe(self, interest: Interest) -> None:
        """Do nothing: an event's topic names its destination."""

    def unsubscribe(self, interest: Interest) -> None:
        """Do nothing."""

    def publish(self, event: Event) -> None:
        """Send the event to its node."""
        to = addressee(str(event.topic))
        self._router.send(Parcel(event.size_bytes, event), to, self._position_of(to))

    def on_packet(self, payload: Message, origin: int) -> None:  # noqa: ARG002 - anybody may send
        """Deliver each event once."""
        for event in payload.events:
            if event not in self._seen:
                self._seen.add(event)
                self._host.deliver(event)

    def on_message(self, message: Message, sender: int) -> None:
        """Pass on whatever is the router's."""
        if isinstance(message, RoutingMessage):
            self._router.on_message(message, sender)

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the router's own handler of its messages."""
        return self._router.handler(kind) if issubclass(kind, RoutingMessage) else self.on_message

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:
        """Let the routers act on their own messages for all receivers at once."""
        return frame_handler_of(kind, [node._router for node in nodes])

    def on_wake(self, token: Any) -> None:
        """Pass on whatever is the router's."""
        if isinstance(token, RoutingToken):
            self._router.on_wake(token)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Pass on whatever is the router's."""
        if isinstance(message, RoutingMessage):
            self._router.on_unicast_failed(message, to)

    def storage_bytes(self) -> int:
        """Return how much the router stores."""
        return self._router.storage_bytes()

    def _position_of(self, node: int) -> Position | None:
        return self._hosts[node].position()


@dataclass(frozen=True)
class Flows(WorkloadModel):
    """A packet every ten seconds for each pair (from, to), each pair with its own phase."""

    summary: ClassVar[str] = "packets between pairs of nodes"
    pairs: tuple[tuple[int, int], ...]
    every_s: float = EVERY_S

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        """Send until one period before the end; a shorter run sends the first packets of a longer one."""
        packets = []
        for flow, (one, other) in enumerate(self.pairs):
            at_s = self.every_s * (flow + 0.5) / len(self.pairs)
            while at_s < duration_s - self.every_s:  # so that the last ones have time to arrive
                packets.append(Publication(at_s, one, Topic(f"to.{other}"), VALIDITY_S, PACKET_BYTES))
                at_s += self.every_s
        ends = sorted({other for _, other in self.pairs})
        subscriptions = tuple(Subscription(-inf, node, TopicInterest(Topic(f"to.{node}"))) for node in ends)
        return Workload(subscriptions, tuple(sorted(packets, key=lambda packet: packet.at_s)))


def addressee(topic: str) -> int:
    """Return the node that a packet's topic names."""
    return int(topic.split(".")[1])
