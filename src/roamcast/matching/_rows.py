"""Subscriptions as rows of arrays: the form in which the index keeps them, besides what it builds from them.

Row ``r`` consists of the ranges ``firsts[r]`` to ``firsts[r + 1]`` of the flat arrays, sorted by attribute.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roamcast.matching._build_loops import take_rows
from roamcast.matching._lines import Indices, Numbers, Values


@dataclass(frozen=True, slots=True)
class Rows:
    """Some subscriptions: their numbers in the index and their closed ranges."""

    numbers: Numbers
    firsts: Numbers
    attributes: Indices
    lows: Values
    highs: Values

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, kept: Numbers) -> "Rows":
        """Return the rows with the given indices."""
        count = int((self.firsts[kept + 1] - self.firsts[kept]).sum())
        firsts = np.zeros(len(kept) + 1, np.int64)
        attributes, lows, highs = np.empty(count, np.int32), np.empty(count), np.empty(count)
        take_rows(kept, self.firsts, self.attributes, self.lows, self.highs, firsts, attributes, lows, highs)
        return Rows(self.numbers[kept], firsts, attributes, lows, highs)


def joined(parts: Sequence[Rows]) -> Rows:
    """Concatenate the rows of several parts."""
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *(part.firsts[-1] for part in parts)])
    firsts = [part.firsts[:-1] + offset for part, offset in zip(parts, offsets, strict=False)]
    return Rows(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([*firsts, offsets[-1:]]).astype(np.int64),
        np.concatenate([part.attributes for part in parts]),
        np.concatenate([part.lows for part in parts]),
        np.concatenate([part.highs for part in parts]),
    )
