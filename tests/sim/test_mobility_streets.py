"""Street graphs: the quickest way and the connectedness, against trying everything."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.sim.mobility._streets import Junction, Lane, Navigator, Street, StreetMap, find_unreachable


@st.composite
def street_maps(draw: st.DrawFn, *, connected: bool) -> StreetMap:
    """Draw up to six junctions; where they must be connected, a one-way ring goes round them all."""
    places = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6, unique=True))
    junctions = tuple(Junction(str(number), 10.0 * x, 10.0 * y) for number, (x, y) in enumerate(places))
    numbers = st.integers(0, len(places) - 1)
    ends = draw(st.lists(st.tuples(numbers, numbers).filter(lambda ends: ends[0] != ends[1]), max_size=10))
    ring = [(number, (number + 1) % len(places)) for number in range(len(places))] if connected else []
    limits_mps = st.floats(1, 20)
    streets = [Street(*each, draw(limits_mps), 1.0, one_way=True) for each in ring]
    streets += [Street(*each, draw(limits_mps), 1.0, one_way=draw(st.booleans())) for each in ends]
    return StreetMap(junctions, tuple(streets))


def quickest_by_trying_all_s(lanes: list[Lane], start: int, end: int, count: int) -> float:
    times_s: dict[tuple[int, int], float] = {}
    for lane in lanes:
        key = lane.start, lane.end
        times_s[key] = min(lane.travel_s, times_s.get(key, float("inf")))
    between = [number for number in range(count) if number not in (start, end)]
    ways = ((start, *middle, end) for length in range(count - 1) for middle in permutations(between, length))
    return min(sum(times_s.get(step, float("inf")) for step in pairwise(way)) for way in ways)


@given(street_maps(connected=True))
def test_the_way_taken_is_the_quickest_of_all_ways(street_map: StreetMap) -> None:
    lanes, count = street_map.lanes(), len(street_map.junctions)
    navigator = Navigator(count, lanes)
    for start, end in permutations(range(count), 2):
        quickest_s = quickest_by_trying_all_s(lanes, start, end, count)
        for choice in (min, max):  # whichever of equal ways is taken
            here, taken_s = start, 0.0
            while here != end:
                lane = choice(navigator.next_lanes(here, end), key=lambda lane: lane.end)
                assert lane.start == here
                here, taken_s = lane.end, taken_s + lane.travel_s
            assert taken_s == pytest.approx(quickest_s)


def test_a_long_fast_street_is_preferred_to_a_short_slow_one() -> None:
    junctions = (Junction("a", 0.0, 0.0), Junction("b", 100.0, 0.0), Junction("c", 50.0, 100.0))
    streets = (Street(0, 1, 2.0), Street(0, 2, 13.0), Street(2, 1, 13.0))
    navigator = Navigator(3, StreetMap(junctions, streets).lanes())
    assert [lane.end for lane in navigator.next_lanes(0, 1)] == [2]


def test_ways_that_differ_by_rounding_only_are_all_offered() -> None:
    times_s = {(0, 1): 0.1, (1, 2): 0.2, (2, 3): 0.3, (0, 4): 0.3, (4, 5): 0.2, (5, 3): 0.1}
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    navigator = Navigator(6, [Lane(start, end, time_s, 1.0) for (start, end), time_s in times_s.items()])
    assert {lane.end for lane in navigator.next_lanes(0, 3)} == {1, 4}
    assert [lane.end for lane in navigator.next_lanes(1, 3)] == [2]


def test_a_way_never_leads_back_over_a_tiny_street() -> None:
    tiny_s = 1e-12
    navigator = Navigator(3, [Lane(0, 1, tiny_s, 1.0), Lane(1, 0, tiny_s, 1.0), Lane(1, 2, 1.0, 1.0)])
    assert [lane.end for lane in navigator.next_lanes(1, 2)] == [2]
    assert [lane.end for lane in navigator.next_lanes(0, 2)] == [1]


@given(street_maps(connected=False))
def test_a_missing_way_is_reported_if_and_only_if_there_is_one(street_map: StreetMap) -> None:
    count = len(street_map.junctions)
    linked = {(lane.start, lane.end) for lane in street_map.lanes()} | {(number, number) for number in range(count)}
    for middle in range(count):
        linked |= {(a, c) for a in range(count) for c in range(count) if {(a, middle), (middle, c)} <= linked}
    missing = find_unreachable(street_map)
    if missing is None:
        assert len(linked) == count**2
    else:
        assert missing not in linked


def test_a_two_way_street_is_two_lanes_that_share_its_popularity() -> None:
    junctions = (Junction("a", 0.0, 0.0), Junction("b", 30.0, 40.0))
    both = StreetMap(junctions, (Street(0, 1, 10.0, popularity=6.0),)).lanes()
    assert both == [Lane(0, 1, 5.0, 3.0), Lane(1, 0, 5.0, 3.0)]
    single = StreetMap(junctions, (Street(0, 1, 10.0, popularity=6.0, one_way=True),)).lanes()
    assert single == [Lane(0, 1, 5.0, 6.0)]
