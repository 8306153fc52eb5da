"""Summaries match whatever the subscriptions match, and stay within their limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicate_draws import EVENTS, TOPICS, event, trees, written
from test_predicates_meaning import Unknown

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.predicates import ANYTHING, NOTHING, PredicateError, parse, summarize
from roamcast.core.topics import Topic

interests: st.SearchStrategy[Interest] = st.one_of(
    trees().map(lambda tree: parse(written(tree))),
    st.sampled_from(TOPICS).map(lambda path: TopicInterest(Topic(path))),
)
tables = st.lists(interests, max_size=6)


@given(tables, st.integers(min_value=1, max_value=20))
def test_whatever_a_subscription_matches_its_summary_matches(table: list[Interest], terms_max: int) -> None:
    summary = summarize(table, terms_max)
    assert summary.terms <= terms_max
    assert all(summary.matches(each) for each in EVENTS if any(interest.matches(each) for interest in table))
    assert all(summary.covers(interest) for interest in table)


@given(tables)
def test_a_summary_that_may_be_large_is_exact(table: list[Interest]) -> None:
    summary = summarize(table, 128)
    for each in EVENTS:
        assert summary.matches(each) == any(interest.matches(each) for interest in table)


@given(tables)
def test_a_summary_is_its_own_summary_and_can_be_written_down(table: list[Interest]) -> None:
    summary = summarize(table, 8)
    assert summarize([summary], 8) == summary
    assert parse(str(summary)) == summary


def summary(texts: list[str], terms_max: int) -> str:
    return str(summarize([parse(text) for text in texts], terms_max))


@pytest.mark.parametrize(
    ("texts", "terms_max", "expected"),
    [
        (["x < 5", "x < 3", "x = 4", 'topic = "a" and x < 2'], 32, "x < 5"),
        (["x < 5", "y = 1"], 2, "x < 5 or y = 1"),
        (['topic = "a" and x < 5', 'topic = "b" and x < 5'], 3, 'topic in {"a", "b"} and x < 5'),
        (["x between 0 and 2", "x between 1 and 3", "x between 90 and 99"], 4,
         "x between 0 and 3 or x between 90 and 99"),
        (["x between 0 and 2", "x between 4 and 5", "x between 90 and 99"], 4,
         "x between 0 and 5 or x between 90 and 99"),
        (['topic = "a" and x < 5', 'topic = "a" and x < 6', 'topic = "b" and x < 90'], 4,
         '(topic = "a" and x < 6) or (topic = "b" and x < 90)'),
        (["x < 5", "x > 3"], 1, "x present"),
        (["x != 1", "x != 2"], 1, "x present"),
        (["x = 1", 'x = "a"'], 1, "x present"),
        (["x = 1", "x missing"], 1, "anything"),
        (["x = 1", "y = 1"], 1, "anything"),
        (["x = 1 and y = 2", "z = 1 and w = 2"], 2, "y = 2 or w = 2"),
        (['topic = "a" and x = 1', 'topic = "a" and y = 1'], 2, 'topic = "a"'),
        (["x in {1, 2, 3, 9}"], 3, "x between 1 and 9"),
        (["x = true", "x = false"], 1, "x present"),
    ],
)  # fmt: skip
def test_a_summary_keeps_what_fits_and_widens_what_loses_least(texts: list[str], terms_max: int, expected: str) -> None:
    assert summary(texts, terms_max) == expected


def test_a_set_of_many_texts_becomes_the_span_from_the_first_to_the_last() -> None:
    assert summary([f'zone = "z{number:02}"' for number in range(33)], 2) == 'zone between "z00" and "z32"'


def test_many_topics_become_the_one_above_those_that_have_most_in_common() -> None:
    topics = [f'topic = "city.t{number}"' for number in range(9)]
    assert summary([*topics, 'topic = "lyon.x"'], 9) == 'topic in {"city", "lyon.x"}'
    assert summary(topics, 1) == 'topic = "city"'


def test_a_table_of_many_subscriptions_is_condensed_in_order() -> None:
    found = summarize(
        [parse(f'topic = "t{number % 3}" and x between {number} and {number + 1}') for number in range(300)], 12
    )
    assert found.terms <= 12
    assert all(found.matches(event(f"t{number % 3}", x=number + 0.5)) for number in range(300))
    assert not found.matches(event("t0", x=-1))
    assert not found.matches(event("t9", x=5))


@given(tables, st.integers(min_value=1, max_value=20))
def test_a_table_that_was_thinned_out_first_is_covered_as_well(table: list[Interest], terms_max: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roamcast.core.predicates.summary.COMPARED_MAX", 3)
        thinned = summarize(table, terms_max)
    assert thinned.terms <= terms_max
    assert all(thinned.covers(interest) for interest in table)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("x = {0}", "x between 0 and 999"),
        ("a{0} = 1", "anything"),
        ("a{0} = 1 and b{0} = 2 and z < {0}", "z < 999"),
        ("x >= {0} and y = {0}", "x >= 0 and y between 0 and 999"),
    ],
)
def test_a_table_of_a_thousand_becomes_as_small_as_is_asked_for(pattern: str, expected: str) -> None:
    table = [parse(pattern.format(number)) for number in range(1000)]
    found = summarize(table, 3)
    assert all(found.covers(each) for each in table)
    assert found.terms <= 3
    assert parse(expected).covers(found)


def test_the_summary_of_nothing_is_nothing_and_of_the_unknown_anything() -> None:
    assert summarize([]) == NOTHING
    assert summarize([parse("x = 1"), Unknown()]) == ANYTHING


@pytest.mark.parametrize("terms_max", [0, -1, 129])
def test_a_summary_has_at_least_one_term_and_no_more_than_a_predicate_can_hold(terms_max: int) -> None:
    with pytest.raises(PredicateError, match=rf"^summary: terms_max = {terms_max}: must be between 1 and 128$"):
        summarize([], terms_max)
