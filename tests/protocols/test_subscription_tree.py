"""The subscription tree's rules on one node: who is asked, who is answered, and what happens when a link breaks."""

from collections.abc import Iterable
from itertools import pairwise

import pytest

from roamcast.core.messages import Message
from roamcast.protocols.subscription_tree.messages import (
    Acceptance,
    Activation,
    JoinReply,
    JoinRequest,
    Label,
    SubscriptionChange,
    SubscriptionList,
    TreeEvent,
    TreeHello,
)
from roamcast.protocols.subscription_tree.parameters import SubscriptionTreeParameters
from roamcast.protocols.subscription_tree.protocol import SubscriptionTree
from roamcast.testing import RecordingHost, event_of, interest_in

ME, PARENT, CHILD, OTHER = 1, 2, 3, 4
ROOT = 9
NEWS, LOCAL, TRAFFIC = (interest_in(topic) for topic in ("news", "news.local", "traffic"))


def label(number: int = 5, level: int = 2, epoch: int = 1) -> Label:
    return Label(epoch, ROOT, number, level)


def hello(at: Label, parent: int | None = None) -> TreeHello:
    return TreeHello(24, at, parent)


def new_node(**parameters: float) -> tuple[RecordingHost, SubscriptionTree]:
    host = RecordingHost(ME, 0.5)
    return host, host.install(SubscriptionTree, SubscriptionTreeParameters(**parameters))  # type: ignore[arg-type]


def attached(**parameters: float) -> tuple[RecordingHost, SubscriptionTree]:
    """Return a node that has a parent at level 2 and so is at level 3."""
    host, tree = new_node(**parameters)
    tree.on_message(hello(label()), PARENT)
    tree.on_message(Acceptance(24, label()), PARENT)
    assert tree.tree_position.parent == PARENT
    host.unicasts.clear()
    host.broadcasts.clear()
    return host, tree


def with_child(*asked: str, **parameters: float) -> tuple[RecordingHost, SubscriptionTree]:
    """Return a node with a parent and a child that asks for something."""
    host, tree = attached(**parameters)
    tree.on_message(Activation(24, Label()), CHILD)
    tree.on_message(SubscriptionList(4, tuple(map(interest_in, asked))), CHILD)
    host.unicasts.clear()
    return host, tree


def unicasts(host: RecordingHost, *kinds: type[Message]) -> list[tuple[Message, int]]:
    return [(each.message, each.to) for each in host.unicasts if isinstance(each.message, kinds)]


def stay_heard(host: RecordingHost, tree: SubscriptionTree, until_s: float, nodes: Iterable[int] = (PARENT,)) -> None:
    """Let time pass in which neighbours are heard; with each of the root's hellos."""
    number = tree.tree_position.label.number
    while host.now < until_s:
        number += 1
        host.advance_to(min(host.now + 1.0, until_s))
        for node in nodes:
            tree.on_message(
                hello(label(number) if node == PARENT else label(number, 4), ME if node != PARENT else 8), node
            )


# --- finding a place --------------------------------------------------------------------------------------------


def test_a_node_that_hears_of_a_tree_asks_for_a_place_in_it_and_takes_it_when_it_is_accepted() -> None:
    host, tree = new_node()
    tree.on_message(hello(label()), PARENT)
    assert unicasts(host, Activation) == [(Activation(24, Label()), PARENT)]
    assert not tree.tree_position.is_attached
    tree.on_message(Acceptance(24, label()), PARENT)
    assert (tree.tree_position.parent, tree.tree_position.label) == (PARENT, label(level=3))
    assert unicasts(host, SubscriptionList) == [(SubscriptionList(4, ()), PARENT)]


def test_a_node_alone_asks_twice_and_is_then_silent_but_for_its_hellos() -> None:
    host, tree = new_node()
    host.advance_to(60.0)
    requests = [sent.at_s for sent in host.broadcasts if isinstance(sent.message, JoinRequest)]
    assert requests == pytest.approx([0.5, 0.85])
    assert not tree.tree_position.is_attached
    assert tree.tree_position.label == Label()


def test_a_node_that_has_lost_its_tree_asks_five_times_each_time_after_twice_as_long() -> None:
    host, tree = with_child()
    host.advance_to(60.0)
    requests = [sent.at_s for sent in host.broadcasts if isinstance(sent.message, JoinRequest)]
    waits_s = [later - earlier for earlier, later in pairwise(requests)]
    assert waits_s == pytest.approx([0.35, 0.6, 1.1, 2.1])
    assert not tree.tree_position.is_attached  # nobody is there: it would be a root of nothing


