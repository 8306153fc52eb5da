"""Gateways of tree groups are members of two groups: how they get into the second, and what that is to either group."""

from dataclasses import replace

import pytest
from tree_group_peers import LABEL, ME, NEWS, NEWS_BITS, gateway_by, heartbeat, last, member, node, request
from tree_networks import TreeNetwork

from roamcast.core.events import Event
from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    LEADER,
    LOST,
    MEMBER,
    NO_LABEL,
    REFUSED,
    FilterUpdate,
    Heartbeat,
    JoinReply,
    JoinRequest,
    Notification,
    below,
)
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, event_of, interest_in

PARENT, THERE, OTHER_GROUP = 2, 41, 77


def theirs(beat: int = 1, **more: object) -> Heartbeat:
    said: dict[str, object] = {"label": (7, OTHER_GROUP, -3), "parent": 40, **more}
    return heartbeat(beat, **said)  # type: ignore[arg-type]


def gateway() -> tuple[RecordingHost, TreeGroup]:
    """Return a member that has a parent in another group, too."""
    host, protocol = member()
    protocol.on_message(theirs(), THERE)
    gateway_by(protocol, THERE)
    host.unicasts.clear()
    return host, protocol


def requests(host: RecordingHost) -> list[tuple[int, JoinRequest]]:
    return [(sent.to, sent.message) for sent in host.unicasts if isinstance(sent.message, JoinRequest)]


def events(host: RecordingHost) -> list[tuple[int, int]]:
    """Return who was sent an event, and how many borders it had crossed."""
    return [(sent.to, sent.message.borders) for sent in host.unicasts if isinstance(sent.message, Notification)]


# --- joining ---------------------------------------------------------------------------------------------------


def test_a_member_that_hears_another_group_joins_it_too_with_the_filter_of_its_own_subscriptions() -> None:
    host, protocol = member()
    protocol.subscribe(NEWS)
    protocol.on_message(request(bits=1 << 400), 20)
    protocol.on_message(theirs(), THERE)
    host.advance_to(1.2)
    ((to, asked),) = requests(host)
    assert (to, asked.as_gateway, asked.bits, asked.label) == (THERE, True, NEWS_BITS, NO_LABEL)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, (7, OTHER_GROUP, -3), 0), THERE)
    place = protocol.tree_position
    assert (place.parent, place.second_parent, place.group) == (PARENT, THERE, 1)
    assert place.routes[OTHER_GROUP][:2] == (0, THERE)


@pytest.mark.parametrize("gateways", [0, 1, 2])
def test_a_group_that_enough_neighbours_are_gateways_to_is_not_joined(gateways: int) -> None:
    host, protocol = member()
    for number in range(gateways):
        beside = heartbeat(1, label=(7, 1, -3), parent=30, adjacent=((OTHER_GROUP, 0, 3, 3, 9),))
        protocol.on_message(beside, 50 + number)
    protocol.on_message(theirs(), THERE)
    host.advance_to(1.2)
    assert [to for to, _ in requests(host)] == ([THERE] if gateways < 2 else [])


def test_a_node_without_a_group_does_not_take_a_gateway_and_a_member_takes_it_without_counting_it() -> None:
    asked = replace(request(bits=NEWS_BITS, state=MEMBER), as_gateway=True)
    host, protocol = node()
    protocol.on_message(asked, 9)
    assert (last(host)[0], protocol.tree_position.parent) == (JoinReply(18, REFUSED, 0, NO_LABEL, 0), None)
    host, protocol = member()
    protocol.on_message(asked, 9)
    assert last(host) == (JoinReply(18, ACCEPTED, MEMBER, below(LABEL), 0), 9)
    place = protocol.tree_position
    assert (place.children[9].bits, place.children.height(), place.children.offspring()) == (NEWS_BITS, 0, 1)
    protocol.on_message(theirs(second_parent=ME), 9)
    place.find_routes()
    assert place.routes[OTHER_GROUP][:2] == (0, 9)  # the way to the group of the gateway


# --- keeping to it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [theirs(2, state=LOST, parent=None), theirs(2, label=(8, 1, -3))],
    ids=["has no group", "is in the own group"],
)
def test_a_second_group_that_is_none_any_more_is_left(said: Heartbeat) -> None:
    _, protocol = gateway()
    protocol.on_message(said, THERE)
    assert protocol.tree_position.second_parent is None
    assert protocol.tree_position.parent == PARENT


def test_a_gateway_that_its_parent_there_does_not_know_leaves_and_asks_again() -> None:
    host, protocol = gateway()
    protocol.on_message(JoinReply(18, REFUSED, MEMBER, (7, OTHER_GROUP, -3), 0), THERE)
    assert protocol.tree_position.second_parent is None
    assert protocol.tree_position.parent == PARENT
    host.advance_to(2.1)
    assert [to for to, _ in requests(host)] == [THERE]


