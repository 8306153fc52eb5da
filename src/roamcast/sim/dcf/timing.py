"""The DCF's timing as the compiled loop needs it: slots, interframe spaces, windows and frame lengths."""

from dataclasses import dataclass
from math import ceil

RTS_BYTES, CTS_BYTES, ACK_BYTES = 20, 14, 14


@dataclass(frozen=True, slots=True)
class MacTiming:
    """The numbers that describe a MAC to the medium."""

    slot_ns: int
    sifs_ns: int
    """The gap between the frames of one exchange."""
    difs_ns: int
    """The gap between exchanges: how long the medium must have been idle."""
    preamble_ns: int
    """The preamble and the PLCP header, sent before every frame at their own rate."""
    detection_ns: int
    """How long a transmission goes on before others notice it."""
    window_min: int
    """A first back-off is drawn from 0 to this many slots, both included."""
    window_max: int
    """The largest window, reached as an exchange fails repeatedly."""
    header_bytes: int
    """Bytes that the MAC adds to a message."""
    queue_frames_max: int
    extra_bits: int
    """Bits of a frame's body beyond its bytes: service and tail bits."""
    symbol_bits: int
    """Bits per symbol."""
    symbol_ns: float
    rts_ns: int
    """Airtime of an RTS, including its preamble."""
    cts_ns: int
    ack_ns: int
    rts_threshold_bytes: int
    """A unicast frame longer than this, including its header, is preceded by an RTS."""
    short_retry_max: int
    """How many times an RTS, or a frame without one, is sent at most."""
    long_retry_max: int
    """How many times a frame that follows an RTS is sent at most."""

    def airtime_ns(self, size_bytes: int) -> int:
        """Return the airtime of a data frame of this size, header included."""
        symbols = -(-(self.extra_bits + 8 * size_bytes) // self.symbol_bits)
        return self.preamble_ns + ceil(symbols * self.symbol_ns)

    @property
    def answer_timeout_ns(self) -> int:
        """Return how long a sender waits after its frame to notice the beginning of an answer."""
        return self.sifs_ns + self.slot_ns + self.preamble_ns
