"""What must hold on any air, stated without a model of it: small random topologies and random traffic."""

from collections import Counter
from dataclasses import dataclass
from math import hypot
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from medium_play import SECOND_NS, Played, make_medium, play
from reference_medium import Request

from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.medium.state import RECEIVED, RECEIVED_BYTES, SENT, SENT_BYTES
from roamcast.sim.movement import Point, Trajectories
from roamcast.sim.radio.range import Range

HEADER_BYTES = 36
QUEUE_MAX = 3


@dataclass(frozen=True)
class Frame:
    """A frame of the trace, with where everybody was when it began."""

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
    radio: Range
    requests: list[Request]
    seed: int

    def play(self) -> tuple[Played, list[Frame]]:
        medium = make_medium(self.points, self.radio, Dcf(queue_frames_max=QUEUE_MAX), self.seed)
        played = play(medium, self.requests, 10 * SECOND_NS)
        trajectories = Trajectories.from_points(self.points)
        frames = []
        for heard in played.trace:
            size_bytes = self.requests[heard.request].size_bytes + HEADER_BYTES
            start_ns = heard.ended_at_ns - 192_000 - size_bytes * 4_000
            places = trajectories.positions(start_ns * 1e-9).tolist()
            own_x, own_y = places[heard.sender]
            distances_m = [hypot(x_m - own_x, y_m - own_y) for x_m, y_m in places]
            receivers = frozenset(heard.receivers)
            assert len(receivers) == len(heard.receivers)
            frames.append(Frame(heard.request, heard.sender, start_ns, heard.ended_at_ns, receivers, distances_m))
        return played, frames


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to eight nodes, half of the cases moving at up to 100 m/ms, and traffic that fills the air."""
    seed = draw(st.integers(0, 2**32))
    random = Random(seed)
    times_s = draw(st.sampled_from([[0.0], [0.0, 0.004, 0.009, 0.02]]))
    nodes = draw(st.integers(2, 8))
    points = [[(time_s, random.uniform(0, 600), random.uniform(0, 600)) for time_s in times_s] for _ in range(nodes)]
    range_m = float(draw(st.integers(30, 400)))
    radio = Range(range_m, range_m * draw(st.sampled_from([1.0, 1.5, 2.2])))
    at_ns = 0
    requests = []
    for _ in range(draw(st.integers(5, 60))):
        at_ns += int(random.expovariate(1 / random.choice([1e3, 1e5, 1e6])))
        requests.append(Request(at_ns, random.randrange(nodes), random.randrange(120)))
    return Case(points, radio, requests, seed)


any_case = settings(max_examples=150, deadline=None)


@any_case
@given(cases())
def test_two_frames_that_overlap_are_never_both_received_by_one_node(case: Case) -> None:
    _, frames = case.play()
    for index, one in enumerate(frames):
        for other in frames[:index]:
            if one.overlaps(other):
                assert not one.receivers & other.receivers


@any_case
@given(cases())
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
            sensed_m = case.radio.sense_range_m or case.radio.range_m
            disturbed = any(each.sender == node or each.distances_m[node] <= sensed_m + 1e-6 for each in others)
            if distance_m > case.radio.range_m + 1e-6:
                assert node not in frame.receivers
            elif distance_m < case.radio.range_m - 1e-6 and not disturbed:
                assert node in frame.receivers


@any_case
@given(cases())
def test_nobody_begins_while_it_can_tell_that_another_sends(case: Case) -> None:
    """Who begins more than the blind moment after a frame that it senses is out of carrier sense of its sender."""
    _, frames = case.play()
    sensed_m = case.radio.sense_range_m or case.radio.range_m
    for frame in frames:
        for later in frames:
            if frame.start_ns + 4_000 <= later.start_ns < frame.end_ns:
                assert frame.distances_m[later.sender] >= sensed_m - 1e-6


@any_case
@given(cases(), st.integers(0, 40_000_000))
def test_every_frame_that_was_asked_for_is_sent_or_waits_or_was_refused(case: Case, until_ns: int) -> None:
    """Cut a run at any time: requests so far = sent, waiting and refused ones, with no queue above its limit."""
    early = [request for request in case.requests if request.at_ns <= until_ns]
    medium = make_medium(case.points, case.radio, Dcf(queue_frames_max=QUEUE_MAX), case.seed)
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
@given(cases())
def test_a_frame_is_refused_only_by_a_full_queue_and_frames_leave_in_their_order(case: Case) -> None:
    played, frames = case.play()
    ended_ns = {frame.request: frame.end_ns for frame in frames}
    for number, request in enumerate(case.requests):
        before = [each for each in range(number) if case.requests[each].node == request.node]
        there = [each for each in before if each in ended_ns and ended_ns[each] > request.at_ns]
        assert (number in played.refused) == (len(there) == QUEUE_MAX)
    for node in range(len(case.points)):
        sent = [frame.request for frame in frames if frame.sender == node]
        assert sent == sorted(sent)


@any_case
@given(cases())
def test_the_counters_are_the_sums_of_the_trace(case: Case) -> None:
    played, frames = case.play()
    traffic = played.medium.traffic[:, 0, :]
    for node in range(len(case.points)):
        sent = [frame for frame in frames if frame.sender == node]
        received = [frame for frame in frames if node in frame.receivers]
        in_range = [each for each in frames if each.sender != node and each.distances_m[node] <= case.radio.range_m]
        size = {frame.request: case.requests[frame.request].size_bytes + HEADER_BYTES for frame in frames}
        assert traffic[node, SENT] == len(sent)
        assert traffic[node, SENT_BYTES] == sum(size[frame.request] for frame in sent)
        assert traffic[node, RECEIVED] == len(received)
        assert traffic[node, RECEIVED_BYTES] == sum(size[frame.request] for frame in received)
        if all(abs(each.distances_m[node] - case.radio.range_m) > 1e-6 for each in frames):
            assert played.medium.frames_lost[node] == len(in_range) - len(received)
    assert played.medium.totals == (len(frames), int(traffic[:, RECEIVED].sum()))


def test_nothing_is_counted_before_the_measurement_begins() -> None:
    points = [[(0.0, 0.0, 0.0)], [(0.0, 10.0, 0.0)]]
    medium = make_medium(points, Range(100.0), Dcf(queue_frames_max=1))
    fresh = make_medium(points, Range(100.0), Dcf(queue_frames_max=1))
    fresh._record[0]["measuring"] = 0
    for each in (medium, fresh):
        play(each, [Request(0, 0, 50), Request(0, 0, 50), Request(SECOND_NS, 1, 50)], 2 * SECOND_NS)
    assert medium.totals == (2, 2)
    assert medium.queue_drops == [1, 0]
    assert fresh.totals == (0, 0)
    assert fresh.queue_drops == [0, 0]
    assert not fresh.traffic.any()
    assert fresh.digest == medium.digest
