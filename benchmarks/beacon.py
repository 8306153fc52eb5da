"""The least protocol there is, so that a benchmark measures the simulator: one frame a second, and nothing is done
with what is received."""

from dataclasses import dataclass
from typing import Any, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Host, NoParameters, PubSub
from roamcast.core.interests import Interest
from roamcast.core.messages import Message
from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.movement import Area
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulation import Setup
from roamcast.sim.workload import Workload, WorkloadModel

BEACON = Message(size_bytes=50)
PERIOD_S = 1.0
DENSITY_PER_M2 = 150 / 5000**2


class Beacon(PubSub):
    """Broadcast 50 bytes once a second, at a random phase."""

    summary = "one beacon a second"

    def __init__(self, host: Host, parameters: NoParameters) -> None:  # noqa: ARG002 - there are none
        self._host = host

    def start(self) -> None:
        """Draw the phase."""
        self._host.wake(self._host.now + self._host.random.random() * PERIOD_S, None)

    def on_wake(self, token: Any) -> None:
        """Send, and again in a second."""
        self._host.broadcast(BEACON)
        self._host.wake(self._host.now + PERIOD_S, token)

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


def beacons(nodes: int, duration_s: float, start: str = "cold") -> Setup:
    """Return beacons at the Frugal paper's density, speed and range."""
    side_m = (nodes / DENSITY_PER_M2) ** 0.5
    return Setup(
        nodes=nodes,
        area=Area(side_m, side_m),
        duration_s=duration_s,
        warmup_s=0.0,  # the reference names none
        settle_s=0.0,
        processing_s_max=0.0,
        mobility=RandomWaypoint((10.0, 10.0), 1.0, start),
        radio=Range(339.0),
        mac=Dcf(),
        workload=Silence(),
        protocol=Beacon,
        parameters=NoParameters(),
    )
