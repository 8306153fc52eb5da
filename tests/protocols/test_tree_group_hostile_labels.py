"""Forged labels: what one neighbour says once must not cut a network of tree groups, or a subscription tree, off."""

from typing import Any

import pytest
from tree_networks import TreeNetwork, check_trees

from roamcast.core.messages import Message
from roamcast.protocols.shared.tree_epochs import EPOCH_MAX, EPOCH_WINDOW, LEAPS_BELIEVED, EpochGuard, next_epoch
from roamcast.protocols.subscription_tree import messages as tree
from roamcast.protocols.subscription_tree.protocol import SubscriptionTree
from roamcast.protocols.tree_group.messages import (
    ACCEPTED,
    LEADER,
    MEMBER,
    Heartbeat,
    JoinReply,
    JoinRequest,
    Label,
    MergeReply,
    MergeRequest,
)
from roamcast.testing import RecordingHost, event_of, interest_in

HUGE = (EPOCH_MAX - 1, EPOCH_MAX // 2 - 1, 2**80, 2**40, EPOCH_WINDOW * 2)
STRANGER = 99
POINTS_M = [(100.0 * column, 100.0 * row) for column in range(4) for row in range(3)]


class SubscriptionTrees(TreeNetwork):
    """The same network with the other protocol."""

    def install(self, host: RecordingHost, _: object) -> Any:
        return host.install(SubscriptionTree, None)


def forged(epoch: int) -> list[Message]:
    """Return a message of each kind that has a label, with a huge epoch."""
    label: Label = (epoch, STRANGER, 0)
    beat = Heartbeat(50, 1, 1.0, LEADER, label, None, 1.0, 0, 1, 0, 1, None, (50.0, 50.0), (), ())
    return [
        beat,
        JoinRequest(82, MEMBER, label, 1.0, 0, 1, 0),
        JoinReply(18, ACCEPTED, LEADER, label, 0),
        MergeReply(30, label, ()),
        *(MergeRequest(30, group, label, 1.0, 0, 1, 0, 0, 0, (STRANGER,)) for group in range(len(POINTS_M))),
    ]


@pytest.mark.parametrize("epoch", HUGE)
def test_tree_groups_deliver_to_all_after_everybody_has_heard_huge_epochs_of_strangers_and_in_neighbours_names(
    epoch: int,
) -> None:
    network = TreeNetwork(POINTS_M)
    for protocol in network.protocols:
        protocol.subscribe(interest_in("news"))
    assert network.settle()
    for node, protocol in enumerate(network.protocols):
        place = protocol.tree_position
        for sender in (STRANGER, place.parent, *place.children):
            for message in forged(epoch):
                if sender is not None and sender != node:
                    protocol.on_message(message, sender)
    assert max(place.label[0] for place in network.places) < EPOCH_WINDOW
    assert {"implausible-label", "malformed"} & set(network.hosts[0].drop_reasons())
    assert network.settle()
    check_trees(network.places, range(len(POINTS_M)), 9)
    network.protocols[0].publish(event_of(0, published_at_s=network.now_s))
    network.advance_to(network.now_s + 3.0)
    assert [len(numbers) for numbers in network.delivered().values()] == [1] * len(POINTS_M)


@pytest.mark.parametrize("epoch", HUGE)
@pytest.mark.parametrize("number", [1, tree.NUMBER_MAX])
def test_a_subscription_tree_delivers_to_all_after_everybody_has_heard_huge_epochs(epoch: int, number: int) -> None:
    network = SubscriptionTrees(POINTS_M)
    protocols: list[Any] = list(network.protocols)
    for protocol in protocols:
        protocol.subscribe(interest_in("news"))
    network.advance_to(15.0)
    label = tree.Label(epoch, STRANGER, number, 0)
    kinds = (tree.JoinRequest, tree.JoinReply, tree.Activation, tree.Acceptance)
    for protocol in protocols:
        for sender in (STRANGER, *protocol.tree_position.links):
            for message in (tree.TreeHello(24, label, None), *(kind(24, label) for kind in kinds)):
                protocol.on_message(message, sender)
    assert max(protocol.tree_position.label.epoch for protocol in protocols) < EPOCH_WINDOW
    network.advance_to(30.0)
    protocols[0].publish(event_of(0, published_at_s=30.0))
    network.advance_to(33.0)
    assert [len(numbers) for numbers in network.delivered().values()] == [1] * len(POINTS_M)


def test_an_epoch_far_ahead_is_believed_of_who_keeps_saying_it_so_that_newcomers_find_an_old_network() -> None:
    guard = EpochGuard()
    told = [guard.is_plausible(2**40, 5, 3, 0.5 * at, is_heartbeat=True) for at in range(LEAPS_BELIEVED)]
    assert told == [False] * (LEAPS_BELIEVED - 1) + [True]


def test_haste_other_messages_and_names_do_not_make_it_believable() -> None:
    guard = EpochGuard()
    assert not any(guard.is_plausible(2**40, 5, 3, 1.0, is_heartbeat=True) for _ in range(100))
    assert not any(guard.is_plausible(2**40, 5, 4, float(at), is_heartbeat=False) for at in range(100))
    assert not any(guard.is_plausible(2**40, 5, name, float(name), is_heartbeat=True) for name in range(10, 1000))
    assert not any(guard.is_plausible(EPOCH_MAX - 2, 5, 5, float(at), is_heartbeat=True) for at in range(100))
    assert len(guard._leaps) < 100


def test_no_epoch_is_made_that_others_would_refuse() -> None:
    assert next_epoch(3, 7, -1) == 8
    assert next_epoch(EPOCH_MAX - 1) == EPOCH_MAX - 1


def test_newcomers_join_groups_of_a_much_later_epoch() -> None:
    network = TreeNetwork([(0.0, 0.0), (70.0, 0.0), (140.0, 0.0)])
    old = network.protocols[0].tree_position
    old.epoch_heard = 2**40
    old.lead()
    network.advance_to(60.0)
    assert len({place.group for place in network.places}) == 1
    assert min(place.label[0] for place in network.places) > 2**40
