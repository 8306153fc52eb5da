"""TAMA's table: where ranges are stored, and whom an event meets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.matching.attribute_space import AttributeSpace, Limits
from roamcast.matching.dyadic import DyadicTable

SPACE = AttributeSpace({"a": Limits(0, 15, whole=True), "b": Limits(0.0, 16.0)})


def test_a_range_is_stored_in_the_largest_cells_inside_it_and_in_the_leaves_that_it_touches() -> None:
    table: DyadicTable[str] = DyadicTable(SPACE, levels=4)  # 8 leaves of two whole numbers
    assert sorted(table.cells("a", 0, 15)) == [(1, 0)]
    assert sorted(table.cells("a", 2, 7)) == [(3, 1), (4, 1)]
    assert sorted(table.cells("a", 3, 12)) == [(3, 1), (3, 2), (4, 1), (4, 6)]
    assert sorted(table.cells("a", 5, 5)) == [(4, 2)]
    assert sorted(table.cells("b", 1.0, 8.0)) == [(3, 1), (4, 0), (4, 1), (4, 4)]


def test_an_end_is_rounded_to_its_leaf_unless_it_is_checked() -> None:
    for exact, met in ((False, ["x"]), (True, [])):
        table: DyadicTable[str] = DyadicTable(SPACE, levels=4, exact=exact)
        table.add("x", {"a": (3, 12)})
        assert table.match({"a": 2}) == met
        assert table.match({"a": 1}) == []
        assert table.match({"a": 3}) == ["x"]


def test_all_ranges_must_be_met() -> None:
    table: DyadicTable[str] = DyadicTable(SPACE)
    table.add("x", {"a": (3, 12), "b": (0.0, 4.0)})
    table.add("all", {})
    assert table.match({"a": 5}) == ["all"]
    assert table.match({"a": 5, "b": 3.0}) == ["x", "all"]
    assert table.match({"a": 5, "b": (1.0, 3.0)}) == ["x", "all"]
    assert table.match({"a": 5, "b": (1.0, 9.0)}) == ["all"]


values = st.tuples(st.integers(0, 15), st.floats(0, 16))
ranges = st.fixed_dictionaries(
    {},
    optional={
        "a": st.tuples(st.integers(0, 15), st.integers(0, 15)).map(lambda ends: (min(ends), max(ends))),
        "b": st.tuples(st.floats(0, 16), st.floats(0, 16)).map(lambda ends: (min(ends), max(ends))),
    },
)


@settings(deadline=None)
@given(st.lists(ranges, max_size=12), st.integers(1, 8), st.sets(st.integers(0, 11)), values)
def test_no_false_negative_and_checked_it_is_exact(
    asked: list[dict[str, tuple[float, float]]], levels: int, gone: set[int], value: tuple[int, float]
) -> None:
    event = {"a": value[0], "b": value[1]}
    rough: DyadicTable[int] = DyadicTable(SPACE, levels)
    exact: DyadicTable[int] = DyadicTable(SPACE, levels, exact=True)
    there = {number: each for number, each in enumerate(asked) if number not in gone}
    for table in (rough, exact):
        for number, each in enumerate(asked):
            table.add(number, each)
        for number in gone & set(range(len(asked))):
            table.remove(number)
    wanted = {n for n, each in there.items() if all(low <= event[k] <= high for k, (low, high) in each.items())}
    assert set(exact.match(event)) == wanted
    assert set(rough.match(event)) >= wanted
    for number in there:
        rough.remove(number)
    assert (rough.stored, len(rough)) == (0, 0)


def test_mistakes_are_named() -> None:
    table: DyadicTable[str] = DyadicTable(SPACE)
    table.add("x", {})
    with pytest.raises(UserError, match="'x' is already in the table"):
        table.add("x", {})
    with pytest.raises(UserError, match="'y' is not in the table"):
        table.remove("y")
    with pytest.raises(UserError, match="levels = 0"):
        DyadicTable(SPACE, 0)
    with pytest.raises(UserError, match="unknown attribute 'c'"):
        table.match({"c": 1})
