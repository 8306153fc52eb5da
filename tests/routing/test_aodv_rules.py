"""The rules of RFC 3561 one by one: when a route changes, who answers what, who is told of a broken link."""

from itertools import count
from math import inf

import pytest
from router_network import GivenUp, GraphHost, Letter, RouterNetwork

from roamcast.core.events import Event, EventId
from roamcast.core.messages import Message
from roamcast.core.parameters import ParameterError
from roamcast.core.topics import Topic
from roamcast.routing.aodv.messages import RoutedPacket, RouteError, RouteReply, RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.routing.aodv.protocol import Aodv
from roamcast.routing.aodv.route_table import Route

LETTER = Letter(100, "dear")
ME = 1
PLAIN = AodvParameters(destination_only=False, local_repair=False)
"""Whoever has a route answers, and nobody but the origin seeks a new one."""


class Alone:
    """One router, to which the test is all neighbours."""

    def __init__(self, parameters: AodvParameters | None = None) -> None:
        self.network = RouterNetwork(Aodv, [ME], parameters or PLAIN)
        self.router, self.user = self.network.routers[ME], self.network.users[ME]
        self.host: GraphHost = self.network.hosts[ME]
        self._numbers = count(7)

    def hear_reply(self, destination: int, sequence: int, hops: int, sender: int, originator: int = ME) -> None:
        self.router.on_message(RouteReply(48, originator, destination, sequence, hops, 6.0), sender)

    def hear_request(
        self, originator: int, destination: int, asked: int | None, sender: int, hops: int = 0, hops_left: int = 5
    ) -> None:
        number = next(self._numbers)
        request = RouteRequest(52, 100 + number, originator, number, destination, asked, hops, hops_left)
        self.router.on_message(request, sender)

    def route(self, destination: int) -> Route:
        route = self.router.routes.known(destination, self.network.now)
        assert route is not None
        return route

    def take(self) -> list[tuple[Message, int | None]]:
        """Return what was sent since this was last asked."""
        taken = list(self.host.sent)
        self.host.sent.clear()
        return taken

    def reasons(self) -> list[str]:
        return [reason for _, reason in self.host.drops]


# --- requests (6.5) ---------------------------------------------------------------------------------------------


def test_a_request_leaves_a_way_back_and_is_relayed_after_a_jitter() -> None:
    alone = Alone()
    alone.hear_request(originator=5, destination=9, asked=3, sender=2, hops=1, hops_left=4)
    back = alone.route(5)
    assert (back.next_hop, back.hops, back.sequence, back.is_confirmed) == (2, 2, 7, True)
    assert back.until_s == pytest.approx(2 * 2.8 - 2 * 2 * 0.04)
    assert alone.take() == []
    alone.network.run(0.01)
    assert alone.take() == [(RouteRequest(52, 107, 5, 7, 9, 3, 2, 3), None)]


def test_a_request_is_neither_relayed_twice_nor_beyond_its_reach() -> None:
    alone = Alone()
    request = RouteRequest(52, 1, 5, 7, 9, None, 0, 2)
    alone.router.on_message(request, 2)
    alone.router.on_message(request, 3)
    alone.hear_request(originator=6, destination=9, asked=None, sender=2, hops_left=1)
    alone.network.run(1.0)
    assert len(alone.take()) == 1
    assert alone.reasons() == []
    alone.network.run(5.7)  # PATH_DISCOVERY_TIME is over, but the way back has expired with a newer number
    alone.router.on_message(request, 3)
    assert alone.reasons() == ["no-way-back"]


def test_a_relayed_request_asks_for_the_newest_number_known_and_the_own_memory_stays() -> None:
    alone = Alone()
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    alone.router.on_message(RouteError(20, ((9, 6),)), 3)
    relayed = []
    for asked in (None, 2, 6, 8):
        alone.hear_request(originator=5, destination=9, asked=asked, sender=2)
        alone.network.run(alone.network.now + 0.1)
        relayed += [message.destination_sequence for message, _ in alone.take() if isinstance(message, RouteRequest)]
    assert relayed == [6, 6, 6, 8]
    assert alone.route(9).sequence == 6


