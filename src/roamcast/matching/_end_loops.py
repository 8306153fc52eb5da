"""The compiled loops that sort the ends of ranges: by attribute for rows, and by line for sweeps.

Numpy's sort of all ends took as long as everything else when a million subscriptions were added. The scale spreads ends
evenly, so dividing them into as many buckets as there are ends nearly sorts them.
"""

import numpy as np

from roamcast.matching._index_compiler import compiled, inlined
from roamcast.matching._lines import LINE_SLOTS, STEP_BITS, Indices, Numbers, Shorts, Values
from roamcast.matching._match_loops import position_of
from roamcast.matching._rank_loops import BUCKET_SHIFT

SORT_BITS_MAX = 14
INSERTED_MAX = 32
"""Buckets with so many ends are sorted by insertion. Larger ones are rare: many ends close together."""


@compiled
def sort_ends(
    attributes: Indices, ends: Values, slots: Indices, cells: Values, bases: Values, firsts: Numbers,
    sorted_ends: Values, sorted_slots: Indices,
) -> None:  # fmt: skip
    """Sort ends by attribute and value, and their slots with them; ``firsts`` receives where each attribute begins."""
    attribute_count, count = firsts.shape[0] - 1, attributes.shape[0]
    bits = 0
    while bits < SORT_BITS_MAX and attribute_count << bits < count:
        bits += 1
    shift = STEP_BITS + 8 - bits
    buckets = np.empty(count, np.int32)
    nexts = np.zeros((attribute_count << bits) + 1, np.int64)
    for index in range(count):
        attribute = attributes[index]
        bucket = (attribute << bits) + (position_of(ends[index], attribute, cells, bases) >> shift)
        buckets[index] = bucket
        nexts[bucket + 1] += 1
    for bucket in range(nexts.shape[0] - 1):
        nexts[bucket + 1] += nexts[bucket]
    for attribute in range(attribute_count + 1):
        firsts[attribute] = nexts[attribute << bits]
    for index in range(count):
        place = nexts[buckets[index]]
        sorted_ends[place], sorted_slots[place] = ends[index], slots[index]
        nexts[buckets[index]] = place + 1
    begin = 0
    for bucket in range(nexts.shape[0] - 1):  # now the index after the last of each bucket
        end = nexts[bucket]
        if end - begin > INSERTED_MAX:
            order = np.argsort(sorted_ends[begin:end])
            sorted_ends[begin:end] = sorted_ends[begin:end][order]
            sorted_slots[begin:end] = sorted_slots[begin:end][order]
        else:
            _insert(sorted_ends, sorted_slots, begin, end)
        begin = end


@inlined
def _insert(ends: Values, slots: Indices, begin: int, end: int) -> None:
    for index in range(begin + 1, end):
        value, slot, place = ends[index], slots[index], index
        while place > begin and ends[place - 1] > value:
            ends[place], slots[place] = ends[place - 1], slots[place - 1]
            place -= 1
        ends[place], slots[place] = value, slot


@compiled
def list_toggles(
    firsts: Numbers,
    lows: Values,
    low_slots: Indices,
    highs: Values,
    high_slots: Indices,
    cells: Values,
    bases: Values,
    attribute_firsts: Numbers,
    attribute_lines: Indices,
    toggle_firsts: Numbers,
    toggles: Values,
    toggle_slots: Shorts,
    toggle_buckets: Shorts,
) -> None:
    """List for each line of each attribute the values at which a range begins, or has just ended, in ascending order.

    The ends are given as by ``sort_ends``.
    """
    line_count = attribute_lines.max() + 1 if attribute_lines.shape[0] else 0
    entry_of, nexts = np.empty(line_count, np.int64), np.empty(line_count, np.int64)
    written = 0
    for attribute in range(firsts.shape[0] - 1):
        first, last = firsts[attribute], firsts[attribute + 1]
        entries = range(attribute_firsts[attribute], attribute_firsts[attribute + 1])
        for entry in entries:
            entry_of[attribute_lines[entry]] = entry
            toggle_firsts[entry + 1] = 0
        for index in range(first, last):
            toggle_firsts[entry_of[low_slots[index] // LINE_SLOTS] + 1] += 2
        for entry in entries:
            size = toggle_firsts[entry + 1]
            nexts[attribute_lines[entry]] = written
            toggle_firsts[entry] = written
            written += size
        begun, ended = first, first
        while ended < last:
            after = np.nextafter(highs[ended], np.inf)
            is_low = begun < last and lows[begun] < after
            slot = low_slots[begun] if is_low else high_slots[ended]
            key = lows[begun] if is_low else after
            begun += int(is_low)
            ended += int(not is_low)
            line = slot // LINE_SLOTS
            place = nexts[line]
            nexts[line] = place + 1
            toggles[place], toggle_slots[place] = key, slot % LINE_SLOTS
            toggle_buckets[place] = position_of(key, attribute, cells, bases) >> BUCKET_SHIFT
    toggle_firsts[attribute_lines.shape[0]] = written
