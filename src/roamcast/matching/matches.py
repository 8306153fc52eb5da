"""What matched, as bit sets: counts are at hand, identifiers are made on request.

A bit for each subscription is what the index computes anyway. To write out identifiers costs two nanoseconds each,
which is more than the match where an event has many.
"""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from roamcast.matching._match_kernels import Numbers, Words, numbers_of

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
        into = np.empty(self.counts[event], np.int64)
        self._write(range(len(self.counts))[event], into, 0)
        return into

    def identifier(self, number: int) -> Identifier:
        """Return the identifier of the subscription that has a number."""
        return self._identifiers[number]

    def identifiers(self, event: int) -> list[Identifier]:
        """Return the identifiers of the subscriptions that match an event, by their numbers."""
        numbers = self.numbers(event)
        numbers.sort()  # neighbours in memory are found faster, which is worth more than the sorting
        return list(map(self._identifiers.__getitem__, numbers.tolist()))

    def pairs(self, first: int = 0, last: int | None = None) -> tuple[Numbers, Numbers]:
        """Return all matches, or those of some events: the event's place in the batch and the subscription's number."""
        counts = self.counts[first:last]
        into = np.empty(int(counts.sum()), np.int64)
        at = 0
        for event in range(first, first + len(counts)):
            at = self._write(event, into, at)
        return np.repeat(np.arange(first, first + len(counts)), counts), into

    def _write(self, event: int, into: Numbers, at: int) -> int:
        for words, width, numbers in self._parts:
            at = numbers_of(words.reshape(-1, len(self.counts), width), event, numbers, into, at)
        return at
