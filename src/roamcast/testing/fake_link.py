"""The air between recording hosts, without a simulator: the test decides who hears whom.

link = FakeLink([RecordingHost(1), RecordingHost(2)])
for host in link.hosts.values():
    host.install(Frugal)
link.join(1, 2)
link.advance_to(10.0)
"""

from collections import deque
from collections.abc import Iterable
from itertools import combinations

from roamcast.core.messages import Message
from roamcast.testing.recording_host import STEPS_MAX, EndlessWorkError, RecordingHost


class FakeLink:
    """The air between some hosts: a frame arrives in the instant in which it is sent, once the sender's call is over.

    Advance the link, not its hosts: it moves all their clocks together.
    """

    def __init__(self, hosts: Iterable[RecordingHost]) -> None:
        self.hosts = {host.node: host for host in hosts}
        self.hears: set[tuple[int, int]] = set()
        """The pairs (sender, listener) that hear each other; a test may change them at any time."""
        self._queue: deque[tuple[int, Message, list[int]]] = deque()
        for host in self.hosts.values():
            host.on_broadcast = self._send

    def join(self, *nodes: int) -> None:
        """Let each of these nodes hear all the others."""
        for one, other in combinations(nodes, 2):
            self.hears |= {(one, other), (other, one)}

    def part(self, *nodes: int) -> None:
        """Cut these nodes off: they hear nobody, and nobody hears them."""
        self.hears = {pair for pair in self.hears if pair[0] not in nodes and pair[1] not in nodes}

    def advance_to(self, at_s: float) -> None:
        """Let time pass for all hosts together; wakes that are due at ``at_s`` itself still happen."""
        for _ in range(STEPS_MAX):
            self._carry()
            due = [(*wake, host) for host in self.hosts.values() if (wake := host.next_wake()) is not None]
            first = min(due, key=lambda wake: (wake[0], wake[2].node), default=None)
            next_s = at_s if first is None else min(at_s, first[0])
            for host in self.hosts.values():
                host.now = max(host.now, next_s)
            if first is None or first[0] > at_s:
                return
            first[2].fire_next_wake()
        raise EndlessWorkError(f"the protocols on the link still wake themselves after {STEPS_MAX:,} wakes")

    def _send(self, sender: int, message: Message) -> None:
        self._queue.append((sender, message, [node for node in self.hosts if (sender, node) in self.hears]))

    def _carry(self) -> None:
        """Hand over the frames that are on the air, and those sent in answer to them."""
        for _ in range(STEPS_MAX):
            if not self._queue:
                return
            sender, message, listeners = self._queue.popleft()
            for node in listeners:
                self.hosts[node].protocol.on_message(message, sender)
        raise EndlessWorkError(f"the protocols on the link still answer each other after {STEPS_MAX:,} frames")
