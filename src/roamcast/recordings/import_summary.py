"""The keys that the summary of an import (``movement.json``, ``contacts.json``) must have, and their types."""

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

from roamcast.core.errors import UserError

LAYOUT = 1
"""The version of the layout."""
MOVEMENT, CONTACTS = "movement", "contacts"


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _are_bounds(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[0] <= value[1]


_Kind = tuple[Callable[[Any], bool], str]
_COUNT: _Kind = (_is_count, "a whole number from 0")
_NUMBER: _Kind = (_is_number, "a number")
_POSITIVE: _Kind = (_is_positive, "a number above 0")
_BOUNDS: _Kind = (_are_bounds, "two numbers in order")
_TRUTH: _Kind = (lambda value: isinstance(value, bool), "true or false")
_TEXTS: _Kind = (
    lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "a list of texts",
)

_NEEDED: dict[str, dict[str, _Kind]] = {
    MOVEMENT: {
        "nodes": _COUNT,
        "rows": _COUNT,
        "windows": _COUNT,
        "window_s": _POSITIVE,
        "windows_from_s": _NUMBER,
        "first_s": _NUMBER,
        "last_s": _NUMBER,
        "step_s": _POSITIVE,
        "x_m": _BOUNDS,
        "y_m": _BOUNDS,
        "are_waypoints": _TRUTH,
    },
    CONTACTS: {"nodes": _COUNT, "windows": _COUNT, "first_s": _NUMBER, "last_s": _NUMBER},
}
"""The keys that a summary must have."""
_KNOWN: dict[str, _Kind] = {"recorded_s": _BOUNDS, "broken": _COUNT, "examples": _TEXTS}
"""Optional keys that are read."""


def check_summary(file: Path, kind: str, summary: Any) -> None:
    """Raise an error if a summary was not written by an import of this version."""
    if not isinstance(summary, dict) or summary.get("layout") != LAYOUT:
        raise UserError(f"{file}: was made by another version; import it again")
    for key, (is_right, expected) in {**_KNOWN, **_NEEDED[kind]}.items():
        if key not in summary and key in _KNOWN:
            continue
        if key not in summary:
            raise UserError(f"{file}: has no {key}; import it again")
        if not is_right(summary[key]):
            raise UserError(f"{file}: {key} = {str(summary[key])[:40]}: must be {expected}; import it again")
