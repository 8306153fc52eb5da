"""The common part of the six systems of the broker and rendezvous paper (Pongthawornkamol, Nahrstedt, Wang, section 3).

Once a period every node sends its interests to the homes of its topics; a home keeps them for a while. Where homes are
places, a node within ``capture_m`` of one captures the packets that pass by, and broadcasts a captured subscription to
its neighbours, so that all nodes around the place know all subscriptions (proximity selection, section 3.5). The two
families differ in how they treat events: see ``broker`` and ``rendezvous``.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import FrameHandler, Host, Position, PubSub
from roamcast.core.messages import Message
from roamcast.protocols.shared.event_tables import INTERESTS_MAX, SeenEvents, is_sound
from roamcast.protocols.shared.topic_homes.homes import ROOT, FindHome, home_topics
from roamcast.protocols.shared.topic_homes.messages import (
    HomePayload,
    Notification,
    Subscribe,
    SubscriptionCopy,
    is_sound_subscription,
    subscription_bytes,
)
from roamcast.protocols.shared.topic_homes.subscription_table import SubscriptionTable
from roamcast.routing import (
    Destination,
    GeographicRouter,
    Router,
    RouterUser,
    RoutingMessage,
    RoutingToken,
    frame_handler_of,
)

SUBSCRIBE = "subscribe"
"""The token of the wake at which a node sends its subscriptions again."""


class SystemKind(NamedTuple):
    """How a system finds the homes of topics, and which router carries packets there."""

    find_home: FindHome
    router: Callable[[], type[Router]]
    """Returns the router's class; it is loaded when a node is made, not when the protocol is looked at."""


