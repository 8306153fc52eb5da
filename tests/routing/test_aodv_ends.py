"""AODV where something ends: routes whose time is over, repairs that cannot begin, frames that nobody acknowledged."""

from dataclasses import replace

import pytest
from router_network import Letter, RouterNetwork
from test_aodv_rules import LETTER, ME, Alone

from roamcast.core.errors import UserError
from roamcast.core.parameters import ParameterError, build
from roamcast.routing.aodv.messages import RoutedPacket, RouteError, RouteReply, RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.protocol import Aodv
from roamcast.routing.aodv.route_table import RouteTable

DEFAULT = AodvParameters()
STEPS = range(1000)
"""Milliseconds in which the life of a route of some hops ends that nobody has used again."""


def chain(count: int) -> RouterNetwork[Aodv]:
    network = RouterNetwork(Aodv, range(count))
    for node in range(count - 1):
        network.join(node, node + 1)
    return network


def lost_packets(network: RouterNetwork[Aodv], first: int, second: int, pause_s: float) -> int:
    """Let two nodes send to the last one, with a pause between, and return how many of their packets never come."""
    last = max(network.routers)
    network.routers[first].send(LETTER, last)
    network.run(pause_s)
    network.routers[second].send(LETTER, last)
    network.run(pause_s + 30.0)
    return 2 - len(network.users[last].arrived)


# --- routes whose time is over (6.2, 6.7) -------------------------------------------------------------------


@pytest.mark.parametrize(("count", "first"), [(6, 0), (4, 1)])
def test_whenever_a_packet_is_sent_no_relay_has_lost_the_route_before_its_sender(count: int, first: int) -> None:
    lost = [step for step in STEPS if lost_packets(chain(count), first, 0, 5.7 + step / 1000)]
    assert lost == []


def test_a_route_lives_shorter_by_a_hop_than_the_neighbour_who_told_of_it() -> None:
    network = chain(4)
    network.routers[0].send(LETTER, 3)
    network.run(2.0)
    ends_s = [network.routers[node].routes.by_destination[3].until_s for node in (2, 1, 0)]
    assert ends_s == sorted(ends_s, reverse=True)
    assert len(set(ends_s)) == 3


def test_what_ends_before_it_can_be_used_is_no_route_and_the_search_goes_on() -> None:
    alone = Alone(DEFAULT)
    alone.router.send(LETTER, 9)
    alone.router.on_message(RouteReply(48, ME, 9, 4, 1, 0.04), 3)
    assert (alone.reasons(), len(alone.router.discoveries)) == (["stale-reply"], 1)
    assert alone.route(3).is_active  # who said it is there
    alone.router.on_message(RouteReply(48, ME, 9, 4, 1, 0.05), 3)
    assert len(alone.router.discoveries) == 0


@pytest.mark.parametrize(("left_s", "answers"), [(0.11, False), (0.13, True)])
def test_a_node_answers_only_with_a_route_that_outlasts_the_way_of_its_answer(left_s: float, answers: bool) -> None:
    alone = Alone(replace(DEFAULT, destination_only=False))
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    alone.network.run(5.96 - left_s)
    alone.take()
    alone.hear_request(originator=5, destination=9, asked=None, sender=2, hops=2)  # three hops of 0.04 s
    alone.network.run(alone.network.now + 0.01)
    kinds = [type(message) for message, _ in alone.take()]
    assert kinds == ([RouteReply] if answers else [RouteRequest])


def test_a_reply_is_not_sent_on_as_word_of_a_route_that_ends_before_it_arrives() -> None:
    alone = Alone(DEFAULT)
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    alone.network.run(5.95)
    alone.hear_request(originator=5, destination=9, asked=None, sender=2)
    alone.network.run(5.952)
    alone.take()
    alone.hear_reply(destination=9, sequence=4, hops=4, sender=7, originator=5)  # longer, so that it is not taken over
    assert ([message for message, _ in alone.take() if isinstance(message, RouteReply)], alone.reasons()) == (
        [],
        ["stale-reply"],
    )


@pytest.mark.parametrize(
    ("next_hop", "hops", "sequence", "until_s"), [(3, 2, 4, 7.0), (5, 2, 4, 3.0), (3, 3, 4, 3.0), (3, 2, 3, 3.0)]
)
def test_the_same_word_of_a_route_again_prolongs_it_and_another_does_not(
    next_hop: int, hops: int, sequence: int, until_s: float
) -> None:
    table = RouteTable(routes_max=8, delete_s=15.0)
    assert table.learn(9, 3, 2, 4, until_s=3.0, now_s=0.0)
    assert not table.learn(9, next_hop, hops, sequence, until_s=7.0, now_s=1.0)
    assert table.by_destination[9].until_s == until_s


