"""Subscriptions and publications as texts for a Bloom filter (tree group paper, section 3.5).

A subscription that is a disjunction adds each of its parts; one that is a conjunction of attributes adds one text,
its attributes in order and joined. A publication with n attributes could satisfy 2^n - 1 such conjunctions, so all
of them are looked up: n has a limit.

The paper's attributes are strings. Ours have names, types and values, and a predicate can say more than equality. What
the texts cannot say is left out, so that a filter lets more through and never less:
- a topic stands for itself, and a publication is looked up by its topic and all above it;
- of a conjunction with equalities only these count, and not its topic, ranges or absences;
- ``x in {1, 2}`` is one text for each value, as long as a conjunction has at most ``TEXTS_MAX`` of them;
- a conjunction without an equality counts by its topic, and one without even that is ``EVERYTHING``, which every
  publication is looked up by.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from roamcast.core.attributes import Attributes, AttributeValue
from roamcast.core.errors import InvalidValueError
from roamcast.core.interests import Interest, TopicInterest
from roamcast.core.predicates import Predicate
from roamcast.core.predicates.conjunction import Conjunction
from roamcast.core.predicates.topic_sets import ROOT, TopicSet
from roamcast.core.predicates.values import Members
from roamcast.core.topics import Topic

ATTRIBUTES_LIMIT = 12
"""The most attributes of a publication that anybody may ask to combine: 4,095 combinations."""
TEXTS_MAX = 64
"""The most texts that one conjunction becomes."""
EVERYTHING = "*"
"""The text of a subscription that no other text can stand for."""
_JOINT = "\x1f"


def subscription_texts(interest: Interest) -> frozenset[str]:
    """Return the texts that stand for a subscription in a filter; none for one that matches nothing."""
    if isinstance(interest, TopicInterest):
        return frozenset({_topic_text(interest.topic)})
    if isinstance(interest, Predicate):
        return frozenset(text for each in interest.alternatives for text in _conjunction_texts(each))
    return frozenset({EVERYTHING})


def publication_texts(topic: Topic, attributes: Attributes, attributes_max: int = ATTRIBUTES_LIMIT) -> tuple[str, ...]:
    """Return all texts of subscriptions that a publication may satisfy, or say that there would be too many."""
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
        choices.pop()  # the widest one: what is left matches more
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
    for each in choices:
        size *= len(each)
    return size


@lru_cache(maxsize=4096)
def _topics_above(topic: Topic) -> tuple[str, ...]:
    """Return the texts of a topic and of all above it but the root, which is everything."""
    found = []
    while topic != ROOT:
        found.append(_topic_text(topic))
        topic = topic.parent
    return tuple(found)


def _topic_text(topic: Topic) -> str:
    return EVERYTHING if topic == ROOT else f"topic{_JOINT}{topic.path}"  # "topic" is no attribute's name


def _token(name: str, value: AttributeValue) -> str:
    """Return a name and a value as one text, the same for values that are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, str):
        return f'{name}="{value}"'
    return f"{name}={str(value).lower()}" if isinstance(value, bool) else f"{name}={float(value) + 0.0!r}"
