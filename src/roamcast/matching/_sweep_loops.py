"""The compiled loops that match a large batch of sorted events.

``_shelf`` describes the arrays of subscriptions, and ``_tiles`` those of events.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from roamcast.matching._index_compiler import compiled, inlined
from roamcast.matching._lines import LINE_SLOTS, Numbers, Values, Words, lines_at
from roamcast.matching._match_loops import BUCKET_BITS, BUCKET_SHIFT, position_of
from roamcast.matching._vectors import LINE_WORDS, count_ones, put_both, write_states


@compiled
def sweep_shelf(
    table: Numbers, order: Numbers, ordered: Values, has: Numbers, offset: int, found: Words, counts: Numbers
) -> None:
    """Match many events; the words of (line, event) are written to ``found``, unless it is empty.

    The first of them is event ``offset`` of the batch. ``order`` has for each attribute the events in ascending order
    of its value, and ``ordered`` these values and infinity; ``has`` says how many have it, and the rest follows.

    In each line, the bits of the ranges that contain a value change only where a range begins or ends. So they are
    written once for each such toggle, and every event takes those after the last toggle up to its value. No ends have
    to be checked.
    """
    lines = lines_at(table)
    attributes, events = order.shape
    firsts = np.zeros((attributes, (1 << BUCKET_BITS) + 1), np.uint16)
    _rank_buckets(lines, ordered, has, firsts)
    into = found if found.shape[0] > 0 else np.empty(events * LINE_WORDS, np.uint64)
    passed = np.zeros(events + 1, np.uint16)
    states = np.empty((2 * LINE_SLOTS + 1) * LINE_WORDS, np.uint64)
    _sweep_lines(lines, order, ordered, has, firsts, into, found.shape[0] > 0, passed, states, offset, counts)


@inlined
def _rank_buckets(lines: Any, ordered: Values, has: Numbers, firsts: npt.NDArray[np.uint16]) -> None:
    """Find how many events have a value below each bucket."""
    for attribute in range(has.shape[0]):
        for rank in range(has[attribute]):
            bucket = position_of(ordered[attribute, rank], attribute, lines.cells, lines.bases) >> BUCKET_SHIFT
            firsts[attribute, bucket + 1] = rank + 1
        for bucket in range(1 << BUCKET_BITS):
            firsts[attribute, bucket + 1] = max(firsts[attribute, bucket], firsts[attribute, bucket + 1])


@inlined
def _sweep_lines(
    lines: Any, order: Numbers, ordered: Values, has: Numbers, firsts: npt.NDArray[np.uint16], into: Words,
    is_kept: bool, passed: npt.NDArray[np.uint16], states: Words, offset: int, counts: Numbers,
) -> None:  # fmt: skip
    events = order.shape[1]
    segments = lines.end_starts.shape[2] - 2
    for line in range(lines.required.shape[0]):
        at = (line * counts.shape[0] + offset) * LINE_WORDS if is_kept else 0
        if lines.line_firsts[line] == lines.line_firsts[line + 1]:
            for event in range(events):
                put_both(into, at + event * LINE_WORDS, lines.alive, line * LINE_WORDS, lines.alive, line * LINE_WORDS)
        for index in range(lines.line_firsts[line], lines.line_firsts[line + 1]):
            attribute, place = int(lines.line_attributes[index]), int(lines.line_places[index])
            first = lines.attribute_firsts[attribute]
            length = (lines.attribute_firsts[attribute + 1] - first) * LINE_WORDS
            lacking = lines.row_offsets[attribute] + segments * length + place * LINE_WORDS
            begin, end = lines.toggle_firsts[first + place], lines.toggle_firsts[first + place + 1]
            write_states(states, lines.bits, lacking, lines.toggle_slots, begin, end)
            for toggle in range(begin, end):
                rank = int(np.int64(firsts[attribute, int(lines.toggle_buckets[toggle])]))
                rank += int(ordered[attribute, rank] < lines.toggles[toggle])
                while ordered[attribute, rank] < lines.toggles[toggle]:
                    rank += 1
                passed[rank] += np.uint16(1)
            state = 0
            if index == lines.line_firsts[line]:
                for rank in range(has[attribute]):
                    state += int(np.int64(passed[rank]))
                    passed[rank] = np.uint16(0)
                    mine = at + order[attribute, rank] * LINE_WORDS
                    put_both(into, mine, lines.alive, line * LINE_WORDS, states, state * LINE_WORDS)
                for rank in range(has[attribute], events):
                    mine = at + order[attribute, rank] * LINE_WORDS
                    put_both(into, mine, lines.alive, line * LINE_WORDS, lines.bits, lacking)
            else:
                for rank in range(has[attribute]):
                    state += int(np.int64(passed[rank]))
                    passed[rank] = np.uint16(0)
                    mine = at + order[attribute, rank] * LINE_WORDS
                    put_both(into, mine, into, mine, states, state * LINE_WORDS)
                for rank in range(has[attribute], events):
                    mine = at + order[attribute, rank] * LINE_WORDS
                    put_both(into, mine, into, mine, lines.bits, lacking)
            passed[has[attribute]] = np.uint16(0)
        for event in range(events):
            counts[offset + event] += count_ones(into, at + event * LINE_WORDS, 1)
