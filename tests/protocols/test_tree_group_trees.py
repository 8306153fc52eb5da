"""Tree groups at rest: whatever the network, there is one tree for each group, and no event misses a subscriber."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_networks import TreeNetwork, check_trees

from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event
from roamcast.core.topics import Topic
from roamcast.protocols.tree_group.messages import LEADER, MEMBER
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.testing import event_of, interest_in

LIMITS = [TreeGroupParameters(levels_preferred=each) for each in (1, 2, 4)]


def random_network(seed: int, count: int, side_m: float, parameters: TreeGroupParameters, knows: bool) -> TreeNetwork:
    draws = Random(seed)
    points_m = [(side_m * draws.random(), side_m * draws.random()) for _ in range(count)]
    network = TreeNetwork(points_m, parameters, seed, knows)
    for protocol in network.protocols[::2]:
        protocol.subscribe(interest_in("news"))
    return network


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 24),
    side_m=st.sampled_from((150.0, 400.0, 600.0)),
    parameters=st.sampled_from(LIMITS),
    knows=st.booleans(),
)
def test_a_network_at_rest_is_trees_and_every_event_reaches_whom_it_is_for(
    seed: int, count: int, side_m: float, parameters: TreeGroupParameters, knows: bool
) -> None:
    network = random_network(seed, count, side_m, parameters, knows)
    assert network.settle()
    places = network.places
    check_trees(places, range(count), parameters.levels_limit)
    for place in places:
        assert place.parent is None or network.hears(place.parent, place.node)
        assert place.second_parent is None or place.node in places[place.second_parent].children
        for node, child in place.children.items():
            if child.is_gateway:
                assert places[node].second_parent == place.node
                assert (
                    child.bits == places[node].own_bits
                )  # what a gateway's own subtree asks for is its group's matter
            else:
                assert places[node].parent == place.node
                assert child.bits == places[node].merged_bits  # what the parent has is what is asked for below
    for number, publisher in enumerate(range(0, count, 5)):
        local = number % 2 == 1
        event = event_of(publisher, number, published_at_s=network.now_s)
        if local:
            event = Event(event.id, event.topic, event.published_at_s, 100.0, 400, hops_max=2)
        network.protocols[publisher].publish(event)
        network.advance_to(network.now_s + 2.0)
        got = {node for node, numbers in network.delivered().items() if number in numbers}
        wanted = {node for node in network.component(publisher) if node % 2 == 0}
        group = {node for node in wanted if places[node].group == places[publisher].group}
        assert got <= wanted
        assert group <= got if local else got == wanted
    assert all(len(set(numbers)) == len(numbers) for numbers in network.delivered().values())


def line(count: int, **parameters: Any) -> TreeNetwork:
    return TreeNetwork([(100.0 * node, 0.0) for node in range(count)], TreeGroupParameters(**parameters), seed=3)


def groups(network: TreeNetwork) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for place in network.places:
        found.setdefault(place.group, set()).add(place.node)
    return found


def test_levels_are_preferred_to_be_few_and_never_more_than_the_limit() -> None:
    long = line(30, levels_preferred=2, levels_limit=3)
    assert long.settle()
    check_trees(long.places, range(30), 3)
    assert 4 <= len(groups(long)) <= 14


def test_a_group_of_nobody_else_joins_a_tree_that_is_deeper_than_preferred() -> None:
    network = line(5, levels_preferred=2, levels_limit=9)
    assert network.settle()
    assert all(len(members) > 1 for members in groups(network).values())


def two_pairs(distance_m: float, **parameters: Any) -> TreeNetwork:
    points_m = [
        (0.0, 0.0),
        (100.0, 0.0),
        (100.0 + distance_m, 0.0),
        (200.0 + distance_m, 0.0),
        (200.0 + distance_m, 90.0),
    ]
    return TreeNetwork(points_m, TreeGroupParameters(**parameters), seed=1)


def meet(network: TreeNetwork) -> None:
    """Move the three nodes to the two."""
    for node in (2, 3, 4):
        x_m, y_m = network.points_m[node]
        network.move(node, x_m - 880.0, y_m)
    assert network.settle()


def met_pairs(**parameters: int) -> TreeNetwork:
    network = two_pairs(1000.0, **parameters)
    assert network.settle()
    meet(network)
    return network


def test_groups_that_meet_become_one_by_the_decision_of_their_leaders_under_one_of_them() -> None:
    network = two_pairs(1000.0)
    assert network.settle()
    assert {frozenset(members) for members in groups(network).values()} == {frozenset({0, 1}), frozenset({2, 3, 4})}
    leaders = {network.places[0].group, network.places[2].group}
    meet(network)
    assert list(groups(network).values()) == [{0, 1, 2, 3, 4}]
    assert set(groups(network)) < leaders
    check_trees(network.places, range(5), 9)
    kinds = {sent.message.kind for host in network.hosts for sent in host.unicasts}
    assert "merge" in kinds


def test_the_leader_of_the_deeper_tree_stays() -> None:
    points_m = [(100.0 * node, 0.0) for node in range(6)] + [(100.0 * node, 2000.0) for node in (6, 7)]
    network = TreeNetwork(points_m, TreeGroupParameters(levels_preferred=6), seed=1)
    assert network.settle()
    deeper, shallower = network.places[0].group, network.places[7].group
    assert network.places[deeper].levels > network.places[shallower].levels
    for node in (6, 7):
        network.move(node, 100.0 * node, 0.0)
    assert network.settle()
    assert groups(network) == {deeper: set(range(8))}


def test_groups_that_together_would_be_too_many_stay_apart() -> None:
    network = met_pairs(members_limit=4)
    assert len(groups(network)) == 2
    # They are joined by gateways all the same.
    network.protocols[0].subscribe(interest_in("news"))
    network.advance_to(network.now_s + 1.0)
    network.protocols[4].publish(event_of(4, 9, published_at_s=network.now_s))
    network.advance_to(network.now_s + 1.0)
    assert network.delivered()[0] == [9]


@pytest.mark.parametrize(("borders", "reached"), [(0, False), (1, True)])
def test_a_local_event_crosses_as_many_borders_as_it_may(borders: int, reached: bool) -> None:
    network = met_pairs(members_limit=4, local_borders=borders)
    for protocol in network.protocols:
        protocol.subscribe(interest_in("news"))
    network.advance_to(network.now_s + 2.0)
    event = event_of(0, 7, published_at_s=network.now_s)
    network.protocols[0].publish(Event(event.id, event.topic, network.now_s, 50.0, 400, hops_max=9))
    network.advance_to(network.now_s + 2.0)
    got = {node for node, numbers in network.delivered().items() if 7 in numbers}
    own = next(members for members in groups(network).values() if 0 in members)
    own |= {place.node for place in network.places if place.second_parent in own}  # who is a member of both
    assert got == (set(range(5)) if reached else own)


def test_a_lost_parent_is_replaced_in_the_same_group_and_the_lost_childs_filter_is_removed() -> None:
    #     0 - 1 - 3      1 and 2 both hear 0 and 3; whichever of them is the parent of 3 falls silent
    #       \ 2 /
    network = TreeNetwork([(0.0, 0.0), (100.0, 40.0), (100.0, -40.0), (200.0, 0.0), (-100.0, 0.0)], seed=5)
    network.protocols[3].subscribe(TopicInterest(Topic("rare")))
    assert network.settle()
    places = network.places
    child, old = (3, places[3].parent) if places[3].parent is not None else (0, places[0].parent)
    assert old is not None
    network.silent.add(old)
    assert network.settle()
    left = [node for node in range(5) if node != old]
    check_trees(places, left, 9)
    assert len({places[node].group for node in left}) == 1
    assert places[child].parent != old
    assert all(old not in places[node].children for node in left)
    leader = next(place for place in places if place.node in left and place.state == LEADER)
    rare = TreeGroupParameters().shape.mask("topic\x1frare")
    assert leader.merged_bits & rare == rare
    network.silent.add(3)
    network.settle()
    leader = next(place for place in places if place.node in left and place.node != 3 and place.state == LEADER)
    assert leader.merged_bits == 0


def test_children_of_a_node_without_hope_look_for_other_parents() -> None:
    network = line(6)
    assert network.settle()
    leader = next(place.node for place in network.places if place.state == LEADER)
    network.silent.add(leader)
    assert network.settle()
    left = [node for node in range(6) if node != leader]
    check_trees(network.places, left, 9)
    assert all(network.places[node].state in (MEMBER, LEADER) for node in left)
    assert all(network.places[node].group != leader for node in left)


def test_an_event_waits_while_there_is_no_parent_and_goes_on_with_the_next_one() -> None:
    network = TreeNetwork([(0.0, 0.0), (100.0, 40.0), (100.0, -40.0), (200.0, 0.0)], seed=5)
    for protocol in network.protocols:
        protocol.subscribe(interest_in("news"))
    assert network.settle()
    leaf = next(place for place in network.places if place.parent is not None and len(place.children) == 0)
    old = leaf.parent
    assert old is not None
    network.silent.add(old)
    network.protocols[leaf.node].publish(event_of(leaf.node, 3, published_at_s=network.now_s))
    network.settle()
    got = {node for node, numbers in network.delivered().items() if 3 in numbers}
    assert got == set(range(4)) - {old}


def test_a_filter_is_sent_to_the_parent_only_when_it_has_changed() -> None:
    network = line(4)
    assert network.settle()

    def filters() -> int:
        return sum(sent.message.kind == "filters" for host in network.hosts for sent in host.unicasts)

    before = filters()
    network.advance_to(network.now_s + 20.0)
    assert filters() == before
    deepest = max(network.places, key=lambda place: place.level)
    network.protocols[deepest.node].subscribe(interest_in("news"))
    network.advance_to(network.now_s + 2.0)
    assert filters() == before + deepest.level  # one frame a level up to the leader
    network.protocols[deepest.node].subscribe(interest_in("news"))
    network.advance_to(network.now_s + 2.0)
    assert filters() == before + deepest.level
    network.protocols[deepest.node].unsubscribe(interest_in("news"))
    network.advance_to(network.now_s + 5.0)
    assert filters() == before + 2 * deepest.level
    assert all(place.merged_bits == 0 for place in network.places)
