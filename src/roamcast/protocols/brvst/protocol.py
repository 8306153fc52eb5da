"""BRVST: zones and grids with range vectors and summary trees (Y. Li, X. Wang: MASS 2014).

The area is divided into zones, and zones into grids; each cell has an elected manager. Subscribers send their
subscriptions to their grid manager, which summarises them for the zone manager, which summarises them for other zones;
each reports only changes. A publication is matched in its grid, in its zone and across zones, and is cached for
subscriptions that come later. Payloads travel by ``rsgm``.

The other files of this folder: ``cells`` (zones and grids); ``descriptions`` and ``description_tables`` (vectors,
summaries, TAMA's tables); ``elections`` (who manages a cell); ``subscriber``, ``grid_manager`` with ``grid_reports``,
and ``zone_manager`` with ``subscription_origins``, ``zone_summaries``, ``zone_queries``, ``advertisements`` and
``publication_cache`` (the roles); ``managers`` (which roles a node has); ``node`` (what the roles share).
docs/brvst.md says what is the paper's and what is our choice.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import FrameHandler, Host, PubSub
from roamcast.core.messages import Message
from roamcast.protocols.brvst.cells import CellPlan
from roamcast.protocols.brvst.descriptions import describer_for
from roamcast.protocols.brvst.elections import BEAT_MAX, KNOWN_BYTES
from roamcast.protocols.brvst.managers import Managers
from roamcast.protocols.brvst.messages import Acceptance, Announcement, CellPayload, HandOver, Notification
from roamcast.protocols.brvst.node import Node
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.protocols.brvst.subscriber import Subscriber
from roamcast.routing import Destination, RouterUser, RoutingMessage, RoutingToken, frame_handler_of
from roamcast.routing.rsgm import Rsgm
from roamcast.routing.shared.geometry import is_sound_position

LOOK = "brvst-look"


class Brvst(PubSub, RouterUser):
    """One node's side of the protocol: subscriber, publisher, grid manager and zone manager in one."""

    Parameters: ClassVar[type[Any]] = BrvstParameters
    summary = "zones and grids with managers, range vectors and summary trees (Li, Wang 2014: BRVST)"
    keeps_events: ClassVar[bool] = False
    """Publications are cached for subscriptions that come later, not for nodes that were out of range."""
    needs_positions: ClassVar[bool] = True

    def __init__(self, host: Host, parameters: BrvstParameters) -> None:
        self._host = host
        self._parameters = parameters
        self._plan = CellPlan(host.world, parameters.zones_per_side, parameters.grids_per_side)
        self._node = Node(host, parameters, self._plan, describer_for(host.world, parameters))
        self._node.router = self._router = Rsgm(host, parameters.router, self)
        self._managers = Managers(self._node)
        self.offices = self._node.offices
        self._subscriber = Subscriber(self._node)

    # --- calls from the application ------------------------------------------------------------------------

    def start(self) -> None:
        """Start the router, and take a first look soon, at a random moment."""
        self._router.start()
        self._schedule_look(0.1 * self._host.random.random())

    def subscribe(self, interest: Interest) -> None:
        """Add an interest."""
        self._subscriber.subscribe(interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest."""
        self._subscriber.unsubscribe(interest)

    def publish(self, event: Event) -> None:
        """Send a new event to the grid manager."""
        self._subscriber.publish(event, self._node.position())

    def is_broker(self) -> bool:
        """Tell whether this node manages a grid or a zone."""
        return bool(self.offices.held)

    def storage_bytes(self) -> int:
        """Return the size of the known managers, the router's tables, the waiting messages and the managers' state."""
        own_bytes = KNOWN_BYTES * len(self.offices) + self._router.storage_bytes() + self._node.pending_bytes()
        return own_bytes + self._managers.storage_bytes()

    # --- calls from the host -------------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Act on a neighbour's message."""
        self.handler(type(message))(message, sender)

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Return the function that handles messages of one type."""
        if issubclass(kind, RoutingMessage):
            return self._router.handler(kind)
        return self._on_announcement if issubclass(kind, Announcement) else self._on_unknown

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:
        """Check an announcement once for all receivers; let the routers do the same with their messages."""
        if cls.handler is not Brvst.handler or not nodes:
            return None
        if not issubclass(kind, Announcement):
            return frame_handler_of(kind, [node._router for node in nodes])

        def hear(message: Announcement, sender: int, receivers: list[int]) -> None:
            is_sound = nodes[0].is_sound_announcement(message)
            for node in receivers:
                if is_sound:
                    nodes[node].offices.on_announcement(message)
                else:
                    nodes[node].on_message(message, sender)

        return hear

    def is_sound_announcement(self, message: Announcement) -> bool:
        """Tell whether an announcement's values are plausible."""
        return self._plan.is_cell(message.cell) and 0 < message.beat <= BEAT_MAX and is_sound_position(message.at)

    def _on_announcement(self, message: Announcement, sender: int) -> None:  # noqa: ARG002 - a handler
        if self.is_sound_announcement(message):
            self.offices.on_announcement(message)
        else:
            self._host.drop(message, "malformed")

    def _on_unknown(self, message: Message, sender: int) -> None:  # noqa: ARG002 - a handler
        self._host.drop(message, "unknown-kind")

    def on_wake(self, token: Any) -> None:
        """Do what is due."""
        if isinstance(token, RoutingToken):
            self._router.on_wake(token)
        elif token == LOOK:
            self._look()
            self._schedule_look(0.9 + 0.2 * self._host.random.random())
        else:
            self._managers.on_wake(*token)

    def _schedule_look(self, periods: float) -> None:
        self._host.wake(self._host.now + periods * self._parameters.look_s, LOOK)

    def _look(self) -> None:
        """Find out in which cells the node is, and do what has become due."""
        here = self._host.position()
        if here is None:
            return
        self.offices.look(here)
        self._subscriber.look(here)
        self._managers.look()
        self._node.forget_overdue()

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Tell the router, which alone sends unicasts here."""
        if isinstance(message, RoutingMessage):
            self._router.on_unicast_failed(message, to)

    # --- calls from the router -----------------------------------------------------------------------------

    def on_packet(self, payload: Message, origin: int) -> None:
        """Act on a payload whose route ends here."""
        if isinstance(payload, Notification):
            self._subscriber.on_notification(payload)
        elif isinstance(payload, HandOver):
            self._managers.on_hand_over(payload, origin)
        elif isinstance(payload, Acceptance):
            if is_sound_position(payload.at):
                self.offices.resign(payload.cell, origin, payload.at)
        elif isinstance(payload, CellPayload):
            self._managers.on_payload(payload, origin)
        else:
            self._host.drop(payload, "unknown-kind")

    def on_passing(self, payload: Message, origin: int, destination: Destination) -> bool:
        """Take what this node's user wants from a payload, and let a manager of this node capture it."""
        if self._parameters.relays_deliver and origin != self._host.node:
            self._subscriber.on_passing(payload.events)
        return self._managers.on_passing(payload, destination)

    def on_undeliverable(self, payload: Message, destination: Destination, reason: str) -> None:
        """Retry when the manager's next announcement is heard."""
        if isinstance(payload, CellPayload) and isinstance(destination, int) and reason != "expired":
            self._node.retry(payload, destination, is_own=True)

    def on_stranded(self, payload: Message, destination: Destination, reason: str) -> None:
        """Keep another node's payload, which was for a manager that is gone, for the next manager."""
        if isinstance(payload, CellPayload) and isinstance(destination, int) and reason == "no-next-hop":
            self._managers.keep(payload, destination)
