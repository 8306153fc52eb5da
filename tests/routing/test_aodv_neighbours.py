"""Neighbours in AODV: who is taken for one, who is not for a while, and what a node does when it hears one."""

from collections.abc import Callable

import pytest
from test_aodv_rules import LETTER, ME, PLAIN, Alone

from roamcast.routing.aodv.messages import RoutedPacket, RouteReply, RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters


def is_answered(alone: Alone, sender: int) -> bool:
    """Tell whether a request from a neighbour that asks for this very node gets its answer."""
    alone.take()
    alone.hear_request(originator=sender, destination=ME, asked=None, sender=sender)
    return [to for message, to in alone.take() if isinstance(message, RouteReply)] == [sender]


def with_a_one_way_neighbour(parameters: AodvParameters = PLAIN) -> Alone:
    """Return a node at 1 s, whose reply to node 2 has just failed."""
    alone = Alone(parameters)
    alone.hear_request(originator=2, destination=ME, asked=None, sender=2)
    [(reply, to)] = alone.take()
    alone.network.now = 1.0
    alone.router.on_unicast_failed(reply, 2)
    assert (to, is_answered(alone, 2)) == (2, False)
    return alone


def with_a_doubtful_neighbour() -> Alone:
    """Return a node at 1 s, which has just failed to pass a packet on to node 3."""
    alone = Alone()
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    alone.network.now = 1.0
    alone.router.on_unicast_failed(RoutedPacket(128, LETTER, 2, 9, 8), 3)
    return alone


def is_neighbour(alone: Alone, node: int) -> bool:
    route = alone.router.routes.active(node, alone.network.now)
    return route is not None and route.next_hop == node


# --- links that work one way only (6.8) -------------------------------------------------------------------------


@pytest.mark.parametrize(("retries", "traversals"), [(2, 2), (3, 3), (0, 1)])
def test_whom_a_reply_did_not_reach_is_ignored_for_the_time_of_as_many_floods_as_are_repeated(
    retries: int, traversals: int
) -> None:
    alone = with_a_one_way_neighbour(AodvParameters(request_retries=retries))
    alone.network.now = 1.0 + 2.8 * traversals - 0.01  # BLACKLIST_TIMEOUT: RREQ_RETRIES * NET_TRAVERSAL_TIME
    assert not is_answered(alone, 2)
    alone.network.now = 1.0 + 2.8 * traversals + 0.01
    assert is_answered(alone, 2)


def test_a_one_way_neighbour_that_sends_a_reply_is_listened_to_again() -> None:
    alone = with_a_one_way_neighbour()
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=2)
    assert is_answered(alone, 2)


def test_a_copy_of_a_request_does_not_show_a_one_way_neighbour() -> None:
    alone = with_a_one_way_neighbour()
    alone.network.now = 6.0  # the way back to 2 is over, and it is ignored until 6.6 s
    request = RouteRequest(52, 1, 5, 7, 77, None, 0, 5)
    for sender in (3, 2):
        alone.router.on_message(request, sender)
    assert (is_neighbour(alone, 3), is_neighbour(alone, 2)) == (True, False)


# --- neighbours that could not be reached, and are heard ---------------------------------------------------------


@pytest.mark.parametrize(("after_s", "believed"), [(5.59, False), (5.61, True)])
def test_whom_a_packet_did_not_reach_is_no_neighbour_by_its_requests_for_as_long(
    after_s: float, believed: bool
) -> None:
    alone = with_a_doubtful_neighbour()
    alone.network.now = 1.0 + after_s
    alone.hear_request(originator=5, destination=77, asked=None, sender=3)
    assert is_neighbour(alone, 3) is believed


def by_reply(alone: Alone) -> None:
    alone.hear_reply(destination=9, sequence=9, hops=1, sender=3)


def by_packet(alone: Alone) -> None:
    alone.router.on_message(RoutedPacket(128, LETTER, 3, ME, 5), 3)


@pytest.mark.parametrize("unicast", [by_reply, by_packet])
def test_a_unicast_from_a_doubtful_neighbour_makes_its_requests_count_again(unicast: Callable[[Alone], None]) -> None:
    alone = with_a_doubtful_neighbour()
    unicast(alone)
    alone.network.now = 1.0 + 3.1  # the route that came of it is over, and the doubt would not be
    assert not is_neighbour(alone, 3)
    alone.hear_request(originator=5, destination=77, asked=None, sender=3)
    assert is_neighbour(alone, 3)


# --- what it is good for to hear somebody ------------------------------------------------------------------------


def test_a_copy_of_a_request_shows_its_sender_as_a_neighbour() -> None:
    alone = Alone()
    request = RouteRequest(52, 1, 5, 7, 77, None, 1, 5)
    for sender in (2, 3):
        alone.router.on_message(request, sender)
    assert alone.route(5).next_hop == 2
    route = alone.route(3)
    assert (route.next_hop, route.hops, route.is_active, route.until_s) == (3, 1, True, 3.0)


def test_packets_that_wait_are_sent_when_their_destination_is_heard_as_a_neighbour() -> None:
    alone = Alone()
    alone.router.send(LETTER, 9)
    alone.take()
    alone.hear_request(originator=5, destination=77, asked=None, sender=9, hops=1)
    assert alone.take() == [(RoutedPacket(128, LETTER, ME, 9, 35), 9)]
    assert 9 not in alone.router.discoveries


def test_packets_that_wait_are_sent_on_the_way_back_that_a_request_of_their_destination_leaves() -> None:
    alone = Alone()
    alone.router.send(LETTER, 9)
    alone.take()
    alone.hear_request(originator=9, destination=77, asked=None, sender=2, hops=1)
    assert alone.take() == [(RoutedPacket(128, LETTER, ME, 9, 35), 2)]
    assert 9 not in alone.router.discoveries


def test_a_number_that_a_node_counted_up_itself_is_not_told_when_the_neighbour_is_heard_again() -> None:
    alone = Alone()
    alone.hear_reply(destination=9, sequence=4, hops=0, sender=9)
    alone.network.now = 7.0  # the route is over, and its number is 5, which node 9 has not given out
    alone.hear_request(originator=5, destination=77, asked=None, sender=9, hops=1)
    assert (alone.route(9).is_active, alone.route(9).is_confirmed, alone.route(9).sequence) == (True, False, 5)
    alone.take()
    alone.hear_request(originator=6, destination=9, asked=None, sender=2)
    assert [message for message, _ in alone.take() if isinstance(message, RouteReply)] == []
    alone.network.now = 11.0
    assert (alone.route(9).is_active, alone.route(9).sequence) == (False, 5)  # nobody was told, so it is not used up
