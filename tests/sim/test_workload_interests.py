"""A community of interests: how many there are, who has which, who publishes what, and how many of it is local."""

from collections import Counter
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.core.events import Event, EventId
from roamcast.core.parameters import as_table, build
from roamcast.core.predicates import Predicate
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Publication, Workload, load_workload
from roamcast.sim.workload.interests import Interests

TABLE_1 = Interests(validity_s=10.0)


def interests(**values: Any) -> Interests:
    """Return a workload from what stands in a scenario file."""
    return build(Interests, {"validity_s": 10, **values}, "s.toml [workload]")


def drawn(model: Interests, count: int = 500, duration_s: float = 30.0, seed: int = 1) -> Workload:
    return model.workload(count, duration_s, RandomStreams(seed))


def wishes(workload: Workload) -> set[Predicate]:
    return {each.interest for each in workload.subscriptions if isinstance(each.interest, Predicate)}


def event(publication: Publication) -> Event:
    return Event(EventId(publication.node, 0), publication.topic, 0.0, 10.0, 100, publication.attributes)


def test_it_is_found_by_its_name_and_survives_its_table() -> None:
    assert load_workload("interests") is Interests
    assert build(Interests, as_table(TABLE_1), "s.toml [workload]") == TABLE_1


def test_table_1_has_fifty_interests_of_one_to_four_attributes_and_one_to_three_for_each_node() -> None:
    workload = drawn(TABLE_1)
    assert len(wishes(workload)) == 50
    assert all(len(wish.alternatives) == 1 for wish in wishes(workload))  # conjunctions
    assert {wish.terms for wish in wishes(workload)} == {1, 2, 3, 4}
    per_node = Counter(each.node for each in workload.subscriptions)
    assert set(per_node) == set(range(500))
    assert {1, 2, 3} == set(per_node.values())
    assert {each.at_s for each in workload.subscriptions} == {-inf}


def test_table_1_publishes_25_events_a_second_half_of_them_local() -> None:
    published = drawn(TABLE_1, duration_s=60.0).publications
    assert len(published) == pytest.approx(25 * 60, rel=0.08)
    assert sum(each.hops_max == 4 for each in published) == pytest.approx(len(published) / 2, rel=0.1)
    assert {each.hops_max for each in published} == {4, None}
    assert len({each.node for each in published}) > 400
    assert list(published) == sorted(published, key=lambda each: each.at_s)
    assert all(0 <= each.at_s < 60 for each in published)


def test_an_event_matches_an_interest_and_only_some() -> None:
    workload = drawn(TABLE_1)
    for publication in workload.publications[:100]:
        matched = sum(wish.matches(event(publication)) for wish in wishes(workload))
        assert 1 <= matched <= 15


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), fraction=st.sampled_from((0.0, 0.5, 1.0)))
def test_every_event_is_what_some_interest_asks_for_whether_joined_by_and_or_by_or(seed: int, fraction: float) -> None:
    workload = drawn(interests(disjunction_fraction=fraction), count=300, duration_s=3.0, seed=seed)
    asked = wishes(workload)
    shapes = {len(wish.alternatives) > 1 for wish in asked if wish.terms > 1}
    assert shapes == ({False} if fraction == 0 else {True} if fraction == 1 else {False, True})
    for publication in workload.publications:
        assert any(wish.matches(event(publication)) for wish in asked)


def test_with_the_same_seed_more_nodes_and_more_time_change_nothing_of_the_others() -> None:
    small, large = drawn(TABLE_1, 100, 10.0), drawn(TABLE_1, 200, 20.0)
    assert [each for each in large.subscriptions if each.node < 100] == list(small.subscriptions)
    assert [each for each in large.publications if each.node < 100 and each.at_s < 10] == list(small.publications)
    assert drawn(TABLE_1, 100, 10.0) == small
    assert drawn(TABLE_1, 100, 10.0, seed=2) != small


def test_with_the_same_seed_another_share_of_local_events_changes_only_that() -> None:
    few, many = (drawn(interests(local_fraction=share), 100).publications for share in (0.25, 0.75))
    assert [(each.at_s, each.node, each.attributes) for each in few] == [
        (each.at_s, each.node, each.attributes) for each in many
    ]
    assert {each.at_s for each in few if each.hops_max} < {each.at_s for each in many if each.hops_max}


def test_the_publishing_can_end_before_the_measurement() -> None:
    published = drawn(interests(until_s=5.5), duration_s=30.0).publications
    assert 5.3 < max(each.at_s for each in published) < 5.5


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"distinct": 0}, "[workload] distinct = 0: must be at least 1"),
        ({"distinct": 13, "attribute_names": 5, "attributes_per_interest": [1, 1]}, "must be at most 12"),
        ({"subscriptions_per_node": [3, 1]}, "must be [fewest, most]"),
        ({"subscriptions_per_node": [1, 60]}, "must be at most 50, the number of interests"),
        ({"attributes_per_interest": [1, 11]}, "must be at most 10, attribute_names"),
        ({"local_fraction": 1.5}, "must be between 0 and 1"),
        ({"publication_probability": -1}, "must be between 0 and 1"),
        ({"local_hops_max": 0}, "must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_line(values: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        interests(**values)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_more_events_than_anybody_wants_to_wait_for_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 1,000,000 events"):
        drawn(interests(publication_probability=1), count=500, duration_s=3000.0)