@pytest.mark.parametrize(("asked", "answered"), [(None, 0), (0, 0), (1, 1), (9, 9), (2**32 - 3, 0)])
def test_a_destination_answers_with_a_number_that_is_not_older_than_asked(asked: int | None, answered: int) -> None:
    alone = Alone()
    alone.hear_request(originator=5, destination=ME, asked=asked, sender=2)
    assert alone.take() == [(RouteReply(48, 5, ME, answered, 0, 6.0), 2)]


@pytest.mark.parametrize(("asked", "answers"), [(None, True), (3, True), (4, True), (5, False)])
def test_a_node_answers_for_another_if_its_route_is_fresh_enough(asked: int | None, answers: bool) -> None:
    alone = Alone()
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    alone.hear_request(originator=5, destination=9, asked=asked, sender=2)
    expected = [(RouteReply(48, 5, 9, 4, 2, 5.96), 2)] if answers else []
    assert alone.take() == expected
    assert (alone.route(9).precursors, alone.route(5).precursors) == (({2}, {3}) if answers else (set(), set()))


def test_a_node_does_not_answer_with_a_route_over_the_one_who_asks_nor_for_a_neighbour_it_has_only_heard() -> None:
    alone = Alone()
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3)
    alone.hear_request(originator=4, destination=9, asked=None, sender=3)
    alone.hear_request(originator=5, destination=3, asked=None, sender=2)
    assert [message for message, _ in alone.take() if isinstance(message, RouteReply)] == []


# --- replies (6.7) ----------------------------------------------------------------------------------------------


def test_a_reply_is_sent_on_along_the_way_back_and_both_ends_are_noted_as_users() -> None:
    alone = Alone()
    alone.hear_request(originator=5, destination=9, asked=None, sender=2)
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3, originator=5)
    assert alone.take() == [(RouteReply(48, 5, 9, 4, 2, 5.96), 2)]
    assert (alone.route(9).next_hop, alone.route(9).precursors, alone.route(5).precursors) == (3, {2}, {3})


def test_a_worse_reply_is_answered_with_the_better_route_that_is_known() -> None:
    alone = Alone()
    alone.hear_reply(destination=9, sequence=8, hops=0, sender=9)
    alone.hear_request(originator=5, destination=9, asked=9, sender=2)
    alone.hear_reply(destination=9, sequence=7, hops=4, sender=3, originator=5)
    assert alone.take() == [(RouteReply(48, 5, 9, 8, 1, 5.96), 2)]


def test_a_reply_without_a_way_back_or_of_an_old_number_ends_here() -> None:
    alone = Alone()
    alone.hear_reply(destination=9, sequence=8, hops=0, sender=3, originator=5)
    alone.router.on_message(RouteError(20, ((9, 10),)), 3)
    alone.hear_reply(destination=9, sequence=9, hops=0, sender=3, originator=5)
    assert (alone.take(), alone.reasons()) == ([], ["no-way-back", "stale-reply"])


def test_a_lifetime_is_believed_only_up_to_what_a_destination_gives() -> None:
    alone = Alone()
    alone.router.on_message(RouteReply(48, ME, 9, 4, 1, inf), 3)
    assert alone.route(9).until_s == 5.96


# --- errors and broken links (6.11) -----------------------------------------------------------------------------


def two_routes_in_use(users_of_the_second: tuple[int, ...]) -> Alone:
    """Return a node with routes to 8 and 9 over 3; node 2 uses the first, and some the second."""
    alone = Alone()
    for destination, users in ((8, (2,)), (9, users_of_the_second)):
        alone.hear_reply(destination=destination, sequence=4, hops=1, sender=3)
        for user in users:
            alone.router.on_message(RoutedPacket(128, LETTER, user, destination, 9), user)
    alone.take()
    return alone


