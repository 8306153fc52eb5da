"""Routing protocols: from a node to a distant node or place, hop by hop.

A router is a state machine like a publish/subscribe protocol: it never blocks, reads no clock, touches no socket and
talks to the world through the same ``Host``. Above it is its user, the protocol that asks it to carry payloads and that
holds both the host and the router:

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

The router calls its user back with payloads that arrive, pass by or cannot be delivered. A callback is the last thing a
router does with a packet, so the user may send from inside it. The name of the file or folder is the router's name:
``load_router("aodv")``.
"""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from roamcast.core.components import ComponentKind
from roamcast.core.host import FrameHandler, Host, NoParameters, Position
from roamcast.core.messages import Message

Destination = int | Position
"""Where a packet goes: to a node, or to the node nearest to a place."""


@dataclass(frozen=True, slots=True)
class RoutingMessage(Message):
    """A message between routers; by this type the user recognises messages that are not its own."""

    kind: ClassVar[str] = "routing"


class RoutingToken(NamedTuple):
    """A router's wake token; by this type the user recognises wakes that are not its own."""

    what: str
    about: Hashable = None


class RouterUser:
    """The callbacks from a router to the protocol above it; override those that matter."""

    def on_packet(self, payload: Message, origin: int) -> None:
        """Act on a payload that has arrived: it was for this node, or for a place to which this node is nearest."""

    def on_passing(self, payload: Message, origin: int, destination: Destination) -> bool:  # noqa: ARG002
        """Inspect a payload that this node is to forward, its own included; True removes it from the network here."""
        return False

    def on_undeliverable(self, payload: Message, destination: Destination, reason: str) -> None:
        """Act on one of this node's own payloads that this node has given up; what others give up is only counted.

        A full buffer is one such reason: resending the payload at once pushes out the next.
        """

    def on_stranded(self, payload: Message, destination: Destination, reason: str) -> None:
        """Act on another node's payload that this node could not forward and has given up; only ``sogr`` reports it."""


class Router:
    """A routing protocol on one node.

    It is not an ABC: mypyc gives all compiled subclasses of an ABC one registry, so that an instance of one would pass
    as an instance of another.
    """

    Parameters: ClassVar[type[Any]] = NoParameters
    """The frozen dataclass of the router's own parameters."""

    summary: ClassVar[str]
    """One line on what the router does, and its source."""

    @abstractmethod
    def __init__(self, host: Host, parameters: Any, user: RouterUser) -> None:
        """Remember the host and the user; do nothing else yet."""

    def start(self) -> None:
        """Begin: the host is ready and time runs."""

    @abstractmethod
    def send(self, payload: Message, to: int, at: Position | None = None) -> None:
        """Send a payload to a node, located at ``at`` if the router needs that; to this node itself it goes at once."""
        raise NotImplementedError

    @abstractmethod
    def on_message(self, message: Message, sender: int) -> None:
        """Act on a frame from a neighbour's router. Whatever values of the right types it holds, do not raise.

        The host, which decodes frames, ensures that fields have the annotated types.
        """
        raise NotImplementedError

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:  # noqa: ARG002
        """Return the function that handles messages of one type: ``on_message``, or the one it would call."""
        return self.on_message

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: "list[Any]") -> FrameHandler | None:  # noqa: ARG003
        """Return a function that acts on a frame for all its receivers, as in ``PubSub``; ``nodes`` are the routers."""
        return None

    @abstractmethod
    def on_wake(self, token: RoutingToken) -> None:
        """Act on a wake that this router requested."""
        raise NotImplementedError

    @abstractmethod
    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Act on a unicast of this router that was not acknowledged."""
        raise NotImplementedError

    @abstractmethod
    def storage_bytes(self) -> int:
        """Return the size of the router's state: tables and waiting packets."""
        raise NotImplementedError


def frame_handler_of(kind: type[Message], routers: Sequence[Router]) -> FrameHandler | None:
    """Return what the users of routers return for ``PubSub.frame_handler``; all nodes have a router of one class."""
    is_theirs = issubclass(kind, RoutingMessage) and len(routers) > 0
    return type(routers[0]).frame_handler(kind, list(routers)) if is_theirs else None


class GeographicRouter(Router):
    """A routing protocol that knows positions, and so can send a payload to a place where no node is known."""

    @abstractmethod
    def send_to_place(self, payload: Message, place: Position) -> None:
        """Send a payload to the node nearest to a place; each router defines what that means."""
        raise NotImplementedError


ROUTERS = ComponentKind("routers", "routing protocol", __name__, Router)  # type: ignore[type-abstract]
router_names, load_router = ROUTERS.names, ROUTERS.load
