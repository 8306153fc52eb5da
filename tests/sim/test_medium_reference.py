"""The compiled medium against the slow model: the same frames at the same nanoseconds to the same nodes."""

import math
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from medium_play import SECOND_NS, Seen, make_medium, make_reference, play, seen, seen_in_reference
from reference_medium import Request

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio import RadioModel
from roamcast.sim.radio.range import Range
from roamcast.sim.radio.two_ray_ground import TwoRayGround
from roamcast.sim.trajectories import Area, Point

CAPTURE = math.pi**2
"""About 10, but irrational: no two powers of nodes on a grid have exactly this ratio, whatever they round to."""
RATES_BPS = {"802.11b": [1e6, 2e6, 11e6], "802.11a": [6e6, 54e6]}
LIMIT_NS = 20 * SECOND_NS
"""After the last request; even frames for nobody have been given up by then."""

places_m = st.tuples(st.integers(-100, 700), st.integers(-100, 500)).map(lambda at: (float(at[0]), float(at[1])))
standards = st.sampled_from(["802.11b", "802.11b", "802.11a"])
seeds = st.integers(0, 10**6)
processing = st.sampled_from([0, 0, 30_000, 1_000_000])


@st.composite
def discs(draw: st.DrawFn, standard: str) -> RadioModel:
    """Draw discs that are alike, or a radius for each node or each frame; sensed as far as received or further."""
    range_m = float(draw(st.integers(40, 400)))
    more_m = draw(st.sampled_from([None, None, 60, 250]))
    drawn_for = draw(st.sampled_from([None, "node", "frame"]))
    return Range(
        range_m if drawn_for is None else (range_m / 3, range_m),
        None if more_m is None else range_m + more_m,
        draw(st.sampled_from(RATES_BPS[standard])),
        drawn_for or "node",
    )


@st.composite
def two_rays(draw: st.DrawFn, standard: str) -> RadioModel:
    drawn_for = draw(st.sampled_from([None, "node", "frame"]))
    return TwoRayGround(
        transmit_power_dbm=draw(st.sampled_from([8.0, 16.0, 24.0])),
        sensitivity_dbm=-70.0,
        sense_threshold_dbm=draw(st.sampled_from([None, -74.0, -84.0])),
        capture_ratio=CAPTURE,
        bitrate_bps=draw(st.sampled_from(RATES_BPS[standard])),
        range_m=None if drawn_for is None else (50.0, 300.0),
        range_drawn=drawn_for or "node",
    )


@st.composite
def macs(draw: st.DrawFn, standard: str) -> Dcf:
    """Draw small windows and few attempts, so that frames collide and are given up; an RTS for all, some or none."""
    return Dcf(
        standard=standard,
        sifs_s=draw(st.sampled_from([None, None, None, None, 500e-6])),
        contention_window=draw(st.sampled_from([0, 1, 3, 7, 31])),
        contention_window_max=draw(st.sampled_from([31, 40, 1023])),
        queue_frames_max=draw(st.integers(1, 4)),
        header_bytes=draw(st.sampled_from([0, 28])),
        rts_threshold_bytes=draw(st.sampled_from([0, 40, 1_000_000])),
        short_retry_max=draw(st.integers(1, 3)),
        long_retry_max=draw(st.integers(1, 3)),
    )


gaps_ns = st.one_of(
    st.sampled_from([0, 1, 1000, 3999, 4000, 4001, 10_000, 20_000, 49_999, 50_000, 50_001, 70_000, 192_000]),
    st.integers(0, 400_000),
    st.integers(0, 3_000_000),
)
sizes_bytes = st.sampled_from([0, 2, 7, 20, 57, 150])
"""Some last a whole number of slots on the air, so that ends meet beginnings to the nanosecond."""


@st.composite
def standing_nodes(draw: st.DrawFn) -> list[list[Point]]:
    return [[(0.0, *place)] for place in draw(st.lists(places_m, min_size=2, max_size=7))]


@st.composite
def moving_nodes(draw: st.DrawFn) -> list[list[Point]]:
    """Draw nodes that cross the area in the time of a few frames, so that they meet and part during one."""
    nodes = []
    for _ in range(draw(st.integers(2, 6))):
        at_ms = draw(st.integers(0, 3))
        points = [(at_ms * 1e-3, *draw(places_m))]
        for _ in range(draw(st.integers(0, 5))):
            at_ms += draw(st.integers(1, 6))
            points.append((at_ms * 1e-3, *draw(places_m)))
        nodes.append(points)
    return nodes


@st.composite
def requests_for(draw: st.DrawFn, nodes: int, unicast: bool = True) -> list[Request]:
    """Draw when who sends what to whom; a frame for one node goes to any other, in range or not."""
    at_ns = 0
    requests = []
    others = st.integers(1, nodes - 1)
    offsets = st.one_of(st.just(0), others, others) if unicast else st.just(0)
    one = st.tuples(gaps_ns, st.integers(0, nodes - 1), sizes_bytes, offsets)
    for gap_ns, node, size_bytes, offset in draw(st.lists(one, min_size=1, max_size=25)):
        at_ns += gap_ns
        requests.append(Request(at_ns, node, size_bytes, (node + offset) % nodes if offset else -1))
    return requests


