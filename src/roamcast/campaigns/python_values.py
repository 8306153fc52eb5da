"""Values that a Python program hands over, as a scenario file would hold them."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any


def as_written(value: Any) -> Any:
    """Return a copy of a value in which tuples and arrays are lists, NumPy's numbers are Python's, paths are texts."""
    if isinstance(value, Mapping):
        return {key: as_written(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_written(item) for item in value]
    if isinstance(value, PurePath):
        return str(value)
    to_list = getattr(value, "tolist", None)  # NumPy's arrays and numbers, pandas' columns
    return value if to_list is None else to_list()
