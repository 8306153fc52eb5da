"""A frame for one node, to the nanosecond: worked by hand from the rules of docs/radio.md.

Each example is checked on the compiled medium and on the reference model, so that neither is only as good as the other.
What others do meanwhile is in test_medium_nav.py.
Times in the examples are those of 802.11b at 2 Mbit/s: 50 bytes are 536 us on the air, an RTS 352, a CTS or ACK 304.
"""

from dataclasses import replace

import numpy as np
import pytest
from medium_play import SECOND_NS, Air, check_example, digest_of, make_medium, play, seed_where, slots, standing
from reference_medium import Heard, Request

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.dcf.records import KIND_ACK, KIND_CTS, KIND_RTS, RECEIVED, RECEIVED_BYTES, SENT, SENT_BYTES
from roamcast.sim.radio import Reach
from roamcast.sim.radio.range import Range

SLOT_NS, SIFS_NS, DIFS_NS, PREAMBLE_NS = 20_000, 10_000, 50_000, 192_000
DATA_NS, RTS_NS, CTS_NS, ACK_NS = 536_000, 352_000, 304_000, 304_000
TIME_OUT_NS = 222_000
"""SIFS, a slot and a preamble."""
RADIO = Range(150.0)
PAIR = standing((0, 0), (100, 0))
PLAIN, WITH_RTS = Dcf(), Dcf(rts_threshold_bytes=0)


def test_a_data_frame_is_acknowledged_one_sifs_after_its_end() -> None:
    air = [(536_000, 0, [1]), (536_000 + 10_000 + 304_000, 1, [0])]
    result = check_example(PAIR, [Request(0, 0, 50, to=1)], air, [Heard(536_000, 0, 0, [1])])
    assert result.totals == (2, 2)
    assert result.transmit_ns == result.receive_ns[::-1] == [536_000, 304_000]
    assert result.frames_lost == [0, 0]


def test_an_rts_and_a_cts_precede_a_data_frame_above_the_threshold_each_a_sifs_apart() -> None:
    air = [(352_000, 0, [1]), (666_000, 1, [0]), (676_000 + 536_000, 0, [1]), (1_222_000 + 304_000, 1, [0])]
    result = check_example(PAIR, [Request(0, 0, 50, to=1)], air, [Heard(1_212_000, 0, 0, [1])], WITH_RTS)
    assert result.totals == (4, 4)
    assert result.transmit_ns == result.receive_ns[::-1] == [352_000 + 536_000, 2 * 304_000]
    for kind, sender, size_bytes in ((KIND_RTS, 0, 20), (KIND_CTS, 1, 14), (KIND_ACK, 1, 14)):
        assert result.traffic[sender, kind, SENT] == result.traffic[1 - sender, kind, RECEIVED] == 1
        assert result.traffic[sender, kind, SENT_BYTES] == size_bytes
        assert result.traffic[1 - sender, kind, RECEIVED_BYTES] == size_bytes


@pytest.mark.parametrize(("threshold_bytes", "frames"), [(85, 4), (86, 2), (87, 2)])
def test_the_threshold_is_compared_with_the_size_on_the_air_and_must_be_exceeded(
    threshold_bytes: int, frames: int
) -> None:
    """50 bytes and 36 of headers are 86."""
    medium = make_medium(PAIR, RADIO, Dcf(rts_threshold_bytes=threshold_bytes))
    assert play(medium, [Request(0, 0, 50, to=1)], SECOND_NS).medium.totals == (frames, frames)


def test_a_broadcast_frame_has_neither_rts_nor_ack_whatever_its_size() -> None:
    check_example(PAIR, [Request(0, 0, 50)], [(536_000, 0, [1])], [Heard(536_000, 0, 0, [1])], WITH_RTS)


def test_802_11a_has_its_own_times() -> None:
    """At 6 Mbit/s 22 + 8 * 86 bits are 30 symbols, 140 us with the preamble; an ACK is 44 us, SIFS 16 us."""
    medium = make_medium(PAIR, Range(150.0, None, 6e6), Dcf(standard="802.11a"))
    played = play(medium, [Request(0, 0, 50, to=1)], SECOND_NS)
    assert played.trace == [Heard(140_000, 0, 0, [1])]
    assert medium.digest == digest_of([(140_000, 0, [1]), (140_000 + 16_000 + 44_000, 1, [0])])


