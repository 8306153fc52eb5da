"""Routers on a graph, without a radio: links that the test makes and breaks, frames that come late, twice or never.

``RouterNetwork`` carries frames between routers in the order of their arrival times. A broadcast reaches who is linked
when it is sent; a unicast over a link that is not there, or that is lost, comes back as a failure. Delays are drawn
for each frame and each receiver, so frames overtake each other if the test wants that.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from roamcast.core.attributes import NO_ATTRIBUTES
from roamcast.core.events import Event
from roamcast.core.host import Position, World
from roamcast.core.messages import Message
from roamcast.routing import Destination, Router, RouterUser, RoutingToken

R = TypeVar("R", bound=Router)
RETRIES_S = 0.001
"""How long the MAC tries at least before it reports a failure."""
STEPS_MAX = 200_000
"""How many things may happen in one run; routers that never come to rest need more."""


@dataclass(frozen=True, slots=True)
class Letter(Message):
    """A payload that a test can tell from others."""

    text: str = ""


class Arrived(NamedTuple):
    """A payload has come."""

    at_s: float
    payload: Message
    origin: int


class GivenUp(NamedTuple):
    """A payload was given up."""

    payload: Message
    destination: Destination
    reason: str


@dataclass
class DiaryUser(RouterUser):
    """Write down what the router says."""

    clock: Callable[[], float]
    arrived: list[Arrived] = field(default_factory=list)
    passed: list[tuple[Message, int, Destination]] = field(default_factory=list)
    given_up: list[GivenUp] = field(default_factory=list)
    stranded: list[GivenUp] = field(default_factory=list)
    """The messages that others had sent."""
    captures: bool = False
    """Whether it takes out what passes by."""

    def on_packet(self, payload: Message, origin: int) -> None:
        self.arrived.append(Arrived(self.clock(), payload, origin))

    def on_passing(self, payload: Message, origin: int, destination: Destination) -> bool:
        self.passed.append((payload, origin, destination))
        return self.captures

    def on_undeliverable(self, payload: Message, destination: Destination, reason: str) -> None:
        self.given_up.append(GivenUp(payload, destination, reason))

    def on_stranded(self, payload: Message, destination: Destination, reason: str) -> None:
        self.stranded.append(GivenUp(payload, destination, reason))


class GraphHost:
    """A ``Host`` on a graph; what only publish/subscribe protocols need is not there."""

    def __init__(self, network: "RouterNetwork[Any]", node: int, position: Position | None) -> None:
        self.node = node
        self.world = World(100, 1000.0, 1000.0)
        self.attributes = NO_ATTRIBUTES
        self.random = Random(f"{network.seed}/{node}")
        self.current_position = position
        self.drops: list[tuple[Message, str]] = []
        self.sent: list[tuple[Message, int | None]] = []
        """Messages, and to whom; None: to everybody."""
        self.wakes: dict[Hashable, int] = {}
        self._network = network

    @property
    def now(self) -> float:
        return self._network.now

    def position(self) -> Position | None:
        return self.current_position

    def speed(self) -> float | None:
        return None

    def broadcast(self, message: Message, after_s: float = 0.0) -> None:
        if after_s > 0.0:
            self._network.schedule(self.now + after_s, lambda _: self.broadcast(message))
            return
        self.sent.append((message, None))
        self._network.broadcast(self.node, message)

    def unicast(self, message: Message, to: int) -> None:
        self.sent.append((message, to))
        self._network.unicast(self.node, message, to)

    def wake(self, at_s: float, token: Hashable) -> None:
        self.wakes[token] = self._network.schedule(at_s, lambda order: self._due(token, order))

    def cancel_wake(self, token: Hashable) -> None:
        self.wakes.pop(token, None)

    def deliver(self, event: Event) -> None:
        raise AssertionError(f"a router delivers no events: {event}")

    def drop(self, message: Message, reason: str) -> None:
        self.drops.append((message, reason))

    def _due(self, token: Hashable, order: int) -> None:
        if self.wakes.get(token) == order:
            del self.wakes[token]
            assert isinstance(token, RoutingToken)
            self._network.routers[self.node].on_wake(token)


class RouterNetwork(Generic[R]):
    """Some routers and the links between them."""

    def __init__(
        self,
        router: type[R],
        nodes: Iterable[int],
        parameters: object | None = None,
        places: dict[int, Position] | None = None,
        seed: int = 0,
    ) -> None:
        self.seed = seed
        self.now = 0.0
        self.random = Random(seed)
        self.links: set[tuple[int, int]] = set()
        """Who hears whom, as (sender, listener); change it at will."""
        self.delay_s_max = 0.001
        self.loss = 0.0
        """The share of frames that are lost at a receiver."""
        self.lost_answers = 0.0
        """The share of unicasts that arrive and are reported as failed all the same."""
        self.after_each: Callable[[], None] | None = None
        self._heap: list[tuple[float, int, Callable[[int], None]]] = []
        self._order = count()
        self.hosts = {node: GraphHost(self, node, (places or {}).get(node)) for node in nodes}
        self.users = {node: DiaryUser(lambda: self.now) for node in self.hosts}
        given = router.Parameters() if parameters is None else parameters
        self.routers: dict[int, R] = {node: router(host, given, self.users[node]) for node, host in self.hosts.items()}

    def start(self) -> None:
        for router in self.routers.values():
            router.start()

    def join(self, one: int, other: int) -> None:
        self.links |= {(one, other), (other, one)}

    def part(self, one: int, other: int) -> None:
        self.links -= {(one, other), (other, one)}

    def schedule(self, at_s: float, deed: Callable[[int], None]) -> int:
        order = next(self._order)
        heappush(self._heap, (max(at_s, self.now), order, deed))
        return order

    def run(self, until_s: float) -> None:
        """Let everything happen that is due up to a time."""
        for _ in range(STEPS_MAX):
            if not self._heap or self._heap[0][0] > until_s:
                self.now = max(self.now, until_s)
                return
            self.now, order, deed = heappop(self._heap)
            deed(order)
            if self.after_each is not None:
                self.after_each()
        raise AssertionError(f"the routers are still busy after {STEPS_MAX} steps")

    def broadcast(self, sender: int, message: Message) -> None:
        for node in sorted(self.routers):
            if (sender, node) in self.links and self.random.random() >= self.loss:
                self._carry(sender, message, node)

    def unicast(self, sender: int, message: Message, to: int) -> None:
        arrives = (sender, to) in self.links and (to, sender) in self.links and self.random.random() >= self.loss
        if arrives:
            self._carry(sender, message, to)
        if not arrives or self.random.random() < self.lost_answers:
            failed = self.routers[sender].on_unicast_failed
            self.schedule(self.now + RETRIES_S + self._delay_s(), lambda _: failed(message, to))

    def reasons(self) -> list[str]:
        """Return why anything was dropped anywhere."""
        return [reason for host in self.hosts.values() for _, reason in host.drops]

    def _carry(self, sender: int, message: Message, to: int) -> None:
        receive = self.routers[to].on_message
        self.schedule(self.now + self._delay_s(), lambda _: receive(message, sender))

    def _delay_s(self) -> float:
        return self.delay_s_max * self.random.random()
