"""The compiled loops that build a shelf's blocks. ``_shelf`` describes the arrays.

Rows are not filled bit by bit, which would touch every row for every range. Instead a page is swept from its first
segment to its last: each row is a copy of the one before, plus the ranges that begin and minus those that have ended.
"""

import numpy as np
import numpy.typing as npt

from roamcast.matching._index_compiler import compiled
from roamcast.matching._match_loops import (
    BLOCK_SLOTS,
    ENDS_AT_ONCE,
    IS_HIGH_BIT,
    SEGMENTS_MAX,
    STEP_BITS,
    STEP_SHIFT,
    STEPS,
    Indices,
    Numbers,
    Values,
    Words,
    position_of,
)
from roamcast.matching._vectors import BLOCK_WORDS

TABLE_ROWS_MAX = 4096
"""The largest number of rows, of 256 bytes each, in a block's table, so that it fits a second-level cache of 1 MB."""
SEGMENTS_MIN = 64


@compiled
def plan_blocks(order: Numbers, keys: Numbers, cuts: Numbers) -> int:
    """Divide the sorted subscriptions into blocks, write the start of each to ``cuts``, and return their number.

    A set of attributes that does not fit into a half-full block begins a new one, so that each has fewer rows.
    """
    count, filled, done = 0, 0, 0
    while done < order.shape[0]:
        end = done + 1
        while end < order.shape[0] and keys[order[end]] == keys[order[done]]:
            end += 1
        if count == 0 or (2 * filled >= BLOCK_SLOTS and filled + end - done > BLOCK_SLOTS):
            cuts[count] = done
            count, filled = count + 1, 0
        while done < end:
            if filled == BLOCK_SLOTS:
                cuts[count] = done
                count, filled = count + 1, 0
            taken = min(end - done, BLOCK_SLOTS - filled)
            filled += taken
            done += taken
    cuts[count] = order.shape[0]
    return count


@compiled
def plan_pages(
    order: Numbers,
    cuts: Numbers,
    firsts: Numbers,
    attributes: Indices,
    attribute_count: int,
    blocks: Numbers,
    required: Words,
    pages: Numbers,
) -> tuple[int, int, int]:
    """Give every block a page for each attribute it constrains; return the numbers of pages, words and starts."""
    uses = np.zeros(attribute_count, np.int64)
    page_count, words, starts = 0, 0, 0
    for block in range(blocks.shape[0]):
        first = page_count
        for at in range(cuts[block], cuts[block + 1]):
            for index in range(firsts[order[at]], firsts[order[at] + 1]):
                attribute = attributes[index]
                if uses[attribute] == 0:
                    pages[page_count, 0] = attribute
                    page_count += 1
                uses[attribute] += 1
        shift = 0
        while (page_count - first) * (SEGMENTS_MAX >> shift) > TABLE_ROWS_MAX and SEGMENTS_MAX >> shift > SEGMENTS_MIN:
            shift += 1
        mask = np.uint64(0)
        for page in range(first, page_count):
            attribute = pages[page, 0]
            pages[page, 1], pages[page, 2] = words, starts
            words += ((SEGMENTS_MAX >> shift) + 1) * BLOCK_WORDS
            starts += (SEGMENTS_MAX >> shift) + 1
            if uses[attribute] == cuts[block + 1] - cuts[block]:
                mask |= np.uint64(1) << np.uint64(attribute & 63)
            uses[attribute] = 0
        blocks[block, 0], blocks[block, 1], blocks[block, 2] = first, page_count, shift
        required[block] = mask
    return page_count, words, starts


