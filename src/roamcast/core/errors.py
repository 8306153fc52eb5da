"""The errors that a person can cause, as one readable line each.

A peer's mistakes are never exceptions: what a peer sent is dropped and counted (see ``Host.drop``).
"""

from collections.abc import Iterable


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
    """Name something that does not exist, with the closest name and all the names that do."""

    def __init__(self, what: str, name: str, known: Iterable[str], place: str = "") -> None:
        names = sorted(known, key=_in_order)
        listed = f"{suggestion(name, names)}known: {', '.join(names)}" if names else "there is none"
        super().__init__(f"{place + ': ' if place else ''}unknown {what} '{name}'; {listed}")


class NameClashError(UserError):
    """Say that several sources have a component of one name."""

    def __init__(self, what: str, name: str, sources: Iterable[str], place: str = "") -> None:
        listed = " and ".join(sources)
        there = f"{place}: " if place else ""
        super().__init__(f"{there}{what} '{name}' is there more than once: {listed}; rename or remove all but one")


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
