"""The input of a run, and the record of each frame for a caller that watches the run."""

from dataclasses import dataclass, field

from roamcast.core.host import PubSub
from roamcast.core.messages import Message
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.energy import Energy
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.radio import RadioModel
from roamcast.sim.trajectories import Area
from roamcast.sim.workload import WorkloadModel


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that determines a run except the seed."""

    nodes: int
    area: Area
    duration_s: float
    """The length of the measurement."""
    warmup_s: float
    """How long nodes move before the measurement."""
    settle_s: float
    """How long the protocol runs before the measurement."""
    processing_s_max: float
    """The longest time, drawn for each frame, between a node's decision to send and its contention for the medium."""
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
    """A frame whose transmission has ended."""

    ended_at_s: float
    """Seconds from the start of the measurement."""
    sender: int
    message: Message
    receivers: list[int]
