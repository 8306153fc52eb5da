"""Matching, covering and overlapping, against a plain evaluator and every event of a small world."""

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicate_draws import EVENTS, TOPICS, Tree, conjunctions, event, holds, trees, written

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event
from roamcast.core.predicates import ANYTHING, NOTHING, Predicate, compare, parse
from roamcast.core.topics import Topic

predicates = trees().map(lambda tree: parse(written(tree)))
single_conjunctions = conjunctions().map(lambda tree: parse(written(tree)))
interests: st.SearchStrategy[Interest] = st.one_of(
    predicates, st.sampled_from((".", *TOPICS)).map(lambda path: TopicInterest(Topic(path)))
)


def matched(interest: Interest) -> list[Event]:
    return [each for each in EVENTS if interest.matches(each)]


@given(trees())
def test_a_predicate_matches_what_its_text_says(tree: Tree) -> None:
    predicate = parse(written(tree))
    assert matched(predicate) == [each for each in EVENTS if holds(tree, each)]


@given(single_conjunctions, predicates)
def test_a_single_conjunction_covers_another_predicate_exactly_if_it_matches_all_of_it(
    one: Predicate, other: Predicate
) -> None:
    assert one.covers(other) == all(one.matches(each) for each in matched(other))


@given(interests, interests)
def test_what_is_covered_is_matched(one: Interest, other: Interest) -> None:
    assert not one.covers(other) or all(one.matches(each) for each in matched(other))


@given(interests, interests)
def test_two_overlap_exactly_if_an_event_matches_both(one: Interest, other: Interest) -> None:
    assert one.overlaps(other) == any(one.matches(each) for each in matched(other))
    assert one.overlaps(other) == other.overlaps(one)


@given(predicates, predicates)
def test_and_and_or_join_predicates(one: Predicate, other: Predicate) -> None:
    assert matched(one & other) == [each for each in matched(one) if other.matches(each)]
    assert matched(one | other) == [each for each in EVENTS if one.matches(each) or other.matches(each)]
    assert (one | other).covers(one)
    assert one.covers(one & other)


@given(predicates)
def test_a_predicate_that_was_sent_to_another_process_is_the_same(predicate: Predicate) -> None:
    again = pickle.loads(pickle.dumps(predicate))
    assert again == predicate
    assert hash(again) == hash(predicate)
    assert matched(again) == matched(predicate)


def test_the_hash_of_a_predicate_from_another_process_is_made_anew() -> None:
    predicate = parse('topic = "a" and x > 3')
    expected = hash(predicate)
    object.__setattr__(predicate, "_hash", expected + 1)  # as a process with another seed for texts would have it
    assert hash(pickle.loads(pickle.dumps(predicate))) == expected


@given(single_conjunctions, single_conjunctions)
def test_single_conjunctions_that_mean_the_same_are_equal(one: Predicate, other: Predicate) -> None:
    assert (one == other) == (one.covers(other) and other.covers(one))


@pytest.mark.parametrize("topic", [".", *TOPICS])
def test_a_topic_interest_is_the_predicate_of_its_topic(topic: str) -> None:
    interest, predicate = TopicInterest(Topic(topic)), compare("topic", "=", topic)
    assert matched(interest) == matched(predicate)
    assert interest.covers(predicate)
    assert predicate.covers(interest)
    assert interest.overlaps(predicate)


def test_a_topic_interest_covers_predicates_about_its_topic_only() -> None:
    traffic = TopicInterest(Topic("traffic"))
    assert traffic.covers(parse('topic = "traffic.jams" and speed_mps < 5'))
    assert traffic.covers(parse('topic = "traffic" and x = 1 or topic in {"traffic.a", "traffic.b"}'))
    assert not traffic.covers(parse('topic = "traffic" or speed_mps < 5'))
    assert TopicInterest(Topic(".")).covers(parse("speed_mps < 5"))
    assert not parse('topic = "traffic" and speed_mps < 5').covers(traffic)
    assert not parse('topic = "weather" and speed_mps < 5').overlaps(traffic)


def test_an_absent_attribute_passes_no_test_but_the_one_for_its_absence() -> None:
    silent = event()
    tests = ["x = 1", "x != 1", "x < 1", "x between 0 and 1", "x in {1}", 'x != "a"', 'x starts with ""', "x present"]
    assert [text for text in tests if parse(text).matches(silent)] == []
    assert parse("x missing").matches(silent)
    assert not parse("x missing").matches(event(x=False))


@pytest.mark.parametrize(("value", "text"), [(True, "x = 1"), (1, "x = true"), ("1", "x = 1"), (1, 'x = "1"')])
def test_a_value_of_another_type_is_never_equal_nor_different(value: Any, text: str) -> None:
    assert not parse(text).matches(event(x=value))
    assert not parse(text.replace("=", "!=")).matches(event(x=value))
    assert not parse("x >= 0 and x <= 1").matches(event(x=True))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_matches_nothing_even_if_it_gets_into_an_event(value: float) -> None:
    broken = event(x=1)
    dict.__setitem__(broken.attributes, "x", value)
    for text in ("x = 1", "x != 1", "x < 1", "x >= 1", "x > 0 and x != 1", "x in {1, 2}", "x present", "x missing"):
        assert not parse(text).matches(broken)


def test_whole_numbers_beyond_the_exact_ones_are_compared_exactly() -> None:
    assert parse("x < 1152921504606846976").matches(event(x=2**60 - 1))
    assert not parse("x = 1152921504606846976").matches(event(x=2**60 + 1))


class Unknown(Interest):
    """An interest of another kind."""

    def matches(self, event: Event) -> bool:  # noqa: ARG002
        return True

    def covers(self, other: Interest) -> bool:  # noqa: ARG002
        return True

    def overlaps(self, other: Interest) -> bool:  # noqa: ARG002
        return True


def test_of_an_interest_of_another_kind_nothing_is_certain() -> None:
    assert not parse("x = 1").covers(Unknown())
    assert parse("x = 1").overlaps(Unknown())
    assert ANYTHING.covers(Unknown())
    assert not NOTHING.overlaps(Unknown())


def test_several_conjunctions_that_cover_another_only_together_are_not_seen_to() -> None:
    assert not parse("x < 5 or x > 3").covers(parse("x between 0 and 10"))  # sound, not complete, as documented


def test_the_order_of_writing_makes_no_difference() -> None:
    one, other = parse('x = 1 and topic = "a" or y = 2'), parse('y = 2 or topic = "a" and x = 1')
    assert one == other
    assert hash(one) == hash(other)
    assert one != parse('x = 1 and topic = "a"')
