"""SOGR on graphs with known answers, and its rules: requests, answers, what is remembered, what is given up."""

from typing import Any

import pytest
from disc_graphs import DiscGraph, component, disc_graphs, edges_up_to
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from router_network import GivenUp, Letter, RouterNetwork
from sogr_networks import WIDE, has_void, line, rsgm_network, sent_by_kind

from roamcast.core.host import Position
from roamcast.routing.sogr.messages import (
    Answer,
    Packet,
    Request,
    Stop,
)
from roamcast.routing.sogr.parameters import SogrParameters
from roamcast.routing.sogr.protocol import Sogr

LETTER = Letter(100, "dear")
STEP_S = 20.0


@settings(max_examples=150, deadline=None)
@given(graph=disc_graphs(), data=st.data())
def test_without_voids_a_packet_reaches_its_node_from_everywhere_by_asking_neighbours_only(
    graph: DiscGraph, data: st.DataObject
) -> None:
    to = data.draw(st.sampled_from(sorted(graph.places)))
    assume(not has_void(graph, to))
    network = rsgm_network(graph, SogrParameters(search_hops=1))
    for origin in graph.places:
        network.routers[origin].send(Letter(100, str(origin)), to, graph.places[to])
        network.run(network.now + STEP_S)
    assert sorted(each.origin for each in network.users[to].arrived) == sorted(graph.places)
    assert network.reasons() == []


@settings(max_examples=150, deadline=None)
@given(graph=disc_graphs(), data=st.data())
def test_a_search_that_goes_far_enough_finds_the_way_round_every_void(graph: DiscGraph, data: st.DataObject) -> None:
    to = data.draw(st.sampled_from(sorted(graph.places)))
    network = rsgm_network(graph)
    for origin in graph.places:
        network.routers[origin].send(Letter(100, str(origin)), to, graph.places[to])
        network.run(network.now + STEP_S)
    assert sorted(each.origin for each in network.users[to].arrived) == sorted(graph.places)
    assert network.reasons() == []


@settings(max_examples=100, deadline=None)
@given(graph=disc_graphs(), range_m=st.integers(100, 500), seed=st.integers(0, 5), data=st.data())
def test_no_packet_walks_for_ever_whatever_is_lost(
    graph: DiscGraph, range_m: int, seed: int, data: st.DataObject
) -> None:
    links = edges_up_to(graph.places, float(range_m * range_m))
    to = data.draw(st.sampled_from(sorted(graph.places)))
    network = rsgm_network(DiscGraph(graph.places, links), seed=seed)
    network.loss, network.lost_answers = data.draw(st.sampled_from([(0.0, 0.0), (0.3, 0.3)]))
    for origin in graph.places:
        network.routers[origin].send(Letter(100, str(origin)), to, graph.places[to])
    network.run(300.0)  # fails if it never comes to rest
    assert all(host.wakes == {} for host in network.hosts.values())
    packets = [message for host in network.hosts.values() for message, _ in host.sent if isinstance(message, Packet)]
    assert len(packets) <= WIDE.hops_max * len(graph.places) * (1 if network.loss == 0.0 else 8)
    near = component(graph.places, links, to)
    assert {each.origin for each in network.users[to].arrived} <= near
    given_up = len(network.reasons())
    if network.loss == 0.0:
        assert len(network.users[to].arrived) + given_up == len(graph.places)


def test_the_best_neighbour_answers_and_silences_the_others() -> None:
    network = rsgm_network(line(0.0, 50.0, 70.0, 90.0, 180.0), SogrParameters(reach_share=1.0))
    network.routers[0].send(LETTER, 4, Position(180.0, 0.0))
    network.run(STEP_S)
    hops = [to for message, to in network.hosts[0].sent if isinstance(message, Packet)]
    assert hops == [3]
    answers = {node: sum(isinstance(each, Answer) for each, _ in host.sent) for node, host in network.hosts.items()}
    assert answers == {0: 0, 1: 0, 2: 0, 3: 1, 4: 1}
    assert [each.payload for each in network.users[4].arrived] == [LETTER]


def test_what_a_search_says_and_what_is_remembered_of_it_has_its_size() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0))
    network.routers[0].send(LETTER, 2, Position(180.0, 0.0))
    network.run(1.0)
    request, packet = (
        next(each for each, _ in network.hosts[0].sent if isinstance(each, kind)) for kind in (Request, Packet)
    )
    answer = next(each for each, _ in network.hosts[1].sent if isinstance(each, Answer))
    # what it is, origin, number, node, place, distance, hops, own place; an answer has neither place nor hops
    assert request.size_bytes == 28 + (1 + 4 + 2 + 4 + 8 + 4 + 1 + 8)
    assert answer.size_bytes == 28 + (1 + 4 + 2 + 4 + 4 + 8)
    assert packet.size_bytes == 28 + LETTER.size_bytes + (1 + 4 + 1 + 8) + (4 + 8 + 4)
    assert network.routers[0].storage_bytes() == (4 + 8) + (4 + 8 + 4)  # the neighbour, and the way over it
    network.run(network.now + SogrParameters().neighbour_s)
    assert network.routers[0].storage_bytes() == 0


