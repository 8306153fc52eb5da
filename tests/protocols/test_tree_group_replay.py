"""A new child of a tree group's node receives what it missed: recent events, as far as they are known and asked for."""

import pytest
from tree_group_peers import NEWS_BITS, heartbeat, member, request
from tree_networks import TreeNetwork

from roamcast.protocols.tree_group.messages import FilterUpdate, JoinReply, Notification
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, event_of, interest_in

PARENT, CHILD, OTHER = 2, 9, 10
MESSAGE_BYTES = 12 + 2 + 400


def notice(number: int, topic: str = "news", published_at_s: float = 1.0, validity_s: float = 100.0) -> Notification:
    event = event_of(8, number, topic=topic, published_at_s=published_at_s, validity_s=validity_s)
    return Notification(MESSAGE_BYTES, event, (), (), 0)


def hear(protocol: TreeGroup, *messages: Notification) -> None:
    for message in messages:
        protocol.on_message(message, PARENT)


def replayed(host: RecordingHost) -> list[tuple[int, int]]:
    """Return the number of each event that was sent, and the node it was sent to."""
    return [(sent.message.event.id.number, sent.to) for sent in host.unicasts if isinstance(sent.message, Notification)]


def stays(host: RecordingHost, protocol: TreeGroup, until_s: float) -> None:
    """Let time pass for a member that goes on hearing its parent."""
    while host.now < until_s:
        host.advance_to(min(until_s, host.now + 1.0))
        beat = round(10 * host.now)
        protocol.on_message(heartbeat(beat, label=(beat, 1, -1)), PARENT)


def test_a_new_child_is_told_that_it_is_one_and_then_the_recent_events_that_its_filter_asks_for() -> None:
    host, protocol = member()
    hear(protocol, notice(1), notice(2, topic="sport"), notice(3))
    assert replayed(host) == []
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    assert isinstance(host.unicasts[0].message, JoinReply)
    assert replayed(host) == [(1, CHILD), (3, CHILD)]


def test_events_heard_longer_ago_than_the_parameter_says_and_expired_ones_are_not_sent() -> None:
    host, protocol = member(replay_s=2.0)
    hear(protocol, notice(1))
    stays(host, protocol, 2.5)
    hear(protocol, notice(2), notice(3, published_at_s=2.4, validity_s=0.5))
    stays(host, protocol, 3.1)
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    assert replayed(host) == [(2, CHILD)]


def test_nothing_is_replayed_if_the_parameter_is_zero_seconds_and_time_has_passed() -> None:
    host, protocol = member(replay_s=0.0)
    hear(protocol, notice(1))
    host.advance_to(1.01)
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    assert replayed(host) == []


def test_a_child_that_comes_back_is_not_sent_an_event_twice() -> None:
    host, protocol = member()
    hear(protocol, notice(1))
    for _ in range(3):
        protocol.on_message(request(bits=NEWS_BITS), CHILD)
    assert replayed(host) == [(1, CHILD)]


def test_an_event_is_not_sent_back_to_who_brought_it_be_it_first_or_later() -> None:
    host, protocol = member()
    protocol.on_message(notice(1), CHILD)
    protocol.on_message(notice(1), OTHER)
    host.unicasts.clear()
    for node in (CHILD, OTHER):
        protocol.on_message(request(bits=NEWS_BITS), node)
    assert replayed(host) == []


def test_a_child_that_was_lost_with_an_event_on_its_way_is_sent_it_when_it_comes_back() -> None:
    host, protocol = member()
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    hear(protocol, notice(1))
    ((number, to),) = replayed(host)
    assert (number, to) == (1, CHILD)
    protocol.on_unicast_failed(host.unicasts[-1].message, CHILD)
    assert CHILD not in protocol.tree_position.children
    host.unicasts.clear()
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    assert replayed(host) == [(1, CHILD)]


def test_a_node_further_down_gets_what_its_new_parent_never_had() -> None:
    host, protocol = member()
    protocol.on_message(request(bits=0), CHILD)
    hear(protocol, notice(1))
    assert replayed(host) == []
    protocol.on_message(FilterUpdate(76, NEWS_BITS), CHILD)
    assert replayed(host) == [(1, CHILD)]


def test_only_what_a_filter_has_gained_is_replayed() -> None:
    host, protocol = member()
    sport_bits = TreeGroupParameters().shape.mask("topic\x1fsport")
    hear(protocol, notice(1), notice(2, topic="sport"))
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    host.unicasts.clear()
    protocol.on_message(FilterUpdate(76, NEWS_BITS | sport_bits), CHILD)
    assert replayed(host) == [(2, CHILD)]


def test_no_more_bytes_are_kept_than_the_limit_and_the_oldest_events_make_room() -> None:
    host, protocol = member(replay_bytes=2 * MESSAGE_BYTES)
    hear(protocol, *(notice(number) for number in range(1, 6)))
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    assert replayed(host) == [(4, CHILD), (5, CHILD)]


def test_no_more_bytes_leave_again_than_the_limit_however_many_names_ask_for_them() -> None:
    host, protocol = member(replay_bytes=5 * MESSAGE_BYTES)
    hear(protocol, notice(1), notice(2))
    for name in range(20, 40):
        protocol.on_message(request(bits=NEWS_BITS), name)
    assert replayed(host) == [(1, 20), (2, 20), (1, 21), (2, 21), (1, 22)]
    stays(host, protocol, 3.9)
    hear(protocol, notice(3))
    host.unicasts.clear()
    stays(host, protocol, 4.1)  # the next few seconds
    protocol.on_message(request(bits=NEWS_BITS), 50)
    assert replayed(host) == [(3, 50)]


@pytest.mark.parametrize(("replay_s", "expected"), [(0.0, []), (3.0, [7])])
def test_a_node_that_was_out_of_reach_for_a_moment_gets_the_event_when_it_is_back(
    replay_s: float, expected: list[int]
) -> None:
    points_m = [(0.0, 0.0), (100.0, 0.0), (200.0, 0.0)]
    network = TreeNetwork(points_m, TreeGroupParameters(replay_s=replay_s), seed=2)
    assert network.settle()
    away = next(place.node for place in network.places if place.parent is not None)
    network.protocols[away].subscribe(interest_in("news"))
    network.advance_to(network.now_s + 2.0)
    network.silent.add(away)
    network.protocols[1].publish(event_of(1, 7, published_at_s=network.now_s))
    network.advance_to(network.now_s + 0.5)
    network.silent.remove(away)
    network.advance_to(network.now_s + 5.0)
    assert network.places[away].parent is not None
    assert network.delivered()[away] == expected
