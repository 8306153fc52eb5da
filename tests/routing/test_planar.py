"""The geometry under GPSR: planar subgraphs that stay connected, turning, and crossings."""

import pytest
from disc_graphs import DiscGraph, Edge, component, disc_graphs
from hypothesis import given, settings

from roamcast.core.host import Position
from roamcast.routing._planar import (
    crossing,
    gabriel_neighbours,
    is_place,
    next_counterclockwise,
    relative_neighbours,
    squared_m2,
)

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
    good, bad = 1e9, [float("nan"), float("inf"), -float("inf"), 1.1e9]
    assert is_place(Position(good, -good))
    assert not any(is_place(Position(x_m, 0.0)) or is_place(Position(0.0, x_m)) for x_m in bad)
    assert squared_m2(Position(good, good), Position(-good, -good)) == 8e18
