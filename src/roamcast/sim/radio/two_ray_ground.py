"""Two-ray ground: free space near the sender, the direct and the ground-reflected ray beyond the crossover.

Friis up to the crossover distance 4 pi ht hr / lambda, then Pt Gt Gr ht^2 hr^2 / d^4, as in ns-2. Ranges follow from
the transmit power, the sensitivity and the carrier-sense threshold.

The Frugal paper (section 5.1) gives QualNet's 15 dBm, 1.5 m, 2.4 GHz, efficiency 0.8 and a sensitivity for each rate,
and then ranges of 442, 339, 321 and 273 m (44 m in the city). The bare formula gives 672 m and less: the stated ranges
include a further loss of 5 to 8 dB, which we take to be the margin for statistical fading. ``fade_margin_db`` is that
loss; ``FRUGAL_RADIOS`` has the margin that yields each stated range.
"""

from dataclasses import dataclass
from math import pi, sqrt
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from roamcast.core.parameters import AT_LEAST_ZERO, GREATER_THAN_ZERO, Limit, ParameterError, at_most
from roamcast.sim.radio import BITRATE, TWO_RAY, FrameRanges, Propagation, RadioModel, Reach
from roamcast.sim.radio._drawn import DRAWN_FOR, PER_FRAME, PER_NODE, check_drawn, draw_ranges_m, frame_streams
from roamcast.sim.random_streams import RandomStreams

LIGHT_MPS = 299_792_458.0
_Metres = Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
_Decibel = Annotated[float, Limit(lambda value: -300 <= value <= 300, "must be between -300 and 300")]
_Frequency = Annotated[float, Limit(lambda value: 1e3 <= value <= 1e15, "must be between 1e3 and 1e15")]
_Height = Annotated[float, Limit(lambda value: 1e-3 <= value <= 1e5, "must be between 0.001 and 100,000")]
_Efficiency = Annotated[float, Limit(lambda value: 1e-6 <= value <= 1, "must be between 1e-6 and 1")]