def test_who_hears_only_nodes_without_a_tree_becomes_a_root() -> None:
    host, tree = new_node()
    for at_s in range(12):
        host.advance_to(float(at_s))
        tree.on_message(hello(Label()), OTHER)
    assert tree.tree_position.is_root
    assert tree.tree_position.label.tree == (1, ME)
    assert tree.tree_position.label.number > 1


def test_the_nearest_of_those_who_answer_is_activated_and_the_next_if_that_fails() -> None:
    host, tree = new_node()
    host.advance_to(0.5)
    for node, level in ((PARENT, 7), (CHILD, 3), (OTHER, 4)):
        tree.on_message(JoinReply(24, label(level=level)), node)
    host.advance_to(0.7)
    assert unicasts(host, Activation) == [(Activation(24, Label()), CHILD)]
    tree.on_unicast_failed(Activation(24, Label()), CHILD)
    host.advance_to(1.3)  # the second does not answer, either
    assert [to for _, to in unicasts(host, Activation)] == [CHILD, OTHER, PARENT]


@pytest.mark.parametrize(
    ("asking", "answered"),
    [
        (Label(), True),
        (label(level=4), True),
        (label(level=3), False),
        (label(level=2), False),
        (label(number=4, level=1), True),
        (label(number=6, level=9), False),
    ],
)
def test_a_request_is_answered_by_who_is_nearer_to_the_root_or_knows_a_newer_hello(
    asking: Label, answered: bool
) -> None:
    host, tree = attached()
    tree.on_message(JoinRequest(24, asking), OTHER)
    tree.on_message(Activation(24, asking), OTHER)
    assert bool(unicasts(host, JoinReply)) == bool(unicasts(host, Acceptance)) == answered
    assert (OTHER in tree.tree_position.links) == answered
    assert host.drop_reasons() == ([] if answered else ["not-nearer"])


def test_the_roots_hello_goes_down_the_tree_at_once_and_only_from_the_parent() -> None:
    host, tree = attached()
    host.advance_to(0.2)
    host.take_messages()
    tree.on_message(hello(label(number=6)), OTHER)
    assert tree.tree_position.label.number == 5
    tree.on_message(hello(label(number=6)), PARENT)
    host.advance_to(0.22)
    assert host.take_messages() == [hello(label(number=6, level=3), PARENT)]


def test_a_higher_tree_is_joined_and_the_link_to_the_former_parent_stays_to_be_turned_round() -> None:
    host, tree = with_child("news")
    higher = Label(2, 7, 1, 0)
    tree.on_message(hello(higher), OTHER)
    host.advance_to(1.0)
    assert unicasts(host, Activation) == [(Activation(24, label(level=3)), OTHER)]
    tree.on_message(Acceptance(24, higher), OTHER)
    assert tree.tree_position.parent == OTHER
    assert set(tree.tree_position.links) == {PARENT, CHILD, OTHER}


def test_a_neighbour_in_the_tree_that_has_joined_a_higher_one_becomes_the_parent() -> None:
    _, tree = with_child()
    tree.on_message(hello(Label(2, 7, 1, 4), OTHER), CHILD)
    assert (tree.tree_position.parent, tree.tree_position.label) == (CHILD, Label(2, 7, 1, 5))
    assert PARENT in tree.tree_position.links


def test_a_child_that_has_found_another_parent_is_let_go() -> None:
    host, tree = with_child("news")
    stay_heard(host, tree, 2.0, (PARENT, CHILD))
    tree.on_message(hello(label(number=7, level=5), OTHER), CHILD)
    assert CHILD not in tree.tree_position.links
    tree.publish(event_of(ME))
    assert unicasts(host, TreeEvent) == []


def test_a_silent_parent_is_lost_and_another_one_asked_for() -> None:
    host, tree = attached()
    host.advance_to(4.0)
    assert tree.tree_position.parent is None
    requests = [sent.message for sent in host.broadcasts if isinstance(sent.message, JoinRequest)]
    assert requests[0] == JoinRequest(24, label(level=3))


# --- subscriptions ----------------------------------------------------------------------------------------------


def test_a_new_subscription_is_told_to_all_sides_and_a_covered_one_to_none() -> None:
    host, tree = with_child()
    tree.subscribe(NEWS)
    host.advance_to(0.05)
    told = SubscriptionChange(4 + 2 + 4, (NEWS,), ())
    assert unicasts(host, SubscriptionChange) == [(told, PARENT), (told, CHILD)]
    tree.subscribe(LOCAL)
    tree.on_message(SubscriptionChange(4, (LOCAL,), ()), CHILD)
    stay_heard(host, tree, 4.0, (PARENT, CHILD))
    assert len(unicasts(host, SubscriptionChange)) == 2


def test_a_wider_subscription_takes_the_place_of_those_that_it_covers() -> None:
    host, tree = with_child("news.local", "traffic")
    host.advance_to(0.05)
    host.unicasts.clear()
    tree.subscribe(NEWS)
    stay_heard(host, tree, 4.0, (PARENT, CHILD))
    to_parent = [message for message, to in unicasts(host, SubscriptionChange) if to == PARENT]
    assert to_parent == [SubscriptionChange(10, (NEWS,), ()), SubscriptionChange(16, (), (LOCAL,))]


def test_what_a_lost_child_asked_for_is_taken_back_after_a_while() -> None:
    host, tree = with_child("news")
    host.advance_to(0.05)
    assert unicasts(host, SubscriptionChange) == [(SubscriptionChange(10, (NEWS,), ()), PARENT)]
    stay_heard(host, tree, 6.0)
    assert CHILD not in tree.tree_position.links
    assert unicasts(host, SubscriptionChange)[1:] == [(SubscriptionChange(10, (), (NEWS,)), PARENT)]
    assert tree.storage_bytes() == 0


def test_many_subscriptions_go_into_several_messages_of_which_the_first_is_the_list() -> None:
    host, tree = attached(message_bytes_max=30)
    for number in range(10):
        tree.subscribe(interest_in(f"t{number}"))
    tree.on_message(Acceptance(24, label()), PARENT)
    sent = [message for message, _ in unicasts(host, SubscriptionList, SubscriptionChange)]
    assert [type(message) for message in sent] == [SubscriptionList, SubscriptionChange]
    assert all(message.size_bytes <= 30 for message in sent)


def test_subscriptions_of_who_is_no_neighbour_in_the_tree_and_too_many_of_them_are_dropped() -> None:
    host, tree = with_child(interests_max=2)
    tree.on_message(SubscriptionList(4, (NEWS,)), OTHER)
    tree.on_message(SubscriptionList(4, (NEWS, LOCAL, TRAFFIC)), CHILD)
    assert host.drop_reasons() == ["not-a-neighbour", "too-many-interests"]


# --- events -----------------------------------------------------------------------------------------------------


def test_an_event_goes_to_the_sides_that_ask_for_it_and_not_back() -> None:
    host, tree = with_child("news")
    tree.on_message(SubscriptionList(4, (NEWS, TRAFFIC)), PARENT)
    tree.on_message(TreeEvent(400, event_of(7), 3), PARENT)
    tree.on_message(TreeEvent(400, event_of(7), 3), CHILD)
    tree.publish(event_of(ME, topic="traffic"))
    sent = unicasts(host, TreeEvent)
    assert sent == [(TreeEvent(400, event_of(7), 4), CHILD), (TreeEvent(400, event_of(ME, topic="traffic"), 1), PARENT)]


def test_a_lost_frame_is_tried_again_a_moment_later_and_with_the_fourth_loss_the_link_is_broken() -> None:
    host, tree = with_child("news")
    event = TreeEvent(400, event_of(ME), 1)
    tree.publish(event_of(ME))
    for tries in range(1, 4):
        assert unicasts(host, TreeEvent) == [(event, CHILD)] * tries
        tree.on_unicast_failed(event, CHILD)
        host.advance_to(host.now + 0.12)
    assert CHILD in tree.tree_position.links
    tree.on_unicast_failed(event, CHILD)
    assert CHILD not in tree.tree_position.links
    assert host.drop_reasons() == ["no-link"]
    host.advance_to(host.now + 1.0)
    assert len(unicasts(host, TreeEvent)) == 4


def test_what_waits_for_another_try_when_the_parent_is_lost_goes_to_the_next_one() -> None:
    host, tree = attached()
    tree.on_message(SubscriptionList(4, (NEWS,)), PARENT)
    tree.publish(event_of(ME))
    event = TreeEvent(400, event_of(ME), 1)
    tree.on_unicast_failed(event, PARENT)
    tree.on_message(hello(label(number=2)), PARENT)  # it has started anew
    assert tree.tree_position.parent is None
    host.advance_to(0.2)
    assert tree.storage_bytes() == 400
    assert unicasts(host, TreeEvent) == [(event, PARENT)]


