"""Publishers and subscribers of content: the workload of the hint-driven paper, section 5.1.

Some nodes publish, each at an even pace from a random moment on; some others subscribe; nobody does both ("a broker has
either a single publisher or a single subscriber"). The content of each event is drawn anew:

[[workload.attributes]]                 [[workload.attributes]]
name = "speed_mps"                      name = "road"
between = [0, 30]                       words = ["ring", "bridge"]

All nodes are put in one random order; publishers are taken from its beginning and subscribers from its end, so that
with the same seed a larger number of either only adds nodes to it and does not change the other. Each publisher has its
own random stream. Only ``Random.random`` is used, whose sequence Python guarantees.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count as counting
from math import inf
from random import Random
from typing import Annotated, ClassVar

from roamcast.core.attributes import (
    ATTRIBUTES_MAX,
    TEXT_LENGTH_MAX,
    Attributes,
    AttributeType,
    AttributeValue,
    is_attribute_name,
    is_encodable,
)
from roamcast.core.parameters import (
    AT_LEAST_ZERO,
    FRACTION,
    GREATER_THAN_ZERO,
    Limit,
    ParameterError,
    at_most,
    at_most_items,
)
from roamcast.core.predicates import ANYTHING, Predicate, PredicateError, check
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import EVENTS_MAX, Publication, Subscription, Workload, WorkloadModel

NEWS = Topic("news.local")
LIST_MAX = at_most_items(10_000)
Number = Annotated[float, Limit(lambda value: abs(value) <= 1e15, "must be between -1e15 and 1e15")]
Word = Annotated[
    str,
    Limit(
        lambda text: len(text) <= TEXT_LENGTH_MAX and is_encodable(text),
        f"must be at most {TEXT_LENGTH_MAX} characters of Unicode",
    ),
]


@dataclass(frozen=True, slots=True)
class DrawnAttribute:
    """One ``[[workload.attributes]]``: an attribute of events, and how its value is drawn."""

    name: str
    """The attribute's name, as used in subscriptions."""

    between: tuple[Number, Number] | None = None
    """[lowest, highest]: the value is a number, drawn uniformly between the two."""

    whole: bool = False
    """Whether the number is an integer; all integers from lowest to highest are then equally likely."""

    words: Annotated[tuple[Word, ...], LIST_MAX] | None = None
    """The value is one of these texts, all equally likely; a text listed twice is twice as likely."""

    true_fraction: Annotated[float, FRACTION] | None = None
    """The value is a truth value; this is the probability of true."""

    def __post_init__(self) -> None:
        if not is_attribute_name(self.name):
            raise ParameterError("name", "must be an attribute name: letters, digits and '_', not a reserved word")
        if sum(choice is not None for choice in (self.between, self.words, self.true_fraction)) != 1:
            raise ParameterError("name", "needs exactly one of between, words and true_fraction")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ParameterError("between", "must be [lowest, highest], with the lowest not above the highest")
        if self.whole and (self.between is None or not all(bound.is_integer() for bound in self.between)):
            raise ParameterError("whole", "is only for a number between two integers")
        if self.words is not None and not self.words:
            raise ParameterError("words", "must have at least one word")

    @property
    def type(self) -> AttributeType:
        """Return the type of the values."""
        if self.between is not None:
            return AttributeType.NUMBER
        return AttributeType.BOOLEAN if self.words is None else AttributeType.TEXT

    def draw(self, draws: Random) -> AttributeValue:
        """Draw a value, using one random number whatever its type."""
        draw = draws.random()
        if self.words is not None:
            return self.words[int(draw * len(self.words))]
        if self.between is None:
            return draw < (self.true_fraction or 0.0)
        low, high = self.between
        return int(low) + int(draw * (int(high) - int(low) + 1)) if self.whole else low + draw * (high - low)


