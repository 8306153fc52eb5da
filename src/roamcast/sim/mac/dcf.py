"""The distributed coordination function of IEEE 802.11 for broadcast frames.

A node that finds the medium idle for DIFS sends at once; else it draws a back-off and counts it down while the
medium is idle, frozen while it is busy. After every frame it draws again. Broadcast frames are not acknowledged
and not repeated, so the window stays at its minimum. EIFS is left out: the reference cases (ns-3) are met without.
Constants: IEEE 802.11-1999, DSSS PHY.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.parameters import AT_LEAST_ZERO, GREATER_THAN_ZERO, at_most
from roamcast.sim.mac import MacModel, MacTiming

DETECTION_NS = 4_000
"""How long a receiver needs to notice a preamble; ns-3's default."""
SECOND = at_most(1.0)
"""No gap or preamble of any 802.11 comes near a second."""


@dataclass(frozen=True, slots=True)
class Dcf(MacModel):
    """Carrier sense with a slotted back-off."""

    summary: ClassVar[str] = "IEEE 802.11b DCF: DIFS, slotted back-off that freezes, a bounded queue"

    slot_s: Annotated[float, GREATER_THAN_ZERO, SECOND] = 20e-6
    """The back-off's unit, in seconds; 20 us in 802.11b."""

    sifs_s: Annotated[float, GREATER_THAN_ZERO, SECOND] = 10e-6
    """The short gap, in seconds; DIFS is this and two slots."""

    preamble_s: Annotated[float, AT_LEAST_ZERO, SECOND] = 192e-6
    """The long preamble (144 us) and the PLCP header (48 us) before every frame, in seconds."""

    contention_window: Annotated[int, AT_LEAST_ZERO, at_most(1_000_000)] = 31
    """The back-off is drawn from 0 to this many slots; CWmin of 802.11b."""

    header_bytes: Annotated[int, AT_LEAST_ZERO, at_most(65_535)] = 36
    """What is added to a message: MAC header 24, FCS 4 and LLC/SNAP 8 bytes. 28 without LLC/SNAP."""

    queue_frames_max: Annotated[int, GREATER_THAN_ZERO, at_most(1_000_000)] = 50
    """How many frames wait at most, the one on the air included; the next is dropped. 50 as in ns-2."""

    def timing(self) -> MacTiming:
        """Return the DCF in numbers."""
        slot_ns = round(self.slot_s * 1e9)
        return MacTiming(
            slot_ns=slot_ns,
            difs_ns=round(self.sifs_s * 1e9) + 2 * slot_ns,
            preamble_ns=round(self.preamble_s * 1e9),
            detection_ns=min(DETECTION_NS, slot_ns),
            contention_window=self.contention_window,
            header_bytes=self.header_bytes,
            queue_frames_max=self.queue_frames_max,
        )