def both(
    points: list[list[Point]], radio: RadioModel, mac: Dcf, seed: int, processing_ns: int, requests: list[Request]
) -> tuple[Seen, Seen]:
    """Play the same requests on both and return everything that can be seen of ours and of the reference."""
    until_ns = requests[-1].at_ns + LIMIT_NS
    reference = make_reference(points, radio, mac, seed, processing_ns)
    reference.run(requests, until_ns)
    assert not any(station.queue for station in reference.stations)
    medium = make_medium(points, radio, mac, seed, processing_ns * 1e-9, Area(600.0, 400.0))
    return seen(play(medium, requests, until_ns)), seen_in_reference(reference, requests)


@settings(max_examples=150, deadline=None)
@given(st.data(), standing_nodes(), standards, seeds, processing)
def test_standing_discs_send_and_hear_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], standard: str, seed: int, processing_ns: int
) -> None:
    radio, mac = data.draw(discs(standard)), data.draw(macs(standard))
    ours, theirs = both(points, radio, mac, seed, processing_ns, data.draw(requests_for(len(points))))
    assert ours == theirs


@settings(max_examples=150, deadline=None)
@given(st.data(), moving_nodes(), standards, seeds, processing)
def test_moving_discs_send_and_hear_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], standard: str, seed: int, processing_ns: int
) -> None:
    radio, mac = data.draw(discs(standard)), data.draw(macs(standard))
    ours, theirs = both(points, radio, mac, seed, processing_ns, data.draw(requests_for(len(points))))
    assert ours == theirs


@settings(max_examples=150, deadline=None)
@given(st.data(), st.one_of(standing_nodes(), moving_nodes()), standards, seeds, processing)
def test_two_ray_radios_send_and_capture_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], standard: str, seed: int, processing_ns: int
) -> None:
    radio, mac = data.draw(two_rays(standard)), data.draw(macs(standard))
    ours, theirs = both(points, radio, mac, seed, processing_ns, data.draw(requests_for(len(points))))
    assert ours == theirs


@settings(max_examples=100, deadline=None)
@given(st.data(), st.one_of(standing_nodes(), moving_nodes()), standards, seeds, processing)
def test_broadcast_frames_alone_are_sent_and_heard_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], standard: str, seed: int, processing_ns: int
) -> None:
    radio = data.draw(st.one_of(discs(standard), two_rays(standard)))
    requests = data.draw(requests_for(len(points), unicast=False))
    ours, theirs = both(points, radio, data.draw(macs(standard)), seed, processing_ns, requests)
    assert ours == theirs


@settings(max_examples=150, deadline=None)
@given(st.data(), seeds, standards, processing, st.sampled_from([0.0, 0.5, 0.9]))
def test_an_air_full_of_frames_is_the_same_as_in_the_reference(
    data: st.DataObject, seed: int, standard: str, processing_ns: int, unicast: float
) -> None:
    """Small cases shrink well but rarely crowd; here eight nodes send as much as the air can carry and more."""
    radio = data.draw(st.one_of(discs(standard), two_rays(standard)))
    mac = data.draw(macs(standard))
    random = Random(seed)
    times_s = random.choice([[0.0], [0.0, 0.003, 0.006, 0.012]])
    points = [[(time_s, random.uniform(-50, 650), random.uniform(-50, 450)) for time_s in times_s] for _ in range(8)]
    at_ns = 0
    requests = []
    for _ in range(50):
        at_ns += random.choice([0, 500, random.randrange(50_000), random.randrange(500_000)])
        node, to = random.sample(range(8), 2)
        to = to if random.random() < unicast else -1
        requests.append(Request(at_ns, node, random.choice([0, 2, 7, 20, 57]), to))
    ours, theirs = both(points, radio, mac, seed, processing_ns, requests)
    assert ours == theirs


@settings(max_examples=50, deadline=None)
@given(st.data(), standing_nodes(), standards, seeds)
def test_a_medium_that_need_not_report_every_frame_reports_what_is_handed_over_and_what_failed(
    data: st.DataObject, points: list[list[Point]], standard: str, seed: int
) -> None:
    radio, mac = data.draw(discs(standard)), data.draw(macs(standard))
    requests = data.draw(requests_for(len(points)))
    full, terse = (
        play(make_medium(points, radio, mac, seed, every_frame=each), requests, LIMIT_NS) for each in (True, False)
    )
    assert terse.trace == [heard for heard in full.trace if heard.receivers or heard.failed]
    assert terse.medium.digest == full.medium.digest
    assert terse.medium.totals == full.medium.totals
