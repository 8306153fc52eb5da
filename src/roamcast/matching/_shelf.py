"""A shelf of the index: subscriptions that were built into blocks together and can only be removed afterwards.

A block stores the attribute range vectors of 2,048 subscriptions transposed: for each attribute that one of them
constrains there is a page with a row for every segment of the attribute's limits, and a row has a bit for every
subscription, which is set if its range overlaps the segment or if it does not constrain the attribute. One more row is
for events that lack the attribute. ANDing the rows of an event's values matches the range vectors (BRVST, section
IV-A3). This can be wrong only for ranges that end in the value's own segment; these ends are listed by segment and
checked one by one. So the result is exact.

Subscriptions are sorted by the set of attributes that they constrain. Where a set is common, a block has few pages;
where sets are rare, a block mixes many of them and has more pages. So one layout serves both cases.
"""

from dataclasses import dataclass

import numpy as np

from roamcast.matching._build_loops import fill_pages, plan_blocks, plan_pages
from roamcast.matching._match_loops import (
    BLOCK_SLOTS,
    ENDS_AT_ONCE,
    Indices,
    Numbers,
    Values,
    Words,
    locate,
    match_shelf,
)
from roamcast.matching._rows import Rows
from roamcast.matching._scale import Scale, fitted_scale
from roamcast.matching._vectors import BLOCK_WORDS
from roamcast.matching.event_batch import EventBatch

CACHE_LINE_BYTES = 64
KEY_MAX = 2**62


@dataclass(slots=True)
class Shelf:
    """Subscriptions in blocks. The module's docstring explains the layout."""

    rows: Rows
    slot_of: Indices
    """The slot of each row."""
    numbers: Numbers
    """The number of the subscription in each slot, or -1."""
    alive: Words
    """A bit for each slot: 0 if it is empty or its subscription has been removed."""
    blocks: Numbers
    """For each block its first page, the one after its last, and how many times its number of segments is halved."""
    required: Words
    """For each block the attributes that all of its subscriptions constrain, as a mask modulo 64."""
    pages: Numbers
    """For each page its attribute, and the offsets of its rows and of its starts."""
    bits: Words
    starts: Indices
    """For each page and segment the offset of its ends, in units of ``ENDS_AT_ONCE``."""
    ends: "np.ndarray[tuple[int], np.dtype[np.uint32]]"
    end_values: Values
    scale: Scale
    living: int

    @property
    def words(self) -> int:
        """Return the length in words of the bit set of one event."""
        return len(self.blocks) * BLOCK_WORDS

    @property
    def size_bytes(self) -> int:
        """Return the memory used by the shelf."""
        arrays = (
            self.alive,
            self.blocks,
            self.pages,
            self.bits,
            self.starts,
            self.ends,
            self.end_values,
            self.scale.bases,
        )
        rows = (self.rows.numbers, self.rows.firsts, self.rows.attributes, self.rows.lows, self.rows.highs)
        return sum(array.nbytes for array in (*arrays, *rows, self.slot_of, self.numbers))

    def remove(self, slot: int) -> None:
        """Remove the subscription in a slot: it no longer matches anything."""
        self.alive[slot >> 6] &= ~(np.uint64(1) << np.uint64(slot & 63))
        self.living -= 1

    def living_rows(self) -> Rows:
        """Return the rows of the subscriptions that have not been removed."""
        if self.living == len(self.rows):
            return self.rows
        slots = self.slot_of.astype(np.uint64)
        is_alive = (self.alive[slots >> np.uint64(6)] >> (slots & np.uint64(63))) & np.uint64(1)
        return self.rows.take(np.flatnonzero(is_alive))

    def match(self, batch: EventBatch, found: Words, counts: Numbers) -> None:
        """Add the number of matches to ``counts`` and write the bit sets to ``found``, unless that is empty."""
        masks, positions = np.empty(len(batch), np.uint64), np.empty(batch.values.shape, np.int32)
        locate(batch.values, batch.present, self.scale.cells, self.scale.bases, positions, masks)
        match_shelf(
            self.blocks,
            self.required,
            self.alive,
            self.pages,
            self.bits,
            self.starts,
            self.ends,
            self.end_values,
            batch.values,
            positions,
            masks,
            found,
            counts,
        )