@pytest.mark.parametrize(
    ("users", "unreachable", "to"),
    [((), ((8, 5),), 2), ((2,), ((8, 5), (9, 5)), 2), ((2, 4), ((8, 5), (9, 5)), None)],
)
def test_users_of_routes_over_a_broken_link_are_told_one_by_unicast_and_several_by_broadcast(
    users: tuple[int, ...], unreachable: tuple[tuple[int, int], ...], to: int | None
) -> None:
    alone = two_routes_in_use(users)
    alone.router.on_unicast_failed(RoutedPacket(128, LETTER, 2, 8, 8), 3)
    assert alone.take() == [(RouteError(28 + 4 + 8 * len(unreachable), unreachable), to)]
    assert not alone.route(8).is_active
    assert not alone.route(9).is_active
    assert alone.reasons() == ["link-broken"]
    alone.router.on_unicast_failed(RoutedPacket(128, LETTER, 2, 8, 8), 3)
    assert alone.take() == []


def test_a_packet_that_fails_when_a_new_route_is_known_already_goes_that_way() -> None:
    alone = two_routes_in_use(())
    alone.hear_reply(destination=8, sequence=5, hops=1, sender=4)
    alone.router.on_unicast_failed(RoutedPacket(128, LETTER, 2, 8, 8), 3)
    assert alone.take() == [(RoutedPacket(128, LETTER, 2, 8, 7), 4)]


def test_a_full_queue_costs_the_packet_and_no_route() -> None:
    alone = two_routes_in_use(())
    alone.router.send(LETTER, 8)
    [(message, _)] = alone.take()
    alone.router.on_unicast_failed(message, 3)  # in the instant of sending
    assert alone.route(8).is_active
    assert (alone.take(), alone.user.given_up) == ([], [GivenUp(LETTER, 8, "refused")])


def test_an_error_breaks_only_routes_over_its_sender_and_is_passed_on_to_their_users() -> None:
    alone = two_routes_in_use((4,))
    alone.router.on_message(RouteError(28, ((8, 9), (9, 9))), 7)
    assert alone.route(8).is_active
    alone.router.on_message(RouteError(28, ((8, 9), (5, 1))), 3)
    assert (alone.route(8).is_active, alone.route(9).is_active) == (False, True)
    assert alone.take() == [(RouteError(28 + 12, ((8, 9),)), 2)]


def test_a_packet_that_there_is_no_route_for_is_dropped_and_its_sender_told() -> None:
    alone = two_routes_in_use(())
    alone.router.on_message(RoutedPacket(128, LETTER, 6, 77, 9), 2)
    alone.router.on_message(RouteError(28, ((8, 9),)), 3)
    alone.take()
    alone.router.on_message(RoutedPacket(128, LETTER, 6, 8, 9), 4)
    assert alone.take() == [(RouteError(40, ((8, 9),)), 4)]
    assert alone.reasons() == ["no-route", "no-route"]


def test_no_more_errors_are_sent_in_a_second_than_allowed() -> None:
    alone = Alone(AodvParameters(errors_per_s=3))
    for number in range(5):
        alone.router.on_message(RoutedPacket(128, LETTER, 6, 70 + number, 9), 2)
    assert len(alone.take()) == 3
    assert alone.reasons().count("error-rate-limit") == 2
    alone.network.now = 1.0
    alone.router.on_message(RoutedPacket(128, LETTER, 6, 77, 9), 2)
    assert len(alone.take()) == 1


def test_a_reply_or_an_error_that_fails_breaks_no_route() -> None:
    alone = two_routes_in_use((4,))
    for message in (RouteReply(48, 5, ME, 1, 0, 6.0), RouteError(40, ((8, 9),)), LETTER):
        alone.router.on_unicast_failed(message, 3)
    assert alone.route(8).is_active
    assert alone.take() == []


def test_a_packet_of_the_nodes_own_that_fails_is_sent_again_when_a_route_is_found() -> None:
    network = RouterNetwork(Aodv, range(4))
    for one, other in ((0, 1), (1, 3), (0, 2), (2, 3)):
        network.join(one, other)
    network.part(0, 2)
    network.routers[0].send(LETTER, 3)
    network.run(2.0)
    network.part(0, 1)
    network.join(0, 2)
    network.routers[0].send(LETTER, 3)
    network.run(6.0)
    assert len(network.users[3].arrived) == 2
    assert network.users[0].given_up == []


