"""The runs that are measured, at a reduced size."""

from collections import Counter
from dataclasses import replace

import pytest
from benchmarks.beacon import phases_s
from benchmarks.flood import FloodMessage, FloodParameters, Publications
from benchmarks.setups import dense, flood, heartbeats

from roamcast.sim.mobility.static import Static
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import FrameSent, Setup
from roamcast.sim.simulation import simulate
from roamcast.sim.trajectories import Area


def _watch(setup: Setup, seed: int = 1) -> list[FrameSent]:
    frames: list[FrameSent] = []
    simulate(setup, seed, frames.append)
    return frames


def test_every_node_beats_once_a_second() -> None:
    frames = _watch(heartbeats(20, 10.0))
    assert Counter(frame.sender for frame in frames) == dict.fromkeys(range(20), 10)
    assert {frame.message.size_bytes for frame in frames} == {50}


def test_the_heart_beats_at_the_phase_that_ns3_is_told() -> None:
    first: dict[int, float] = {}
    for frame in _watch(heartbeats(20, 3.0), seed=7):
        first.setdefault(frame.sender, frame.ended_at_s)
    airtime_s = 536e-6
    told = phases_s(20, 1.0, 7)
    assert [first[node] - airtime_s for node in range(20)] == pytest.approx(told, abs=2e-3)


def test_heartbeats_keep_their_density_at_every_size() -> None:
    small, large = heartbeats(150), heartbeats(38_400)
    assert small.area == Area(5000.0, 5000.0)
    assert large.area.width_m == pytest.approx(5000.0 * 16)


def test_the_dense_case_sends_five_large_frames_a_second() -> None:
    frames = _watch(dense(20, 4.0))
    assert Counter(frame.sender for frame in frames) == dict.fromkeys(range(20), 20)
    assert {frame.message.size_bytes for frame in frames} == {512}


def _line(nodes: int, ttl: int) -> Setup:
    """Return a flood along a line of which only neighbours hear each other, with one publication."""
    places = tuple((100.0 * node, 0.0) for node in range(nodes))
    return replace(
        flood(nodes, 1.0),
        mobility=Static(positions_m=places),
        parameters=FloodParameters(ttl=ttl),
        workload=Publications(rate_per_s=1.0),
    )


def test_a_flood_reaches_as_many_hops_as_its_ttl_and_no_further() -> None:
    frames = _watch(_line(15, ttl=4))
    publisher = frames[0].sender
    heard = {node for frame in frames for node in frame.receivers} - {publisher}
    assert heard == {node for node in range(15) if 0 < abs(node - publisher) <= 4}


def test_every_node_sends_a_publication_at_most_once() -> None:
    sent: Counter[tuple[int, object]] = Counter()
    for frame in _watch(flood(60, 3.0)):
        assert isinstance(frame.message, FloodMessage)
        sent[frame.sender, frame.message.event.id] += 1
    assert set(sent.values()) == {1}
    assert len(sent) > 75


def test_who_sends_on_waits_no_longer_than_the_jitter() -> None:
    frames = _watch(_line(3, ttl=2))
    airtime_s = 2384e-6
    gaps_s = [later.ended_at_s - frames[0].ended_at_s for later in frames[1:]]
    assert gaps_s
    assert all(airtime_s < gap_s < 0.010 + 3 * airtime_s for gap_s in gaps_s)


def test_publications_are_even_and_by_random_nodes() -> None:
    publications = Publications().workload(500, 30.0, RandomStreams(1)).publications
    assert len(publications) == 750
    assert [each.at_s for each in publications[:3]] == pytest.approx([0.02, 0.06, 0.10])
    assert len({each.node for each in publications}) > 300
    assert all(0 <= each.node < 500 and each.at_s < 30 for each in publications)
