"""Matches as bit sets: counts are available at once, identifiers are produced on request.

The index computes a bit for each subscription anyway. Writing out numbers costs a nanosecond each and looking up
identifiers ten or more, which is more than the matching itself if an event has many matches.
"""

import operator
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from roamcast.core.errors import InvalidValueError
from roamcast.matching._identifiers import Identifiers, Objects
from roamcast.matching._index_compiler import entry_point
from roamcast.matching._lines import Indices, Numbers, Words
from roamcast.matching._match_loops import NUMBERS_AT_ONCE, numbers_of
from roamcast.matching.value_text import reportable

_write_numbers = entry_point(
    numbers_of, np.empty((1, 1, 1), np.uint64), 0, np.empty(1, np.int32), np.empty(1, np.int64), 0
)
Identifier = TypeVar("Identifier", bound=Hashable)


class Matches(Generic[Identifier]):
    """The subscriptions that match each event of a batch. It does not change when the index does."""

    def __init__(self, identifiers: Identifiers, counts: Numbers, parts: Sequence[tuple[Words, int, Indices]]) -> None:
        self.counts = counts
        """How many subscriptions match each event."""
        self._identifiers = identifiers
        self._parts = parts
        """Words by (line, event, word), the number of words in a line, and the subscription number of each bit."""
        self._shaped: list[tuple[Words, Indices]] | None = None

    def __len__(self) -> int:
        return len(self.counts)

    def numbers(self, event: int) -> Numbers:
        """Return the numbers of the subscriptions that match an event, unordered; ``identifier`` has their names."""
        index = _checked_index(event, len(self.counts), "event", "events")
        into = np.empty(int(self.counts[index]) + NUMBERS_AT_ONCE, np.int64)
        return into[: self._write(index, into, 0)]

    def identifier(self, number: int) -> Identifier:
        """Return the identifier of the subscription with a number."""
        index = _checked_index(number, len(self._identifiers), "subscription", "subscriptions")
        found: Identifier = self._identifiers[index]
        return found

    def identifiers(self, event: int) -> list[Identifier]:
        """Return the identifiers of the subscriptions that match an event, in the order of their numbers."""
        found: list[Identifier] = self.identifier_array(event).tolist()
        return found

    def identifier_array(self, event: int) -> Objects:
        """Return the identifiers of the subscriptions that match an event, by number, as an array of objects."""
        numbers = self.numbers(event)
        numbers.sort()  # looking up neighbours in memory is faster, by more than the sorting costs
        return self._identifiers.take(numbers)

    def pairs(self, first: int = 0, last: int | None = None) -> tuple[Numbers, Numbers]:
        """Return all matches, or those of some events: the event's index in the batch and the subscription's number."""
        try:
            events = range(len(self.counts))[first:last]  # so that a negative index counts from the end
        except TypeError:
            raise InvalidValueError("events", reportable((first, last)), "must be the indices of two events") from None
        counts = self.counts[events.start : max(events.start, events.stop)]
        into = np.empty(int(counts.sum()) + NUMBERS_AT_ONCE, np.int64)
        at = 0
        for event in events:
            at = self._write(event, into, at)
        return np.repeat(np.arange(events.start, events.start + len(events)), counts), into[:at]

    def _write(self, event: int, into: Numbers, at: int) -> int:
        if self._shaped is None:
            self._shaped = [(words.reshape(-1, len(self.counts), width), slots) for words, width, slots in self._parts]
        for words, slots in self._shaped:
            at = _write_numbers(words, event, slots, into, at)
        return at


def _checked_index(number: int, count: int, name: str, plural: str) -> int:
    """Return a valid index among ``count`` items; a negative one counts from the end."""
    try:
        return range(count)[operator.index(number)]
    except (TypeError, IndexError):
        raise InvalidValueError(name, reportable(number), f"must be the index of one of {count} {plural}") from None
