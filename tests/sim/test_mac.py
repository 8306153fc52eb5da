"""The MAC in numbers: 802.11b and 802.11a, how long frames last, and what a person may not ask for."""

from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.core.parameters import ParameterError, build
from roamcast.sim.dcf.parameters import OFDM_RATES_BPS, Dcf, load_mac, mac_names

B = Dcf()
A = Dcf(standard="802.11a")


def test_the_mac_is_found_by_its_file_name() -> None:
    assert "dcf" in mac_names()
    assert load_mac("dcf") is Dcf
    with pytest.raises(UserError, match=r"unknown MAC model 'dfc'; did you mean 'dcf'\? known: "):
        load_mac("dfc")


def test_802_11b_has_the_constants_of_its_standard() -> None:
    timing = B.timing(2e6)
    assert (timing.slot_ns, timing.sifs_ns, timing.difs_ns) == (20_000, 10_000, 50_000)
    assert timing.preamble_ns == 144_000 + 48_000
    assert (timing.window_min, timing.window_max) == (31, 1023)
    assert timing.rts_ns == 192_000 + 160_000
    assert timing.cts_ns == timing.ack_ns == 304_000
    assert timing.answer_timeout_ns == 10_000 + 20_000 + 192_000
    assert timing.detection_ns == 4_000


def test_802_11a_has_the_constants_of_its_standard() -> None:
    timing = A.timing(6e6)
    assert (timing.slot_ns, timing.sifs_ns, timing.difs_ns) == (9_000, 16_000, 34_000)
    assert timing.preamble_ns == 20_000
    assert (timing.window_min, timing.window_max) == (15, 1023)
    assert timing.cts_ns == timing.ack_ns == 44_000
    assert timing.rts_ns == 20_000 + 8 * 4_000  # 16 + 160 + 6 bits, 24 in a symbol
    assert timing.answer_timeout_ns == 16_000 + 9_000 + 20_000


def test_eifs_as_the_reference_states_it_follows_from_the_same_numbers() -> None:
    """SIFS, an ACK at the lowest rate and DIFS are 364 us."""
    timing = B.timing(1e6)
    assert timing.sifs_ns + timing.ack_ns + timing.difs_ns == 364_000


@pytest.mark.parametrize("mac", [A, B])
def test_limits_and_thresholds_are_the_standards_and_rts_is_off(mac: Dcf) -> None:
    timing = mac.timing(6e6)
    assert (timing.short_retry_max, timing.long_retry_max) == (7, 4)
    assert timing.rts_threshold_bytes >= 65_535 + timing.header_bytes
    assert (timing.header_bytes, timing.queue_frames_max) == (24 + 4 + 8, 50)


@pytest.mark.parametrize(
    ("rate_bps", "size_bytes", "expected_ns"),
    [
        (1e6, 548, 192_000 + 4_384_000),
        (2e6, 548, 2_384_000),
        (2e6, 86, 536_000),
        (5.5e6, 548, 192_000 + 797_091),
        (11e6, 548, 192_000 + 398_546),
        (11e6, 1_536, 192_000 + 1_117_091),
        (11e6, 0, 192_000),
    ],
)
def test_an_802_11b_frame_lasts_a_long_preamble_and_its_bits_rounded_up(
    rate_bps: float, size_bytes: int, expected_ns: int
) -> None:
    assert B.timing(rate_bps).airtime_ns(size_bytes) == expected_ns


@pytest.mark.parametrize(
    ("rate_bps", "expected_us"),
    [(6e6, 2_072), (9e6, 1_388), (12e6, 1_048), (18e6, 704), (24e6, 536), (36e6, 364), (48e6, 280), (54e6, 248)],
)
def test_an_802_11a_frame_of_1536_bytes_lasts_whole_symbols(rate_bps: float, expected_us: int) -> None:
    """16 + 12,288 + 6 bits are 513, 342, 257, 171, 129, 86, 65 and 57 symbols of 4 us, after 20 us."""
    assert A.timing(rate_bps).airtime_ns(1_536) == expected_us * 1_000


def test_a_byte_more_than_a_symbol_holds_costs_a_whole_symbol() -> None:
    timing = A.timing(54e6)
    assert [timing.airtime_ns(size) for size in (0, 24, 25, 51, 52)] == [24_000, 24_000, 28_000, 28_000, 32_000]


@pytest.mark.parametrize(
    ("control_bps", "ack_ns", "rts_ns"),
    [(6e6, 44_000, 52_000), (12e6, 32_000, 36_000), (24e6, 28_000, 28_000)],
)
def test_the_rate_of_control_frames_can_be_chosen_and_is_not_the_datas(
    control_bps: float, ack_ns: int, rts_ns: int
) -> None:
    timing = Dcf(standard="802.11a", control_bitrate_bps=control_bps).timing(54e6)
    assert (timing.ack_ns, timing.cts_ns, timing.rts_ns) == (ack_ns, ack_ns, rts_ns)
    assert Dcf(control_bitrate_bps=2e6).timing(11e6).ack_ns == 192_000 + 56_000
    assert B.timing(11e6).ack_ns == 304_000


