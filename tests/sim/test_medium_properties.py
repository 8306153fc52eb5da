"""Properties that hold on any air, stated without a model of it: small random topologies and random traffic."""

from collections import Counter
from dataclasses import dataclass, replace
from math import hypot
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from medium_play import LONG_AFTER_NS, SECOND_NS, Played, make_medium, play
from reference_medium import Request

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.dcf.records import (
    KIND_ACK,
    KIND_CTS,
    KIND_RTS,
    RECEIVED,
    RECEIVED_BYTES,
    SENT,
    SENT_BYTES,
)
from roamcast.sim.radio import RadioModel
from roamcast.sim.radio.range import Range
from roamcast.sim.radio.two_ray_ground import TwoRayGround
from roamcast.sim.trajectories import Point, Trajectories

HEADER_BYTES = 36
QUEUE_MAX = 3
SIFS_NS, RTS_NS, ANSWER_NS = 10_000, 352_000, 304_000


@dataclass(frozen=True)
class Frame:
    """A broadcast or data frame of the trace, with where everybody was when it began."""

    request: int
    sender: int
    start_ns: int
    end_ns: int
    receivers: frozenset[int]
    distances_m: list[float]

    def overlaps(self, other: "Frame") -> bool:
        return self.start_ns < other.end_ns and other.start_ns < self.end_ns


@dataclass(frozen=True)
class Case:
    """A topology, its radio and its traffic."""

    points: list[list[Point]]
    radio: RadioModel
    requests: list[Request]
    seed: int
    mac: Dcf

    def play(self) -> tuple[Played, list[Frame]]:
        played = play(make_medium(self.points, self.radio, self.mac, self.seed), self.requests, 60 * SECOND_NS)
        trajectories = Trajectories.from_points(self.points)
        frames = []
        for heard in played.trace:
            if heard.failed:
                assert heard.receivers == []
                continue
            size_bytes = self.requests[heard.request].size_bytes + HEADER_BYTES
            start_ns = heard.ended_at_ns - 192_000 - size_bytes * 4_000
            places = trajectories.positions(start_ns * 1e-9).tolist()
            own_x, own_y = places[heard.sender]
            distances_m = [hypot(x_m - own_x, y_m - own_y) for x_m, y_m in places]
            receivers = frozenset(heard.receivers)
            assert len(receivers) == len(heard.receivers)
            frames.append(Frame(heard.request, heard.sender, start_ns, heard.ended_at_ns, receivers, distances_m))
        return played, frames

    @property
    def range_m(self) -> float:
        return self.radio.propagation().range_m

    @property
    def sense_range_m(self) -> float:
        return self.radio.propagation().sense_range_m

    @property
    def unicasts(self) -> list[int]:
        return [number for number, request in enumerate(self.requests) if request.to != -1]

    def needs_rts(self, number: int) -> bool:
        return self.requests[number].size_bytes + HEADER_BYTES > self.mac.rts_threshold_bytes


@st.composite
def cases(draw: st.DrawFn, unicast: float = 0.0) -> Case:
    """Draw up to eight nodes, half of the cases moving at up to 100 m/ms, and traffic that fills the air."""
    seed = draw(st.integers(0, 2**32))
    random = Random(seed)
    times_s = draw(st.sampled_from([[0.0], [0.0, 0.004, 0.009, 0.02]]))
    nodes = draw(st.integers(2, 8))
    points = [[(time_s, random.uniform(0, 600), random.uniform(0, 600)) for time_s in times_s] for _ in range(nodes)]
    range_m = float(draw(st.integers(30, 400)))
    radio = Range(range_m, range_m * draw(st.sampled_from([1.0, 1.5, 2.2])))
    mac = Dcf(queue_frames_max=QUEUE_MAX)
    if unicast:
        mac = replace(
            mac,
            contention_window=draw(st.sampled_from([3, 31])),
            rts_threshold_bytes=draw(st.sampled_from([0, 80, 1_000_000])),
            short_retry_max=draw(st.integers(1, 4)),
            long_retry_max=draw(st.integers(1, 4)),
        )
    at_ns = 0
    requests = []
    for _ in range(draw(st.integers(5, 60))):
        at_ns += int(random.expovariate(1 / random.choice([1e3, 1e5, 1e6])))
        node, to = random.sample(range(nodes), 2)
        requests.append(Request(at_ns, node, random.randrange(120), to if random.random() < unicast else -1))
    return Case(points, radio, requests, seed, mac)


