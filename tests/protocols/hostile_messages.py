"""Messages that a hostile or broken peer could send: every kind that is defined under ``roamcast.protocols``.

Kinds are found by looking through the modules, and their contents are drawn by the types of their fields, so a new
protocol's messages take part without being listed here.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

import roamcast.protocols
from roamcast.core.attributes import ATTRIBUTES_MAX, TEXT_LENGTH_MAX, Attributes
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.interests import Interest, TopicInterest
from roamcast.core.messages import Message
from roamcast.core.plugins import plugin_files
from roamcast.core.predicates import ANYTHING, NOTHING, Predicate, compare, parse
from roamcast.core.topics import Topic

TOPICS = (".", "news", "news.local", "news.local.sports", "traffic")
NODES = tuple(range(6))
TIMES_S = (0.0, 0.5, 1.0, 2.5, 10.0, 100.0)
HUGE = 300
"""Items in an overlong list: more interests than a neighbour may state."""
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
"""Predicates as they are asked for, and the largest ones of each kind that can be made."""
ATTRIBUTES: dict[str, Attributes] = {
    "none": Attributes(),
    "a number": Attributes({"x": 0.5}),
    "a truth value": Attributes({"x": True, "y": 0}),
    "a text": Attributes({"x": "abc"}),
    "many": Attributes({f"y{number}": number for number in range(ATTRIBUTES_MAX)}),
    "long": Attributes({"x": "a" * TEXT_LENGTH_MAX}),
}
"""What events say, so that some of these predicates match some of them."""


@cache
def message_kinds() -> tuple[type[Message], ...]:
    """Return every type of message that a protocol defines, and the bare message that none understands."""
    names = [each.name for each in pkgutil.walk_packages(roamcast.protocols.__path__, "roamcast.protocols.")]
    members = [vars(importlib.import_module(name)).values() for name in names]
    members += [vars(file.module()).values() for file in plugin_files()]
    kinds = {each for found in members for each in found if isinstance(each, type) and issubclass(each, Message)}
    return tuple(sorted(kinds | {Message}, key=lambda kind: (kind.__module__, kind.__name__)))


# --- anything that the types allow ----------------------------------------------------------------------------


def messages() -> st.SearchStrategy[Message]:
    """Draw a message of any kind with any contents."""
    return st.one_of([anything(kind) for kind in message_kinds()])


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Draw a value of a type: plausible ones, so that they meet, and absurd ones."""
    if hint in _LEAVES:
        return _LEAVES[hint]
    if get_origin(hint) in (Union, UnionType):
        return st.one_of([anything(each) for each in get_args(hint)])
    if get_origin(hint) in (tuple, frozenset):
        kinds = get_args(hint)
        if get_origin(hint) is tuple and kinds[-1] is not Ellipsis:
            return st.tuples(*(anything(kind) for kind in kinds))
        few = st.lists(anything(kinds[0]), max_size=5)
        many = st.lists(anything(kinds[0]), min_size=1, max_size=2).map(lambda some: some * HUGE)
        return st.one_of(few, few, few, many).map(get_origin(hint))
    if is_dataclass(hint):
        kind: Any = hint
        hints = get_type_hints(kind)
        return st.builds(kind, **{each.name: anything(hints[each.name]) for each in fields(kind) if each.init})
    return st.from_type(hint)


_integers = st.one_of(st.sampled_from((0, 1, 16, 50, 400)), st.integers())
_times_s = st.one_of(st.sampled_from(TIMES_S), st.floats())
_identifiers = st.builds(EventId, st.sampled_from(NODES), st.integers(min_value=0, max_value=20))
_topics = st.sampled_from(TOPICS).map(Topic)
_attributes = st.sampled_from(sorted(ATTRIBUTES)).map(ATTRIBUTES.__getitem__)
_predicates = st.sampled_from(sorted(PREDICATES)).map(PREDICATES.__getitem__)
_sound_events = st.builds(
    Event, _identifiers, _topics, st.just(0.0), st.sampled_from(TIMES_S), st.just(400), _attributes
)
_absurd_events = st.builds(Event, _identifiers, _topics, _times_s, _times_s, _integers, _attributes)
interests = st.one_of(_topics.map(TopicInterest), _predicates)
"""Interests in one of the topics, or in what events say."""

_LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    int: _integers,
    float: _times_s,
    NoneType: st.none(),
    Topic: _topics,
    Position: st.builds(Position, st.sampled_from((0.0, 90.0, 500.0)) | st.floats(), st.floats(0.0, 1000.0)),
    EventId: st.one_of(_identifiers, st.builds(EventId, st.integers(), st.integers())),
    Event: st.one_of(_sound_events, _absurd_events),
    Attributes: _attributes,
    Interest: interests,
    Predicate: _predicates,
}


# --- an endless supply of what has never been seen before ---------------------------------------------------------


def flood(numbers: Iterator[int]) -> Iterator[Message]:
    """Yield one sound message of each kind, everything in it new."""
    for kind in message_kinds():
        yield fresh(kind, numbers)


def fresh(hint: Any, numbers: Iterator[int]) -> Any:
    """Return a sound value of a type that was never returned before, as far as the type allows."""
    if hint is Event:
        return Event(fresh(EventId, numbers), Topic("news"), 0.0, 1e5, 400, Attributes({"x": next(numbers)}))
    if hint is EventId:
        return EventId(next(numbers), next(numbers))
    if hint in (Interest, Predicate):
        return compare("topic", "=", "news") & compare("x", "!=", next(numbers))
    if hint is Attributes:
        return Attributes({"x": next(numbers)})
    if hint is Position:
        return Position(next(numbers) % 1000, next(numbers) % 1000)
    if hint is Topic:
        return Topic(f"t{next(numbers)}")
    if hint in (int, float, str, bool):
        return hint(next(numbers))
    if get_origin(hint) in (Union, UnionType):
        return fresh(next(each for each in get_args(hint) if each is not NoneType), numbers)
    if get_origin(hint) in (tuple, frozenset):
        kinds = get_args(hint)
        several = kinds[:1] * 3 if kinds[-1] is Ellipsis or get_origin(hint) is frozenset else kinds
        container: Any = get_origin(hint)
        return container(fresh(kind, numbers) for kind in several)
    if is_dataclass(hint):
        made: Any = hint
        hints = get_type_hints(made)
        drawn = {each.name: fresh(hints[each.name], numbers) for each in fields(made) if each.init}
        if "size_bytes" in drawn:
            drawn["size_bytes"] = 400  # or else sizes grow and grow
        return made(**drawn)
    raise TypeError(f"hostile_messages.fresh does not know how to make a {hint}; teach it")
