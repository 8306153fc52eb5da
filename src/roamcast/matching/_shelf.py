"""A shelf of the index: subscriptions that were built together and can only be removed afterwards.

A shelf stores the attribute range vectors of its subscriptions transposed. Each subscription has a slot, and 512 slots
are a line: one cache line of bits. For each attribute and each segment of its limits there is a row with the lines in
which the attribute is constrained; a bit is set if the slot's range overlaps the segment or if it does not constrain
the attribute. One more row is for events that lack the attribute. ANDing the rows of an event's values matches the
range vectors (BRVST, section IV-A3). This can be wrong only for ranges that end in the value's own segment; these ends
are listed by segment in ascending order, and the subscriptions of those beyond the value are removed. So the result is
exact.

Subscriptions are sorted by the set of attributes that they constrain, and sets with many attributes in common are
neighbours (``_order_loops``). Where a set is common, a line is in few rows; where sets are rare, a line mixes many of
them and is in more. So one layout serves both cases.

A large batch of events reads no rows (``_sweep_loops``). For the first one the ends of ranges are stored a second time,
by line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from roamcast.matching._build_loops import fill_rows, place_lines, plan_lines
from roamcast.matching._end_loops import list_toggles, sort_ends
from roamcast.matching._identifiers import SlotNumbers
from roamcast.matching._index_compiler import entry_point
from roamcast.matching._lines import (
    ENDS_AT_ONCE,
    LINE_SLOTS,
    SEGMENTS_MAX,
    STEP_BITS,
    Flags,
    Indices,
    Lines,
    Numbers,
    Shorts,
    Values,
    Words,
    table_of,
)
from roamcast.matching._match_loops import SHORT_EIGHTS, match_shelf
from roamcast.matching._order_loops import gather_sets
from roamcast.matching._rows import Rows
from roamcast.matching._scale import fitted_scale
from roamcast.matching._set_loops import LOOKED_UP_MAX, list_groups
from roamcast.matching._sweep_loops import sweep_shelf
from roamcast.matching._vectors import LINE_WORDS

CACHE_LINE_BYTES = 64
KEY_MAX = 2**62
SEGMENTS_MIN = 64
ROWS_BYTES_SPARE, ROWS_BYTES_EACH = 1_000_000, 1024
"""The memory that all rows may take, in total and for each subscription, before there are fewer segments."""

NOT_LISTED: Numbers = np.empty(0, np.int64)
NO_SHORTS: Shorts = np.empty(0, np.uint16)
"""Stand for the toggles of a shelf that no large batch has met."""


@dataclass(slots=True)
class Shelf:
    """Subscriptions in lines. The module's docstring explains the layout."""

    rows: Rows
    slot_of: Indices
    """The slot of each row."""
    numbers: SlotNumbers
    lines: Lines
    words: int
    """The length in words of the bit set of one event."""
    living: int
    _alive_bytes: memoryview
    """The bits of ``lines.alive``: numpy takes several times as long to change one of them."""
    match_each: Callable[[Values, Flags, Words, Numbers], None]
    """Match events one by one: values, presence, memory for the bit sets or none, and counts to add to."""
    _table: Numbers

    @property
    def size_bytes(self) -> int:
        """Return the memory used by the shelf."""
        arrays = [array for array in self.lines if isinstance(array, np.ndarray)]
        rows = (self.rows.numbers, self.rows.firsts, self.rows.attributes, self.rows.lows, self.rows.highs)
        return sum(array.nbytes for array in (*arrays, *rows, self.slot_of, self.numbers.numbers))

    def remove(self, slot: int) -> None:
        """Remove the subscription in a slot: it no longer matches anything."""
        self._alive_bytes[slot >> 3] &= ~(1 << (slot & 7)) & 0xFF
        self.living -= 1

    def living_rows(self) -> Rows:
        """Return the rows of the subscriptions that have not been removed."""
        if self.living == len(self.rows):
            return self.rows
        slots = self.slot_of.astype(np.uint64)
        is_alive = (self.lines.alive[slots >> np.uint64(6)] >> (slots & np.uint64(63))) & np.uint64(1)
        return self.rows.take(np.flatnonzero(is_alive))

    def sweep(self, values: Values, present: Flags, tiles: Sequence[range], found: Words, counts: Numbers) -> None:
        """Match many events, tile by tile; the words of (line, event) are written to ``found``, unless it is empty."""
        if self.lines.toggle_firsts is NOT_LISTED:
            self.lines = _with_toggles(self.lines, self.rows, self.slot_of)
            self._table = table_of(self.lines)
        for tile in tiles:
            sweep_shelf(self._table, values, present, tile.start, tile.stop, found, counts)


