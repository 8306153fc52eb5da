"""Conjunctions: comparisons that must all hold, stored as one domain for each attribute."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from roamcast.core.attributes import AttributeType, type_of
from roamcast.core.predicates.comparisons import TOPIC, TYPE_WORDS, Comparison, Operator, check_operands
from roamcast.core.predicates.domains import MISSING, PRESENT, Domain
from roamcast.core.predicates.predicate_error import PredicateError
from roamcast.core.predicates.topic_sets import ROOT, TopicSet, topic_set
from roamcast.core.predicates.values import Members, Span, after, all_values, before, members, prefix_end, span
from roamcast.core.topics import InvalidTopicError, Topic


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A domain for each constrained attribute, in the order in which they were written; equality ignores the order."""

    constraints: tuple[tuple[str, Domain], ...] = field(default=(), compare=False)
    by_name: dict[str, Domain] = field(init=False, repr=False, compare=False)
    _key: frozenset[tuple[str, Domain]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", dict(self.constraints))
        object.__setattr__(self, "_key", frozenset(self.constraints))

    def meet(self, other: "Conjunction") -> "Conjunction | None":
        """Return the conjunction of both, or None if it can never hold."""
        joint = dict(self.by_name)
        for name, domain in other.constraints:
            both = domain.meet(joint[name]) if name in joint else domain
            if both is None:
                return None
            joint[name] = both
        return Conjunction(tuple(joint.items()))

    def covers(self, other: "Conjunction") -> bool:
        """Tell whether everything that satisfies the other satisfies this; exact."""
        theirs = other.by_name
        return all(name in theirs and domain.covers(theirs[name]) for name, domain in self.constraints)

    def overlaps(self, other: "Conjunction") -> bool:
        """Tell whether one event can satisfy both."""
        theirs = other.by_name
        return all(name not in theirs or domain.meet(theirs[name]) for name, domain in self.constraints)

    def clash(self, other: "Conjunction") -> str | None:
        """Describe an attribute that the two compare with values of different types, which never hold together."""
        for name, domain in self.constraints:
            theirs = other.by_name.get(name)
            if not isinstance(domain, Members | Span) or not isinstance(theirs, Members | Span):
                continue
            if domain.kind is not theirs.kind:
                kinds = f"{TYPE_WORDS[domain.kind]} and with {TYPE_WORDS[theirs.kind]}"
                return f"{name} is compared with {kinds}, which can never hold together"
        return None

    def comparisons(self) -> tuple[Comparison, ...]:
        """Return the comparisons that a person would write for it."""
        return tuple(comparison for name, domain in self.constraints for comparison in domain.comparisons(name))

    @property
    def terms(self) -> int:
        """Return how much the conjunction counts against a limit."""
        return sum(domain.terms for _, domain in self.constraints)

    def __str__(self) -> str:
        return " and ".join(map(str, self.comparisons())) or "anything"


def conjunction_of(comparison: Comparison) -> Conjunction | None:
    """Return one comparison as a conjunction, or None if it can never hold; raise an error if it makes no sense."""
    check_operands(comparison)
    domain = _topics_of(comparison) if comparison.name == TOPIC else _values_of(comparison)
    if domain == TopicSet(frozenset({ROOT})):
        return Conjunction()
    return None if domain is None else Conjunction(((comparison.name, domain),))


def only_topic(topic: Topic) -> Conjunction:
    """Return a plain subscription to a topic as a conjunction."""
    return Conjunction() if topic == ROOT else Conjunction(((TOPIC, TopicSet(frozenset({topic}))),))


def within_limits(
    alternatives: Iterable[Conjunction], alternatives_max: int, terms_max: int
) -> tuple[Conjunction, ...]:
    """Return conjunctions without duplicates, or raise an error if there are too many."""
    kept = tuple(dict.fromkeys(alternatives))
    if len(kept) > alternatives_max:
        raise PredicateError(f"more than {alternatives_max} alternatives when expanded")
    if sum(conjunction.terms for conjunction in kept) > terms_max:
        raise PredicateError(f"more than {terms_max} comparisons when expanded")
    return kept


def _topics_of(comparison: Comparison) -> Domain | None:
    try:
        topics = [Topic(str(value)) for value in comparison.values]
    except InvalidTopicError as error:
        raise PredicateError(" ".join(str(error).split())) from None
    return topic_set([ROOT], topics) if comparison.operator is Operator.NOT_EQUAL else topic_set(topics)


def _values_of(comparison: Comparison) -> Domain | None:
    operator, values = comparison.operator, comparison.values
    if operator is Operator.PRESENT or operator is Operator.MISSING:
        return PRESENT if operator is Operator.PRESENT else MISSING
    first, last, kind = values[0], values[-1], type_of(values[0])
    if operator is Operator.EQUAL or operator is Operator.IN:
        return members(kind, values)
    if kind is AttributeType.BOOLEAN:  # only != is left, which means the other value
        return members(kind, [not first])
    low, high = all_values(kind)
    if operator is Operator.NOT_EQUAL:
        return span(kind, low, high, [first])
    if operator is Operator.STARTS_WITH:
        return span(kind, before(first), prefix_end(str(first)))
    if operator in (Operator.AT_LEAST, Operator.GREATER, Operator.BETWEEN):
        low = after(first) if operator is Operator.GREATER else before(first)
    if operator in (Operator.AT_MOST, Operator.LESS, Operator.BETWEEN):
        high = before(last) if operator is Operator.LESS else after(last)
    return span(kind, low, high)
