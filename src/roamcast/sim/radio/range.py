"""A hard disc: a frame is heard up to a fixed distance and not a metre farther.

The Frugal and tree group papers state only a range for their radios; this model is that range and nothing else. Frames
are equally strong inside the disc, so any overlap at a receiver destroys both.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, ClassVar

import numpy as np

from roamcast.core.parameters import GREATER_THAN_ZERO, ParameterError, at_most
from roamcast.sim.radio import BITRATE, DISC, FrameRanges, Propagation, RadioModel, Reach
from roamcast.sim.radio._drawn import DRAWN_FOR, PER_FRAME, PER_NODE, check_drawn, draw_ranges_m, frame_streams
from roamcast.sim.random_streams import RandomStreams

_Metres = Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]


@dataclass(frozen=True, slots=True)
class Range(RadioModel):
    """Reception and carrier sense as discs."""

    summary: ClassVar[str] = "a disc of fixed radius; overlapping frames are lost"

    range_m: _Metres | tuple[_Metres, _Metres]
    """The distance up to which a frame can be received, in metres; with [lowest, highest], it is drawn between them
    (see ``range_drawn``)."""

    sense_range_m: _Metres | None = None
    """The distance up to which a frame keeps the medium busy and interferes with others, in metres. Default:
    ``range_m``."""

    bitrate_bps: Annotated[float, BITRATE] | None = None
    """The data rate of a frame's body, in bit/s. Default: that of the MAC's standard."""

    range_drawn: Annotated[str, DRAWN_FOR] = PER_NODE
    """Whether a range between the bounds of ``range_m`` is drawn once for each "node", or anew for each "frame" that it
    sends, RTS, CTS and ACK included."""

    def __post_init__(self) -> None:
        check_drawn("range_m", self.range_m if isinstance(self.range_m, tuple) else None, self.range_drawn)
        if self.sense_range_m is not None and self.sense_range_m < self._bounds_m[1]:
            raise ParameterError("sense_range_m", "must not be smaller than range_m")

    def propagation(self) -> Propagation:
        """Return the largest discs that a node can have."""
        return Propagation(
            law=DISC,
            range_m=self._bounds_m[1],
            sense_range_m=self.sense_range_m or self._bounds_m[1],
            near_gain_w_m2=0.0,
            far_gain_w_m4=0.0,
            crossover_m=inf,
            capture_ratio=inf,
            bitrate_bps=self.bitrate_bps,
        )

    def reach(self, count: int, streams: RandomStreams) -> Reach:
        """Return each node's discs."""
        if not isinstance(self.range_m, tuple):
            return Reach.equal(self.propagation(), count)
        if self.range_drawn == PER_FRAME:
            return replace(Reach.equal(self.propagation(), count), frames=self._frame_ranges(count, streams))
        range_m = draw_ranges_m(self._bounds_m, count, streams)
        sense_range_m = range_m if self.sense_range_m is None else np.full(count, self.sense_range_m)
        return Reach(range_m, sense_range_m, np.ones(count))

    def _frame_ranges(self, count: int, streams: RandomStreams) -> FrameRanges:
        lowest_m, highest_m = self._bounds_m
        return FrameRanges(lowest_m, highest_m, frame_streams(count, streams), sense_range_m=self.sense_range_m or 0.0)

    @property
    def _bounds_m(self) -> tuple[float, float]:
        return self.range_m if isinstance(self.range_m, tuple) else (self.range_m, self.range_m)
