"""An exchange between two nodes as others see it, and an answer as it affects the node's own frames: worked by hand.

Times are those of 802.11b at 2 Mbit/s: 50 bytes are 536 us on the air, an RTS 352, a CTS or ACK 304.
"""

from dataclasses import replace

import numpy as np
import pytest
from medium_play import SECOND_NS, Air, check_example, make_medium, play, seed_where, slots, standing
from reference_medium import Heard, Request

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio import Reach
from roamcast.sim.radio.range import Range

SLOT_NS, SIFS_NS, DIFS_NS, PREAMBLE_NS = 20_000, 10_000, 50_000, 192_000
DATA_NS, ACK_NS = 536_000, 304_000
TIME_OUT_NS = 222_000
"""SIFS, a slot and a preamble."""
PAIR = standing((0, 0), (100, 0))
LINE = standing((0, 0), (100, 0), (200, 0), (300, 0))
"""Everybody hears the next one only."""
PLAIN, WITH_RTS = Dcf(), Dcf(rts_threshold_bytes=0)


@pytest.mark.parametrize(
    ("mac", "asks_ns", "over_ns"),
    [(WITH_RTS, 500_000, 1_526_000), (PLAIN, 700_000, 850_000), (PLAIN, 849_999, 850_000)],
)
def test_who_hears_the_sender_only_keeps_quiet_until_the_announced_end(mac: Dcf, asks_ns: int, over_ns: int) -> None:
    """Node 1 sends to node 2; node 0 hears neither CTS nor ACK, finds the medium free, and draws nevertheless."""
    (drawn,) = slots(0, [31])
    begins_ns = over_ns + DIFS_NS + drawn * SLOT_NS
    requests = [Request(0, 1, 50, to=2), Request(asks_ns, 0, 50)]
    trace = [Heard(over_ns - ACK_NS - SIFS_NS, 1, 0, [2]), Heard(begins_ns + DATA_NS, 0, 1, [1])]
    check_example(LINE, requests, None, trace, mac)


def test_who_asks_when_the_announced_end_has_come_draws_no_back_off() -> None:
    requests = [Request(0, 1, 50, to=2), Request(850_000, 0, 50)]
    trace = [Heard(536_000, 1, 0, [2]), Heard(850_000 + DIFS_NS + DATA_NS, 0, 1, [1])]
    check_example(LINE, requests, None, trace)


def test_who_hears_the_receiver_only_keeps_quiet_from_the_cts_on() -> None:
    """Node 0 sends to node 1; node 2 hears the CTS but neither the RTS nor the data frame."""
    (drawn,) = slots(2, [31])
    requests = [Request(0, 0, 50, to=1), Request(800_000, 2, 50)]
    begins_ns = 1_526_000 + DIFS_NS + drawn * SLOT_NS
    trace = [Heard(1_212_000, 0, 0, [1]), Heard(begins_ns + DATA_NS, 2, 1, [1, 3])]
    check_example(LINE, requests, None, trace, WITH_RTS)


def test_without_an_rts_a_hidden_node_destroys_the_data_frame() -> None:
    requests = [Request(0, 0, 50, to=1), Request(300_000, 2, 50)]
    mac = replace(PLAIN, short_retry_max=1)
    trace = [
        Heard(536_000, 0, 0, []),
        Heard(536_000 + TIME_OUT_NS, 0, 0, [], failed=True),
        Heard(836_000, 2, 1, [3]),
    ]
    result = check_example(LINE, requests, None, trace, mac)
    assert result.frames_lost == [0, 2, 0, 0]


def test_an_rts_that_comes_through_while_the_nav_runs_is_counted_as_received_and_not_answered() -> None:
    """Node 1 has heard node 2's RTS for somebody who is not there: nothing follows, and its NAV runs all the same."""
    nodes = standing((0, 0), (100, 0), (200, 0), (900, 0))
    requests = [Request(0, 2, 50, to=3), Request(400_000, 0, 50, to=1)]
    mac = replace(WITH_RTS, short_retry_max=1)
    air: Air = [(352_000, 2, []), (752_000, 0, [1])]
    trace = [Heard(352_000 + TIME_OUT_NS, 2, 0, [], failed=True), Heard(752_000 + TIME_OUT_NS, 0, 1, [], failed=True)]
    check_example(nodes, requests, air, trace, mac)


def test_a_data_frame_is_acknowledged_although_the_nav_runs() -> None:
    """As before, but node 0's frame is below the threshold and needs no RTS."""
    nodes = standing((0, 0), (100, 0), (200, 0), (900, 0))
    requests = [Request(0, 2, 50, to=3), Request(400_000, 0, 10, to=1)]
    mac = Dcf(rts_threshold_bytes=50, short_retry_max=1)
    ended_ns = 400_000 + PREAMBLE_NS + 46 * 4_000
    air = [(352_000, 2, []), (ended_ns, 0, [1]), (ended_ns + SIFS_NS + ACK_NS, 1, [0])]
    trace = [Heard(352_000 + TIME_OUT_NS, 2, 0, [], failed=True), Heard(ended_ns, 0, 1, [1])]
    check_example(nodes, requests, air, trace, mac)


# --- answers and the node's own frames --------------------------------------------------------------------------------