def test_the_short_preamble_shortens_every_frame() -> None:
    timing = Dcf(preamble_s=96e-6).timing(11e6)
    assert timing.airtime_ns(548) == 96_000 + 398_546
    assert timing.ack_ns == 96_000 + 112_000
    assert timing.answer_timeout_ns == 126_000


def test_what_a_person_chooses_takes_the_place_of_the_standards() -> None:
    timing = Dcf(
        standard="802.11a",
        slot_s=20e-6,
        sifs_s=10e-6,
        contention_window=7,
        contention_window_max=63,
        rts_threshold_bytes=400,
        short_retry_max=2,
        long_retry_max=3,
        header_bytes=28,
        queue_frames_max=5,
    ).timing(6e6)
    assert (timing.slot_ns, timing.sifs_ns, timing.difs_ns) == (20_000, 10_000, 50_000)
    assert (timing.window_min, timing.window_max, timing.rts_threshold_bytes) == (7, 63, 400)
    assert (timing.short_retry_max, timing.long_retry_max) == (2, 3)
    assert (timing.header_bytes, timing.queue_frames_max) == (28, 5)


@given(st.sampled_from([1e6, 2e6, 5.5e6, 11e6]), st.integers(0, 70_000))
def test_a_longer_802_11b_frame_lasts_longer_by_eight_bits_a_byte(rate_bps: float, size_bytes: int) -> None:
    body_ns = B.timing(rate_bps).airtime_ns(size_bytes) - 192_000
    assert body_ns == ceil(size_bytes * 8_000 / (rate_bps / 1e6))


@given(st.sampled_from(OFDM_RATES_BPS), st.integers(0, 70_000))
def test_802_11a_symbols_hold_the_frame_and_not_one_symbol_more(rate_bps: float, size_bytes: int) -> None:
    body_ns = A.timing(rate_bps).airtime_ns(size_bytes) - 20_000
    bits = 22 + 8 * size_bytes
    carried = body_ns * rate_bps / 1e9
    assert body_ns % 4_000 == 0
    assert bits <= carried < bits + rate_bps * 4e-6


@pytest.mark.parametrize("rate_bps", [1e6, 11e6, 5.5e6, 6.5e6])
def test_802_11a_has_no_other_rates_for_data_or_control(rate_bps: float) -> None:
    with pytest.raises(UserError) as data:
        A.timing(rate_bps)
    rates = "6, 9, 12, 18, 24, 36, 48, 54 Mbit/s"
    expected = f"bitrate_bps = {rate_bps}: must be a rate of 802.11a, the standard chosen in [mac]: {rates}"
    assert str(data.value) == f"[radio] {expected}"
    with pytest.raises(UserError) as control:
        Dcf(standard="802.11a", control_bitrate_bps=rate_bps).timing(6e6)
    assert str(control.value) == f"[mac] control_{expected}"


def test_a_first_window_above_the_largest_is_an_error() -> None:
    with pytest.raises(ParameterError, match="contention_window_max: must not be below the first window, 32"):
        Dcf(contention_window=32, contention_window_max=31)
    assert Dcf(contention_window=31, contention_window_max=31).timing(2e6).window_max == 31


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"standard": "802.11n"}, '[mac] standard = "802.11n": must be '),
        ({"slot_s": 0}, "[mac] slot_s = 0: must be between 1e-9 and 1"),
        ({"slot_s": 2}, "[mac] slot_s = 2: must be "),
        ({"sifs_s": -1e-6}, "[mac] sifs_s = -1e-06: must be between 1e-9 and 1"),
        ({"preamble_s": -1}, "[mac] preamble_s = -1: must be at least 0"),
        ({"contention_window": -1}, "[mac] contention_window = -1: must be between 0 and "),
        ({"short_retry_max": 0}, "[mac] short_retry_max = 0: must be at least 1"),
        ({"long_retry_max": 256}, "[mac] long_retry_max = 256: must be "),
        ({"rts_threshold_bytes": -1}, "[mac] rts_threshold_bytes = -1: must be at least 0"),
        ({"queue_frames_max": 0}, "[mac] queue_frames_max = 0: must be greater than 0"),
        ({"control_bitrate_bps": 0}, "[mac] control_bitrate_bps = 0: must be "),
        ({"retries": 7}, "[mac] retries = 7: unknown key; known keys: "),
    ],
)
def test_an_impossible_mac_is_one_line_with_the_key_and_the_expectation(table: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        build(load_mac("dcf"), table, "[mac]")
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_the_rate_of_data_is_the_standards_unless_it_is_given() -> None:
    assert Dcf().timing() == Dcf().timing(2e6)
    assert Dcf(standard="802.11a").timing() == Dcf(standard="802.11a").timing(6e6)
