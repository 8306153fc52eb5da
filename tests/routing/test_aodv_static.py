"""AODV in networks that stand still: a route is found wherever one exists, and its cost is known."""

from itertools import combinations

import pytest
from disc_graphs import component
from hypothesis import given, settings
from hypothesis import strategies as st
from router_network import GivenUp, Letter, RouterNetwork

from roamcast.core.messages import Message
from roamcast.routing.aodv.messages import RoutedPacket, RouteError, RouteReply, RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.protocol import Aodv

LETTER = Letter(100, "dear")
SEARCH_S = 22.0
"""Rings of 1, 3, 5 and 7 hops and the whole network three times: 0.24 + 0.40 + 0.56 + 0.72 + 2.8 + 5.6 + 11.2 s."""


def chain(count: int, parameters: AodvParameters | None = None) -> RouterNetwork[Aodv]:
    network = RouterNetwork(Aodv, range(count), parameters)
    for node in range(count - 1):
        network.join(node, node + 1)
    return network


def sent(network: RouterNetwork[Aodv], kind: type[Message]) -> list[tuple[int, int | None]]:
    """Return who sent messages of a kind, and to whom."""
    return [
        (node, to) for node, host in network.hosts.items() for message, to in host.sent if isinstance(message, kind)
    ]


@settings(max_examples=200)
@given(data=st.data(), count=st.integers(2, 9), only_destination=st.booleans())
def test_a_route_is_found_wherever_one_exists(data: st.DataObject, count: int, only_destination: bool) -> None:
    pairs = list(combinations(range(count), 2))
    links = data.draw(st.sets(st.sampled_from(pairs)))
    network = RouterNetwork(Aodv, range(count), AodvParameters(destination_only=only_destination))
    for one, other in links:
        network.join(one, other)
    pauses = st.sampled_from((0.0, 0.1, 4.0)) | st.floats(5.5, 6.1)  # the last: a route's life just ends
    wishes = data.draw(st.lists(st.tuples(*[st.integers(0, count - 1)] * 2, pauses), max_size=6))
    expected: list[tuple[int, int]] = []
    for one, other, pause_s in wishes:
        network.routers[one].send(LETTER, other)
        network.run(network.now + pause_s)
        if other in component(range(count), links, one):
            expected.append((one, other))
    network.run(network.now + SEARCH_S)
    arrived = [(each.origin, node) for node, user in network.users.items() for each in user.arrived]
    assert sorted(arrived) == sorted(expected)
    given_up = [(node, each) for node, user in network.users.items() for each in user.given_up]
    lost = [(one, other) for one, other, _ in wishes if (one, other) not in expected]
    assert sorted((node, each.destination) for node, each in given_up) == sorted(lost)
    assert {each.reason for _, each in given_up} <= {"no-route-found"}


def test_a_neighbour_is_found_with_one_request_of_one_hop_and_one_reply() -> None:
    network = chain(3)
    network.routers[0].send(LETTER, 1)
    network.run(1.0)
    assert sent(network, RouteRequest) == [(0, None)]
    assert sent(network, RouteReply) == [(1, 0)]
    assert sent(network, RoutedPacket) == [(0, 1)]


def test_rings_widen_until_the_destination_is_in_reach() -> None:
    network = chain(5)
    network.routers[0].send(LETTER, 4)
    network.run(2.0)
    asked = [message.hops_left for message, _ in network.hosts[0].sent if isinstance(message, RouteRequest)]
    assert asked == [1, 3, 5]
    assert sent(network, RouteReply) == [(1, 0), (2, 1), (3, 2), (4, 3)]
    assert [each.origin for each in network.users[4].arrived] == [0]


def test_beyond_the_threshold_the_whole_network_is_asked() -> None:
    network = chain(10)
    network.routers[0].send(LETTER, 9)
    network.run(3.0)
    asked = [message.hops_left for message, _ in network.hosts[0].sent if isinstance(message, RouteRequest)]
    assert asked == [1, 3, 5, 7, 35]
    assert len(network.users[9].arrived) == 1


def test_an_unreachable_node_is_asked_for_with_waits_that_double_and_then_given_up() -> None:
    network = chain(2)
    network.routers[0].send(LETTER, 7)
    asked_at_s = []
    original = network.hosts[0].broadcast

    def note(message: Message, after_s: float = 0.0) -> None:
        asked_at_s.append(network.now)
        original(message, after_s)

    network.hosts[0].broadcast = note  # type: ignore[method-assign]
    network.run(21.51)
    assert network.users[0].given_up == []
    assert asked_at_s == pytest.approx([0.24, 0.64, 1.2, 1.92, 4.72, 10.32])
    network.run(21.53)
    assert network.users[0].given_up == [GivenUp(LETTER, 7, "no-route-found")]
    assert [len(router.discoveries) for router in network.routers.values()] == [0, 0]
    network.run(100.0)
    assert len(asked_at_s) == 6


def test_an_intermediate_node_with_a_fresh_route_answers_in_place_of_the_destination() -> None:
    network = chain(4, AodvParameters(destination_only=False))
    network.routers[1].send(LETTER, 3)
    network.run(1.0)
    network.hosts[3].sent.clear()
    network.hosts[2].sent.clear()
    network.routers[0].send(LETTER, 3)
    network.run(2.0)
    assert sent(network, RouteReply)[:1] == [(1, 0)]
    assert [message for message, _ in network.hosts[2].sent if isinstance(message, RouteRequest)] == []
    assert [each.origin for each in network.users[3].arrived] == [1, 0]


