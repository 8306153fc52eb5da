"""The index against brute force, with subscriptions that come and go."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.core.errors import UserError
from roamcast.matching import _tiles, _waiting
from roamcast.matching.attribute_space import AttributeSpace, Limits, Range
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable

LIMITS = {
    "wide": Limits(0, 999_999, whole=True),
    "few": Limits(0, 9, whole=True),
    "real": Limits(-1.0, 1.0),
    "tiny": Limits(0.0, 1e-300),
    "huge": Limits(-1e300, 1e300),
    "one": Limits(5.0, 5.0),
}
Ranges = Mapping[str, tuple[float, float]]


def values_of(name: str) -> st.SearchStrategy[float]:
    """Return values that often meet: ends of segments and steps, the limits, and what stands beside them."""
    limits = LIMITS[name]
    if limits.whole:
        near = st.sampled_from([limits.low, limits.low + 1, limits.high - 1, limits.high])
        return near | st.integers(int(limits.low), int(limits.high)).map(float)
    grid = st.integers(0, 256).map(lambda step: limits.low + limits.width * (step / 256))
    close = st.integers(0, 8).map(lambda step: limits.low + limits.width * (0.5 + step * 1e-15))
    free = st.floats(limits.low, limits.high)
    return (grid | close | free).map(lambda value: min(max(value, limits.low), limits.high) + 0.0)


def range_of(name: str) -> st.SearchStrategy[tuple[float, float]]:
    return st.tuples(values_of(name), values_of(name)).map(lambda ends: (min(ends), max(ends)))


names = st.lists(st.sampled_from(sorted(LIMITS)), unique=True, max_size=4)
subscriptions = names.flatmap(lambda chosen: st.fixed_dictionaries({name: range_of(name) for name in chosen}))
events = names.flatmap(lambda chosen: st.fixed_dictionaries({name: values_of(name) for name in chosen}))


def brute_force(asked: Mapping[int, Ranges], event: Mapping[str, float]) -> set[int]:
    return {
        key
        for key, ranges in asked.items()
        if all(name in event and low <= event[name] <= high for name, (low, high) in ranges.items())
    }


@settings(max_examples=150, deadline=None)
@given(st.lists(subscriptions | st.integers(0, 60), max_size=60), st.lists(events, min_size=1, max_size=6))
def test_what_comes_and_goes_one_by_one_is_matched_as_by_brute_force(
    steps: list[Ranges | int], published: list[dict[str, float]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_waiting, "WAITING_MAX", 4)  # so that there are many shelves, merged again and again
        index: MatchingIndex[int] = MatchingIndex(LIMITS)
        asked: dict[int, Ranges] = {}
        for number, step in enumerate(steps):
            if isinstance(step, int):
                if asked:
                    gone = sorted(asked)[step % len(asked)]
                    index.remove(gone)
                    del asked[gone]
            else:
                index.add(number, step)
                asked[number] = step
            event = published[number % len(published)]
            assert set(index.match(event)) == brute_force(asked, event)
        matches = index.match_many(published)
        for at, event in enumerate(published):
            found = matches.identifiers(at)
            assert (len(found), set(found)) == (matches.counts[at], brute_force(asked, event))
        assert list(index.count_many(published)) == list(matches.counts)
        assert len(index) == len(asked)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(subscriptions, max_size=12) | subscriptions | st.integers(0, 60), max_size=15),
    st.lists(events, min_size=1, max_size=4),
)
def test_tables_single_ones_and_removals_in_any_order_are_matched_as_by_brute_force(
    steps: list[list[Ranges] | Ranges | int], published: list[dict[str, float]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_waiting, "WAITING_MAX", 4)
        patch.setattr("roamcast.matching.index.NUMBERS_SPARE", 2)  # so that numbers are given up
        index: MatchingIndex[int] = MatchingIndex(LIMITS)
        asked: dict[int, Ranges] = {}
        for number, step in enumerate(steps):
            if isinstance(step, int):
                for gone in sorted(asked)[step % 7 :: 3]:
                    index.remove(gone)
                    del asked[gone]
            elif isinstance(step, list):
                new = {100 * number + place: ranges for place, ranges in enumerate(step)}
                index.add_many(list(new), as_table(step))
                asked |= new
            else:
                index.add(100 * number, step)
                asked[100 * number] = step
            matches = index.match_many(published)
            for at, event in enumerate(published):
                found = matches.identifiers(at)
                assert (len(found), set(found)) == (matches.counts[at], brute_force(asked, event))
            assert len(index) == len(asked)


@settings(max_examples=80, deadline=None)
@given(st.lists(subscriptions, max_size=40), st.lists(events, min_size=1, max_size=10), st.integers(1, 4))
def test_a_sweep_over_sorted_events_matches_as_by_brute_force(
    several: list[Ranges], published: list[dict[str, float]], tile: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roamcast.matching.index.SWEPT_EVENTS_MIN", 1)
        patch.setattr(_tiles, "SWEPT_SHARE_MIN", 0.0)
        patch.setattr(_tiles, "TILE_EVENTS_MAX", tile)
        index: MatchingIndex[int] = MatchingIndex(LIMITS)
        index.add_many(range(len(several)), as_table(several))
        asked = dict(enumerate(several))
        for gone in range(0, len(several), 5):
            index.remove(gone)
            del asked[gone]
        matches = index.match_many(published)
        assert [set(matches.identifiers(at)) for at in range(len(published))] == [
            brute_force(asked, event) for event in published
        ]
        assert list(index.count_many(published)) == list(matches.counts)


def as_table(several: list[Ranges]) -> RangeTable:
    rows = [
        (place, list(LIMITS).index(name), low, high)
        for place, ranges in enumerate(several)
        for name, (low, high) in ranges.items()
    ]
    return RangeTable(*(np.array(column) for column in zip(*rows, strict=True))) if rows else RangeTable(*NO_ROWS)


NO_ROWS = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))


def random_table(count: int, random: np.random.Generator) -> tuple[dict[int, Ranges], RangeTable]:
    """Return subscriptions over three attributes as mappings and as a table."""
    places = [place for place, name in enumerate(LIMITS) if name in ("wide", "few", "real")]
    asked: dict[int, Ranges] = {}
    table: list[tuple[int, int, float, float]] = []
    for key in range(count):
        ranges = {}
        for place in random.permutation(places)[: random.integers(1, 4)]:
            name = list(LIMITS)[place]
            limits = LIMITS[name]
            ends = np.sort(random.uniform(limits.low, limits.high, 2))
            low, high = np.round(ends) if limits.whole else ends
            ranges[name] = (float(low), float(high))
            table.append((key, int(place), float(low), float(high)))
        asked[key] = ranges
    subscription, attribute, low, high = zip(*table, strict=True)
    return asked, RangeTable(np.array(subscription), np.array(attribute), np.array(low), np.array(high))


def random_columns(
    count: int, random: np.random.Generator
) -> dict[str, "np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]"]:
    columns = {}
    for name in ("wide", "few", "real"):
        limits = LIMITS[name]
        drawn = random.uniform(limits.low, limits.high, count)
        masked = np.ma.masked_array(np.round(drawn) if limits.whole else drawn, mask=random.random(count) < 0.3)
        columns[name] = masked
    return columns


def as_events(
    columns: Mapping[str, "np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]"], count: int
) -> list[dict[str, float]]:
    return [
        {name: float(column[at]) for name, column in columns.items() if column[at] is not np.ma.masked}
        for at in range(count)
    ]


@pytest.fixture(scope="module")
def filled() -> tuple[MatchingIndex[int], dict[int, Ranges]]:
    """Return an index of several blocks, some of whose subscriptions came alone and some of which are gone."""
    random = np.random.Generator(np.random.PCG64(1))
    asked, table = random_table(7_000, random)
    index: MatchingIndex[int] = MatchingIndex(LIMITS)
    index.add_many(list(asked), table)
    more, _ = random_table(900, random)
    for key, ranges in more.items():
        index.add(10_000 + key, ranges)
        asked[10_000 + key] = ranges
    for key in random.permutation(list(asked))[:3_000].tolist():
        index.remove(key)
        del asked[key]
    return index, asked


def test_many_blocks_match_as_brute_force(filled: tuple[MatchingIndex[int], dict[int, Ranges]]) -> None:
    index, asked = filled
    columns = random_columns(60, np.random.Generator(np.random.PCG64(2)))
    matches = index.match_many(EventBatch.from_columns(index.space, columns))
    for at, event in enumerate(as_events(columns, 60)):
        assert sorted(matches.identifiers(at)) == sorted(brute_force(asked, event))


def test_a_sweep_and_a_row_per_value_find_the_same(filled: tuple[MatchingIndex[int], dict[int, Ranges]]) -> None:
    index, asked = filled
    columns = random_columns(5_000, np.random.Generator(np.random.PCG64(5)))
    batch = EventBatch.from_columns(index.space, columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tiles, "SWEPT_SHARE_MIN", 0.0)
        assert len(_tiles.tiles_of(batch)) == 2
        swept, counts = index.match_many(batch), index.count_many(batch)
    assert counts.tolist() == swept.counts.tolist()
    for first in range(0, 5_000, 100):
        some = index.match_many(batch[first : first + 100])
        assert some.counts.tolist() == counts[first : first + 100].tolist()
        assert some.identifiers(7) == swept.identifiers(first + 7)
    event = as_events(columns, 4_999)[-1]
    assert sorted(swept.identifiers(4_998)) == sorted(brute_force(asked, event))


def test_identifiers_come_as_an_array_or_as_a_list() -> None:
    index: MatchingIndex[object] = MatchingIndex({"age": (0, 100)})
    given: list[object] = ["ann", 7, ("a", "pair"), 2.5, None, frozenset({1})]
    index.add_many(given[:4], RangeTable(*NO_ROWS))
    for identifier in given[4:]:
        index.add(identifier, {})
    matches = index.match_many([{"age": 3}, {}])
    assert matches.identifier_array(0).dtype == object
    assert matches.identifier_array(1).tolist() == matches.identifiers(0) == given


def test_pairs_are_all_matches_of_all_events(filled: tuple[MatchingIndex[int], dict[int, Ranges]]) -> None:
    index, _ = filled
    columns = random_columns(40, np.random.Generator(np.random.PCG64(3)))
    matches = index.match_many(EventBatch.from_columns(index.space, columns))
    places, numbers = matches.pairs()
    found = [(at, matches.identifier(number)) for at, number in zip(places.tolist(), numbers.tolist(), strict=True)]
    assert len(found) == matches.counts.sum() > 1_000
    assert sorted(found) == [(at, name) for at in range(len(matches)) for name in sorted(matches.identifiers(at))]
    assert matches.pairs(10, 12)[0].tolist() == [10] * int(matches.counts[10]) + [11] * int(matches.counts[11])


def test_memory_that_is_used_again_gives_the_same(filled: tuple[MatchingIndex[int], dict[int, Ranges]]) -> None:
    index, _ = filled
    batch = EventBatch.from_columns(index.space, random_columns(40, np.random.Generator(np.random.PCG64(4))))
    memory = np.full(index.matches_words(20) + 7, 2**64 - 1, np.uint64)
    fresh = index.match_many(batch[20:])
    again = index.match_many(batch[20:], memory)
    assert [sorted(fresh.identifiers(at)) for at in range(20)] == [sorted(again.identifiers(at)) for at in range(20)]
    assert list(index.count_many(batch[20:])) == list(fresh.counts)


def test_matches_stay_as_they_were_when_the_index_changes() -> None:
    index: MatchingIndex[str] = MatchingIndex({"age": (0, 100)})
    index.add("ann", {"age": (10, 20)})
    before = index.match_many([{"age": 15}])
    index.remove("ann")
    for number in range(600):
        index.add(f"other {number}", {"age": (10, 20)})
    assert before.identifiers(0) == ["ann"]
    assert len(index.match({"age": 15})) == 600


def test_numbers_of_the_removed_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roamcast.matching.index.NUMBERS_SPARE", 10)
    index: MatchingIndex[int] = MatchingIndex({"age": (0, 100)})
    for number in range(2_000):
        index.add(number, {"age": (number % 50, number % 50 + 10)})
        if number >= 20:
            index.remove(number - 20)
    assert len(index._identifiers) < 200
    assert set(index.match({"age": 45})) == {n for n in range(1_980, 2_000) if n % 50 <= 45 <= n % 50 + 10}


def test_what_is_half_empty_is_built_anew_and_not_before() -> None:
    index: MatchingIndex[int] = MatchingIndex({"x": (0.0, 5.0)})
    index.add_many(range(600), RangeTable(np.arange(600), np.zeros(600, np.int64), np.zeros(600), np.ones(600)))
    for number in range(300):
        index.remove(number)
    assert (index._shelves_made, sum(len(shelf.rows) for shelf in index._shelves.values())) == (1, 600)
    index.remove(300)
    assert (index._shelves_made, sum(len(shelf.rows) for shelf in index._shelves.values())) == (2, 299)
    assert sorted(index.match({"x": 0.5})) == list(range(301, 600))


def test_a_subscription_that_asks_for_nothing_matches_everything() -> None:
    index: MatchingIndex[int] = MatchingIndex({"age": (0, 100)})
    index.add(1, {})
    for number in range(2, 400):
        index.add(number, {"age": 3})
    assert index.match({}) == [1]


def test_open_and_missing_ends() -> None:
    index: MatchingIndex[str] = MatchingIndex({"real": (0.0, 1.0), "count": Limits(0, 10, whole=True)})
    index.add("below", {"real": Range(high=0.5, high_open=True)})
    index.add("above", {"real": Range(low=0.5, low_open=True)})
    index.add("more than 3", {"count": Range(3, None, low_open=True)})
    index.add("2.5 to 4.5", {"count": (2.5, 4.5)})
    assert index.match({"real": 0.5}) == []
    assert index.match({"real": np.nextafter(0.5, 0)}) == ["below"]
    assert index.match({"real": np.nextafter(0.5, 1)}) == ["above"]
    assert index.match({"count": 3}) == ["2.5 to 4.5"]
    assert sorted(index.match({"count": 4})) == ["2.5 to 4.5", "more than 3"]
    assert index.match({"count": 10}) == ["more than 3"]


def test_more_attributes_than_a_mask_has_bits() -> None:
    limits = {f"a{number}": (0, 100) for number in range(150)}
    index: MatchingIndex[int] = MatchingIndex(limits)
    for number in range(900):
        index.add(number, {f"a{number % 150}": (0, 50), f"a{(number + 70) % 150}": (50, 100)})
    event = {"a3": 50.0, "a67": 50.0, "a73": 50.0, "a131": 50.0}
    wanted = [n for n in range(900) if {f"a{n % 150}", f"a{(n + 70) % 150}"} <= event.keys()]
    assert sorted(index.match(event)) == wanted != []


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda index: index.add("x", {"agge": (1, 2)}), "'agge'; did you mean 'age'? known: age, real"),
        (lambda index: index.match({"agge": 1}), "unknown attribute 'agge'"),
        (lambda index: index.add("x", {"age": (5, 2)}), "age = [5.0, 2.0]: the range is reversed"),
        (lambda index: index.add("x", {"age": (5, 101)}), "age high = 101.0: must be within its limits 0 to 100"),
        (lambda index: index.add("x", {"real": (float("nan"), 1)}), "real low = nan: must be a number, not NaN"),
        (lambda index: index.add("x", {"age": Range(3, 4, True, True)}), "age = [3.0, 4.0]: there is no value"),
        (lambda index: index.add("ann", {"age": 5}), "subscription 'ann' is already in the index"),
        (lambda index: index.remove("bob"), "subscription 'bob' is not in the index"),
        (lambda index: index.match({"age": -1}), "age = -1.0: must be within its limits 0 to 100"),
        (lambda index: index.match({"age": 1.5}), "age = 1.5: must be a whole number"),
        (lambda index: index.match({"real": float("nan")}), "real = nan: must be a number, not NaN"),
        (lambda index: index.match({"real": "x"}), 'real = "x": must be a number'),
        (lambda index: index.match({"real": 2**53 + 1}), "real = 9007199254740993: must be a number that a 64-bit"),
        (lambda index: index.match_many(batch_of(age=(0, 99), real=(-1, 1))), "have the attributes age 0 to 99, real"),
        (lambda index: index.add_many(["ann"], table(0, 0, 1, 2)), "subscription 'ann' is already in the index"),
        (lambda index: index.add_many(["y", "y"], table(0, 0, 1, 2)), "listed twice among those to add"),
        (lambda index: index.add_many(["y"], table(0, 0, 2, 1)), "age = [2.0, 1.0]: the range is reversed"),
        (lambda index: index.add_many(["y"], table(0, 1, 0, np.nan)), "real = [0.0, nan]: must be numbers, not NaN"),
        (lambda index: index.add_many(["y"], table(0, 1, -2, 0)), "real = [-2.0, 0.0]: must be within"),
        (lambda index: index.add_many(["y"], table(1, 1, 0, 1)), "row 0: subscription = 1: must be from 0 to 0"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_names_the_attribute(action: object, words: str) -> None:
    index: MatchingIndex[str] = MatchingIndex({"age": Limits(0, 100, whole=True), "real": (-1.0, 1.0)})
    index.add("ann", {"age": (1, 2)})
    with pytest.raises(UserError) as raised:
        action(index)  # type: ignore[operator]
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    assert (len(index), index.match({"age": 1})) == (1, ["ann"])


def batch_of(**limits: tuple[float, float]) -> EventBatch:
    return EventBatch(AttributeSpace(limits), np.zeros((1, len(limits))), np.ones((1, len(limits)), np.bool_))


def table(subscription: int, attribute: int, low: float, high: float) -> RangeTable:
    return RangeTable(np.array([subscription]), np.array([attribute]), np.array([float(low)]), np.array([float(high)]))


def test_a_table_with_two_ranges_for_one_attribute_is_refused() -> None:
    index: MatchingIndex[str] = MatchingIndex({"age": (0, 100)})
    twice = RangeTable(np.array([0, 0]), np.array([0, 0]), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    with pytest.raises(UserError, match="another range for this attribute"):
        index.add_many(["x"], twice)


def test_infinite_ends_of_a_table_are_the_limits() -> None:
    index: MatchingIndex[str] = MatchingIndex({"age": Limits(0, 100, whole=True)})
    index.add_many(
        ["x", "y"], RangeTable(np.array([1, 0]), np.array([0, 0]), np.array([-np.inf, 49.5]), np.array([50.0, np.inf]))
    )
    assert [sorted(index.match({"age": age})) for age in (0, 50, 51)] == [["y"], ["x", "y"], ["x"]]


@pytest.mark.parametrize(
    ("limits", "first", "gap"),
    [
        (Limits(0, 2**22 - 1, whole=True), 1_234_567.0, 1.0),
        (Limits(0, 2**40, whole=True), 2.0**39, 1.0),
        (Limits(0.0, 1.0), 0.7, 2.0**-50),
    ],
)
def test_values_that_stand_close_together_are_told_apart(limits: Limits, first: float, gap: float) -> None:
    values = [first + gap * step for step in range(40)]
    asked = {number: {"x": (values[number % 37], values[number % 37 + number % 4])} for number in range(600)}
    index: MatchingIndex[int] = MatchingIndex({"x": limits})
    for number, ranges in asked.items():
        index.add(number, ranges)
    for value in [limits.low, first - gap, *values, limits.high]:
        assert set(index.match({"x": value})) == brute_force(asked, {"x": value})


def test_where_many_ranges_end_segments_are_narrow() -> None:
    index: MatchingIndex[int] = MatchingIndex({"x": Limits(0.0, 1e6)})
    low = np.linspace(10.0, 19.0, 2_000)
    index.add_many(range(2_000), RangeTable(np.arange(2_000), np.zeros(2_000, np.int64), low, low + 1.0))
    (shelf,) = index._shelves.values()
    in_segment = np.diff(shelf.lines.end_starts[0]).sum(axis=0)
    assert in_segment.max() < in_segment.sum() / 50  # equal segments would have all of them in the first


def test_the_example_of_the_documentation_does_what_it_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "matching.md").read_text("utf-8")
    lines = page.split("## The index")[1].split("\n\n")
    code = textwrap.dedent("\n\n".join(lines[1:3]))
    assert code.count("# [") == 1
    names: dict[str, MatchingIndex[str]] = {}
    exec(code, {}, names)
    call, said = next(line.split("#") for line in code.splitlines() if "# [" in line)
    names["index"].add("bob", {"price": Range(low=10.0, low_open=True)})
    assert str(eval(call, {}, names)).replace("'", '"') == said.strip()


def test_every_snippet_of_the_documentation_runs_after_those_before_it() -> None:
    page = (Path(__file__).parents[2] / "docs" / "matching.md").read_text("utf-8")
    index_part, vectors_part = (
        page.split(f"## {title}")[1].split("\n## ")[0] for title in ("The index", "Range vectors")
    )
    names: dict[str, Any] = {}
    for part in (index_part, vectors_part):
        code = [line[4:] for line in part.splitlines() if line.startswith("    ")]
        exec("\n".join(code), names)
        if part is index_part:
            assert (names["matches"].counts.tolist(), names["matches"].identifiers(0)) == ([1, 0, 0], ["ann"])
            assert sorted(names["index"].match({"age": 20, "price": 15.0})) == ["ann", "cem", "dan"]
    assert names["matches"](names["published"], names["subscribed"])
