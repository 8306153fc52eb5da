"""The setting of the small cases: nodes that stand still, with a range of 150 m, at 2 Mbit/s by default."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

if TYPE_CHECKING:
    from roamcast.sim.dcf.medium import Medium

PAYLOAD_BYTES = 512
AIRTIME_S = 2_384e-6
"""A payload with 36 bytes of headers and the long preamble, at 2 Mbit/s."""
RANGE_M = 150.0
BITRATE_BPS = 2e6
SECOND_NS = 1_000_000_000
AREA = Area(300.0, 300.0)


def medium_between(
    positions_m: Sequence[tuple[float, float]], mac: Dcf, streams: RandomStreams, bitrate_bps: float = BITRATE_BPS
) -> "Medium":
    """Return the medium between nodes at these positions, which reports every frame."""
    from roamcast.sim.dcf.medium import Medium  # here: the list of cases need not wait for Numba

    standing = Trajectories.from_points([[(0.0, x_m, y_m)] for x_m, y_m in positions_m])
    radio = Range(RANGE_M, bitrate_bps=bitrate_bps)
    medium = Medium(standing, AREA, radio.propagation(), mac.timing(radio.bitrate_bps), streams)
    medium.report_every_frame()
    return medium