@compiled
def fill_pages(
    order: Numbers,
    cuts: Numbers,
    firsts: Numbers,
    attributes: Indices,
    lows: Values,
    highs: Values,
    limits: Values,
    cells: Values,
    bases: Values,
    blocks: Numbers,
    pages: Numbers,
    bits: Words,
    starts: Indices,
    ends: npt.NDArray[np.uint32],
    end_values: Values,
) -> int:
    """Fill every page's rows, and list the ends that must be checked; return how many such ends there are."""
    page_of = np.zeros(limits.shape[0], np.int64)
    written = 0
    for block in range(blocks.shape[0]):
        first, last, shift = blocks[block, 0], blocks[block, 1], blocks[block, 2]
        page_firsts = np.zeros(last - first + 1, np.int64)
        for page in range(first, last):
            page_of[pages[page, 0]] = page - first
        for at in range(cuts[block], cuts[block + 1]):
            for index in range(firsts[order[at]], firsts[order[at] + 1]):
                page_firsts[page_of[attributes[index]] + 1] += 1
        for page in range(last - first):
            page_firsts[page + 1] += page_firsts[page]
        nexts = page_firsts.copy()
        owners = np.empty(page_firsts[last - first], np.int64)
        ranges = np.empty(page_firsts[last - first], np.int64)
        for at in range(cuts[block], cuts[block + 1]):
            for index in range(firsts[order[at]], firsts[order[at] + 1]):
                page = page_of[attributes[index]]
                owners[nexts[page]], ranges[nexts[page]] = at - cuts[block], index
                nexts[page] += 1
        for page in range(first, last):
            mine = slice(page_firsts[page - first], page_firsts[page - first + 1])
            written = _fill_page(
                owners[mine],
                ranges[mine],
                lows,
                highs,
                limits[pages[page, 0]],
                cells[pages[page, 0]],
                bases[pages[page, 0]],
                STEP_BITS + shift,
                bits[pages[page, 1] :],
                starts[pages[page, 2] :],
                ends,
                end_values,
                written,
            )
    return written


@compiled
def _fill_page(
    owners: Numbers,
    ranges: Numbers,
    lows: Values,
    highs: Values,
    limits: Values,
    cells: Values,
    bases: Values,
    shift: int,
    bits: Words,
    starts: Indices,
    ends: npt.NDArray[np.uint32],
    end_values: Values,
    written: int,
) -> int:
    low_limit, high_limit, gap = limits[0], limits[1], limits[2]
    segments = STEPS >> shift
    in_segment = (np.int64(1) << shift) - 1
    begun, ended = np.full(segments, -1, np.int64), np.full(segments, -1, np.int64)
    next_begun, next_ended = np.empty(owners.shape[0], np.int64), np.empty(owners.shape[0], np.int64)
    bits[:BLOCK_WORDS] = ~np.uint64(0)  # a subscription that does not constrain the attribute accepts any value
    for one in range(owners.shape[0]):
        begin = position_of(lows[ranges[one]], cells, bases) >> shift
        end = position_of(highs[ranges[one]], cells, bases) >> shift
        next_begun[one], begun[begin] = begun[begin], one
        next_ended[one], ended[end] = ended[end], one
        bits[owners[one] >> 6] &= ~(np.uint64(1) << np.uint64(owners[one] & 63))
    bits[segments * BLOCK_WORDS : (segments + 1) * BLOCK_WORDS] = bits[:BLOCK_WORDS]
    for segment in range(segments):
        row = bits[segment * BLOCK_WORDS : (segment + 1) * BLOCK_WORDS]
        if segment > 0:
            row[:] = bits[(segment - 1) * BLOCK_WORDS : segment * BLOCK_WORDS]
            one = ended[segment - 1]
            while one >= 0:
                row[owners[one] >> 6] &= ~(np.uint64(1) << np.uint64(owners[one] & 63))
                one = next_ended[one]
        starts[segment] = written // ENDS_AT_ONCE
        one = begun[segment]
        while one >= 0:
            row[owners[one] >> 6] |= np.uint64(1) << np.uint64(owners[one] & 63)
            low = lows[ranges[one]]
            if low > low_limit and position_of(low - gap, cells, bases) >> shift == segment:
                far = position_of(low, cells, bases) & in_segment
                ends[written], end_values[written] = owners[one] | far << STEP_SHIFT, low
                written += 1
            one = next_begun[one]
        one = ended[segment]
        while one >= 0:
            high = highs[ranges[one]]
            if high < high_limit and position_of(high + gap, cells, bases) >> shift == segment:
                far = (position_of(high, cells, bases) & in_segment) + 1
                ends[written] = owners[one] | np.int64(1) << IS_HIGH_BIT | far << STEP_SHIFT
                end_values[written] = high
                written += 1
            one = next_ended[one]
        while written % ENDS_AT_ONCE:  # no step is below the first, no value below minus infinity
            ends[written], end_values[written] = 0, -np.inf
            written += 1
    starts[segments] = written // ENDS_AT_ONCE
    return written


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
