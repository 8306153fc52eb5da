"""What a radio takes from its node's battery: frugality is about batteries.

A radio transmits, follows a frame (received in the end or not) or idles; each state draws its power. The defaults
are what Feeney and Nilsson measured of a 2 Mbit/s WaveLAN card in ad hoc mode (INFOCOM 2001): 280, 204 and 178 mA at
4.74 V. Idling is the largest part by far: no protocol here lets a radio sleep, so compare protocols by what they
add to it.
"""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ZERO, at_most

_Watts = Annotated[float, AT_LEAST_ZERO, at_most(1000)]


@dataclass(frozen=True, slots=True)
class Energy:
    """The keys of ``[energy]``."""

    transmit_w: _Watts = 1.327
    """The power of a radio while it sends a frame, in watts."""

    receive_w: _Watts = 0.967
    """The power of a radio while it follows a frame, in watts."""

    idle_w: _Watts = 0.844
    """The power of a radio while it does neither, in watts."""

    def joules(self, transmit_s: float, receive_s: float, duration_s: float) -> tuple[float, float, float]:
        """Return what a radio takes to transmit, to receive and to idle, which it does the rest of the time."""
        idle_s = duration_s - transmit_s - receive_s
        return transmit_s * self.transmit_w, receive_s * self.receive_w, idle_s * self.idle_w
