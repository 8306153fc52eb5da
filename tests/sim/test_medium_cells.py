"""Who is found: the spatial cells against a look at every node, whatever the movement, the area and the range."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from medium_play import SECOND_NS, make_medium, play, standing
from reference_medium import Request

from roamcast.sim.dcf.medium import CELLS_PER_NODE_MAX
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio.range import Range
from roamcast.sim.trajectories import Area, Point, Trajectories

ON_THE_EDGE_M = 1e-6
"""Nearer to the edge of the range than this, rounding decides."""


@dataclass(frozen=True)
class Walk:
    """Nodes that jump from place to place in straight, even legs."""

    area: Area
    range_m: float
    points: list[list[Point]]

    def check(self, at_s: list[float]) -> None:
        """Let nodes send so rarely that frames never meet, and compare who hears with who is in range."""
        trajectories = Trajectories.from_points(self.points)
        medium = make_medium(self.points, Range(self.range_m), area=self.area)
        requests = [Request(round(each * 1e9), index % len(self.points), 0) for index, each in enumerate(at_s)]
        played = play(medium, requests, requests[-1].at_ns + SECOND_NS)
        assert len(played.trace) == len(requests)
        for heard, request in zip(played.trace, requests, strict=True):
            assert heard.sender == request.node
            offsets_m = trajectories.positions(request.at_ns * 1e-9)
            offsets_m = offsets_m - offsets_m[heard.sender]
            distances_m = np.hypot(offsets_m[:, 0], offsets_m[:, 1])
            distances_m[heard.sender] = np.inf
            heard_by = np.zeros(len(self.points), dtype=bool)
            heard_by[heard.receivers] = True
            assert heard.receivers == sorted(heard.receivers)
            assert heard_by[distances_m < self.range_m - ON_THE_EDGE_M].all()
            assert not heard_by[distances_m > self.range_m + ON_THE_EDGE_M].any()


def walk(area: Area, range_m: float, nodes: int, leg_s: float, outside: float = 0.0, seed: int = 1) -> Walk:
    """Return nodes that cross the area, or even leave it by a share of its size, every ``leg_s``, for 30 legs."""
    random = np.random.default_rng(seed)

    def place() -> tuple[float, float]:
        x, y = random.uniform(-outside, 1 + outside, 2)
        return float(x * area.width_m), float(y * area.height_m)

    starts_s = random.uniform(0, leg_s, nodes)
    points = [[(float(start_s + leg * leg_s), *place()) for leg in range(31)] for start_s in starts_s]
    return Walk(area, range_m, points)


@pytest.mark.parametrize(
    ("case", "interval_s"),
    [
        pytest.param(walk(Area(5000, 5000), 339.0, 150, 250.0), 8.0, id="the paper's scenario"),
        pytest.param(walk(Area(1000, 1000), 120.0, 120, 1.0), 0.1, id="fast: 700 m/s"),
        pytest.param(walk(Area(1000, 1000), 60.0, 120, 10_000.0), 1000.0, id="a third of a million seconds"),
        pytest.param(walk(Area(100_000, 100_000), 1.0, 50, 1000.0), 100.0, id="tiny range, huge area"),
        pytest.param(walk(Area(100_000, 50), 400.0, 200, 100.0), 10.0, id="a road: one row of cells"),
        pytest.param(walk(Area(30, 30), 500.0, 60, 100.0), 10.0, id="a range larger than the area"),
        pytest.param(walk(Area(1000, 1000), 150.0, 150, 20.0, outside=1.5), 2.0, id="nodes outside the area"),
        pytest.param(walk(Area(1003, 997), 100.0, 200, 50.0), 5.0, id="cells that do not divide the area"),
    ],
)
def test_who_hears_a_lone_sender_is_who_is_in_range(case: Walk, interval_s: float) -> None:
    case.check([index * interval_s for index in range(300)])


@settings(max_examples=60, deadline=None)
@given(
    st.floats(10, 5000), st.floats(10, 5000), st.floats(0.5, 800), st.integers(2, 60),
    st.sampled_from([0.02, 1.0, 300.0]), st.sampled_from([0.0, 0.3]), st.integers(0, 10**6),
)  # fmt: skip
def test_the_cells_miss_nobody_on_any_area_with_any_range_and_speed(
    width_m: float, height_m: float, range_m: float, nodes: int, leg_s: float, outside: float, seed: int
) -> None:
    case = walk(Area(width_m, height_m), range_m, nodes, leg_s, outside, seed)
    case.check([index * max(leg_s / 3, 0.002) for index in range(60)])


def test_nodes_on_the_borders_and_on_one_spot_are_found() -> None:
    corners = [(0.0, 0.0), (1000.0, 0.0), (0.0, 1000.0), (1000.0, 1000.0), (1000.0, 1000.0), (0.0, 0.0)]
    medium = make_medium(standing(*corners), Range(30.0))
    played = play(medium, [Request(node * SECOND_NS, node, 0) for node in range(6)], 10 * SECOND_NS)
    assert [heard.receivers for heard in played.trace] == [[5], [], [], [4], [3], [0]]


def test_the_range_itself_is_in_range() -> None:
    medium = make_medium(standing((0, 0), (300, 400), (-500, 0), (0, 500.001)), Range(500.0))
    assert play(medium, [Request(0, 0, 0)], SECOND_NS).trace[0].receivers == [1, 2]


def test_a_frame_goes_to_who_is_in_range_when_it_begins() -> None:
    """The node leaves the range while the frame is on the air, and another one comes: 100 m in 100 us."""
    leaving = [(0.0, 90.0, 0.0), (100e-6, 190.0, 0.0)]
    coming = [(0.0, -190.0, 0.0), (100e-6, -90.0, 0.0)]
    medium = make_medium([[(0.0, 0.0, 0.0)], leaving, coming], Range(100.0))
    played = play(medium, [Request(0, 0, 0), Request(SECOND_NS, 0, 0)], 2 * SECOND_NS)
    assert [heard.receivers for heard in played.trace] == [[1], [2]]


def test_a_node_stands_before_its_first_point_and_after_its_last() -> None:
    medium = make_medium([[(5.0, 1.0, 2.0), (6.0, 4.0, 6.0)], [(0.0, 0.0, 0.0)]], Range(10.0))
    assert medium.locate(0, 0.0) == (1.0, 2.0, 0.0, 0.0)
    assert medium.locate(0, 5.0) == (1.0, 2.0, 3.0, 4.0)
    assert medium.locate(0, 5.5) == (2.5, 4.0, 3.0, 4.0)
    assert medium.locate(0, 6.0) == (4.0, 6.0, 0.0, 0.0)
    assert medium.locate(0, 1e9) == (4.0, 6.0, 0.0, 0.0)


def test_the_cells_do_not_outnumber_the_nodes_by_much() -> None:
    """A range of a metre in an area of a hundred kilometres would ask for ten thousand million cells."""
    medium = make_medium(standing((0, 0), (5, 5)), Range(1.0), area=Area(100_000, 100_000))
    assert len(medium._cell_starts) <= 2 * CELLS_PER_NODE_MAX + 1


def test_the_pool_of_arrivals_grows_while_everybody_talks_at_once() -> None:
    """120 nodes begin in one nanosecond: 14,280 arrivals, nobody hears; later each is heard by all the others."""
    nodes = 120
    medium = make_medium(standing(*[(float(node), 0.0) for node in range(nodes)]), Range(500.0))
    at_once = [Request(0, node, 10) for node in range(nodes)]
    one_by_one = [Request((node + 1) * SECOND_NS, node, 10) for node in range(nodes)]
    played = play(medium, at_once + one_by_one, (nodes + 2) * SECOND_NS)
    assert [heard.receivers for heard in played.trace[:nodes]] == [[]] * nodes
    assert [heard.ended_at_ns for heard in played.trace[:nodes]] == [376_000] * nodes
    everyone = list(range(nodes))
    assert [heard.receivers for heard in played.trace[nodes:]] == [
        everyone[:node] + everyone[node + 1 :] for node in range(nodes)
    ]
    assert medium.frames_lost == [nodes - 1] * nodes
    assert len(medium._arrivals) >= nodes * (nodes - 1)


def test_the_pool_of_frames_grows_with_the_queues_and_loses_nothing() -> None:
    """Three nodes out of each other's range, each with a listener, queue 2,000 frames each of different sizes."""
    places = standing((0, 0), (400, 0), (800, 0), (50, 0), (450, 0), (850, 0))
    medium = make_medium(places, Range(100.0), Dcf(queue_frames_max=2_000))
    requests = [Request(0, number % 3, number % 7) for number in range(6_000)]
    played = play(medium, requests, 100 * SECOND_NS)
    assert played.refused == []
    for node in range(3):
        own = [heard for heard in played.trace if heard.sender == node]
        assert [heard.request for heard in own] == list(range(node, 6_000, 3))
        assert all(heard.receivers == [node + 3] for heard in own)
    assert len(medium._frames) >= 6_000


