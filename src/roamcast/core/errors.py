"""The errors that a person can cause, as one readable line each.

A peer's mistakes are never exceptions: what a peer sent is dropped and counted (see ``Host.drop``).
"""

from collections.abc import Iterable, Sequence


class UserError(Exception):
    """Say what a person asked for that cannot be done: the place, the value and what was expected.

    The command line prints it as one line and leaves with exit code 2, without a traceback.
    """


class InvalidValueError(UserError):
    """Name a key, the value that was found there and what was expected instead."""

    def __init__(self, place: str, value: object, expected: str) -> None:
        super().__init__(f"{place} = {_shown(value)}: {expected}")
        self.place = place
        self.value = value
        self.expected = expected


class UnknownNameError(UserError):
    """Name something that does not exist, with the names that do and the one that was probably meant."""

    def __init__(self, what: str, name: str, known: Iterable[str], place: str = "") -> None:
        known = sorted(known)
        listed = ", ".join(known)
        here = f"{place}: " if place else ""
        super().__init__(f"{here}unknown {what} '{name}'; known: {listed}{suggestion(name, known)}")


def suggestion(name: str, known: Sequence[str]) -> str:
    """Return ``; did you mean ...?`` with the known name that is most like an unknown one; empty if none is."""
    from difflib import get_close_matches  # here: only mistakes need it

    found = get_close_matches(name, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""


def one_line(text: str) -> str:
    """Return a text as one line that a screen can show: line feeds and control characters are written as escapes."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def _shown(value: object) -> str:
    """Show a value as it stands in a scenario file, shortened to stay on one line."""
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(_shown(item) for item in value) + "]"
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "..."
