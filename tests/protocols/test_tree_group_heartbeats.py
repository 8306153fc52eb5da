"""The contents and times of a tree group's heartbeats and filters, and what becomes of nodes that are silent."""

import pytest
from tree_group_peers import LABEL, ME, NEWS, NEWS_BITS, gateway_by, heartbeat, member, node, request

from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    LEADER,
    LOST,
    MEMBER,
    SEARCHING,
    FilterUpdate,
    Heartbeat,
    JoinReply,
    Notification,
    below,
)
from roamcast.protocols.tree_group.neighbour_tables import Child
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost, event_of

PARENT, CHILD = 2, 9
SOON_S = 0.03


def filters(host: RecordingHost) -> list[tuple[int, int]]:
    return [(sent.message.bits, sent.to) for sent in host.unicasts if isinstance(sent.message, FilterUpdate)]


def beats(host: RecordingHost) -> list[tuple[float, Heartbeat]]:
    return [(sent.at_s, sent.message) for sent in host.broadcasts if isinstance(sent.message, Heartbeat)]


def with_child() -> tuple[RecordingHost, TreeGroup]:
    """Return a member at rest that has told its parent what its child asks for."""
    host, protocol = member()
    protocol.on_message(request(bits=NEWS_BITS), CHILD)
    host.advance_to(1.5)
    hear(protocol, 2, PARENT, CHILD)
    assert filters(host) == [(NEWS_BITS, PARENT)]
    host.unicasts.clear()
    return host, protocol


def hear(protocol: TreeGroup, beat: int, *nodes: int) -> None:
    for each in nodes:
        label = (7 + beat, 1, -1)
        protocol.on_message(heartbeat(beat, label=label) if each == PARENT else from_child(beat), each)


def from_child(beat: int) -> Heartbeat:
    return heartbeat(beat, label=below(below(LABEL)), parent=ME)


# --- filters ---------------------------------------------------------------------------------------------------


def test_the_filter_of_a_child_that_is_silent_is_removed_and_the_parent_told() -> None:
    host, protocol = with_child()
    for beat in range(3, 8):
        host.advance_to(host.now + 1.0)
        hear(protocol, beat, PARENT)
    assert CHILD not in protocol.tree_position.children
    assert protocol.tree_position.merged_bits == 0
    assert filters(host) == [(0, PARENT)]


def test_a_child_that_is_heard_stays_with_its_filter() -> None:
    host, protocol = with_child()
    for beat in range(3, 8):
        host.advance_to(host.now + 1.0)
        hear(protocol, beat, PARENT, CHILD)
    assert CHILD in protocol.tree_position.children
    assert filters(host) == []


def test_the_filter_of_a_child_that_does_not_acknowledge_is_removed_and_the_parent_told() -> None:
    host, protocol = with_child()
    for _ in range(4):
        protocol.on_unicast_failed(JoinReply(18, ACCEPTED, MEMBER, LABEL, 0), CHILD)
    assert CHILD not in protocol.tree_position.children
    assert protocol.tree_position.neighbours.get(CHILD) is None
    host.advance_to(2.1)
    assert filters(host) == [(0, PARENT)]


def test_what_a_child_asks_for_anew_is_told_at_once_and_what_no_more_with_the_next_heartbeat() -> None:
    host, protocol = with_child()
    protocol.on_message(FilterUpdate(76, NEWS_BITS | 1), CHILD)
    host.advance_to(1.5 + SOON_S)
    assert filters(host) == [(NEWS_BITS | 1, PARENT)]
    protocol.on_message(FilterUpdate(76, 1), CHILD)
    host.advance_to(1.5 + 2 * SOON_S)
    assert filters(host) == [(NEWS_BITS | 1, PARENT)]
    host.advance_to(2.1)
    assert filters(host) == [(NEWS_BITS | 1, PARENT), (1, PARENT)]


def test_a_filter_that_was_not_acknowledged_is_sent_again_with_the_next_heartbeat() -> None:
    host, protocol = member()
    host.advance_to(1.5)
    protocol.subscribe(NEWS)
    host.advance_to(1.5 + SOON_S)
    assert filters(host) == [(NEWS_BITS, PARENT)]
    protocol.on_unicast_failed(FilterUpdate(76, NEWS_BITS), PARENT)
    host.advance_to(2.1)
    assert filters(host) == [(NEWS_BITS, PARENT)] * 2


def test_what_is_asked_for_between_a_request_and_its_answer_is_told_with_the_answer() -> None:
    host, protocol = node()
    host.advance_to(1.0)
    protocol.on_message(heartbeat(), PARENT)
    protocol.subscribe(NEWS)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, LABEL, 0), PARENT)
    assert filters(host) == [(NEWS_BITS, PARENT)]


def test_a_child_that_becomes_the_parent_is_a_child_no_more() -> None:
    _, protocol = with_child()
    protocol.on_message(heartbeat(3, state=LOST, parent=None), PARENT)
    protocol.on_message(request((20, 8, -2), MEMBER), CHILD)
    assert (protocol.tree_position.parent, protocol.tree_position.group) == (CHILD, 8)
    assert CHILD not in protocol.tree_position.children


