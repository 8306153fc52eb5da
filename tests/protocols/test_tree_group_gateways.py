"""Events between adjacent groups: which a leader sends, and which a gateway passes over, so that none goes round."""

import pytest
from tree_group_peers import ME, gateway_by, heartbeat, member, node, request

from roamcast.protocols.tree_group.messages import LEADER, Notification, below
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, event_of

HERE, NEAR, FAR, FURTHER = 60, 61, 62, 63
"""Adjacent groups by how far from the leader their gateways are: itself, a child, and two below children."""
PARENT = 2


def leader() -> tuple[RecordingHost, TreeGroup]:
    """Return a leader with four adjacent groups."""
    host, protocol = node()
    host.advance_to(5.0)
    assert protocol.tree_position.state == LEADER
    protocol.on_message(request(), 20)
    adjacent = ((NEAR, 0, 2, 3, 9), (FAR, 1, 2, 3, 9), (FURTHER, 2, 2, 3, 9))
    protocol.on_message(heartbeat(2, label=below(protocol.tree_position.label), parent=ME, adjacent=adjacent), 20)
    protocol.on_message(heartbeat(2, label=(1, HERE, -1), parent=40), 41)
    gateway_by(protocol, 41)
    assert {group: route[0] for group, route in protocol.tree_position.routes.items()} == {
        HERE: 0,
        NEAR: 1,
        FAR: 2,
        FURTHER: 3,
    }
    host.unicasts.clear()
    return host, protocol


def sent_events(host: RecordingHost) -> list[tuple[Notification, int]]:
    return [(sent.message, sent.to) for sent in host.unicasts if isinstance(sent.message, Notification)]


@pytest.mark.parametrize(
    ("groups", "over", "down"),
    [
        ((), True, (NEAR, FAR, FURTHER)),
        ((99, HERE), False, (NEAR, FAR, FURTHER)),
        ((99, NEAR), True, (FAR, FURTHER)),
        ((HERE, NEAR, FAR, FURTHER), False, ()),
    ],
)
def test_a_leader_sends_an_event_to_all_groups_whose_leaders_have_not_passed_it_on(
    groups: tuple[int, ...], over: bool, down: tuple[int, ...]
) -> None:
    host, protocol = leader()
    protocol.on_message(Notification(420, event_of(60), (), groups, 1), 33)
    towards = {to: message.towards for message, to in sent_events(host)}
    assert towards == {**({41: ()} if over else {}), **({20: down} if down else {})}


def test_a_leader_adds_its_group_to_those_that_have_an_event() -> None:
    host, protocol = leader()
    protocol.on_message(Notification(420, event_of(60), (), (99, FURTHER), 1), 33)
    sent = {to: (message.groups, message.borders) for message, to in sent_events(host)}
    assert sent == {41: ((99, FURTHER, ME), 2), 20: ((99, FURTHER, ME), 1)}


# --- gateways ----------------------------------------------------------------------------------------------------


def gateway() -> tuple[RecordingHost, TreeGroup]:
    """Return a member that is a gateway to one group, and has a child that is one to another."""
    host, protocol = member()
    protocol.on_message(request(), 20)
    label = below(protocol.tree_position.label)
    protocol.on_message(heartbeat(2, label=label, parent=ME, adjacent=((NEAR, 0, 2, 3, 9),)), 20)
    protocol.on_message(heartbeat(2, label=(7, HERE, -1), parent=40), 41)
    gateway_by(protocol, 41)
    assert {group: route[:2] for group, route in protocol.tree_position.routes.items()} == {
        HERE: (0, 41),
        NEAR: (1, 20),
    }
    host.unicasts.clear()
    return host, protocol


def passed(host: RecordingHost) -> list[tuple[int, tuple[int, ...], int]]:
    return [(to, message.towards, message.borders) for message, to in sent_events(host)]


def test_what_the_parent_asks_for_is_passed_over_and_down_though_the_event_was_seen_and_only_once() -> None:
    host, protocol = gateway()
    protocol.on_message(Notification(420, event_of(8), (), (), 0), 20)
    assert passed(host) == [(PARENT, (), 0)]  # a child has brought it: it goes up, and to no group yet
    host.unicasts.clear()
    back = Notification(420, event_of(8), (HERE, NEAR), (1,), 0)
    protocol.on_message(back, PARENT)
    assert passed(host) == [(41, (), 1), (20, (NEAR,), 0)]
    host.unicasts.clear()
    protocol.on_message(back, PARENT)
    assert host.unicasts == []


def test_what_another_than_the_parent_asks_for_is_passed_over_and_not_down() -> None:
    host, protocol = gateway()
    protocol.on_message(Notification(420, event_of(8), (HERE, NEAR), (1,), 0), 9)
    assert passed(host) == [(41, (), 1), (PARENT, (), 0)]
