"""Predicates: interests in the content of events, as the hint-driven paper's subscriptions and beacons carry them.

A predicate is kept as a disjunction of conjunctions of comparisons, however it was written: this form can be compared,
merged and sent.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from roamcast.core.attributes import AttributeValue, is_attribute_name
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event
from roamcast.core.predicates.comparisons import TOPIC, Comparison, Operator, literal
from roamcast.core.predicates.conjunction import Conjunction, conjunction_of, only_topic, within_limits
from roamcast.core.predicates.limits import ALTERNATIVES_MAX, TERMS_MAX
from roamcast.core.predicates.matching import tests_of
from roamcast.core.predicates.predicate_error import PredicateError
from roamcast.core.predicates.tokens import Source
from roamcast.core.topics import Topic


@dataclass(frozen=True, slots=True)
class Predicate(Interest):
    """An interest in the events that satisfy at least one conjunction."""

    alternatives: tuple[Conjunction, ...] = field(compare=False)
    """The conjunctions in the order in which they were written, each once; if there are none, no event matches."""
    source: Source | None = field(default=None, repr=False, compare=False)
    """The text it was parsed from, if any, so that a schema check can point at the mistake."""
    _key: frozenset[Conjunction] = field(init=False, repr=False)
    _tests: tuple[tuple[Callable[[Event], bool], ...], ...] = field(init=False, repr=False, compare=False)
    _size_bytes: int | None = field(init=False, repr=False, compare=False, default=None)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        kept = within_limits(self.alternatives, ALTERNATIVES_MAX, TERMS_MAX)
        object.__setattr__(self, "alternatives", kept)
        object.__setattr__(self, "_key", frozenset(kept))
        object.__setattr__(self, "_tests", tuple(map(tests_of, kept)))
        object.__setattr__(self, "_hash", hash(self._key))

    def __hash__(self) -> int:
        return self._hash  # computed once, since filters and caches look interests up all the time

    def matches(self, event: Event) -> bool:
        """Tell whether the event satisfies a conjunction. An absent attribute fails every test but ``missing``."""
        for tests in self._tests:
            for test in tests:
                if not test(event):
                    break
            else:
                return True
        return False

    def covers(self, other: Interest) -> bool:
        """Tell whether each conjunction of the other is covered by one of these.

        Exact if this is a single conjunction; false if only several together cover one of the other.
        """
        theirs = alternatives_of(other)
        if theirs is None:
            return Conjunction() in self._key
        return all(any(mine.covers(each) for mine in self.alternatives) for each in theirs)

    def overlaps(self, other: Interest) -> bool:
        """Tell whether one event can satisfy a conjunction of each."""
        theirs = alternatives_of(other)
        if theirs is None:
            return bool(self.alternatives)
        return any(mine.overlaps(each) for mine in self.alternatives for each in theirs)

    def is_within(self, topic: Topic) -> bool:
        """Tell whether every conjunction requires a topic at or below the given one."""
        return all(only_topic(topic).covers(each) for each in self.alternatives)

    @property
    def terms(self) -> int:
        """Return how many values the predicate compares with; a test for presence counts one."""
        return sum(each.terms for each in self.alternatives)

    def size_bytes(self) -> int:
        """Return the size in a beacon: 2 bytes for the number of conjunctions, and for each 2 plus its comparisons."""
        if self._size_bytes is None:  # once, since every beacon and every table asks for it
            sizes = (2 + sum(each.size_bytes() for each in mine.comparisons()) for mine in self.alternatives)
            object.__setattr__(self, "_size_bytes", 2 + sum(sizes))
        return self._size_bytes  # type: ignore[return-value]

    def __and__(self, other: "Predicate") -> "Predicate":
        return Predicate(conjoined(self.alternatives, other.alternatives))

    def __or__(self, other: "Predicate") -> "Predicate":
        return Predicate(self.alternatives + other.alternatives)

    def __str__(self) -> str:
        if len(self.alternatives) == 1:
            return str(self.alternatives[0])
        written = (f"({each})" if len(each.comparisons()) > 1 else str(each) for each in self.alternatives)
        return " or ".join(written) or "nothing"

    def __reduce__(self) -> tuple[type["Predicate"], tuple[tuple[Conjunction, ...], Source | None]]:
        return Predicate, (self.alternatives, self.source)  # tests and hash are made anew: texts hash otherwise there


ANYTHING = Predicate((Conjunction(),))
"""Matches every event."""
NOTHING = Predicate(())
"""Matches no event."""


def compare(name: str, operator: str, *values: AttributeValue) -> Predicate:
    """Return the predicate of one comparison: ``compare("speed_mps", "<", 5)``; combine them with ``&`` and ``|``."""
    if name != TOPIC and not is_attribute_name(name):
        raise PredicateError(f"'{name}' is not the name of an attribute")
    known = {known.value for known in Operator}
    if operator not in known:
        raise PredicateError(f"unknown operator '{operator}'; known: {', '.join(sorted(known))}")
    found = conjunction_of(Comparison(name, Operator(operator), tuple(map(literal, values))))
    return NOTHING if found is None else Predicate((found,))


def conjoined(one: tuple[Conjunction, ...], other: tuple[Conjunction, ...]) -> tuple[Conjunction, ...]:
    """Return the satisfiable conjunctions of each with each, or raise an error if there are too many."""
    if len(one) * len(other) > 4 * ALTERNATIVES_MAX:
        raise PredicateError(f"more than {ALTERNATIVES_MAX} alternatives when expanded")
    pairs = (mine.meet(theirs) for mine in one for theirs in other)
    return within_limits((both for both in pairs if both is not None), ALTERNATIVES_MAX, TERMS_MAX)


def alternatives_of(interest: Interest) -> tuple[Conjunction, ...] | None:
    """Return an interest as conjunctions, or None for other kinds of interest."""
    if isinstance(interest, Predicate):
        return interest.alternatives
    return (only_topic(interest.topic),) if isinstance(interest, TopicInterest) else None
