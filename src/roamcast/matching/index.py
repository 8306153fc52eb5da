"""An exact index of subscriptions that are conjunctions of ranges: which of a million subscriptions match an event?

It can be used on its own:

    index = MatchingIndex({"age": Limits(0, 120, whole=True), "price": (0.0, 1000.0)})
    index.add("ann", {"age": (18, 30), "price": Range(high=50.0)})
    index.match({"age": 20, "price": 9.5})          # ["ann"]
    index.match_many(EventBatch.from_columns(index.space, columns)).counts

An event that lacks an attribute does not match a subscription that constrains it.

Up to 256 new subscriptions wait and are compared one by one. Then they are built into a shelf (``_shelf``) together
with all shelves that are at most twice as large, so that there are few shelves and each subscription is rebuilt a
number of times that grows with the logarithm of their number. A removed subscription loses its bit; a shelf that has
lost half of its subscriptions is rebuilt.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import UserError, one_line
from roamcast.matching._identifiers import Identifiers
from roamcast.matching._lines import Numbers, Words
from roamcast.matching._rows import Rows, joined
from roamcast.matching._scale import limits_of
from roamcast.matching._shelf import Shelf, aligned_words, build_shelf
from roamcast.matching._tiles import SWEPT_EVENTS_MIN, tiles_of
from roamcast.matching._vectors import LINE_WORDS
from roamcast.matching._waiting import Waiting
from roamcast.matching.attribute_space import AttributeSpace, Limits, RangeLike
from roamcast.matching.event_batch import EventBatch
from roamcast.matching.matches import Identifier, Matches
from roamcast.matching.range_table import RangeTable
from roamcast.matching.value_text import check_identifier, check_mapping, invalid, reportable, short_repr

MERGED_SIZE_RATIO = 2
"""Shelves up to this many times as large as the new part are rebuilt together with it."""
WAITING, GONE = -1, -2
"""The shelf number of a subscription that is on no shelf yet, or has been removed."""
NO_WORDS: Words = np.empty(0, np.uint64)
INTEGER, WORD = np.dtype(np.int64), np.dtype(np.uint64)
"""Looked up once: for a single event, each lookup by numpy counts."""
NUMBERS_SPARE = 65_536
"""Numbers of removed subscriptions are reclaimed when there are more than this plus twice the remaining ones."""


class MatchingIndex(Generic[Identifier]):
    """Subscriptions by identifier, and matching of events against them."""

    def __init__(self, limits: AttributeSpace | Mapping[str, Limits | tuple[float, float]]) -> None:
        self.space = limits if isinstance(limits, AttributeSpace) else AttributeSpace(limits)
        self._limits = limits_of(self.space)
        self._space_of_batches = self.space
        self._clear()

    def _clear(self) -> None:
        self._number_of: dict[Identifier, int] = {}
        self._identifiers = Identifiers()
        self._shelf_of = np.empty(1024, np.int64)
        self._slot_of = np.empty(1024, np.int64)
        self._shelves: dict[int, Shelf] = {}
        self._words_each = 0
        self._shelves_made = 0
        self._waiting = Waiting()

    def __len__(self) -> int:
        return len(self._number_of)

    def __contains__(self, identifier: Hashable) -> bool:
        return identifier in self._number_of

    @property
    def size_bytes(self) -> int:
        """Return the memory used by the arrays of the index."""
        return sum(shelf.size_bytes for shelf in self._shelves.values())

    def add(self, identifier: Identifier, ranges: Mapping[str, RangeLike]) -> None:
        """Add a subscription to events that satisfy all ranges; without ranges it matches every event."""
        check_identifier(identifier)
        if identifier in self._number_of:
            raise UserError(f"subscription {short_repr(identifier)} is already in the index")
        check_mapping("ranges", ranges, "must be a mapping from attributes to ranges")
        closed = sorted((self.space.index(name), *self.space.closed_range(name, ranges[name])) for name in ranges)
        number = self._new_number(identifier)
        self._shelf_of[number] = WAITING
        self._slot_of[number] = self._waiting.add(number, closed)
        if self._waiting.is_full:
            self._put_on_shelf(self._waiting.living_rows())
            self._waiting = Waiting()

    def add_many(self, identifiers: Sequence[Identifier] | npt.NDArray[Any], table: RangeTable) -> None:
        """Add many subscriptions at once; the table refers to each by its index among the identifiers."""
        if not (isinstance(identifiers, Sequence) or _is_plain_column(identifiers)):
            raise invalid("identifiers", reportable(identifiers), "must be a list or a numpy array of numbers or texts")
        if not isinstance(table, RangeTable):
            raise invalid("ranges", reportable(table), "must be a RangeTable")
        names: list[Identifier] = identifiers.tolist() if isinstance(identifiers, np.ndarray) else list(identifiers)
        rows = table.rows(self.space, len(names))
        self._check_new(names)
        if not names:
            return
        numbers = self._new_numbers(names)
        self._put_on_shelf(Rows(numbers, rows.firsts, rows.attributes, rows.lows, rows.highs))

    def remove(self, identifier: Identifier) -> None:
        """Remove a subscription."""
        check_identifier(identifier)
        number = self._number_of.pop(identifier, None)
        if number is None:
            raise UserError(f"subscription {short_repr(identifier)} is not in the index")
        key, slot = int(self._shelf_of[number]), int(self._slot_of[number])
        self._shelf_of[number] = GONE
        if key == WAITING:
            self._waiting.remove(slot)
        else:
            shelf = self._shelves[key]
            shelf.remove(slot)
            if 2 * shelf.living < len(shelf.rows):
                del self._shelves[key]
                self._put_on_shelf(shelf.living_rows())
        if len(self._identifiers) > 3 * len(self._number_of) + NUMBERS_SPARE:
            self._renumber()

    def match(self, event: Mapping[str, float]) -> list[Identifier]:
        """Return the identifiers of the subscriptions that match an event, unordered."""
        return self.match_many((event,)).identifiers(0)

    def match_many(
        self, events: EventBatch | Iterable[Mapping[str, float]], memory: Words | None = None
    ) -> Matches[Identifier]:
        """Return the matches of each event, as bit sets.

        They are stored in ``memory`` if it is large enough (``matches_words``), overwriting its contents. If there are
        many subscriptions, allocating new memory takes as long as the matching.
        """
        batch = self._batch(events)
        values, present = batch.values, batch.present
        count = len(values)
        counts = np.zeros(count, INTEGER)
        needed = count * self._words_each
        words = aligned_words(needed) if memory is None else _checked_memory(memory, needed)
        tiles = tiles_of(batch) if count >= SWEPT_EVENTS_MIN else ()
        parts, at = [], 0
        for shelf in self._shelves.values():
            length = count * shelf.words
            found = words[at : at + length] if at or length < len(words) else words
            if tiles:
                shelf.sweep(values, present, tiles, found, counts)
            else:
                shelf.match_each(values, present, found, counts)
            parts.append((found, LINE_WORDS if tiles else shelf.words, shelf.numbers))
            at += length
        if len(self._waiting):
            parts.append(self._waiting.match(values, present, counts, is_kept=True))
        return Matches(self._identifiers, counts, parts)

    def count_many(self, events: EventBatch | Iterable[Mapping[str, float]]) -> Numbers:
        """Return how many subscriptions match each event."""
        batch = self._batch(events)
        values, present = batch.values, batch.present
        counts = np.zeros(len(values), INTEGER)
        tiles = tiles_of(batch) if len(values) >= SWEPT_EVENTS_MIN else ()
        for shelf in self._shelves.values():
            if tiles:
                shelf.sweep(values, present, tiles, NO_WORDS, counts)
            else:
                shelf.match_each(values, present, NO_WORDS, counts)
        if len(self._waiting):
            self._waiting.match(values, present, counts, is_kept=False)
        return counts

    def matches_words(self, events: int) -> int:
        """Return how many 64-bit words ``match_many`` needs for a number of events."""
        if not isinstance(events, (int, np.integer)) or events < 0:
            raise invalid("events", reportable(events), "must be a number of events")
        return int(events) * self._words_each

    def _batch(self, events: EventBatch | Iterable[Mapping[str, float]]) -> EventBatch:
        """Return events as a batch that was checked with the attributes and limits of this index."""
        if type(events) is EventBatch and events.space is self._space_of_batches:
            return events
        batch = events if isinstance(events, EventBatch) else EventBatch.of(self.space, events)
        if batch.space is not self._space_of_batches:  # comparing two that are not the same takes microseconds
            if not batch.space.is_like(self.space):
                raise UserError(
                    f"the events have the attributes {_listed(batch.space)}; the index has {_listed(self.space)}"
                )
            self._space_of_batches = batch.space
        return batch

    def _check_new(self, identifiers: list[Identifier]) -> None:
        """Raise an error if an identifier cannot be added."""
        try:
            distinct = set(identifiers)
        except TypeError:
            for identifier in identifiers:
                check_identifier(identifier)
            raise
        if any(issubclass(kind, float) for kind in set(map(type, distinct))):
            for identifier in distinct:
                check_identifier(identifier)
        for identifier in identifiers if self._number_of else ():
            if identifier in self._number_of:
                raise UserError(f"subscription {short_repr(identifier)} is already in the index")
        if len(distinct) < len(identifiers):
            twice = next(identifier for identifier, times in Counter(identifiers).items() if times > 1)
            raise UserError(f"subscription {short_repr(twice)} is listed twice among those to add")

    def _new_number(self, identifier: Identifier) -> int:
        number = len(self._identifiers)
        if number == len(self._shelf_of):
            self._make_room(number + 1)
        self._identifiers.append(identifier)
        self._number_of[identifier] = number
        return number

    def _new_numbers(self, identifiers: Sequence[Identifier]) -> Numbers:
        first = len(self._identifiers)
        last = first + len(identifiers)
        self._make_room(last)
        self._identifiers.extend(identifiers)
        self._number_of.update(zip(identifiers, range(first, last), strict=True))
        return np.arange(first, last)

    def _make_room(self, count: int) -> None:
        """Make room for the shelves and slots of so many numbers."""
        if count > len(self._shelf_of):
            more = np.empty(max(count, 2 * len(self._shelf_of)) - len(self._shelf_of), np.int64)
            self._shelf_of = np.concatenate([self._shelf_of, more])
            self._slot_of = np.concatenate([self._slot_of, more])

    def _put_on_shelf(self, rows: Rows) -> None:
        """Build a shelf from these subscriptions and all shelves that are not much larger."""
        parts, total = [rows], len(rows)
        for key, shelf in sorted(self._shelves.items(), key=lambda item: item[1].living):
            if shelf.living > MERGED_SIZE_RATIO * total:
                break
            parts.append(shelf.living_rows())
            total += shelf.living
            del self._shelves[key]
        self._words_each = sum(shelf.words for shelf in self._shelves.values())
        if total == 0:
            return
        shelf = build_shelf(joined(parts), self._limits)
        self._shelves[self._shelves_made] = shelf
        self._shelf_of[shelf.rows.numbers] = self._shelves_made
        self._slot_of[shelf.rows.numbers] = shelf.slot_of
        self._shelves_made += 1
        self._words_each = sum(shelf.words for shelf in self._shelves.values())

    def _renumber(self) -> None:
        """Reclaim the numbers of removed subscriptions. Existing ``Matches`` keep the old lists."""
        parts = [shelf.living_rows() for shelf in self._shelves.values()] + [self._waiting.living_rows()]
        rows, names = joined(parts), self._identifiers
        self._clear()
        numbers = self._new_numbers([names[number] for number in rows.numbers.tolist()])
        self._put_on_shelf(Rows(numbers, rows.firsts, rows.attributes, rows.lows, rows.highs))


def _checked_memory(memory: Words, needed: int) -> Words:
    """Return the memory for so many words, which is new if the given one is too small."""
    is_array = isinstance(memory, np.ndarray) and memory.dtype == WORD and memory.ndim == 1
    if not (is_array and (flags := memory.flags).c_contiguous and flags.writeable):
        raise invalid("memory", reportable(memory), "must be an array like numpy.empty(words, numpy.uint64)")
    return aligned_words(needed) if len(memory) < needed else memory


def _is_plain_column(given: object) -> bool:
    """Tell whether a value is an array whose elements equal their Python values, which not all times do."""
    if not isinstance(given, np.ndarray) or isinstance(given, np.ma.MaskedArray):
        return False
    return given.ndim == 1 and given.dtype.kind not in "Mm"


def _listed(space: AttributeSpace) -> str:
    listed = [f"{name} {space[name]}{' (whole)' if space[name].whole else ''}" for name in space]
    return one_line(", ".join(listed)) or "nothing"