@dataclass(frozen=True, slots=True)
class Content(WorkloadModel):
    """Publishers at an even pace, and subscribers with predicates."""

    summary: ClassVar[str] = "some nodes publish events with attributes at a rate, others subscribe with predicates"

    publishers: Annotated[int, AT_LEAST_ZERO]
    """How many nodes publish; they are chosen at random."""

    subscribers: Annotated[int, AT_LEAST_ZERO]
    """How many nodes subscribe; they are chosen at random among those that do not publish."""

    rate_hz: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How many events each publisher publishes per second, at equal intervals; the first comes at a random moment of
    the first interval."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    subscriptions: Annotated[tuple[Predicate, ...], LIST_MAX] = (ANYTHING,)
    """The predicates to subscribe with, assigned to the subscribers in turn. Default: one that matches everything."""

    topics: Annotated[tuple[Topic, ...], LIST_MAX] = (NEWS,)
    """The topics of events; each event's is drawn from these, all equally likely."""

    attributes: Annotated[tuple[DrawnAttribute, ...], at_most_items(ATTRIBUTES_MAX)] = ()
    """The attributes of events."""

    strict: bool = True
    """Whether subscriptions may only name the attributes above, compared with values of the same type."""

    until_s: Annotated[float, GREATER_THAN_ZERO] | None = None
    """When publishing ends, in seconds from the start of the measurement. Default: with the measurement."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes. The hint-driven paper gives none; 400 is the Frugal paper's."""

    def __post_init__(self) -> None:
        names = [attribute.name for attribute in self.attributes]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ParameterError("attributes", "must have each name only once", twice[0])
        for key in ("subscriptions", "topics"):
            if not getattr(self, key):
                raise ParameterError(key, "must have at least one entry")
        if self.strict:
            self._check_subscriptions()

    def most_attributes(self) -> int:
        """Return how many attributes an event has."""
        return len(self.attributes)

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw the publishers, the subscribers, and the content of events."""
        self._check_network(count, duration_s)
        draws = streams.python("content-roles")
        rank = [draws.random() for _ in range(count)]
        order = sorted(range(count), key=rank.__getitem__)
        predicates = self.subscriptions
        subscriptions = [
            Subscription(-inf, node, predicates[number % len(predicates)])
            for number, node in enumerate(order[::-1][: self.subscribers])
        ]
        end_s = duration_s if self.until_s is None else min(self.until_s, duration_s)
        publications = [
            publication
            for number, node in enumerate(order[: self.publishers])
            for publication in self._published(node, end_s, streams.python("content-events", number))
        ]
        return Workload(
            tuple(sorted(subscriptions, key=lambda subscription: subscription.node)),
            tuple(sorted(publications, key=lambda publication: (publication.at_s, publication.node))),
        )

    def _check_subscriptions(self) -> None:
        """Refuse a subscription that names an attribute that no event has, or compares one with the wrong type."""
        schema = {attribute.name: attribute.type for attribute in self.attributes}
        for number, predicate in enumerate(self.subscriptions):
            try:
                check(predicate, schema, f"subscriptions[{number}]")
            except PredicateError as error:
                advice = "" if schema else "; add [[workload.attributes]] or strict = false"
                raise PredicateError(error.what + advice, error.where) from None

    def _published(self, node: int, end_s: float, draws: Random) -> Iterator[Publication]:
        phase = draws.random()
        for number in counting():
            at_s = (phase + number) / self.rate_hz
            if at_s >= end_s:
                return
            topic = self.topics[int(draws.random() * len(self.topics))]
            content = Attributes({attribute.name: attribute.draw(draws) for attribute in self.attributes})
            yield Publication(at_s, node, topic, self.validity_s, self.event_size_bytes, content)

    def _check_network(self, count: int, duration_s: float) -> None:
        if self.publishers > count:
            raise ParameterError("publishers", f"must be at most {count}, the number of nodes")
        if self.publishers + self.subscribers > count:
            left = count - self.publishers
            raise ParameterError("subscribers", f"must be at most {left}, the number of nodes that do not publish")
        if self.publishers * (self.rate_hz * duration_s + 1) > EVENTS_MAX:
            raise ParameterError("rate_hz", f"publishes more than {EVENTS_MAX:,} events")
