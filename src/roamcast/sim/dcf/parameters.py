"""The distributed coordination function of IEEE 802.11, for broadcast and for acknowledged unicast frames.

A node that finds the medium idle for DIFS sends at once; otherwise it draws a back-off, which counts down while the
medium is idle and freezes while it is busy. After every frame the node draws a new back-off. Broadcast frames are
neither acknowledged nor repeated, so their window stays at its minimum; a unicast frame is repeated with a doubled
window until it is acknowledged or given up. EIFS is left out: the model agrees with ns-3 without it (docs/radio.md).
Constants: IEEE 802.11-1999, DSSS PHY; IEEE 802.11a-1999, OFDM PHY.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Annotated, ClassVar

from roamcast.core.errors import InvalidValueError, UnknownNameError
from roamcast.core.parameters import (
    AT_LEAST_ONE,
    AT_LEAST_ZERO,
    GREATER_THAN_ZERO,
    Limit,
    ParameterError,
    at_most,
    one_of,
)
from roamcast.sim.dcf.timing import ACK_BYTES, CTS_BYTES, RTS_BYTES, MacTiming
from roamcast.sim.radio import BITRATE

DETECTION_NS = 4_000
"""How long a receiver needs to notice a preamble; ns-3's default."""
SECOND = at_most(1.0)
"""No gap or preamble of any 802.11 comes near a second."""
GAP = Limit(lambda value: 1e-9 <= value <= 1, "must be between 1e-9 and 1")
OFDM_SYMBOL_NS = 4_000
OFDM_EXTRA_BITS = 22
"""16 service bits before the frame and 6 tail bits after it."""
OFDM_RATES_BPS = (6e6, 9e6, 12e6, 18e6, 24e6, 36e6, 48e6, 54e6)
WINDOW = Limit(lambda value: 0 <= value <= 1_000_000, "must be between 0 and 1,000,000")


@dataclass(frozen=True, slots=True)
class Standard:
    """The constants of one edition of 802.11."""

    slot_s: float
    sifs_s: float
    preamble_s: float
    window_min: int
    bitrate_bps: float
    """The data rate where a scenario gives none."""
    control_bitrate_bps: float
    is_ofdm: bool


STANDARDS: Mapping[str, Standard] = {
    "802.11b": Standard(20e-6, 10e-6, 192e-6, 31, 2e6, 1e6, is_ofdm=False),
    "802.11a": Standard(9e-6, 16e-6, 20e-6, 15, 6e6, 6e6, is_ofdm=True),
}
"""802.11b with the long preamble (144 us) and its PLCP header (48 us)."""