def test_who_could_not_be_reached_is_no_neighbour_by_its_broadcasts_alone() -> None:
    alone = Alone()
    alone.hear_request(originator=5, destination=77, asked=None, sender=9)
    alone.router.send(LETTER, 9)
    alone.network.now = 0.01
    alone.router.on_unicast_failed(alone.take()[-1][0], 9)
    alone.hear_reply(destination=9, sequence=1, hops=1, sender=3)
    alone.hear_request(originator=6, destination=77, asked=None, sender=9)
    assert alone.route(9).next_hop == 3
    alone.router.on_message(RoutedPacket(128, LETTER, 9, ME, 5), 9)  # which was acknowledged, so the link works
    alone.hear_request(originator=6, destination=77, asked=None, sender=9)
    assert alone.route(9).next_hop == 9


# --- limits -----------------------------------------------------------------------------------------------------


def test_the_oldest_packet_makes_room_and_is_reported() -> None:
    alone = Alone(AodvParameters(packets_max=2))
    letters = [Letter(10, str(number)) for number in range(3)]
    for number, letter in enumerate(letters):
        alone.router.send(letter, 50 + number)
    assert alone.user.given_up == [GivenUp(letters[0], 50, "buffer-full")]
    assert (len(alone.router.discoveries.waiting), len(alone.router.discoveries)) == (2, 2)


def test_a_packet_waits_no_longer_than_allowed() -> None:
    alone = Alone(AodvParameters(waiting_s=3.0))
    alone.router.send(LETTER, 50)
    alone.network.run(60.0)
    assert alone.user.given_up == [GivenUp(LETTER, 50, "waited-too-long")]
    assert len(alone.router.discoveries) == 0


def test_requests_above_the_rate_limit_wait_for_their_turn() -> None:
    alone = Alone(AodvParameters(requests_per_s=4, ttl_threshold=0))
    for number in range(10):
        alone.router.send(LETTER, 50 + number)
    counts = []
    for at_s in (0.5, 1.5, 2.5):
        alone.network.run(at_s)
        counts.append(len(alone.take()))
    assert counts == [4, 4, 2]


def test_events_that_have_expired_are_not_sent_on() -> None:
    news = NewsLetter(100, Event(EventId(5, 0), Topic("news"), 0.0, 2.0, 100))
    alone = two_routes_in_use(())
    alone.network.now = 2.0
    alone.router.on_message(RoutedPacket(128, news, 5, 8, 9), 2)
    alone.router.send(news, 8)
    assert (alone.take(), alone.reasons()) == ([], ["expired", "expired"])
    assert alone.user.given_up == [GivenUp(news, 8, "expired")]


class NewsLetter(Letter):
    """A payload with an event."""

    def __init__(self, size_bytes: int, event: Event) -> None:
        super().__init__(size_bytes, str(event.id))
        object.__setattr__(self, "_event", event)

    @property
    def events(self) -> tuple[Event, ...]:
        return (self._event,)  # type: ignore[attr-defined]


def test_a_packet_ends_at_its_hop_limit() -> None:
    alone = two_routes_in_use(())
    alone.router.on_message(RoutedPacket(128, LETTER, 5, 8, 1), 2)
    assert (alone.take(), alone.reasons()) == ([], ["hop-limit"])


def test_routes_must_be_remembered_longer_than_they_live() -> None:
    with pytest.raises(ParameterError, match=r"delete_s: must be at least 6"):
        AodvParameters(delete_s=5.9)


def test_messages_have_the_sizes_of_the_rfc_with_the_headers_of_ip_and_udp() -> None:
    alone = two_routes_in_use((2,))
    alone.router.on_unicast_failed(RoutedPacket(128, LETTER, 2, 8, 8), 3)
    alone.router.send(LETTER, 50)
    alone.hear_request(originator=5, destination=ME, asked=None, sender=2)
    alone.hear_reply(destination=50, sequence=1, hops=0, sender=50)
    sizes = {message.kind: message.size_bytes for message, _ in alone.take()}
    assert sizes == {"aodv-rerr": 4 + 2 * 8 + 28, "aodv-rreq": 24 + 28, "aodv-rrep": 20 + 28, "aodv-data": 100 + 28}
