"""Reading a scenario file into a plain document, with a one-line error for every way in which that can fail."""

import tomllib
from pathlib import Path
from typing import Any

from roamcast.core.errors import UserError

FILE_BYTES_MAX = 16_000_000
"""The largest scenario file; a script of 100,000 publications has about 8 MB."""


def read_document(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        # Windows editors put a byte order mark first, which TOML does not allow.
        text = _read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: must be a text file in UTF-8; byte {error.start} is not") from None
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise UserError(f"{path}: is not a scenario: lists or tables are nested too deeply") from None
    except ValueError as error:  # bad TOML, and a number with more digits than Python converts
        raise UserError(f"{path}: is not valid TOML: {' '.join(str(error).split())}") from None
    if has_huge_integer(document):
        raise UserError(f"{path}: has a whole number of more than 64 bits, which TOML does not allow")
    return document


def has_huge_integer(value: Any) -> bool:
    """Tell whether a value contains an integer of more than 64 bits, which Python cannot always print."""
    if isinstance(value, dict):
        return any(map(has_huge_integer, value.values()))
    if isinstance(value, list):
        return any(map(has_huge_integer, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; the path of a scenario file is needed") from None
    except IsADirectoryError:
        raise UserError(f"{path}: is a folder; the path of a scenario file is needed") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {(error.strerror or 'unknown reason').lower()}") from None
    if len(content) > FILE_BYTES_MAX:
        raise UserError(f"{path}: is too large; a scenario file has at most {FILE_BYTES_MAX:,} bytes")
    return content
