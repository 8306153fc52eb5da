"""Tests of events: each constraint is turned into a small function once, so that matching walks no data structure.

A test decides about an event what the domain's ``contains`` decides about an attribute, a few times faster.
"""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

from roamcast.core.attributes import AttributeType
from roamcast.core.events import Event
from roamcast.core.predicates.conjunction import Conjunction
from roamcast.core.predicates.domains import Domain, Presence
from roamcast.core.predicates.topic_sets import ROOT, TopicSet
from roamcast.core.predicates.values import NUMBER_CUTS, TEXT_CUTS, Members, Span
from roamcast.core.topics import Topic

Test = Callable[[Event], bool]
_NUMBERS = (float, int)
"""The types of a number; truth values, which are instances of ``int``, are excluded by comparing types."""
_OTHERS = (str, int, bool)
"""The types all of whose values are valid attributes; a ``float`` may be infinite or NaN."""


def tests_of(conjunction: Conjunction) -> tuple[Test, ...]:
    """Return the tests that an event must pass. The topic's comes first: it is cheap and fails most often."""
    by_topic = [_topic_test(domain) for _, domain in conjunction.constraints if isinstance(domain, TopicSet)]
    others = [
        test
        for name, domain in conjunction.constraints
        if not isinstance(domain, TopicSet)
        for test in _tests(name, domain)
    ]
    return (*by_topic, *others)


def _topic_test(domain: TopicSet) -> Test:
    if ROOT in domain.within and not domain.without:
        return lambda _: True
    paths, below = _subtrees(domain.within)
    if len(paths) == 1 and not domain.without:
        (path,), (start,) = paths, below

        def is_below(event: Event) -> bool:
            other = event.topic.path
            return other == path or other.startswith(start)

        return is_below

    def is_below_one(event: Event) -> bool:
        path = event.topic.path
        return path in paths or path.startswith(below)

    if not domain.without:
        return is_below_one
    paths_out, below_out = _subtrees(domain.without)

    def is_not_below(event: Event) -> bool:
        path = event.topic.path
        return path not in paths_out and not path.startswith(below_out)

    if ROOT in domain.within:
        return is_not_below
    return lambda event: is_below_one(event) and is_not_below(event)


def _subtrees(topics: Iterable[Topic]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the paths of topics, and the prefixes of all paths below them."""
    paths = frozenset(topic.path for topic in topics)
    return paths, tuple(f"{path}." for path in paths)


def _tests(name: str, domain: Domain) -> tuple[Test, ...]:
    if isinstance(domain, Presence):
        return (_presence_test(name, domain),)
    if isinstance(domain, Members):
        return (_members_test(name, domain),)
    if isinstance(domain, Span):
        return _span_tests(name, domain)
    raise TypeError(f"no test for a {type(domain).__name__}")


def _presence_test(name: str, domain: Presence) -> Test:
    if not domain.present:
        return lambda event: event.attributes.get(name) is None

    def is_present(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return -inf < value < inf if type(value) is float else type(value) in _OTHERS

    return is_present


def _span_tests(name: str, domain: Span) -> tuple[Test, ...]:
    """Return a test of the ends and one of the values excluded between them; a mere ``!=`` is one test."""
    excluded, ends = domain.excluded, (domain.low, domain.high)
    if excluded and ends in (NUMBER_CUTS, TEXT_CUTS):
        return (_different_test(name, domain),)
    test = _number_test(name, domain) if domain.kind is AttributeType.NUMBER else _text_test(name, domain)
    return (test, lambda event: event.attributes.get(name) not in excluded) if excluded else (test,)


def _different_test(name: str, domain: Span) -> Test:
    excluded = domain.excluded
    if domain.kind is AttributeType.NUMBER:

        def is_other_number(event: Event) -> bool:
            value: Any = event.attributes.get(name)
            return type(value) in _NUMBERS and -inf < value < inf and value not in excluded

        return is_other_number

    def is_other_text(event: Event) -> bool:
        value = event.attributes.get(name)
        return type(value) is str and value not in excluded

    return is_other_text


def _members_test(name: str, domain: Members) -> Test:
    values, kind = domain.values, domain.kind
    if kind is AttributeType.NUMBER:

        def is_number(event: Event) -> bool:
            value = event.attributes.get(name)
            return type(value) in _NUMBERS and value in values

        return is_number
    exact = str if kind is AttributeType.TEXT else bool

    def is_member(event: Event) -> bool:
        value = event.attributes.get(name)
        return type(value) is exact and value in values

    return is_member


def _text_test(name: str, domain: Span) -> Test:
    low, high = domain.low[1], domain.high[1]

    def is_from(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return type(value) is str and low <= value

    def is_between(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return type(value) is str and low <= value < high

    return is_from if domain.high == TEXT_CUTS[1] else is_between


def _number_test(name: str, domain: Span) -> Test:
    """Return the one of four tests that fits the ends; infinite ends are open, which rejects infinities and NaN."""
    (low, is_open), (high, is_closed) = domain.low, domain.high

    def open_open(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return type(value) in _NUMBERS and low < value < high

    def open_closed(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return type(value) in _NUMBERS and low < value <= high

    def closed_open(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return type(value) in _NUMBERS and low <= value < high

    def closed_closed(event: Event) -> bool:
        value: Any = event.attributes.get(name)
        return type(value) in _NUMBERS and low <= value <= high

    if is_open:
        return open_closed if is_closed else open_open
    return closed_closed if is_closed else closed_open
