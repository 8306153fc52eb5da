"""A protocol whose messages break the promises of messages: they stand in a file of their own, since a protocol's
messages are found by looking through its module."""

from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar

from broken_protocols import Sound

from roamcast.core.messages import Message


class Changeable(Message):
    """A message that anyone can change."""

    kind: ClassVar[str] = "changeable"

    def __setattr__(self, name: str, value: Any) -> None:
        """Change it."""
        object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class HoldsLock(Message):
    """A message of which no other can be made."""

    kind: ClassVar[str] = "lock"
    lock: type[Lock]


@dataclass(frozen=True, slots=True)
class Uncounted(Message):
    """A message that has no word under which it is counted."""


class HasBrokenMessages(Sound):
    """Knows messages that are not values."""
