"""Large batches against brute force: many attributes, values close together, and sets that share lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roamcast.matching import _tiles
from roamcast.matching._lines import LINE_SLOTS
from roamcast.matching._order_loops import gather_sets
from roamcast.matching._rank_loops import BUCKET_SHIFT, BUCKETS, rank_events
from roamcast.matching._rows import Rows
from roamcast.matching._scale import Scale, fitted_scale, limits_of
from roamcast.matching._shelf import _keys
from roamcast.matching.attribute_space import AttributeSpace
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable

ATTRIBUTES = 40
"""More than are combined at once, with more states than are combined at once."""
NO_ROWS = Rows(np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0))


def batch_of(index: MatchingIndex[int], count: int, random: np.random.Generator) -> EventBatch:
    """Draw events that lack a tenth of the attributes."""
    values = random.integers(0, 101, (count, ATTRIBUTES)).astype(float)
    return EventBatch(index.space, values, random.random(values.shape) < 0.9)


@pytest.fixture(scope="module")
def filled() -> tuple[MatchingIndex[int], RangeTable, int]:
    """Return an index of subscriptions with up to 30 of 40 attributes, and others with up to 3."""
    random, count = np.random.Generator(np.random.PCG64(21)), 1_500
    index: MatchingIndex[int] = MatchingIndex({f"a{at}": (0, 100) for at in range(ATTRIBUTES)})
    most = np.where(np.arange(count) % 2, random.integers(0, 4, count), random.integers(0, 31, count))
    asked = random.random((count, ATTRIBUTES)).argsort(axis=1) < most[:, None]
    owner, attribute = np.nonzero(asked)
    middle, width = random.integers(0, 101, len(owner)), random.integers(10, 100, len(owner))
    low, high = np.maximum(middle - width, 0), np.minimum(middle + width, 100)
    table = RangeTable(owner, attribute, low.astype(float), high.astype(float))
    index.add_many(range(1_000_000, 1_000_000 + count), table)
    return index, table, count


@pytest.mark.parametrize("events", [513, 520, 1])
def test_lines_with_many_attributes_match_as_by_brute_force(
    filled: tuple[MatchingIndex[int], RangeTable, int], events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roamcast.matching.index.SWEPT_EVENTS_MIN", 1)
    index, table, count = filled
    batch = batch_of(index, events, np.random.Generator(np.random.PCG64(22)))
    assert _tiles.tiles_of(batch) == [range(events)]
    matches, counts = index.match_many(batch), index.count_many(batch)
    assert matches.counts.tolist() == counts.tolist()
    for event in range(events):
        value, has = batch.values[event][table.attribute], batch.present[event][table.attribute]
        holds = np.ones(count, bool)
        np.logical_and.at(holds, table.subscription, has & (table.low <= value) & (value <= table.high))
        assert counts[event] == np.count_nonzero(holds)
        assert sorted(matches.numbers(event).tolist()) == np.flatnonzero(holds).tolist()


def test_identifiers_are_listed_one_event_after_the_other(filled: tuple[MatchingIndex[int], RangeTable, int]) -> None:
    index, _, count = filled
    texts: MatchingIndex[str] = MatchingIndex(index.space)
    texts.add_many([f"s{number}" for number in range(count)], filled[1])
    integers = index.match_many(batch_of(index, 520, np.random.Generator(np.random.PCG64(23))))
    memory = np.empty(count * 10, np.int64)
    found, begins = integers.listed_identifiers(3, 9, memory)
    assert np.shares_memory(found, memory)
    assert found.dtype == np.int64
    assert begins.tolist() == integers.listed(3, 9)[1].tolist()
    for event in range(3, 9):
        mine = found[begins[event - 3] : begins[event - 2]]
        assert sorted(mine.tolist()) == integers.identifiers(event)
    named = texts.match_many(batch_of(index, 20, np.random.Generator(np.random.PCG64(24))))
    objects, begins = named.listed_identifiers()
    assert [sorted(part) for part in np.split(objects, begins[1:-1])] == [
        sorted(named.identifiers(event)) for event in range(20)
    ]
    assert len(integers.listed_identifiers(4, 4)[0]) == 0


def test_identifiers_of_several_parts_are_listed_by_event() -> None:
    index: MatchingIndex[int] = MatchingIndex({"age": (0, 100)})
    index.add_many(range(10, 400), RangeTable(np.arange(390), np.zeros(390, int), np.zeros(390), np.arange(390) / 4))
    index.add(7, {"age": (20, 30)})  # waits, apart from the others
    matches = index.match_many([{"age": 25}, {"age": 90}, {}, {"age": 0}])
    found, begins = matches.listed_identifiers()
    assert begins.tolist() == [0, *np.cumsum(matches.counts).tolist()]
    assert [set(part) for part in np.split(found, begins[1:-1])] == [set(matches.identifiers(at)) for at in range(4)]


values = st.integers(0, 100).map(float) | st.integers(0, 50).map(lambda step: 50 + step * 1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(values, st.booleans()), min_size=1, max_size=120), st.integers(0, 3))
def test_events_are_ranked_by_value(given_values: list[tuple[float, bool]], copies: int) -> None:
    space = AttributeSpace({"x": (0.0, 100.0)})
    column = np.array([value for value, _ in given_values * (copies + 1)])[:, None]
    present = np.array([has for _, has in given_values * (copies + 1)])[:, None]
    scale: Scale = fitted_scale(NO_ROWS, limits_of(space))
    firsts, ordered = np.zeros((1, BUCKETS + 2), np.uint16), np.empty((1, len(column) + 1))
    has, ranks = np.empty(1, np.int64), np.empty((1, len(column)), np.uint16)
    rank_events(column, present, scale.cells, scale.bases, firsts, ordered, has, ranks)
    assert has.tolist() == [int(present.sum())]
    assert ordered[0, : has[0]].tolist() == sorted(column[present].tolist())
    assert np.isinf(ordered[0, has[0] :]).all()
    assert sorted(ranks[0].tolist()) == list(range(len(column)))
    assert ordered[0, ranks[0][present[:, 0]]].tolist() == column[present].tolist()
    assert firsts[0, BUCKETS] == has[0]
    assert (np.diff(firsts[0, : BUCKETS + 1].astype(int)) >= 0).all()
    assert BUCKET_SHIFT > 0


sets = st.lists(st.sets(st.integers(0, 8), max_size=4).map(sorted), min_size=1, max_size=200)


@settings(max_examples=60, deadline=None)
@given(sets, st.integers(1, 40))
def test_gathered_sets_are_the_same_subscriptions_and_stay_together(asked: list[list[int]], copies: int) -> None:
    rows = rows_of([each for each in asked for _ in range(copies)])
    keys = _keys(rows, 9)
    order = np.argsort(keys, kind="stable")
    gathered = gather_sets(order, keys[order], rows.firsts, rows.attributes)
    assert sorted(gathered.tolist()) == list(range(len(rows)))
    found = keys[gathered]
    assert np.count_nonzero(np.diff(found)) == len(set(keys.tolist())) - 1, "a set is in one piece"
    sizes = np.diff(rows.firsts)[gathered]
    assert (np.diff(sizes) >= 0).all(), "sets that are looked up come first"


def test_the_lines_of_gathered_sets_have_fewer_attributes() -> None:
    triples = [[one, two, three] for one in range(12) for two in range(one + 1, 12) for three in range(two + 1, 12)]
    rows = rows_of([each for each in triples for _ in range(70)])
    keys = _keys(rows, 12)
    order = np.argsort(keys, kind="stable")

    def attributes(ordered: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> int:
        used = [{at for row in ordered[first : first + LINE_SLOTS] for at in triples[row // 70]} for first in firsts]
        return sum(map(len, used))

    firsts = range(0, len(rows), LINE_SLOTS)
    assert attributes(gather_sets(order, keys[order], rows.firsts, rows.attributes)) < 0.85 * attributes(order)


def rows_of(asked: list[list[int]]) -> Rows:
    firsts = np.cumsum([0, *map(len, asked)]).astype(np.int64)
    attributes = np.array([each for some in asked for each in some], np.int32)
    ends = np.zeros(len(attributes))
    return Rows(np.arange(len(asked)), firsts, attributes, ends, ends)
