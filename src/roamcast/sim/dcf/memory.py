"""The medium's arrays as one number, by which Python passes all of them to compiled code.

A call from Python costs more with each argument, and an array costs the most: its header is read and its references are
counted. With twenty arrays that took a third of a microsecond, longer than most calls do anything. So Python passes the
address of a table that has the address and the length of each array. Compiled code makes arrays of these without
counting references, and whoever calls it keeps the arrays alive: ``Memory`` does.

Most arrays get no length there. Numba adds the length of an array to a negative index, at every access; no index is
negative here, and nothing is added to it if the compiler knows that the length is 0. No index is checked either way.
"""

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from roamcast.sim.dcf.medium_compiler import entry
from roamcast.sim.dcf.records import (
    ARRIVAL,
    CONTACT,
    CONTACT_LIST,
    FRAME,
    KINDS,
    LEG,
    MEDIUM,
    NODE,
    TIMER,
    TRAFFIC_COLUMNS,
    WAKE,
    WAKE_ENTRY,
    Arrays,
)

_INTEGER, _REAL = np.dtype(np.int64), np.dtype(np.float64)
DTYPES = Arrays(
    medium=MEDIUM, nodes=NODE, legs=LEG, timers=TIMER, frames=FRAME, arrivals=ARRIVAL, heap=_INTEGER, wakes=WAKE,
    wake_heap=WAKE_ENTRY, heard=_INTEGER, distances_m2=_REAL, traffic=_INTEGER, cell_starts=_INTEGER,
    cell_nodes=_INTEGER, jumps_s=_REAL, contact_lists=CONTACT_LIST, contacts=CONTACT, offsets=_INTEGER, time_s=_REAL,
    x_m=_REAL, y_m=_REAL,
)  # fmt: skip
"""The type of each array's elements; ``arrays_at`` takes it for granted, so ``Memory`` checks it."""
COUNT = len(DTYPES)
HAVE_LENGTH = ("cell_starts", "jumps_s")
"""The arrays whose lengths compiled functions ask for."""


class Memory:
    """The medium's arrays, kept alive, and the address of the table of their addresses."""

    __slots__ = ("_arrays", "_table", "address")

    def __init__(self, arrays: Arrays) -> None:
        for name, array, dtype in zip(Arrays._fields, arrays, DTYPES, strict=True):
            if array.dtype != dtype or not array.flags.c_contiguous or not array.flags.aligned:
                raise TypeError(f"{name}: {array.dtype}, must be {dtype}, in one piece and aligned")
        if arrays.traffic.shape[1:] != (KINDS, TRAFFIC_COLUMNS):
            raise TypeError(f"traffic: {arrays.traffic.shape}, must be (nodes, {KINDS}, {TRAFFIC_COLUMNS})")
        self._arrays = arrays
        self._table: NDArray[np.int64] = np.array(
            [*(array.ctypes.data for array in arrays), *(len(array) for array in arrays)], np.int64
        )
        self.address: int = self._table.ctypes.data


def _make_pointer(_: Any, address: Any) -> Any:
    """Make a pointer of an address."""

    def convert(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), convert


_pointer: Any = intrinsic(_make_pointer)
_array: Any = numba.carray  # type: ignore[attr-defined]


@entry
def arrays_at(address: int) -> Any:
    """Return the arrays whose addresses are in the table at an address; only ``HAVE_LENGTH`` know their lengths."""
    table = _array(_pointer(address), (2 * COUNT,), np.int64)
    return Arrays(
        _array(_pointer(table[0]), (0,), MEDIUM),
        _array(_pointer(table[1]), (0,), NODE),
        _array(_pointer(table[2]), (0,), LEG),
        _array(_pointer(table[3]), (0,), TIMER),
        _array(_pointer(table[4]), (0,), FRAME),
        _array(_pointer(table[5]), (0,), ARRIVAL),
        _array(_pointer(table[6]), (0,), _INTEGER),
        _array(_pointer(table[7]), (0,), WAKE),
        _array(_pointer(table[8]), (0,), WAKE_ENTRY),
        _array(_pointer(table[9]), (0,), _INTEGER),
        _array(_pointer(table[10]), (0,), _REAL),
        _array(_pointer(table[11]), (0, KINDS, TRAFFIC_COLUMNS), _INTEGER),
        _array(_pointer(table[12]), (table[COUNT + 12],), _INTEGER),
        _array(_pointer(table[13]), (0,), _INTEGER),
        _array(_pointer(table[14]), (table[COUNT + 14],), _REAL),
        _array(_pointer(table[15]), (0,), CONTACT_LIST),
        _array(_pointer(table[16]), (0,), CONTACT),
        _array(_pointer(table[17]), (0,), _INTEGER),
        _array(_pointer(table[18]), (0,), _REAL),
        _array(_pointer(table[19]), (0,), _REAL),
        _array(_pointer(table[20]), (0,), _REAL),
    )
