"""The compiled loops that put the events of a large batch in the order of each attribute's values.

A shelf's scale spreads the ends of ranges evenly, and events are mostly spread as these are. So they are divided into
buckets, and few share one. Numpy's sort of all values took three times as long.
"""

import numpy as np

from roamcast.matching._index_compiler import compiled
from roamcast.matching._lines import STEP_BITS, Flags, Numbers, Shorts, Values
from roamcast.matching._match_loops import position_of

BUCKET_BITS = 14
BUCKET_SHIFT = STEP_BITS + 8 - BUCKET_BITS
"""Toggles are ranked among events by 2^14 buckets of an attribute's limits, and then by their values."""
BUCKETS = 1 << BUCKET_BITS
INSERTED_MAX = 32
"""Buckets with so many events are sorted by insertion. Larger ones are rare: many values close together."""


@compiled
def rank_events(
    values: Values, present: Flags, cells: Values, bases: Values, firsts: Shorts, ordered: Values, has: Numbers,
    ranks: Shorts,
) -> None:  # fmt: skip
    """Rank events by each attribute; ``_sweep_loops`` describes the arrays that are written.

    ``firsts``, which is zero before, gets the number of events below each bucket of each attribute, and of those that
    have it.
    """
    events = values.shape[0]
    buckets, places = np.empty(events, np.int64), np.empty(events, np.int64)
    for attribute in range(values.shape[1]):
        mine, below, largest = ordered[attribute], firsts[attribute], 0
        for event in range(events):
            bucket = position_of(values[event, attribute], attribute, cells, bases) >> BUCKET_SHIFT
            buckets[event] = bucket if present[event, attribute] else BUCKETS
            below[buckets[event] + 1] += np.uint16(1)
        for bucket in range(BUCKETS):
            largest = max(largest, int(np.int64(below[bucket + 1])))
            below[bucket + 1] += below[bucket]
        has[attribute] = below[BUCKETS]
        nexts = below.copy()
        for event in range(events):
            place = int(np.int64(nexts[buckets[event]]))
            nexts[buckets[event]] += np.uint16(1)
            mine[place] = values[event, attribute] if present[event, attribute] else np.inf
            places[place] = event
        mine[events] = np.inf
        if largest > INSERTED_MAX:
            _sort_large(mine, places, below)
        _insert(mine, places, has[attribute])
        for place in range(events):
            ranks[attribute, places[place]] = place


@compiled
def _sort_large(values: Values, places: Numbers, firsts: Shorts) -> None:
    """Sort the buckets that are too large to be sorted by insertion."""
    for bucket in range(BUCKETS):
        begin, end = int(np.int64(firsts[bucket])), int(np.int64(firsts[bucket + 1]))
        if end - begin > INSERTED_MAX:
            order = np.argsort(values[begin:end])
            values[begin:end] = values[begin:end][order]
            places[begin:end] = places[begin:end][order]


@compiled
def _insert(values: Values, places: Numbers, count: int) -> None:
    for index in range(1, count):
        value, event, place = values[index], places[index], index
        while place > 0 and values[place - 1] > value:
            values[place], places[place] = values[place - 1], places[place - 1]
            place -= 1
        values[place], places[place] = value, event