def test_only_the_node_that_a_frame_is_for_is_handed_it_and_the_others_have_lost_nothing() -> None:
    result = check_example(
        standing((0, 0), (10, 0), (20, 0)),
        [Request(0, 0, 50, to=1)],
        [(536_000, 0, [1]), (850_000, 1, [0])],
        [Heard(536_000, 0, 0, [1])],
    )
    assert result.frames_lost == [0, 0, 0]
    assert result.receive_ns == [304_000, 536_000, 536_000 + 304_000]


@pytest.mark.parametrize("mac", [PLAIN, WITH_RTS])
def test_after_an_acknowledgement_the_sender_draws_and_the_next_frame_contends(mac: Dcf) -> None:
    acked_ns = 850_000 if mac is PLAIN else 1_526_000
    (drawn,) = slots(0, [31])
    next_ns = acked_ns + DIFS_NS + drawn * SLOT_NS + DATA_NS
    requests = [Request(0, 0, 50, to=1), Request(0, 0, 50)]
    trace = [Heard(acked_ns - ACK_NS - SIFS_NS, 0, 0, [1]), Heard(next_ns, 0, 1, [1])]
    check_example(PAIR, requests, None, trace, mac)


# --- failures ---------------------------------------------------------------------------------------------------------

WINDOWS = [63, 127, 255, 511, 1023, 1023]
"""From which the back-offs before the second to the seventh attempt are drawn."""


