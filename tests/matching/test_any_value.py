"""Whatever is handed to the index: the right answer, or one line that says what is wrong. Never a traceback."""

from collections.abc import Callable, Mapping
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from any_values import anything, columns, tables
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import AttributeSpace, Limits, Range
from roamcast.matching.dyadic import DyadicTable
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable
from roamcast.matching.range_vectors import Encoder
from roamcast.matching.summary_forest import SummaryForest

LIMITS = {"age": Limits(0, 100, whole=True), "real": Limits(-1.0, 1.0)}
AGES = [float(age) for age in range(101)]
REALS = [-1.0, -0.5, -1e-300, 0.0, 1e-300, 0.1, 0.5, 1.0]


def outcome(action: Callable[[], Any]) -> Any:
    """Return what an action gives, or the one line of its error."""
    try:
        return action()
    except UserError as error:
        found = error
    assert "\n" not in str(found)
    assert 0 < len(str(found)) < 400
    return found


def is_inside(value: float, asked: Any) -> bool:
    """Tell whether a value is in a range that was taken, by Python's own comparisons."""
    if isinstance(asked, Range):
        low, high, low_open, high_open = asked.low, asked.high, asked.low_open, asked.high_open
    else:
        low, high = asked if isinstance(asked, (tuple, list)) else (asked, asked)
        low_open = high_open = False
    above = low is None or (low < value if low_open else low <= value)
    return above and (high is None or (value < high if high_open else value <= high))


@settings(max_examples=300, deadline=None)
@given(anything, st.dictionaries(st.sampled_from(["age", "real", "x", 7]), anything, max_size=2) | anything)
def test_any_identifier_and_any_ranges_are_added_as_they_were_meant_or_refused(identifier: Any, ranges: Any) -> None:
    index: MatchingIndex[Any] = MatchingIndex(LIMITS)
    index.add("ann", {"age": (1, 2)})
    if isinstance(outcome(lambda: index.add(identifier, ranges)), UserError):
        assert (len(index), index.match({"age": 1})) == (1, ["ann"])
        return
    events = [{"age": age, "real": real} for age in AGES[:60:7] + AGES[-3:] for real in REALS]
    wanted = [all(is_inside(event[name], asked) for name, asked in ranges.items()) for event in events]
    matches = index.match_many(events)
    assert [identifier in matches.identifiers(at) for at in range(len(events))] == wanted
    index.remove(identifier)
    assert index.match({"age": 1}) == ["ann"]


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["age", "real", "x", 7]), anything, max_size=2) | anything)
def test_any_event_is_matched_by_its_values_or_refused(event: Any) -> None:
    index: MatchingIndex[str] = MatchingIndex(LIMITS)
    index.add("all", {})
    index.add("some", {"age": (1, 50), "real": (0, 1)})
    found = outcome(lambda: index.match(event))
    if not isinstance(found, UserError):
        assert isinstance(event, Mapping)
        is_some = len(event) == 2 and 1 <= event["age"] <= 50 and 0 <= event["real"] <= 1
        assert found == (["all", "some"] if is_some else ["all"])
    many = outcome(lambda: index.match_many([event, event]))
    assert isinstance(many, UserError) == isinstance(found, UserError)
    assert isinstance(many, UserError) or [many.identifiers(1), many.identifiers(0)] == [found, found]


@settings(max_examples=200, deadline=None)
@given(anything, anything, anything)
def test_anything_else_is_refused_in_one_line(one: Any, two: Any, three: Any) -> None:
    index: MatchingIndex[Any] = MatchingIndex(LIMITS)
    index.add("ann", {"age": (1, 2)})
    actions: tuple[Callable[[], Any], ...] = (
        lambda: index.remove(one),
        lambda: index.match_many(one),
        lambda: index.count_many(one),
        lambda: index.match_many([{"age": 1}], memory=one),
        lambda: index.matches_words(one),
        lambda: index.add_many(one, two),
        lambda: EventBatch(index.space, one, two),
        lambda: EventBatch(index.space, [[1.0, 0.0]], two),
        lambda: EventBatch.of(index.space, one),
        lambda: index.space.index(one),
        lambda: index.space[one],
        lambda: AttributeSpace(one),
        lambda: AttributeSpace({"x": one}),
        lambda: MatchingIndex(one),
        lambda: Encoder(AttributeSpace(LIMITS), one, two, three),
        lambda: Encoder(AttributeSpace(LIMITS)).subscription(one),
        lambda: Encoder(AttributeSpace(LIMITS)).publication({"age": one}),
        lambda: SummaryForest[Any]().add(one, two),
        lambda: SummaryForest[Any]().remove(one),
        lambda: DyadicTable[Any](AttributeSpace(LIMITS), one),
        lambda: DyadicTable[Any](AttributeSpace(LIMITS)).add(one, two),
        lambda: DyadicTable[Any](AttributeSpace(LIMITS)).remove(one),
        lambda: DyadicTable[Any](AttributeSpace(LIMITS)).match(one),
    )
    for action in actions:
        outcome(action)
    assert len(index) <= 1


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["age", "real", "x"]), columns, max_size=2) | anything)
def test_any_columns_are_taken_as_they_are_or_refused(given_columns: Any) -> None:
    space = AttributeSpace(LIMITS)
    batch = outcome(lambda: EventBatch.from_columns(space, given_columns))
    if not isinstance(batch, UserError):
        for name, column in given_columns.items():
            assert batch.values[:, space.index(name)].tolist() == [float(value) for value in column]


