"""When a node sends: DIFS, the back-off and its freezing, the blind moment, the queue, to the nanosecond."""

import pytest
from medium_play import SECOND_NS, make_medium, play, standing
from reference_medium import Heard, Request
from reference_radio import SplitMix64

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams

SLOT_NS, DIFS_NS, DETECTION_NS = 20_000, 50_000, 4_000
NEAR = standing((0, 0), (10, 0), (20, 0))
"""Three nodes that all hear each other."""
RADIO = Range(150.0)


def airtime_ns(size_bytes: int) -> int:
    """Return how long a payload is on the air with the default radio and MAC: 2 Mbit/s, 36 bytes of headers."""
    return 192_000 + (size_bytes + 36) * 4_000


def drawn_slots(node: int, count: int, seed: int = 1) -> list[int]:
    """Return a node's first back-offs; the draw before the first belongs to its first frame's preparation."""
    draws = SplitMix64(RandomStreams(seed).integer("mac", node))
    draws.below(1)
    return [draws.below(32) for _ in range(count)]


def starts_ns(trace: list[Heard], requests: list[Request]) -> dict[int, int]:
    """Return when the frame of each request began."""
    return {heard.request: heard.ended_at_ns - airtime_ns(requests[heard.request].size_bytes) for heard in trace}


@pytest.mark.parametrize(("size_bytes", "expected_us"), [(512, 2_384), (50, 536), (0, 336)])
def test_a_frame_is_on_the_air_as_long_as_in_the_reference_simulator(size_bytes: int, expected_us: int) -> None:
    played = play(make_medium(NEAR, RADIO), [Request(1_000, 0, size_bytes)], SECOND_NS)
    assert played.trace == [Heard(1_000 + expected_us * 1_000, 0, 0, [1, 2])]


@pytest.mark.parametrize(
    ("bitrate_bps", "header_bytes", "preamble_s", "expected_ns"),
    [(1e6, 28, 192e-6, 192_000 + 1_024_000), (11e6, 28, 96e-6, 96_000 + 93_091), (2e6, 36, 0.0, 544_000)],
)
def test_the_rate_the_header_and_the_preamble_decide_how_long_a_frame_lasts(
    bitrate_bps: float, header_bytes: int, preamble_s: float, expected_ns: int
) -> None:
    mac = Dcf(header_bytes=header_bytes, preamble_s=preamble_s)
    played = play(make_medium(NEAR, Range(150.0, None, bitrate_bps), mac), [Request(0, 0, 100)], SECOND_NS)
    assert played.trace[0].ended_at_ns == expected_ns


def test_a_medium_that_was_idle_for_difs_is_used_at_once() -> None:
    first_end_ns = airtime_ns(50)
    requests = [Request(0, 0, 50), Request(first_end_ns + DIFS_NS, 1, 50)]
    played = play(make_medium(NEAR, RADIO), requests, SECOND_NS)
    assert starts_ns(played.trace, requests) == {0: 0, 1: first_end_ns + DIFS_NS}


def test_a_frame_that_finds_the_medium_idle_for_less_than_difs_waits_for_the_rest_of_it() -> None:
    first_end_ns = airtime_ns(50)
    requests = [Request(0, 0, 50), Request(first_end_ns + 1, 1, 50)]
    played = play(make_medium(NEAR, RADIO), requests, SECOND_NS)
    assert starts_ns(played.trace, requests)[1] == first_end_ns + DIFS_NS


def test_a_frame_that_finds_the_medium_busy_draws_a_back_off() -> None:
    requests = [Request(0, 0, 50), Request(DETECTION_NS, 1, 50)]
    played = play(make_medium(NEAR, RADIO), requests, SECOND_NS)
    (slots,) = drawn_slots(1, 1)
    assert starts_ns(played.trace, requests)[1] == airtime_ns(50) + DIFS_NS + slots * SLOT_NS
    assert [heard.receivers for heard in played.trace] == [[1, 2], [0, 2]]


def test_a_transmission_is_not_noticed_in_its_first_microseconds_so_both_are_lost() -> None:
    requests = [Request(0, 0, 50), Request(DETECTION_NS - 1, 1, 50)]
    played = play(make_medium(NEAR, RADIO), requests, SECOND_NS)
    assert starts_ns(played.trace, requests) == {0: 0, 1: DETECTION_NS - 1}
    assert [heard.receivers for heard in played.trace] == [[], []]
    assert played.medium.frames_lost == [1, 1, 2]


def test_after_each_frame_the_sender_counts_down_a_back_off_before_the_next() -> None:
    requests = [Request(0, 0, 50)] * 4
    played = play(make_medium(NEAR, RADIO), requests, SECOND_NS)
    starts = starts_ns(played.trace, requests)
    for number, slots in enumerate(drawn_slots(0, 3)):
        assert starts[number + 1] == starts[number] + airtime_ns(50) + DIFS_NS + slots * SLOT_NS


@pytest.mark.parametrize("early_ns", [-5, 0, 5])
def test_the_back_off_after_a_frame_runs_without_a_next_frame_and_then_holds_nothing_up(early_ns: int) -> None:
    (slots,) = drawn_slots(0, 1)
    assert slots > 0
    over_ns = airtime_ns(50) + DIFS_NS + slots * SLOT_NS
    requests = [Request(0, 0, 50), Request(over_ns - early_ns, 0, 50)]
    played = play(make_medium(NEAR, RADIO), requests, SECOND_NS)
    assert starts_ns(played.trace, requests)[1] == max(over_ns, over_ns - early_ns)


def test_a_back_off_is_frozen_while_another_sends_and_goes_on_after_a_new_difs() -> None:
    """Node 1 draws while node 0 sends; node 2, which was idle, sends after 2.5 of node 1's slots."""
    seed = next(seed for seed in range(100) if drawn_slots(1, 1, seed)[0] == 7)
    counting_from_ns = airtime_ns(50) + DIFS_NS
    requests = [Request(0, 0, 50), Request(10_000, 1, 50), Request(counting_from_ns + 50_000, 2, 50)]
    played = play(make_medium(NEAR, RADIO, seed=seed), requests, SECOND_NS)
    starts = starts_ns(played.trace, requests)
    assert starts[2] == counting_from_ns + 50_000
    assert starts[1] == starts[2] + airtime_ns(50) + DIFS_NS + 5 * SLOT_NS


def test_a_frozen_back_off_without_a_frame_keeps_its_slots_for_a_frame_queued_in_the_blind_moment() -> None:
    """Node 0's pending back-off must hold although the frame that interrupted it has not been noticed yet."""
    seed = next(seed for seed in range(100) if drawn_slots(0, 1, seed)[0] == 20)
    interrupted_ns = airtime_ns(50) + DIFS_NS + 10 * SLOT_NS
    requests = [Request(0, 0, 50), Request(interrupted_ns, 1, 50), Request(interrupted_ns + 1_000, 0, 50)]
    played = play(make_medium(NEAR, RADIO, seed=seed), requests, SECOND_NS)
    starts = starts_ns(played.trace, requests)
    assert starts[1] == interrupted_ns
    assert starts[2] == interrupted_ns + airtime_ns(50) + DIFS_NS + 10 * SLOT_NS


def test_nodes_that_drew_the_same_slot_collide() -> None:
    seed = next(seed for seed in range(1000) if drawn_slots(1, 1, seed) == drawn_slots(2, 1, seed))
    places = standing((0, 0), (10, 0), (20, 0), (30, 0))
    requests = [Request(0, 0, 50), Request(10_000, 1, 50), Request(20_000, 2, 50)]
    played = play(make_medium(places, RADIO, seed=seed), requests, SECOND_NS)
    assert [heard.receivers for heard in played.trace] == [[1, 2, 3], [], []]
    assert played.trace[1].ended_at_ns == played.trace[2].ended_at_ns


def test_who_hears_nothing_of_a_sender_does_not_wait_for_it() -> None:
    places = standing((0, 0), (100, 0), (200, 0))
    requests = [Request(0, 0, 50), Request(300_000, 2, 50)]
    played = play(make_medium(places, RADIO), requests, SECOND_NS)
    assert starts_ns(played.trace, requests) == {0: 0, 1: 300_000}
    assert [heard.receivers for heard in played.trace] == [[], []]


def test_who_senses_a_sender_it_cannot_receive_waits_for_it() -> None:
    places = standing((0, 0), (100, 0), (200, 0))
    requests = [Request(0, 0, 50), Request(300_000, 2, 50)]
    played = play(make_medium(places, Range(150.0, 200.0)), requests, SECOND_NS)
    assert starts_ns(played.trace, requests)[1] >= airtime_ns(50) + DIFS_NS
    assert [heard.receivers for heard in played.trace] == [[1], [1]]


@pytest.mark.parametrize(("first", "second"), [(0, 2), (2, 0)])
@pytest.mark.parametrize("late_ns", [0, 1])
def test_a_frame_may_begin_in_the_nanosecond_in_which_another_ends_whatever_the_numbers(
    first: int, second: int, late_ns: int
) -> None:
    """Two hidden senders: the back-off of one runs out just when the other's frame ends, or a nanosecond before."""
    seed = next(seed for seed in range(100) if drawn_slots(second, 1, seed)[0] > 20)
    begins_ns = airtime_ns(0) + DIFS_NS + drawn_slots(second, 1, seed)[0] * SLOT_NS
    requests = [Request(0, second, 0), Request(0, second, 0), Request(begins_ns - airtime_ns(0) + late_ns, first, 0)]
    played = play(make_medium(standing((0, 0), (100, 0), (200, 0)), RADIO, seed=seed), requests, SECOND_NS)
    assert starts_ns(played.trace, requests)[1] == begins_ns
    assert [heard.receivers for heard in played.trace[1:]] == ([[], []] if late_ns else [[1], [1]])


def test_a_full_queue_refuses_frames_and_counts_them() -> None:
    requests = [Request(0, 0, 50)] * 5 + [Request(airtime_ns(50), 0, 50)] * 2
    played = play(make_medium(NEAR, RADIO, Dcf(queue_frames_max=3)), requests, SECOND_NS)
    assert played.refused == [3, 4, 6]
    assert played.medium.queue_drops == [3, 0, 0]
    assert [heard.request for heard in played.trace] == [0, 1, 2, 5]


def test_a_node_prepares_a_frame_for_up_to_the_processing_time_and_no_frame_leaves_before() -> None:
    spent_ns = []
    for seed in range(200):
        medium = make_medium(NEAR, RADIO, seed=seed, processing_s_max=1e-3)
        requests = [Request(0, 0, 50)]
        spent_ns.append(starts_ns(play(medium, requests, SECOND_NS).trace, requests)[0])
    assert 0 <= min(spent_ns) < 100_000
    assert 900_000 < max(spent_ns) <= 1_000_000
    assert abs(sum(spent_ns) / 200 - 500_000) < 5 * 1_000_000 / (12 * 200) ** 0.5


def test_a_busy_medium_does_not_shorten_the_preparation() -> None:
    """Node 0's frame begins and ends while node 1 prepares its own, which then finds an idle medium and leaves."""

    def prepared_ns(node: int, seed: int) -> int:
        return SplitMix64(RandomStreams(seed).integer("mac", node)).below(2_000_001)

    seed = next(seed for seed in range(100) if prepared_ns(1, seed) > prepared_ns(0, seed) + airtime_ns(0) + DIFS_NS)
    requests = [Request(0, 0, 0), Request(0, 1, 50)]
    played = play(make_medium(NEAR, RADIO, seed=seed, processing_s_max=2e-3), requests, SECOND_NS)
    assert starts_ns(played.trace, requests) == {0: prepared_ns(0, seed), 1: prepared_ns(1, seed)}
