"""What a run needs to be told, and what it tells who watches it frame by frame."""

from dataclasses import dataclass, field

from roamcast.core.host import PubSub
from roamcast.core.messages import Message
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.energy import Energy
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.movement import Area
from roamcast.sim.radio import RadioModel
from roamcast.sim.workload import WorkloadModel


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that decides a run, but the seed."""

    nodes: int
    area: Area
    duration_s: float
    """How long is measured."""
    warmup_s: float
    """How long nodes move before the measurement."""
    settle_s: float
    """How long the protocol runs before the measurement."""
    processing_s_max: float
    """A node needs up to this long, drawn each time, between deciding to send and asking for the medium."""
    mobility: MobilityModel
    radio: RadioModel
    mac: Dcf
    workload: WorkloadModel
    protocol: type[PubSub]
    parameters: object
    """An instance of ``protocol.Parameters``."""
    energy: Energy = field(default_factory=Energy)


@dataclass(frozen=True, slots=True)
class FrameSent:
    """A frame that has left the air, for whoever watches frame by frame."""

    ended_at_s: float
    """Seconds from the start of the measurement."""
    sender: int
    message: Message
    receivers: list[int]
