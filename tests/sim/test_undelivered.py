"""Why events were not delivered: every pair of an event and a subscriber without it has one cause."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from roamcast.core.events import Event
from roamcast.core.host import TreeStanding
from roamcast.protocols.flooding import Flooding
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.sim.simulation import simulate
from roamcast.sim.undelivered import (
    FILTER,
    LATE,
    LOST,
    MOVED,
    NOT_ENTERED,
    ORPHANED,
    OTHER,
    SAMPLE_S,
    UNREACHABLE,
    Witness,
    connected_components,
    reached_over_time,
)
from roamcast.testing import event_of, healing_partition, line

RANGE_M = 100.0
LEADER, MIDDLE, LEAF, PUBLISHER = range(4)
Places = tuple[tuple[tuple[int, int | None], ...] | None, ...]
"""For each node its groups, each with its parent there."""
ONE_TREE: Places = (((1, None),), ((1, LEADER),), ((1, MIDDLE),), ((1, LEADER),))
"""The leader, a child, the child's child and, as another child, the publisher."""


def moment(witness: Witness, at_s: float, places: Places, apart: bool = False) -> None:
    """Show a witness four nodes, next to each other unless the leaf is apart."""
    positions_m = np.array([[0.0, 0.0], [50.0, 0.0], [900.0 if apart else 90.0, 0.0], [10.0, 0.0]])
    nodes: list[Any] = []
    for node, memberships in enumerate(places):
        standing = None if memberships is None else TreeStanding(memberships, node == LEADER)
        nodes.append(SimpleNamespace(tree_standing=lambda standing=standing: standing))
    witness.sample(at_s, positions_m, np.full(4, RANGE_M), nodes)


def causes(witness: Witness, event: Event) -> dict[str, int]:
    witness.explain([(event, [LEAF])])
    return dict(witness.causes)


def seen(
    places: Places = ONE_TREE, later: Places | None = None, apart: bool = False, heard: tuple[int, ...] = ()
) -> Witness:
    """Return a witness of an event of 1 s, which some nodes heard at once, in trees that may change at 2 s."""
    witness = Witness()
    for step in range(20):
        at_s = SAMPLE_S * step
        moment(witness, at_s, later if later is not None and at_s >= 2.0 else places, apart)
    witness.received([EVENT], heard, 1.01)
    return witness


EVENT = event_of(PUBLISHER, published_at_s=1.0, validity_s=3.0)


def test_a_subscriber_that_was_never_connected_to_the_publisher_was_unreachable() -> None:
    assert causes(seen(apart=True), EVENT) == {UNREACHABLE: 1}


def test_without_trees_no_more_is_known_than_that_there_was_a_path() -> None:
    assert causes(seen((None,) * 4), EVENT) == {OTHER: 1}


def test_a_subscriber_that_has_received_it_was_late() -> None:
    assert causes(seen(heard=(LEADER, MIDDLE, LEAF)), EVENT) == {LATE: 1}


def test_a_group_without_a_node_that_has_the_event_was_never_entered() -> None:
    elsewhere: Places = (((1, None),), ((1, LEADER),), ((1, MIDDLE),), ((7, None),))
    assert causes(seen(elsewhere), EVENT) == {NOT_ENTERED: 1}


def test_a_group_that_a_gateway_is_in_as_its_second_was_entered() -> None:
    by_gateway: Places = (((1, None),), ((1, LEADER),), ((1, MIDDLE),), ((7, None), (1, LEADER)))
    assert causes(seen(by_gateway, heard=(LEADER, MIDDLE)), EVENT) == {FILTER: 1}


@pytest.mark.parametrize("node", [MIDDLE, LEAF])
def test_a_subscriber_below_a_node_without_a_parent_was_orphaned(node: int) -> None:
    places = tuple(((1, None),) if each == node else memberships for each, memberships in enumerate(ONE_TREE))
    assert causes(seen(places), EVENT) == {ORPHANED: 1}


def test_a_frame_that_was_given_up_on_the_way_up_is_the_cause_while_nobody_above_has_the_event() -> None:
    witness = seen()
    witness.given_up([EVENT], LEADER)
    assert causes(witness, EVENT) == {LOST: 1}


@pytest.mark.parametrize(("to", "cause"), [(LEAF, LOST), (MIDDLE, LOST), (PUBLISHER, FILTER)])
def test_a_frame_that_was_given_up_on_the_way_down_is_the_cause_and_others_are_not(to: int, cause: str) -> None:
    witness = seen(heard=(LEADER, MIDDLE))
    witness.given_up([EVENT], to)
    assert causes(witness, EVENT) == {cause: 1}


def test_a_subscriber_that_came_below_a_node_after_that_had_the_event_has_changed_its_branch() -> None:
    before: Places = (((1, None),), ((1, LEADER),), ((9, None),), ((1, LEADER),))
    assert causes(seen(before, later=ONE_TREE, heard=(LEADER, MIDDLE)), EVENT) == {MOVED: 1}


# --- paths over time -------------------------------------------------------------------------------------------


def test_nodes_are_connected_over_hops_within_the_range_of_both_ends_and_absent_ones_are_not() -> None:
    x_m = np.array([0.0, 90.0, 180.0, 400.0, np.nan, 260.0])
    range_m = np.array([100.0, 100.0, 100.0, 100.0, 100.0, 70.0])
    numbers = connected_components(np.column_stack([x_m, np.zeros(6)]), range_m)
    assert numbers.tolist() == [0, 0, 0, 3, 4, 5]


def test_an_event_is_carried_to_those_that_its_holders_meet_later_and_not_to_those_they_met_before() -> None:
    moments = [np.array([0, 0, 2, 3]), np.array([0, 1, 1, 3]), np.array([0, 1, 2, 2])]
    assert reached_over_time(moments, 0) == {0, 1, 2, 3}
    assert reached_over_time(moments[::-1], 0) == {0, 1}
    assert reached_over_time([], 0) == {0}


# --- whole runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [TreeGroup, Flooding])
def test_a_witness_changes_nothing_and_explains_every_pair(protocol: Any) -> None:
    for setup in (line(protocol), healing_partition(protocol)):
        witness = Witness()
        facts = simulate(setup, seed=1, witness=witness)
        assert facts.digest() == simulate(setup, seed=1).digest()
        expected = sum(each.interested for each in facts.publications)
        assert sum(witness.causes.values()) == expected - sum(each.counted for each in facts.deliveries)


def test_two_pairs_that_meet_when_the_event_has_passed_were_not_reached_by_tree_groups() -> None:
    witness = Witness()
    simulate(healing_partition(TreeGroup), seed=1, witness=witness)
    assert set(witness.causes) <= {NOT_ENTERED, MOVED, ORPHANED}
    assert sum(witness.causes.values()) == 2
