"""Topics in a hierarchy, as in the Frugal paper, section 2: ``grenoble.conferences.middleware``.

A topic covers itself and everything below it; the root, written ``.``, covers every topic.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
LENGTH_MAX = 255
"""The longest topic in characters, so that a peer cannot make us store more."""


class InvalidTopicError(ValueError):
    """A text that is not a topic."""


@dataclass(frozen=True, slots=True, order=True)
class Topic:
    """A node in the topic tree."""

    path: str
    """The segments from the top joined by dots; ``.`` is the root."""

    _prefix: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.path != ".":
            if len(self.path) > LENGTH_MAX:
                raise InvalidTopicError(f"a topic has at most {LENGTH_MAX} characters")
            if not all(SEGMENT.fullmatch(segment) for segment in self.path.split(".")):
                raise InvalidTopicError(
                    f"'{self.path}' is not a topic: segments of letters, digits, '_' and '-' joined by dots, or '.'"
                )
        object.__setattr__(self, "_prefix", "" if self.path == "." else self.path + ".")

    @classmethod
    def root(cls) -> Self:
        """Return the topic above all others."""
        return cls(".")

    @property
    def parent(self) -> "Topic":
        """Return the topic one level up; the root is its own parent."""
        head, _, _ = self.path.rpartition(".")
        return Topic(head or ".")

    def to_root(self) -> Iterator[str]:
        """Yield the paths of this topic and of all that cover it, the root last."""
        path = self.path if self.path != "." else ""
        while path:
            yield path
            path = path.rpartition(".")[0]
        yield "."

    def covers(self, other: "Topic") -> bool:
        """Tell whether ``other`` is this topic or below it."""
        return self.path == other.path or other.path.startswith(self._prefix)

    def __str__(self) -> str:
        return self.path
