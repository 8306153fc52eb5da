"""The idea of the best public engine, HEM with attribute groups (HEM3-VASO), in Numba, so that it runs beside ours.

Its public program is C++ with the sizes of the workload compiled in; it can be run here, but not in the same process on
the same arrays. What is written here is its method, anew: subscriptions that do *not* match are marked in one bit set.
The domain of an attribute is cut into buckets; of each group of buckets a bit set is stored with all subscriptions that
no value of the group can match. An event takes, for each of its attributes, the union with the bit set of its value's
group, marks one by one the ends in the buckets between its own and the borders of the group, and compares those in its
own bucket. For attributes that it lacks it takes the bit set of all who ask for them, stored for groups of attributes
as well. What is not marked matches; like the original, it counts. It can write the numbers of what matches, too.

To its favour it differs in this: one stored bit set for both ends where the original has two, ends stored side by side
and not in lists of lists, and groups that suit the workload. It is called as our index calls its own loops: at the
compiled code's entry point, with all arrays as one argument.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.experimental import structref

from benchmarks.matching_workloads import ATTRIBUTES, DOMAIN, Workload
from roamcast.matching._index_compiler import entry_point
from roamcast.matching._number_loops import NUMBERS_AT_ONCE
from roamcast.matching._vectors import lowest_one, ones_of
from roamcast.matching.event_batch import EventBatch

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

GROUPS = (64, 256)
"""How many groups of buckets an attribute has. Of 16, 64, 256 and, where they fit 600 MB, 1,024 one of these was the
best, or within a tenth of it, on each workload that was tried."""
GROUP_BUCKETS = 16
ATTRIBUTE_GROUP = 5
NOT_WRITTEN: Numbers = np.empty(0, np.int64)

Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def kernel(function: Compiled) -> Compiled:
    """Compile a function."""
    return cast(Compiled, numba.njit(function))


@structref.register
class HemStateType(types.StructRef):
    """The Numba type of ``HemState``."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Accept the type of every field as it is, literal types as plain ones."""
        unliteral: Any = types.unliteral
        return tuple((name, unliteral(kind)) for name, kind in fields)


class HemState(structref.StructRefProxy):
    """All arrays as one argument, as our index passes its own."""

    def __new__(cls, *arrays: Any) -> Any:
        """Combine the arrays."""
        return structref.StructRefProxy.__new__(cls, *arrays)  # type: ignore[no-untyped-call]


HEM_FIELDS = [
    "low_starts", "low_values", "low_owners", "high_starts", "high_values", "high_owners",
    "stored", "full", "by_group", "step", "subscriptions",
]  # fmt: skip
structref.define_proxy(HemState, HemStateType, HEM_FIELDS)  # type: ignore[no-untyped-call]


