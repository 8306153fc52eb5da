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
    """Name something that does not exist, with the closest name and all the names that do."""

    def __init__(self, what: str, name: str, known: Iterable[str], where: str = "") -> None:
        names = sorted(known, key=_in_order)
        listed = f"{suggestion(name, names)}known: {', '.join(names)}" if names else "there are none"
        super().__init__(f"{where + ': ' if where else ''}unknown {what} '{name}'; {listed}")


class NameClashError(UserError):
    """Say that several sources have a component of one name."""

    def __init__(self, what: str, name: str, sources: Iterable[str], where: str = "") -> None:
        listed = " and ".join(sources)
        there = f"{where}: " if where else ""
        super().__init__(f"{there}{what} '{name}' is defined more than once: {listed}; rename or remove all but one")


class PluginError(UserError):
    """Say in one line why a plug-in cannot be used: its file and line, or its package, and the reason."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'gossip'? `` for the known name that is closest to a mistyped one; empty if none is."""
    from difflib import get_close_matches  # here: only mistakes need it

    found = [] if name.isdecimal() else get_close_matches(name, list(known), n=1)  # a number is near any other
    return f"did you mean '{found[0]}'? " if found else ""


def _in_order(name: str) -> tuple[bool, int, str]:
    """Sort names by the alphabet, after numbers by their size."""
    return (False, int(name), "") if name.isdecimal() else (True, 0, name)


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
