"""Checks of what a protocol says about itself: its summary, its parameters and its messages."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from math import isfinite
from typing import Any

from roamcast.core.host import PubSub
from roamcast.core.messages import Message
from roamcast.testing.conformance.makeable_messages import refusal
from roamcast.testing.conformance.protocol_check import Violation, crash_text, shortened
from roamcast.testing.message_flood import fresh
from roamcast.testing.message_types import own_message_kinds


def check_describes_itself(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield what is wrong with the summary and the parameters."""
    summary: object = getattr(protocol, "summary", None)
    if not isinstance(summary, str) or not summary.strip() or "\n" in summary:
        yield Violation("summary must be one line of text", f"{protocol.__name__}.summary = {shortened(repr(summary))}")
    parameters: Any = protocol.Parameters
    case = f"{protocol.__name__}.Parameters"
    if not is_dataclass(parameters) or not _is_frozen(parameters):
        yield Violation("Parameters must be a frozen dataclass", case)
    try:
        parameters()
    except Exception as error:  # noqa: BLE001 - a stranger's class may raise anything
        yield Violation(f"each parameter must have a default, but {crash_text(error, protocol)}", case)


def check_messages_are_values(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield the message types that can be changed, cannot be compared, or are not counted under a name of their own."""
    for kind in own_message_kinds(protocol):
        error = refusal(kind)
        wrong = crash_text(error, protocol) if error is not None else _wrong_with(kind)
        if wrong:
            yield Violation(wrong, f"message type {kind.__name__}")


def _wrong_with(kind: type[Message]) -> str:
    """Return what is wrong with a message type that can be made; empty if nothing is."""
    message: Message = fresh(kind, iter(range(10_000)))
    same: Message = fresh(kind, iter(range(10_000)))
    if message != same:
        return "two messages with the same contents are not equal"
    try:
        if hash(message) != hash(same):
            return "two equal messages have different hashes"
    except TypeError as error:
        return f"cannot be hashed: {error}"
    try:
        message.size_bytes = 1  # type: ignore[misc]
    except (AttributeError, TypeError):
        pass
    else:
        return "can be changed; it must be a frozen dataclass"
    if not isfinite(message.size_bytes):
        return f"size_bytes is {message.size_bytes}"
    if not kind.kind or kind.kind == Message.kind:
        return f"kind is {kind.kind!r}; traffic must be counted under a name of its own"
    return ""


def _is_frozen(dataclass: Any) -> bool:
    return bool(dataclass.__dataclass_params__.frozen)
