"""The geometry under GPSR: planar subgraphs that stay connected, turning, and crossings."""

from collections.abc import Mapping

import pytest
from disc_graphs import DiscGraph, Edge, component, disc_graphs
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.host import Position
from roamcast.routing.gpsr.neighbours import ROWS, Neighbours
from roamcast.routing.shared.geometry import crossing, is_sound_position, next_counterclockwise, squared_m2
from roamcast.sim.mobility.trace import ELSEWHERE_M


def table(places: Mapping[int, Position]) -> Neighbours:
    neighbours = Neighbours()
    for number, (node, place) in enumerate(places.items()):
        neighbours.hear(node, place, float(number))
    return neighbours


def relative_neighbours(here: Position, places: Mapping[int, Position]) -> dict[int, Position]:
    return table(places).relative(here)


def gabriel_neighbours(here: Position, places: Mapping[int, Position]) -> dict[int, Position]:
    return table(places).gabriel(here)


RULES = pytest.mark.parametrize("rule", [relative_neighbours, gabriel_neighbours])


def planar_edges(graph: DiscGraph, rule: object) -> set[Edge]:
    """Return the directed edges that the nodes keep, each by what it knows of its neighbours."""
    kept = set()
    for node, here in graph.places.items():
        linked = {far for edge in graph.links if node in edge for far in edge if far != node}
        known = {far: graph.places[far] for far in linked}
        kept |= {(node, far) for far in rule(here, known)}  # type: ignore[operator]
    return kept


@RULES
@settings(max_examples=150)
@given(graph=disc_graphs(nodes_max=14))
def test_the_edges_that_are_kept_agree_at_both_ends_connect_all_and_do_not_cross(
    rule: object, graph: DiscGraph
) -> None:
    kept = planar_edges(graph, rule)
    assert {(far, node) for node, far in kept} == kept
    assert component(graph.places, kept, 0) == set(graph.places)
    once = sorted(edge for edge in kept if edge[0] < edge[1])
    for place, (one, other) in enumerate(once):
        for third, fourth in once[place + 1 :]:
            if len({one, other, third, fourth}) == 4:
                ends = [graph.places[node] for node in (one, other, third, fourth)]
                assert crossing(*ends) is None, f"{one}-{other} crosses {third}-{fourth}"


@given(graph=disc_graphs(nodes_max=14))
def test_the_relative_neighbourhood_graph_is_part_of_the_gabriel_graph(graph: DiscGraph) -> None:
    assert planar_edges(graph, relative_neighbours) <= planar_edges(graph, gabriel_neighbours)


@pytest.mark.parametrize(
    ("witness", "is_relative", "is_gabriel"),
    [
        ((50.0, 0.0), False, False),  # in the middle
        ((50.0, 60.0), False, True),  # beside the disc, in the lens
        ((50.0, 50.0), False, False),  # on the disc's rim
        ((50.0, 90.0), True, True),  # beside the lens
        ((-10.0, 0.0), True, True),  # behind
        ((0.0, 0.0), True, True),  # in the same place as one end
    ],
)
def test_a_witness_removes_an_edge_of_100_m(witness: tuple[float, float], is_relative: bool, is_gabriel: bool) -> None:
    here, places = Position(0.0, 0.0), {1: Position(100.0, 0.0), 2: Position(*witness)}
    assert (1 in relative_neighbours(here, places), 1 in gabriel_neighbours(here, places)) == (is_relative, is_gabriel)


@pytest.mark.parametrize(
    ("start", "first"),
    [
        ((1.0, 0.0), 2),  # from the east: north comes first, the east itself last
        ((0.9, 0.1), 2),
        ((0.0, 1.0), 3),
        ((-1.0, 0.0), 1),  # no south: back to the east
        ((1.0, -0.1), 1),
    ],
)
def test_turning_is_counterclockwise_and_the_start_comes_last(start: tuple[float, float], first: int) -> None:
    places = {1: Position(15.0, 10.0), 2: Position(10.0, 15.0), 3: Position(5.0, 10.0)}
    here = Position(10.0, 10.0)
    begin = Position(here.x_m + start[0], here.y_m + start[1])
    assert next_counterclockwise(here, begin, places) == first


def test_one_neighbour_is_the_way_on_and_the_way_back_and_none_is_no_way() -> None:
    here, there = Position(0.0, 0.0), Position(1.0, 1.0)
    assert next_counterclockwise(here, there, {7: there}) == 7
    assert next_counterclockwise(here, there, {}) is None


@pytest.mark.parametrize(
    ("one", "other", "point"),
    [
        ((5.0, -1.0), (5.0, 1.0), (5.0, 0.0)),
        ((5.0, 1.0), (5.0, -3.0), (5.0, 0.0)),
        ((5.0, 1.0), (5.0, 3.0), None),  # too short
        ((11.0, -1.0), (11.0, 1.0), None),  # beyond the end
        ((2.0, 0.0), (4.0, 0.0), None),  # along the line
        ((0.0, 0.0), (0.0, 4.0), (0.0, 0.0)),  # from its very start
    ],
)
def test_where_a_line_of_10_m_is_crossed(
    one: tuple[float, float], other: tuple[float, float], point: tuple[float, float] | None
) -> None:
    assert crossing(Position(0.0, 0.0), Position(10.0, 0.0), Position(*one), Position(*other)) == point


def test_nonsense_is_no_place() -> None:
    good, bad = 9.9e8, [float("nan"), float("inf"), -float("inf"), 1.1e9, ELSEWHERE_M]
    assert is_sound_position(Position(good, -good))
    assert not any(is_sound_position(Position(x_m, 0.0)) or is_sound_position(Position(0.0, x_m)) for x_m in bad)
    assert squared_m2(Position(good, good), Position(-good, -good)) == pytest.approx(8 * good**2)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("hear", "forget")), st.integers(0, 2 * ROWS), st.integers(-9, 9), st.integers(-9, 9)
        ),
        max_size=200,
    ),
    st.integers(-9, 9),
)
def test_the_table_of_neighbours_is_a_dictionary_of_places_and_times(
    deeds: list[tuple[str, int, int, int]], target_m: int
) -> None:
    neighbours, places, times = Neighbours(), {}, {}
    for now, (deed, node, x_m, y_m) in enumerate(deeds):
        if deed == "hear":
            places[node], times[node] = Position(x_m, y_m), now
            neighbours.hear(node, places[node], now)
        else:
            places.pop(node, None)
            times.pop(node, None)
            neighbours.forget(node)
    assert dict(neighbours) == places
    assert len(neighbours) == len(places)
    oldest = min(times, key=times.__getitem__, default=None)
    assert neighbours.oldest() == (None if oldest is None else (oldest, times[oldest]))
    target = Position(float(target_m), 0.0)
    nearest = neighbours.nearest(target, 16.0)
    away_m2 = min((squared_m2(place, target) for place in places.values()), default=16.0)
    if away_m2 >= 16.0:
        assert nearest is None
    else:
        assert nearest is not None
        assert squared_m2(places[nearest], target) == away_m2


def test_more_neighbours_than_there_was_room_for_are_all_kept() -> None:
    places = {node: Position(float(node), 0.0) for node in range(5 * ROWS)}
    assert dict(table(places)) == places
    assert table(places).relative(Position(-1.0, 0.0)) == {0: Position(0.0, 0.0)}