@settings(max_examples=300, deadline=None)
@given(tables(), st.lists(anything, max_size=3) | anything)
def test_any_table_is_added_as_its_rows_one_by_one_or_refused(make: Callable[[], RangeTable], identifiers: Any) -> None:
    table = outcome(make)
    if isinstance(table, UserError):
        return
    index: MatchingIndex[Any] = MatchingIndex(LIMITS)
    if isinstance(outcome(lambda: index.add_many(identifiers, table)), UserError):
        assert len(index) == 0
    else:
        assert len(index) == len(identifiers)


end = st.integers(-2, 13).map(lambda step: step / 2) | st.sampled_from([-np.inf, np.inf, np.nan, 1e300, -1e-300])
whole_end = st.integers(-1, 6) | st.sampled_from([2**53 + 1, -(2**60)])


@settings(max_examples=400, deadline=None)
@given(st.booleans(), st.tuples(end, end) | st.tuples(whole_end, whole_end))
def test_a_table_takes_a_range_just_where_add_takes_it(whole: bool, ends: tuple[float, float]) -> None:
    limits = {"x": Limits(0, 5, whole=whole)}
    one: MatchingIndex[str] = MatchingIndex(limits)
    many: MatchingIndex[str] = MatchingIndex(limits)
    table = RangeTable(np.array([0]), np.array([0]), np.array([ends[0]]), np.array([ends[1]]))
    alone, in_table = outcome(lambda: one.add("a", {"x": ends})), outcome(lambda: many.add_many(["a"], table))
    assert (type(alone) is type(in_table)) or (isinstance(alone, UserError) and isinstance(in_table, UserError))
    if not isinstance(in_table, UserError):
        values = [0, 1, 2, 3, 4, 5] if whole else [0, 1e-300, 0.5, 1, 2, 2.5, 4.75, 5]
        assert [one.match({"x": value}) for value in values] == [many.match({"x": value}) for value in values]


text: Any = "no"
any_index: Any = MatchingIndex


def ranges(*columns: Any) -> RangeTable:
    return RangeTable(*columns)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda index: index.add("x", {"age": (1, 2, 3)}), 'age = "(1, 2, 3)": must be a value, a pair (low, high)'),
        (lambda index: index.add("x", {"age": ()}), 'age = "()": must be a value, a pair'),
        (lambda index: index.add("x", {"age": None}), 'age = "None": must be a value, a pair (low, high) or a Range'),
        (lambda index: index.add("x", {"age": True}), "age = true: must be a value, a pair (low, high) or a Range"),
        (lambda index: index.add("x", {"age": inf}), "age = inf: must be a finite number, or a pair"),
        (lambda index: index.add("x", {"age": Range(low=5000)}), "age low = 5000.0: must be within its limits"),
        (lambda index: index.add("x", {"age": Range(high=-3.0)}), "age high = -3.0: must be within its limits"),
        (lambda index: index.add("x", {"age": (5000, -3)}), "age = [5000.0, -3.0]: the range is reversed"),
        (lambda index: index.add(nan, {"age": 1}), "subscription = nan: an identifier must equal itself"),
        (lambda index: index.add_many([nan], ranges([0], [0], [1], [2])), "subscription = nan: an identifier must"),
        (lambda index: index.add_many(np.array(["2020"], "datetime64[ns]"), ranges([0], [0], [1], [2])), "be a list"),
        (lambda index: index.add_many(np.ma.masked_array([7], [True]), ranges([0], [0], [1], [2])), "must be a list"),
        (lambda index: index.add_many(["y"], ranges([0], [0], [5000], [inf])), "[5000, inf]: must be within the attr"),
        (lambda index: index.add_many(["y"], ranges([0], [0], [-inf], [-3])), "[-inf, -3]: must be within the attr"),
        (lambda index: index.match_many([{"age": 1}, {"age": nan}]), "age of event 1 = nan: must be a number, not NaN"),
        (lambda index: index.match_many([{"age": 1}, {"age": 101}]), "age of event 1 = 101.0: must be within"),
        (lambda index: index.match_many([{"age": nan}]), "age = nan: must be a number, not NaN"),
        (lambda index: index.add("x", {"age": Range(1, 2, text)}), 'age low_open = "no": must be true or false'),
        (lambda index: index.add("x", {"age": 10**5000}), "age = \"a very long int\": must be a number that a 64-bit"),
        (lambda index: index.add("x", 5), "ranges = 5: must be a mapping from attributes to ranges"),
        (lambda index: index.add([1], {}), 'subscription = "[1]": an identifier must be hashable'),
        (lambda index: index.add_many(["y", [1]], ranges([], [], [], [])), 'subscription = "[1]": an identifier'),
        (lambda index: index.add_many([None], ranges([], [], [], [])), "subscription None is already in the index"),
        (lambda index: index.remove([1]), 'subscription = "[1]": an identifier must be hashable'),
        (lambda index: index.match([1]), 'an event = "[1]": must be a mapping from attributes to values'),
        (lambda index: index.match_many({"age": 1}), "events = \"{'age': 1}\": must be several"),
        (lambda index: index.match_many(5), "events = 5: must be several"),
        (lambda index: index.match_many(np.array(3.0)), 'events = "array(3.)": must be several'),
        (lambda index: index.add_many(np.array(3.0), ranges([], [], [], [])), 'identifiers = "array(3.)": must be'),
        (lambda index: index.match_many([], memory=[0]), 'memory = "[0]": must be an array'),
        (lambda index: index.matches_words("1"), 'events = "1": must be a number of events'),
        (lambda _: any_index({"x": (0,)}), 'x limits = "(0,)": must be Limits or a pair'),
        (lambda _: any_index({"x": 5}), "x limits = 5: must be Limits or a pair"),
        (lambda _: MatchingIndex({"x": Limits(0, 1, text)}), 'x whole = "no": must be true or false'),
        (lambda _: any_index({5: (0, 1)}), "limits = 5: the name of an attribute must be a text"),
        (lambda _: any_index(5), "limits = 5: must be a mapping"),
        (lambda _: ranges([0], [0], [0.5], [0.5, 1]), 'ranges high = "2 rows": must be 1'),
        (lambda _: ranges([0], [0], ["x"], [1]), "ranges low = \"1-D <U1\": must be a column of numbers"),
        (lambda _: ranges([0.5], [0], [0], [1]), "ranges subscription = \"1-D float64\": must be a column"),
        (lambda index: index.add_many(["y"], ranges([0], [0], [-0.5], [5])), "row 0: age = [-0.5, 5]: must be"),
        (lambda index: index.add_many(["y"], ranges([0], [0], [5], [100.5])), "age = [5, 100.5]: must be within"),
        (lambda index: index.add_many(["y"], ranges([0], [0], [1.2], [1.8])), "age = [1.2, 1.8]: there is no value"),
        (lambda index: index.add_many(["y"], ranges([0], [1], [0], [2**53 + 1])), "real = [0, 9007199254740993]: must"),
    ],
)  # fmt: skip
def test_a_wrong_type_is_named(action: Callable[[MatchingIndex[Any]], object], words: str) -> None:
    index: MatchingIndex[Any] = MatchingIndex(LIMITS)
    index.add("ann", {"age": (1, 2)})
    index.add(None, {"age": (50, 60)})
    with pytest.raises(UserError) as raised:
        action(index)
    assert words in str(raised.value)
    assert (len(index), index.match({"age": 1})) == (2, ["ann"])


