"""Errors that a person can cause, each as one readable line.

A peer's mistakes are never exceptions: whatever a peer sends is dropped and counted (see ``Host.drop``).
"""

from collections.abc import Iterable


class UserError(Exception):
    """A person's mistake: its message says where it is, the value, and what was expected.

    The command line prints it as one line and exits with code 2, without a traceback.
    """


class InvalidValueError(UserError):
    """A wrong value: where it was found (file, table, key), the value, and what was expected instead."""

    def __init__(self, where: str, value: object, expected: str) -> None:
        super().__init__(f"{where} = {_format_value(value)}: {expected}")
        self.where = where
        self.value = value
        self.expected = expected


class UnknownNameError(UserError):
    """Name something that does not exist, with the names that do."""

    def __init__(self, what: str, name: str, known: Iterable[str], place: str = "") -> None:
        listed = ", ".join(sorted(known))
        super().__init__(f"{place + ': ' if place else ''}unknown {what} '{name}'; known: {listed}")


def one_line(text: str) -> str:
    """Return a text as one printable line, with line feeds and control characters escaped."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def _format_value(value: object) -> str:
    """Write a value as in a scenario file, shortened to fit on one line."""
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(_format_value(item) for item in value) + "]"
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "..."
