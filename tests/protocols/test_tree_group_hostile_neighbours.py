"""Forged heartbeats and what a tree group node knows of its neighbours: names and positions that somebody invents."""

from dataclasses import replace

from roamcast.core.host import Position
from roamcast.protocols.tree_group.event_forwarding import event_masks
from roamcast.protocols.tree_group.messages import ACCEPTED, LEADER, MEMBER, NEW, NO_LABEL, Heartbeat, JoinReply
from roamcast.protocols.tree_group.messages import JoinRequest as Request
from roamcast.protocols.tree_group.neighbour_tables import Neighbours
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.testing import RecordingHost

ME, PARENT, CHILD = 5, 2, 3
LABEL = (7, 1, -1)
HEARTBEAT = Heartbeat(60, 1, 1.0, MEMBER, LABEL, 1, 0.5, 0, 1, 3, 9, None, None, (), ())
HERE = Position(0.0, 0.0)


def member_with_child() -> tuple[RecordingHost, TreeGroup]:
    host = RecordingHost(ME)
    protocol = host.install(TreeGroup, TreeGroupParameters(neighbours_max=8))
    host.advance_to(1.0)
    protocol.on_message(HEARTBEAT, PARENT)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, LABEL, 0), PARENT)
    protocol.on_message(Request(82, NEW, NO_LABEL, 0.0, 0, 1, 0), CHILD)
    protocol.on_message(replace(HEARTBEAT, parent=ME, label=(7, 1, -3)), CHILD)
    return host, protocol


def test_invented_names_evict_neither_the_parent_nor_a_child() -> None:
    host, protocol = member_with_child()
    for at, name in enumerate(range(100, 200)):
        host.advance_to(1.0 + 0.001 * (at + 1))
        protocol.on_message(replace(HEARTBEAT, state=LEADER, label=(3, name, 0), parent=None), name)
    place = protocol.tree_position
    assert len(place.neighbours) == 8
    assert {PARENT, CHILD} <= {node for node, _ in place.neighbours}
    place.lose_silent()
    assert place.parent == PARENT
    assert CHILD in place.children


def test_where_only_the_parent_and_children_have_room_a_stranger_is_not_noted_and_a_child_is() -> None:
    neighbours = Neighbours(TreeGroupParameters(neighbours_max=2), {1, 2, 3}.__contains__)
    assert neighbours.hear(1, HEARTBEAT, 1.0, HERE)
    assert neighbours.hear(2, HEARTBEAT, 2.0, HERE)
    assert not neighbours.hear(9, HEARTBEAT, 3.0, HERE)
    assert neighbours.hear(3, HEARTBEAT, 4.0, HERE)
    assert [node for node, _ in neighbours] == [2, 3]


def heard(neighbours: Neighbours, *away_m: float) -> None:
    for node, each_m in enumerate(away_m):
        neighbours.hear(node, replace(HEARTBEAT, position=(each_m, 0.0)), 1.0, HERE)


def test_a_forged_position_does_not_say_for_long_how_far_the_radio_reaches() -> None:
    neighbours = Neighbours(TreeGroupParameters(), set[int]().__contains__)
    heard(neighbours, 50.0, 90.0, 100.0, 140.0)
    neighbours.hear(9, replace(HEARTBEAT, position=(9_000.0, 0.0)), 1.0, HERE)
    neighbours.hear(10, replace(HEARTBEAT, position=(90_000.0, 0.0)), 1.0, HERE)
    assert neighbours.reach_m < 90_000
    neighbours.age()
    assert 140.0 <= neighbours.reach_m <= 400.0  # four times the one in the middle
    row = neighbours.get(9)
    assert row is not None
    assert neighbours.is_weak(row)
    assert neighbours.strength(row) == 0.0
    for _ in range(100):
        neighbours.age()
    assert neighbours.reach_m == 140.0


def test_even_one_that_is_heard_alone_is_forgotten_in_some_minutes() -> None:
    neighbours = Neighbours(TreeGroupParameters(), set[int]().__contains__)
    neighbours.hear(9, replace(HEARTBEAT, position=(9_000.0, 0.0)), 1.0, HERE)
    neighbours.forget(9)
    heard(neighbours, 100.0)
    for _ in range(300):
        neighbours.age()
    assert neighbours.reach_m == 100.0


def test_what_a_process_remembers_of_events_is_a_few_hundred_entries() -> None:
    limit = event_masks.cache_info().maxsize
    assert limit is not None
    assert limit <= 512