@pytest.mark.parametrize(
    ("values", "present", "words"),
    [
        ([[1.0, np.nan]], [[True, True]], "real = nan: must be a number, not NaN"),
        ([[np.nan, 0.0]], [[True, True]], "age = nan: must be a number, not NaN"),
        ([[101.0, 0.0]], [[True, False]], "age = 101.0: must be within its limits 0 to 100"),
        ([[1.5, 0.0]], [[True, False]], "age = 1.5: must be a whole number"),
        ([[1.0, np.inf]], [[True, True]], "real = inf: must be within its limits -1 to 1"),
        ([[1.0]], [[True]], "values = [1, 1]: must be events by 2 attributes"),
        ([[1.0, 0.0]], [[True]], "present = [1, 1]: must be events by 2 attributes"),
        ([[1.0, 0.0]], [[1, 0]], "present = \"2-D int64\": must be true or false"),
        ("x", [[True, True]], "values = \"0-D <U1\": must be numbers"),
    ],
)  # fmt: skip
def test_a_batch_that_is_built_directly_is_checked(values: Any, present: Any, words: str) -> None:
    with pytest.raises(UserError) as raised:
        EventBatch(AttributeSpace(LIMITS), values, present)
    assert words in str(raised.value)


def test_what_an_event_lacks_may_be_anything_in_a_batch_that_is_built_directly() -> None:
    index: MatchingIndex[str] = MatchingIndex(LIMITS)
    index.add("young", {"age": (0, 20)})
    values = np.array([[5.0, np.nan], [np.inf, 0.5]])
    batch = EventBatch(index.space, values, [[True, False], [False, True]])
    values[:] = 70.0  # the batch has its own copy
    assert [index.match_many(batch).identifiers(at) for at in (0, 1)] == [["young"], []]
    assert index.match_many(batch[::-1]).counts.tolist() == [0, 1]


@pytest.mark.parametrize("ends", [(0, 2**53 + 1), (-(2**53) - 1, 0)])
def test_a_whole_number_of_a_table_is_never_rounded(ends: tuple[int, int]) -> None:
    index: MatchingIndex[str] = MatchingIndex({"big": (-1e300, 1e300)})
    with pytest.raises(UserError, match=r"row 0: big = .* must be numbers that a 64-bit float holds exactly"):
        index.add_many(["y"], ranges([0], [0], [ends[0]], [ends[1]]))