@dataclass(frozen=True, slots=True)
class Dcf:
    """Carrier sense with a slotted back-off, acknowledged unicast frames and optional RTS/CTS."""

    summary: ClassVar[str] = "IEEE 802.11b or 802.11a DCF: freezing back-off, acknowledged unicast, bounded queue"

    standard: Annotated[str, one_of(*STANDARDS)] = "802.11b"
    """The edition that supplies the default times, window and control rate: "802.11b" or "802.11a"."""

    slot_s: Annotated[float, GAP] | None = None
    """The unit of the back-off, in seconds. Default: the standard's, 20 us (b) or 9 us (a)."""

    sifs_s: Annotated[float, GAP] | None = None
    """The short interframe space, in seconds; DIFS is this plus two slots. Default: the standard's, 10 us (b) or 16 us
    (a)."""

    preamble_s: Annotated[float, AT_LEAST_ZERO, SECOND] | None = None
    """The duration of the preamble and PLCP header before every frame, in seconds. Default: the standard's, 192 us (b,
    long preamble; the short one is 96 us) or 20 us (a)."""

    contention_window: Annotated[int, WINDOW] | None = None
    """A first back-off is drawn from 0 to this many slots. Default: the standard's, 31 (b) or 15 (a)."""

    contention_window_max: Annotated[int, WINDOW] = 1023
    """The limit, in slots, up to which the window doubles as a unicast frame fails repeatedly. The standard's value."""

    control_bitrate_bps: Annotated[float, BITRATE] | None = None
    """The rate of RTS, CTS and ACK frames, in bit/s. Default: the lowest of the standard, 1 Mbit/s (b) or 6 Mbit/s
    (a)."""

    rts_threshold_bytes: Annotated[int, AT_LEAST_ZERO, at_most(1_000_000)] = 1_000_000
    """A unicast frame longer than this, headers included, is preceded by RTS and CTS. Off by default."""

    short_retry_max: Annotated[int, AT_LEAST_ONE, at_most(255)] = 7
    """How many times an RTS, or a unicast frame without one, is sent at most. The standard's value."""

    long_retry_max: Annotated[int, AT_LEAST_ONE, at_most(255)] = 4
    """How many times a unicast frame that follows an RTS is sent at most. The standard's value."""

    header_bytes: Annotated[int, AT_LEAST_ZERO, at_most(65_535)] = 36
    """Bytes added to every message: 24 of MAC header, 4 of FCS and 8 of LLC/SNAP; 28 without LLC/SNAP."""

    queue_frames_max: Annotated[int, GREATER_THAN_ZERO, at_most(1_000_000)] = 50
    """The length of a node's queue, including the frame on the air; further frames are dropped. Default: 50 as in
    ns-2."""

    def __post_init__(self) -> None:
        first = STANDARDS[self.standard].window_min if self.contention_window is None else self.contention_window
        if first > self.contention_window_max:
            raise ParameterError("contention_window_max", f"must not be below the first window, {first}")

    def timing(self, bitrate_bps: float | None = None) -> MacTiming:
        """Return the timing that follows from these parameters and the radio's data rate."""
        standard = STANDARDS[self.standard]
        slot_ns = _ns(self.slot_s, standard.slot_s)
        sifs_ns = _ns(self.sifs_s, standard.sifs_s)
        preamble_ns = _ns(self.preamble_s, standard.preamble_s)
        window = standard.window_min if self.contention_window is None else self.contention_window
        control = self._control(standard)
        extra_bits, symbol_bits, symbol_ns = _symbols(
            standard, bitrate_bps or standard.bitrate_bps, "[radio] bitrate_bps"
        )

        def control_ns(size_bytes: int) -> int:
            extra, bits, length_ns = control
            return preamble_ns + ceil(-(-(extra + 8 * size_bytes) // bits) * length_ns)

        return MacTiming(
            slot_ns=slot_ns,
            sifs_ns=sifs_ns,
            difs_ns=sifs_ns + 2 * slot_ns,
            preamble_ns=preamble_ns,
            detection_ns=min(DETECTION_NS, slot_ns),
            window_min=window,
            window_max=self.contention_window_max,
            header_bytes=self.header_bytes,
            queue_frames_max=self.queue_frames_max,
            extra_bits=extra_bits,
            symbol_bits=symbol_bits,
            symbol_ns=symbol_ns,
            rts_ns=control_ns(RTS_BYTES),
            cts_ns=control_ns(CTS_BYTES),
            ack_ns=control_ns(ACK_BYTES),
            rts_threshold_bytes=self.rts_threshold_bytes,
            short_retry_max=self.short_retry_max,
            long_retry_max=self.long_retry_max,
        )

    def _control(self, standard: Standard) -> tuple[int, int, float]:
        rate_bps = standard.control_bitrate_bps if self.control_bitrate_bps is None else self.control_bitrate_bps
        return _symbols(standard, rate_bps, "[mac] control_bitrate_bps")


def _ns(chosen_s: float | None, standard_s: float) -> int:
    return round((standard_s if chosen_s is None else chosen_s) * 1e9)


def _symbols(standard: Standard, bitrate_bps: float, where: str) -> tuple[int, int, float]:
    """Return a frame's extra bits, the bits per symbol and a symbol's length in ns; without OFDM a symbol is a byte."""
    if not standard.is_ofdm:
        return 0, 8, 8e9 / bitrate_bps
    if bitrate_bps not in OFDM_RATES_BPS:
        rates = ", ".join(f"{rate / 1e6:g}" for rate in OFDM_RATES_BPS)
        raise InvalidValueError(
            where, bitrate_bps, f"must be a rate of 802.11a, the standard chosen in [mac]: {rates} Mbit/s"
        )
    return OFDM_EXTRA_BITS, round(bitrate_bps * OFDM_SYMBOL_NS / 1e9), float(OFDM_SYMBOL_NS)


def mac_names() -> tuple[str, ...]:
    """List the MAC models: there is one."""
    return ("dcf",)


def load_mac(name: str, where: str = "") -> type[Dcf]:
    """Return a MAC model by its name, or say which names there are."""
    if name not in mac_names():
        raise UnknownNameError("MAC model", name, mac_names(), where)
    return Dcf