@pytest.mark.parametrize(("mac", "airtime_ns"), [(PLAIN, DATA_NS), (WITH_RTS, RTS_NS)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_frame_for_nobody_is_sent_seven_times_with_a_doubled_window_each_and_given_up(
    mac: Dcf, airtime_ns: int, seed: int
) -> None:
    *drawn, after = slots(0, [*WINDOWS, 31], seed)
    ends_ns = [airtime_ns]
    for each in drawn:
        ends_ns.append(ends_ns[-1] + TIME_OUT_NS + DIFS_NS + each * SLOT_NS + airtime_ns)
    failed_ns = ends_ns[-1] + TIME_OUT_NS
    next_ns = failed_ns + DIFS_NS + after * SLOT_NS + DATA_NS
    air: Air = [*((end_ns, 0, []) for end_ns in ends_ns), (next_ns, 0, [])]
    sent = [Heard(end_ns, 0, 0, []) for end_ns in ends_ns] if mac is PLAIN else []
    trace = [*sent, Heard(failed_ns, 0, 0, [], failed=True), Heard(next_ns, 0, 1, [])]
    far = standing((0, 0), (151, 0))
    result = check_example(far, [Request(0, 0, 50, to=1), Request(0, 0, 50)], air, trace, mac, seed)
    assert result.transmit_ns == [7 * airtime_ns + DATA_NS, 0]
    assert result.frames_lost == [0, 0]


def test_a_window_grows_to_its_maximum_and_no_further() -> None:
    mac = Dcf(contention_window=3, contention_window_max=10, short_retry_max=4)
    drawn = slots(0, [7, 10, 10])
    ends_ns = [DATA_NS]
    for each in drawn:
        ends_ns.append(ends_ns[-1] + TIME_OUT_NS + DIFS_NS + each * SLOT_NS + DATA_NS)
    trace = [Heard(end_ns, 0, 0, []) for end_ns in ends_ns] + [Heard(ends_ns[-1] + TIME_OUT_NS, 0, 0, [], failed=True)]
    check_example(standing((0, 0), (151, 0)), [Request(0, 0, 50, to=1)], None, trace, mac)


LEAVING = [[(0.0, 0.0, 0.0)], [(0.0, 100.0, 0.0), (0.000666, 100.0, 0.0), (0.000676, 900.0, 0.0)]]
"""Node 1 goes out of range between its CTS and the data frame."""


def test_a_data_frame_after_an_rts_is_sent_as_often_as_the_long_limit_says() -> None:
    """Node 1 answers the RTS and is out of range when the data frame begins."""
    air = [(352_000, 0, [1]), (666_000, 1, [0]), (1_212_000, 0, [])]
    trace = [Heard(1_212_000, 0, 0, []), Heard(1_212_000 + TIME_OUT_NS, 0, 0, [], failed=True)]
    mac = replace(WITH_RTS, long_retry_max=1)
    check_example(LEAVING, [Request(0, 0, 50, to=1)], air, trace, mac)


def test_an_rts_that_was_answered_counts_as_one_that_was_sent() -> None:
    """Two RTS are allowed: the first was answered but its data frame was not, the second finds nobody."""
    again_ns = 1_212_000 + TIME_OUT_NS + DIFS_NS + slots(0, [63])[0] * SLOT_NS + RTS_NS
    air = [(352_000, 0, [1]), (666_000, 1, [0]), (1_212_000, 0, []), (again_ns, 0, [])]
    trace = [Heard(1_212_000, 0, 0, []), Heard(again_ns + TIME_OUT_NS, 0, 0, [], failed=True)]
    check_example(LEAVING, [Request(0, 0, 50, to=1)], air, trace, replace(WITH_RTS, short_retry_max=2))


def test_a_data_frame_that_fails_when_no_rts_is_left_is_given_up() -> None:
    """One RTS is allowed, and two data frames: the second would need another RTS."""
    air = [(352_000, 0, [1]), (666_000, 1, [0]), (1_212_000, 0, [])]
    trace = [Heard(1_212_000, 0, 0, []), Heard(1_212_000 + TIME_OUT_NS, 0, 0, [], failed=True)]
    check_example(
        LEAVING, [Request(0, 0, 50, to=1)], air, trace, replace(WITH_RTS, short_retry_max=1, long_retry_max=2)
    )


@pytest.mark.parametrize("earlier_ns", [1, 2_000, 3_999, 4_000, 60_000])
def test_a_back_off_after_a_failure_begins_with_a_difs_though_a_frame_has_begun_that_is_not_noticed_yet(
    earlier_ns: int,
) -> None:
    """Node 2 is only sensed; it begins less or more than the blind moment before the wait for an answer is over."""
    seed = seed_where(0, [63], 2)
    begins_ns = DATA_NS + TIME_OUT_NS - earlier_ns
    again_ns = begins_ns + DATA_NS + DIFS_NS + 2 * SLOT_NS
    failed_ns = again_ns + DATA_NS + TIME_OUT_NS
    reach = Reach(np.array([150.0, 1.0, 150.0]), np.array([150.0, 1.0, 300.0]), np.ones(3))
    requests = [Request(0, 0, 50, to=1), Request(begins_ns, 2, 50)]
    trace = [
        Heard(DATA_NS, 0, 0, []),
        Heard(begins_ns + DATA_NS, 2, 1, []),
        Heard(again_ns + DATA_NS, 0, 0, []),
        Heard(failed_ns, 0, 0, [], failed=True),
    ]
    twice = replace(PLAIN, short_retry_max=2)
    check_example(standing((0, 0), (900, 0), (250, 0)), requests, None, trace, twice, seed, reach)


LOUD = Reach(np.array([150.0, 150.0, 300.0]), np.array([150.0, 150.0, 300.0]), np.ones(3))
LOUD_AT = standing((0, 0), (-100, 0), (250, 0))
"""Node 2 reaches node 0 but not node 1, and hears neither: its frames destroy what node 0 should hear."""


def test_a_frame_whose_acknowledgement_is_lost_is_repeated_but_handed_over_once() -> None:
    """Node 2 begins during the ACK, which fails when it ends; node 0 then waits for the end of node 2's frame."""
    (drawn,) = slots(0, [63])
    again_ns = 600_000 + DATA_NS + DIFS_NS + drawn * SLOT_NS + DATA_NS
    requests = [Request(0, 0, 50, to=1), Request(600_000, 2, 50)]
    air = [
        (536_000, 0, [1]),
        (850_000, 1, []),
        (600_000 + DATA_NS, 2, []),
        (again_ns, 0, [1]),
        (again_ns + SIFS_NS + ACK_NS, 1, [0]),
    ]
    trace = [Heard(536_000, 0, 0, [1]), Heard(1_136_000, 2, 1, []), Heard(again_ns, 0, 0, [])]
    result = check_example(LOUD_AT, requests, air, trace, reach=LOUD)
    assert result.frames_lost == [2, 0, 0]
    assert result.totals == (5, 3)


def test_a_frame_can_be_handed_over_and_fail_where_no_acknowledgement_comes_through() -> None:
    requests = [Request(0, 0, 50, to=1), Request(600_000, 2, 50)]
    trace = [Heard(536_000, 0, 0, [1]), Heard(850_000, 0, 0, [], failed=True), Heard(1_136_000, 2, 1, [])]
    check_example(LOUD_AT, requests, None, trace, replace(PLAIN, short_retry_max=1), reach=LOUD)


def test_a_sender_that_follows_another_frame_at_its_time_out_fails_at_that_frames_end() -> None:
    """Node 1 is away; node 2's frame is queued, and begins, a nanosecond before the time-out or right after it."""
    away = standing((0, 0), (900, 0), (250, 0))
    once = replace(PLAIN, short_retry_max=1)
    due_ns = DATA_NS + TIME_OUT_NS
    for begins_ns, failed_ns in ((due_ns - 1, due_ns - 1 + DATA_NS), (due_ns, due_ns)):
        requests = [Request(0, 0, 50, to=1), Request(begins_ns, 2, 50)]
        trace = [
            Heard(DATA_NS, 0, 0, []),
            Heard(failed_ns, 0, 0, [], failed=True),
            Heard(begins_ns + DATA_NS, 2, 1, [0]),
        ]
        check_example(away, requests, None, trace, once, reach=LOUD)


@pytest.mark.parametrize(("waits", "loud"), [(0, 1), (1, 0)])
def test_in_one_nanosecond_the_lower_number_acts_first_when_one_times_out_and_another_begins(
    waits: int, loud: int
) -> None:
    """The loud node's second frame begins 28 slots after its first, when the other's wait for its answer is over."""
    seed = seed_where(loud, [31], 28)
    airtime_ns = 336_000
    second_ns = airtime_ns + DIFS_NS + 28 * SLOT_NS
    sent_ns = second_ns - TIME_OUT_NS
    places = standing((0, 0), (250, 0), (900, 0)) if waits == 0 else standing((250, 0), (0, 0), (900, 0))
    ranges_m = np.array([150.0, 300.0, 1.0] if waits == 0 else [300.0, 150.0, 1.0])
    requests = [Request(0, loud, 0), Request(0, loud, 0), Request(sent_ns - airtime_ns, waits, 0, to=2)]
    failed_ns = second_ns if waits < loud else second_ns + airtime_ns
    trace = [
        Heard(airtime_ns, loud, 0, [waits]),
        Heard(sent_ns, waits, 2, []),
        Heard(failed_ns, waits, 2, [], failed=True),
        Heard(second_ns + airtime_ns, loud, 1, [waits]),
    ]
    reach = Reach(ranges_m, ranges_m, np.ones(3))
    check_example(places, requests, None, trace, replace(PLAIN, short_retry_max=1), seed, reach)


def test_a_sender_that_hears_another_frame_instead_of_its_answer_fails_when_that_ends() -> None:
    """Node 2 begins in the gap before the ACK: node 0 follows it, and it is destroyed by the ACK."""
    begins_ns = DATA_NS + 5_000
    requests = [Request(0, 0, 50, to=1), Request(begins_ns, 2, 0)]
    ended_ns = begins_ns + 336_000
    trace = [Heard(DATA_NS, 0, 0, [1]), Heard(ended_ns, 2, 1, []), Heard(ended_ns, 0, 0, [], failed=True)]
    check_example(LOUD_AT, requests, None, trace, replace(PLAIN, short_retry_max=1), reach=LOUD)


def test_a_node_that_transmits_is_deaf_to_frames_for_it() -> None:
    """Node 1 sends for 4,736 us; nodes 0 and 2 cannot hear it, since it whispers."""
    whisper = Reach(np.array([150.0, 50.0]), np.array([150.0, 50.0]), np.ones(2))
    requests = [Request(0, 1, 1_100), Request(1_000, 0, 50, to=1)]
    trace = [Heard(1_000 + DATA_NS, 0, 1, []), Heard(1_000 + DATA_NS + TIME_OUT_NS, 0, 1, [], failed=True)]
    trace.append(Heard(PREAMBLE_NS + 1_136 * 4_000, 1, 0, []))
    check_example(PAIR, requests, None, trace, replace(PLAIN, short_retry_max=1), reach=whisper)
