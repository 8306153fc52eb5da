"""Values that a Python program hands over, as a scenario file would hold them.

Whatever else it hands over is a person's mistake: one line, and not an error from deep inside.
"""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from roamcast.core.errors import InvalidValueError


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


def written_table(value: Any, where: str) -> dict[str, Any]:
    """Return a table ``as_written``, if it is one and all keys in it are texts; ``where`` names it in errors."""
    if not isinstance(value, Mapping):
        raise InvalidValueError(where, value, "must be a dictionary")
    for key, item in value.items():
        if not isinstance(key, str):
            raise InvalidValueError(where, key, "must have texts as keys")
        if isinstance(item, Mapping):
            written_table(item, f"{where} {key}")
    return {key: as_written(item) for key, item in value.items()}


def as_path(value: Any, where: str, expected: str = "must be a path") -> Path:
    """Return a path that was given as one or as a text; ``where`` names it in errors."""
    given = value.__fspath__() if isinstance(value, os.PathLike) else value
    if not isinstance(given, str):
        raise InvalidValueError(where, value, expected)
    return Path(given)