def build_shelf(rows: Rows, limits: Values) -> Shelf:
    """Sort subscriptions into blocks; ``limits`` are those of ``_scale.limits_of``."""
    attribute_count, scale = len(limits), fitted_scale(rows, limits)
    keys = _keys(rows, attribute_count)
    order = np.argsort(keys, kind="stable")
    cuts = np.empty(2 * len(rows) // BLOCK_SLOTS + 3, np.int64)
    count = plan_blocks(order, keys, cuts)
    blocks, required = np.empty((count, 3), np.int64), np.empty(count, np.uint64)
    pages = np.empty((min(count * attribute_count, len(rows.attributes)), 3), np.int64)
    page_count, words, starts_count = plan_pages(
        order, cuts, rows.firsts, rows.attributes, attribute_count, blocks, required, pages
    )
    pages = pages[:page_count].copy()
    bits, starts = aligned_words(words), np.empty(starts_count, np.int32)
    ends_max = 2 * len(rows.attributes) + (ENDS_AT_ONCE - 1) * starts_count
    ends, end_values = np.empty(ends_max, np.uint32), np.empty(ends_max)
    written = fill_pages(
        order,
        cuts,
        rows.firsts,
        rows.attributes,
        rows.lows,
        rows.highs,
        limits,
        scale.cells,
        scale.bases,
        blocks,
        pages,
        bits,
        starts,
        ends,
        end_values,
    )
    slot_of, numbers, alive = _slots(rows, order, cuts[: count + 1])
    return Shelf(
        rows,
        slot_of,
        numbers,
        alive,
        blocks,
        required,
        pages,
        bits,
        starts,
        ends[:written].copy(),
        end_values[:written].copy(),
        scale,
        len(rows),
    )


def aligned_words(count: int) -> Words:
    """Allocate words aligned to a cache line: a row that crosses lines costs twice as much."""
    raw = np.empty(8 * count + CACHE_LINE_BYTES, np.uint8)
    skipped = -raw.ctypes.data % CACHE_LINE_BYTES
    return raw[skipped : skipped + 8 * count].view(np.uint64)


def _keys(rows: Rows, attribute_count: int) -> Numbers:
    """Return a sort key for each row that groups equal sets of attributes: by size, then by attributes.

    Only as many attributes as fit a word are used; more would affect how well blocks are filled, not what matches.
    """
    sizes = np.diff(rows.firsts)
    base = attribute_count + 1
    keys = np.minimum(sizes, attribute_count)
    width, used, product = int(sizes.max(initial=0)), 0, base
    while used < width and product * base < KEY_MAX:
        has_more = sizes > used
        digit = np.zeros(len(rows), np.int64)
        digit[has_more] = rows.attributes[rows.firsts[:-1][has_more] + used] + 1
        keys = keys * base + digit
        product *= base
        used += 1
    return keys


def _slots(rows: Rows, order: Numbers, cuts: Numbers) -> tuple[Indices, Numbers, Words]:
    """Return each row's slot, the number in each slot, and a bit for each slot that is in use."""
    block_of = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    slots = block_of * BLOCK_SLOTS + np.arange(len(rows)) - cuts[block_of]
    slot_of = np.empty(len(rows), np.int32)
    slot_of[order] = slots
    numbers = np.full((len(cuts) - 1) * BLOCK_SLOTS, -1, np.int64)
    numbers[slots] = rows.numbers[order]
    alive = aligned_words((len(cuts) - 1) * BLOCK_WORDS)
    alive[:] = np.packbits(numbers >= 0, bitorder="little").view(np.uint64)
    return slot_of, numbers, alive
