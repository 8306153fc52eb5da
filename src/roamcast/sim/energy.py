"""The energy that a radio takes from its node's battery.

A radio transmits, follows a frame (received in the end or not) or idles, and draws a different power in each case. The
defaults are what Feeney and Nilsson measured for a 2 Mbit/s WaveLAN card in ad hoc mode (INFOCOM 2001): 280, 204 and
178 mA at 4.74 V. Idling takes by far the most, since no protocol here lets a radio sleep; compare protocols by what
they add to it.
"""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import AT_LEAST_ZERO, at_most

_Watts = Annotated[float, AT_LEAST_ZERO, at_most(1000)]


@dataclass(frozen=True, slots=True)
class Energy:
    """The keys of ``[energy]``."""

    transmit_w: _Watts = 1.327
    """A radio's power while it sends a frame, in watts. Default: Feeney and Nilsson, 280 mA at 4.74 V."""

    receive_w: _Watts = 0.967
    """A radio's power while it follows a frame, in watts. Default: Feeney and Nilsson, 204 mA at 4.74 V."""

    idle_w: _Watts = 0.844
    """A radio's power while it does neither, in watts. Default: Feeney and Nilsson, 178 mA at 4.74 V."""

    def joules(self, transmit_s: float, receive_s: float, duration_s: float) -> tuple[float, float, float]:
        """Return the energy for transmitting, receiving, and idling for the rest of the time."""
        idle_s = duration_s - transmit_s - receive_s
        return transmit_s * self.transmit_w, receive_s * self.receive_w, idle_s * self.idle_w