class Hem:
    """The subscriptions of a workload, stored as HEM does."""

    def __init__(self, workload: Workload, groups: int) -> None:
        table = workload.table
        buckets = groups * GROUP_BUCKETS
        step = -(-DOMAIN // buckets)
        words = -(-workload.subscriptions // 64)
        owner = table.subscription.astype(np.int32)
        lows, highs = (
            self._sorted(table.attribute, each.astype(np.int64), owner, step, buckets)
            for each in (table.low, table.high)
        )
        stored = np.zeros((ATTRIBUTES, groups, words), np.uint64)
        full = np.zeros((ATTRIBUTES, words), np.uint64)
        _store(table.attribute, table.low, table.high, owner, step * GROUP_BUCKETS, stored, full)
        parts = range(0, ATTRIBUTES, ATTRIBUTE_GROUP)
        by_group = np.stack([np.bitwise_or.reduce(full[at : at + ATTRIBUTE_GROUP]) for at in parts])
        self._numbers = np.empty(workload.subscriptions + NUMBERS_AT_ONCE, np.int64)
        self._state = _make_state(*lows, *highs, stored, full, by_group, step, workload.subscriptions)
        one = np.zeros((1, ATTRIBUTES)), np.zeros((1, ATTRIBUTES), np.bool_), np.zeros(1, np.int64), self._numbers
        self._entry = entry_point(_match, self._state, *one)

    @staticmethod
    def _sorted(
        attribute: Numbers, value: Numbers, owner: npt.NDArray[np.int32], step: int, buckets: int
    ) -> tuple[Numbers, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return where each bucket begins, and the values and owners by bucket."""
        bucket = attribute * buckets + value // step
        order = np.argsort(bucket, kind="stable")
        starts = np.searchsorted(bucket[order], np.arange(ATTRIBUTES * buckets + 1))
        return starts.astype(np.int64), value[order].astype(np.int32), owner[order]

    def match(self, events: EventBatch) -> Numbers:
        """Count the matches of each event."""
        counts = np.empty(len(events.values), np.int64)
        self._entry(self._state, events.values, events.present, counts, NOT_WRITTEN)
        return counts

    def write_numbers(self, events: EventBatch) -> Numbers:
        """Count the matches of each event, and write their numbers to memory that each event uses again."""
        counts = np.empty(len(events.values), np.int64)
        self._entry(self._state, events.values, events.present, counts, self._numbers)
        return counts


@kernel
def _store(attribute: Numbers, low: Any, high: Any, owner: Any, group_width: int, stored: Words, full: Words) -> None:
    for at in range(attribute.shape[0]):
        place, word, bit = attribute[at], owner[at] >> 6, np.uint64(1) << np.uint64(owner[at] & 63)
        full[place, word] |= bit
        first, last = np.int64(low[at]) // group_width, np.int64(high[at]) // group_width
        for group in range(stored.shape[1]):
            if group < first or group > last:
                stored[place, group, word] |= bit


@kernel
def _unite(marked: Words, other: Words) -> None:
    for word in range(marked.shape[0]):
        marked[word] |= other[word]


@kernel
def _mark(marked: Words, owner: Any) -> None:
    at = np.uint64(owner)
    marked[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))


@kernel
def _ones(marked: Words) -> int:
    total = np.uint64(0)
    for word in range(marked.shape[0]):
        bits = marked[word]
        bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
        bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
        bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return int(total)


@kernel
def _write(marked: Words, subscriptions: int, into: Numbers) -> None:
    """Write the numbers of those not marked, by fours as our index does."""
    at = np.uint64(0)
    for word in range(marked.shape[0]):
        rest = ~marked[word]
        if subscriptions - word * 64 < 64:
            rest &= (np.uint64(1) << np.uint64(subscriptions - word * 64)) - np.uint64(1)
        base = np.uint64(word) * np.uint64(64)
        last = at + ones_of(rest)
        while at < last:
            for offset in range(NUMBERS_AT_ONCE):
                into[at + np.uint64(offset)] = base + lowest_one(rest)
                rest &= rest - np.uint64(1)
            at += np.uint64(NUMBERS_AT_ONCE)
        at = last


@kernel
def _make_state(
    low_starts: Any, low_values: Any, low_owners: Any, high_starts: Any, high_values: Any, high_owners: Any,
    stored: Any, full: Any, by_group: Any, step: Any, subscriptions: Any,
) -> Any:  # fmt: skip
    return HemState(
        low_starts, low_values, low_owners, high_starts, high_values, high_owners,
        stored, full, by_group, step, subscriptions,
    )  # fmt: skip


@kernel
def _match(state: Any, values: npt.NDArray[np.float64], present: Any, counts: Numbers, numbers: Numbers) -> None:
    _match_each(
        values, present, state.step, state.low_starts, state.low_values, state.low_owners, state.high_starts,
        state.high_values, state.high_owners, state.stored, state.full, state.by_group, state.subscriptions, counts,
        numbers,
    )  # fmt: skip


@kernel
def _match_each(
    values: npt.NDArray[np.float64],
    present: Any,
    step: int,
    low_starts: Numbers,
    low_values: Any,
    low_owners: Any,
    high_starts: Numbers,
    high_values: Any,
    high_owners: Any,
    stored: Words,
    full: Words,
    by_group: Words,
    subscriptions: int,
    counts: Numbers,
    numbers: Numbers,
) -> None:
    buckets = stored.shape[1] * GROUP_BUCKETS
    marked = np.empty(full.shape[1], np.uint64)
    for event in range(values.shape[0]):
        marked[:] = np.uint64(0)
        for first in range(0, ATTRIBUTES, ATTRIBUTE_GROUP):
            last = min(first + ATTRIBUTE_GROUP, ATTRIBUTES)
            if not present[event, first:last].any():
                _unite(marked, by_group[first // ATTRIBUTE_GROUP])
                continue
            for place in range(first, last):
                if not present[event, place]:
                    _unite(marked, full[place])
                    continue
                value = np.int64(values[event, place])
                bucket = value // step
                group = bucket // GROUP_BUCKETS
                base = place * buckets
                _unite(marked, stored[place, group])
                for at in range(low_starts[base + bucket + 1], low_starts[base + (group + 1) * GROUP_BUCKETS]):
                    _mark(marked, low_owners[at])
                for at in range(high_starts[base + group * GROUP_BUCKETS], high_starts[base + bucket]):
                    _mark(marked, high_owners[at])
                for at in range(low_starts[base + bucket], low_starts[base + bucket + 1]):
                    if low_values[at] > value:
                        _mark(marked, low_owners[at])
                for at in range(high_starts[base + bucket], high_starts[base + bucket + 1]):
                    if high_values[at] < value:
                        _mark(marked, high_owners[at])
        counts[event] = subscriptions - _ones(marked)
        if numbers.shape[0] > 0:
            _write(marked, subscriptions, numbers)
