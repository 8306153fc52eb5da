"""The place of one node of a tree group, step by step: Algorithm 1, labels, weights, lying peers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_group_peers import LABEL, ME, NEWS, NEWS_BITS, heartbeat, last, member, node, request

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    JOINED,
    LEADER,
    LOST,
    MEMBER,
    NEW,
    NO_LABEL,
    REFUSED,
    SEARCHING,
    FilterUpdate,
    Heartbeat,
    JoinReply,
    JoinRequest,
    Label,
    MergeReply,
    MergeRequest,
    Notification,
    below,
)
from roamcast.protocols.tree_group.neighbour_tables import Neighbours
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.testing import event_of

NOBODY: frozenset[int] = frozenset()


# --- Algorithm 1 ---------------------------------------------------------------------------------------------


def test_a_node_asks_a_group_that_it_hears_with_its_filter_and_stands_one_level_below() -> None:
    host, protocol = node()
    protocol.subscribe(NEWS)
    host.advance_to(1.0)
    protocol.on_message(heartbeat(), 2)
    asked, to = last(host)
    assert isinstance(asked, JoinRequest)
    assert (to, asked.state, asked.label, asked.bits) == (2, NEW, NO_LABEL, NEWS_BITS)
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, LABEL, 0), 2)
    assert (protocol.tree_position.state, protocol.tree_position.parent) == (MEMBER, 2)
    assert (protocol.tree_position.group, protocol.tree_position.level) == (1, 2)
    assert not [sent for sent in host.unicasts if isinstance(sent.message, FilterUpdate)]  # the request had it


def test_line_1_a_member_takes_a_child_and_tells_its_own_label() -> None:
    host, protocol = member()
    protocol.on_message(request(bits=NEWS_BITS), 9)
    assert last(host) == (JoinReply(18, ACCEPTED, MEMBER, below(LABEL), 0), 9)
    host.advance_to(1.1)
    assert last(host) == (FilterUpdate(76, NEWS_BITS), 2)


def test_line_1_a_member_at_the_last_level_refuses() -> None:
    host, protocol = member(levels_limit=2, levels_preferred=2)
    assert protocol.tree_position.level == 2
    protocol.on_message(request(), 9)
    assert last(host) == (JoinReply(18, REFUSED, MEMBER, below(LABEL), 0), 9)


def test_line_4_a_node_without_a_group_becomes_the_child_of_a_member_that_asks() -> None:
    host, protocol = node()
    protocol.on_message(request(LABEL, MEMBER), 9)
    assert protocol.tree_position.parent == 9
    assert last(host) == (JoinReply(18, JOINED, MEMBER, below(LABEL), 0), 9)


@pytest.mark.parametrize(("weight", "outcome"), [(0.0, ACCEPTED), (9.0, REFUSED)])
def test_line_7_of_two_without_a_group_the_heavier_one_leads(weight: float, outcome: int) -> None:
    host, protocol = node()
    protocol.on_message(request(weight=weight), 9)
    reply, to = last(host)
    assert isinstance(reply, JoinReply)
    assert (to, reply.outcome) == (9, outcome)
    assert (protocol.tree_position.state == LEADER) == (outcome == ACCEPTED)


def test_a_node_that_hears_nobody_leads_a_group_of_one() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    assert (protocol.tree_position.state, protocol.tree_position.group, protocol.tree_position.level) == (LEADER, ME, 0)


def test_the_joined_answer_of_a_neighbour_makes_it_a_child_with_its_filter() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    protocol._joining.request(3)
    protocol.on_message(JoinReply(82, JOINED, MEMBER, (9, ME, -1), NEWS_BITS), 3)
    assert [(child, row.bits) for child, row in protocol.tree_position.children.items()] == [(3, NEWS_BITS)]


# --- labels: never a cycle -----------------------------------------------------------------------------------


def test_a_node_never_asks_nor_accepts_one_whose_label_is_not_greater_since_it_may_be_a_descendant() -> None:
    host, protocol = member()
    host.advance_to(1.2)
    protocol.on_message(request(state=SEARCHING, label=(8, 1, 0)), 9)  # newer than this node's own label
    reply, _ = last(host)
    assert isinstance(reply, JoinReply)
    assert reply.outcome == REFUSED
    host.unicasts.clear()
    protocol.on_unicast_failed(FilterUpdate(76, 0), 2)
    for _ in range(4):
        protocol.on_unicast_failed(FilterUpdate(76, 0), 2)
    assert protocol.tree_position.state == SEARCHING
    protocol.on_message(heartbeat(label=(7, 1, -2), parent=4), 3)  # as deep as this node was: perhaps below it
    protocol.on_message(heartbeat(label=(6, 9, 0), parent=None, state=LEADER), 4)  # of an older epoch
    assert not [sent for sent in host.unicasts if isinstance(sent.message, JoinRequest)]
    protocol.on_message(heartbeat(label=(8, 1, -3), parent=4), 3)  # a newer epoch cannot have come through this node
    assert last(host)[1] == 3


labels = st.tuples(st.integers(0, 20), st.integers(0, 9), st.integers(-12, 0))


@given(st.lists(st.tuples(st.sampled_from((2, 3, 4)), labels, st.integers(0, 4), st.booleans()), max_size=30))
def test_a_label_never_falls_whatever_peers_say(story: list[tuple[int, Label, int, bool]]) -> None:
    host, protocol = member()
    before = protocol.tree_position.label
    for beat, (sender, label, state, is_reply) in enumerate(story, start=2):
        message: Message = JoinReply(18, ACCEPTED, state, label, 0) if is_reply else heartbeat(beat, state, label)
        protocol.on_message(message, sender)
        host.advance_to(host.now + 0.3)
        assert protocol.tree_position.label >= before
        before = protocol.tree_position.label


def test_a_parent_that_comes_too_deep_is_left() -> None:
    _, protocol = member()
    protocol.on_message(heartbeat(2, label=(9, 1, -9)), 2)
    assert (protocol.tree_position.state, protocol.tree_position.parent) == (SEARCHING, None)


def test_a_member_follows_its_parent_into_another_group() -> None:
    _, protocol = member()
    protocol.on_message(heartbeat(2, label=(9, 8, -3)), 2)
    assert (protocol.tree_position.group, protocol.tree_position.level, protocol.tree_position.parent) == (8, 4, 2)


def test_a_searching_parent_keeps_its_children_and_a_lost_one_does_not() -> None:
    _, protocol = member()
    protocol.on_message(heartbeat(2, state=SEARCHING, parent=None), 2)
    assert protocol.tree_position.parent == 2
    protocol.on_message(heartbeat(3, state=LOST, parent=None), 2)
    assert protocol.tree_position.state == SEARCHING


def test_a_node_without_a_parent_tells_its_children_after_two_heartbeats_and_then_leads() -> None:
    host, protocol = member()
    protocol.on_message(request(bits=1), 9)
    protocol.on_message(heartbeat(2, state=LOST, parent=None), 2)
    states: list[int] = []
    for _ in range(60):
        host.advance_to(host.now + 0.1)
        protocol.on_message(heartbeat(len(states), label=below(below(LABEL)), parent=ME), 9)
        states.append(protocol.tree_position.state)
    assert [states.index(state) for state in (SEARCHING, LOST, LEADER)] == sorted(
        states.index(state) for state in (SEARCHING, LOST, LEADER)
    )
    told = [sent.message.state for sent in host.broadcasts if isinstance(sent.message, Heartbeat)]
    assert LOST in told
    assert 9 in protocol.tree_position.children


def test_a_child_that_says_it_has_another_parent_is_removed_with_its_filter() -> None:
    host, protocol = member()
    protocol.on_message(request(bits=NEWS_BITS), 9)
    host.advance_to(2.0)
    protocol.on_message(heartbeat(2), 2)
    protocol.on_message(heartbeat(3, parent=4), 9)
    host.advance_to(4.0)
    assert 9 not in protocol.tree_position.children
    updates = [sent.message for sent in host.unicasts if isinstance(sent.message, FilterUpdate)]
    assert [each.bits for each in updates] == [NEWS_BITS, 0]


def test_who_takes_this_node_for_its_parent_by_mistake_is_told() -> None:
    host, protocol = member()
    protocol.on_message(heartbeat(4, label=below(below(LABEL)), parent=ME), 9)
    reply, to = last(host)
    assert isinstance(reply, JoinReply)
    assert (to, reply.outcome) == (9, REFUSED)
    protocol.on_message(JoinReply(18, REFUSED, MEMBER, LABEL, 0), 2)
    assert protocol.tree_position.parent is None


# --- the leader's weight -------------------------------------------------------------------------------------


def test_the_weight_is_the_mean_of_four_values_and_a_leader_has_a_bonus() -> None:
    neighbours = Neighbours(TreeGroupParameters(), NOBODY.__contains__)
    assert neighbours.weight(is_leader=False) == pytest.approx(1 / 4)  # only power
    for other in range(4):
        others = tuple(each for each in range(4) if each != other)
        neighbours.hear(other, heartbeat(neighbours=others, position=(0.0, 10.0)), 0.0, Position(0.0, 10.0))
    full = (1.0 + 1.0 + 1.0 + 4 / 16) / 4
    assert neighbours.weight(is_leader=False) == pytest.approx(full)
    assert neighbours.weight(is_leader=True) == pytest.approx(full + 0.25)


def test_missed_heartbeats_and_distance_make_a_signal_weaker() -> None:
    signal_only = TreeGroupParameters(power_weight=0, clustering_weight=0, dissemination_weight=0)
    neighbours = Neighbours(signal_only, NOBODY.__contains__)
    here = Position(0.0, 0.0)
    neighbours.hear(1, heartbeat(1, position=(0.0, 0.0)), 0.0, here)
    assert neighbours.weight(is_leader=False) == pytest.approx(1.0)
    neighbours.hear(1, heartbeat(4, position=(0.0, 0.0)), 3.0, here)
    assert neighbours.weight(is_leader=False) == pytest.approx(0.3 + 0.7**3)
    neighbours.hear(2, heartbeat(1, position=(100.0, 0.0)), 3.0, here)
    near, far = neighbours.get(1), neighbours.get(2)
    assert near is not None
    assert far is not None
    assert (neighbours.strength(near), neighbours.strength(far)) == (1.0, 0.0)
    assert neighbours.is_weak(far)


def test_who_goes_away_fast_is_weak_before_it_is_far() -> None:
    neighbours = Neighbours(TreeGroupParameters(), NOBODY.__contains__)
    here = Position(0.0, 0.0)
    neighbours.hear(1, heartbeat(1, position=(150.0, 0.0)), 0.0, here)
    neighbours.hear(2, heartbeat(1, position=(60.0, 0.0)), 0.0, here)
    neighbours.hear(3, heartbeat(1, position=(90.0, 0.0)), 0.0, here)
    neighbours.hear(2, heartbeat(2, position=(95.0, 0.0)), 1.0, here)
    leaving, staying = neighbours.get(2), neighbours.get(3)
    assert leaving is not None
    assert staying is not None
    assert neighbours.is_weak(leaving)
    assert not neighbours.is_weak(staying)


# --- peers that lie ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        heartbeat(interval_s=0.0),
        heartbeat(interval_s=float("nan")),
        heartbeat(label=(2**70, 1, 0)),
        heartbeat(label=(1, 1, 3)),
        heartbeat(state=9),
        heartbeat(height=-1),
        heartbeat(neighbours=tuple(range(300))),
        heartbeat(adjacent=((1, 0, 0, 0, 0),) * 300),
        request(bits=-1),
        request(bits=1 << 512),
        MergeRequest(30, 1, LABEL, 0.5, 1, 1, 0, 0, 0, ()),
        MergeRequest(30, 1, LABEL, 0.5, 1, 1, 0, 0, 0, tuple(range(100))),
        MergeReply(30, (-5, 1, 0), ()),
        Notification(420, event_of(8, size_bytes=0), (), (), 0),
        Notification(420, event_of(8), (), (), -1),
        Notification(420, event_of(8), (), tuple(range(300)), 0),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_cannot_be_true_is_dropped_and_changes_nothing(message: Message) -> None:
    host, protocol = member()
    protocol.subscribe(NEWS)
    before = (protocol.tree_position.label, protocol.tree_position.parent, len(protocol.tree_position.children))
    protocol.on_message(message, 9)
    assert host.drop_reasons() == ["malformed"]
    assert (protocol.tree_position.label, protocol.tree_position.parent, len(protocol.tree_position.children)) == before
    assert host.deliveries == []


def test_a_filter_of_who_is_no_child_is_dropped_and_its_sender_told() -> None:
    host, protocol = member()
    protocol.on_message(FilterUpdate(76, 1), 9)
    assert host.drop_reasons() == ["no-child"]
    reply, to = last(host)
    assert isinstance(reply, JoinReply)
    assert (to, reply.outcome) == (9, REFUSED)


def test_storage_is_the_memory_for_the_subscriptions_of_others_and_a_leaf_has_none() -> None:
    _, protocol = member()
    protocol.subscribe(NEWS)
    assert protocol.storage_bytes() == 0
    protocol.on_message(request(bits=1), 9)
    assert protocol.storage_bytes() == 64 + 68
    protocol.on_message(request(bits=1), 10)
    assert protocol.storage_bytes() == 64 + 2 * 68


def test_a_leader_of_nobody_that_asks_a_group_begins_no_epoch_until_the_answer_is_there() -> None:
    host, protocol = node()
    host.advance_to(5.0)
    epoch = protocol.tree_position.label[0]
    theirs = (epoch + 2, 1, -1)
    protocol.on_message(heartbeat(label=theirs), 2)
    while not host.unicasts:
        host.advance_to(host.now + 0.1)
    asked, to = last(host)
    assert isinstance(asked, JoinRequest)
    assert (to, asked.label) == (2, protocol.tree_position.label)  # though it has sent a heartbeat since
    assert host.broadcasts[-1].at_s == host.unicasts[-1].at_s
    protocol.on_message(JoinReply(18, ACCEPTED, MEMBER, theirs, 0), 2)
    assert protocol.tree_position.parent == 2


@pytest.mark.parametrize(("weight", "agrees"), [(0.3, True), (0.8, False), (float("nan"), False)])
def test_of_two_trees_as_deep_the_leader_stays_that_is_not_lighter_by_more_than_its_bonus(
    weight: float, agrees: bool
) -> None:
    host, protocol = node()
    host.advance_to(5.0)
    assert protocol.tree_position.weight() == pytest.approx(0.25 + 0.25)  # power alone, and the bonus
    protocol.on_message(MergeRequest(30, ME, (99, 3, 0), weight, 0, 1, 0, 0, 0, (3,)), 3)
    replies = [sent for sent in host.unicasts if isinstance(sent.message, MergeReply)]
    assert bool(replies) == agrees
    assert host.drop_reasons() == ([] if agrees else ["not-merged"])
    if agrees:
        assert replies[0].to == 3
        assert protocol.tree_position.label[0] > 99  # a new epoch, greater than the other group's


@pytest.mark.parametrize("positions", [True, False])
def test_who_may_use_no_positions_neither_tells_its_own_nor_heeds_anothers(positions: bool) -> None:
    host, protocol = node(positions=positions)
    host.current_position = Position(10.0, 0.0)
    protocol.on_message(heartbeat(position=(110.0, 0.0)), 2)
    host.advance_to(1.0)
    (told, *_) = [sent.message for sent in host.broadcasts if isinstance(sent.message, Heartbeat)]
    row = protocol.tree_position.neighbours.get(2)
    assert row is not None
    assert (told.position, row.distance_m) == ((host.current_position, 100.0) if positions else (None, None))


def test_a_node_that_its_parent_has_lost_for_a_moment_asks_it_again_at_once() -> None:
    host, protocol = member()
    protocol.on_message(JoinReply(18, REFUSED, MEMBER, LABEL, 0), 2)
    protocol.on_message(heartbeat(2, label=(8, 1, -1)), 2)
    asked, to = last(host)
    assert isinstance(asked, JoinRequest)
    assert (to, asked.state) == (2, SEARCHING)