mixed_cases = cases(0.7)
two_ray = TwoRayGround(10.0, -70.0, -78.0)
"""Heard over some 150 m, sensed over 250 m, with a capture ratio of 10."""
any_case = settings(max_examples=150, deadline=None)


@any_case
@given(cases())
def test_what_is_received_in_spite_of_others_is_ten_times_as_strong_as_all_of_them(drawn: Case) -> None:
    """By the distances alone: Friis or two-ray ground, whichever is less, gives the powers up to a common factor."""
    case = replace(drawn, radio=two_ray)
    _, frames = case.play()
    law = two_ray.propagation()

    def power_w(frame: Frame, node: int) -> float:
        squared_m2 = max(frame.distances_m[node] ** 2, 1.0)
        return min(law.near_gain_w_m2 / squared_m2, law.far_gain_w_m4 / squared_m2**2)

    for frame in frames:
        for node in frame.receivers:
            others = [each for each in frames if each is not frame and each.overlaps(frame) and each.sender != node]
            sensed = [each for each in others if each.distances_m[node] <= case.sense_range_m]
            for moment in (frame, *(each for each in sensed if each.start_ns >= frame.start_ns)):
                at_once = [each for each in sensed if each.start_ns <= moment.start_ns < each.end_ns]
                noise_w = sum(power_w(each, node) for each in at_once)
                assert power_w(frame, node) >= 10 * noise_w * (1 - 1e-9)


@any_case
@given(mixed_cases)
def test_two_frames_that_overlap_are_never_both_received_by_one_node(case: Case) -> None:
    _, frames = case.play()
    for index, one in enumerate(frames):
        for other in frames[:index]:
            if one.overlaps(other):
                assert not one.receivers & other.receivers


@any_case
@given(mixed_cases)
def test_a_node_that_transmits_does_not_hear(case: Case) -> None:
    _, frames = case.play()
    for one in frames:
        assert one.sender not in one.receivers
        for other in frames:
            if other is not one and one.overlaps(other):
                assert one.sender not in other.receivers


@any_case
@given(cases())
def test_a_frame_is_received_in_range_and_nowhere_else(case: Case) -> None:
    """Within the range, if nothing else that the node senses or sends overlaps; beyond it, never."""
    _, frames = case.play()
    for frame in frames:
        others = [each for each in frames if each is not frame and each.overlaps(frame)]
        for node, distance_m in enumerate(frame.distances_m):
            if node == frame.sender:
                continue
            sensed_m = case.sense_range_m + 1e-6
            disturbed = any(each.sender == node or each.distances_m[node] <= sensed_m for each in others)
            if distance_m > case.range_m + 1e-6:
                assert node not in frame.receivers
            elif distance_m < case.range_m - 1e-6 and not disturbed:
                assert node in frame.receivers


@any_case
@given(cases())
def test_nobody_begins_while_it_can_tell_that_another_sends(case: Case) -> None:
    """Who begins more than the blind moment after a frame that it senses is out of carrier sense of its sender."""
    _, frames = case.play()
    for frame in frames:
        for later in frames:
            if frame.start_ns + 4_000 <= later.start_ns < frame.end_ns:
                assert frame.distances_m[later.sender] >= case.sense_range_m - 1e-6


