"""AODV's memory, and how long it lasts: requests and answers that came before, and the users of a route."""

from test_aodv_rules import LETTER, ME, PLAIN, Alone

from roamcast.routing.aodv.messages import RoutedPacket, RouteError, RouteReply, RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters

PATH_DISCOVERY_S = 2 * 2.8
"""PATH_DISCOVERY_TIME: twice the time for the whole network and back."""


def replies_of(alone: Alone) -> list[tuple[int, int, int, int, int | None]]:
    """Return the replies that were sent: for whom, about whom, the number, the hops, and to whom."""
    sent = [(message, to) for message, to in alone.take() if isinstance(message, RouteReply)]
    return [(each.originator, each.destination, each.destination_sequence, each.hops, to) for each, to in sent]


def errors_of(alone: Alone) -> list[tuple[RouteError, int | None]]:
    return [(message, to) for message, to in alone.take() if isinstance(message, RouteError)]


# --- requests (6.3, 6.5) ----------------------------------------------------------------------------------------


def test_a_request_is_relayed_once_within_the_time_that_a_search_of_the_whole_network_takes() -> None:
    alone = Alone(AodvParameters(active_route_s=6.0))
    request = RouteRequest(52, 1, 5, 7, 77, None, 0, 5, destination_only=True)
    relayed = []
    for at_s in (0.0, 2.9, PATH_DISCOVERY_S - 0.1, PATH_DISCOVERY_S + 0.1):
        alone.network.run(at_s)
        alone.router.on_message(RoutedPacket(128, LETTER, 5, ME, 8), 2)  # so that the way back lives on
        alone.router.on_message(request, 2)
        alone.network.run(at_s + 0.05)
        relayed.append(len([message for message, _ in alone.take() if isinstance(message, RouteRequest)]))
    assert relayed == [1, 0, 0, 1]


def test_each_request_is_relayed_after_a_pause_of_its_own() -> None:
    alone = Alone(AodvParameters(relay_jitter_s=0.01))
    for originator in range(10, 30):
        alone.hear_request(originator, destination=77, asked=None, sender=originator)
    relayed = []
    for at_s in (0.0, 0.0025, 0.005, 0.0075, 0.01):
        alone.network.run(at_s)
        relayed.append(len(alone.take()))
    assert relayed[0] == 0
    assert min(relayed[1:]) > 0
    assert sum(relayed) == 20


# --- replies (6.6, 6.7) -----------------------------------------------------------------------------------------


def asked_and_answered() -> Alone:
    """Return a node that has brought node 9's answer to node 5, over node 2."""
    alone = Alone()
    ask_for_nine(alone, 1)
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3, originator=5)
    assert replies_of(alone) == [(5, 9, 4, 2, 2)]
    return alone


def ask_for_nine(alone: Alone, number: int) -> None:
    alone.router.on_message(RouteRequest(52, number, 5, number, 9, None, 1, 5, destination_only=True), 2)


def test_a_second_answer_that_is_no_better_is_not_sent_on() -> None:
    alone = asked_and_answered()
    for sender in (4, 3):
        alone.hear_reply(destination=9, sequence=4, hops=1, sender=sender, originator=5)
    assert replies_of(alone) == []
    assert alone.reasons().count("duplicate-reply") == 2


def test_a_second_answer_that_is_better_is_sent_on() -> None:
    alone = asked_and_answered()
    alone.hear_reply(destination=9, sequence=5, hops=3, sender=4, originator=5)
    assert replies_of(alone) == [(5, 9, 5, 4, 2)]


def test_a_question_that_is_asked_anew_is_answered_anew_though_the_answer_is_the_same() -> None:
    alone = asked_and_answered()
    ask_for_nine(alone, 2)
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3, originator=5)
    assert replies_of(alone) == [(5, 9, 4, 2, 2)]


def test_an_answer_to_one_node_does_not_stand_in_the_way_of_the_answer_to_another() -> None:
    alone = asked_and_answered()
    alone.router.on_message(RouteRequest(52, 1, 6, 1, 9, None, 1, 5, destination_only=True), 4)
    alone.hear_reply(destination=9, sequence=4, hops=1, sender=3, originator=6)
    assert replies_of(alone) == [(6, 9, 4, 2, 4)]


# --- the users of a route, and who is told (6.11) ---------------------------------------------------------------


def used_by(users: tuple[int, ...], destinations: range, parameters: AodvParameters = PLAIN) -> Alone:
    """Return a node with routes over 3 that some neighbours use."""
    alone = Alone(parameters)
    for destination in destinations:
        alone.hear_reply(destination=destination, sequence=4, hops=1, sender=3)
        for user in users:
            alone.router.on_message(RoutedPacket(128, LETTER, user, destination, 9), user)
    alone.take()
    return alone


def break_link(alone: Alone, destination: int, origin: int) -> None:
    alone.network.now += 0.1
    alone.router.on_unicast_failed(RoutedPacket(128, LETTER, origin, destination, 8), 3)


def test_more_users_than_are_remembered_are_told_by_broadcast() -> None:
    told = []
    for users in ((2,), (2, 4)):
        alone = used_by(users, range(9, 10), AodvParameters(local_repair=False, precursors_max=1))
        assert alone.route(9).precursors == {2}
        break_link(alone, 9, origin=2)
        told += errors_of(alone)
    assert told == [(RouteError(40, ((9, 5),)), 2), (RouteError(40, ((9, 5),)), None)]


def test_a_user_that_has_been_told_is_no_user_of_the_next_route() -> None:
    alone = used_by((2,), range(9, 10))
    break_link(alone, 9, origin=2)
    assert errors_of(alone) == [(RouteError(40, ((9, 5),)), 2)]
    alone.hear_reply(destination=9, sequence=5, hops=1, sender=3)
    assert alone.route(9).is_active
    break_link(alone, 9, origin=2)
    assert (alone.route(9).is_active, errors_of(alone)) == (False, [])


def test_after_more_users_than_are_remembered_were_told_one_new_user_is_told_by_unicast() -> None:
    alone = used_by((2, 4), range(9, 10), AodvParameters(local_repair=False, precursors_max=1))
    break_link(alone, 9, origin=2)
    alone.hear_reply(destination=9, sequence=5, hops=1, sender=3)
    alone.router.on_message(RoutedPacket(128, LETTER, 6, 9, 9), 6)
    alone.take()
    break_link(alone, 9, origin=6)
    assert errors_of(alone) == [(RouteError(40, ((9, 6),)), 6)]


def test_an_error_names_as_many_destinations_as_its_count_can_say_and_another_names_the_rest() -> None:
    alone = used_by((2,), range(100, 400))
    break_link(alone, 100, origin=2)
    told = errors_of(alone)
    assert [(len(error.unreachable), error.size_bytes, to) for error, to in told] == [
        (255, 28 + 4 + 8 * 255, 2),  # DestCount has 8 bits
        (45, 28 + 4 + 8 * 45, 2),
    ]
    assert [destination for error, _ in told for destination, _ in error.unreachable] == list(range(100, 400))
