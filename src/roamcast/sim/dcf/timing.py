"""The DCF in numbers: slots, gaps, windows and frame lengths, as the compiled loop wants them."""

from dataclasses import dataclass
from math import ceil

RTS_BYTES, CTS_BYTES, ACK_BYTES = 20, 14, 14


@dataclass(frozen=True, slots=True)
class MacTiming:
    """What the medium needs to know of a MAC, in numbers."""

    slot_ns: int
    sifs_ns: int
    """Between the frames of one exchange."""
    difs_ns: int
    """Between exchanges: the medium must have been idle for so long."""
    preamble_ns: int
    """The preamble and the PLCP header, sent before every frame at their own rate."""
    detection_ns: int
    """A transmission that began less than this ago has not been noticed yet."""
    window_min: int
    """A first back-off is drawn from 0 to this many slots, both included."""
    window_max: int
    """What the window grows to at most as an exchange fails again and again."""
    header_bytes: int
    """What the MAC adds to a message."""
    queue_frames_max: int
    extra_bits: int
    """What a frame's body has beside its bytes: service and tail bits."""
    symbol_bits: int
    """How many bits one symbol carries."""
    symbol_ns: float
    rts_ns: int
    """How long an RTS is on the air, its preamble included."""
    cts_ns: int
    ack_ns: int
    rts_threshold_bytes: int
    """An RTS precedes a frame for one node that is longer, its header included."""
    short_retry_max: int
    """How often an RTS, or a frame without one, is sent at most."""
    long_retry_max: int
    """How often a frame after an RTS is sent at most."""

    def airtime_ns(self, size_bytes: int) -> int:
        """Return how long a data frame of a size, its header included, is on the air."""
        symbols = -(-(self.extra_bits + 8 * size_bytes) // self.symbol_bits)
        return self.preamble_ns + ceil(symbols * self.symbol_ns)

    @property
    def answer_timeout_ns(self) -> int:
        """Return how long a sender waits, after its frame, for the beginning of an answer to be noticed."""
        return self.sifs_ns + self.slot_ns + self.preamble_ns
