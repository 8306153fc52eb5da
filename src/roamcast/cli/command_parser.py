"""The parser of a command's arguments: mistakes are one line, with the closest known name."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from roamcast.cli.output import say
from roamcast.core.errors import UserError, suggestion


def with_help(message: str, hint: str, program: str) -> str:
    """Return a message with the name that was probably meant, if any, and where to find help."""
    return f"{message}; {hint}see {program} --help"


class CommandParser(argparse.ArgumentParser):
    """A parser that raises ``UserError`` for a mistake and prints help as everything else is printed."""

    def error(self, message: str) -> NoReturn:
        """Raise the message, with where to find help."""
        raise UserError(with_help(message, "", self.prog))

    def parse_known_args(  # type: ignore[override]  # argparse has overloads for other kinds of namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments and refuse those that nobody knows, here where it is known which options there are."""
        found, rest = super().parse_known_args(args, namespace)
        for word in rest:
            option = word.partition("=")[0]
            if option.startswith("-"):
                raise UserError(with_help(f"unknown option {option}", suggestion(option, self._options()), self.prog))
        if rest:
            self.error(f"unexpected argument '{rest[0]}'")
        return found, []

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is none of an argument's choices; argparse has no public place for this."""
        known = [str(choice) for choice in action.choices or ()]
        if known and value not in known:
            message = f"unknown word '{value}'; {suggestion(str(value), known)}known: {', '.join(known)}"
            raise argparse.ArgumentError(action, message)

    def _options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings if name.startswith("--")]

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002 - errors are never printed here
        say(message, end="")
