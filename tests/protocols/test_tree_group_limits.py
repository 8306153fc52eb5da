"""The limit on the members of a tree group (paper, 3.1): who joins from outside, with all below it, must fit in."""

from dataclasses import replace

import pytest
from recording_host import RecordingHost
from tree_group_peers import ME, heartbeat, last, member, node, request

from roamcast.protocols._tree_group_messages import (
    ACCEPTED,
    LOST,
    NO_LABEL,
    REFUSED,
    SEARCHING,
    JoinReply,
    JoinRequest,
    Label,
)
from roamcast.protocols.tree_group import TreeGroup

LIMIT = 10
STRANGERS: tuple[Label, ...] = (NO_LABEL, (5, 77, 0), (7, 0, -3))


def member_of(members: int, leader: int = 1) -> tuple[RecordingHost, TreeGroup]:
    """Return a node that has heard from its parent how many there are in its group."""
    host, protocol = member(label=(7, leader, -1), members_limit=LIMIT)
    protocol.on_message(heartbeat(2, label=(8, leader, -1), parent=leader, members=members), 2)
    assert protocol.place.members == members
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
    assert (9 in protocol.place.children) == (expected == ACCEPTED)


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
    assert protocol.place.state == SEARCHING
    protocol.on_message(heartbeat(label=(9, 1, -1), members=LIMIT), 3)
    asked, to = last(host)
    assert isinstance(asked, JoinRequest)
    assert (to, protocol.place.node) == (3, ME)
