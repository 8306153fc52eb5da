"""The compiled loops that build a shelf's lines and rows. ``_shelf`` describes the arrays.

Rows are not filled bit by bit, which would touch every row for every range. Instead an attribute is swept from its first
segment to its last: each row is a copy of the one before, plus the ranges that begin and minus those that have ended.
"""

import numpy as np
import numpy.typing as npt

from roamcast.matching._index_compiler import compiled
from roamcast.matching._match_loops import LINE_SLOTS, Indices, Numbers, Values, Words, position_of
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
    toggle_slots: npt.NDArray[np.uint16],
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
        toggle_firsts[entry + 1] += toggle_firsts[entry] + 1
        toggles[toggle_firsts[entry + 1] - 1] = np.inf
        toggle_slots[toggle_firsts[entry + 1] - 1] = 0
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
    low_starts: Indices,
    low_slots: Indices,
    low_values: Values,
    high_starts: Indices,
    high_slots: Indices,
    high_values: Values,
) -> tuple[int, int]:
    """Fill every row, and list the ends that must be checked; return how many low and high ones there are.

    ``by_low`` and ``by_high`` are the ranges of an attribute in ascending order of one end; ``slots`` are those of the
    ranges.
    """
    place_of = np.zeros(attribute_lines.max() + 1 if attribute_lines.shape[0] else 0, np.int64)
    low_count, high_count = 0, 0
    segments = low_starts.shape[1] - 1
    for attribute in range(limits.shape[0]):
        mine = attribute_lines[attribute_firsts[attribute] : attribute_firsts[attribute + 1]]
        for place in range(mine.shape[0]):
            place_of[mine[place]] = place
        length = mine.shape[0] * LINE_WORDS
        base = row_offsets[attribute]
        low_limit, high_limit, gap = limits[attribute, 0], limits[attribute, 1], limits[attribute, 2]
        lacking = bits[base + segments * length : base + (segments + 1) * length]
        lacking[:] = ~np.uint64(0)  # a subscription that does not constrain the attribute accepts any value
        last = firsts[attribute + 1]
        for index in range(firsts[attribute], last):
            _clear_slot(lacking, place_of, slots[by_low[index]])
        begun = ended = listed = firsts[attribute]
        for segment in range(segments):
            row = bits[base + segment * length : base + (segment + 1) * length]
            row[:] = lacking if segment == 0 else bits[base + (segment - 1) * length : base + segment * length]
            while ended < listed:
                _clear_slot(row, place_of, slots[by_high[ended]])
                ended += 1
            low_starts[attribute, segment], high_starts[attribute, segment] = low_count, high_count
            while begun < last and position_of(lows[by_low[begun]], attribute, cells, bases) >> shift == segment:
                low, slot = lows[by_low[begun]], slots[by_low[begun]]
                _set_slot(row, place_of, slot)
                if low > low_limit and position_of(low - gap, attribute, cells, bases) >> shift == segment:
                    low_slots[low_count], low_values[low_count] = slot, low
                    low_count += 1
                begun += 1
            while listed < last and position_of(highs[by_high[listed]], attribute, cells, bases) >> shift == segment:
                high = highs[by_high[listed]]
                if high < high_limit and position_of(high + gap, attribute, cells, bases) >> shift == segment:
                    high_slots[high_count], high_values[high_count] = slots[by_high[listed]], high
                    high_count += 1
                listed += 1
        low_starts[attribute, segments], high_starts[attribute, segments] = low_count, high_count
    return low_count, high_count


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