def test_with_the_destination_only_flag_nobody_else_answers() -> None:
    network = chain(4)
    for origin in (1, 0):
        network.routers[origin].send(LETTER, 3)
        network.run(network.now + 2.0)
    replies = [message for message, _ in network.hosts[3].sent if isinstance(message, RouteReply)]
    assert [each.originator for each in replies] == [1, 0]


def test_a_route_that_packets_use_stays_and_one_that_nobody_uses_goes() -> None:
    network = chain(4, AodvParameters(ttl_threshold=0))
    for number in range(9):
        network.run(2.5 * number)
        network.routers[0].send(LETTER, 3)
    network.run(22.9)  # just before the last packet is 3 s ago
    assert len(network.users[3].arrived) == 9
    assert sent(network, RouteRequest) == [(0, None), (1, None), (2, None)]  # one flood, though a reply is worth 6 s
    network.run(23.1)
    network.routers[0].send(LETTER, 3)
    network.run(25.0)
    assert len(sent(network, RouteRequest)) == 2 * 3
    assert len(network.users[3].arrived) == 10


def test_a_known_length_is_where_the_next_search_begins() -> None:
    network = chain(5)
    network.routers[0].send(LETTER, 4)
    network.run(10.0)
    network.hosts[0].sent.clear()
    network.routers[0].send(LETTER, 4)
    network.run(11.0)
    asked = [message.hops_left for message, _ in network.hosts[0].sent if isinstance(message, RouteRequest)]
    assert asked == [4 + 2]


def test_a_one_way_link_is_found_out_by_the_reply_that_fails_and_avoided() -> None:
    # 2 hears 0 directly but cannot answer; 0 - 1 - 2 works in both directions.
    network = RouterNetwork(Aodv, range(3), AodvParameters(ttl_threshold=0))
    network.join(0, 1)
    network.join(1, 2)
    network.links.add((0, 2))
    network.delay_s_max = 0.0
    network.routers[0].send(LETTER, 2)
    network.run(SEARCH_S)
    assert [each.origin for each in network.users[2].arrived] == [0]
    assert "one-way" in [reason for _, reason in network.hosts[2].drops]


def test_a_neighbour_that_is_only_heard_does_not_stand_in_the_way_of_the_route_that_works() -> None:
    # 0 hears 2 directly and cannot reach it; every request that 2 relays shows 2 as a neighbour again.
    network = RouterNetwork(Aodv, range(3))
    network.join(0, 1)
    network.join(1, 2)
    network.links.add((2, 0))
    for _ in range(3):
        network.routers[0].send(LETTER, 2)
        network.run(network.now + SEARCH_S)
    assert len(network.users[2].arrived) == 3


def test_the_user_sees_what_passes_and_can_take_it_out() -> None:
    network = chain(4)
    network.users[2].captures = True
    network.routers[0].send(LETTER, 3)
    network.run(5.0)
    assert network.users[1].passed == network.users[2].passed == [(LETTER, 0, 3)]
    assert network.users[3].arrived == []


def test_a_packet_to_the_node_itself_comes_at_once() -> None:
    network = chain(2)
    network.routers[0].send(LETTER, 0)
    assert [(each.payload, each.origin) for each in network.users[0].arrived] == [(LETTER, 0)]
    assert network.hosts[0].sent == []


# --- local repair (6.12) ----------------------------------------------------------------------------------------


def broken_in_the_middle(has_detour: bool) -> RouterNetwork[Aodv]:
    """Return 0 - 1 - 2 - 3 with a route to 3 in use that breaks between 1 and 2, with a detour 1 - 4 - 3 or not."""
    network = RouterNetwork(Aodv, range(5))
    for one, other in ((0, 1), (1, 2), (2, 3)):
        network.join(one, other)
    network.routers[0].send(LETTER, 3)
    network.run(1.0)
    network.part(1, 2)
    if has_detour:
        network.join(1, 4)
        network.join(4, 3)
    for host in network.hosts.values():
        host.sent.clear()
    network.routers[0].send(LETTER, 3)
    network.routers[0].send(LETTER, 3)
    return network


def test_a_node_on_the_way_repairs_a_broken_route_and_nobody_is_told() -> None:
    network = broken_in_the_middle(has_detour=True)
    network.run(2.0)
    assert len(network.users[3].arrived) == 3
    assert sent(network, RouteError) == []
    requests = [message for host in network.hosts.values() for message, _ in host.sent]
    assert {each.originator for each in requests if isinstance(each, RouteRequest)} == {1}
    first = next(message for message, _ in network.hosts[1].sent if isinstance(message, RouteRequest))
    assert (first.hops_left, first.destination_only) == (2 + 2, True)


def test_a_repair_that_fails_ends_in_an_error_and_the_origin_seeks_itself() -> None:
    network = broken_in_the_middle(has_detour=False)
    network.run(1.45)  # 2 * 0.04 * (4 + 2) s are over
    assert sent(network, RouteError) == []
    network.run(1.6)
    assert sent(network, RouteError) == [(1, 0)]
    assert [reason for _, reason in network.hosts[1].drops] == ["repair-failed"] * 2
    assert network.users[1].given_up == []
    network.join(1, 2)
    network.routers[0].send(LETTER, 3)
    network.run(4.0)
    assert len(network.users[3].arrived) == 2


def test_without_local_repair_the_packet_is_lost_and_the_origin_told_at_once() -> None:
    network = RouterNetwork(Aodv, range(4), AodvParameters(local_repair=False))
    for one, other in ((0, 1), (1, 2), (2, 3)):
        network.join(one, other)
    network.routers[0].send(LETTER, 3)
    network.run(1.0)
    network.part(1, 2)
    network.routers[0].send(LETTER, 3)
    network.run(1.1)
    assert sent(network, RouteError) == [(1, 0)]
    assert "link-broken" in network.reasons()
