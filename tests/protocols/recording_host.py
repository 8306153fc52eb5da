"""Two peers and a fake link: what a test of a protocol needs, without a simulator.

``RecordingHost`` is a ``Host`` whose clock the test moves and which writes down all that its protocol does, so that a
test compares exactly what was sent, delivered and dropped. ``FakeLink`` joins several of them: who hears whom is a
set of pairs that the test changes, so a partition that heals is two lines.

    host = RecordingHost(node=1)
    protocol = host.install(Frugal)
    protocol.subscribe(interest)
    host.advance_to(3.0)
    assert host.take_messages() == [Heartbeat(...), Heartbeat(...), Heartbeat(...)]
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from itertools import combinations, count
from random import Random
from typing import NamedTuple, TypeVar

from roamcast.core.attributes import NO_ATTRIBUTES
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position, PubSub, World
from roamcast.core.interests import TopicInterest
from roamcast.core.messages import Message
from roamcast.core.topics import Topic

P = TypeVar("P", bound=PubSub)

STEPS_MAX = 100_000
"""How many wakes or frames one advance may need; a protocol that wakes itself at once, for ever, needs more."""


class Sent(NamedTuple):
    """A message was broadcast."""

    at_s: float
    message: Message


class Late(NamedTuple):
    """The wake of a message that is to be broadcast a little later."""

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
    """A random stream that always draws the same, so that a test knows when things begin."""

    def __init__(self, value: float) -> None:
        super().__init__(0)
        self._value = value

    def random(self) -> float:
        """Return the one value."""
        return self._value


class RecordingHost:
    """A ``Host`` that writes everything down; the test moves its clock with ``advance_to``."""

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
        self.place = position
        self.now = now_s
        self.world = World(10, 1000.0, 1000.0)
        self.attributes = NO_ATTRIBUTES
        self.protocol: PubSub
        self.broadcasts: list[Sent] = []
        self.unicasts: list[Unicast] = []
        self.deliveries: list[Delivered] = []
        self.drops: list[Dropped] = []
        self.wakes: dict[Hashable, float] = {}
        """What the protocol waits for, and until when."""
        self.on_broadcast: Callable[[int, Message], None] | None = None
        """Where the link, if there is one, takes what is sent."""
        self._orders: dict[Hashable, int] = {}
        self._order = count()
        self._taken = 0

    def install(self, protocol: type[P], parameters: object | None = None) -> P:
        """Put a protocol on this host, with its default parameters unless others are given, and start it."""
        installed = protocol(self, protocol.Parameters() if parameters is None else parameters)
        self.protocol = installed
        installed.start()
        return installed

    # --- what the protocol calls ---------------------------------------------------------------------------

    def position(self) -> Position | None:
        """Return where the test has put the node."""
        return self.place

    def speed(self) -> float | None:
        """Return the speed that the test has given the node."""
        return self.speed_mps

    def broadcast(self, message: Message, after_s: float = 0.0) -> None:
        """Write down a message when its time has come, and hand it to the link if there is one."""
        if after_s > 0.0:
            self.wake(self.now + after_s, Late(next(self._order), message))
            return
        self.broadcasts.append(Sent(self.now, message))
        if self.on_broadcast is not None:
            self.on_broadcast(self.node, message)

    def unicast(self, message: Message, to: int) -> None:
        """Write down a message; that it failed is for the test to say, by ``on_unicast_failed``."""
        self.unicasts.append(Unicast(self.now, message, to))

    def wake(self, at_s: float, token: Hashable) -> None:
        """Remember when to wake the protocol, instead of what was asked for this token before."""
        self.wakes[token] = max(at_s, self.now)
        self._orders[token] = next(self._order)

    def cancel_wake(self, token: Hashable) -> None:
        """Forget a wake."""
        self.wakes.pop(token, None)

    def deliver(self, event: Event) -> None:
        """Write down a delivery."""
        self.deliveries.append(Delivered(self.now, event))

    def drop(self, message: Message, reason: str) -> None:
        """Write down a drop."""
        self.drops.append(Dropped(self.now, message, reason))

    # --- what the test calls -------------------------------------------------------------------------------

    def advance_to(self, at_s: float) -> None:
        """Let time pass; the wakes that are due, at ``at_s`` too, come in order of time and then of asking."""
        for _ in range(STEPS_MAX):
            due = self.next_wake()
            if due is None or due[0] > at_s:
                self.now = max(self.now, at_s)
                return
            self.fire_next_wake()
        raise AssertionError(f"the protocol on node {self.node} still wakes itself after {STEPS_MAX} wakes")

    def next_wake(self) -> tuple[float, int] | None:
        """Return when the next wake is due, and its place in the order of asking."""
        return min(((at_s, self._orders[token]) for token, at_s in self.wakes.items()), default=None)

    def fire_next_wake(self) -> None:
        """Move the clock to the next wake and wake the protocol."""
        token = min(self.wakes, key=lambda each: (self.wakes[each], self._orders[each]))
        self.now = max(self.now, self.wakes.pop(token))
        if isinstance(token, Late):
            self.broadcast(token.message)
        else:
            self.protocol.on_wake(token)

    def take_messages(self) -> list[Message]:
        """Return what was broadcast since this was last called."""
        taken = [sent.message for sent in self.broadcasts[self._taken :]]
        self._taken = len(self.broadcasts)
        return taken

    def delivered(self) -> list[Event]:
        """Return the events that were delivered, in order."""
        return [delivery.event for delivery in self.deliveries]

    def drop_reasons(self) -> list[str]:
        """Return the reasons of all drops, in order."""
        return [drop.reason for drop in self.drops]


class FakeLink:
    """The air between some hosts: a frame arrives at the instant at which it is sent, after what is being done.

    Hosts on a link are advanced by the link, not one by one.
    """

    def __init__(self, hosts: Iterable[RecordingHost]) -> None:
        self.hosts = {host.node: host for host in hosts}
        self.hears: set[tuple[int, int]] = set()
        """Who hears whom, as (sender, listener); change it at will."""
        self._queue: deque[tuple[int, Message, list[int]]] = deque()
        for host in self.hosts.values():
            host.on_broadcast = self._send

    def join(self, *nodes: int) -> None:
        """Let these nodes hear each other."""
        for one, other in combinations(nodes, 2):
            self.hears |= {(one, other), (other, one)}

    def part(self, *nodes: int) -> None:
        """Let these nodes no longer hear anybody, nor be heard."""
        self.hears = {pair for pair in self.hears if pair[0] not in nodes and pair[1] not in nodes}

    def advance_to(self, at_s: float) -> None:
        """Let time pass for all hosts together, up to and with what is due at ``at_s``."""
        for _ in range(STEPS_MAX):
            self._carry()
            due = [(*wake, host) for host in self.hosts.values() if (wake := host.next_wake()) is not None]
            first = min(due, key=lambda each: (each[0], each[2].node), default=None)
            next_s = at_s if first is None else min(at_s, first[0])
            for host in self.hosts.values():
                host.now = max(host.now, next_s)
            if first is None or first[0] > at_s:
                return
            first[2].fire_next_wake()
        raise AssertionError(f"the protocols on the link still wake themselves after {STEPS_MAX} wakes")

    def _send(self, sender: int, message: Message) -> None:
        self._queue.append((sender, message, [node for node in self.hosts if (sender, node) in self.hears]))

    def _carry(self) -> None:
        """Hand over what is on the air, and what is sent in answer."""
        for _ in range(STEPS_MAX):
            if not self._queue:
                return
            sender, message, listeners = self._queue.popleft()
            for node in listeners:
                self.hosts[node].protocol.on_message(message, sender)
        raise AssertionError(f"the protocols on the link still answer each other after {STEPS_MAX} frames")


def interest_in(topic: str) -> TopicInterest:
    """Return the interest in a topic and all below it."""
    return TopicInterest(Topic(topic))


def event_of(
    publisher: int,
    number: int = 0,
    topic: str = "news",
    *,
    published_at_s: float = 0.0,
    validity_s: float = 100.0,
    size_bytes: int = 400,
) -> Event:
    """Return an event, by default a piece of news of 400 bytes that is good for 100 s."""
    return Event(EventId(publisher, number), Topic(topic), published_at_s, validity_s, size_bytes)
