"""How nodes of trees keep their links, alike in tree groups and in the subscription tree that they are compared with.

How often a node says that it is there, when a neighbour that does not acknowledge is lost, and when a frame is tried
again: none of it is in a paper, all of it decides how a tree fares on the move, so both have the same.
"""

from typing import Generic, TypeVar

from roamcast.core.host import Host
from roamcast.core.messages import Message

M = TypeVar("M", bound=Message)

HEARTBEATS_MAX = 4
"""A node that moves beats at most so many times as often as one at rest. Our choice."""
FAILURES_MAX = 4
"""A neighbour that did not acknowledge so many frames since its last heartbeat is lost. Our choice."""
SILENT_HEARTBEATS = 1.2
"""Without positions, so is one that was silent for this many heartbeats when it does not acknowledge. Our choice."""
RETRY = "retry"
RETRY_S = 0.1
"""About how long a frame that was not acknowledged waits before it is tried again. Our choice."""


def heartbeat_interval_s(heartbeat_s: float, heartbeat_m: float, speed_mps: float | None) -> float:
    """Return how long to wait for the next heartbeat: who moves fast beats more often, once on so many metres."""
    if not speed_mps:
        return heartbeat_s
    return max(heartbeat_s / HEARTBEATS_MAX, min(heartbeat_s, heartbeat_m / speed_mps))


class Retries(Generic[M]):
    """Frames that were not acknowledged by who was heard lately: another try a little later, when the air is free."""

    def __init__(self, host: Host, waiting_max: int) -> None:
        self._host = host
        self._waiting_max = waiting_max
        self._waiting: list[tuple[M, int]] = []

    def schedule(self, message: M, to: int) -> bool:
        """Keep a frame for another try, if there is room."""
        host = self._host
        if len(self._waiting) >= self._waiting_max:
            return False
        if not self._waiting:
            host.wake(host.now + RETRY_S * (0.2 + host.random.random()), RETRY)
        self._waiting.append((message, to))
        return True

    def due(self) -> list[tuple[M, int]]:
        """Return what is to be tried again."""
        due, self._waiting = self._waiting, []
        now_s = self._host.now
        return [(message, to) for message, to in due if all(each.is_valid(now_s) for each in message.events)]
