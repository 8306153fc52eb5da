"""BRVST in an ideal air: frames arrive at once and are never lost, who hears whom is a matter of distance alone."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from math import dist
from random import Random
from typing import Any

from roamcast.core.attribute_ranges import range_attributes, range_predicate
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position, World
from roamcast.core.messages import Message
from roamcast.core.topics import Topic
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.protocols.brvst.protocol import Brvst
from roamcast.routing.sogr.messages import Packet
from roamcast.testing import FakeLink, RecordingHost

SIDE_M = 1000.0
LIMITS = {"a": (0.0, 100.0), "b": (0.0, 100.0), "c": (-1.0, 1.0)}
ROUTER = replace(BrvstParameters().router, search_hops=64, relays_per_s=1000)
Ranges = Mapping[str, tuple[float, float]]
FRAMES_MAX = 1_000_000


class AirHost(RecordingHost):
    """A host whose unicasts arrive, too."""

    air: "Air"

    def unicast(self, message: Message, to: int) -> None:
        super().unicast(message, to)
        self.air.unicast(self.node, message, to)


class Air(FakeLink):
    """Nodes at places that a test can change, on a square kilometre."""

    def __init__(
        self, places: Mapping[int, tuple[float, float]], range_m: float = 250.0, seed: int = 0, **parameters: Any
    ) -> None:
        self.range_m = range_m
        self._frames: deque[tuple[int, Message, list[int], int | None]] = deque()
        hosts = [
            AirHost(node, Random(f"{seed}/{node}"), position=Position(float(x_m), float(y_m)))
            for node, (x_m, y_m) in places.items()
        ]
        super().__init__(hosts)
        given = BrvstParameters(**{"router": ROUTER, **parameters})
        self.nodes: dict[int, Brvst] = {}
        self.published = dict.fromkeys(places, 0)
        for host in hosts:
            host.air = self
            host.world = World(len(hosts), SIDE_M, SIDE_M, (), range_m, LIMITS)
        self.relink()
        for host in hosts:
            self.nodes[host.node] = host.install(Brvst, given)

    def relink(self, gone: Iterable[int] = ()) -> None:
        """Let those hear each other that are near enough, but for some that are gone."""
        self.hears = set()
        at = {
            node: host.current_position
            for node, host in self.hosts.items()
            if host.current_position is not None and node not in set(gone)
        }
        for one, other in combinations(at, 2):
            if dist(at[one], at[other]) <= self.range_m:
                self.join(one, other)

    def move(self, node: int, x_m: float, y_m: float) -> None:
        """Put a node to another place at once."""
        self.hosts[node].current_position = Position(x_m, y_m)
        self.relink()

    def run(self, seconds: float) -> None:
        """Let time pass."""
        self.advance_to(next(iter(self.hosts.values())).now + seconds)

    # --- what people do --------------------------------------------------------------------------------------

    def subscribe(self, node: int, **ranges: tuple[float, float]) -> None:
        self.nodes[node].subscribe(range_predicate(ranges))

    def unsubscribe(self, node: int, **ranges: tuple[float, float]) -> None:
        self.nodes[node].unsubscribe(range_predicate(ranges))

    def publish(self, node: int, validity_s: float = 1e4, **ranges: tuple[float, float]) -> EventId:
        now_s, number = self.hosts[node].now, self.published[node]
        self.published[node] += 1
        event_id = EventId(node, number)
        event = Event(event_id, Topic("ranges"), now_s, validity_s, 400, range_attributes(ranges))
        self.nodes[node].publish(event)
        return event_id

    # --- what can be seen ------------------------------------------------------------------------------------

    def delivered(self, event_id: EventId) -> set[int]:
        """Return who was delivered an event; nobody twice."""
        nodes = [node for node, host in self.hosts.items() for each in host.delivered() if each.id == event_id]
        assert len(nodes) == len(set(nodes))
        return set(nodes)

    def managers(self, level: int) -> dict[Cell, list[int]]:
        """Return who manages which cell."""
        found: dict[Cell, list[int]] = {}
        for node, protocol in self.nodes.items():
            for cell in protocol.offices.held:
                if cell.level == level:
                    found.setdefault(cell, []).append(node)
        return found

    def manager(self, cell: Cell) -> int:
        """Return the one manager of a cell."""
        (node,) = self.managers(cell.level)[cell]
        return node

    def payloads(self, kind: type[Message]) -> list[Any]:
        """Return the payloads of a kind that were sent by their origin, each as often as its first hop was tried."""
        return [
            sent.message.payload
            for node, host in self.hosts.items()
            for sent in host.unicasts
            if isinstance(sent.message, Packet) and isinstance(sent.message.payload, kind)
            if sent.message.origin == node
        ]

    def reasons(self) -> list[str]:
        """Return why anything was dropped anywhere."""
        return [reason for host in self.hosts.values() for reason in host.drop_reasons()]

    # --- the air ---------------------------------------------------------------------------------------------

    def _send(self, sender: int, message: Message) -> None:
        self._frames.append((sender, message, [node for node in self.hosts if (sender, node) in self.hears], None))

    def unicast(self, sender: int, message: Message, to: int) -> None:
        self._frames.append((sender, message, [to] if (sender, to) in self.hears else [], to))

    def _carry(self) -> None:
        for _ in range(FRAMES_MAX):
            if not self._frames:
                return
            sender, message, listeners, to = self._frames.popleft()
            for node in listeners:
                self.hosts[node].protocol.on_message(message, sender)
            if to is not None and not listeners:
                self.hosts[sender].protocol.on_unicast_failed(message, to)
        raise AssertionError("the protocols still answer each other")


def lattice(per_side: int = 5, seed: int = 0, jitter_m: float = 60.0) -> dict[int, tuple[float, float]]:
    """Return places on a lattice that is a little out of order."""
    draws, step_m = Random(seed), SIDE_M / per_side
    places = [
        (column + 0.5) * step_m + draws.uniform(-jitter_m, jitter_m)
        for column in range(per_side)
        for _ in range(per_side)
    ]
    return {
        number: (x_m, (number % per_side + 0.5) * step_m + draws.uniform(-jitter_m, jitter_m))
        for number, x_m in enumerate(places)
    }


def matches(said: Ranges, asked: Ranges) -> bool:
    """Tell by the paper's own rule (section III) whether a publication matches a subscription."""
    return all(name in said and low <= said[name][0] and said[name][1] <= high for name, (low, high) in asked.items())
