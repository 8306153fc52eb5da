"""Messages that a hostile or broken peer could send: any type of message, with any contents that its fields allow.

Contents are drawn by the types of the fields: plausible values, so that messages refer to the same nodes and events,
and absurd ones. Everything comes from one seeded ``Random``, so the same seed gives the same messages.
"""

from collections.abc import Callable, Sequence
from math import inf, nan
from random import Random
from types import NoneType
from typing import Any, TypeVar

from roamcast.core.attributes import ATTRIBUTES_MAX, TEXT_LENGTH_MAX, Attributes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.core.predicates import ANYTHING, NOTHING, Predicate, parse
from roamcast.core.topics import Topic
from roamcast.testing.field_types import UnknownFieldTypeError, alternatives, choices, container, field_types, plain
from roamcast.testing.message_types import message_kinds

T = TypeVar("T")

TOPICS = (".", "news", "news.local", "news.local.sports", "traffic")
NODES = tuple(range(6))
TIMES_S = (0.0, 0.5, 1.0, 2.5, 10.0, 100.0)
HUGE = 300
"""How often the items of an overlong list are repeated: more interests than a neighbour may state."""
DEPTH_MAX = 4
"""How deep messages may be packed into messages."""
TRIES_MAX = 50
"""How often to draw again when a message's own class refuses its contents."""
ODD_INTEGERS = (-1, 0, 1, 16, 50, 255, 400, 2**15, 2**16, 2**31 - 1, 2**32 - 1, 2**63, -(2**63), 2**64, 10**30)
ODD_FLOATS = (nan, inf, -inf, -0.0, -1.0, 5e-324, 1e-9, 1 / 3, 2.0**53 + 2, 1e16, 1e300, -1e300)
TEXTS = ("", "news", "x", "\0", "é", "\ud800", "..", "a" * 1000)
PREDICATES: dict[str, Predicate] = {
    "anything": ANYTHING,
    "nothing": NOTHING,
    "a topic": parse('topic = "news.local"'),
    "all other topics": parse('topic != "news" and topic != "traffic"'),
    "a number": parse("x < 1"),
    "another number": parse('topic = "news" and x != 0 or x missing'),
    "a text": parse('x starts with "a" or y present'),
    "many alternatives": parse(" or ".join(f"(x = {number} and y{number} present)" for number in range(128))),
    "many values": parse(f"x in {{{', '.join(map(str, range(512)))}}}"),
    "many attributes": parse(" and ".join(f"y{number} missing" for number in range(512))),
    "many topics": parse(" and ".join(f'topic != "news.t{number}"' for number in range(512))),
    "long texts": parse(" and ".join(f'x != "{number:0255}"' for number in range(512))),
}
"""Ordinary predicates, and the largest of each kind that can be made."""
ATTRIBUTES: dict[str, Attributes] = {
    "none": Attributes(),
    "a number": Attributes({"x": 0.5}),
    "a truth value": Attributes({"x": True, "y": 0}),
    "a text": Attributes({"x": "abc"}),
    "many": Attributes({f"y{number}": number for number in range(ATTRIBUTES_MAX)}),
    "long": Attributes({"x": "a" * TEXT_LENGTH_MAX}),
}
"""Attributes of events, chosen so that some of the predicates match some of them."""


class RefusedContentsError(ValueError):
    """Say that a type refused all contents that were drawn for it."""


