"""Ranges in events and interests: the matching rule of the BRVST paper, section III, and what is read back."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.attribute_ranges import (
    check_event_ranges,
    event_ranges,
    interest_ranges,
    range_attributes,
    range_predicate,
    ranges_bytes,
)
from roamcast.core.attributes import Attributes
from roamcast.core.errors import UserError
from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.predicates import compare, parse
from roamcast.core.topics import Topic

LIMITS = {"age": (0.0, 100.0), "price": (0.0, 50.0), "year": (1900.0, 2100.0)}


def says(ranges: dict[str, tuple[float, float]]) -> Event:
    return Event(EventId(0, 0), Topic("a"), 0.0, 60.0, 100, range_attributes(ranges))


@st.composite
def some_ranges(draw: st.DrawFn) -> dict[str, tuple[float, float]]:
    names = draw(st.lists(st.sampled_from(sorted(LIMITS)), unique=True))
    values = {name: st.floats(*LIMITS[name]) for name in names}
    pairs = {name: sorted((draw(values[name]), draw(values[name]))) for name in names}
    return {name: (low, high) for name, (low, high) in pairs.items()}


@given(some_ranges(), some_ranges())
def test_a_subscription_matches_what_has_all_of_its_attributes_inside_its_ranges(
    asked: dict[str, tuple[float, float]], said: dict[str, tuple[float, float]]
) -> None:
    rule = all(name in said and low <= said[name][0] and said[name][1] <= high for name, (low, high) in asked.items())
    assert range_predicate(asked).matches(says(said)) == rule


@given(some_ranges())
def test_ranges_are_read_back_as_they_were_written(ranges: dict[str, tuple[float, float]]) -> None:
    assert interest_ranges(range_predicate(ranges), LIMITS) == ranges
    assert event_ranges(range_attributes(ranges), LIMITS) == ranges


def test_a_point_is_a_range_of_one_value() -> None:
    assert range_predicate({"age": (18, 30)}).matches(says({"age": (30, 30)}))
    assert not range_predicate({"age": (18, 30)}).matches(says({"age": (30, 31)}))
    assert interest_ranges(compare("age_low", "=", 7) & compare("age_high", "=", 7), LIMITS) == {"age": (7.0, 7.0)}


def test_of_what_is_no_conjunction_of_ranges_nothing_is_known() -> None:
    either = range_predicate({"age": (1, 2)}) | range_predicate({"age": (8, 9)})
    for interest in (TopicInterest(Topic("a")), either, parse("age_low >= 5"), parse('age_low = "x" and age_high = 3')):
        assert interest_ranges(interest, LIMITS) == {}
    assert interest_ranges(either, LIMITS) == {}
    assert interest_ranges(range_predicate({"age": (1, 2)}), {}) == {}


@pytest.mark.parametrize("text", ["missing", "present", 'starts with "x"'])
def test_an_attribute_whose_ends_need_not_be_numbers_need_not_be_there(text: str) -> None:
    interest = parse(f"age_low {text} and age_high {text} and b_low >= 0 and b_high <= 50")
    assert interest_ranges(interest, {**LIMITS, "b": (0.0, 100.0)}) == {"b": (0.0, 50.0)}
    assert interest_ranges(parse(f"age_low {text} and age_high <= 50"), LIMITS) == {}
    assert interest_ranges(parse(f"age_low >= 3 and age_high {text}"), LIMITS) == {}


def test_what_an_interest_says_beside_ranges_leaves_them_necessary() -> None:
    interest = range_predicate({"age": (18, 30)}) & compare("colour", "=", "red")
    assert interest_ranges(interest, LIMITS) == {"age": (18.0, 30.0)}


def test_an_end_beyond_the_limits_is_the_limit() -> None:
    assert interest_ranges(range_predicate({"age": (-50, 300)}), LIMITS) == {"age": (0.0, 100.0)}
    assert interest_ranges(range_predicate({"age": (200, 300)}), LIMITS) == {}


@pytest.mark.parametrize(
    "values", [{"age_low": 5}, {"age_low": 9, "age_high": 5}, {"age_low": True, "age_high": 5}, {"age_low": "5"}]
)
def test_a_range_of_an_event_that_makes_no_sense_is_left_out(values: dict[str, object]) -> None:
    assert event_ranges(Attributes(values), LIMITS) == {}


def test_values_outside_the_limits_and_of_peers_that_lie_are_left_out() -> None:
    forged = Attributes.__new__(Attributes)
    dict.__init__(forged, {"age_low": -inf, "age_high": 5.0})
    assert event_ranges(forged, LIMITS) == {}
    assert event_ranges(Attributes({"age_low": 5, "age_high": 101}), LIMITS) == {}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"age_low": 5, "age_high": 101}, "node 3: age = [5, 101]: must be within its limits 0 to 100"),
        ({"age_low": -0.5, "age_high": 5}, "node 3: age = [-0.5, 5]: must be within its limits 0 to 100"),
        ({"age_low": 9, "age_high": 5}, "node 3: age = [9, 5]: the range is reversed"),
        ({"age_low": 5}, "node 3: age = [5, None]: must have two numbers, age_low and age_high"),
        ({"price_high": 5}, "node 3: price = [None, 5]: must have two numbers"),
        ({"age_low": True, "age_high": 5}, "node 3: age = [true, 5]: must have two numbers"),
    ],
)
def test_a_person_s_event_with_a_range_that_makes_no_sense_is_refused_by_name(
    values: dict[str, object], words: str
) -> None:
    with pytest.raises(UserError) as raised:
        check_event_ranges("node 3", Attributes(values), LIMITS)
    assert words in str(raised.value)


@given(some_ranges())
def test_a_person_s_event_inside_the_limits_is_published(ranges: dict[str, tuple[float, float]]) -> None:
    check_event_ranges("node 3", range_attributes(ranges), LIMITS)
    check_event_ranges("node 3", Attributes({"colour": "red", "agelow": 3}), LIMITS)


def test_a_range_takes_its_identifier_and_two_numbers() -> None:
    assert ranges_bytes({}) == 0
    assert ranges_bytes({"age": (1.0, 2.0), "price": (1.0, 1.0)}) == 18
