"""The compiled loops that match a large batch of events, ranked by their values.

``_shelf`` describes the arrays of subscriptions.
"""

from typing import Any

import numpy as np

from roamcast.matching._index_compiler import compiled, inlined
from roamcast.matching._lines import LINE_SLOTS, Flags, Indices, Numbers, Shorts, Values, Words, lines_at
from roamcast.matching._rank_loops import BUCKETS, rank_events
from roamcast.matching._sweep_vectors import (
    EVENTS_AT_ONCE,
    RANKS_AT_ONCE,
    intersect_state,
    intersect_states,
    put_state,
)
from roamcast.matching._vectors import LINE_WORDS, write_states

ATTRIBUTES_AT_ONCE, STATES_AT_ONCE = 16, 4096
"""A line's attributes are combined at once until they are so many or have so many states, which fit a cache."""
STATES_SPARE = 2 * LINE_SLOTS + 1
"""Room for those of the last one."""


@compiled
def sweep_shelf(
    table: Numbers, values: Values, present: Flags, first: int, last: int, found: Words, counts: Numbers
) -> None:
    """Match the events from ``first`` up to ``last``; the words of (line, event) are written to ``found``, if any.

    In each line, the bits of the ranges that contain a value change only where a range begins or ends. So they are
    written once for each such toggle: the states of an attribute. Then each rank gets the state after the last toggle
    up to its value, and each event the AND of the states of all attributes. No ends have to be checked.

    ``ranks`` has for each attribute the place of each event in the ascending order of its values, and ``ordered`` these
    values and infinity; ``has`` says how many have it, and the rest follows. ``firsts`` has the first rank of each
    bucket.
    """
    lines = lines_at(table)
    events, attributes = last - first, values.shape[1]
    firsts = np.zeros((attributes, BUCKETS + 2), np.uint16)
    ordered, has = np.empty((attributes, events + 1)), np.empty(attributes, np.int64)
    ranks = np.empty((attributes, events), np.uint16)
    rank_events(values[first:last], present[first:last], lines.cells, lines.bases, firsts, ordered, has, ranks)
    reached = np.empty((ATTRIBUTES_AT_ONCE, events + 2 * RANKS_AT_ONCE), np.uint16)
    states = np.empty((STATES_AT_ONCE + STATES_SPARE) * LINE_WORDS, np.uint64)
    is_kept = found.shape[0] > 0
    into = found if is_kept else np.empty(events * LINE_WORDS, np.uint64)
    uncounted = np.empty(events, np.int64)
    _sweep_lines(lines, ranks, ordered, has, firsts, into, is_kept, reached, states, first, counts, uncounted)


@inlined
def _sweep_lines(
    lines: Any, ranks: Shorts, ordered: Values, has: Numbers, firsts: Shorts, into: Words, is_kept: bool,
    reached: Shorts, states: Words, offset: int, counts: Numbers, uncounted: Numbers,
) -> None:  # fmt: skip
    for line in range(lines.required.shape[0]):
        at = (line * counts.shape[0] + offset) * LINE_WORDS if is_kept else 0
        first, end = lines.line_firsts[line], lines.line_firsts[line + 1]
        begin, is_first = first, True
        while is_first or begin < end:
            used, last = 0, begin
            while last < min(end, begin + ATTRIBUTES_AT_ONCE) and used < STATES_AT_ONCE:
                used = _reach_states(lines, last, ordered, has, firsts, reached[last - begin], states, used)
                last += 1
            is_last = last == end
            given, given_at = (lines.alive, line * LINE_WORDS) if is_first else (into, at)
            _intersect(
                into, at, LINE_WORDS if is_kept or not is_last else 0, given, given_at, 0 if is_first else LINE_WORDS,
                states, lines.line_attributes, begin, last, ranks, reached,
                counts if is_last else uncounted, offset if is_last else 0,
            )  # fmt: skip
            begin, is_first = last, False


@inlined
def _reach_states(
    lines: Any, index: int, ordered: Values, has: Numbers, firsts: Shorts, reached: Shorts, states: Words, used: int
) -> int:
    """Write the states of a line's attribute, and which of them each rank has; return how many states there are."""
    attribute, place = int(lines.line_attributes[index]), int(lines.line_places[index])
    first = lines.attribute_firsts[attribute]
    length = (lines.attribute_firsts[attribute + 1] - first) * LINE_WORDS
    segments = lines.end_starts.shape[2] - 2
    lacking = lines.row_offsets[attribute] + segments * length + place * LINE_WORDS
    begin, end = lines.toggle_firsts[first + place], lines.toggle_firsts[first + place + 1]
    write_states(states, used * LINE_WORDS, lines.bits, lacking, lines.toggle_slots, begin, end)
    state, filled = used, 0
    for toggle in range(begin, end):
        rank = int(np.int64(firsts[attribute, int(lines.toggle_buckets[toggle])]))
        rank += int(ordered[attribute, rank] < lines.toggles[toggle])
        while ordered[attribute, rank] < lines.toggles[toggle]:
            rank += 1
        put_state(reached, filled, state)
        filled += RANKS_AT_ONCE
        while filled < rank:
            put_state(reached, filled, state)
            filled += RANKS_AT_ONCE
        filled, state = rank, state + 1
    while filled < has[attribute]:
        put_state(reached, filled, state)
        filled += RANKS_AT_ONCE
    filled = has[attribute]
    while filled < ordered.shape[1]:
        put_state(reached, filled, used)  # before the first toggle, and without the attribute, no range is met
        filled += RANKS_AT_ONCE
    return state + 1


@inlined
def _intersect(
    into: Words, into_at: int, into_step: int, given: Words, given_at: int, given_step: int, states: Words,
    attributes: Indices, first: int, last: int, ranks: Shorts, reached: Shorts, counts: Numbers, counts_at: int,
) -> None:  # fmt: skip
    """Write the AND of the states of some attributes and what is given, for all events, and count the bits."""
    events = ranks.shape[1]
    for event in range(0, events - events % EVENTS_AT_ONCE, EVENTS_AT_ONCE):
        intersect_states(
            into, into_at + event * into_step, into_step, given, given_at + event * given_step, given_step,
            states, attributes, first, last, ranks, events, event, reached, reached.shape[1],
            counts, counts_at + event,
        )  # fmt: skip
    for event in range(events - events % EVENTS_AT_ONCE, events):
        intersect_state(
            into, into_at + event * into_step, into_step, given, given_at + event * given_step, given_step,
            states, attributes, first, last, ranks, events, event, reached, reached.shape[1],
            counts, counts_at + event,
        )  # fmt: skip