def test_a_neighbour_at_the_edge_of_the_range_answers_last() -> None:
    for places, hop in (((0.0, 50.0, 99.0, 140.0), 1), ((0.0, 99.0, 140.0), 1)):
        network = rsgm_network(line(*places), SogrParameters(reach_share=0.9))
        network.routers[0].send(LETTER, len(places) - 1, Position(140.0, 0.0))
        network.run(STEP_S)
        assert [to for message, to in network.hosts[0].sent if isinstance(message, Packet)] == [hop]


def test_a_next_hop_is_remembered_for_a_while_and_asked_for_again_after_it() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0), SogrParameters(neighbour_s=2.0))
    for at_s, requests in ((0.0, 2), (1.0, 2), (10.0, 4)):
        network.run(at_s)
        network.routers[0].send(LETTER, 2, Position(180.0, 0.0))
        network.run(at_s + 0.9)
        assert sent_by_kind(network, [Request]) == [requests]
    assert len(network.users[2].arrived) == 3


def test_a_next_hop_that_does_not_acknowledge_is_dropped_and_another_one_asked_for() -> None:
    network = rsgm_network(line(0.0, 60.0, 90.0, 150.0), SogrParameters(reach_share=1.0))
    network.routers[0].send(LETTER, 3, Position(150.0, 0.0))
    network.run(1.0)
    assert [to for message, to in network.hosts[0].sent if isinstance(message, Packet)] == [2]
    network.part(0, 2)
    network.routers[0].send(Letter(100, "again"), 3, Position(150.0, 0.0))
    network.run(2.0)
    assert [to for message, to in network.hosts[0].sent if isinstance(message, Packet)] == [2, 2, 1]
    assert len(network.users[3].arrived) == 2


def test_a_node_is_found_though_it_has_moved_by_more_than_a_range() -> None:
    graph = line(0.0, 90.0, 180.0, 270.0, 360.0)
    network = rsgm_network(graph)
    network.routers[0].send(LETTER, 4, Position(180.0, 0.0))  # it was there before
    network.run(STEP_S)
    assert [each.origin for each in network.users[4].arrived] == [0]


def test_a_void_is_walked_round_by_the_way_that_the_answer_came() -> None:
    # 0 and 5 face each other over a void; the way round goes over nodes that are all farther from 5 than 0 is.
    ring = {0: (0, 0), 1: (-60, 80), 2: (0, 160), 3: (90, 200), 4: (180, 160), 5: (190, 60)}
    places = {node: Position(float(x_m), float(y_m)) for node, (x_m, y_m) in ring.items()}
    graph = DiscGraph(places, {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)})
    network = rsgm_network(graph, SogrParameters(search_hops=1))
    network.routers[0].send(LETTER, 5, places[5])
    network.run(STEP_S)
    assert network.users[0].given_up == [GivenUp(LETTER, 5, "no-next-hop")]
    network = rsgm_network(graph, SogrParameters(search_hops=16))
    network.routers[0].send(LETTER, 5, places[5])
    network.run(STEP_S)
    assert [each.origin for each in network.users[5].arrived] == [0]
    assert sent_by_kind(network, [Packet]) == [5]


def test_a_packet_whose_node_is_not_found_waits_a_while_for_the_network_to_change() -> None:
    for heals_at_s, arrives in ((1.0, True), (30.0, False)):
        network = rsgm_network(line(0.0, 90.0, 180.0, 270.0), SogrParameters(retries=2, retry_s=2.0))
        network.part(1, 2)
        network.routers[0].send(LETTER, 3, Position(270.0, 0.0))
        network.run(heals_at_s)
        network.join(1, 2)
        network.run(60.0)
        assert [each.origin for each in network.users[3].arrived] == ([0] if arrives else [])
        assert network.reasons() == ([] if arrives else ["no-next-hop"])


def test_who_gives_up_a_packet_of_another_node_is_told_and_the_origin_is_not() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0, 270.0))
    network.part(2, 3)
    network.routers[0].send(LETTER, 3, Position(270.0, 0.0))
    network.run(1.0)
    network.part(1, 2)
    network.run(60.0)
    assert [user.stranded for user in network.users.values()] == [[], [], [GivenUp(LETTER, 3, "no-next-hop")], []]
    assert [user.given_up for user in network.users.values()] == [[], [], [], []]