# --- no parent -------------------------------------------------------------------------------------------------


def test_children_are_told_that_there_is_no_parent_two_heartbeats_after_it_was_lost() -> None:
    host, protocol = with_child()
    protocol.on_message(heartbeat(3, state=LOST, parent=None), PARENT)
    assert protocol.tree_position.state == SEARCHING
    for _ in range(27):
        host.advance_to(host.now + 0.1)
        protocol.on_message(from_child(3), CHILD)
    said = [(at_s, beat.state, beat.parent) for at_s, beat in beats(host) if at_s > 1.5]
    assert [(state, parent) for _, state, parent in said] == [(SEARCHING, None), (SEARCHING, None), (LOST, None)]
    assert 2.0 <= said[-1][0] - 1.5 < 3.0  # the first of its heartbeats after that


def test_a_child_that_hears_so_seeks_another_parent_and_sends_its_events_to_that() -> None:
    host, protocol = member()
    protocol.on_message(heartbeat(2, state=LOST, parent=None), PARENT)
    assert (protocol.tree_position.state, protocol.tree_position.parent) == (SEARCHING, None)
    protocol.publish(event_of(ME))
    protocol.on_message(heartbeat(1, label=(8, 1, -1)), 3)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, (8, 1, -1), 0), 3)
    assert protocol.tree_position.parent == 3
    assert [sent.to for sent in host.unicasts if isinstance(sent.message, Notification)] == [3]


def test_a_node_without_a_parent_is_no_way_to_other_groups() -> None:
    host, protocol = member()
    protocol.on_message(heartbeat(label=(3, 77, -3), parent=40), 41)
    gateway_by(protocol, 41)
    host.advance_to(1.2)
    assert [about[0] for about in beats(host)[-1][1].adjacent] == [77]
    protocol.on_message(heartbeat(2, state=LOST, parent=None), PARENT)
    host.advance_to(2.1)
    assert beats(host)[-1][1].state == SEARCHING
    assert beats(host)[-1][1].adjacent == ()


# --- heartbeats ------------------------------------------------------------------------------------------------


def test_who_has_joined_says_so_soon_but_not_sooner_than_a_pause_after_its_last_heartbeat() -> None:
    host, protocol = member()
    host.advance_to(1.05)
    at_s, said = beats(host)[-1]
    assert said.parent == PARENT
    assert at_s == pytest.approx(1.0, abs=0.02)
    protocol.on_message(heartbeat(2, state=LOST, parent=None), PARENT)
    protocol.on_message(heartbeat(1, label=(8, 1, -1)), 3)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, (8, 1, -1), 0), 3)
    host.advance_to(1.5)
    (_, (again_s, again)) = beats(host)[-2:]
    assert again.parent == 3
    assert again_s == pytest.approx(at_s + 0.1)


def test_who_begins_a_group_when_it_is_asked_says_so_soon() -> None:
    host, protocol = node()
    protocol.on_message(request(), CHILD)
    assert protocol.tree_position.state == LEADER
    host.advance_to(0.11)
    assert [(said.state, said.label[1]) for _, said in beats(host)] == [(LEADER, ME)]


def test_a_leader_tells_how_deep_and_large_its_group_is_and_members_tell_on_what_they_hear() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    protocol.tree_position.children[CHILD] = Child(0, host.now, height=1, offspring=3)
    protocol.tree_position.children[10] = Child(0, host.now, height=0, offspring=1)
    host.advance_to(6.1)
    said = beats(host)[-1][1]
    assert (said.height, said.offspring, said.levels, said.members) == (2, 5, 2, 5)
    host, protocol = member()
    protocol.on_message(heartbeat(2, label=(8, 1, -1), levels=4, members=17), PARENT)
    host.advance_to(2.1)
    said = beats(host)[-1][1]
    assert (said.height, said.offspring, said.levels, said.members) == (0, 1, 4, 17)


def test_who_begins_a_group_when_it_is_asked_begins_it_with_a_later_epoch_than_any_that_it_has_heard() -> None:
    host, protocol = node(members_limit=5)
    protocol.on_message(heartbeat(label=(50, 1, -1), members=5), PARENT)  # full: nobody can join there
    protocol.on_message(request(), CHILD)
    assert protocol.tree_position.label == (51, ME, 0)
    assert [(sent.message, sent.to) for sent in host.unicasts] == [
        (JoinReply(18, ACCEPTED, LEADER, (51, ME, 0), 0), CHILD)
    ]


def test_the_epochs_of_a_leader_keep_up_with_those_that_it_hears() -> None:
    host, protocol = node(members_limit=5)
    protocol.on_message(heartbeat(label=(50, 1, -1), members=5), PARENT)  # full: nobody can join there
    host.advance_to(5.0)
    assert protocol.tree_position.state == LEADER
    assert protocol.tree_position.label[0] > 50
    protocol.on_message(heartbeat(2, label=(90, 1, -1), members=5), PARENT)
    host.advance_to(6.1)
    assert beats(host)[-1][1].label[0] >= 90
