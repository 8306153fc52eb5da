"""Files that are either there and whole or not there."""

import os
import re
import uuid
from pathlib import Path

from roamcast.core.errors import InvalidValueError, UserError

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def checked_name(name: str) -> str:
    """Return a figure's name if it can be part of a file's name and of a link."""
    if not _FILE_NAME.fullmatch(name):
        raise InvalidValueError(
            "figure name", name, "must be letters, digits, '.', '_' and '-', a letter or digit first"
        )
    return name


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name and rename it, making its folder if need be."""
    making = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            making.write_bytes(content)
            making.replace(path)
        finally:
            making.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})") from None