def test_a_broken_routes_number_is_not_forgotten_while_it_is_searched_for() -> None:
    alone = Alone(DEFAULT)
    alone.hear_reply(destination=9, sequence=4, hops=3, sender=3)
    alone.network.run(5.96 + 14.9)  # which is DELETE_PERIOD, but for a moment
    alone.router.send(LETTER, 9)
    alone.network.run(60.0)
    asked = [message.destination_sequence for message, _ in alone.take() if isinstance(message, RouteRequest)]
    assert asked[:3] == [5] * 3  # the last wait is longer than 2 * NET_TRAVERSAL_TIME


def test_a_search_does_not_let_an_active_route_live_on() -> None:
    alone = Alone(DEFAULT)
    alone.hear_reply(destination=9, sequence=4, hops=3, sender=3)
    alone.router._request(9, 5, False)
    assert alone.route(9).until_s == 5.96


def test_a_route_must_live_longer_than_its_reply_is_on_the_way() -> None:
    with pytest.raises(ParameterError, match=r"own_route_s: must be more than 1\.4, the time a reply may take"):
        AodvParameters(own_route_s=1.4)


def test_repetitions_whose_waits_double_are_limited() -> None:
    with pytest.raises(UserError, match=r"request_retries = 17: must be at most 16"):
        build(AodvParameters, {"request_retries": 17}, "a.toml [protocol.router]")


# --- neighbours (6.5) ---------------------------------------------------------------------------------------


def test_who_relays_a_nodes_own_request_is_its_neighbour() -> None:
    alone = Alone(DEFAULT)
    alone.router.send(LETTER, 50)
    ((request, _),) = alone.take()
    assert isinstance(request, RouteRequest)
    alone.router.on_message(replace(request, hops=1, hops_left=3), 7)
    assert (alone.route(7).hops, alone.route(7).is_confirmed) == (1, False)
    assert alone.reasons() == []
    assert alone.router.routes.known(ME, alone.network.now) is None


# --- repairs (6.12) and frames that failed ------------------------------------------------------------------


def relaying(parameters: AodvParameters, hops_left: int) -> tuple[Alone, RoutedPacket]:
    """Return a node that has passed on a packet of node 2 to node 8 over 3, and that packet as it was sent."""
    alone = Alone(parameters)
    alone.hear_reply(destination=8, sequence=4, hops=1, sender=3)
    alone.router.on_message(RoutedPacket(128, LETTER, 2, 8, hops_left), 2)
    sent = alone.take()[-1][0]
    assert isinstance(sent, RoutedPacket)
    alone.network.now = 0.01
    return alone, sent


def errors(alone: Alone) -> list[tuple[RouteError, int | None]]:
    return [(message, to) for message, to in alone.take() if isinstance(message, RouteError)]


def test_a_packet_with_no_hop_left_begins_no_repair_and_users_are_told_at_once() -> None:
    alone, sent = relaying(DEFAULT, hops_left=2)
    alone.router.on_unicast_failed(sent, 3)
    assert errors(alone) == [(RouteError(40, ((8, 5),)), 2)]
    assert (alone.reasons(), len(alone.router.discoveries)) == (["link-broken"], 0)
    alone, sent = relaying(DEFAULT, hops_left=3)
    alone.router.on_unicast_failed(sent, 3)
    assert (errors(alone), len(alone.router.discoveries)) == ([], 1)


def test_a_repair_whose_last_packet_had_to_make_room_has_failed_and_users_are_told() -> None:
    alone, sent = relaying(replace(DEFAULT, packets_max=1), hops_left=9)
    alone.router.on_unicast_failed(sent, 3)
    assert errors(alone) == []
    alone.router.send(Letter(100, "mine"), 50)
    assert errors(alone) == [(RouteError(40, ((8, 5),)), 2)]
    assert alone.reasons() == ["buffer-full"]
    assert list(alone.router.discoveries.searches) == [50]


def test_a_repair_that_the_rate_limit_holds_back_for_too_long_has_failed_and_users_are_told() -> None:
    alone, sent = relaying(replace(DEFAULT, requests_per_s=1, waiting_s=0.5), hops_left=9)
    alone.router.send(LETTER, 50)  # takes the only request of this second
    alone.router.on_unicast_failed(sent, 3)
    assert errors(alone) == []
    alone.network.run(5.0)
    assert errors(alone) == [(RouteError(40, ((8, 5),)), 2)]


def test_replies_and_errors_that_fail_are_counted() -> None:
    alone = Alone(DEFAULT)
    alone.hear_request(originator=5, destination=ME, asked=None, sender=2)
    reply = alone.take()[-1][0]
    alone.network.now = 0.01
    alone.router.on_unicast_failed(reply, 2)
    alone.router.on_unicast_failed(RouteError(40, ((8, 9),)), 2)
    assert alone.reasons() == ["link-broken", "link-broken"]
