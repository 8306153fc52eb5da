"""The arrays of a shelf that matching reads, and how compiled code receives them. ``_shelf`` describes the layout.

A call from Python pays for every argument, and compiled code counts the references of every array that it is given.
So all arrays are passed as one table of their addresses and shapes; whoever calls keeps the arrays alive.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj as untyped_arrayobj

from roamcast.matching._index_compiler import inlined
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
populate_array: Any = untyped_arrayobj.populate_array


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
    field: Any
    for at, field in enumerate(lines):
        if isinstance(field, np.ndarray):
            table[at, 0] = field.ctypes.data
            table[at, 1 : 1 + field.ndim] = field.shape
        else:
            table[at, 0] = field
    return table


def _view_of(element: Any, dimensions: int) -> Any:
    """Return the operation ``view(table, at)``: the array of a table's row, which does not count as a reference to it.

    Numba's own ``carray`` does, which takes as long as matching an event with few attributes.
    """

    def view(_typing_context: Any, table: Any, _at: Any) -> Any:
        array_type: Any = types.Array(element, dimensions, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            word = ir.IntType(64)
            first = builder.mul(arguments[1], ir.Constant(word, 1 + DIMENSIONS_MAX))
            given = [
                builder.load(builder.gep(rows, [builder.add(first, ir.Constant(word, offset))]))
                for offset in range(1 + dimensions)
            ]
            item_bytes = context.get_abi_sizeof(context.get_data_type(element))
            strides = [ir.Constant(word, item_bytes)]
            for length in reversed(given[2:]):
                strides.insert(0, builder.mul(strides[0], length))
            array = context.make_array(array_type)(context, builder)
            data = builder.inttoptr(given[0], context.get_data_type(element).as_pointer())
            populate_array(array, data, given[1:], strides, ir.Constant(word, item_bytes), None)
            return array._getvalue()

        return array_type(table, types.int64), generate

    return intrinsic(view)


_words: Any = _view_of(types.uint64, 1)
_numbers: Any = _view_of(types.int64, 1)
_indices: Any = _view_of(types.int32, 1)
_shorts: Any = _view_of(types.uint16, 1)
_values: Any = _view_of(types.float64, 1)
_values_2d: Any = _view_of(types.float64, 2)
_indices_3d: Any = _view_of(types.int32, 3)


@inlined
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
