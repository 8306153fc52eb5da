"""Matches as bit sets: counts are available at once, identifiers are produced on request.

The index computes a bit for each subscription anyway. Writing out numbers costs a nanosecond each and looking up
identifiers ten or more, which is more than the matching itself if an event has many matches.
"""

import operator
from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from roamcast.core.errors import InvalidValueError
from roamcast.matching._identifiers import Identifiers, SlotNumbers
from roamcast.matching._index_compiler import entry_point
from roamcast.matching._lines import Numbers, Words
from roamcast.matching._number_loops import NUMBERS_AT_ONCE, numbers_of
from roamcast.matching.value_text import invalid, reportable

_WRITERS = {
    np.dtype(kind): entry_point(
        numbers_of, np.empty(1, np.uint64), 1, 1, 0, 1, np.empty(1, kind), np.empty(1, np.int64), 0
    )
    for kind in (np.int32, np.int64)
}
"""The compiled code that writes numbers or identifiers, by the type in which they are stored."""
_write_numbers = _WRITERS[np.dtype(np.int32)]
INTEGER = np.dtype(np.int64)
SPARE = NUMBERS_AT_ONCE
"""So much more memory than numbers is needed, since they are written several at a time."""
Identifier = TypeVar("Identifier", bound=Hashable)


class Matches(Generic[Identifier]):
    """The subscriptions that match each event of a batch. It does not change when the index does."""

    __slots__ = ("_identifiers", "_parts", "counts")

    def __init__(
        self, identifiers: Identifiers, counts: Numbers, parts: Sequence[tuple[Words, int, SlotNumbers]]
    ) -> None:
        self.counts = counts
        """How many subscriptions match each event."""
        self._identifiers = identifiers
        self._parts = parts
        """Words by (line, event, word), the number of words in a line, and the subscription number of each bit."""

    def __len__(self) -> int:
        return len(self.counts)

    def numbers(self, event: int, memory: Numbers | None = None) -> Numbers:
        """Return the numbers of the subscriptions that match an event, unordered; ``identifier`` has their names.

        They are written to ``memory`` if it has room for them and for ``SPARE`` more, overwriting its contents. New
        memory for 100,000 numbers takes longer to get than to fill.
        """
        count = len(self.counts)
        index = event if type(event) is int and 0 <= event < count else _checked_index(event, count, "event", "events")
        into = _room_for(self.counts.item(index), memory)
        return into[: self._write(index, index + 1, into)]

    def listed(self, first: int = 0, last: int | None = None, memory: Numbers | None = None) -> tuple[Numbers, Numbers]:
        """Return the numbers that match all events, or some, one after the other, and where those of each event begin.

        Those of event ``i``, counted from ``first``, are ``numbers[begins[i]:begins[i + 1]]``. ``memory`` is used as by
        ``numbers``.
        """
        events = self._range(first, last)
        begins = self._begins(events)
        into = _room_for(begins.item(-1), memory)
        return into[: self._write(events.start, events.start + len(events), into)], begins

    def listed_identifiers(
        self, first: int = 0, last: int | None = None, memory: Numbers | None = None
    ) -> tuple[npt.NDArray[Any], Numbers]:
        """Return the identifiers that match all events, or some, and where those of each event begin, as ``listed``.

        They are integers or objects as from ``identifier_array``.
        """
        if not self._identifiers.are_integers:
            numbers, begins = self.listed(first, last)
            return self._identifiers.take(numbers), begins
        events = self._range(first, last)
        begins = self._begins(events)
        into = _room_for(begins.item(-1), memory)
        return into[: self._write(events.start, events.start + len(events), into, are_identifiers=True)], begins

    def identifier(self, number: int) -> Identifier:
        """Return the identifier of the subscription with a number."""
        index = _checked_index(number, len(self._identifiers), "subscription", "subscriptions")
        found: Identifier = self._identifiers[index]
        return found

    def identifiers(self, event: int) -> list[Identifier]:
        """Return the identifiers of the subscriptions that match an event, in the order of their numbers."""
        found: list[Identifier] = self._identifiers.take_in_order(self.numbers(event)).tolist()
        return found

    def identifier_array(self, event: int, memory: Numbers | None = None) -> npt.NDArray[Any]:
        """Return the identifiers of the subscriptions that match an event, unordered, as an array.

        If all identifiers of the index are integers, it has 64-bit integers, and ``memory`` is used as by ``numbers``.
        Otherwise it has objects.
        """
        if not self._identifiers.are_integers:
            return self._identifiers.take_in_order(self.numbers(event))
        index = _checked_index(event, len(self.counts), "event", "events")
        into = _room_for(self.counts.item(index), memory)
        return into[: self._write(index, index + 1, into, are_identifiers=True)]

    def pairs(self, first: int = 0, last: int | None = None) -> tuple[Numbers, Numbers]:
        """Return all matches, or those of some events: the event's index in the batch and the subscription's number."""
        events = self._range(first, last)
        numbers, begins = self.listed(events.start, events.start + len(events))
        return np.repeat(np.arange(events.start, events.start + len(events)), np.diff(begins)), numbers

    def _range(self, first: int, last: int | None) -> range:
        try:
            return range(len(self.counts))[first:last]  # so that a negative index counts from the end
        except TypeError:
            raise InvalidValueError("events", reportable((first, last)), "must be the indices of two events") from None

    def _begins(self, events: range) -> Numbers:
        begins = np.zeros(len(events) + 1, INTEGER)
        self.counts[events.start : events.start + len(events)].cumsum(out=begins[1:])
        return begins

    def _write(self, first: int, last: int, into: Numbers, *, are_identifiers: bool = False) -> int:
        """Write the numbers of some events, or identifiers that are integers, and return how many there are."""
        count, at = len(self.counts), 0
        if len(self._parts) == 1 and not are_identifiers:  # the shortest way: for a single event, every line counts
            ((words, width, slots),) = self._parts
            return int(_write_numbers(words, width, count, first, last, slots.numbers, into, 0))
        step = last - first if len(self._parts) == 1 else 1  # what follows are the other parts of the same event
        for event in range(first, last, step or 1):
            for words, width, slots in self._parts:
                integers = slots.integers(self._identifiers) if are_identifiers else None
                values = slots.numbers if integers is None else integers
                at = int(_WRITERS[values.dtype](words, width, count, event, event + step, values, into, at))
        return at


def _room_for(count: int, memory: Numbers | None) -> Numbers:
    """Return the memory for so many numbers and the spare ones, which is new if the given one is too small."""
    if memory is None:
        return np.empty(count + SPARE, INTEGER)
    is_array = isinstance(memory, np.ndarray) and memory.dtype == INTEGER and memory.ndim == 1
    if not (is_array and (flags := memory.flags).c_contiguous and flags.writeable):
        raise invalid("memory", reportable(memory), "must be an array like numpy.empty(numbers, numpy.int64)")
    return np.empty(count + SPARE, INTEGER) if len(memory) < count + SPARE else memory


def _checked_index(number: int, count: int, name: str, plural: str) -> int:
    """Return a valid index among ``count`` items; a negative one counts from the end."""
    try:
        return range(count)[operator.index(number)]
    except (TypeError, IndexError):
        raise InvalidValueError(name, reportable(number), f"must be the index of one of {count} {plural}") from None
