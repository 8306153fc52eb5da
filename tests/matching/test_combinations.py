"""Subscriptions and publications as texts: section 3.5 of the tree group paper, and no false negatives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.attributes import Attributes
from roamcast.core.errors import UserError
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.predicates import ANYTHING, NOTHING, Predicate, compare, parse
from roamcast.core.topics import Topic
from roamcast.matching.combinations import EVERYTHING, publication_texts, subscription_texts

NEWS = Topic("news.local")


def found(interest: Interest, topic: str, **attributes: object) -> bool:
    """Tell whether a publication's texts and a subscription's meet."""
    return not subscription_texts(interest).isdisjoint(publication_texts(Topic(topic), Attributes(attributes)))


def test_a_disjunction_adds_each_attribute_and_a_conjunction_one_text_whatever_the_order() -> None:
    assert len(subscription_texts(parse("a = 1 or b = 1 or c = 1"))) == 3
    conjunction = subscription_texts(parse("b = 1 and a = 1 and c = 1"))
    assert len(conjunction) == 1
    assert conjunction == subscription_texts(parse("c = 1 and b = 1 and a = 1"))


def test_a_publication_of_three_attributes_is_looked_up_by_seven_combinations() -> None:
    texts = publication_texts(NEWS, Attributes({"a": 1, "b": 1, "c": 1}))
    assert len(texts) == len(set(texts)) == 7 + 2 + 1  # its topic, the one above, and everything
    subscriptions = ["a = 1", "b = 1", "c = 1", "a = 1 and b = 1", "a = 1 and c = 1", "b = 1 and c = 1"]
    for each in (*subscriptions, "a = 1 and b = 1 and c = 1"):
        assert subscription_texts(parse(each)) < set(texts)
    assert not found(parse("a = 1 and d = 1"), "news", a=1, b=1, c=1)


def test_a_publication_with_too_many_attributes_is_an_error_and_no_hang() -> None:
    many = Attributes({f"a{number}": number for number in range(64)})
    with pytest.raises(UserError, match="attributes = 64: must be at most 12"):
        publication_texts(NEWS, many)
    with pytest.raises(UserError, match="attributes = 3: must be at most 2"):
        publication_texts(NEWS, Attributes({"a": 1, "b": 2, "c": 3}), 2)


def test_as_many_attributes_as_may_be_are_combined_and_one_more_is_an_error() -> None:
    def says(count: int) -> Attributes:
        return Attributes({f"a{number}": number for number in range(count)})

    assert len(set(publication_texts(NEWS, says(12)))) == 2**12 - 1 + 3
    assert len(set(publication_texts(NEWS, says(3), 3))) == 2**3 - 1 + 3
    with pytest.raises(UserError, match="attributes = 13: must be at most 12"):
        publication_texts(NEWS, says(13))


def test_a_conjunction_is_found_whatever_the_order_in_which_a_publication_names_its_attributes() -> None:
    wish = parse("a = 1 and b = 2 and c = 3 and d = 4")
    assert found(wish, "news", d=4, b=2, a=1, c=3)
    assert found(wish, "news", c=3, d=4, e=5, b=2, a=1)
    assert not found(wish, "news", d=4, b=2, a=1)


def test_a_topic_is_found_by_itself_and_those_above_it() -> None:
    assert found(TopicInterest(Topic("news")), "news.local.sports")
    assert found(TopicInterest(Topic("news.local")), "news.local")
    assert found(TopicInterest(Topic.root()), "traffic")
    assert not found(TopicInterest(Topic("news.local")), "news")
    assert not found(TopicInterest(Topic("new")), "news")


def test_what_no_text_can_stand_for_is_everything_or_its_topic() -> None:
    for text in ("x < 5", "x missing", 'topic != "news"', "x != 3", "y present", 'z starts with "a"'):
        assert subscription_texts(parse(text)) == {EVERYTHING}
    assert subscription_texts(ANYTHING) == {EVERYTHING}
    assert subscription_texts(NOTHING) == frozenset()
    assert subscription_texts(parse('topic = "news" and x < 5')) == subscription_texts(TopicInterest(Topic("news")))


def test_a_kind_of_interest_that_is_not_known_here_is_everything() -> None:
    class Odd(Interest):
        def matches(self, event: Event) -> bool:
            return event.size_bytes > 3

        def covers(self, other: Interest) -> bool:
            return other is self

        def overlaps(self, other: Interest) -> bool:
            return other is self

    assert subscription_texts(Odd()) == {EVERYTHING}


def test_equal_values_are_one_text_and_values_of_different_types_are_not() -> None:
    assert found(parse("x = 1"), "news", x=1.0)
    assert found(compare("x", "=", 1.0), "news", x=1)
    assert found(compare("x", "=", -0.0), "news", x=0)
    assert not found(parse("x = 1"), "news", x=True)
    assert not found(parse('x = "1"'), "news", x=1)
    assert not found(parse('x = "true"'), "news", x=True)


def test_a_set_of_values_is_one_text_each_until_there_are_too_many() -> None:
    assert len(subscription_texts(parse("x in {1, 2, 3} and y in {4, 5}"))) == 6
    many = ", ".join(map(str, range(60)))
    wide = subscription_texts(parse(f"x in {{{many}}} and y in {{1, 2}}"))
    assert wide == subscription_texts(parse("y in {1, 2}"))
    assert subscription_texts(parse(f"x in {{{many}, 60, 61, 62, 63, 64}}")) == {EVERYTHING}


names, numbers = st.sampled_from("abc"), st.sampled_from((0, 1, 2.5, True, "u", "v"))
comparisons = st.one_of(
    st.builds(lambda name, value: compare(name, "=", value), names, numbers),
    st.builds(lambda name, value: compare(name, "!=", value), names, numbers),
    st.builds(lambda name: compare(name, "<", 2), names),
    st.builds(lambda name: compare(name, "present"), names),
    st.builds(lambda name: compare(name, "missing"), names),
    st.builds(lambda name: compare(name, "in", 0, 2.5), names),
    st.builds(lambda path: compare("topic", "=", path), st.sampled_from(("news", "news.local", "traffic"))),
)


def joined(parts: list[list[Predicate]]) -> Predicate:
    whole = NOTHING
    for conjunction in parts:
        all_of = ANYTHING
        for each in conjunction:
            all_of = all_of & each
        whole = whole | all_of
    return whole


predicates = st.lists(st.lists(comparisons, max_size=4), max_size=3).map(joined)
contents = st.dictionaries(names, numbers).map(Attributes)


@given(predicates, st.sampled_from(("news", "news.local", "traffic.a", ".")), contents)
def test_a_publication_that_matches_is_always_found(wish: Predicate, topic: str, says: Attributes) -> None:
    if wish.matches(Event(EventId(0, 0), Topic(topic), 0.0, 1.0, 100, says)):
        assert found(wish, topic, **says)
