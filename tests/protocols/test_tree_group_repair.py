"""Who loses its parent in a tree group prefers its own group to another one (3.4), and waits for it a little."""

from dataclasses import replace

import pytest

from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    LEADER,
    LOST,
    MEMBER,
    SEARCHING,
    Heartbeat,
    JoinReply,
    JoinRequest,
    Label,
)
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost

ME, PARENT, OWN, OTHER = 5, 2, 3, 4
LABEL: Label = (7, 1, -1)
HEARTBEAT = Heartbeat(60, 1, 1.0, MEMBER, LABEL, 1, 0.5, 0, 1, 3, 9, None, None, (), ())


def member() -> tuple[RecordingHost, TreeGroup]:
    """Return a node of group 1 at level 2."""
    host = RecordingHost(ME)
    protocol = host.install(TreeGroup, TreeGroupParameters())
    host.advance_to(1.0)
    protocol.on_message(HEARTBEAT, PARENT)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, LABEL, 0), PARENT)
    host.unicasts.clear()
    return host, protocol


def hear_own(protocol: TreeGroup, label: Label) -> None:
    protocol.on_message(replace(HEARTBEAT, label=label, parent=8), OWN)


def hear_other(protocol: TreeGroup) -> None:
    protocol.on_message(replace(HEARTBEAT, state=LEADER, label=(9, OTHER, 0), parent=None), OTHER)


def lose_parent(protocol: TreeGroup) -> None:
    protocol.on_message(replace(HEARTBEAT, state=LOST, parent=None), PARENT)
    assert protocol.tree_position.state == SEARCHING


def asked(host: RecordingHost) -> list[int]:
    return [sent.to for sent in host.unicasts if isinstance(sent.message, JoinRequest) and not sent.message.as_gateway]


def test_a_deep_member_of_the_own_group_is_asked_before_the_leader_of_another() -> None:
    host, protocol = member()
    hear_own(protocol, (8, 1, -6))
    hear_other(protocol)
    lose_parent(protocol)
    host.advance_to(2.1)
    assert asked(host)[0] == OWN


def test_another_group_is_not_asked_while_a_member_of_the_own_one_may_soon_have_a_newer_label() -> None:
    host, protocol = member()
    hear_own(protocol, (7, 1, -3))
    lose_parent(protocol)
    hear_other(protocol)
    assert asked(host) == []
    hear_own(protocol, (8, 1, -3))
    assert asked(host) == [OWN]


def test_after_half_a_heartbeat_another_group_will_do() -> None:
    host, protocol = member()
    hear_own(protocol, (7, 1, -3))
    lose_parent(protocol)
    host.advance_to(1.55)
    hear_other(protocol)
    assert asked(host) == [OTHER]


@pytest.mark.parametrize("is_child", [True, False])
def test_where_nobody_of_the_own_group_is_near_but_children_another_one_is_asked_at_once(is_child: bool) -> None:
    host, protocol = member()
    if is_child:
        protocol.on_message(replace(HEARTBEAT, label=(7, 1, -3), parent=ME), OWN)
    lose_parent(protocol)
    hear_other(protocol)
    assert asked(host) == [OTHER]


def test_a_frame_that_a_lost_parent_did_not_take_does_not_make_the_node_leave_its_group_at_once() -> None:
    host, protocol = member()
    hear_own(protocol, (7, 1, -3))
    hear_other(protocol)
    for _ in range(4):
        protocol.on_unicast_failed(JoinRequest(82, MEMBER, LABEL, 0.0, 0, 1, 0), PARENT)
    assert protocol.tree_position.state == SEARCHING
    assert asked(host) == []
