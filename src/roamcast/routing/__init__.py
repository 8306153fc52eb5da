"""Routing protocols, one file each: from a node to a distant node or place, over neighbours.

A router is a state machine like a publish/subscribe protocol: it never blocks, reads no clock, touches no socket and
talks to the world through the same ``Host``. Above it stands its user, the protocol that asks it to carry payloads,
which holds both the host and the router:

    class Broker(PubSub, RouterUser):
        def on_message(self, message, sender):
            if isinstance(message, RoutingMessage):
                self._router.on_message(message, sender)
            ...
        def on_wake(self, token):
            if isinstance(token, RoutingToken):
                self._router.on_wake(token)
            ...
        def on_unicast_failed(self, message, to):
            if isinstance(message, RoutingMessage):
                self._router.on_unicast_failed(message, to)

The router calls its user back with what arrived, what passes by and what could not be delivered. A call back is the
last thing that a router does with a packet, so the user may send from inside it. The file's name is the router's name:
``load_router("aodv")``.
"""

from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from roamcast.core.components import ComponentKind
from roamcast.core.host import Host, NoParameters, Position
from roamcast.core.messages import Message

Destination = int | Position
"""Where a packet goes: to a node, or to whoever is nearest to a place."""


@dataclass(frozen=True, slots=True)
class RoutingMessage(Message):
    """What routers say to each other; by this type the user knows what is not its own."""

    kind: ClassVar[str] = "routing"


class RoutingToken(NamedTuple):
    """What a router is to be woken for; by this type the user knows what is not its own."""

    what: str
    about: Hashable = None


class RouterUser:
    """What a router tells the protocol above it; override what matters."""

    def on_packet(self, payload: Message, origin: int) -> None:
        """Act on a payload that has arrived: it was for this node, or for a place to which this node is nearest."""

    def on_passing(self, payload: Message, origin: int, destination: Destination) -> bool:  # noqa: ARG002
        """Look at a payload that this node is to send on, its own ones too; True takes it out of the network here."""
        return False

    def on_undeliverable(self, payload: Message, destination: Destination, reason: str) -> None:
        """Act on a payload of this node's own that this node has given up; what others give up is only counted.

        A full buffer is such a reason: who sends the payload again at once pushes out the next.
        """

    def on_stranded(self, payload: Message, destination: Destination, reason: str) -> None:
        """Act on another node's payload that this node could not bring on and has given up; only ``sogr`` tells."""


class Router:
    """A routing protocol on one node.

    It is no ABC: of an ABC all compiled subclasses have one registry, so that one would pass as an instance of another.
    """

    Parameters: ClassVar[type[Any]] = NoParameters
    """The frozen dataclass of the router's own parameters."""

    summary: ClassVar[str]
    """One line on what the router does, and its source."""

    @abstractmethod
    def __init__(self, host: Host, parameters: Any, user: RouterUser) -> None:
        """Remember the host and the user; do nothing else yet."""

    def start(self) -> None:
        """Begin: the host is there and time runs."""

    @abstractmethod
    def send(self, payload: Message, to: int, at: Position | None = None) -> None:
        """Bring a payload to a node, which is at ``at`` if the router needs to know; to itself it comes at once."""
        raise NotImplementedError

    @abstractmethod
    def on_message(self, message: Message, sender: int) -> None:
        """Act on a frame from a neighbour's router. Whatever values of its types it holds, do not raise.

        That its fields have the types that they are annotated with is for the host to see to, who has decoded it.
        """
        raise NotImplementedError

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:  # noqa: ARG002
        """Return what acts on messages of one type: ``on_message``, or that to which it would hand them on."""
        return self.on_message

    @abstractmethod
    def on_wake(self, token: RoutingToken) -> None:
        """Act on a wake that this router asked for."""
        raise NotImplementedError

    @abstractmethod
    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Act on a unicast of this router that no acknowledgement came for."""
        raise NotImplementedError

    @abstractmethod
    def storage_bytes(self) -> int:
        """Return the size of what the router stores now: tables and waiting packets."""
        raise NotImplementedError


class GeographicRouter(Router):
    """A routing protocol that knows places, and so can bring a payload to one where no node is known."""

    @abstractmethod
    def send_to_place(self, payload: Message, place: Position) -> None:
        """Bring a payload to the node that is nearest to a place; each router says what that means."""
        raise NotImplementedError


ROUTERS = ComponentKind("routers", "routing protocol", __name__, Router)  # type: ignore[type-abstract]
router_names, load_router = ROUTERS.names, ROUTERS.load
