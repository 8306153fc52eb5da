"""Subscriptions and publications as texts for a Bloom filter (tree group paper, section 3.5).

A subscription that is a disjunction adds each of its parts; a conjunction of attributes adds one text, its attributes
sorted and joined. A publication with n attributes could satisfy 2^n - 1 such conjunctions, so all of them are looked
up, and n is limited.

The paper's attributes are strings. Ours have names, types and values, and predicates can contain more than equalities.
Whatever a text cannot express is left out, so that a filter lets more through, never less:
- a topic is a text of its own, and a publication is looked up by its topic and all topics above it;
- if a conjunction has equalities, only these count, and not its topic, ranges or absences;
- ``x in {1, 2}`` is one text for each value, as long as a conjunction yields at most ``TEXTS_MAX`` of them;
- a conjunction without an equality is represented by its topic, and one without a topic by ``EVERYTHING``, by which
  every publication is looked up.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from roamcast.core.attributes import Attributes, AttributeValue
from roamcast.core.errors import InvalidValueError
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.predicates import Predicate
from roamcast.core.predicates.conjunction import Conjunction
from roamcast.core.predicates.topic_sets import ROOT, TopicSet
from roamcast.core.predicates.values import Members
from roamcast.core.topics import Topic

ATTRIBUTES_LIMIT = 12
"""The largest number of attributes of a publication that can be combined: 4,095 combinations."""
TEXTS_MAX = 64
"""The largest number of texts for one conjunction."""
EVERYTHING = "*"
"""The text of a subscription that no other text can represent."""
_JOINT = "\x1f"


def subscription_texts(interest: Interest) -> frozenset[str]:
    """Return the texts that represent a subscription in a filter; none if it matches nothing."""
    if isinstance(interest, TopicInterest):
        return frozenset({_topic_text(interest.topic)})
    if isinstance(interest, Predicate):
        return frozenset(text for each in interest.alternatives for text in _conjunction_texts(each))
    return frozenset({EVERYTHING})


def publication_texts(topic: Topic, attributes: Attributes, attributes_max: int = ATTRIBUTES_LIMIT) -> tuple[str, ...]:
    """Return all texts of subscriptions that a publication may satisfy, or raise an error if there are too many."""
    if len(attributes) > attributes_max:
        raise InvalidValueError("a publication's attributes", len(attributes), f"must be at most {attributes_max}")
    tokens = sorted(_token(name, value) for name, value in attributes.items())
    joined = (_JOINT.join(some) for size in range(1, len(tokens) + 1) for some in combinations(tokens, size))
    return (EVERYTHING, *_topics_above(topic), *joined)


def _conjunction_texts(conjunction: Conjunction) -> Iterable[str]:
    choices = sorted(
        ([_token(name, value) for value in domain.values] for name, domain in _memberships(conjunction)), key=len
    )
    while choices and _product_size(choices) > TEXTS_MAX:
        choices.pop()  # the one with most values; without it the texts match more
    if choices:
        return (_JOINT.join(sorted(some)) for some in product(*choices))
    topics = [domain for _, domain in conjunction.constraints if isinstance(domain, TopicSet)]
    return map(_topic_text, topics[0].within) if topics and len(topics[0].within) <= TEXTS_MAX else (EVERYTHING,)


def _memberships(conjunction: Conjunction) -> Iterator[tuple[str, Members]]:
    for name, domain in conjunction.constraints:
        if isinstance(domain, Members):
            yield name, domain


def _product_size(choices: Iterable[list[str]]) -> int:
    size = 1
    for values in choices:
        size *= len(values)
    return size


@lru_cache(maxsize=4096)
def _topics_above(topic: Topic) -> tuple[str, ...]:
    """Return the texts of a topic and of all above it except the root, which is ``EVERYTHING``."""
    found = []
    while topic != ROOT:
        found.append(_topic_text(topic))
        topic = topic.parent
    return tuple(found)


def _topic_text(topic: Topic) -> str:
    return EVERYTHING if topic == ROOT else f"topic{_JOINT}{topic.path}"  # "topic" cannot be an attribute's name


def _token(name: str, value: AttributeValue) -> str:
    """Return a name and a value as one text, the same for equal values: 1 equals 1.0, but not true."""
    if isinstance(value, str):
        return f'{name}="{value}"'
    return f"{name}={str(value).lower()}" if isinstance(value, bool) else f"{name}={float(value) + 0.0!r}"