@pytest.mark.parametrize("radio", [Range(150.0), Range((100.0, 200.0), range_drawn="frame")])
def test_a_grown_medium_goes_on_exactly_as_one_that_had_the_room(radio: Range) -> None:
    """The room is an implementation detail: with pools cut to one record each, the trace is the same."""
    places = standing(*[(100.0 * (node % 5), 90.0 * (node // 5)) for node in range(25)])
    random = np.random.default_rng(7)
    times_ns = np.sort(random.integers(0, SECOND_NS // 10, 400)).tolist()
    requests = [Request(at_ns, int(random.integers(25)), 20) for at_ns in times_ns]
    roomy, cramped = (make_medium(places, radio) for _ in range(2))
    for pool, free in (("_frames", "free_frame"), ("_arrivals", "free_arrival")):
        setattr(cramped, pool, getattr(cramped, pool)[:1].copy())
        getattr(cramped, pool)["next"] = -1
        cramped._record[0][free] = 0
    cramped._record[0]["arrivals_left"] = 1
    cramped._take_memory()
    assert play(cramped, requests, SECOND_NS).trace == play(roomy, requests, SECOND_NS).trace
    assert cramped.digest == roomy.digest
    for medium in (cramped, roomy):
        assert medium._record[0]["arrivals_left"] == len(medium._arrivals), "all are free when the air is silent"
