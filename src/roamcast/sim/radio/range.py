"""A hard disc: a frame is heard up to a distance and not a metre further.

What the Frugal and tree group papers state of their radios is a range; this is that range and nothing else.
Frames are equals inside the disc, so any overlap at a receiver loses both.
"""

from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

from roamcast.core.parameters import GREATER_THAN_ZERO, ParameterError, at_most
from roamcast.sim.radio import BITRATE, DISC, Propagation, RadioModel


@dataclass(frozen=True, slots=True)
class Range(RadioModel):
    """Reception and carrier sense as discs."""

    summary: ClassVar[str] = "a disc of fixed radius; overlapping frames are lost"

    range_m: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How far a frame can be received, in metres."""

    sense_range_m: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)] | None = None
    """How far a frame keeps the medium busy and disturbs others, in metres; as far as it is received by default."""

    bitrate_bps: Annotated[float, BITRATE] = 2_000_000.0
    """The rate of the frame's body, in bit/s; 2 Mbit/s is what 802.11b broadcasts at."""

    def __post_init__(self) -> None:
        if self.sense_range_m is not None and self.sense_range_m < self.range_m:
            raise ParameterError("sense_range_m", "must not be smaller than range_m")

    def propagation(self) -> Propagation:
        """Return the discs in numbers."""
        return Propagation(
            law=DISC,
            range_m=self.range_m,
            sense_range_m=self.sense_range_m or self.range_m,
            near_gain_w_m2=0.0,
            far_gain_w_m4=0.0,
            crossover_m=inf,
            capture_ratio=inf,
            bitrate_bps=self.bitrate_bps,
        )
