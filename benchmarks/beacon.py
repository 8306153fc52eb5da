"""The least protocol there is, so that a benchmark measures the simulator: a frame every so often, and nothing is done
with what is received."""

from dataclasses import dataclass
from typing import Any, ClassVar

from roamcast.core.event_interests import Interest
from roamcast.core.events import Event
from roamcast.core.host import Host, PubSub
from roamcast.core.messages import Message
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Workload, WorkloadModel


@dataclass(frozen=True, slots=True)
class BeaconParameters:
    """The message that every node sends."""

    size_bytes: int = 50
    """The payload of a frame; 50 bytes in the heartbeats of the reference."""

    period_s: float = 1.0
    """From one frame of a node to its next."""


class Beacon(PubSub):
    """Broadcast a frame every period, at a random phase."""

    Parameters = BeaconParameters
    summary = "a beacon every period"

    def __init__(self, host: Host, parameters: BeaconParameters) -> None:
        self._host = host
        self._period_s = parameters.period_s
        self._message = Message(size_bytes=parameters.size_bytes)

    def start(self) -> None:
        """Draw the phase."""
        self._host.wake(self._host.now + self._host.random.random() * self._period_s, None)

    def on_wake(self, token: Any) -> None:
        """Send, and again after a period."""
        self._host.broadcast(self._message)
        self._host.wake(self._host.now + self._period_s, token)

    def on_message(self, message: Message, sender: int) -> None:
        """Do nothing."""

    def subscribe(self, interest: Interest) -> None:
        """Do nothing."""

    def unsubscribe(self, interest: Interest) -> None:
        """Do nothing."""

    def publish(self, event: Event) -> None:
        """Do nothing."""

    def storage_bytes(self) -> int:
        """Return 0: nothing is kept."""
        return 0


@dataclass(frozen=True, slots=True)
class Silence(WorkloadModel):
    """Nobody subscribes or publishes."""

    summary: ClassVar[str] = "nothing"

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        """Return nothing."""
        return Workload((), ())


def phases_s(nodes: int, period_s: float, seed: int) -> list[float]:
    """Return when each node sends first, as ``Beacon`` draws it."""
    streams = RandomStreams(seed)
    return [streams.python("protocol", node).random() * period_s for node in range(nodes)]
