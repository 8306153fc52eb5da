"""An endless supply of sound messages in which everything is new, to find tables that grow without a limit."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
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
    return _maker(hint)(numbers)


@cache
def _maker(hint: Any) -> Callable[[Iterator[int]], Any]:
    """Return the function that makes values of a type; taking a type apart takes longer than making a value."""
    hint = plain(hint)
    if hint in _MAKERS:
        return _MAKERS[hint]
    if few := choices(hint):
        return lambda numbers: few[next(numbers) % len(few)]
    if types := alternatives(hint):
        return _maker(next(each for each in types if each is not NoneType))
    if (collection := container(hint)) is not None:
        make, items, of_any_length = collection
        makers = [_maker(item) for item in (items[:1] * 3 if of_any_length else items)]
        return lambda numbers: make(maker(numbers) for maker in makers)
    if (types_of_fields := field_types(hint)) is not None:
        by_field = {name: _maker(each) for name, each in types_of_fields.items()}
        if "size_bytes" in by_field:
            by_field["size_bytes"] = lambda _: MESSAGE_BYTES
        return lambda numbers: hint(**{name: maker(numbers) for name, maker in by_field.items()})
    raise UnknownFieldTypeError(hint)


def _event(numbers: Iterator[int]) -> Event:
    return Event(_event_id(numbers), Topic("news"), 0.0, 1e5, 400, Attributes({"x": next(numbers)}))


def _event_id(numbers: Iterator[int]) -> EventId:
    return EventId(next(numbers), next(numbers))


_NEWS = compare("topic", "=", "news")


def _predicate(numbers: Iterator[int]) -> Predicate:
    return _NEWS & compare("x", "!=", next(numbers))


_MAKERS: dict[Any, Callable[[Iterator[int]], Any]] = {
    Event: _event,
    EventId: _event_id,
    Interest: _predicate,
    Predicate: _predicate,
    TopicInterest: lambda numbers: TopicInterest(Topic(f"news.t{next(numbers)}")),
    Attributes: lambda numbers: Attributes({"x": next(numbers)}),
    Position: lambda numbers: Position(next(numbers) % 1000, next(numbers) % 1000),
    Topic: lambda numbers: Topic(f"t{next(numbers)}"),
    int: next,
    float: lambda numbers: float(next(numbers)),
    str: lambda numbers: str(next(numbers)),
    bytes: lambda numbers: str(next(numbers)).encode(),
}
"""Types with rules of their own."""