def build_shelf(rows: Rows, limits: Values) -> Shelf:
    """Sort subscriptions into lines; ``limits`` are those of ``_scale.limits_of``."""
    keys = _keys(rows, len(limits))
    order = np.argsort(keys, kind="stable")
    order = gather_sets(order, keys[order], rows.firsts, rows.attributes)
    slot_of = np.empty(len(rows), np.int32)
    slot_of[order] = np.arange(len(rows))
    line_count = -(-len(rows) // LINE_SLOTS)
    numbers = np.full(line_count * LINE_SLOTS, -1, np.int32)
    numbers[: len(rows)] = rows.numbers[order]
    alive = aligned_words(line_count * LINE_WORDS)
    alive[:] = np.packbits(numbers >= 0, bitorder="little").view(np.uint64)
    lines = _lines(rows, limits, order, slot_of, alive)
    table = table_of(lines)
    code = entry_point(match_shelf, table, np.empty((1, 1)), np.empty((1, 1), np.bool_), alive, rows.numbers)
    return Shelf(
        rows,
        slot_of,
        SlotNumbers(numbers),
        lines,
        len(alive),
        len(rows),
        alive.view(np.uint8).data,
        partial(code, table),
        table,
    )


def _lines(rows: Rows, limits: Values, order: Numbers, slot_of: Indices, alive: Words) -> Lines:
    line_count, attribute_count = len(alive) // LINE_WORDS, len(limits)
    line_firsts, required = np.empty(line_count + 1, np.int64), np.empty(line_count, np.uint64)
    line_attributes = np.empty(min(line_count * attribute_count, len(rows.attributes)), np.int32)
    plan_lines(order, rows.firsts, rows.attributes, attribute_count, line_firsts, line_attributes, required)
    line_attributes = line_attributes[: line_firsts[-1]].copy()
    line_places, attribute_lines = np.empty_like(line_attributes), np.empty_like(line_attributes)
    attribute_firsts = np.zeros(attribute_count + 1, np.int64)
    place_lines(line_firsts, line_attributes, line_places, attribute_firsts, attribute_lines)
    halvings = 0
    row_bytes = 8 * LINE_WORDS * len(line_attributes)
    while (
        row_bytes * (SEGMENTS_MAX >> halvings) > ROWS_BYTES_SPARE + ROWS_BYTES_EACH * len(rows)
        and SEGMENTS_MAX >> halvings > SEGMENTS_MIN
    ):
        halvings += 1
    segments, shift = SEGMENTS_MAX >> halvings, STEP_BITS + halvings
    row_offsets = attribute_firsts[:-1] * LINE_WORDS * (segments + 1)
    bits = aligned_words(len(line_attributes) * LINE_WORDS * (segments + 1))
    scale = fitted_scale(rows, limits)
    range_count = len(rows.attributes)
    sorted_ends = _sorted_ends(rows, slot_of, scale.cells, scale.bases)
    end_starts = np.empty((attribute_count, 2, segments + 2), np.int32)
    ends_max = 2 * range_count + (ENDS_AT_ONCE - 1) * min(2 * range_count, 2 * attribute_count * segments)
    end_slots, end_values = np.empty(ends_max, np.int32), np.empty(ends_max)
    written = fill_rows(
        *sorted_ends, limits, scale.cells, scale.bases, shift,
        attribute_firsts, attribute_lines, row_offsets, bits, end_starts, end_slots, end_values,
    )  # fmt: skip
    groups = list_groups(
        order, rows.firsts, rows.attributes, line_firsts, line_attributes, line_places, attribute_count
    )
    is_exact = (attribute_count + 1) ** (1 + LOOKED_UP_MAX) < KEY_MAX
    eights_max = 2 * attribute_count * SHORT_EIGHTS + SHORT_EIGHTS
    return Lines(
        alive, required, line_firsts, line_attributes, line_places, attribute_firsts, attribute_lines,
        row_offsets, bits, end_starts, end_slots[:written].copy(), end_values[:written].copy(),
        NOT_LISTED, np.empty(0), NO_SHORTS, NO_SHORTS, scale.cells, scale.bases, *groups,
        aligned_words(len(alive)), np.empty(attribute_count + 1, np.int64), np.empty(attribute_count + 1, np.int64),
        np.empty(attribute_count + 1, np.int64), np.empty(line_count, np.int32), np.empty(eights_max, np.int64),
        np.empty(eights_max), np.empty(1 << LOOKED_UP_MAX, np.int64), np.empty(1 + (1 << LOOKED_UP_MAX), np.int64),
        shift, LOOKED_UP_MAX if is_exact else -1,
    )  # fmt: skip


def _sorted_ends(
    rows: Rows, slot_of: Indices, cells: Values, bases: Values
) -> tuple[Numbers, Values, Indices, Values, Indices]:
    """Return where each attribute begins, and low ends, their slots, high ends and their slots in that order."""
    firsts = np.empty(len(cells) + 1, np.int64)
    slots = np.repeat(slot_of, np.diff(rows.firsts))
    lows, highs = (np.empty(len(slots)) for _ in range(2))
    low_slots, high_slots = (np.empty(len(slots), np.int32) for _ in range(2))
    sort_ends(rows.attributes, rows.lows, slots, cells, bases, firsts, lows, low_slots)
    sort_ends(rows.attributes, rows.highs, slots, cells, bases, firsts, highs, high_slots)
    return firsts, lows, low_slots, highs, high_slots


def _with_toggles(lines: Lines, rows: Rows, slot_of: Indices) -> Lines:
    """Return the lines with their toggles, which only sweeps need."""
    toggle_firsts = np.empty(len(lines.attribute_lines) + 1, np.int64)
    toggles = np.empty(2 * len(rows.attributes))
    toggle_slots, toggle_buckets = (np.empty(len(toggles), np.uint16) for _ in range(2))
    list_toggles(
        *_sorted_ends(rows, slot_of, lines.cells, lines.bases), lines.cells, lines.bases, lines.attribute_firsts,
        lines.attribute_lines, toggle_firsts, toggles, toggle_slots, toggle_buckets,
    )  # fmt: skip
    return lines._replace(
        toggle_firsts=toggle_firsts, toggles=toggles, toggle_slots=toggle_slots, toggle_buckets=toggle_buckets
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