class TopicHomes(PubSub, RouterUser):
    """One node's side of a system with homes: subscriber, publisher and home in one."""

    system: ClassVar[SystemKind]
    keeps_events: ClassVar[bool] = False
    """An event goes to those whose subscriptions are known when it arrives, and is then forgotten."""

    def __init__(self, host: Host, parameters: Any) -> None:
        self._host = host
        self._parameters = parameters
        self._router = self.system.router()(host, parameters.router, self)
        self._interests: tuple[Interest, ...] = ()
        self._subscriptions_sent = 0
        self._subscriptions = SubscriptionTable(parameters.timeout_s, parameters.subscriptions_max)
        self._seen = SeenEvents(parameters.identifiers_max)

    # --- calls from the application ------------------------------------------------------------------------

    def start(self) -> None:
        """Start the router, and start sending subscriptions at a random moment of the period."""
        self._router.start()
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.subscription_s, SUBSCRIBE)

    def subscribe(self, interest: Interest) -> None:
        """Add an interest; the homes learn of it from the next period's message."""
        if interest not in self._interests:
            self._interests = (*self._interests, interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Remove an interest; the homes forget it when it times out, and until then its events are not delivered."""
        self._interests = tuple(each for each in self._interests if each != interest)

    def publish(self, event: Event) -> None:
        """Deliver a new event to this node itself if it wants it, and bring it to the others."""
        self._deliver(event)
        self._disseminate(event)

    @abstractmethod
    def _disseminate(self, event: Event) -> None:
        """Bring a new event of this node to the subscribers that want it."""

    # --- calls from the host and the router ----------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Hand the router its own messages, and record subscriptions that a neighbour has captured."""
        if isinstance(message, RoutingMessage):
            self._router.on_message(message, sender)
        elif isinstance(message, SubscriptionCopy):
            self._store_subscription(message.subscription)
        else:
            self._host.drop(message, "unknown-kind")

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Let the router act on its own messages without a detour."""
        return self._router.handler(kind) if issubclass(kind, RoutingMessage) else self.on_message

    @classmethod
    def frame_handler(cls, kind: type[Message], nodes: Sequence[Any]) -> FrameHandler | None:
        """Let the routers act on their own messages for all receivers at once, unless a subclass does so itself."""
        if cls.handler is not TopicHomes.handler:
            return None
        return frame_handler_of(kind, [node._router for node in nodes])

    def on_wake(self, token: Any) -> None:
        """Send this node's subscriptions, once a period."""
        if isinstance(token, RoutingToken):
            self._router.on_wake(token)
        elif token == SUBSCRIBE:
            self._send_subscriptions()
            self._host.wake(self._host.now + self._parameters.subscription_s, SUBSCRIBE)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Tell the router, which alone sends unicasts here."""
        if isinstance(message, RoutingMessage):
            self._router.on_unicast_failed(message, to)

    def on_packet(self, payload: Message, origin: int) -> None:  # noqa: ARG002 - the payload says all that matters
        """Act on a payload whose route ends here: as its home, or as the node it was for."""
        if isinstance(payload, Notification):
            self._on_notification(payload)
        elif not isinstance(payload, HomePayload):
            self._on_own_payload(payload)
        elif self._may_serve(payload.home):
            self._serve(payload)
        else:
            self._host.drop(payload, "nobody-at-home")

    def on_passing(self, payload: Message, origin: int, destination: Destination) -> bool:  # noqa: ARG002
        """Capture a payload for a home that this node is close to (section 3.5)."""
        if not isinstance(destination, Position) or not isinstance(payload, HomePayload):
            return False
        if not self._is_near(destination):
            return False
        self._serve(payload)
        if isinstance(payload, Subscribe) and is_sound_subscription(payload):
            self._host.broadcast(SubscriptionCopy(payload.size_bytes, payload))
        return True

    # --- homes ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _serve(self, payload: HomePayload) -> None:
        """Act on a payload in the role of a home."""

    def _on_own_payload(self, payload: Message) -> None:
        """Act on a payload for this very node that is not an event."""
        self._host.drop(payload, "unknown-kind")

    def _store_subscription(self, subscription: Subscribe) -> None:
        """Keep a subscription that was heard."""
        if is_sound_subscription(subscription):
            self._subscriptions.add(subscription, self._host.now, self._host.now)
        else:
            self._host.drop(subscription, "malformed")

    def _may_serve(self, home: Destination) -> bool:
        """Tell whether this node, where a packet's route ended, is the home the packet was for."""
        if not isinstance(home, Position):
            return home == self._host.node
        far_home = getattr(self._parameters, "far_home", None)
        if far_home is None:
            return False  # a place, named by a node that runs another system
        return far_home == "serves" or self._is_near(home)

    def _is_near(self, home: Position) -> bool:
        here, near_m = self._host.position(), self._parameters.capture_m
        if here is None:
            return False
        if near_m is None:
            near_m = self._host.world.range_m / 2
        x_m, y_m = here.x_m - home.x_m, here.y_m - home.y_m
        return bool(x_m * x_m + y_m * y_m < near_m * near_m)

    def _send_home(self, payload: Message, home: Destination) -> None:
        if isinstance(home, Position):
            assert isinstance(self._router, GeographicRouter)
            self._router.send_to_place(payload, home)
        else:
            self._router.send(payload, home)

    # --- subscribers ---------------------------------------------------------------------------------------

    def _send_subscriptions(self) -> None:
        """Send each home the interests that belong there."""
        by_home: dict[Destination, list[Interest]] = {}
        for interest in self._interests:
            for topic in home_topics(interest):
                if topic == ROOT and not self._parameters.root_home:
                    self._host.drop(self._subscription((interest,), self._host.node), "no-root-home")
                    continue
                interests = by_home.setdefault(self.system.find_home(topic, self._host.world), [])
                if interest not in interests:
                    interests.append(interest)
        for home, interests in by_home.items():
            for first in range(0, len(interests), INTERESTS_MAX):
                part = tuple(interests[first : first + INTERESTS_MAX])
                self._send_home(self._subscription(part, home, first // INTERESTS_MAX), home)

    def _subscription(self, interests: tuple[Interest, ...], home: Destination, part: int = 0) -> Subscribe:
        at = self._host.position() if isinstance(home, Position) else None
        attributes = self._host.attributes
        size_bytes = subscription_bytes(interests, attributes, at)
        self._subscriptions_sent += 1
        return Subscribe(size_bytes, home, self._host.node, self._subscriptions_sent, interests, attributes, at, part)

    def _on_notification(self, message: Notification) -> None:
        event = message.event
        if not is_sound(event):
            self._host.drop(message, "malformed")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif event.id.publisher != self._host.node:
            self._deliver(event)

    def _deliver(self, event: Event) -> None:
        """Deliver an event once, if it is wanted and its policy admits this node's user."""
        if event.id in self._seen or not event.is_open_to(self._host.attributes):
            return
        if any(interest.matches(event) for interest in self._interests):
            self._seen.add(event, self._host.now)
            self._host.deliver(event)

    def _notify(self, event: Event, table: SubscriptionTable) -> None:
        """Decide which subscribers get an event, and send it to each of them."""
        for subscriber, at in table.subscribers_of(event, self._host.now).items():
            if subscriber != event.id.publisher:
                self._router.send(Notification(event.size_bytes, event), subscriber, at)

    def is_broker(self) -> bool:
        """Tell whether the node acts as a home now: it keeps another node's subscription."""
        kept = self._subscriptions.fresh(self._host.now)
        return any(each.message.subscriber != self._host.node for each in kept)

    def storage_bytes(self) -> int:
        """Return the size of the stored subscriptions and identifiers and of the router's tables."""
        identifiers: int = len(self._seen) * self._parameters.identifier_bytes
        return self._subscriptions.size_bytes(self._host.now) + identifiers + self._router.storage_bytes()
