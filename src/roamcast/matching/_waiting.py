"""Subscriptions that are too new to be on a shelf: few, kept as rows and compared one by one."""

from collections.abc import Sequence

import numpy as np

from roamcast.matching._identifiers import SlotNumbers
from roamcast.matching._lines import Flags, Numbers, Values, Words
from roamcast.matching._match_loops import match_rows
from roamcast.matching._rows import Rows

WAITING_MAX = 256
"""Comparing this many with an event costs about as much as two blocks."""
_WORDS = WAITING_MAX // 64


class Waiting:
    """Up to 256 subscriptions that wait to be put on a shelf."""

    def __init__(self) -> None:
        self._rows = Rows(
            np.full(WAITING_MAX, -1, np.int64),
            np.zeros(WAITING_MAX + 1, np.int64),
            np.empty(1024, np.int32),
            np.empty(1024),
            np.empty(1024),
        )
        self._alive = np.zeros(WAITING_MAX, np.bool_)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def is_full(self) -> bool:
        """Tell whether there is no room for another."""
        return self._count == WAITING_MAX

    def add(self, number: int, ranges: Sequence[tuple[int, float, float]]) -> int:
        """Add a subscription, with its ranges sorted by attribute, and return its row."""
        row, rows = self._count, self._rows
        first = int(rows.firsts[row])
        while first + len(ranges) > len(rows.attributes):
            rows = self._rows = Rows(
                rows.numbers,
                rows.firsts,
                *(np.concatenate([array, array]) for array in (rows.attributes, rows.lows, rows.highs)),
            )
        for at, (attribute, low, high) in enumerate(ranges, first):
            rows.attributes[at], rows.lows[at], rows.highs[at] = attribute, low, high
        rows.firsts[row + 1] = first + len(ranges)
        rows.numbers[row] = number
        self._alive[row] = True
        self._count += 1
        return row

    def remove(self, row: int) -> None:
        """Remove the subscription in a row: it no longer matches anything."""
        self._alive[row] = False

    def living_rows(self) -> Rows:
        """Return the rows of the subscriptions that have not been removed."""
        return self._rows.take(np.flatnonzero(self._alive))

    def match(
        self, values: Values, present: Flags, counts: Numbers, *, is_kept: bool
    ) -> tuple[Words, int, SlotNumbers]:
        """Add the number of matches to ``counts``; return the bit sets, the words of each, and the numbers."""
        found = np.zeros((1, len(values), _WORDS) if is_kept else (0, 0, _WORDS), np.uint64)
        rows = self._rows
        match_rows(
            self._alive[: self._count],
            rows.firsts,
            rows.attributes,
            rows.lows,
            rows.highs,
            values,
            present,
            found,
            counts,
        )
        return found.reshape(-1), _WORDS, SlotNumbers(rows.numbers.astype(np.int32))
