"""Numbers of any width are compared as 64-bit floats, and what such a float holds exactly is taken everywhere."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import AttributeSpace, Limits, Range
from roamcast.matching.dyadic import DyadicTable
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable
from roamcast.matching.range_vectors import Encoder, RangeVector, matches, merged_all
from roamcast.matching.summary_forest import SummaryForest

NEWLINE = "two\nlines"
nothing: Any = None
mapping: Any = {"age": (0, 1)}
TENTH = AttributeSpace({"a": (0.0, 0.1)})
HUGE = AttributeSpace({"a": (-1e300, 1e300)})
AGE = AttributeSpace({"age": (0, 100)})


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(UserError) as raised:
        action()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def table_of(low: Any, high: Any) -> RangeTable:
    return RangeTable(np.array([0]), np.array([0]), low, high)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize(
    ("space", "value", "words"),
    [
        (TENTH, 0.1001, "a = 0.100"),
        (AttributeSpace({"a": (0.1001, 1.0)}), 0.1, "must be within its limits 0.1001 to 1"),
        (HUGE, np.inf, "a = inf: must be within its limits -1e+300 to 1e+300"),
        (HUGE, np.nan, "a = nan: must be a number, not NaN"),
    ],
)
def test_a_limit_is_never_rounded_to_the_width_of_a_column(
    kind: type[Any], space: AttributeSpace, value: float, words: str
) -> None:
    column = np.array([value], kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert words in refusal(lambda: EventBatch.from_columns(space, {"a": column}))
        assert words in refusal(lambda: EventBatch(space, column[:, None], [[True]]))


def test_a_tenth_in_32_bits_is_more_than_a_tenth() -> None:
    index: MatchingIndex[int] = MatchingIndex(TENTH)
    for number in range(300):
        index.add(number, {"a": (0.0, 0.1)})
    column = np.array([0.1], np.float32)
    wanted = "a = 0.10000000149011612: must be within its limits 0 to 0.1"
    assert refusal(lambda: EventBatch.from_columns(index.space, {"a": column})) == wanted
    assert refusal(lambda: EventBatch(index.space, column[:, None], [[True]])) == wanted
    zero = np.zeros(1, np.float32)
    said = "ranges row 0: a = [0.0, 0.10000000149011612]: must be within the attribute's limits 0 to 0.1"
    assert refusal(lambda: index.add_many([300], table_of(zero, column))) == said
    below = np.nextafter(column, zero)
    assert index.count_many(EventBatch.from_columns(index.space, {"a": below})).tolist() == [300]


@pytest.mark.parametrize("large", [2**60, -(2**60), 2**53 + 2, 2**63, -(2**63)])
def test_a_large_whole_number_that_a_float_holds_is_taken_everywhere(large: int) -> None:
    index: MatchingIndex[str] = MatchingIndex({"a": (-(2**64), 2**64)})
    column = np.array([large])
    index.add("one", {"a": large})
    index.add_many(["many"], table_of(column, column))
    batches = EventBatch.from_columns(index.space, {"a": column}), EventBatch(index.space, [[large]], [[True]])
    assert [sorted(index.match_many(batch).identifiers(0)) for batch in batches] == [["many", "one"]] * 2
    assert sorted(index.match({"a": large})) == ["many", "one"]


@pytest.mark.parametrize("large", [2**60 + 1, -(2**60) - 1, 2**63 - 1, 2**64 - 1])
def test_a_large_whole_number_that_a_float_does_not_hold_is_refused_everywhere(large: int) -> None:
    index: MatchingIndex[str] = MatchingIndex({"a": (-(2.0**70), 2.0**70)})
    column = np.array([large])
    for action in (
        lambda: index.add("one", {"a": large}),
        lambda: index.match({"a": large}),
        lambda: index.add_many(["many"], table_of(column, column)),
        lambda: EventBatch.from_columns(index.space, {"a": column}),
        lambda: EventBatch(index.space, column[:, None], [[True]]),
    ):
        assert "that a 64-bit float holds exactly" in refusal(action)


def test_a_longer_float_that_is_too_large_is_refused_without_a_warning() -> None:
    index: MatchingIndex[str] = MatchingIndex(HUGE)
    column = np.array([np.longdouble("1e308") * 10])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "holds exactly" in refusal(lambda: index.add_many(["x"], table_of(-column, column)))
        assert "holds exactly" in refusal(lambda: EventBatch.from_columns(index.space, {"a": column}))


def test_a_masked_value_is_refused_where_nothing_may_be_missing() -> None:
    hidden: Any = np.ma.masked_array([1.0], mask=[True])
    whole: Any = np.ma.masked_array([0], mask=[True])
    one = np.array([0])
    for columns in ((whole, one, one, one), (one, whole, one, one), (one, one, hidden, one), (one, one, one, hidden)):
        assert "masked: must not have masked values" in refusal(lambda: RangeTable(*columns)).replace('"', "")  # noqa: B023
    values: Any = np.ma.masked_array([[1.0]], mask=[[True]])
    present: Any = np.ma.masked_array([[True]], mask=[[True]])
    assert "must not be present where the value is masked" in refusal(lambda: EventBatch(AGE, values, [[True]]))
    assert "present" in refusal(lambda: EventBatch(AGE, [[1.0]], present))
    assert EventBatch(AGE, values, [[False]]).present.tolist() == [[False]]


def test_an_open_end_that_is_missing_or_infinite_leaves_nothing_out() -> None:
    for missing in (None, -np.inf):
        assert AGE.closed_range("age", Range(missing, 5, low_open=True)) == (0.0, 5.0)
    for missing in (None, np.inf):
        assert AGE.closed_range("age", Range(5, missing, high_open=True)) == (5.0, 100.0)


@pytest.mark.parametrize("alpha", [np.float64(0.5), np.float32(0.5), 0.5])
def test_alpha_may_be_any_real_number(alpha: Any) -> None:
    encoder = Encoder(AGE, alpha, np.int64(8))  # type: ignore[arg-type]
    assert (encoder, type(encoder.alpha), type(encoder.length_max)) == (Encoder(AGE, 0.5, 8), float, int)


def forest() -> SummaryForest[str]:
    made: SummaryForest[str] = SummaryForest()
    made.add("a", {"age": RangeVector.from_text("01")})
    return made


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: Encoder(mapping), "space = \"{'age': (0, 1)}\": must be an AttributeSpace"),
        (lambda: EventBatch.from_columns(mapping, {"age": [1]}), "must be an AttributeSpace"),
        (lambda: EventBatch.of(mapping, [{"age": 1}]), "must be an AttributeSpace"),
        (lambda: EventBatch(nothing, [[1]], [[True]]), 'space = "None": must be an AttributeSpace'),
        (lambda: DyadicTable(nothing), 'space = "None": must be an AttributeSpace'),
        (lambda: Encoder(AGE, True), "alpha = true: must be from 0 to 1"),
        (lambda: forest().match({"age": 3}), "published: age = 3: must be a RangeVector"),  # type: ignore[dict-item]
        (lambda: forest().matches_any_root(nothing), 'published = "None": must be a mapping from attributes to range'),
        (lambda: matches(nothing, nothing), 'published = "None": must be a mapping'),
        (lambda: matches({}, nothing), 'subscribed = "None": must be a mapping'),
        (lambda: RangeVector.from_text(nothing), 'range vector = "None": must be 1, 2, 4'),
        (lambda: merged_all([]), "vectors = \"[]\": must be at least one"),
        (lambda: MatchingIndex({NEWLINE: (0, 1)}).match({NEWLINE: 2}), "two\\nlines = 2.0: must be within its limits"),
        (lambda: MatchingIndex({NEWLINE: (0, 1)}).match({"x": 2}), "unknown attribute 'x'; known: two\\nlines"),
        (lambda: AGE.index(NEWLINE), "unknown attribute 'two\\nlines'; known: age"),
        (lambda: AttributeSpace({}).index("x"), "unknown attribute 'x'; there are no attributes"),
    ],
)  # fmt: skip
def test_what_is_of_no_use_is_refused_in_one_line(action: Callable[[], object], words: str) -> None:
    assert words in refusal(action)


def test_spaces_that_differ_only_in_whole_are_told_apart() -> None:
    index: MatchingIndex[str] = MatchingIndex({"age": Limits(0, 100, whole=True)})
    said = "the events have the attributes age 0 to 100; the index has age 0 to 100 (whole)"
    assert refusal(lambda: index.match_many(EventBatch.of(AGE, [{"age": 1}]))) == said


def test_places_of_events_count_from_the_end_where_they_are_negative() -> None:
    index: MatchingIndex[str] = MatchingIndex(AGE)
    index.add("ann", {"age": (10, 20)})
    found = index.match_many([{"age": 15}, {"age": 30}, {"age": 12}])
    assert [places.tolist() for places in found.pairs(-2)] == [[2], [0]]
    assert [found.pairs(*ends)[0].tolist() for ends in ((0, -1), (5, 9), (2, 1), (-9, None))] == [[0], [], [], [0, 2]]
    assert found.identifiers(-1) == ["ann"]
    anything: Any = slice(0, 2)
    assert "must be the index of one of 3 events" in refusal(lambda: found.identifiers(anything))
    assert "event = 3: must be the index of one of 3 events" in refusal(lambda: found.numbers(3))
    assert "must be the index of one of 1 subscriptions" in refusal(lambda: found.identifier(anything))
    assert "must be the indices of two events" in refusal(lambda: found.pairs(nothing, text))


text: Any = "no"


def test_who_is_to_be_added_twice_is_named() -> None:
    index: MatchingIndex[str] = MatchingIndex(AGE)
    empty: Any = []
    assert refusal(lambda: index.add_many(["q", "r", "r"], RangeTable(empty, empty, empty, empty))) == (
        "subscription 'r' is listed twice among those to add"
    )
