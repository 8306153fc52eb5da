"""The compiled medium against the slow model: the same frames at the same nanoseconds to the same nodes."""

import math
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from medium_play import SECOND_NS, make_medium, play
from reference_medium import Heard, ReferenceMedium, Request

from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.medium.medium import DIGEST_START
from roamcast.sim.movement import Area, Point
from roamcast.sim.radio import RadioModel
from roamcast.sim.radio.range import Range
from roamcast.sim.radio.two_ray_ground import TwoRayGround
from roamcast.sim.random_streams import RandomStreams

CAPTURE = math.pi**2
"""About 10, but irrational: no two powers of nodes on a grid have exactly this ratio, whatever they round to."""

places_m = st.tuples(st.integers(-100, 700), st.integers(-100, 500)).map(lambda at: (float(at[0]), float(at[1])))

discs = st.builds(
    lambda range_m, more_m, rate: Range(float(range_m), float(range_m + more_m), rate),
    st.integers(40, 400),
    st.sampled_from([0, 0, 60, 250]),
    st.sampled_from([1e6, 2e6]),
)
two_rays = st.builds(
    lambda power, sense, rate: TwoRayGround(power, -70.0, sense, capture_ratio=CAPTURE, bitrate_bps=rate),
    st.sampled_from([8.0, 16.0, 24.0]),
    st.sampled_from([None, -74.0, -84.0]),
    st.sampled_from([1e6, 2e6]),
)
macs = st.builds(
    lambda window, queue, header: Dcf(contention_window=window, queue_frames_max=queue, header_bytes=header),
    st.sampled_from([0, 1, 3, 7, 31]),
    st.integers(1, 4),
    st.sampled_from([0, 28]),
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
def requests_for(draw: st.DrawFn, nodes: int) -> list[Request]:
    at_ns = 0
    requests = []
    for gap_ns, node, size_bytes in draw(
        st.lists(st.tuples(gaps_ns, st.integers(0, nodes - 1), sizes_bytes), min_size=1, max_size=35)
    ):
        at_ns += gap_ns
        requests.append(Request(at_ns, node, size_bytes))
    return requests


def digest_of(trace: list[Heard]) -> int:
    """Fold a trace as FNV-1a does, a word at a time."""
    digest = DIGEST_START
    for heard in trace:
        for word in (heard.ended_at_ns, heard.sender, *heard.receivers):
            digest = ((digest ^ word) * 0x100000001B3) & (2**64 - 1)
    return digest


def compare(
    points: list[list[Point]], radio: RadioModel, mac: Dcf, seed: int, processing_ns: int, requests: list[Request]
) -> None:
    """Play the same requests on both and compare everything that can be seen."""
    until_ns = requests[-1].at_ns + SECOND_NS
    reference = ReferenceMedium(points, radio.propagation(), mac.timing(), RandomStreams(seed), processing_ns)
    expected = reference.run(requests, until_ns)
    medium = make_medium(points, radio, mac, seed, processing_ns * 1e-9, Area(600.0, 400.0))
    played = play(medium, requests, until_ns)
    assert played.trace == expected
    assert medium.queue_drops == [station.drops for station in reference.stations]
    assert medium.frames_lost == [station.lost for station in reference.stations]
    assert medium.totals == (len(expected), sum(len(heard.receivers) for heard in expected))
    assert medium.digest == digest_of(expected)


processing = st.sampled_from([0, 0, 30_000, 1_000_000])
seeds = st.integers(0, 10**6)


@settings(max_examples=120, deadline=None)
@given(st.data(), standing_nodes(), discs, macs, seeds, processing)
def test_standing_discs_send_and_hear_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], radio: RadioModel, mac: Dcf, seed: int, processing_ns: int
) -> None:
    compare(points, radio, mac, seed, processing_ns, data.draw(requests_for(len(points))))


@settings(max_examples=120, deadline=None)
@given(st.data(), moving_nodes(), discs, macs, seeds, processing)
def test_moving_discs_send_and_hear_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], radio: RadioModel, mac: Dcf, seed: int, processing_ns: int
) -> None:
    compare(points, radio, mac, seed, processing_ns, data.draw(requests_for(len(points))))


@settings(max_examples=120, deadline=None)
@given(st.data(), st.one_of(standing_nodes(), moving_nodes()), two_rays, macs, seeds, processing)
def test_two_ray_radios_send_and_capture_as_in_the_reference(
    data: st.DataObject, points: list[list[Point]], radio: RadioModel, mac: Dcf, seed: int, processing_ns: int
) -> None:
    compare(points, radio, mac, seed, processing_ns, data.draw(requests_for(len(points))))


@settings(max_examples=150, deadline=None)
@given(seeds, st.one_of(discs, two_rays), macs, processing)
def test_an_air_full_of_frames_is_the_same_as_in_the_reference(
    seed: int, radio: RadioModel, mac: Dcf, processing_ns: int
) -> None:
    """Small cases shrink well but rarely crowd; here eight nodes send as much as the air can carry and more."""
    random = Random(seed)
    times_s = random.choice([[0.0], [0.0, 0.003, 0.006, 0.012]])
    points = [[(time_s, random.uniform(-50, 650), random.uniform(-50, 450)) for time_s in times_s] for _ in range(8)]
    at_ns = 0
    requests = []
    for _ in range(60):
        at_ns += random.choice([0, 500, random.randrange(50_000), random.randrange(500_000)])
        requests.append(Request(at_ns, random.randrange(8), random.choice([0, 2, 7, 20, 57])))
    compare(points, radio, mac, seed, processing_ns, requests)
