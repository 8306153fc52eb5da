"""The compiled loops that build a shelf's lines and rows. ``_shelf`` describes the arrays.

Rows are not filled bit by bit, which would touch every row for every range. Instead an attribute is passed from its
first segment to its last: each row is a copy of the one before, plus the ranges that begin and minus those that have
ended.
"""

import numpy as np

from roamcast.matching._index_compiler import compiled
from roamcast.matching._lines import ENDS_AT_ONCE, LINE_SLOTS, Indices, Numbers, Shorts, Values, Words
from roamcast.matching._match_loops import BUCKET_SHIFT, position_of
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
def divide_ends(
    order: Numbers,
    keys: Values,
    attributes: Indices,
    slots: Indices,
    attribute_firsts: Numbers,
    attribute_lines: Indices,
    firsts: Numbers,
    by_low: Numbers,
    by_high: Numbers,
    toggle_firsts: Numbers,
    toggles: Values,
    toggle_slots: Shorts,
    toggle_buckets: Shorts,
    cells: Values,
    bases: Values,
) -> None:
    """Divide the ends of ranges by attribute, and by line as toggles; ``order`` is the ascending order of all ``keys``.

    The keys are the low ends of all ranges, and then the values just after all high ends.
    """
    count = attributes.shape[0]
    firsts[:] = 0
    for index in range(count):
        firsts[attributes[index] + 1] += 1
    for attribute in range(firsts.shape[0] - 1):
        firsts[attribute + 1] += firsts[attribute]
    line_count = attribute_lines.max() + 1 if attribute_lines.shape[0] else 0
    entry_of = np.empty((firsts.shape[0] - 1, line_count), np.int32)
    for attribute in range(firsts.shape[0] - 1):
        for entry in range(attribute_firsts[attribute], attribute_firsts[attribute + 1]):
            entry_of[attribute, attribute_lines[entry]] = entry
    toggle_firsts[:] = 0
    for index in range(count):
        toggle_firsts[entry_of[attributes[index], slots[index] // LINE_SLOTS] + 1] += 2
    for entry in range(attribute_lines.shape[0]):
        toggle_firsts[entry + 1] += toggle_firsts[entry]
    next_low, next_high, next_toggle = firsts.copy(), firsts.copy(), toggle_firsts.copy()
    for end in order:
        index = end if end < count else end - count
        attribute, slot = attributes[index], slots[index]
        if end < count:
            by_low[next_low[attribute]] = index
            next_low[attribute] += 1
        else:
            by_high[next_high[attribute]] = index
            next_high[attribute] += 1
        entry = entry_of[attribute, slot // LINE_SLOTS]
        toggles[next_toggle[entry]], toggle_slots[next_toggle[entry]] = keys[end], slot % LINE_SLOTS
        toggle_buckets[next_toggle[entry]] = position_of(keys[end], attribute, cells, bases) >> BUCKET_SHIFT
        next_toggle[entry] += 1


@compiled
def fill_rows(
    slots: Indices,
    lows: Values,
    highs: Values,
    firsts: Numbers,
    by_low: Numbers,
    by_high: Numbers,
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

    ``by_low`` and ``by_high`` are the ranges of an attribute in ascending order of one end; ``slots`` are those of the
    ranges.
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
            _clear_slot(lacking, place_of, slots[by_low[index]])
        begun, ended = first, first
        for segment in range(segments):
            row = bits[base + segment * length : base + (segment + 1) * length]
            row[:] = lacking if segment == 0 else bits[base + (segment - 1) * length : base + segment * length]
            while ended < last and _segment(highs[by_high[ended]], attribute, cells, bases, shift) < segment:
                _clear_slot(row, place_of, slots[by_high[ended]])
                ended += 1
            end_starts[attribute, 0, segment] = written // ENDS_AT_ONCE
            listed = begun
            while begun < last and _segment(lows[by_low[begun]], attribute, cells, bases, shift) == segment:
                _set_slot(row, place_of, slots[by_low[begun]])
                begun += 1
            checked = written
            for index in range(listed, begun):
                low = lows[by_low[index]]
                if low > low_limit and _segment(low - gap, attribute, cells, bases, shift) == segment:
                    end_slots[written], end_values[written] = slots[by_low[index]], low
                    written += 1
            written = _pad(end_slots, end_values, checked, written)
        end_starts[attribute, 0, segments:] = written // ENDS_AT_ONCE
        listed = first
        for segment in range(segments):
            end_starts[attribute, 1, segment] = written // ENDS_AT_ONCE
            begun = listed
            while listed < last and _segment(highs[by_high[listed]], attribute, cells, bases, shift) == segment:
                listed += 1
            checked = written
            for index in range(listed - 1, begun - 1, -1):
                high = highs[by_high[index]]
                if high < high_limit and _segment(high + gap, attribute, cells, bases, shift) == segment:
                    end_slots[written], end_values[written] = slots[by_high[index]], -high
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
