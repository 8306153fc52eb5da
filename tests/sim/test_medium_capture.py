"""Which frame a receiver takes where several reach it: hand-made cases, by the rule of docs/radio.md."""

import pytest
from medium_play import SECOND_NS, make_medium, play, standing
from reference_medium import Request

from roamcast.sim.radio import RadioModel
from roamcast.sim.radio.range import Range
from roamcast.sim.radio.two_ray_ground import TwoRayGround

BLIND_NS = 4_000
SENSED_550_M = TwoRayGround(
    transmit_power_dbm=24.5, sensitivity_dbm=-64.375, sense_threshold_dbm=-78.0715, antenna_efficiency=1.0,
    frequency_hz=914e6,
)  # fmt: skip
"""ns-2's radio: heard up to 250 m, sensed up to 550 m, two-ray beyond 86 m, capture at a power ratio of 10."""
SENSED_250_M = TwoRayGround(
    transmit_power_dbm=24.5, sensitivity_dbm=-64.375, antenna_efficiency=1.0, frequency_hz=914e6
)

Places = tuple[tuple[float, float], ...]


def received_at_origin(radio: RadioModel, senders: Places, starts_ns: list[int]) -> list[int]:
    """Let senders begin at given times and return the ones that a silent node at the origin received.

    The senders are also taken in the opposite order of numbers: the result must not depend on it.
    """

    def received(order: list[int]) -> list[int]:
        medium = make_medium(standing((0, 0), *[senders[each] for each in order]), radio)
        requests = sorted(Request(starts_ns[each], place + 1, 50) for place, each in enumerate(order))
        trace = play(medium, requests, SECOND_NS).trace
        airtime_ns = 536_000
        begun = {order[heard.sender - 1]: heard.ended_at_ns - airtime_ns for heard in trace}
        assert begun == dict(enumerate(starts_ns)), "a sender waited for another: the case is not the one meant"
        return sorted(order[heard.sender - 1] for heard in trace if 0 in heard.receivers)

    order = list(range(len(senders)))
    forward, backward = received(order), received(order[::-1])
    assert forward == backward
    return forward


def test_a_much_stronger_frame_survives_a_weaker_one_that_comes_later() -> None:
    """150 m against 420 m: a power ratio of 61."""
    assert received_at_origin(SENSED_550_M, ((-150, 0), (420, 0)), [0, 300_000]) == [0]


def test_a_much_stronger_frame_is_received_over_a_weaker_one_that_was_only_sensed_before() -> None:
    """420 m is too far to be received, so the receiver was free."""
    assert received_at_origin(SENSED_550_M, ((-150, 0), (420, 0)), [300_000, 0]) == [0]


@pytest.mark.parametrize("starts_ns", [[0, 300_000], [300_000, 0], [0, 0]])
def test_a_frame_that_is_not_ten_times_stronger_is_lost(starts_ns: list[int]) -> None:
    """230 m against 400 m: a power ratio of 9.1. At 410 m it is 10.1, and the frame survives."""
    assert received_at_origin(SENSED_550_M, ((-230, 0), (400, 0)), starts_ns) == []
    assert received_at_origin(SENSED_550_M, ((-230, 0), (410, 0)), starts_ns) == [0]


def test_weak_frames_add_up() -> None:
    """Two at 400 m, each 10.9 times weaker than the one at 220 m, destroy it together and not alone."""
    wanted, one, another = (-220.0, 0.0), (400.0, 0.0), (380.0, 124.9)
    assert received_at_origin(SENSED_550_M, (wanted, one), [0, 200_000]) == [0]
    assert received_at_origin(SENSED_550_M, (wanted, another), [0, 200_000]) == [0]
    assert received_at_origin(SENSED_550_M, (wanted, one, another), [0, 200_000, 200_000]) == []


def test_what_is_over_disturbs_no_more() -> None:
    """The weaker frame ends in the nanosecond in which the wanted one begins, or one later."""
    senders = ((-240.0, 0.0), (320.0, 0.0))
    assert received_at_origin(SENSED_550_M, senders, [536_000, 0]) == [0]
    assert received_at_origin(SENSED_550_M, senders, [535_999, 0]) == []


