"""The tokens of a predicate's text, each with the position where it begins."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from roamcast.core.attributes import AttributeValue
from roamcast.core.predicates.comparisons import literal
from roamcast.core.predicates.limits import SOURCE_LENGTH_MAX
from roamcast.core.predicates.predicate_error import PredicateError

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<symbol><=|>=|!=|=|<|>|\(|\)|\{|\}|,)""",
    re.VERBOSE,
)
_DIGITS_MAX = 400
"""More digits than the largest number that is stored in 8 bytes."""


class Token(NamedTuple):
    """A word, a symbol, or a value."""

    kind: str
    """"word", "symbol", "value" or "end"."""
    text: str
    at: int
    """Its position in the text, in characters from 0."""
    value: AttributeValue = ""

    def is_(self, *texts: str) -> bool:
        """Tell whether this is one of the given words or symbols."""
        return self.kind in ("word", "symbol") and self.text in texts

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end"
        return self.text if self.kind == "value" and self.text.startswith('"') else f"'{self.text}'"


class Source:
    """The text of a predicate and where it was found, for error messages that point at a column."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    def error(self, what: str, at: int) -> PredicateError:
        """Return an error that points at a position."""
        return PredicateError(" ".join(what.split()), f"{self.where}, {self.column(at)}")

    def column(self, at: int) -> str:
        """Name a position by its column, counted from 1, and by its line if there are several."""
        head = self.text[:at]
        line, column = head.count("\n") + 1, at - (head.rfind("\n") + 1) + 1
        return f"line {line}, column {column}" if "\n" in self.text else f"column {column}"

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens, the last of which is the end."""
        if len(self.text) > SOURCE_LENGTH_MAX:
            raise self.error(f"a predicate has at most {SOURCE_LENGTH_MAX:,} characters", SOURCE_LENGTH_MAX)
        at = 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise self.error(self._unreadable(at), at)
            if found.lastgroup != "space":
                yield self._token(str(found.lastgroup), found.group(), at)
            at = found.end()
        yield Token("end", "", at)

    def _unreadable(self, at: int) -> str:
        character = self.text[at]
        if character == '"':
            return 'this text has no closing "'
        hint = "; texts must be in double quotes" if character == "'" else ""
        return f"cannot read {json.dumps(character)}{hint}"

    def _token(self, kind: str, text: str, at: int) -> Token:
        try:
            if kind == "text":
                return Token("value", text, at, literal(json.loads(text)))
            if kind == "number":
                return Token("value", text, at, _number(text))
        except json.JSONDecodeError as error:
            raise self.error("cannot read this character in a text; write it as in JSON", at + error.pos) from None
        except PredicateError as error:
            raise self.error(error.what, at) from None
        if kind == "word" and text in ("true", "false"):
            return Token("value", text, at, text == "true")
        return Token(kind, text, at)


def _number(text: str) -> AttributeValue:
    if len(text) > _DIGITS_MAX:
        raise PredicateError(f"a number has at most {_DIGITS_MAX} digits")
    return literal(int(text) if text.lstrip("+-").isdigit() else float(text))