def test_an_answer_freezes_the_back_off_which_goes_on_after_it() -> None:
    """Node 1 has sent and counts 20 slots down; 5.5 slots later node 0's frame for it begins, and its ACK follows."""
    seed = seed_where(1, [31], 20)
    counting_ns = DATA_NS + DIFS_NS
    arrives_ns = counting_ns + 5 * SLOT_NS + 10_000
    requests = [Request(0, 1, 50), Request(0, 1, 50), Request(arrives_ns, 0, 50, to=1)]
    acked_ns = arrives_ns + DATA_NS + SIFS_NS + ACK_NS
    begins_ns = acked_ns + DIFS_NS + 15 * SLOT_NS
    trace = [
        Heard(DATA_NS, 1, 0, [0]),
        Heard(arrives_ns + DATA_NS, 0, 2, [1]),
        Heard(begins_ns + DATA_NS, 1, 1, [0]),
    ]
    check_example(PAIR, requests, None, trace, seed=seed)


@pytest.mark.parametrize("asks_ns", [DATA_NS, DATA_NS + SIFS_NS, DATA_NS + SIFS_NS + 1, DATA_NS + 200_000])
def test_a_frame_that_waits_when_its_node_begins_an_answer_draws_a_back_off(asks_ns: int) -> None:
    (drawn,) = slots(1, [31])
    requests = [Request(0, 0, 50, to=1), Request(asks_ns, 1, 50)]
    begins_ns = DATA_NS + SIFS_NS + ACK_NS + DIFS_NS + drawn * SLOT_NS
    check_example(PAIR, requests, None, [Heard(DATA_NS, 0, 0, [1]), Heard(begins_ns + DATA_NS, 1, 1, [0])])


def test_an_answer_is_sent_whatever_is_sensed_and_ends_what_the_node_follows() -> None:
    """Node 2, whom only node 1 hears, begins in the gap before the ACK of node 1."""
    reach = Reach(np.array([150.0, 150.0, 300.0]), np.array([150.0, 150.0, 300.0]), np.ones(3))
    nodes = standing((0, 0), (100, 0), (350, 0))
    requests = [Request(0, 0, 50, to=1), Request(DATA_NS + 4_000, 2, 50)]
    air = [(DATA_NS, 0, [1]), (850_000, 1, [0]), (2 * DATA_NS + 4_000, 2, [])]
    result = check_example(
        nodes, requests, air, [Heard(DATA_NS, 0, 0, [1]), Heard(2 * DATA_NS + 4_000, 2, 1, [])], reach=reach
    )
    assert result.receive_ns == [ACK_NS, DATA_NS + 6_000, 0]
    assert result.frames_lost == [0, 1, 0]


def test_a_sender_that_waits_for_an_answer_does_not_contend_for_its_next_frame() -> None:
    """Nobody answers: the second frame begins after the first was given up and not a DIFS after it was sent."""
    (drawn,) = slots(0, [31])
    mac = replace(PLAIN, short_retry_max=1)
    failed_ns = DATA_NS + TIME_OUT_NS
    requests = [Request(0, 0, 50, to=1), Request(10_000, 0, 50)]
    trace = [
        Heard(DATA_NS, 0, 0, []),
        Heard(failed_ns, 0, 0, [], failed=True),
        Heard(failed_ns + DIFS_NS + drawn * SLOT_NS + DATA_NS, 0, 1, []),
    ]
    check_example(standing((0, 0), (151, 0)), requests, None, trace, mac)


def test_a_frame_in_its_exchange_takes_its_place_in_the_queue_until_it_is_acknowledged() -> None:
    medium = make_medium(PAIR, Range(150.0), Dcf(queue_frames_max=1))
    requests = [Request(0, 0, 50, to=1), Request(849_999, 0, 50), Request(850_000, 0, 50)]
    assert play(medium, requests, SECOND_NS).refused == [1]


def test_a_node_that_has_an_answer_pending_does_not_answer_another_frame() -> None:
    """With a SIFS of 600 us node 2's short frame arrives before the answer to node 0 is sent; it hears that instead."""
    mac = Dcf(sifs_s=600e-6, short_retry_max=1)
    requests = [Request(0, 0, 50, to=1), Request(546_000, 2, 0, to=1)]
    air = [(536_000, 0, [1]), (882_000, 2, [1]), (1_136_000 + ACK_NS, 1, [0])]
    trace = [Heard(536_000, 0, 0, [1]), Heard(882_000, 2, 1, [1]), Heard(1_440_000, 2, 1, [], failed=True)]
    check_example(LINE, requests, air, trace, mac)


def test_a_node_that_transmits_when_an_answer_is_due_does_not_send_it() -> None:
    """With a SIFS of 600 us a frame of the loud node 2 arrives between the CTS and the data frame that this lets go."""
    mac = Dcf(sifs_s=600e-6, rts_threshold_bytes=50, short_retry_max=1)
    reach = Reach(np.array([150.0, 150.0, 300.0]), np.array([150.0, 150.0, 300.0]), np.ones(3))
    requests = [Request(0, 0, 50, to=1), Request(1_300_000, 2, 0, to=0)]
    air: Air = [
        (352_000, 0, [1]),
        (952_000 + 304_000, 1, [0]),
        (1_300_000 + 336_000, 2, [0]),
        (1_856_000 + DATA_NS, 0, [1]),
        (2_992_000 + ACK_NS, 1, [0]),
    ]
    failed_ns = 1_636_000 + 600_000 + SLOT_NS + PREAMBLE_NS
    trace = [Heard(1_636_000, 2, 1, [0]), Heard(2_392_000, 0, 0, [1]), Heard(failed_ns, 2, 1, [], failed=True)]
    check_example(standing((0, 0), (-100, 0), (250, 0)), requests, air, trace, mac, reach=reach)
