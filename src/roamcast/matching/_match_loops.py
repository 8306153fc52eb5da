"""The compiled inner loops of the index that match events. ``_shelf`` describes the arrays.

A block's table fits the second-level cache, and all events of a batch are matched against one block before the next, so
a row costs about a nanosecond for 512 subscriptions, measured on the reference workloads (docs/matching.md).
"""

import numpy as np
import numpy.typing as npt

from roamcast.matching._index_compiler import compiled
from roamcast.matching._vectors import BLOCK_WORDS, count_ones, intersect, keep, lowest_one

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int32]

BLOCK_SLOTS = 64 * BLOCK_WORDS
SEGMENTS_MAX = 256
"""A page has this many rows or, in a block with many attributes, a half, a quarter, ... of it."""
STEP_BITS = 16
"""Every segment is divided into 2^16 steps, by which ends are compared without reading their values."""
STEPS = SEGMENTS_MAX << STEP_BITS
CELLS = 1024
"""The part of the limits where ranges end has this many equal cells; the more ends in a cell, the more steps."""
ABSENT = -1
"""The position of an attribute that an event lacks."""
EVENTS_TILE = 4096
"""How many events are matched against a block in turn: many more than it has segments, so that its rows are cached."""
ENDS_AT_ONCE = 4
"""The ends of a segment are padded to a multiple of this: loops over one or two mispredict their branches."""
IS_HIGH_BIT, STEP_SHIFT = 11, 12
"""An end in 32 bits: the slot, whether it is a high end, and the first step in its segment on the far side of it."""


@compiled
def position_of(value: float, cells: Values, bases: Values) -> int:
    """Return the step of a value: the cells are equally wide, and ``bases`` gives the first step of each.

    It never decreases as the value increases, despite rounding: neither within a cell nor from one to the next.
    """
    at = min(max((value - cells[0]) * cells[1], 0.0), float(CELLS))
    cell = min(int(at), CELLS - 1)
    step = int(bases[cell] + (at - cell) * (bases[cell + 1] - bases[cell]))
    return min(step, int(bases[cell + 1]) - 1)


@compiled
def locate(values: Values, present: Flags, cells: Values, bases: Values, positions: Indices, masks: Words) -> None:
    """Find the step of every value, and the attributes of every event as a mask modulo 64."""
    for event in range(values.shape[0]):
        mask = np.uint64(0)
        for attribute in range(values.shape[1]):
            if present[event, attribute]:
                value = values[event, attribute]
                positions[event, attribute] = position_of(value, cells[attribute], bases[attribute])
                mask |= np.uint64(1) << np.uint64(attribute & 63)
            else:
                positions[event, attribute] = ABSENT
        masks[event] = mask


@compiled
def match_shelf(
    blocks: Numbers,
    required: Words,
    alive: Words,
    pages: Numbers,
    bits: Words,
    starts: Indices,
    ends: npt.NDArray[np.uint32],
    end_values: Values,
    values: Values,
    positions: Indices,
    masks: Words,
    found: Words,
    counts: Numbers,
) -> None:
    """Match events against all blocks; the words of (block, event) are written to ``found``, unless it is empty."""
    events = values.shape[0]
    matched, nothing = np.empty(BLOCK_WORDS, np.uint64), np.zeros(BLOCK_WORDS, np.uint64)
    rows = np.empty(values.shape[1], np.int64)
    is_kept = found.shape[0] > 0
    for tile in range(0, events, EVENTS_TILE):
        for block in range(blocks.shape[0]):
            first, last, shift = blocks[block, 0], blocks[block, 1], STEP_BITS + blocks[block, 2]
            missing = SEGMENTS_MAX >> blocks[block, 2]
            for event in range(tile, min(tile + EVENTS_TILE, events)):
                if required[block] & ~masks[event]:
                    if is_kept:
                        keep(nothing, found, (block * events + event) * BLOCK_WORDS)
                    continue
                for page in range(first, last):
                    position = np.int64(positions[event, pages[page, 0]])
                    row = missing if position < 0 else position >> shift
                    rows[page - first] = pages[page, 1] + row * BLOCK_WORDS
                intersect(alive, block * BLOCK_WORDS, bits, rows, last - first, matched)
                for page in range(first, last):
                    position = np.int64(positions[event, pages[page, 0]])
                    if position >= 0:
                        at = pages[page, 2] + (position >> shift)
                        step = np.uint32(position & ((np.int64(1) << shift) - 1))
                        if _check_ends(starts[at], starts[at + 1], ends, step, matched):
                            value = values[event, pages[page, 0]]
                            _check_values(starts[at], starts[at + 1], ends, end_values, value, matched)
                counts[event] += count_ones(matched)
                if is_kept:
                    keep(matched, found, (block * events + event) * BLOCK_WORDS)


@compiled
def _check_ends(first: int, last: int, ends: npt.NDArray[np.uint32], step: np.uint32, matched: Words) -> bool:
    """Clear subscriptions with an end in the value's segment that the value is beyond, by steps and without branches.

    Return whether an end is on the value's own step, in which case values must be compared.
    """
    near = np.uint32(0)
    for four in range(first, last):
        at = np.uint64(four) * np.uint64(ENDS_AT_ONCE)
        for offset in range(ENDS_AT_ONCE):
            end = ends[at + np.uint64(offset)]
            is_high = (end >> np.uint32(IS_HIGH_BIT)) & np.uint32(1)
            far = end >> np.uint32(STEP_SHIFT)
            beyond = np.uint64(np.uint32(step < far) ^ is_high)
            near |= np.uint32(far - is_high == step)
            word = np.uint64((end >> np.uint32(6)) & np.uint32(BLOCK_WORDS - 1))
            matched[word] &= ~(beyond << np.uint64(end & np.uint32(63)))
    return bool(near)


@compiled
def _check_values(
    first: int, last: int, ends: npt.NDArray[np.uint32], end_values: Values, value: float, matched: Words
) -> None:
    for at in range(first * ENDS_AT_ONCE, last * ENDS_AT_ONCE):
        slot = np.uint64(ends[at])
        is_high = (slot >> np.uint64(IS_HIGH_BIT)) & np.uint64(1)
        beyond = np.uint64(value > end_values[at] if is_high else value < end_values[at])
        matched[(slot >> np.uint64(6)) & np.uint64(BLOCK_WORDS - 1)] &= ~(beyond << (slot & np.uint64(63)))


@compiled
def match_rows(
    alive: Flags,
    firsts: Numbers,
    attributes: npt.NDArray[np.int32],
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


@compiled
def numbers_of(found: Words, event: int, slots: Numbers, into: Numbers, at: int) -> int:
    """Write the numbers of the slots whose bits are set for an event, and return the index after the last."""
    for block in range(found.shape[0]):
        for word in range(found.shape[2]):
            rest = found[block, event, word]
            base = (block * found.shape[2] + word) * 64
            while rest:
                into[at] = slots[base + np.int64(lowest_one(rest))]
                rest &= rest - np.uint64(1)
                at += 1
    return at
