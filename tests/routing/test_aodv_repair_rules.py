"""Local repair in AODV: which routes are repaired, how far the request goes, and what waits for it (RFC 3561, 6.12)."""

import pytest
from router_network import Letter
from test_aodv_rules import LETTER, ME, Alone

from roamcast.routing.aodv.messages import RoutedPacket, RouteError, RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters

REPAIRING = AodvParameters(destination_only=False, local_repair=True)


def with_a_broken_route(to_destination: int, to_origin: int) -> Alone:
    """Return a node that has a packet from 5, over 2, and cannot send it on to 9, over 3; both are some hops away."""
    alone = Alone(REPAIRING)
    alone.hear_request(originator=5, destination=77, asked=None, sender=2, hops=to_origin - 1, hops_left=1)
    alone.hear_reply(destination=9, sequence=4, hops=to_destination - 1, sender=3)
    alone.router.on_message(RoutedPacket(128, LETTER, 5, 9, 20), 2)
    assert alone.take() == [(RoutedPacket(128, LETTER, 5, 9, 19), 3)]
    alone.network.run(0.1)  # nobody is there, so the frame comes back
    return alone


def requests_of(alone: Alone) -> list[RouteRequest]:
    return [message for message, _ in alone.host.sent if isinstance(message, RouteRequest)]


def errors_of(alone: Alone) -> list[tuple[RouteError, int | None]]:
    return [(message, to) for message, to in alone.host.sent if isinstance(message, RouteError)]


@pytest.mark.parametrize(("to_destination", "is_repaired"), [(1, True), (10, True), (11, False), (30, False)])
def test_a_route_is_repaired_up_to_the_largest_distance_and_told_of_beyond(
    to_destination: int, is_repaired: bool
) -> None:
    alone = with_a_broken_route(to_destination, to_origin=2)
    assert [(each.originator, each.destination) for each in requests_of(alone)] == ([(ME, 9)] if is_repaired else [])
    assert errors_of(alone) == ([] if is_repaired else [(RouteError(40, ((9, 5),)), 2)])
    assert alone.router.discoveries.is_repairing(9) is is_repaired


@pytest.mark.parametrize(
    ("to_destination", "to_origin", "reach"),
    [
        (2, 2, 2 + 2),  # LOCAL_ADD_TTL beyond where the destination was
        (2, 5, 2 + 2),
        (2, 6, 3 + 2),  # half the way to the origin, which is further
        (2, 13, 6 + 2),
        (10, 13, 10 + 2),
    ],
)
def test_a_repair_reaches_beyond_where_the_destination_was_or_beyond_half_the_way_to_the_origin(
    to_destination: int, to_origin: int, reach: int
) -> None:
    [request] = requests_of(with_a_broken_route(to_destination, to_origin))
    assert request.hops_left == reach


def test_a_repair_is_for_the_destination_alone_to_answer_and_asks_for_more_than_the_broken_number() -> None:
    alone = with_a_broken_route(to_destination=2, to_origin=2)
    [request] = requests_of(alone)
    assert (request.destination_only, request.destination_sequence) == (True, 4 + 1)
    alone.router.send(LETTER, 88)
    assert requests_of(alone)[-1].destination_only is False  # a search of the node's own, which the parameters rule


def test_packets_that_come_during_a_repair_wait_for_it_and_go_on_in_their_order() -> None:
    alone = with_a_broken_route(to_destination=2, to_origin=2)
    alone.take()
    second = Letter(100, "second")
    alone.router.on_message(RoutedPacket(128, second, 4, 9, 30), 4)
    assert (alone.take(), "no-route" in alone.reasons()) == ([], False)
    alone.hear_reply(destination=9, sequence=5, hops=2, sender=6)
    assert alone.take() == [(RoutedPacket(128, LETTER, 5, 9, 18), 6), (RoutedPacket(128, second, 4, 9, 29), 6)]
    assert not alone.router.discoveries.is_repairing(9)


def test_who_sends_a_packet_during_a_repair_is_told_when_it_fails() -> None:
    alone = with_a_broken_route(to_destination=2, to_origin=2)
    alone.router.on_message(RoutedPacket(128, LETTER, 4, 9, 30), 4)
    assert errors_of(alone) == []
    alone.network.run(2.0)
    assert errors_of(alone) == [(RouteError(40, ((9, 5),)), None)]  # 2 and 4, so everybody
    assert alone.reasons().count("repair-failed") == 2
