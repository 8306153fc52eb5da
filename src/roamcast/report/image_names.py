"""Names of pictures: what may stand in a file name and in a link."""

import re

from roamcast.core.errors import InvalidValueError

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def checked_name(name: str) -> str:
    """Return a figure's name if it can be part of a file's name and of a link."""
    if not _FILE_NAME.fullmatch(name):
        raise InvalidValueError(
            "figure name", name, "must be letters, digits, '.', '_' and '-', a letter or digit first"
        )
    return name
