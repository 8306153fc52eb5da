"""The subscription tree in small networks: one tree, no cycle ever, and every publication to all who ask for it."""

from math import inf

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tree_watch import TreeWatch

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.topics import Topic
from roamcast.protocols.subscription_tree.parameters import SubscriptionTreeParameters
from roamcast.protocols.subscription_tree.protocol import SubscriptionTree
from roamcast.sim.trajectories import Point
from roamcast.sim.workload import Publication, Subscription
from roamcast.testing import healing_partition, line, network
from roamcast.testing.small_networks import NEWS, OTHER

LOCAL = Topic("news.local")
Place = tuple[int, int]
SEARCH = tuple(phase for phase in Phase if phase is not Phase.explain)


def wish(node: int, *topics: Topic) -> list[Subscription]:
    return [Subscription(-inf, node, TopicInterest(topic)) for topic in topics]


@st.composite
def connected_places(draw: st.DrawFn) -> list[Place]:
    """Draw places of which each is within range of an earlier one."""
    places = [(500, 500)]
    for _ in range(draw(st.integers(1, 11))):
        x_m, y_m = draw(st.sampled_from(places))
        step = draw(st.tuples(st.integers(-170, 170), st.integers(-170, 170)).filter(any))
        places.append((min(max(x_m + step[0], 0), 5000), min(max(y_m + step[1], 0), 1000)))
    return places


@settings(max_examples=20, deadline=None, phases=SEARCH, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(places=connected_places(), data=st.data())
def test_on_any_connected_graph_one_tree_forms_and_delivers_everything_to_who_asks(
    places: list[Place], data: st.DataObject
) -> None:
    topics = st.lists(st.sampled_from((NEWS, LOCAL, OTHER)), max_size=2, unique=True)
    wishes = [each for node in range(len(places)) for each in wish(node, *data.draw(topics))]
    publisher = st.integers(0, len(places) - 1)
    published = [
        Publication(14.0 + at, data.draw(publisher), topic, 5.0, 100) for at, topic in enumerate((LOCAL, NEWS, OTHER))
    ]
    paths: tuple[tuple[Point, ...], ...] = tuple(((0.0, float(x_m), float(y_m)),) for x_m, y_m in places)
    watch = TreeWatch(network(SubscriptionTree, paths, tuple(wishes), tuple(published), duration_s=20.0))
    facts = watch.run()
    assert len(watch.roots()) == 1
    assert sum(each.counted for each in facts.deliveries) == sum(each.interested for each in facts.publications)
    assert all(node.tree_position.is_attached for node in watch.nodes)


def test_with_nodes_in_motion_there_is_never_a_cycle_and_labels_never_fall() -> None:
    document = {
        "duration_s": 25,
        "settle_s": 5,
        "area": {"width_m": 700, "height_m": 700},
        "nodes": {"count": 40},
        "mobility": {"model": "random-waypoint", "speed_mps": [25, 25], "pause_s": 0},
        "radio": {"model": "range", "range_m": 150},
        "workload": {"model": "interests", "validity_s": 10, "event_size_bytes": 100},
        "protocol": {"name": "subscription-tree"},
    }
    watch = TreeWatch(Scenario.from_document(document).setup())
    facts = watch.run()
    assert watch.frames > 2000
    delivered = sum(each.counted for each in facts.deliveries)
    assert delivered > 0.5 * sum(each.interested for each in facts.publications)


def test_partitions_merge_when_they_meet_and_are_one_tree_again() -> None:
    setup = healing_partition(SubscriptionTree)
    watch = TreeWatch(setup)
    watch.run()
    assert len(watch.roots()) == 1
    assert len({node.tree_position.label.tree for node in watch.nodes}) == 1


def test_a_link_of_the_tree_is_known_at_both_ends_with_what_was_told() -> None:
    watch = TreeWatch(line(SubscriptionTree))
    watch.run()
    nodes = watch.nodes
    for number, node in enumerate(nodes):
        for neighbour, side in node._filters.sides.items():
            assert number in nodes[neighbour].tree_position.links
            told = nodes[neighbour]._filters.sides[number].shared
            assert set(side.interests) == set(told or ())


def asked_of(watch: TreeWatch, node: int) -> list[Interest]:
    return [interest for side in watch.nodes[node]._filters.sides.values() for interest in side.interests]


def test_a_covered_subscription_is_not_passed_on() -> None:
    in_line = tuple(((0.0, 200.0 * node, 0.0),) for node in range(4))
    wishes = (*wish(0, NEWS), *wish(1, LOCAL), *wish(1, OTHER))
    watch = TreeWatch(network(SubscriptionTree, in_line, wishes, ()))
    watch.run()
    # From the left of node 2 come the wishes of 0 and 1, of which "news" covers "news.local".
    assert set(asked_of(watch, 2)) == {TopicInterest(NEWS), TopicInterest(OTHER)}
    assert set(asked_of(watch, 3)) == {TopicInterest(NEWS), TopicInterest(OTHER)}
    assert TopicInterest(LOCAL) in asked_of(watch, 0)


def test_what_is_unsubscribed_is_forgotten_along_the_whole_tree_and_what_it_covered_takes_its_place() -> None:
    in_line = tuple(((0.0, 200.0 * node, 0.0),) for node in range(5))
    ends = Subscription(5.0, 0, TopicInterest(NEWS), active=False)
    watch = TreeWatch(network(SubscriptionTree, in_line, (*wish(0, NEWS, LOCAL), ends), ()))
    watch.run()
    assert [asked_of(watch, node) for node in range(1, 5)] == [[TopicInterest(LOCAL)]] * 4


@pytest.mark.parametrize(("hops_max", "reached"), [(1, {1, 2, 3}), (None, {1, 2, 3, 4, 5})])
def test_a_local_event_goes_some_times_its_hops_along_the_tree(hops_max: int | None, reached: set[int]) -> None:
    in_line = tuple(((0.0, 200.0 * node, 0.0),) for node in range(6))
    wishes = [each for node in range(1, 6) for each in wish(node, NEWS)]
    published = Publication(20.0, 0, NEWS, 5.0, 100, hops_max=hops_max)
    parameters = SubscriptionTreeParameters(local_stretch=3.0)
    facts = TreeWatch(network(SubscriptionTree, in_line, tuple(wishes), (published,), parameters)).run()
    assert {each.node for each in facts.deliveries} == reached