def test_a_child_that_is_a_gateway_no_more_is_removed_and_one_that_was_forgotten_is_told() -> None:
    host, protocol = member()
    protocol.on_message(replace(request(state=MEMBER), as_gateway=True), 9)
    host.advance_to(1.8)
    protocol.on_message(theirs(second_parent=ME), 9)
    assert 9 in protocol.tree_position.children
    protocol.on_message(theirs(2), 9)
    assert 9 not in protocol.tree_position.children
    host.unicasts.clear()
    protocol.on_message(theirs(3, second_parent=ME), 9)
    reply, to = last(host)
    assert isinstance(reply, JoinReply)
    assert (to, reply.outcome) == (9, REFUSED)


def test_a_gateway_tells_both_parents_what_it_subscribes_to() -> None:
    host, protocol = gateway()
    protocol.subscribe(NEWS)
    host.advance_to(1.1)
    updates = {sent.to: sent.message.bits for sent in host.unicasts if isinstance(sent.message, FilterUpdate)}
    assert updates == {PARENT: NEWS_BITS, THERE: NEWS_BITS}


def test_while_it_has_no_group_of_its_own_the_second_gets_what_its_subtree_asks_for_and_its_events() -> None:
    host, protocol = gateway()
    protocol.on_message(request(bits=NEWS_BITS), 20)
    protocol.on_message(heartbeat(2, state=LOST, parent=None), PARENT)
    host.advance_to(1.9)
    updates = [(sent.to, sent.message.bits) for sent in host.unicasts if isinstance(sent.message, FilterUpdate)]
    assert updates[-1] == (THERE, NEWS_BITS)
    host.unicasts.clear()
    protocol.on_message(Notification(420, event_of(8, topic="sport"), (), (), 0), 20)
    assert events(host) == [(THERE, 1)]


# --- events ----------------------------------------------------------------------------------------------------


def test_an_event_of_the_second_group_passes_into_the_own_and_counts_the_border() -> None:
    host, protocol = gateway()
    protocol.on_message(request(bits=NEWS_BITS), 20)
    host.unicasts.clear()
    protocol.on_message(Notification(420, event_of(8), (), (OTHER_GROUP,), 0), THERE)
    assert events(host) == [(20, 1), (PARENT, 1)]


def test_a_local_event_that_may_not_cross_is_delivered_and_does_not_stop_the_own_groups_copy() -> None:
    host, protocol = gateway()
    protocol.subscribe(NEWS)
    protocol.on_message(request(bits=NEWS_BITS), 20)
    host.unicasts.clear()
    event = event_of(8)
    local = Event(event.id, event.topic, event.published_at_s, event.validity_s, event.size_bytes, hops_max=4)
    for _ in range(2):
        protocol.on_message(Notification(420, local, (), (OTHER_GROUP,), 1), THERE)
    assert events(host) == []
    protocol.on_message(Notification(420, local, (), (), 0), PARENT)
    assert events(host) == [(20, 0)]
    assert host.delivered() == [local]


def test_a_parent_sends_a_gateway_what_it_subscribes_to_and_what_is_for_its_group_once() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    assert protocol.tree_position.state == LEADER
    for bits, child in ((NEWS_BITS, 20), (0, 21)):
        protocol.on_message(replace(request(bits=bits, state=MEMBER), as_gateway=True), child)
        label = (7, 70 + child, -3)
        protocol.on_message(heartbeat(2, label=label, parent=40, second_parent=ME), child)
    protocol.tree_position.find_routes()
    host.unicasts.clear()
    protocol.on_message(Notification(420, event_of(8), (), (), 0), 33)
    assert sorted(events(host)) == [(20, 0), (21, 0)]


def test_groups_that_may_not_merge_are_linked_and_the_link_is_repaired() -> None:
    points_m = [(100.0 * (number // 2), 80.0 * (number % 2)) for number in range(8)]  # two rows: each link has a spare
    network = TreeNetwork(points_m, TreeGroupParameters(levels_limit=2, levels_preferred=1, gateways_near=1), seed=3)
    for protocol in network.protocols:
        protocol.subscribe(interest_in("news"))
    assert network.settle()
    linked = next(place for place in network.places if place.second_parent is not None)
    lost = linked.second_parent
    assert lost is not None
    network.silent.add(lost)
    assert network.settle()
    for number, publisher in enumerate(sorted(set(range(8)) - {lost})):
        network.protocols[publisher].publish(event_of(publisher, number, published_at_s=network.now_s))
        network.advance_to(network.now_s + 2.0)
        wanted = network.component(publisher)
        assert {one for one, numbers in network.delivered().items() if number in numbers} == wanted
