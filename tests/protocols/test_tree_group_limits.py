"""The limit on the members of a tree group (paper, 3.1): who joins from outside, with all below it, must fit in."""

from dataclasses import replace

import pytest
from tree_group_peers import LABEL, ME, heartbeat, last, member, node, request

from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    JOINED,
    LOST,
    MEMBER,
    NO_LABEL,
    REFUSED,
    SEARCHING,
    JoinReply,
    JoinRequest,
    Label,
)
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost

LIMIT = 10
STRANGERS: tuple[Label, ...] = (NO_LABEL, (5, 77, 0), (7, 0, -3))


def member_of(members: int, leader: int = 1) -> tuple[RecordingHost, TreeGroup]:
    """Return a node that has heard from its parent how many there are in its group."""
    host, protocol = member(label=(7, leader, -1), members_limit=LIMIT)
    protocol.on_message(heartbeat(2, label=(8, leader, -1), parent=leader, members=members), 2)
    assert protocol.tree_position.members == members
    return host, protocol


def outcome(host: RecordingHost) -> int:
    reply, to = last(host)
    assert isinstance(reply, JoinReply)
    assert to == 9
    return reply.outcome


@pytest.mark.parametrize("label", STRANGERS)
@pytest.mark.parametrize(
    ("members", "offspring", "expected"),
    [(6, 4, ACCEPTED), (6, 5, REFUSED), (9, 1, ACCEPTED), (10, 1, REFUSED), (1, 10, REFUSED)],
)
def test_who_comes_from_outside_is_taken_only_if_all_below_it_fit_into_the_group(
    label: Label, members: int, offspring: int, expected: int
) -> None:
    host, protocol = member_of(members)
    protocol.on_message(replace(request(label), offspring=offspring), 9)
    assert outcome(host) == expected
    assert (9 in protocol.tree_position.children) == (expected == ACCEPTED)


def test_who_was_in_the_group_before_is_taken_back_though_the_group_is_full() -> None:
    host, protocol = member_of(LIMIT)
    protocol.on_message(replace(request((7, 1, -3), SEARCHING), offspring=5), 9)
    assert outcome(host) == ACCEPTED


def test_who_was_in_no_group_is_from_outside_of_that_of_node_0_too() -> None:
    host, protocol = member_of(LIMIT, leader=0)
    protocol.on_message(request(NO_LABEL), 9)
    assert outcome(host) == REFUSED


@pytest.mark.parametrize(("members", "asks"), [(LIMIT - 1, True), (LIMIT, False)])
def test_a_full_group_is_not_asked(members: int, asks: bool) -> None:
    host, protocol = node(members_limit=LIMIT)
    host.advance_to(1.0)
    protocol.on_message(heartbeat(members=members), 2)
    assert [sent.to for sent in host.unicasts if isinstance(sent.message, JoinRequest)] == ([2] if asks else [])


def test_the_own_group_is_asked_though_it_is_full() -> None:
    host, protocol = member_of(LIMIT)
    protocol.on_message(heartbeat(3, state=LOST, parent=None), 2)
    assert protocol.tree_position.state == SEARCHING
    protocol.on_message(heartbeat(label=(9, 1, -1), members=LIMIT), 3)
    asked, to = last(host)
    assert isinstance(asked, JoinRequest)
    assert (to, protocol.tree_position.node) == (3, ME)


def test_a_former_parent_that_turns_round_in_a_merging_is_taken_though_its_subtree_counts_twice() -> None:
    host, protocol = member_of(8)
    protocol.tree_position.adopt(30, (9, 30, 0))
    protocol.on_message(replace(request((7, 1, -1)), offspring=8), 2)  # this node and all below it are among them
    reply, to = last(host)
    assert isinstance(reply, JoinReply)
    assert (to, reply.outcome) == (2, ACCEPTED)


def test_who_refuses_is_not_asked_again_before_the_next_heartbeat() -> None:
    host, protocol = node()
    host.advance_to(1.0)
    for peer in (2, 3):
        protocol.on_message(heartbeat(), peer)
    for _ in range(20):
        asked = [sent.to for sent in host.unicasts if isinstance(sent.message, JoinRequest)]
        protocol.on_message(JoinReply(18, REFUSED, MEMBER, LABEL, 0), asked[-1])
    assert sorted(asked) == [2, 3]


def test_an_answer_of_another_does_not_end_the_wait_for_the_one_who_was_asked() -> None:
    host, protocol = node()
    host.advance_to(1.0)
    protocol.on_message(heartbeat(), 2)
    assert [sent.to for sent in host.unicasts] == [2]
    protocol.on_message(JoinReply(18, REFUSED, MEMBER, LABEL, 0), 44)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, LABEL, 0), 2)
    assert protocol.tree_position.parent == 2


def test_nobody_becomes_a_child_by_an_answer_that_was_not_asked_for() -> None:
    host, protocol = member()
    protocol.on_message(JoinReply(18, JOINED, MEMBER, (8, 1, -2), 0), 44)
    assert len(protocol.tree_position.children) == 0
    assert host.drop_reasons() == ["unasked"]
