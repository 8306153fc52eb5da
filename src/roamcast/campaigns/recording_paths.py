"""Paths of recordings in a scenario file are relative to that file, so that both can be moved together."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TABLES = ("mobility", "radio")
_KEY = "path"


def with_paths_beside(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a document in which relative paths of recordings are resolved against a folder."""
    changed = dict(document)
    for name in _TABLES:
        table = document.get(name)
        if isinstance(table, Mapping):
            own = {key: _with_path(inner, folder) for key, inner in table.items() if isinstance(inner, Mapping)}
            changed[name] = {**_with_path(table, folder), **own}
    sweep = document.get("sweep")
    if isinstance(sweep, Mapping):
        changed["sweep"] = {key: _sweep_values(key, values, folder) for key, values in sweep.items()}
    return changed


def _with_path(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    path = table.get(_KEY)
    return {**table, _KEY: _beside(path, folder)} if isinstance(path, str) and path else dict(table)


def _sweep_values(key: str, values: Any, folder: Path) -> Any:
    """Return the values of a swept key; ``mobility.path`` may also be written as a nested table."""
    if isinstance(values, Mapping) and key in _TABLES:
        return {inner: _sweep_values(f"{key}.{inner}", nested, folder) for inner, nested in values.items()}
    if key.split(".")[0] in _TABLES and key.split(".")[-1] == _KEY and isinstance(values, list):
        return [_beside(path, folder) if isinstance(path, str) else path for path in values]
    return values


def _beside(path: str, folder: Path) -> str:
    return str((folder / path).absolute())
