"""The compiled loops for events with few attributes, as of BRVST: every subset of these is looked up.

Slots are sorted by the set of attributes that their subscriptions constrain, so the subscriptions to exactly one set,
a *group*, are neighbours. An event with three attributes can match only the eight groups of their subsets. Nothing else
is looked at, however many sets there are.
"""

from typing import Any

import numpy as np

from roamcast.matching._index_compiler import compiled, inlined
from roamcast.matching._lines import LINE_SLOTS, Indices, Numbers, Words
from roamcast.matching._set_vectors import count_slots, intersect_slots
from roamcast.matching._vectors import LINE_WORDS, clear_lines

LOOKED_UP_MAX = 4
"""Sets of so many attributes are looked up. A key in the base of the number of attributes then fits a word."""
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: the high bits of a multiple of it are spread evenly."""


@inlined
def hash_of(key: int, size: int) -> int:
    """Return where to look for a key first, in a table whose size is a power of 2."""
    return int(np.int64(((np.uint64(key) * HASH_FACTOR) >> np.uint64(32)) & np.uint64(size - 1)))


@compiled
def list_groups(
    order: Numbers, firsts: Numbers, attributes: Indices, line_firsts: Numbers, line_attributes: Indices,
    line_places: Indices, attribute_count: int,
) -> tuple[Numbers, Indices, Numbers, Numbers, Indices, Indices]:  # fmt: skip
    """Return the groups of sets that can be looked up, as the fields of ``Lines`` from ``set_keys`` on.

    ``order`` sorts subscriptions by the size of their sets first, and then so that equal sets are neighbours.
    """
    slots, ranges = 0, 0
    while slots < order.shape[0] and firsts[order[slots] + 1] - firsts[order[slots]] <= LOOKED_UP_MAX:
        ranges += firsts[order[slots] + 1] - firsts[order[slots]]
        slots += 1
    keys, group_slots = np.empty(slots + 1, np.int64), np.empty(slots + 1, np.int64)
    group_firsts = np.empty(slots + 1, np.int64)
    group_attributes, group_places = np.empty(ranges, np.int32), np.empty(ranges, np.int32)
    place_of = np.empty(attribute_count, np.int32)
    count, written, line = 0, 0, -1
    for slot in range(slots):
        begin, end = firsts[order[slot]], firsts[order[slot] + 1]
        key = 0
        for index in range(begin, end):
            key = key * (attribute_count + 1) + attributes[index] + 1
        if count > 0 and keys[count - 1] == key:
            continue
        if slot // LINE_SLOTS != line:
            line = slot // LINE_SLOTS
            for index in range(line_firsts[line], line_firsts[line + 1]):
                place_of[line_attributes[index]] = line_places[index]
        keys[count], group_slots[count], group_firsts[count] = key, slot, written
        for index in range(begin, end):
            group_attributes[written], group_places[written] = attributes[index], place_of[attributes[index]]
            written += 1
        count += 1
    group_slots[count], group_firsts[count] = slots, written
    set_keys, set_groups = _hashed(keys[:count])
    return (
        set_keys, set_groups, group_slots[: count + 1].copy(), group_firsts[: count + 1].copy(),
        group_attributes[:written].copy(), group_places[:written].copy(),
    )  # fmt: skip


@compiled
def _hashed(keys: Numbers) -> tuple[Numbers, Indices]:
    size = 2
    while size < 2 * keys.shape[0]:
        size *= 2
    set_keys, set_groups = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    for group in range(keys.shape[0]):
        place = hash_of(keys[group], size)
        while set_keys[place] >= 0:
            place = (place + 1) & (size - 1)
        set_keys[place], set_groups[place] = keys[group], group
    return set_keys, set_groups


@inlined
def find_groups(lines: Any, had: int) -> int:
    """Find the groups of all subsets of the chosen attributes; return how many there are."""
    base = lines.row_offsets.shape[0] + 1
    count, found, size = 1, 0, lines.set_keys.shape[0]
    lines.subset_keys[0] = 0
    for index in range(had):
        for subset in range(count):
            lines.subset_keys[count + subset] = lines.subset_keys[subset] * base + lines.chosen[index] + 1
        count *= 2
    for subset in range(count):
        key = lines.subset_keys[subset]
        place = hash_of(key, size)
        while lines.set_keys[place] != key and lines.set_keys[place] >= 0:
            place = (place + 1) & (size - 1)
        lines.subset_groups[found] = lines.set_groups[place]
        found += int(lines.set_keys[place] == key)
    return found


@inlined
def place_groups(lines: Any, had: int, into: Words, at: int, is_clear: bool) -> int:
    """Write the AND of the rows in the slots of every group that can match; return how many groups there are.

    Groups may share a line, so their first and last lines are cleared first, unless everything is clear.
    """
    found = find_groups(lines, had)
    if not is_clear:
        for index in range(found):
            group = lines.subset_groups[index]
            first, last = lines.group_slots[group] // LINE_SLOTS, (lines.group_slots[group + 1] - 1) // LINE_SLOTS
            clear_lines(into, at + first * LINE_WORDS, 1)
            clear_lines(into, at + last * LINE_WORDS, 1)
    for index in range(found):
        _place_group(lines, lines.subset_groups[index], into, at)
    return found


@inlined
def _place_group(lines: Any, group: int, into: Words, at: int) -> None:
    begin, end = lines.group_slots[group], lines.group_slots[group + 1]
    first = begin // LINE_SLOTS
    mine = at + first * LINE_WORDS
    attributes_at, size = lines.group_firsts[group], lines.group_firsts[group + 1] - lines.group_firsts[group]
    living = first * LINE_WORDS
    if size == 0:
        bits, one, two, three, four = lines.alive, living, living, living, living
    else:
        bits, one = lines.bits, _word_of(lines, attributes_at)
        two, three = (
            _word_of(lines, attributes_at + min(1, size - 1)),
            _word_of(lines, attributes_at + min(2, size - 1)),
        )
        four = _word_of(lines, attributes_at + size - 1)
    slots = begin % LINE_SLOTS, end - first * LINE_SLOTS
    intersect_slots(into, mine, lines.alive, living, bits, one, two, three, four, *slots)


@inlined
def _word_of(lines: Any, index: int) -> int:
    return int(lines.row_words[lines.group_attributes[index]] + lines.group_places[index] * LINE_WORDS)


@inlined
def count_groups(lines: Any, found: int, into: Words, at: int) -> int:
    """Count the set bits of the groups that were found."""
    ones = 0
    for index in range(found):
        group = lines.subset_groups[index]
        begin, end = lines.group_slots[group], lines.group_slots[group + 1]
        first = begin // LINE_SLOTS
        ones += count_slots(into, at + first * LINE_WORDS, begin % LINE_SLOTS, end - first * LINE_SLOTS)
    return ones
