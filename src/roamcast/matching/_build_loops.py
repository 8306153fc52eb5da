"""The compiled loops that build a shelf's lines and rows. ``_shelf`` describes the arrays.

Rows are not filled bit by bit, which would touch every row for every range. Instead an attribute is passed from its
first segment to its last: each row is a copy of the one before, plus the ranges that begin and minus those that have
ended.
"""

import numpy as np

from roamcast.matching._index_compiler import compiled
from roamcast.matching._lines import ENDS_AT_ONCE, LINE_SLOTS, Indices, Numbers, Values, Words
from roamcast.matching._match_loops import position_of
from roamcast.matching._vectors import LINE_WORDS


@compiled
def plan_lines(
    order: Numbers,
    firsts: Numbers,
    attributes: Indices,
    attribute_count: int,
    line_firsts: Numbers,
    line_attributes: Indices,
    required: Words,
) -> None:
    """Find the attributes that are constrained in each line, and those that all of its subscriptions constrain."""
    uses = np.zeros(attribute_count, np.int64)
    count = 0
    for line in range(required.shape[0]):
        line_firsts[line] = count
        slots = range(line * LINE_SLOTS, min((line + 1) * LINE_SLOTS, order.shape[0]))
        for slot in slots:
            for index in range(firsts[order[slot]], firsts[order[slot] + 1]):
                if uses[attributes[index]] == 0:
                    line_attributes[count] = attributes[index]
                    count += 1
                uses[attributes[index]] += 1
        mask = np.uint64(0)
        for index in range(line_firsts[line], count):
            if uses[line_attributes[index]] == len(slots):
                mask |= np.uint64(1) << np.uint64(line_attributes[index] & 63)
            uses[line_attributes[index]] = 0
        required[line] = mask
    line_firsts[required.shape[0]] = count


@compiled
def place_lines(
    line_firsts: Numbers,
    line_attributes: Indices,
    line_places: Indices,
    attribute_firsts: Numbers,
    attribute_lines: Indices,
) -> None:
    """List the lines in which each attribute is constrained, and the place of each in its list."""
    for index in range(line_attributes.shape[0]):
        attribute_firsts[line_attributes[index] + 1] += 1
    for attribute in range(attribute_firsts.shape[0] - 1):
        attribute_firsts[attribute + 1] += attribute_firsts[attribute]
    nexts = attribute_firsts.copy()
    for line in range(line_firsts.shape[0] - 1):
        for index in range(line_firsts[line], line_firsts[line + 1]):
            attribute = line_attributes[index]
            attribute_lines[nexts[attribute]] = line
            line_places[index] = nexts[attribute] - attribute_firsts[attribute]
            nexts[attribute] += 1


