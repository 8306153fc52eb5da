"""The medium's arrays as compiled code finds them by their addresses."""

from typing import Any

import numpy as np
import pytest

from roamcast.sim.dcf.memory import DTYPES, HAVE_LENGTH, Memory, arrays_at
from roamcast.sim.dcf.records import KINDS, TRAFFIC_COLUMNS, Arrays


def arrays(**changed: Any) -> Arrays:
    """Return an array of each kind, each with another length."""
    made = {name: np.zeros(3 + index, dtype) for index, (name, dtype) in enumerate(DTYPES._asdict().items())}
    made["traffic"] = np.zeros((5, KINDS, TRAFFIC_COLUMNS), np.int64)
    return Arrays(**(made | changed))


def test_compiled_code_finds_each_array_and_the_lengths_that_it_asks_for() -> None:
    given = arrays()
    memory = Memory(given)
    for name, found, expected in zip(Arrays._fields, arrays_at(memory.address), given, strict=True):
        length = len(expected) if name in HAVE_LENGTH else 0
        assert (found.shape, found.dtype) == ((length, *expected.shape[1:]), expected.dtype), name
        assert found.ctypes.data == expected.ctypes.data, name


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"x_m": np.zeros(3, np.float32)}, "x_m: float32, must be float64"),
        ({"heap": np.zeros(6, np.int64)[::2]}, "heap: int64, must be int64, in one piece and aligned"),
        ({"traffic": np.zeros((5, 2, 2), np.int64)}, r"traffic: \(5, 2, 2\), must be \(nodes, 19, 6\)"),
    ],
)
def test_an_array_that_compiled_code_would_misread_is_refused(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Memory(arrays(**changed))
