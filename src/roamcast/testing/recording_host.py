"""A ``Host`` for tests: the test moves its clock, and it writes down everything its protocol does.

A test compares exactly what was sent, delivered and dropped, without a simulator. ``FakeLink`` joins several hosts.

    host = RecordingHost(node=1)
    protocol = host.install(Frugal)
    protocol.subscribe(interest_in("news"))
    host.advance_to(3.0)
    assert host.take_messages() == [Heartbeat(...), Heartbeat(...), Heartbeat(...)]
"""

from collections.abc import Callable, Hashable
from itertools import count
from random import Random
from typing import NamedTuple, TypeVar

from roamcast.core.attributes import NO_ATTRIBUTES
from roamcast.core.events import Event
from roamcast.core.host import Position, PubSub, World
from roamcast.core.messages import Message

P = TypeVar("P", bound=PubSub)

STEPS_MAX = 100_000
"""How many wakes or frames one advance may take. A protocol that wakes itself at once, forever, takes more."""


class EndlessWorkError(AssertionError):
    """Say that a protocol never comes to rest: it wakes itself, or answers its neighbours, without end."""


class Sent(NamedTuple):
    """A message was broadcast."""

    at_s: float
    message: Message


class Late(NamedTuple):
    """The wake at which a delayed broadcast is due."""

    number: int
    message: Message


class Unicast(NamedTuple):
    """A message was sent to one neighbour."""

    at_s: float
    message: Message
    to: int


class Delivered(NamedTuple):
    """An event was handed to the application."""

    at_s: float
    event: Event


class Dropped(NamedTuple):
    """A message was not acted upon."""

    at_s: float
    message: Message
    reason: str


class ConstantRandom(Random):
    """A random stream that always draws the same number, so that a test knows when things happen."""

    def __init__(self, value: float) -> None:
        super().__init__(0)
        self._value = value

    def random(self) -> float:
        """Return the one value."""
        return self._value


class RecordingHost:
    """A ``Host`` that records everything; the test moves its clock with ``advance_to``."""

    def __init__(
        self,
        node: int = 0,
        random: Random | float = 0.5,
        speed_mps: float | None = None,
        position: Position | None = None,
        now_s: float = 0.0,
    ) -> None:
        self.node = node
        self.random = random if isinstance(random, Random) else ConstantRandom(random)
        self.speed_mps = speed_mps
        self.current_position = position
        self.now = now_s
        self.world = World(10, 1000.0, 1000.0)
        self.attributes = NO_ATTRIBUTES
        self.protocol: PubSub
        self.broadcasts: list[Sent] = []
        self.unicasts: list[Unicast] = []
        self.deliveries: list[Delivered] = []
        self.drops: list[Dropped] = []
        self.wakes: dict[Hashable, float] = {}
        """The tokens that the protocol waits for, and when each is due."""
        self.on_broadcast: Callable[[int, Message], None] | None = None
        """Called with every broadcast; a link sets it."""
        self._orders: dict[Hashable, int] = {}
        self._order = count()
        self._taken = 0

    def install(self, protocol: type[P], parameters: object | None = None) -> P:
        """Put a protocol on this host, with its default parameters unless others are given, and start it."""
        installed = protocol(self, protocol.Parameters() if parameters is None else parameters)
        self.protocol = installed
        installed.start()
        return installed

    # --- for the protocol ---------------------------------------------------------------------------

    def position(self) -> Position | None:
        """Return the position that the test gave the node."""
        return self.current_position

    def speed(self) -> float | None:
        """Return the speed that the test gave the node."""
        return self.speed_mps

    def broadcast(self, message: Message, after_s: float = 0.0) -> None:
        """Record a message once its delay is over, and hand it to the link if there is one."""
        if after_s > 0.0:
            self.wake(self.now + after_s, Late(next(self._order), message))
            return
        self.broadcasts.append(Sent(self.now, message))
        if self.on_broadcast is not None:
            self.on_broadcast(self.node, message)

    def unicast(self, message: Message, to: int) -> None:
        """Record a message. To make it fail, the test calls the protocol's ``on_unicast_failed``."""
        self.unicasts.append(Unicast(self.now, message, to))

    def wake(self, at_s: float, token: Hashable) -> None:
        """Remember when to wake the protocol; an earlier wake of the same token is replaced."""
        self.wakes[token] = max(at_s, self.now)
        self._orders[token] = next(self._order)

    def cancel_wake(self, token: Hashable) -> None:
        """Forget a wake."""
        self.wakes.pop(token, None)

    def deliver(self, event: Event) -> None:
        """Record a delivery."""
        self.deliveries.append(Delivered(self.now, event))

    def drop(self, message: Message, reason: str) -> None:
        """Record a drop."""
        self.drops.append(Dropped(self.now, message, reason))

    # --- for the test -------------------------------------------------------------------------------

    def advance_to(self, at_s: float) -> None:
        """Let time pass; wakes due up to and at ``at_s`` come by their time, then in the order they were asked for."""
        for _ in range(STEPS_MAX):
            due = self.next_wake()
            if due is None or due[0] > at_s:
                self.now = max(self.now, at_s)
                return
            self.fire_next_wake()
        raise EndlessWorkError(f"the protocol on node {self.node} still wakes itself after {STEPS_MAX:,} wakes")

    def next_wake(self) -> tuple[float, int] | None:
        """Return when the next wake is due, and its number in the order in which wakes were asked for."""
        return min(((at_s, self._orders[token]) for token, at_s in self.wakes.items()), default=None)

    def fire_next_wake(self) -> None:
        """Move the clock to the next wake and wake the protocol."""
        token = min(self.wakes, key=lambda token: (self.wakes[token], self._orders[token]))
        self.now = max(self.now, self.wakes.pop(token))
        if isinstance(token, Late):
            self.broadcast(token.message)
        else:
            self.protocol.on_wake(token)

    def take_messages(self) -> list[Message]:
        """Return the messages broadcast since the last call."""
        taken = [sent.message for sent in self.broadcasts[self._taken :]]
        self._taken = len(self.broadcasts)
        return taken

    def delivered(self) -> list[Event]:
        """Return the events that were delivered, in order."""
        return [delivery.event for delivery in self.deliveries]

    def drop_reasons(self) -> list[str]:
        """Return the reason of every drop, in order."""
        return [drop.reason for drop in self.drops]
