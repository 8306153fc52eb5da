"""RSGM: one packet for many, split where the ways part, and each destination reached once."""

from disc_graphs import DiscGraph, disc_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from router_network import GivenUp, Letter
from sogr_networks import line, rsgm_network, sent_by_kind

from roamcast.core.host import Position
from roamcast.routing.sogr.messages import (
    STOPS_MAX,
    Packet,
)
from roamcast.routing.sogr.parameters import SogrParameters

LETTER = Letter(100, "dear all")
STEP_S = 30.0


@settings(max_examples=150, deadline=None)
@given(graph=disc_graphs(), data=st.data())
def test_each_member_gets_a_payload_once_and_nobody_else_does(graph: DiscGraph, data: st.DataObject) -> None:
    nodes = sorted(graph.places)
    origin = data.draw(st.sampled_from(nodes))
    members = data.draw(st.lists(st.sampled_from(nodes), unique=True))
    network = rsgm_network(graph)
    network.routers[origin].send_to_many(LETTER, [(node, graph.places[node]) for node in members])
    network.run(STEP_S)
    arrived = {node: len(user.arrived) for node, user in network.users.items() if user.arrived}
    assert set(arrived.values()) <= {1}
    assert set(arrived) == set(members)
    assert network.reasons() == []


def test_a_packet_is_one_as_long_as_the_ways_are_one() -> None:
    # 0 - 1 - 2, where the way parts to 3 and to 4
    places = {0: (0, 0), 1: (90, 0), 2: (180, 0), 3: (250, 60), 4: (250, -60)}
    at = {node: Position(float(x_m), float(y_m)) for node, (x_m, y_m) in places.items()}
    network = rsgm_network(DiscGraph(at, {(0, 1), (1, 2), (2, 3), (2, 4)}))
    network.routers[0].send_to_many(LETTER, [(3, at[3]), (4, at[4])])
    network.run(STEP_S)
    sent = [(node, to) for node, host in network.hosts.items() for each, to in host.sent if isinstance(each, Packet)]
    assert sorted(sent, key=str) == [(0, 1), (1, 2), (2, 3), (2, 4)]
    assert [len(network.users[node].arrived) for node in range(5)] == [0, 0, 0, 1, 1]


def test_the_header_grows_with_the_destinations_and_shrinks_where_the_packet_is_split() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0, 270.0))
    network.routers[0].send_to_many(LETTER, [(1, Position(90.0, 0.0)), (3, Position(270.0, 0.0))])
    network.run(STEP_S)
    first, second, third = (
        next(each.size_bytes for each, _ in network.hosts[node].sent if isinstance(each, Packet)) for node in (0, 1, 2)
    )
    assert first - second == 16
    assert second == third == 100 + 28 + 14 + 16


def test_places_and_nodes_can_stand_in_one_list_and_oneself_too() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0, 270.0))
    to = [(None, Position(300.0, 0.0)), (0, Position(0.0, 0.0)), (1, Position(90.0, 0.0)), (1, Position(90.0, 0.0))]
    network.routers[0].send_to_many(LETTER, to)
    network.run(STEP_S)
    assert [len(network.users[node].arrived) for node in range(4)] == [1, 1, 0, 1]


def test_a_node_that_is_both_on_the_way_and_meant_gets_it_and_sends_it_on() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0))
    network.routers[0].send_to_many(LETTER, [(1, Position(90.0, 0.0)), (2, Position(180.0, 0.0))])
    network.run(STEP_S)
    assert [len(network.users[node].arrived) for node in range(3)] == [0, 1, 1]
    assert sent_by_kind(network, [Packet]) == [2]


def test_each_destination_that_cannot_be_reached_is_counted() -> None:
    network = rsgm_network(line(0.0, 90.0, 400.0, 800.0), SogrParameters(search_hops=4))
    network.routers[0].send_to_many(
        LETTER, [(1, Position(90.0, 0.0)), (2, Position(400.0, 0.0)), (3, Position(800.0, 0.0))]
    )
    network.run(STEP_S)
    assert len(network.users[1].arrived) == 1
    assert sorted(network.users[0].given_up, key=str) == []  # it was node 1 who gave them up,
    assert network.reasons() == ["no-next-hop", "no-next-hop"]  # and counted them
    network.routers[1].send_to_many(LETTER, [(2, Position(400.0, 0.0))])
    network.run(2 * STEP_S)
    assert network.users[1].given_up == [GivenUp(LETTER, 2, "no-next-hop")]


def test_a_list_longer_than_a_header_holds_goes_in_several_packets() -> None:
    network = rsgm_network(line(0.0, 90.0))
    many = [(None, Position(90.0, float(each) / 100)) for each in range(STOPS_MAX + 5)]
    network.routers[0].send_to_many(LETTER, many)
    network.run(4 * STEP_S)  # node 1 asks for somebody nearer to each of these places
    packets = [each for each, _ in network.hosts[0].sent if isinstance(each, Packet)]
    assert sorted(len(each.stops) for each in packets) == [5, STOPS_MAX]
    assert len(network.users[1].arrived) == STOPS_MAX + 5
