"""Events with few attributes, whose sets are looked up, and matches as numbers and as integers."""

import numpy as np
import pytest

from roamcast.core.errors import UserError
from roamcast.matching import _shelf
from roamcast.matching._end_loops import sort_ends
from roamcast.matching._number_loops import put_in_order
from roamcast.matching._set_loops import LOOKED_UP_MAX
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.index import MatchingIndex
from roamcast.matching.range_table import RangeTable

ATTRIBUTES = 8
SUBSCRIPTIONS = 3_000


def subscriptions_of(random: np.random.Generator) -> RangeTable:
    """Draw ranges on 0 to 6 attributes, so that some sets are too large to be looked up and one is empty."""
    asked = random.random((SUBSCRIPTIONS, ATTRIBUTES)).argsort(axis=1) < random.integers(0, 7, SUBSCRIPTIONS)[:, None]
    owner, attribute = np.nonzero(asked)
    ends = np.sort(random.integers(0, 101, (2, len(owner))), axis=0).astype(float)
    return RangeTable(owner, attribute, ends[0], ends[1])


def events_of(index: MatchingIndex[int], random: np.random.Generator, count: int) -> EventBatch:
    """Draw events with 0 to all attributes."""
    present = random.random((count, ATTRIBUTES)).argsort(axis=1) < random.integers(0, ATTRIBUTES + 1, count)[:, None]
    return EventBatch(index.space, random.integers(0, 101, present.shape).astype(float), present)


def brute_force(table: RangeTable, gone: set[int], events: EventBatch, event: int) -> list[int]:
    value, has = events.values[event][table.attribute], events.present[event][table.attribute]
    holds = np.ones(SUBSCRIPTIONS, bool)
    np.logical_and.at(holds, table.subscription, has & (table.low <= value) & (value <= table.high))
    return [number for number in np.flatnonzero(holds).tolist() if number not in gone]


@pytest.fixture(scope="module")
def filled() -> tuple[MatchingIndex[int], RangeTable, set[int]]:
    random = np.random.Generator(np.random.PCG64(11))
    index: MatchingIndex[int] = MatchingIndex({f"a{at}": (0, 100) for at in range(ATTRIBUTES)})
    table = subscriptions_of(random)
    index.add_many(range(SUBSCRIPTIONS), table)
    gone = set(random.permutation(SUBSCRIPTIONS)[:400].tolist())
    for number in gone:
        index.remove(number)
    return index, table, gone


def test_events_with_any_number_of_attributes_match_as_by_brute_force(
    filled: tuple[MatchingIndex[int], RangeTable, set[int]],
) -> None:
    index, table, gone = filled
    events = events_of(index, np.random.Generator(np.random.PCG64(12)), 300)
    assert set(events.present.sum(axis=1).tolist()) == set(range(ATTRIBUTES + 1))
    matches, counts = index.match_many(events), index.count_many(events)
    for event in range(len(events)):
        wanted = brute_force(table, gone, events, event)
        assert matches.identifiers(event) == wanted
        assert counts[event] == len(wanted)


def test_sets_are_looked_up_only_where_their_keys_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    def index_of() -> MatchingIndex[int]:
        index: MatchingIndex[int] = MatchingIndex({f"a{at}": (0, 100) for at in range(ATTRIBUTES)})
        index.add_many(range(SUBSCRIPTIONS), subscriptions_of(np.random.Generator(np.random.PCG64(13))))
        return index

    exact = index_of()
    monkeypatch.setattr(_shelf, "KEY_MAX", 100)
    inexact = index_of()
    assert [shelf.lines.looked_up_max for shelf in exact._shelves.values()] == [LOOKED_UP_MAX]
    assert [shelf.lines.looked_up_max for shelf in inexact._shelves.values()] == [-1]
    events = events_of(exact, np.random.Generator(np.random.PCG64(14)), 60)
    assert exact.count_many(events).tolist() == inexact.count_many(events).tolist()


def test_numbers_are_listed_one_event_after_the_other(
    filled: tuple[MatchingIndex[int], RangeTable, set[int]],
) -> None:
    index, _, _ = filled
    matches = index.match_many(events_of(index, np.random.Generator(np.random.PCG64(15)), 20))
    numbers, begins = matches.listed(5, 9)
    assert np.diff(begins).tolist() == matches.counts[5:9].tolist()
    for event in range(5, 9):
        assert numbers[begins[event - 5] : begins[event - 4]].tolist() == matches.numbers(event).tolist()


def test_memory_for_numbers_is_used_if_it_suffices(filled: tuple[MatchingIndex[int], RangeTable, set[int]]) -> None:
    index, _, _ = filled
    matches = index.match_many(events_of(index, np.random.Generator(np.random.PCG64(16)), 5))
    event = int(matches.counts.argmax())
    large, small = np.zeros(SUBSCRIPTIONS + 4, np.int64), np.zeros(3, np.int64)
    for answer in (matches.numbers, matches.identifier_array):
        fresh = answer(event)
        assert np.shares_memory(answer(event, large), large)
        assert not np.shares_memory(answer(event, small), small)
        assert answer(event, large).tolist() == answer(event, small).tolist() == fresh.tolist()
    with pytest.raises(UserError, match=r"memory = .*: must be an array like numpy.empty\(numbers, numpy.int64\)"):
        matches.numbers(event, np.zeros(SUBSCRIPTIONS, np.int32))


@pytest.mark.parametrize(
    ("identifiers", "kind"),
    [([5, -3, 2**40], "i"), ([5, -3, 7], "i"), ([5, True, 2], "O"), ([5, 2**70, 2], "O"), ([5, "x", 2], "O")],
)
def test_identifiers_are_an_array_of_integers_only_if_all_are(identifiers: list[object], kind: str) -> None:
    index: MatchingIndex[object] = MatchingIndex({"age": (0, 100)})
    index.add_many(identifiers[:2], RangeTable(*(np.zeros(0) for _ in range(4))))  # type: ignore[arg-type]
    index.match_many([{}]).identifier_array(0)
    index.add(identifiers[2], {})
    found = index.match_many([{}]).identifier_array(0)
    assert found.dtype.kind == kind
    assert sorted(map(repr, found.tolist())) == sorted(map(repr, identifiers))
    assert list(map(type, index.match({}))) == list(map(type, identifiers))


def test_numbers_are_put_in_order_and_the_bits_are_clear_again() -> None:
    numbers = np.random.Generator(np.random.PCG64(1)).permutation(1_000)[:300]
    bits = np.zeros(16, np.uint64)
    wanted = np.sort(numbers).tolist()
    put_in_order(numbers, bits)
    assert numbers.tolist() == wanted
    assert not bits.any()


@pytest.mark.parametrize("spread", [1.0, 1e-9])
def test_ends_are_sorted_even_where_all_share_a_bucket(spread: float) -> None:
    random = np.random.Generator(np.random.PCG64(2))
    attributes, ends = random.integers(0, 2, 500).astype(np.int32), 0.5 + spread * random.random(500) / 2
    cells, bases = np.array([[0.0, 1024.0]] * 2), np.tile(np.arange(1025) * 16_384.0, (2, 1))
    firsts, found, slots = np.empty(3, np.int64), np.empty(500), np.empty(500, np.int32)
    sort_ends(attributes, ends, np.arange(500, dtype=np.int32), cells, bases, firsts, found, slots)
    assert firsts.tolist() == [0, int((attributes == 0).sum()), 500]
    assert slots.tolist() == np.lexsort((ends, attributes)).tolist()
    assert found.tolist() == ends[slots].tolist()
