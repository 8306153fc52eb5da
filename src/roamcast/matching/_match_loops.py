"""The compiled inner loops of the index that match events. ``_shelf`` describes the arrays.

One event reads one row of each attribute, from its beginning to its end, and two lists of range ends. So a call for a
single event is bound by how fast memory can be read in sequence, not by its latency.
"""

from typing import Any

import numpy as np

from roamcast.matching._index_compiler import compiled, inlined
from roamcast.matching._lines import (
    CELLS,
    ENDS_AT_ONCE,
    Flags,
    Indices,
    Numbers,
    Values,
    Words,
    lines_at,
)
from roamcast.matching._set_loops import count_groups, place_groups
from roamcast.matching._vectors import (
    LINE_WORDS,
    clear_lines,
    count_ones,
    count_up_to,
    intersect_line,
    intersect_row,
    put_both,
)

SHORT_EIGHTS = 4
"""Lists of up to so many eights are strung together, see ``_check_ends``."""
SCANNED_ENDS = 64
"""Among so many ends those beyond a value are counted; among more, the place is first narrowed by halving."""


@inlined
def position_of(value: float, attribute: int, cells: Values, bases: Values) -> int:
    """Return the step of a value: the cells are equally wide, and ``bases`` gives the first step of each.

    It never decreases as the value increases, despite rounding: neither within a cell nor from one to the next.
    """
    at = min(max((value - cells[attribute, 0]) * cells[attribute, 1], 0.0), float(CELLS))
    cell = min(int(at), CELLS - 1)
    first, end = bases[attribute, cell], bases[attribute, cell + 1]
    return min(int(first + (at - cell) * (end - first)), int(end) - 1)


@compiled
def match_shelf(table: Numbers, values: Values, present: Flags, found: Words, counts: Numbers) -> None:
    """Match events; the words of (event, line) are written to ``found``, unless it is empty."""
    lines = lines_at(table)
    _match_each(lines, values, present, found, counts)


@inlined
def _match_each(lines: Any, values: Values, present: Flags, found: Words, counts: Numbers) -> None:
    is_kept = found.shape[0] > 0
    into = found if is_kept else lines.scratch
    for event in range(values.shape[0]):
        at = event * lines.alive.shape[0] if is_kept else 0
        had = 0
        for attribute in range(values.shape[1]):
            had += present[event, attribute]
        if had <= lines.looked_up_max:
            counts[event] += _match_by_set(lines, values, present, event, into, at, is_kept)
        elif 2 * had >= values.shape[1]:
            _find_rows(lines, values, present, event)
            counts[event] += _match_by_attribute(lines, values, event, into, at)
        else:
            mask = _find_rows(lines, values, present, event)
            counts[event] += _match_by_line(lines, values, event, mask, into, at, is_kept)


@inlined
def _find_rows(lines: Any, values: Values, present: Flags, event: int) -> np.uint64:
    """Find the row of each attribute, and return the attributes of the event as a mask modulo 64."""
    mask = np.uint64(0)
    segments = lines.end_starts.shape[2] - 2
    for attribute in range(values.shape[1]):
        has = present[event, attribute]  # unforeseeable, so nothing here branches
        row = position_of(values[event, attribute], attribute, lines.cells, lines.bases) >> lines.shift
        lines.rows[attribute] = row if has else segments
        mask |= np.uint64(has) << np.uint64(attribute & 63)
    return mask


@inlined
def _match_by_set(lines: Any, values: Values, present: Flags, event: int, into: Words, at: int, is_kept: bool) -> int:
    """AND the rows only in the groups that ask for nothing but what the event has."""
    had = 0
    for attribute in range(values.shape[1]):
        lines.chosen[had] = attribute
        had += present[event, attribute]
    for index in range(had):
        attribute = lines.chosen[index]
        row = position_of(values[event, attribute], attribute, lines.cells, lines.bases) >> lines.shift
        lines.rows[attribute] = row
        lines.row_words[attribute] = _row_at(lines, attribute)
    if is_kept:
        clear_lines(into, at, lines.required.shape[0])
    groups = place_groups(lines, had, into, at, is_kept)
    _check_ends(lines, values, event, had, into, at, True)
    return count_groups(lines, groups, into, at)


@inlined
def _row_at(lines: Any, attribute: int) -> int:
    length = (lines.attribute_firsts[attribute + 1] - lines.attribute_firsts[attribute]) * LINE_WORDS
    return int(lines.row_offsets[attribute] + lines.rows[attribute] * length)


