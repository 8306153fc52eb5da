"""Which subscriptions a node of the subscription tree tells on: those that no other one covers, in a fixed order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.predicates import compare, parse
from roamcast.core.topics import Topic
from roamcast.protocols.subscription_tree import filters as filters_module
from roamcast.protocols.subscription_tree.filters import Covering, Filters, Side, interest_bytes, uncovered
from roamcast.testing import interest_in

NEWS, LOCAL, SPORTS, TRAFFIC = (interest_in(topic) for topic in ("news", "news.local", "news.local.sports", "traffic"))
EVERYTHING = TopicInterest(Topic.root())
SAME: tuple[Interest, Interest] = (NEWS, compare("topic", "=", "news"))
"""Two that cover each other."""


def told(covering: Covering, *interests: Interest) -> set[Interest]:
    """Return what is left of some interests, of which there are few enough."""
    among = frozenset(interests)
    covering.covered(among)
    return set(among - covering.covered(among))


@pytest.mark.parametrize("order", [(NEWS, LOCAL, SPORTS), (SPORTS, LOCAL, NEWS), (LOCAL, SPORTS, NEWS)])
def test_what_is_wider_covers_whether_it_came_up_first_or_last(order: tuple[Interest, ...]) -> None:
    covering = Covering()
    for each in order:
        covering.covered(frozenset({each}))
    assert told(covering, *order) == {NEWS}
    assert told(covering, LOCAL, SPORTS) == {LOCAL}
    assert told(covering, SPORTS, TRAFFIC) == {SPORTS, TRAFFIC}


def test_what_is_not_asked_for_now_covers_nothing() -> None:
    covering = Covering()
    covering.covered(frozenset({EVERYTHING, *SAME}))
    assert len(told(covering, *SAME)) == 1  # one of the two for both, though something else would cover either
    assert told(covering, LOCAL) == {LOCAL}


def test_of_two_that_cover_each_other_the_one_is_told_whose_text_is_first() -> None:
    first = min(SAME, key=str)
    assert uncovered(frozenset(SAME)) == (first,)
    assert uncovered(frozenset({*SAME, LOCAL, TRAFFIC})) == tuple(sorted((first, TRAFFIC), key=str))
    assert uncovered(frozenset({*SAME, EVERYTHING})) == (EVERYTHING,)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("a = 1", "a = 1 and b = 2"),
        ("a = 1 or b = 2", "b = 2"),
        ("a = 1 or b = 2", "a = 1 and c = 3"),
        ("a < 5", "a = 1"),
    ],
)
def test_a_part_of_a_conjunction_and_a_disjunction_of_parts_cover(wide: str, narrow: str) -> None:
    assert uncovered(frozenset({parse(wide), parse(narrow)})) == (parse(wide),)


@given(st.sets(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=12))
def test_the_order_is_that_of_the_texts(topics: set[str]) -> None:
    told_topics = [str(each) for each in uncovered(frozenset(map(interest_in, topics)))]
    assert told_topics == sorted(told_topics)
    assert len(told_topics) == len(topics)


def test_of_too_many_none_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters_module, "COVERING_MAX", 2)
    uncovered.cache_clear()
    try:
        assert uncovered(frozenset({NEWS, LOCAL})) == (NEWS,)
        assert uncovered(frozenset({NEWS, LOCAL, SPORTS})) == (NEWS, LOCAL, SPORTS)
    finally:
        uncovered.cache_clear()


def test_a_full_filter_still_takes_what_it_has() -> None:
    side = Side()
    assert side.update([NEWS, TRAFFIC], [], 2)
    assert side.update([TRAFFIC, NEWS], [], 2)
    assert not side.update([NEWS, LOCAL], [], 2)
    assert side.interests == {NEWS, TRAFFIC}


def test_the_size_of_the_filters_counts_the_interests_of_each_side_and_not_ones_own() -> None:
    wish = parse('a = 1 and b = "x"')
    assert interest_bytes(NEWS) == 2 + len("news")
    assert interest_bytes(wish) == wish.size_bytes()
    filters = Filters()
    filters.own = {NEWS}
    filters.sides = {1: Side({NEWS, TRAFFIC}), 2: Side({wish})}
    assert filters.size_bytes() == 6 + 9 + wish.size_bytes()


def test_what_a_side_has_asked_for_is_not_told_to_that_side_again_but_to_all_others() -> None:
    filters = Filters()
    filters.sides = {1: Side({NEWS}), 2: Side({LOCAL}), 3: Side({TRAFFIC})}
    assert [set(filters.interests_for(node)) for node in (1, 2, 3)] == [{LOCAL, TRAFFIC}, {NEWS, TRAFFIC}, {NEWS}]
