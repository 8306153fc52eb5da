"""What the six systems of the broker and rendezvous paper share (Pongthawornkamol, Nahrstedt, Wang, section 3).

Every node says once a period to the homes of its topics what it asks for; a home keeps that for a while. Where homes
are places, a node within ``capture_m`` of one takes what passes by, and broadcasts a subscription to its neighbours, so
that all around the place know all subscriptions (proximity selection, section 3.5). The two families differ in what
they do about events: ``_broker`` and ``_rendezvous``.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

from roamcast.core.events import Event
from roamcast.core.host import Host, Position, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.core.parameters import GREATER_THAN_ZERO, LASTING_S, PERIOD_S, SOME_BYTES, ParameterError
from roamcast.protocols.shared.event_tables import INTERESTS_MAX, SeenEvents, is_sound
from roamcast.protocols.topic_homes.homes import ROOT, FindHome, home_topics
from roamcast.protocols.topic_homes.subscription_table import (
    HomePayload,
    Subscribe,
    SubscriptionTable,
    is_sound_subscription,
    subscription_bytes,
)
from roamcast.routing import Destination, GeographicRouter, Router, RouterUser, RoutingMessage, RoutingToken

SUBSCRIBE = "subscribe"
"""Woken by this, a node says again what it asks for."""


@dataclass(frozen=True, slots=True)
class HomesParameters:
    """The keys of ``[protocol]`` that all six systems have."""

    subscription_s: Annotated[float, PERIOD_S] = 1.0
    """How often a subscriber says what it asks for, in seconds; section 5."""
    timeout_s: Annotated[float, LASTING_S] = 3.5
    """How long a subscription counts after it was heard, in seconds; more than ``subscription_s``. Our choice: of those
    that are said every second, two in a row may be lost, and the next is heard after 3 s."""
    root_home: bool = True
    """Whether events go to the home of the root topic too, where those stand who ask for no first segment.

    Our choice. The paper has no such subscriptions: without them, false saves a message for each event.
    """
    subscriptions_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """How many subscriptions a home keeps; the one heard longest ago makes room. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """How many events are remembered as delivered, and as handled by a home. Our choice."""
    identifier_bytes: Annotated[int, SOME_BYTES] = 16
    """The size of an event's identifier in memory; the Frugal paper's."""

    def __post_init__(self) -> None:
        if self.timeout_s <= self.subscription_s:
            expected = f"must be greater than subscription_s ({self.subscription_s:g}), or all is forgotten in between"
            raise ParameterError("timeout_s", expected)


@dataclass(frozen=True, slots=True)
class SubscriptionCopy(Message):
    """A node at a home tells its neighbours of a subscription that it has captured."""

    kind: ClassVar[str] = "subscription-copies"
    subscription: Subscribe


@dataclass(frozen=True, slots=True)
class Notification(Message):
    """An event, for one subscriber."""

    kind: ClassVar[str] = "notifications"
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


class SystemKind(NamedTuple):
    """How a system finds the homes of topics, and which router takes packets there."""

    find_home: FindHome
    router: Callable[[], type[Router]]
    """Returns the router's class; it is loaded when a node is made, not when the protocol is looked at."""


