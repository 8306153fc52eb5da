"""Paths of recordings in a scenario file: taken from where the file is, so that both can be moved together."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TABLES = ("mobility", "radio")
_KEY = "path"


def with_paths_beside(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a document in which relative paths of recordings are taken from a folder."""
    changed = dict(document)
    for name in _TABLES:
        table = document.get(name)
        if isinstance(table, Mapping):
            own = {key: _placed(each, folder) for key, each in table.items() if isinstance(each, Mapping)}
            changed[name] = {**_placed(table, folder), **own}
    sweep = document.get("sweep")
    if isinstance(sweep, Mapping):
        changed["sweep"] = {key: _swept(key, values, folder) for key, values in sweep.items()}
    return changed


def _placed(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    path = table.get(_KEY)
    return {**table, _KEY: _beside(path, folder)} if isinstance(path, str) and path else dict(table)


def _swept(key: str, values: Any, folder: Path) -> Any:
    """Return the values of a swept key; ``mobility.path`` may also be written as a table in the table."""
    if isinstance(values, Mapping) and key in _TABLES:
        return {inner: _swept(f"{key}.{inner}", each, folder) for inner, each in values.items()}
    if key.split(".")[0] in _TABLES and key.split(".")[-1] == _KEY and isinstance(values, list):
        return [_beside(each, folder) if isinstance(each, str) else each for each in values]
    return values


def _beside(path: str, folder: Path) -> str:
    return str((folder / path).absolute())