class HostileMessages:
    """An endless supply of messages, drawn from a seeded random source."""

    def __init__(self, random: Random, kinds: Sequence[type[Message]] = (), own: Sequence[type[Message]] = ()) -> None:
        """Draw from ``kinds``, by default from all that protocols know; every other message is one of ``own``."""
        self._random = random
        self._kinds = kinds or message_kinds()
        self._own = own or self._kinds
        self._depth = 0
        self._events: list[Event] = []
        """The events drawn so far: some come again, as they were or under the same name with other contents."""
        self._leaves: dict[Any, Callable[[], Any]] = {
            int: self.integer,
            float: self.time_s,
            str: lambda: self._one_of(TEXTS),
            bytes: lambda: self._one_of(TEXTS).encode("utf-8", "surrogatepass"),
            NoneType: lambda: None,
            Topic: self.topic,
            Position: self._position,
            EventId: self._identifier,
            Event: self._event,
            Attributes: lambda: self._one_of(tuple(ATTRIBUTES.values())),
            Interest: self.interest,
            TopicInterest: lambda: TopicInterest(self.topic()),
            Predicate: lambda: self._one_of(tuple(PREDICATES.values())),
            Message: self.message,
        }

    def message(self) -> Message:
        """Return a message of any type with any contents."""
        if self._depth >= DEPTH_MAX:
            return Message(self.integer())
        kind = self._one_of(self._own if self._chance(0.5) else self._kinds)
        try:
            made: Message = Message(self.integer()) if kind is Message else self.value(kind)
        except RefusedContentsError:
            return Message(self.integer())
        return made

    def value(self, hint: Any) -> Any:
        """Return a value of a type."""
        hint = plain(hint)
        if hint in self._leaves:
            return self._leaves[hint]()
        if few := choices(hint):
            return self._one_of(few)
        if types := alternatives(hint):
            return self.value(self._one_of(types))
        if (collection := container(hint)) is not None:
            return self._collection(*collection)
        if (types_of_fields := field_types(hint)) is not None:
            return self._record(hint, types_of_fields)
        raise UnknownFieldTypeError(hint)

    def sender(self) -> int:
        """Return the identifier that a frame claims to come from."""
        return self._one_of(NODES) if self._chance(0.5) else self.integer()

    def interest(self) -> Interest:
        """Return an interest in one of the topics, or in what events say."""
        if self._chance(0.5):
            return TopicInterest(self.topic())
        return self._one_of(tuple(PREDICATES.values()))

    def topic(self) -> Topic:
        """Return one of a few topics."""
        return Topic(self._one_of(TOPICS))

    def integer(self) -> int:
        """Return a small number, or one at which counters and sizes overflow."""
        if self._chance(0.5):
            return self._one_of((0, 1, 16, 50, 400))
        return self._one_of(ODD_INTEGERS) if self._chance(0.5) else self._random.randint(-100, 1000)

    def time_s(self) -> float:
        """Return a plausible number of seconds, or anything else that a float can be."""
        if self._chance(0.5):
            return self._one_of(TIMES_S)
        return self._one_of(ODD_FLOATS) if self._chance(0.7) else self._random.uniform(-1000.0, 1000.0)

    def _collection(self, make: type[Any], items: tuple[Any, ...], of_any_length: bool) -> Any:
        if not of_any_length:
            return make(self.value(item) for item in items)
        if self._chance(0.75):
            return make([self.value(items[0]) for _ in range(self._random.randint(0, 5))])
        return make([self.value(items[0]) for _ in range(self._random.randint(1, 2))] * HUGE)

    def _record(self, kind: Any, hints: dict[str, Any]) -> Any:
        self._depth += 1
        try:
            for _ in range(TRIES_MAX):
                contents = {name: self.value(hint) for name, hint in hints.items()}
                try:
                    return kind(**contents)
                except (ValueError, TypeError, ArithmeticError):  # the class itself refuses, so no peer can send this
                    continue
            raise RefusedContentsError(f"{kind.__qualname__} rejects every value that is put into it")
        finally:
            self._depth -= 1

    def _identifier(self) -> EventId:
        if self._events and self._chance(0.25):
            return self._one_of(self._events).id
        if self._chance(0.75):
            return self._new_identifier()
        return EventId(self.integer(), self.integer())

    def _event(self) -> Event:
        if self._events and self._chance(0.25):
            return self._one_of(self._events)
        identifier = self._one_of(self._events).id if self._events and self._chance(0.1) else self._new_identifier()
        attributes = self._one_of(tuple(ATTRIBUTES.values()))
        if self._chance(0.5):
            event = Event(identifier, self.topic(), 0.0, self._one_of(TIMES_S), 400, attributes)
        else:
            event = Event(identifier, self.topic(), self.time_s(), self.time_s(), self.integer(), attributes)
        self._events.append(event)
        return event

    def _new_identifier(self) -> EventId:
        return EventId(self._one_of(NODES), self._random.randint(0, 20))

    def _position(self) -> Position:
        x_m = self._one_of((0.0, 90.0, 500.0)) if self._chance(0.5) else self.time_s()
        return Position(x_m, self._random.uniform(0.0, 1000.0))

    def _one_of(self, values: Sequence[T]) -> T:
        return values[int(self._random.random() * len(values))]

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability
