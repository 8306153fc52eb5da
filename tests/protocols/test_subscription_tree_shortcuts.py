"""When a node of the subscription tree leaves a parent that is there: for a shortcut, or when the root is not heard."""

import pytest

from roamcast.protocols.subscription_tree.messages import Acceptance, Activation, Label, SubscriptionList, TreeHello
from roamcast.protocols.subscription_tree.parameters import SubscriptionTreeParameters
from roamcast.protocols.subscription_tree.protocol import SubscriptionTree
from roamcast.testing import RecordingHost

ME, PARENT, OTHER, THIRD, ROOT = 1, 2, 4, 5, 9
LEVEL = 11


def label(level: int, number: int = 5, epoch: int = 1) -> Label:
    return Label(epoch, ROOT, number, level)


def attached(level: int = LEVEL, **parameters: float) -> tuple[RecordingHost, SubscriptionTree]:
    """Return a node that has joined a tree at some level."""
    host = RecordingHost(ME)
    tree = host.install(SubscriptionTree, SubscriptionTreeParameters(**parameters))  # type: ignore[arg-type]
    tree.on_message(TreeHello(24, label(level - 1), 8), PARENT)
    tree.on_message(Acceptance(24, label(level - 1)), PARENT)
    assert (tree.tree_position.parent, tree.tree_position.label.level) == (PARENT, level)
    host.unicasts.clear()
    return host, tree


def activated(host: RecordingHost) -> list[int]:
    return [sent.to for sent in host.unicasts if isinstance(sent.message, Activation)]


@pytest.mark.parametrize(("hops", "level", "is_taken"), [(6, 4, True), (6, 5, False), (2, 8, True), (2, 9, False)])
def test_a_stranger_is_a_shortcut_if_below_it_the_node_stands_so_many_hops_nearer_to_the_root(
    hops: int, level: int, is_taken: bool
) -> None:
    host, tree = attached(shortcut_hops=hops)
    tree.on_message(TreeHello(24, label(level), 7), OTHER)
    assert activated(host) == ([OTHER] if is_taken else [])
    assert tree.tree_position.parent == PARENT  # until the other one has accepted


def test_the_link_to_the_former_parent_is_closed_when_the_shortcut_is_accepted() -> None:
    host, tree = attached()
    tree.on_message(TreeHello(24, label(2), 7), OTHER)
    tree.on_message(Acceptance(24, label(2)), OTHER)
    assert (tree.tree_position.parent, tree.tree_position.label) == (OTHER, label(3))
    assert set(tree.tree_position.links) == {OTHER}
    assert [sent.to for sent in host.unicasts if isinstance(sent.message, SubscriptionList)] == [OTHER]


def test_a_shortcut_is_asked_for_once_at_a_time() -> None:
    host, tree = attached()
    for stranger in (OTHER, THIRD):
        tree.on_message(TreeHello(24, label(2), 7), stranger)
    assert activated(host) == [OTHER]
    host.advance_to(0.6)  # it has not answered
    tree.on_message(TreeHello(24, label(2), 7), THIRD)
    assert activated(host) == [OTHER, THIRD]


@pytest.mark.parametrize("behind", [label(2, number=4), label(2, epoch=0), Label(1, ROOT - 1, 5, 2)])
def test_who_has_an_older_hello_of_the_root_or_none_or_is_of_a_lower_tree_is_no_shortcut(behind: Label) -> None:
    host, tree = attached()
    tree.on_message(TreeHello(24, behind, 7), OTHER)
    host.advance_to(1.2)
    assert activated(host) == []


def hear_parent(host: RecordingHost, tree: SubscriptionTree, until_s: float, said: Label) -> None:
    """Let time pass in which the parent says the same again and again."""
    while host.now < until_s:
        host.advance_to(min(host.now + 0.5, until_s))
        if tree.tree_position.parent == PARENT:
            tree.on_message(TreeHello(24, said, 8), PARENT)


@pytest.mark.parametrize("root_hello_s", [1.0, 0.5])
def test_a_parent_that_passes_no_new_hello_of_the_root_on_is_left_after_ten_of_them(root_hello_s: float) -> None:
    host, tree = attached(root_hello_s=root_hello_s)
    patience_s = 10 * root_hello_s
    hear_parent(host, tree, patience_s / 2, label(LEVEL - 1))
    hear_parent(host, tree, patience_s, label(LEVEL - 3))  # it has come nearer to the root: no news of it
    assert (tree.tree_position.parent, tree.tree_position.label) == (PARENT, label(LEVEL - 2))
    hear_parent(host, tree, patience_s + 1.5, label(LEVEL - 3))
    assert tree.tree_position.parent is None
    assert PARENT not in tree.tree_position.links


def test_a_parent_that_passes_one_new_hello_on_now_and_then_is_kept() -> None:
    host, tree = attached()
    for number in (6, 7, 8):
        hear_parent(host, tree, host.now + 8.5, label(LEVEL - 1, number))
    assert tree.tree_position.parent == PARENT
