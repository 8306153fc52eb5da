"""GPSR on graphs with known answers: whoever can be reached is reached, and a place has one home."""

import pytest
from disc_graphs import DiscGraph, component, disc_graphs, edges_up_to, gpsr_network
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from router_network import Letter

from roamcast.core.host import Position
from roamcast.routing.shared.geometry import squared_m2

GRAPHS = pytest.mark.parametrize("planar_graph", ["relative-neighbourhood", "gabriel"])
STEP_S = 1.0
places = st.builds(Position, st.integers(-300, 1300).map(float), st.integers(-300, 1300).map(float))


@GRAPHS
@settings(max_examples=250)
@given(graph=disc_graphs(), data=st.data())
def test_a_packet_reaches_its_node_from_everywhere_in_a_connected_network(
    planar_graph: str, graph: DiscGraph, data: st.DataObject
) -> None:
    to = data.draw(st.sampled_from(sorted(graph.places)))
    network = gpsr_network(graph, planar_graph)
    for origin in graph.places:
        network.routers[origin].send(Letter(100, str(origin)), to, graph.places[to])
    network.run(STEP_S)
    arrived = sorted((origin, payload) for _, payload, origin in network.users[to].arrived)
    assert arrived == [(origin, Letter(100, str(origin))) for origin in sorted(graph.places)]
    assert network.reasons() == []


@GRAPHS
@settings(max_examples=250)
@given(graph=disc_graphs(), place=places)
def test_packets_for_a_place_end_at_the_node_nearest_to_it_from_wherever_they_start(
    planar_graph: str, graph: DiscGraph, place: Position
) -> None:
    by_distance = sorted(graph.places, key=lambda node: squared_m2(graph.places[node], place))
    nearest, second = by_distance[:2]
    assume(squared_m2(graph.places[nearest], place) < squared_m2(graph.places[second], place))
    network = gpsr_network(graph, planar_graph)
    for origin in graph.places:
        network.routers[origin].send_to_place(Letter(100), place)
    network.run(STEP_S)
    assert {node: len(user.arrived) for node, user in network.users.items() if user.arrived} == {
        nearest: len(graph.places)
    }
    assert network.reasons() == []


@GRAPHS
@settings(max_examples=100)
@given(graph=disc_graphs(), range_m=st.integers(100, 500), data=st.data())
def test_in_a_divided_network_a_packet_reaches_its_node_or_is_dropped_after_going_round(
    planar_graph: str, graph: DiscGraph, range_m: int, data: st.DataObject
) -> None:
    links = edges_up_to(graph.places, float(range_m * range_m))
    to = data.draw(st.sampled_from(sorted(graph.places)))
    near = component(graph.places, links, to)
    network = gpsr_network(DiscGraph(graph.places, links), planar_graph)
    for origin in graph.places:
        network.routers[origin].send(Letter(100), to, graph.places[to])
    network.run(STEP_S)
    assert {origin for _, _, origin in network.users[to].arrived} == near
    far = set(graph.places) - near
    assert len(network.reasons()) == len(far)
    assert set(network.reasons()) <= {"gone-round", "no-neighbour"}
    assert {node for node, user in network.users.items() if user.arrived} == {to}


@GRAPHS
@settings(max_examples=100)
@given(graph=disc_graphs(), place=places, range_m=st.integers(100, 500))
def test_in_each_part_of_a_divided_network_a_place_has_the_nearest_node_as_its_home(
    planar_graph: str, graph: DiscGraph, place: Position, range_m: int
) -> None:
    away_m2 = {node: squared_m2(at, place) for node, at in graph.places.items()}
    assume(len(set(away_m2.values())) == len(away_m2))
    links = edges_up_to(graph.places, float(range_m * range_m))
    network = gpsr_network(DiscGraph(graph.places, links), planar_graph)
    for origin in graph.places:
        network.routers[origin].send_to_place(Letter(100), place)
    network.run(STEP_S)
    for origin in graph.places:
        home = min(component(graph.places, links, origin), key=away_m2.__getitem__)
        assert origin in {each.origin for each in network.users[home].arrived}


def test_beacons_alone_make_the_tables_that_delivery_needs() -> None:
    ring = {0: (0, 0), 1: (0, 200), 2: (150, 330), 3: (350, 330), 4: (500, 200), 5: (500, 0)}
    at = {node: Position(float(x_m), float(y_m)) for node, (x_m, y_m) in ring.items()}
    network = gpsr_network(DiscGraph(at, set()), "gabriel")
    for one, other in edges_up_to(at, 210.0 * 210.0):
        network.join(one, other)
    network.start()
    network.run(5.0)
    network.routers[0].send(Letter(100), 5, at[5])
    network.run(6.0)
    assert [origin for _, _, origin in network.users[5].arrived] == [0]
    assert [len(network.users[node].passed) for node in ring] == [1, 1, 1, 1, 1, 0]