@inlined
def _match_by_attribute(lines: Any, values: Values, event: int, into: Words, at: int) -> int:
    """AND the rows one after the other, which are read in sequence."""
    for first in range(0, lines.alive.shape[0], LINE_WORDS):  # whole cache lines: memory need not be read first
        put_both(into, at + first, lines.alive, first, lines.alive, first)
    for attribute in range(values.shape[1]):
        first, last = lines.attribute_firsts[attribute], lines.attribute_firsts[attribute + 1]
        intersect_row(into, at, lines.attribute_lines, first, last, lines.bits, _row_at(lines, attribute))
    _check_ends(lines, values, event, values.shape[1], into, at, False)
    return int(count_ones(into, at, lines.alive.shape[0] // LINE_WORDS))


@inlined
def _match_by_line(lines: Any, values: Values, event: int, mask: np.uint64, into: Words, at: int, is_kept: bool) -> int:
    """AND the rows only in lines where no attribute is required that the event lacks."""
    count = 0
    for line in range(lines.required.shape[0]):
        lines.active[count] = line
        count += int((lines.required[line] & ~mask) == 0)
    if is_kept:
        clear_lines(into, at, lines.required.shape[0])
    for attribute in range(values.shape[1]):
        lines.row_words[attribute] = _row_at(lines, attribute)
    for index in range(count):
        line = int(lines.active[index])
        intersect_line(
            into,
            at + line * LINE_WORDS,
            lines.alive,
            line * LINE_WORDS,
            lines.line_attributes,
            lines.line_places,
            lines.line_firsts[line],
            lines.line_firsts[line + 1],
            lines.row_words,
            lines.bits,
        )
    _check_ends(lines, values, event, values.shape[1], into, at, False)
    ones = 0
    for index in range(count):
        ones += count_ones(into, at + int(lines.active[index]) * LINE_WORDS, 1)
    return ones


@inlined
def _check_ends(lines: Any, values: Values, event: int, attributes: int, into: Words, at: int, is_chosen: bool) -> None:
    """Clear subscriptions with a range end in a value's segment that the value is beyond, for all or chosen attributes.

    Short lists of ends are strung together first: a loop over each would mispredict its end.
    """
    count = 0
    for index in range(attributes):
        attribute = lines.chosen[index] if is_chosen else index
        for kind in range(2):
            value = values[event, attribute] if kind == 0 else -values[event, attribute]
            first = int(lines.end_starts[attribute, kind, lines.rows[attribute]])
            last = int(lines.end_starts[attribute, kind, lines.rows[attribute] + 1])
            if last - first > SHORT_EIGHTS:
                _clear_above(lines, first * ENDS_AT_ONCE, last * ENDS_AT_ONCE, value, into, at)
            else:
                for offset in range(SHORT_EIGHTS):
                    lines.eights[count + offset] = first + offset
                    lines.eight_values[count + offset] = value
                count += last - first
    for index in range(count):
        begin, value = np.uint64(lines.eights[index] * ENDS_AT_ONCE), lines.eight_values[index]
        for offset in range(ENDS_AT_ONCE):
            slot = np.uint64(lines.end_slots[begin + np.uint64(offset)])
            is_beyond = np.uint64(lines.end_values[begin + np.uint64(offset)] > value)
            into[np.uint64(at) + (slot >> np.uint64(6))] &= ~(is_beyond << (slot & np.uint64(63)))


@inlined
def _clear_above(lines: Any, first: int, last: int, value: float, into: Words, at: int) -> None:
    """Clear the subscriptions whose ends, which ascend, are above a value."""
    begin, end = first, last
    while end - begin > SCANNED_ENDS:
        middle = ((begin + end) >> 1) & ~(ENDS_AT_ONCE - 1)
        if lines.end_values[middle] > value:
            end = middle
        else:
            begin = middle
    begin += count_up_to(lines.end_values, begin, end, value)
    for index in range(begin, last):
        slot = np.uint64(lines.end_slots[index])
        into[np.uint64(at) + (slot >> np.uint64(6))] &= ~(np.uint64(1) << (slot & np.uint64(63)))


@compiled
def match_rows(
    alive: Flags,
    firsts: Numbers,
    attributes: Indices,
    lows: Values,
    highs: Values,
    values: Values,
    present: Flags,
    found: Words,
    counts: Numbers,
) -> None:
    """Match events, one by one, against the few subscriptions that are in no block yet."""
    for event in range(values.shape[0]):
        for row in range(alive.shape[0]):
            holds = alive[row]
            for index in range(firsts[row], firsts[row + 1]):
                value = values[event, attributes[index]]
                holds = holds and present[event, attributes[index]] and lows[index] <= value <= highs[index]
                if not holds:
                    break
            if holds:
                counts[event] += 1
                if found.shape[0] > 0:
                    found[0, event, row >> 6] |= np.uint64(1) << np.uint64(row & 63)
