"""The arrays of a shelf that matching reads, and how compiled code receives them. ``_shelf`` describes the layout.

A call from Python pays for every argument, and compiled code counts the references of every array that it is given.
So all arrays are passed as one table of their addresses and shapes; whoever calls keeps the arrays alive.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from roamcast.matching._index_compiler import compiled
from roamcast.matching._vectors import LINE_WORDS

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int32]
Shorts = npt.NDArray[np.uint16]

LINE_SLOTS = 64 * LINE_WORDS
SEGMENTS_MAX = 256
"""An attribute has this many rows or, where lines have many attributes, a half or a quarter of it."""
STEP_BITS = 16
"""Every segment is divided into 2^16 steps, so that the scale can give each cell a share of them."""
STEPS = SEGMENTS_MAX << STEP_BITS
CELLS = 1024
"""The part of the limits where ranges end has this many equal cells; the more ends in a cell, the more steps."""
ENDS_AT_ONCE = 8
"""The ends of a segment are padded to a multiple of this."""

DIMENSIONS_MAX = 3
cgutils: Any = untyped_cgutils
carray: Any = numba.carray


class Lines(NamedTuple):
    """The arrays of a shelf that matching reads. A line is 512 slots: a cache line of bits."""

    alive: Words
    """A bit for each slot: 0 if it is empty or its subscription has been removed."""
    required: Words
    """For each line the attributes that all of its subscriptions constrain, as a mask modulo 64."""
    line_firsts: Numbers
    line_attributes: Indices
    """The attributes that are constrained in line ``i``: those from ``line_firsts[i]`` to ``line_firsts[i + 1]``."""
    line_places: Indices
    """For each of these the place of the line in the attribute's rows."""
    attribute_firsts: Numbers
    attribute_lines: Indices
    """The lines where attribute ``a`` is constrained: from ``attribute_firsts[a]`` to ``attribute_firsts[a + 1]``."""
    row_offsets: Numbers
    """The word at which an attribute's rows begin: one for each segment, and one for events that lack it."""
    bits: Words
    end_starts: Indices
    """For each attribute, low or high ends, and segment (or none): the first of its ends to be checked, by eights."""
    end_slots: Indices
    end_values: Values
    """Low ends and the negatives of high ends, ascending in each segment. The first ones may be minus infinity."""
    toggle_firsts: Numbers
    """For each line of ``attribute_lines`` its first toggle."""
    toggles: Values
    """The values at which a range begins, and those just after its end, in ascending order for each line."""
    toggle_slots: Shorts
    """The slot within the line of each toggle."""
    toggle_buckets: Shorts
    """The bucket of each toggle: its step without the lowest bits."""
    cells: Values
    bases: Values
    set_keys: Numbers
    """A hash table of small sets of attributes (``_set_loops``), -1 where it is empty."""
    set_groups: Indices
    """The group of each of these sets: the subscriptions that constrain exactly these attributes."""
    group_slots: Numbers
    """The first slot of each group, and the one after the last."""
    group_firsts: Numbers
    group_attributes: Indices
    """The attributes of group ``g``: those from ``group_firsts[g]`` to ``group_firsts[g + 1]``."""
    group_places: Indices
    """For each of these the place of the group's first line in the attribute's rows."""
    scratch: Words
    """A bit for each slot, to compute in where only counts are wanted."""
    rows: Numbers
    """For each attribute, to compute in: the row of the event's value, and the word at which it begins."""
    row_words: Numbers
    chosen: Numbers
    """To compute in: the attributes that the event has."""
    active: Indices
    """For each line, to compute in."""
    eights: Numbers
    eight_values: Values
    """To compute in: eights of ends that must be checked, and the value that each is compared with."""
    subset_keys: Numbers
    """To compute in: the keys of the sets that are looked up, and the groups that were found."""
    subset_groups: Numbers
    shift: int
    """A step's segment is the step shifted by that."""
    looked_up_max: int
    """Up to how many attributes of an event its sets are looked up; -1: never."""


def table_of(lines: Lines) -> Numbers:
    """Return the address and the shape of each array, and the numbers at the end, as compiled code receives them."""
    table = np.zeros((len(lines), 1 + DIMENSIONS_MAX), np.int64)
    for at, field in enumerate(lines):
        if isinstance(field, np.ndarray):
            table[at, 0] = field.ctypes.data
            table[at, 1 : 1 + field.ndim] = field.shape
        else:
            table[at, 0] = field
    return table


def _pointer(_typing_context: Any, _address: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), generate


pointer: Any = intrinsic(_pointer)
"""``pointer(address)``: the address as a pointer."""


@compiled
def _words(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1],), np.uint64)


@compiled
def _numbers(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1],), np.int64)


@compiled
def _indices(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1],), np.int32)


@compiled
def _shorts(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1],), np.uint16)


@compiled
def _values(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1],), np.float64)


@compiled
def _values_2d(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1], table[at, 2]), np.float64)


@compiled
def _indices_3d(table: Numbers, at: int) -> Any:
    return carray(pointer(table[at, 0]), (table[at, 1], table[at, 2], table[at, 3]), np.int32)


@compiled
def lines_at(table: Numbers) -> Any:
    """Return the arrays of a shelf, without a reference to any."""
    return Lines(
        _words(table, 0), _words(table, 1), _numbers(table, 2), _indices(table, 3), _indices(table, 4),
        _numbers(table, 5), _indices(table, 6), _numbers(table, 7), _words(table, 8), _indices_3d(table, 9),
        _indices(table, 10), _values(table, 11), _numbers(table, 12), _values(table, 13), _shorts(table, 14),
        _shorts(table, 15), _values_2d(table, 16), _values_2d(table, 17), _numbers(table, 18), _indices(table, 19),
        _numbers(table, 20), _numbers(table, 21), _indices(table, 22), _indices(table, 23), _words(table, 24),
        _numbers(table, 25), _numbers(table, 26), _numbers(table, 27), _indices(table, 28), _numbers(table, 29),
        _values(table, 30), _numbers(table, 31), _numbers(table, 32), table[33, 0], table[34, 0],
    )  # fmt: skip
