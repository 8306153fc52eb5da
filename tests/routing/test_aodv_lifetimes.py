"""How long AODV's routes live: what prolongs a route, and what does not shorten it (RFC 3561, 6.2, 6.5 and 6.7)."""

import pytest
from test_aodv_rules import LETTER, ME, Alone

from roamcast.routing.aodv.messages import RoutedPacket, RouteReply
from roamcast.routing.aodv.parameters import AodvParameters

LIFE_S = 6.0
"""The life of every route here, as long as a destination gives, so that nothing but use can prolong one beyond it."""


def on_the_way() -> Alone:
    """Return the middle of the route 5 - 2 - ME - 3 - 9, every part of which ends at ``LIFE_S`` or before."""
    alone = Alone(AodvParameters(active_route_s=LIFE_S, own_route_s=LIFE_S, local_repair=False))
    alone.hear_request(originator=5, destination=77, asked=None, sender=2, hops=1)
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    assert max(alone.route(node).until_s for node in (5, 2, 3, 9)) == LIFE_S
    alone.take()
    return alone


# --- packets (6.2) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [9, 3, 2, 5], ids=["destination", "next-hop", "previous-hop", "origin"])
def test_a_packet_passed_on_prolongs_the_routes_to_both_its_ends_and_to_the_hops_beside(node: int) -> None:
    alone = on_the_way()
    alone.network.now = 5.0
    alone.router.on_message(RoutedPacket(128, LETTER, 5, 9, 8), 2)
    assert alone.take() == [(RoutedPacket(128, LETTER, 5, 9, 7), 3)]
    assert (alone.route(node).is_active, alone.route(node).until_s) == (True, 5.0 + LIFE_S)


@pytest.mark.parametrize("node", [2, 5], ids=["previous-hop", "origin"])
def test_a_packet_that_arrives_prolongs_the_way_back_to_where_it_came_from(node: int) -> None:
    alone = on_the_way()
    alone.network.now = 5.0
    alone.router.on_message(RoutedPacket(128, LETTER, 5, ME, 8), 2)
    assert (alone.route(node).is_active, alone.route(node).until_s) == (True, 5.0 + LIFE_S)


@pytest.mark.parametrize("node", [9, 3], ids=["destination", "next-hop"])
def test_a_packet_of_the_nodes_own_prolongs_the_way_that_it_takes(node: int) -> None:
    alone = on_the_way()
    alone.network.now = 5.0
    alone.router.send(LETTER, 9)
    assert (alone.route(node).is_active, alone.route(node).until_s) == (True, 5.0 + LIFE_S)


def test_a_packet_that_comes_another_way_does_not_prolong_the_route_to_its_origin() -> None:
    alone = on_the_way()
    until_s = alone.route(5).until_s
    alone.network.now = 5.0
    alone.router.on_message(RoutedPacket(128, LETTER, 5, ME, 8), 3)
    assert alone.route(5).until_s == until_s


# --- requests and replies (6.5, 6.7) ----------------------------------------------------------------------------


def test_the_reply_of_a_destination_prolongs_the_way_back_that_it_takes() -> None:
    alone = Alone(AodvParameters(active_route_s=LIFE_S))
    alone.hear_request(originator=5, destination=ME, asked=None, sender=2, hops=1)
    assert [to for message, to in alone.take() if isinstance(message, RouteReply)] == [2]
    assert alone.route(5).until_s == LIFE_S  # the request alone gave 2 * 2.8 - 2 * 2 * 0.04 s


def test_a_reply_that_is_sent_on_prolongs_the_way_back_that_it_takes() -> None:
    alone = Alone(AodvParameters(active_route_s=LIFE_S))
    alone.hear_request(originator=5, destination=9, asked=None, sender=2, hops=1)
    alone.network.now = 2.0
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3, originator=5)
    assert [to for message, to in alone.take() if isinstance(message, RouteReply)] == [2]
    assert alone.route(5).until_s == 2.0 + LIFE_S


def test_a_newer_request_does_not_shorten_the_life_of_a_way_back_that_packets_have_prolonged() -> None:
    alone = on_the_way()
    alone.network.now = 1.0
    alone.router.on_message(RoutedPacket(128, LETTER, 5, ME, 8), 2)
    alone.network.now = 2.0
    alone.hear_request(originator=5, destination=77, asked=None, sender=2, hops=30)  # worth 2 * 2.8 - 2 * 31 * 0.04 s
    assert (alone.route(5).hops, alone.route(5).until_s) == (31, 1.0 + LIFE_S)


def test_a_way_back_over_another_neighbour_has_a_life_of_its_own() -> None:
    alone = on_the_way()
    alone.network.now = 1.0
    alone.router.on_message(RoutedPacket(128, LETTER, 5, ME, 8), 2)
    alone.network.now = 2.0
    alone.hear_request(originator=5, destination=77, asked=None, sender=3, hops=30)
    assert alone.route(5).next_hop == 3
    assert alone.route(5).until_s == pytest.approx(2.0 + 2 * 2.8 - 2 * 31 * 0.04)
