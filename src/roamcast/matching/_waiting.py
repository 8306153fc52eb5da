"""The subscriptions that are too new to be on a shelf: few, kept as rows and compared one by one."""

from collections.abc import Sequence

import numpy as np

from roamcast.matching._match_kernels import Flags, Numbers, Values, Words, match_rows
from roamcast.matching._rows import Rows

WAITING_MAX = 256
"""Comparing so many costs an event about as much as two blocks do."""
_WORDS = WAITING_MAX // 64


class Waiting:
    """Up to 256 subscriptions."""

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
        """Tell whether there is no room for another one."""
        return self._count == WAITING_MAX

    def add(self, number: int, asked: Sequence[tuple[int, float, float]]) -> int:
        """Keep a subscription, its ranges sorted by attribute, and return its place."""
        row, rows = self._count, self._rows
        first = int(rows.firsts[row])
        while first + len(asked) > len(rows.attributes):
            rows = self._rows = Rows(
                rows.numbers,
                rows.firsts,
                *(np.concatenate([each, each]) for each in (rows.attributes, rows.lows, rows.highs)),
            )
        for at, (place, low, high) in enumerate(asked, first):
            rows.attributes[at], rows.lows[at], rows.highs[at] = place, low, high
        rows.firsts[row + 1] = first + len(asked)
        rows.numbers[row] = number
        self._alive[row] = True
        self._count += 1
        return row

    def remove(self, place: int) -> None:
        """Let the subscription at a place match nothing any more."""
        self._alive[place] = False

    def living_rows(self) -> Rows:
        """Return the rows of those that have not been removed."""
        return self._rows.take(np.flatnonzero(self._alive))

    def match(self, values: Values, present: Flags, counts: Numbers, *, is_kept: bool) -> tuple[Words, int, Numbers]:
        """Add what matches to ``counts`` and return it as bit sets, with the words of each and the numbers."""
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
        return found, _WORDS, rows.numbers.copy()