@dataclass(frozen=True, slots=True)
class TwoRayGround(RadioModel):
    """Reception by received power."""

    summary: ClassVar[str] = (
        "two-ray ground: power, antenna height and sensitivity decide; the stronger frame may survive"
    )

    transmit_power_dbm: _Decibel = 15.0
    """The power fed to the antenna, in dBm. Default: the Frugal paper's 15 dBm."""

    sensitivity_dbm: _Decibel = -89.0
    """The weakest frame that can be received, in dBm. Default: the Frugal paper's for 2 Mbit/s, -89 dBm."""

    sense_threshold_dbm: _Decibel | None = None
    """The weakest frame that keeps the medium busy, in dBm. Default: ``sensitivity_dbm``."""

    antenna_height_m: _Height = 1.5
    """The height of every antenna above ground, in metres. Default: the Frugal paper's."""

    antenna_efficiency: _Efficiency = 0.8
    """The share of the power that an antenna radiates or receives; applied at both ends. Default: the Frugal
    paper's."""

    frequency_hz: _Frequency = 2.4e9
    """The carrier frequency, in hertz. Default: the Frugal paper's."""

    fade_margin_db: Annotated[float, AT_LEAST_ZERO, at_most(300)] = 0.0
    """A loss on top of the formula, in dB. Default: none."""

    capture_ratio: Annotated[float, GREATER_THAN_ZERO] = 10.0
    """A frame survives others if its power is at least this many times their sum. Default: 10 (10 dB) as in ns-2."""

    bitrate_bps: Annotated[float, BITRATE] | None = None
    """The data rate of a frame's body, in bit/s. Default: that of the MAC's standard."""

    range_m: tuple[_Metres, _Metres] | None = None
    """[lowest, highest], in metres: a range is drawn between them (see ``range_drawn``), and the power is the one that
    yields it, instead of ``transmit_power_dbm``. This is how we read the hint-driven paper's 100 to 200 m."""

    range_drawn: Annotated[str, DRAWN_FOR] = PER_NODE
    """Whether a range between the bounds of ``range_m`` is drawn once for each "node", or anew for each "frame" that it
    sends, RTS, CTS and ACK included."""

    def __post_init__(self) -> None:
        check_drawn("range_m", self.range_m, self.range_drawn)
        if self.sense_threshold_dbm is not None and self.sense_threshold_dbm > self.sensitivity_dbm:
            raise ParameterError("sense_threshold_dbm", "must not be above sensitivity_dbm")
        if self.capture_ratio < 1:
            raise ParameterError("capture_ratio", "must be at least 1")

    def propagation(self) -> Propagation:
        """Return the radio's numbers: a range is the distance at which the power falls to a threshold."""
        law = self._law()
        sensitivity_w, sense_w = self._thresholds_w()
        strength = 1.0 if self.range_m is None else sensitivity_w / law.power_w(self.range_m[1])
        return Propagation(
            law=TWO_RAY,
            range_m=law.reach_m(sensitivity_w / strength),
            sense_range_m=law.reach_m(sense_w / strength),
            near_gain_w_m2=law.near_gain_w_m2,
            far_gain_w_m4=law.far_gain_w_m4,
            crossover_m=law.crossover_m,
            capture_ratio=self.capture_ratio,
            bitrate_bps=self.bitrate_bps,
        )

    def reach(self, count: int, streams: RandomStreams) -> Reach:
        """Return each node's ranges, and the power that yields them as a multiple of ``transmit_power_dbm``."""
        if self.range_m is None:
            return Reach.equal(self.propagation(), count)
        law = self._law()
        sensitivity_w, sense_w = self._thresholds_w()
        frames = None
        if self.range_drawn == PER_FRAME:
            range_m = np.full(count, self.range_m[1])
            frames = FrameRanges(*self.range_m, frame_streams(count, streams), sensitivity_w, sense_w)
        else:
            range_m = draw_ranges_m(self.range_m, count, streams)
        strengths = np.array([sensitivity_w / law.power_w(node_range_m) for node_range_m in range_m])
        return Reach(range_m, np.array([law.reach_m(sense_w / strength) for strength in strengths]), strengths, frames)

    def _law(self) -> "_Law":
        fed_w = _watts(self.transmit_power_dbm - self.fade_margin_db) * self.antenna_efficiency**2
        wavelength_m = LIGHT_MPS / self.frequency_hz
        return _Law(
            near_gain_w_m2=fed_w * (wavelength_m / (4 * pi)) ** 2,
            far_gain_w_m4=fed_w * self.antenna_height_m**4,
            crossover_m=4 * pi * self.antenna_height_m**2 / wavelength_m,
        )

    def _thresholds_w(self) -> tuple[float, float]:
        sense_dbm = self.sensitivity_dbm if self.sense_threshold_dbm is None else self.sense_threshold_dbm
        return _watts(self.sensitivity_dbm), _watts(sense_dbm)


class _Law(NamedTuple):
    """Received power as a function of distance, and the reverse."""

    near_gain_w_m2: float
    far_gain_w_m4: float
    crossover_m: float

    def power_w(self, distance_m: float) -> float:
        """Return the power received at a distance."""
        if distance_m < self.crossover_m:
            return self.near_gain_w_m2 / distance_m**2
        return self.far_gain_w_m4 / distance_m**4

    def reach_m(self, threshold_w: float) -> float:
        """Return the distance at which the power has fallen to a threshold."""
        near_m = sqrt(self.near_gain_w_m2 / threshold_w)
        return near_m if near_m <= self.crossover_m else sqrt(sqrt(self.far_gain_w_m4 / threshold_w))


def _watts(dbm: float) -> float:
    return float(10 ** ((dbm - 30) / 10))


FRUGAL_RADIOS = {
    "1 Mbit/s": TwoRayGround(sensitivity_dbm=-93.0, bitrate_bps=1e6, fade_margin_db=7.25),
    "2 Mbit/s": TwoRayGround(sensitivity_dbm=-89.0, bitrate_bps=2e6, fade_margin_db=7.86),
    "6 Mbit/s": TwoRayGround(sensitivity_dbm=-87.0, bitrate_bps=6e6, fade_margin_db=6.81),
    "11 Mbit/s": TwoRayGround(sensitivity_dbm=-83.0, bitrate_bps=11e6, fade_margin_db=5.62),
    "city": TwoRayGround(sensitivity_dbm=-65.0, bitrate_bps=2e6, fade_margin_db=5.14),
}
"""The Frugal paper's radios by rate, with the margin that yields the range stated in its footnotes 11 and 12."""
