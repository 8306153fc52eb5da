"""The discrete-event kernel: a heap of what is due, and the medium's receptions in between.

Entries are ordered by (time, count), so that two things due at one time happen in the order in which they were
asked for. Times are whole nanoseconds inside and seconds outside.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Protocol

from roamcast.sim.medium import Medium, Reception

NANOSECONDS = 1_000_000_000


class Actor(Protocol):
    """Whoever asked for something to happen."""

    def due(self, token: Any, order: int) -> None:
        """Act: the time has come for the request that got the number ``order``."""
        ...


class Kernel:
    """The clock of a run. Nothing else in a run knows the time."""

    def __init__(self, medium: Medium, on_reception: Callable[[Reception], None]) -> None:
        self.now_ns = 0
        self.now_s = 0.0
        self._medium = medium
        self._on_reception = on_reception
        self._heap: list[tuple[int, int, Actor, Any]] = []
        self._order = 0

    def schedule(self, at_s: float, actor: Actor, token: Any) -> int:
        """Make an actor due at a time, or at once if that is past; return the request's number."""
        self._order += 1
        at_ns = round(at_s * NANOSECONDS)
        heappush(self._heap, (at_ns if at_ns > self.now_ns else self.now_ns, self._order, actor, token))
        return self._order

    def run(self, until_s: float) -> None:
        """Let everything happen that is due before a time."""
        until_ns = round(until_s * NANOSECONDS)
        heap, advance, on_reception = self._heap, self._medium.advance, self._on_reception
        while True:
            next_ns = heap[0][0] if heap and heap[0][0] < until_ns else until_ns
            reception = advance(next_ns)
            if reception is not None:
                self.now_ns = reception.at_ns
                self.now_s = reception.at_ns / NANOSECONDS
                on_reception(reception)
                continue
            self.now_ns = next_ns
            self.now_s = next_ns / NANOSECONDS
            if next_ns == until_ns:
                return
            _, order, actor, token = heappop(heap)
            actor.due(token, order)