def test_of_frames_that_begin_together_the_strongest_is_taken_whatever_the_numbers() -> None:
    assert received_at_origin(SENSED_550_M, ((50, 0), (-200, 0)), [0, 0]) == [0]
    assert received_at_origin(SENSED_550_M, ((50, 0), (-200, 0), (0, 240)), [0, 0, 0]) == [0]
    assert received_at_origin(SENSED_550_M, ((50, 0), (-60, 0)), [0, 0]) == []


def test_a_stronger_frame_is_taken_while_the_first_is_not_noticed_and_not_afterwards() -> None:
    """240 m against 80 m, hidden from each other: the strong one wins the receiver only in the blind moment."""
    senders = ((-240.0, 0.0), (80.0, 0.0))
    assert received_at_origin(SENSED_250_M, senders, [0, BLIND_NS - 1]) == [1]
    assert received_at_origin(SENSED_250_M, senders, [0, BLIND_NS]) == []
    assert received_at_origin(SENSED_250_M, senders, [400_000, 0]) == [1]


def test_a_frame_that_takes_the_receiver_over_must_still_be_ten_times_stronger() -> None:
    """Against 240 m, 150 m is stronger by 6.6 and 100 m by 33."""
    assert received_at_origin(SENSED_250_M, ((-240.0, 0.0), (150.0, 0.0)), [0, 1_000]) == []
    assert received_at_origin(SENSED_250_M, ((-240.0, 0.0), (100.0, 0.0)), [0, 1_000]) == [1]


def test_no_power_is_enough_for_a_node_that_transmits() -> None:
    medium = make_medium(standing((0, 0), (1, 0), (0, 200)), SENSED_550_M)
    played = play(medium, [Request(0, 0, 50), Request(BLIND_NS - 1, 1, 50)], SECOND_NS)
    assert [heard.receivers for heard in played.trace] == [[], []]
    later = make_medium(standing((0, 0), (1, 0), (0, 200)), SENSED_550_M)
    assert play(later, [Request(0, 0, 50), Request(536_000, 1, 50)], SECOND_NS).trace[1].receivers == [0, 2]


def test_a_node_that_has_transmitted_is_free_for_a_strong_frame_though_an_old_one_goes_on() -> None:
    """Node 0 answers the long frame of node 1 within the blind moment, then hears the near node 2, which 1 cannot."""
    radio = SENSED_250_M
    medium = make_medium(standing((0, 0), (-240, 0), (60, 0)), radio)
    requests = [Request(0, 1, 1_000), Request(1_000, 0, 0), Request(1_500_000, 2, 0)]
    played = play(medium, requests, SECOND_NS)
    assert [(heard.sender, heard.receivers) for heard in played.trace] == [(0, [2]), (2, [0]), (1, [])]


def test_nearer_than_a_metre_is_as_strong_as_a_metre() -> None:
    assert received_at_origin(SENSED_550_M, ((0.0, 0.0), (3.2, 0.0)), [0, 0]) == [0]
    assert received_at_origin(SENSED_550_M, ((0.0, 0.0), (3.1, 0.0)), [0, 0]) == []


@pytest.mark.parametrize("other_m", [50.0, 140.0, 299.0])
def test_on_a_disc_any_overlap_within_carrier_sense_destroys_however_near_the_sender(other_m: float) -> None:
    radio = Range(150.0, 300.0)
    medium = make_medium(standing((0, 0), (-5, 0), (other_m, 0)), radio)
    played = play(medium, [Request(0, 1, 50), Request(0, 2, 50)], SECOND_NS)
    assert [heard.receivers for heard in played.trace] == [[], []]


def test_on_a_disc_what_is_beyond_carrier_sense_disturbs_nobody() -> None:
    assert received_at_origin(Range(150.0, 300.0), ((-150, 0), (301, 0)), [0, 100_000]) == [0]
    assert received_at_origin(Range(150.0, 300.0), ((-150, 0), (299, 0)), [0, 100_000]) == []