@any_case
@given(cases(), st.integers(0, 40_000_000))
def test_every_frame_that_was_asked_for_is_sent_or_waits_or_was_refused(case: Case, until_ns: int) -> None:
    """Cut a run at any time: requests so far = sent, waiting and refused ones, with no queue above its limit."""
    early = [request for request in case.requests if request.at_ns <= until_ns]
    medium = make_medium(case.points, case.radio, case.mac, case.seed)
    played = play(medium, early, until_ns)
    ended = {heard.request for heard in played.trace}
    waiting = Counter(
        early[number].node for number in range(len(early)) if number not in ended and number not in played.refused
    )
    assert len(ended) == len(played.trace)
    assert len(early) == len(ended) + waiting.total() + len(played.refused)
    assert all(count <= QUEUE_MAX for count in waiting.values())
    assert medium.queue_drops == [
        sum(early[number].node == node for number in played.refused) for node in range(len(case.points))
    ]
    on_air = medium.totals[0] - len(ended)
    assert 0 <= on_air <= len(waiting)
    while medium.advance(until_ns + 10 * SECOND_NS) is not None:
        pass
    assert medium.totals[0] == len(ended) + waiting.total()


@any_case
@given(mixed_cases)
def test_a_frame_is_refused_only_by_a_full_queue_and_frames_leave_in_their_order(case: Case) -> None:
    """A frame for one node leaves the queue when its last repetition's ACK ends, or when it is given up."""
    played, _ = case.play()
    left_ns: dict[int, int] = {}
    for heard in played.trace:
        is_answered = case.requests[heard.request].to != -1 and not heard.failed
        left_ns[heard.request] = heard.ended_at_ns + (SIFS_NS + ANSWER_NS if is_answered else 0)
    for number, request in enumerate(case.requests):
        before = [each for each in range(number) if case.requests[each].node == request.node]
        there = [each for each in before if each in left_ns and left_ns[each] > request.at_ns]
        assert (number in played.refused) == (len(there) == QUEUE_MAX)
    for node in range(len(case.points)):
        sent = [heard.request for heard in played.trace if heard.sender == node]
        assert sent == sorted(sent)


@any_case
@given(cases())
def test_the_counters_are_the_sums_of_the_trace(case: Case) -> None:
    played, frames = case.play()
    traffic = played.medium.traffic.sum(axis=1)
    for node in range(len(case.points)):
        sent = [frame for frame in frames if frame.sender == node]
        received = [frame for frame in frames if node in frame.receivers]
        in_range = [each for each in frames if each.sender != node and each.distances_m[node] <= case.range_m]
        size = {frame.request: case.requests[frame.request].size_bytes + HEADER_BYTES for frame in frames}
        assert traffic[node, SENT] == len(sent)
        assert traffic[node, SENT_BYTES] == sum(size[frame.request] for frame in sent)
        assert traffic[node, RECEIVED] == len(received)
        assert traffic[node, RECEIVED_BYTES] == sum(size[frame.request] for frame in received)
        if all(abs(each.distances_m[node] - case.range_m) > 1e-6 for each in frames):
            assert played.medium.frames_lost[node] == len(in_range) - len(received)
        assert played.medium.transmit_ns(LONG_AFTER_NS)[node] == sum(frame.end_ns - frame.start_ns for frame in sent)
        assert played.medium.receive_ns(LONG_AFTER_NS)[node] >= sum(frame.end_ns - frame.start_ns for frame in received)
    assert played.medium.totals == (len(frames), int(traffic[:, RECEIVED].sum()))


def test_nothing_is_counted_before_the_measurement_begins() -> None:
    points = [[(0.0, 0.0, 0.0)], [(0.0, 10.0, 0.0)]]
    medium = make_medium(points, Range(100.0), Dcf(queue_frames_max=1))
    fresh = make_medium(points, Range(100.0), Dcf(queue_frames_max=1), measured=False)
    requests = [Request(0, 0, 50), Request(0, 0, 50), Request(SECOND_NS, 1, 50, to=0)]
    for each in (medium, fresh):
        play(each, requests, 2 * SECOND_NS)
    assert medium.totals == (3, 3)
    assert medium.queue_drops == [1, 0]
    assert medium.transmit_ns(LONG_AFTER_NS) == [536_000 + 304_000, 536_000]
    assert medium.receive_ns(LONG_AFTER_NS) == [536_000, 536_000 + 304_000]
    assert fresh.totals == (0, 0)
    assert fresh.queue_drops == fresh.transmit_ns(LONG_AFTER_NS) == fresh.receive_ns(LONG_AFTER_NS) == [0, 0]
    assert not fresh.traffic.any()
    assert fresh.digest == medium.digest


# --- frames for one node ----------------------------------------------------------------------------------------------