def test_a_packet_for_a_place_ends_at_the_node_nearest_to_it() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0, 270.0, 360.0))
    for node in network.routers:
        network.routers[node].send_to_place(LETTER, Position(200.0, 50.0))
    network.run(STEP_S)
    assert {node: len(user.arrived) for node, user in network.users.items() if user.arrived} == {2: 5}


def test_what_passes_by_can_be_taken_out() -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0, 270.0))
    network.users[2].captures = True
    network.routers[0].send_to_place(LETTER, Position(500.0, 0.0))
    network.run(STEP_S)
    assert network.users[2].passed == [(LETTER, 0, Position(500.0, 0.0))]
    assert network.users[3].passed == []


def test_a_packet_that_comes_back_by_an_old_way_is_not_sent_to_and_fro() -> None:
    network: RouterNetwork[Sogr] = RouterNetwork(Sogr, [1], places={1: Position(0.0, 0.0)})
    router, host, place = network.routers[1], network.hosts[1], Position(900.0, 0.0)
    router.send(LETTER, 9, place)
    router.on_message(Answer(50, 1, 1, 1, 600.0, Position(250.0, 0.0)), 2)
    assert [to for message, to in host.sent if isinstance(message, Packet)] == [2]
    router.on_message(Packet(150, LETTER, 1, (Stop(9, place, 650.0),), 30, Position(250.0, 0.0)), 2)
    assert [to for message, to in host.sent if isinstance(message, Packet)] == [2]
    assert isinstance(host.sent[-1][0], Request)


@pytest.mark.parametrize(("hops_max", "reasons"), [(4, []), (3, ["hop-limit"])])
def test_hops_are_limited(hops_max: int, reasons: list[str]) -> None:
    network = rsgm_network(line(0.0, 90.0, 180.0, 270.0, 360.0), SogrParameters(hops_max=hops_max))
    network.routers[0].send(LETTER, 4, Position(360.0, 0.0))
    network.run(STEP_S)
    assert network.reasons() == reasons


def test_a_full_buffer_gives_up_the_packet_that_has_waited_longest() -> None:
    network: RouterNetwork[Sogr] = RouterNetwork(Sogr, [1], SogrParameters(packets_max=2), {1: Position(0.0, 0.0)})
    for text in ("one", "two", "three"):
        network.routers[1].send(Letter(100, text), 9, Position(100.0 * len(text), 0.0))
    assert network.users[1].given_up == [GivenUp(Letter(100, "one"), 9, "buffer-full")]


def test_without_a_position_nothing_is_sent() -> None:
    network: RouterNetwork[Sogr] = RouterNetwork(Sogr, [1])
    network.routers[1].send(LETTER, 9, Position(1.0, 1.0))
    network.routers[1].send(LETTER, 9)
    assert [each.reason for each in network.users[1].given_up] == ["no-position", "no-position"]
    assert network.hosts[1].sent == []


# --- where the air is full ----------------------------------------------------------------------------------------


def requests_of(network: RouterNetwork[Any], node: int) -> list[int]:
    """Return how far each request went that a node sent, its own and those that it relayed."""
    return [message.hops_left for message, _ in network.hosts[node].sent if isinstance(message, Request)]


def test_neighbours_are_asked_twice_before_a_search_goes_farther() -> None:
    network = rsgm_network(line(0.0, 50.0, 400.0), SogrParameters(search_hops=16, retries=0))
    network.routers[1].send(LETTER, 2, Position(400.0, 0.0))
    network.run(STEP_S)
    assert requests_of(network, 1) == [1, 1, 4, 16]


def test_a_node_relays_few_far_requests_in_a_second_and_all_near_ones() -> None:
    network = rsgm_network(line(0.0, 90.0), SogrParameters(relays_per_s=3))
    here = Position(0.0, 0.0)
    for number in range(10):
        for hops_left in (16, 4):
            at = Position(-400.0, 0.0)
            network.routers[1].on_message(Request(59, 0, 10 * hops_left + number, 9, at, 1.0, hops_left, here), 0)
    network.run(network.now + 0.5)
    assert sorted(requests_of(network, 1)) == [3] * 10 + [15] * 3
    network.run(network.now + 1.0)
    network.routers[1].on_message(Request(59, 0, 999, 9, Position(-400.0, 0.0), 1.0, 16, here), 0)
    network.run(network.now + 0.5)
    assert requests_of(network, 1).count(15) == 4


def test_an_answer_that_comes_late_is_taken_while_the_same_is_looked_for() -> None:
    network = rsgm_network(line(0.0, 50.0), SogrParameters(search_hops=16))
    network.routers[1].send(LETTER, 7, Position(400.0, 0.0))
    network.run(network.now + 0.2)
    assert requests_of(network, 1) == [1, 1, 4]
    network.routers[1].on_message(Answer(50, 1, 1, 1, 100.0, Position(90.0, 0.0)), 8)
    assert [to for message, to in network.hosts[1].sent if isinstance(message, Packet)] == [8]
