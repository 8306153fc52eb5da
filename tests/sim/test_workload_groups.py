"""The workload of groups: Table 1 of the broker and rendezvous paper."""

from collections import Counter
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.event_interests import TopicInterest
from roamcast.core.parameters import ParameterError
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Workload
from roamcast.sim.workload.groups import Groups

CITY = Groups(topics=6, publishers=2, subscribers=5, interval_s=10.0, validity_s=60.0, event_size_bytes=1024)


def draw(model: Groups = CITY, count: int = 60, seed: int = 1, duration_s: float = 900.0) -> Workload:
    return model.workload(count, duration_s, RandomStreams(seed))


def parts(workload: Workload) -> dict[str, tuple[set[int], set[int]]]:
    """Return the publishers and the subscribers of each topic."""
    found: dict[str, tuple[set[int], set[int]]] = {}
    for each in workload.publications:
        found.setdefault(each.topic.path, (set(), set()))[0].add(each.node)
    for wish in workload.subscriptions:
        assert isinstance(wish.interest, TopicInterest)
        found.setdefault(wish.interest.topic.path, (set(), set()))[1].add(wish.node)
    return found


def test_each_topic_has_its_publishers_and_subscribers_and_nobody_has_two_parts() -> None:
    workload = draw()
    groups = parts(workload)
    assert len(groups) == 6
    assert all((len(publishers), len(subscribers)) == (2, 5) for publishers, subscribers in groups.values())
    everybody = [node for pair in groups.values() for some in pair for node in some]
    assert len(everybody) == len(set(everybody)) == 42
    assert all(each.at_s == -inf for each in workload.subscriptions)


def test_every_publisher_publishes_every_ten_seconds_to_the_end_from_a_moment_of_its_own() -> None:
    workload = draw()
    assert len(workload.publications) == 12 * 90
    by_node: dict[int, list[float]] = {}
    for each in workload.publications:
        assert (each.validity_s, each.size_bytes) == (60.0, 1024)
        by_node.setdefault(each.node, []).append(each.at_s)
    starts = [times_s[0] for times_s in by_node.values()]
    assert all(0 <= start < 10 for start in starts)
    assert len(set(starts)) == 12
    for times_s in by_node.values():
        assert times_s == pytest.approx([times_s[0] + 10 * number for number in range(90)])
    times = [each.at_s for each in workload.publications]
    assert times == sorted(times)


def test_another_seed_deals_other_nodes_and_other_names() -> None:
    assert draw() == draw()
    one, other = parts(draw(seed=1)), parts(draw(seed=2))
    assert set(one).isdisjoint(other)
    assert one != other


@given(
    topics=st.integers(1, 20), publishers=st.integers(0, 4), subscribers=st.integers(0, 8), count=st.integers(12, 30)
)
def test_parts_are_dealt_evenly_where_there_are_more_of_them_than_nodes(
    topics: int, publishers: int, subscribers: int, count: int
) -> None:
    model = Groups(topics=topics, publishers=publishers, subscribers=subscribers, interval_s=10.0, validity_s=5.0)
    workload = model.workload(count, 10.0, RandomStreams(3))
    dealt = Counter([each.node for each in workload.subscriptions] + [each.node for each in workload.publications])
    assert sum(dealt.values()) == topics * (publishers + subscribers)
    counts = [dealt[node] for node in range(count)]
    assert max(counts) - min(counts) <= 1


def test_more_parts_in_a_group_than_nodes_is_an_error_with_the_key() -> None:
    with pytest.raises(ParameterError, match="subscribers"):
        Groups(topics=1, publishers=3, subscribers=8, interval_s=1.0, validity_s=1.0).workload(
            10, 5.0, RandomStreams(1)
        )
