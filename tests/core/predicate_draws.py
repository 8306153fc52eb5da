"""Predicates and events of a small world, in which everything that can make a difference is tried.

A predicate is drawn as a tree of its own kind, written down as text, and judged by a plain evaluator that knows
nothing of the implementation. ``EVENTS`` has every combination of topics and of values that are on or between those
that a drawn predicate can name, so that two of them mean the same exactly if they match the same of these.
"""

import json
from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from roamcast.core.attributes import Attributes
from roamcast.core.events import Event, EventId
from roamcast.core.predicates import PredicateError, parse
from roamcast.core.topics import Topic

NUMBERS = (-1.5, 0, 2, 5)
TEXTS = ("", "a", "ab", "b", "\U0010ffff")
"""The values that the attribute x is compared with."""
FEW_NUMBERS = (0, 2)
"""The values that the attribute y is compared with."""
TOPICS = ("a", "a.b", "a.c", "ab")
_BETWEEN_NUMBERS = (-2, -1, 1, 3.5, 6)
_BETWEEN_TEXTS = ("\0", "a\0", "ab\0", "ac", "b\0", "c", "\U0010ffff\0")
_X_VALUES = (None, True, False, *NUMBERS, *_BETWEEN_NUMBERS, *TEXTS, *_BETWEEN_TEXTS)
_Y_VALUES = (None, True, False, -1, *FEW_NUMBERS, 1, 3, "a")
"""None: the event does not have the attribute."""


class Compare(NamedTuple):
    """A comparison, as it is written."""

    name: str
    operator: str
    values: tuple[Any, ...] = ()


class Both(NamedTuple):
    """Two that must hold."""

    one: Any
    other: Any


class Either(NamedTuple):
    """Two of which one must hold."""

    one: Any
    other: Any


Tree = Compare | Both | Either


def event(topic: str = "a", **values: Any) -> Event:
    """Return an event with attributes; None leaves one out."""
    said = {name: value for name, value in values.items() if value is not None}
    return Event(EventId(0, 0), Topic(topic), 0.0, 1.0, 100, Attributes(said))


EVENTS = [event(topic, x=x, y=y) for topic, x, y in product((*TOPICS, ".", "q"), _X_VALUES, _Y_VALUES)]


def holds(tree: Tree, of: Event) -> bool:
    """Tell whether a tree holds of an event, by the words of the documentation."""
    if isinstance(tree, Both):
        return holds(tree.one, of) and holds(tree.other, of)
    if isinstance(tree, Either):
        return holds(tree.one, of) or holds(tree.other, of)
    if tree.name == "topic":
        is_below = any(Topic(value).covers(of.topic) for value in tree.values)
        return is_below != (tree.operator == "!=")
    if tree.operator in ("present", "missing"):
        return (tree.name in of.attributes) == (tree.operator == "present")
    if tree.name not in of.attributes or kind(of.attributes[tree.name]) != kind(tree.values[0]):
        return False
    return compared(of.attributes[tree.name], tree.operator, tree.values)


def compared(value: Any, operator: str, values: tuple[Any, ...]) -> bool:
    """Compare a value with others of its type."""
    first, last = values[0], values[-1]
    answers = {"=": value == first, "!=": value != first, "in": value in values}
    if not isinstance(value, bool):
        answers |= {"<": value < first, "<=": value <= first, ">": value > first, ">=": value >= first}
        answers |= {"between": first <= value <= last}
    return bool(answers[operator] if operator != "starts with" else value.startswith(first))


def kind(value: Any) -> str:
    """Name the type of a value."""
    return "boolean" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def written(tree: Tree) -> str:
    """Write a tree down, with more parentheses than are needed."""
    if isinstance(tree, Compare):
        values = [json.dumps(value) for value in tree.values]
        if tree.operator == "in":
            return f"{tree.name} in {{{', '.join(values)}}}"
        return f"{tree.name} {tree.operator} {' and '.join(values)}"
    word = "and" if isinstance(tree, Both) else "or"
    return f"({written(tree.one)}) {word} ({written(tree.other)})"


def comparisons() -> st.SearchStrategy[Compare]:
    """Draw one comparison of an attribute or of the topic."""
    topics = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=3).map(tuple)
    return st.one_of(
        _comparisons_of("x", st.sampled_from(NUMBERS), st.sampled_from(TEXTS)),
        _comparisons_of("y", st.sampled_from(FEW_NUMBERS)),
        st.builds(Compare, st.just("x"), st.just("starts with"), _alone(st.sampled_from(TEXTS))),
        st.builds(Compare, st.just("topic"), st.just("in"), topics),
        st.builds(Compare, st.just("topic"), st.just("!="), _alone(st.sampled_from(TOPICS))),
    )


def _comparisons_of(attribute: str, *ordered: st.SearchStrategy[Any]) -> st.SearchStrategy[Compare]:
    name = st.just(attribute)
    pairs = st.one_of([st.tuples(each, each).map(lambda pair: tuple(sorted(pair))) for each in ordered])
    several = st.one_of([st.lists(each, min_size=1, max_size=3).map(tuple) for each in (*ordered, st.booleans())])
    return st.one_of(
        st.builds(Compare, name, st.sampled_from(("=", "!=", "<", "<=", ">", ">=")), _alone(st.one_of(*ordered))),
        st.builds(Compare, name, st.just("between"), pairs),
        st.builds(Compare, name, st.just("in"), several),
        st.builds(Compare, name, st.sampled_from(("=", "!=")), _alone(st.booleans())),
        st.builds(Compare, name, st.sampled_from(("present", "missing")), st.just(())),
    )


def _alone(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return values.map(lambda value: (value,))


def conjunctions() -> st.SearchStrategy[Tree]:
    """Draw comparisons that must all hold, and can as far as their types go."""
    return st.recursive(comparisons(), lambda inner: st.builds(Both, inner, inner), max_leaves=4).filter(is_accepted)


def trees() -> st.SearchStrategy[Tree]:
    """Draw comparisons joined by and and or, of which each can hold as far as its types go."""
    return st.one_of(conjunctions(), any_trees().filter(is_accepted))


def any_trees() -> st.SearchStrategy[Tree]:
    """Draw comparisons joined by and and or, whatever they compare an attribute with."""
    return st.recursive(
        comparisons(), lambda inner: st.builds(Both, inner, inner) | st.builds(Either, inner, inner), max_leaves=12
    )


def is_accepted(tree: Tree) -> bool:
    """Tell whether a tree is not refused for its types; ``test_predicates_text.py`` says which are."""
    try:
        parse(written(tree))
    except PredicateError:
        return False
    return True