@any_case
@given(mixed_cases)
def test_a_frame_for_one_node_ends_once_as_handed_over_or_as_failed_and_is_never_handed_over_twice(case: Case) -> None:
    """It may be both, where every acknowledgement was lost; then it fails after it was handed over."""
    played, _ = case.play()
    for number in case.unicasts:
        lines = [heard for heard in played.trace if heard.request == number]
        handed_over = [heard.receivers for heard in lines if heard.receivers]
        failed = [heard.failed for heard in lines].count(True)
        if number in played.refused:
            assert lines == []
            continue
        assert handed_over in ([], [[case.requests[number].to]])
        assert failed <= 1
        assert handed_over or failed
        assert not any(heard.failed for heard in lines[:-1])


@any_case
@given(mixed_cases)
def test_a_frame_is_sent_as_often_as_its_limit_says_and_no_more(case: Case) -> None:
    played, frames = case.play()
    sent = Counter(frame.request for frame in frames)
    failed = {heard.request for heard in played.trace if heard.failed}
    for number in range(len(case.requests)):
        if number not in case.unicasts:
            assert sent[number] == (number not in played.refused)
        elif case.needs_rts(number):
            assert sent[number] <= case.mac.long_retry_max
        else:
            assert sent[number] <= case.mac.short_retry_max
            assert number not in failed or sent[number] == case.mac.short_retry_max
    for node, rts in enumerate(played.medium.traffic[:, KIND_RTS, SENT].tolist()):
        exchanges = [each for each in case.unicasts if case.requests[each].node == node and case.needs_rts(each)]
        assert rts <= case.mac.short_retry_max * len([each for each in exchanges if each not in played.refused])


@any_case
@given(mixed_cases)
def test_every_answer_has_its_question_and_every_success_its_acknowledgement(case: Case) -> None:
    """Answers are counted by the node that gives them or gets them, since they are not in the trace."""
    played, frames = case.play()
    traffic = played.medium.traffic
    failed = {heard.request for heard in played.trace if heard.failed}
    for node in range(len(case.points)):
        accepted = [each for each in case.unicasts if case.requests[each].node == node and each not in played.refused]
        after_rts = [frame for frame in frames if frame.sender == node and frame.request in accepted]
        after_rts = [frame for frame in after_rts if case.needs_rts(frame.request)]
        assert traffic[node, KIND_ACK, RECEIVED] == len([each for each in accepted if each not in failed])
        assert traffic[node, KIND_CTS, RECEIVED] == len(after_rts)
        assert traffic[node, KIND_CTS, SENT] <= traffic[node, KIND_RTS, RECEIVED]
        handed_over = [frame for frame in frames if node in frame.receivers and case.requests[frame.request].to == node]
        assert traffic[node, KIND_ACK, SENT] >= len(handed_over)
    for kind in (KIND_RTS, KIND_CTS, KIND_ACK):
        assert traffic[:, kind, RECEIVED].sum() <= traffic[:, kind, SENT].sum()


@any_case
@given(mixed_cases)
def test_a_node_is_on_the_air_for_what_it_sent_and_follows_what_it_received(case: Case) -> None:
    played, frames = case.play()
    traffic = played.medium.traffic
    answers = traffic[:, KIND_CTS, :] + traffic[:, KIND_ACK, :]
    for node in range(len(case.points)):
        sent_ns = sum(frame.end_ns - frame.start_ns for frame in frames if frame.sender == node)
        heard_ns = sum(frame.end_ns - frame.start_ns for frame in frames if node in frame.receivers)
        for total_ns, own_ns, column in (
            (played.medium.transmit_ns(LONG_AFTER_NS)[node], sent_ns, SENT),
            (played.medium.receive_ns(LONG_AFTER_NS)[node], heard_ns, RECEIVED),
        ):
            counted_ns = own_ns + RTS_NS * traffic[node, KIND_RTS, column] + ANSWER_NS * answers[node, column]
            assert total_ns == counted_ns if column == SENT else total_ns >= counted_ns
    assert played.medium.totals == (traffic[:, :, SENT].sum(), traffic[:, :, RECEIVED].sum())