def test_a_neighbour_that_was_silent_for_more_than_a_heartbeat_of_its_own_gets_no_second_try() -> None:
    host, tree = with_child("news")
    tree.on_message(TreeHello(24, label(level=4), ME, 0.25), CHILD)
    tree.publish(event_of(ME))
    host.advance_to(0.35)
    tree.on_unicast_failed(TreeEvent(400, event_of(ME), 1), CHILD)
    assert CHILD not in tree.tree_position.links


@pytest.mark.parametrize(("speed_mps", "interval_s"), [(None, 1.0), (0.0, 1.0), (5.0, 1.0), (20.0, 0.5), (90.0, 0.25)])
def test_who_moves_fast_says_hello_more_often_and_says_so_as_in_tree_groups(
    speed_mps: float | None, interval_s: float
) -> None:
    host, tree = new_node()
    host.speed_mps = speed_mps
    host.advance_to(20.5)
    hellos = [sent.message for sent in host.broadcasts if isinstance(sent.message, TreeHello)]
    assert len(hellos) == pytest.approx(20.0 / interval_s, rel=0.1)
    assert {each.interval_s for each in hellos} == {interval_s}
    assert not tree.tree_position.is_root


@pytest.mark.parametrize("interval_s", [0.0, -1.0, 0.1, 5.0, float("nan"), float("inf")])
def test_a_hello_with_an_interval_that_nobody_has_is_dropped(interval_s: float) -> None:
    host, tree = attached()
    tree.on_message(TreeHello(24, label(6), None, interval_s), PARENT)
    assert host.drop_reasons() == ["malformed"]


def test_who_beats_fast_is_lost_the_sooner() -> None:
    host, tree = with_child()
    tree.on_message(TreeHello(24, label(level=4), ME, 0.25), CHILD)
    stay_heard(host, tree, 2.0)
    assert CHILD not in tree.tree_position.links
    assert tree.tree_position.parent == PARENT


def test_what_a_lost_parent_did_not_get_goes_to_the_next_one() -> None:
    host, tree = attached(losses_max=1)
    tree.on_message(SubscriptionList(4, (NEWS,)), PARENT)
    first, second = TreeEvent(400, event_of(ME, 0), 1), TreeEvent(400, event_of(ME, 1), 1)
    tree.publish(event_of(ME, 0))
    tree.on_unicast_failed(first, PARENT)
    tree.publish(event_of(ME, 1))
    host.unicasts.clear()
    assert tree.tree_position.parent is None
    assert tree.storage_bytes() == 800
    tree.on_message(hello(label(number=6)), OTHER)
    tree.on_message(Acceptance(24, label(number=6)), OTHER)
    tree.on_message(SubscriptionList(4, (NEWS,)), OTHER)
    assert unicasts(host, TreeEvent) == [(first, OTHER), (second, OTHER)]


def test_subscriptions_that_were_lost_are_all_told_again() -> None:
    host, tree = with_child("news", "traffic")
    host.advance_to(0.05)
    (change, to) = unicasts(host, SubscriptionChange)[0]
    tree.on_unicast_failed(change, to)
    assert unicasts(host, SubscriptionList) == [(SubscriptionList(4 + 6 + 9, (NEWS, TRAFFIC)), PARENT)]


@pytest.mark.parametrize("absurd", [Label(-1), Label(1, 2, -3), Label(2**70), Label(1, 1, 1, 10**6)])
def test_absurd_labels_and_unasked_acceptances_are_dropped(absurd: Label) -> None:
    host, tree = attached()
    for kind in (JoinRequest, JoinReply, Activation, Acceptance):
        tree.on_message(kind(24, absurd), OTHER)
    tree.on_message(hello(absurd), PARENT)
    tree.on_message(Acceptance(24, label(number=9)), OTHER)
    assert host.drop_reasons() == ["malformed"] * 5 + ["unasked"]
    assert (tree.tree_position.parent, tree.tree_position.label) == (PARENT, label(level=3))


def test_a_parent_that_claims_to_be_a_child_or_lower_is_left() -> None:
    for lie in (hello(label(number=6), ME), hello(label(number=5, level=3)), hello(label(number=2))):
        _, tree = attached()
        tree.on_message(lie, PARENT)
        assert tree.tree_position.parent is None
