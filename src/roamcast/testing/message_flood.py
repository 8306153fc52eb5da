"""An endless supply of sound messages in which everything is new, to find tables that grow without a limit."""

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any

from roamcast.core.attributes import Attributes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.core.predicates import Predicate, compare
from roamcast.core.topics import Topic
from roamcast.testing.field_types import UnknownFieldTypeError, alternatives, choices, container, field_types, plain
from roamcast.testing.message_types import message_kinds

MESSAGE_BYTES = 400
"""The size of every message of a flood; sizes that grew with the numbers would soon be nonsense."""


def flood(numbers: Iterator[int], kinds: Sequence[type[Message]] = ()) -> Iterator[Message]:
    """Yield one sound message of each type, everything in it new; by default of all types that protocols know."""
    for kind in kinds or message_kinds():
        yield fresh(kind, numbers)


def fresh(hint: Any, numbers: Iterator[int]) -> Any:
    """Return a sound value of a type that was never returned before, as far as the type allows."""
    hint = plain(hint)
    if (value := _known(hint, numbers)) is not None:
        return value
    if few := choices(hint):
        return few[next(numbers) % len(few)]
    if types := alternatives(hint):
        return fresh(next(each for each in types if each is not NoneType), numbers)
    if (collection := container(hint)) is not None:
        make, items, of_any_length = collection
        return make(fresh(item, numbers) for item in (items[:1] * 3 if of_any_length else items))
    if (types_of_fields := field_types(hint)) is not None:
        contents = {name: fresh(each, numbers) for name, each in types_of_fields.items()}
        return hint(**({**contents, "size_bytes": MESSAGE_BYTES} if "size_bytes" in contents else contents))
    raise UnknownFieldTypeError(hint)


def _known(hint: Any, numbers: Iterator[int]) -> Any:
    """Return a new value of a type that has rules of its own; None for any other type."""
    if hint is Event:
        return Event(fresh(EventId, numbers), Topic("news"), 0.0, 1e5, 400, Attributes({"x": next(numbers)}))
    if hint is EventId:
        return EventId(next(numbers), next(numbers))
    if hint in (Interest, Predicate):
        return compare("topic", "=", "news") & compare("x", "!=", next(numbers))
    if hint is TopicInterest:
        return TopicInterest(Topic(f"news.t{next(numbers)}"))
    if hint is Attributes:
        return Attributes({"x": next(numbers)})
    if hint is Position:
        return Position(next(numbers) % 1000, next(numbers) % 1000)
    if hint is Topic:
        return Topic(f"t{next(numbers)}")
    if hint in (int, float, str):
        return hint(next(numbers))
    if hint is bytes:
        return str(next(numbers)).encode()
    return None