@compiled
def fill_rows(
    firsts: Numbers,
    lows: Values,
    low_slots: Indices,
    highs: Values,
    high_slots: Indices,
    limits: Values,
    cells: Values,
    bases: Values,
    shift: int,
    attribute_firsts: Numbers,
    attribute_lines: Indices,
    row_offsets: Numbers,
    bits: Words,
    end_starts: Indices,
    end_slots: Indices,
    end_values: Values,
) -> int:
    """Fill every row, and list the ends that must be checked; return how many there are, with those that fill eights.

    The ends are given in ascending order for each attribute, as by ``sort_ends``.
    """
    place_of = np.zeros(attribute_lines.max() + 1 if attribute_lines.shape[0] else 0, np.int64)
    written = 0
    segments = end_starts.shape[2] - 2
    for attribute in range(limits.shape[0]):
        mine = attribute_lines[attribute_firsts[attribute] : attribute_firsts[attribute + 1]]
        for place in range(mine.shape[0]):
            place_of[mine[place]] = place
        length = mine.shape[0] * LINE_WORDS
        base = row_offsets[attribute]
        low_limit, high_limit, gap = limits[attribute, 0], limits[attribute, 1], limits[attribute, 2]
        lacking = bits[base + segments * length : base + (segments + 1) * length]
        lacking[:] = ~np.uint64(0)  # a subscription that does not constrain the attribute accepts any value
        first, last = firsts[attribute], firsts[attribute + 1]
        for index in range(first, last):
            _clear_slot(lacking, place_of, low_slots[index])
        begun, ended = first, first
        for segment in range(segments):
            row = bits[base + segment * length : base + (segment + 1) * length]
            row[:] = lacking if segment == 0 else bits[base + (segment - 1) * length : base + segment * length]
            while ended < last and _segment(highs[ended], attribute, cells, bases, shift) < segment:
                _clear_slot(row, place_of, high_slots[ended])
                ended += 1
            end_starts[attribute, 0, segment] = written // ENDS_AT_ONCE
            listed = begun
            while begun < last and _segment(lows[begun], attribute, cells, bases, shift) == segment:
                _set_slot(row, place_of, low_slots[begun])
                begun += 1
            checked = written
            for index in range(listed, begun):
                low = lows[index]
                if low > low_limit and _segment(low - gap, attribute, cells, bases, shift) == segment:
                    end_slots[written], end_values[written] = low_slots[index], low
                    written += 1
            written = _pad(end_slots, end_values, checked, written)
        end_starts[attribute, 0, segments:] = written // ENDS_AT_ONCE
        listed = first
        for segment in range(segments):
            end_starts[attribute, 1, segment] = written // ENDS_AT_ONCE
            begun = listed
            while listed < last and _segment(highs[listed], attribute, cells, bases, shift) == segment:
                listed += 1
            checked = written
            for index in range(listed - 1, begun - 1, -1):
                high = highs[index]
                if high < high_limit and _segment(high + gap, attribute, cells, bases, shift) == segment:
                    end_slots[written], end_values[written] = high_slots[index], -high
                    written += 1
            written = _pad(end_slots, end_values, checked, written)
        end_starts[attribute, 1, segments:] = written // ENDS_AT_ONCE
    return written


@compiled
def _segment(value: float, attribute: int, cells: Values, bases: Values, shift: int) -> int:
    return position_of(value, attribute, cells, bases) >> shift


@compiled
def _pad(end_slots: Indices, end_values: Values, first: int, last: int) -> int:
    """Put ends that no value is beyond before the others, up to a multiple of eight; return the new end."""
    added = -last % ENDS_AT_ONCE
    for index in range(last - 1, first - 1, -1):
        end_slots[index + added], end_values[index + added] = end_slots[index], end_values[index]
    for index in range(first, first + added):
        end_slots[index], end_values[index] = 0, -np.inf
    return last + added


@compiled
def _set_slot(row: Words, place_of: Numbers, slot: int) -> None:
    word = place_of[slot // LINE_SLOTS] * LINE_WORDS + ((slot % LINE_SLOTS) >> 6)
    row[word] |= np.uint64(1) << np.uint64(slot & 63)


@compiled
def _clear_slot(row: Words, place_of: Numbers, slot: int) -> None:
    word = place_of[slot // LINE_SLOTS] * LINE_WORDS + ((slot % LINE_SLOTS) >> 6)
    row[word] &= ~(np.uint64(1) << np.uint64(slot & 63))


@compiled
def take_rows(
    kept: Numbers,
    firsts: Numbers,
    attributes: Indices,
    lows: Values,
    highs: Values,
    new_firsts: Numbers,
    new_attributes: Indices,
    new_lows: Values,
    new_highs: Values,
) -> None:
    """Copy the ranges of the subscriptions that are kept."""
    at = 0
    for row in range(kept.shape[0]):
        for index in range(firsts[kept[row]], firsts[kept[row] + 1]):
            new_attributes[at], new_lows[at], new_highs[at] = attributes[index], lows[index], highs[index]
            at += 1
        new_firsts[row + 1] = at
