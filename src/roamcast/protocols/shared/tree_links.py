"""Link upkeep for nodes in trees, shared by tree groups and the subscription tree they are compared with.

It decides how often a node sends a heartbeat, when a neighbour that does not acknowledge is considered lost, and when a
frame is retried. No paper says any of this, and all of it decides how a tree copes with movement, so both protocols use
the same rules.
"""

from typing import Generic, TypeVar

from roamcast.core.host import Host
from roamcast.core.messages import Message

M = TypeVar("M", bound=Message)

HEARTBEATS_MAX = 4
"""A moving node sends heartbeats at most this many times as often as a node at rest. Our choice."""
FAILURES_MAX = 4
"""A neighbour that has failed to acknowledge this many frames since its last heartbeat is lost. Our choice."""
SILENT_HEARTBEATS = 1.2
"""Where positions are unknown, a neighbour that fails to acknowledge is also lost if it has been silent for this many
heartbeats. Our choice."""
RETRY = "retry"
RETRY_S = 0.1
"""Roughly how long a frame that was not acknowledged waits before it is retried, in seconds. Our choice."""


def heartbeat_interval_s(heartbeat_s: float, heartbeat_m: float, speed_mps: float | None) -> float:
    """Return the delay to the next heartbeat: a fast node sends one every ``heartbeat_m`` metres, within limits."""
    if not speed_mps:
        return heartbeat_s
    return max(heartbeat_s / HEARTBEATS_MAX, min(heartbeat_s, heartbeat_m / speed_mps))


class Retries(Generic[M]):
    """Unacknowledged frames to neighbours heard recently, to be retried a little later, when the air is free."""

    def __init__(self, host: Host, waiting_max: int) -> None:
        self._host = host
        self._waiting_max = waiting_max
        self._waiting: list[tuple[M, int]] = []

    def schedule(self, message: M, to: int) -> bool:
        """Keep a frame to retry it, and tell whether there was room."""
        host = self._host
        if len(self._waiting) >= self._waiting_max:
            return False
        if not self._waiting:
            host.wake(host.now + RETRY_S * (0.2 + host.random.random()), RETRY)
        self._waiting.append((message, to))
        return True

    def due(self) -> list[tuple[M, int]]:
        """Return the frames to retry, with their receivers; those with expired events are left out."""
        due, self._waiting = self._waiting, []
        now_s = self._host.now
        return [(message, to) for message, to in due if all(each.is_valid(now_s) for each in message.events)]