class TopicHomes(PubSub, RouterUser):
    """One node's side of a system with homes: subscriber, publisher and home in one."""

    system: ClassVar[SystemKind]
    keeps_events: ClassVar[bool] = False
    """An event goes to those whose subscriptions are there when it comes, and is gone."""

    def __init__(self, host: Host, parameters: Any) -> None:
        self._host = host
        self._parameters = parameters
        self._router = self.system.router()(host, parameters.router, self)
        self._interests: tuple[Interest, ...] = ()
        self._said = 0
        self._subscriptions = SubscriptionTable(parameters.timeout_s, parameters.subscriptions_max)
        self._seen = SeenEvents(parameters.identifiers_max)

    # --- what the user of the node asks for ----------------------------------------------------------------

    def start(self) -> None:
        """Start the router, and begin to say what is asked for at a random moment of the period."""
        self._router.start()
        self._host.wake(self._host.now + self._host.random.random() * self._parameters.subscription_s, SUBSCRIBE)

    def subscribe(self, interest: Interest) -> None:
        """Ask for what the interest matches; the homes are told with the next period's message."""
        if interest not in self._interests:
            self._interests = (*self._interests, interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Say it no more: the homes forget it after a while, and until then it is not delivered."""
        self._interests = tuple(each for each in self._interests if each != interest)

    def publish(self, event: Event) -> None:
        """Deliver an event of this node to itself, if it asks for it, and bring it to the others."""
        self._deliver(event)
        self._bring(event)

    @abstractmethod
    def _bring(self, event: Event) -> None:
        """Bring a new event of this node to those who ask for it."""

    # --- what comes from below -----------------------------------------------------------------------------

    def on_message(self, message: Message, sender: int) -> None:
        """Hand the router what is its own, and note what a neighbour has captured."""
        if isinstance(message, RoutingMessage):
            self._router.on_message(message, sender)
        elif isinstance(message, SubscriptionCopy):
            self._note(message.subscription)
        else:
            self._host.drop(message, "unknown-kind")

    def handler(self, kind: type[Message]) -> Callable[[Any, int], None]:
        """Let the router act on its own messages without a detour."""
        return self._router.handler(kind) if issubclass(kind, RoutingMessage) else self.on_message

    def on_wake(self, token: Any) -> None:
        """Say what is asked for, once a period."""
        if isinstance(token, RoutingToken):
            self._router.on_wake(token)
        elif token == SUBSCRIBE:
            self._say_subscriptions()
            self._host.wake(self._host.now + self._parameters.subscription_s, SUBSCRIBE)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        """Tell the router, the only one who sends unicasts here."""
        if isinstance(message, RoutingMessage):
            self._router.on_unicast_failed(message, to)

    def on_packet(self, payload: Message, origin: int) -> None:  # noqa: ARG002 - what matters stands in the payload
        """Act on a payload whose way has ended here: as its home, or as the node that it was for."""
        if isinstance(payload, Notification):
            self._on_notification(payload)
        elif not isinstance(payload, HomePayload):
            self._on_own_payload(payload)
        elif self._may_serve(payload.home):
            self._serve(payload)
        else:
            self._host.drop(payload, "nobody-at-home")

    def on_passing(self, payload: Message, origin: int, destination: Destination) -> bool:  # noqa: ARG002
        """Take out what goes to a home near which this node is (section 3.5)."""
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
        """Act as a home on a payload for one."""

    def _on_own_payload(self, payload: Message) -> None:
        """Act on a payload for this very node that is not an event."""
        self._host.drop(payload, "unknown-kind")

    def _note(self, subscription: Subscribe) -> None:
        """Keep what a subscriber says."""
        if is_sound_subscription(subscription):
            self._subscriptions.add(subscription, self._host.now, self._host.now)
        else:
            self._host.drop(subscription, "malformed")

    def _may_serve(self, home: Destination) -> bool:
        """Tell whether this node, where a packet's way has ended, is the home that it was for."""
        if not isinstance(home, Position):
            return home == self._host.node
        far_home = getattr(self._parameters, "far_home", None)
        if far_home is None:
            return False  # a place, said by someone who runs another system
        return far_home == "serves" or self._is_near(home)

    def _is_near(self, place: Position) -> bool:
        here, near_m = self._host.position(), self._parameters.capture_m
        if here is None:
            return False
        if near_m is None:
            near_m = self._host.world.range_m / 2
        x_m, y_m = here.x_m - place.x_m, here.y_m - place.y_m
        return bool(x_m * x_m + y_m * y_m < near_m * near_m)

    def _send_home(self, payload: Message, home: Destination) -> None:
        if isinstance(home, Position):
            assert isinstance(self._router, GeographicRouter)
            self._router.send_to_place(payload, home)
        else:
            self._router.send(payload, home)

    # --- subscribers ---------------------------------------------------------------------------------------

    def _say_subscriptions(self) -> None:
        """Say to each home what is asked for there."""
        by_home: dict[Destination, list[Interest]] = {}
        for interest in self._interests:
            for topic in home_topics(interest):
                if topic == ROOT and not self._parameters.root_home:
                    self._host.drop(self._subscription((interest,), self._host.node), "no-root-home")
                    continue
                asked = by_home.setdefault(self.system.find_home(topic, self._host.world), [])
                if interest not in asked:
                    asked.append(interest)
        for home, asked in by_home.items():
            for part in range(0, len(asked), INTERESTS_MAX):
                some = tuple(asked[part : part + INTERESTS_MAX])
                self._send_home(self._subscription(some, home, part // INTERESTS_MAX), home)

    def _subscription(self, interests: tuple[Interest, ...], home: Destination, part: int = 0) -> Subscribe:
        at = self._host.position() if isinstance(home, Position) else None
        attributes = self._host.attributes
        size_bytes = subscription_bytes(interests, attributes, at)
        self._said += 1
        return Subscribe(size_bytes, home, self._host.node, self._said, interests, attributes, at, part)

    def _on_notification(self, message: Notification) -> None:
        event = message.event
        if not is_sound(event):
            self._host.drop(message, "malformed")
        elif not event.is_valid(self._host.now):
            self._host.drop(message, "expired")
        elif event.id.publisher != self._host.node:
            self._deliver(event)

    def _deliver(self, event: Event) -> None:
        """Deliver an event once, if it is asked for and its policy holds."""
        if event.id in self._seen or not event.is_open_to(self._host.attributes):
            return
        if any(interest.matches(event) for interest in self._interests):
            self._seen.add(event, self._host.now)
            self._host.deliver(event)

    def _notify(self, event: Event, table: SubscriptionTable) -> None:
        """Decide who gets an event, and send it to each of them."""
        for subscriber, at in table.wanting(event, self._host.now).items():
            if subscriber != event.id.publisher:
                self._router.send(Notification(event.size_bytes, event), subscriber, at)

    def is_broker(self) -> bool:
        """Tell whether the node is a home now: it keeps what another node asks for."""
        kept = self._subscriptions.fresh(self._host.now)
        return any(each.message.subscriber != self._host.node for each in kept)

    def storage_bytes(self) -> int:
        """Return the size of the subscriptions kept, the identifiers remembered and the router's tables."""
        identifiers: int = len(self._seen) * self._parameters.identifier_bytes
        return self._subscriptions.size_bytes(self._host.now) + identifiers + self._router.storage_bytes()
