"""What matched, as bit sets: counts are at hand, identifiers are made on request.

A bit for each subscription is what the index computes anyway. To write out identifiers costs two nanoseconds each,
which is more than the match where an event has many.
"""

import operator
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from roamcast.core.errors import InvalidValueError
from roamcast.matching._match_kernels import Numbers, Words, numbers_of
from roamcast.matching.value_text import shown

Identifier = TypeVar("Identifier", bound=Hashable)


class Matches(Generic[Identifier]):
    """The subscriptions that match each event of a batch. It stays as it is when the index changes."""

    def __init__(
        self, identifiers: Sequence[Identifier], counts: Numbers, parts: Sequence[tuple[Words, int, Numbers]]
    ) -> None:
        self.counts = counts
        """How many subscriptions match each event."""
        self._identifiers = identifiers
        self._parts = parts
        """Words by (block, event, word), the words of a block, and the number of the subscription at each bit."""

    def __len__(self) -> int:
        return len(self.counts)

    def numbers(self, event: int) -> Numbers:
        """Return the numbers of the subscriptions that match an event, in no order: ``identifier`` has their names."""
        place = _place(event, len(self.counts), "event", "events")
        into = np.empty(self.counts[place], np.int64)
        self._write(place, into, 0)
        return into

    def identifier(self, number: int) -> Identifier:
        """Return the identifier of the subscription that has a number."""
        return self._identifiers[_place(number, len(self._identifiers), "subscription", "subscriptions")]

    def identifiers(self, event: int) -> list[Identifier]:
        """Return the identifiers of the subscriptions that match an event, by their numbers."""
        numbers = self.numbers(event)
        numbers.sort()  # neighbours in memory are found faster, which is worth more than the sorting
        return list(map(self._identifiers.__getitem__, numbers.tolist()))

    def pairs(self, first: int = 0, last: int | None = None) -> tuple[Numbers, Numbers]:
        """Return all matches, or those of some events: the event's place in the batch and the subscription's number."""
        try:
            events = range(len(self.counts))[first:last]  # so that a negative place counts from the end
        except TypeError:
            raise InvalidValueError("events", shown((first, last)), "must be the places of two events") from None
        counts = self.counts[events.start : max(events.start, events.stop)]
        into = np.empty(int(counts.sum()), np.int64)
        at = 0
        for event in events:
            at = self._write(event, into, at)
        return np.repeat(np.arange(events.start, events.start + len(events)), counts), into

    def _write(self, event: int, into: Numbers, at: int) -> int:
        for words, width, numbers in self._parts:
            at = numbers_of(words.reshape(-1, len(self.counts), width), event, numbers, into, at)
        return at


def _place(number: int, count: int, name: str, what: str) -> int:
    """Return a number as a place among so many, where a negative one counts from the end."""
    try:
        return range(count)[operator.index(number)]
    except (TypeError, IndexError):
        raise InvalidValueError(name, shown(number), f"must be the place of one of {count} {what}") from None
