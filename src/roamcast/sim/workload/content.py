"""Publishers and subscribers of content: the workload of the hint-driven paper, section 5.1.

Some nodes publish, each at its own even pace that begins at a random moment; some others subscribe; nobody does both
("a broker has either a single publisher or a single subscriber"). What an event says is drawn for each anew:

[[workload.attributes]]                 [[workload.attributes]]
name = "speed_mps"                      name = "road"
between = [0, 30]                       words = ["ring", "bridge"]

All nodes stand in one random order; publishers are taken from its beginning and subscribers from its end, so that with
the same seed more of the ones only adds to them and changes nothing of the others. Each publisher has a random stream
of its own. Only ``Random.random`` is drawn, whose sequence Python promises.
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
    """One ``[[workload.attributes]]``: what events say of one thing, and how it is drawn."""

    name: str
    """What a subscription calls it."""

    between: tuple[Number, Number] | None = None
    """[lowest, highest]: a number, drawn uniformly between the two."""

    whole: bool = False
    """Whether the number is a whole one; both ends are then possible, and all are as likely."""

    words: Annotated[tuple[Word, ...], LIST_MAX] | None = None
    """A text: one of these, all as likely; one that is there twice is twice as likely."""

    true_fraction: Annotated[float, FRACTION] | None = None
    """A truth value: how often it is true."""

    def __post_init__(self) -> None:
        if not is_attribute_name(self.name):
            raise ParameterError("name", "must be the name of an attribute: letters, digits and '_', no reserved word")
        if sum(each is not None for each in (self.between, self.words, self.true_fraction)) != 1:
            raise ParameterError("name", "needs exactly one of between, words and true_fraction")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ParameterError("between", "must be [lowest, highest], the lowest not above the highest")
        if self.whole and (self.between is None or not all(each.is_integer() for each in self.between)):
            raise ParameterError("whole", "is for a number between two whole ones")
        if self.words is not None and not self.words:
            raise ParameterError("words", "must have at least one word")

    @property
    def type(self) -> AttributeType:
        """Return the type of the values."""
        if self.between is not None:
            return AttributeType.NUMBER
        return AttributeType.BOOLEAN if self.words is None else AttributeType.TEXT

    def drawn(self, draws: Random) -> AttributeValue:
        """Draw a value, with one number whatever its type."""
        draw = draws.random()
        if self.words is not None:
            return self.words[int(draw * len(self.words))]
        if self.between is None:
            return draw < (self.true_fraction or 0.0)
        low, high = self.between
        return int(low) + int(draw * (int(high) - int(low) + 1)) if self.whole else low + draw * (high - low)


@dataclass(frozen=True, slots=True)
class Content(WorkloadModel):
    """Publishers at an even pace, and subscribers by predicates."""

    summary: ClassVar[str] = "some nodes publish events with attributes at a rate, others subscribe by predicates"

    publishers: Annotated[int, AT_LEAST_ZERO]
    """How many nodes publish; chosen at random."""

    subscribers: Annotated[int, AT_LEAST_ZERO]
    """How many nodes subscribe; chosen at random among those that do not publish."""

    rate_hz: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How many events each publisher publishes in a second, at equal intervals, the first at a random moment of one."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    subscriptions: Annotated[tuple[Predicate, ...], LIST_MAX] = (ANYTHING,)
    """Predicates, handed out to the subscribers in turn."""

    topics: Annotated[tuple[Topic, ...], LIST_MAX] = (NEWS,)
    """What events are about: one of these, drawn for each, all as likely."""

    attributes: Annotated[tuple[DrawnAttribute, ...], at_most_items(ATTRIBUTES_MAX)] = ()
    """What events say."""

    strict: bool = True
    """Whether a subscription may name only the attributes above, compared with values of their types."""

    until_s: Annotated[float, GREATER_THAN_ZERO] | None = None
    """When the publishing ends, in seconds from the start of the measurement; by default with it."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes; the hint-driven paper gives none, 400 is the Frugal paper's."""

    def __post_init__(self) -> None:
        names = [each.name for each in self.attributes]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ParameterError("attributes", "must have each name once", twice[0])
        for key in ("subscriptions", "topics"):
            if not getattr(self, key):
                raise ParameterError(key, "must have at least one entry")
        if self.strict:
            self._check_subscriptions()

    def most_attributes(self) -> int:
        """Return how many attributes an event has."""
        return len(self.attributes)

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw who publishes and who subscribes, and what events say."""
        self._check_surroundings(count, duration_s)
        draws = streams.python("content-roles")
        place = [draws.random() for _ in range(count)]
        order = sorted(range(count), key=place.__getitem__)
        wishes = self.subscriptions
        asking = [(node, wishes[at % len(wishes)]) for at, node in enumerate(order[::-1][: self.subscribers])]
        end_s = duration_s if self.until_s is None else min(self.until_s, duration_s)
        published = [
            each
            for at, node in enumerate(order[: self.publishers])
            for each in self._published(node, end_s, streams.python("content-events", at))
        ]
        return Workload(
            tuple(Subscription(-inf, node, predicate) for node, predicate in sorted(asking, key=lambda each: each[0])),
            tuple(sorted(published, key=lambda each: (each.at_s, each.node))),
        )

    def _check_subscriptions(self) -> None:
        """Refuse a subscription that names an attribute that no event has, or compares one with the wrong type."""
        schema = {each.name: each.type for each in self.attributes}
        for at, wish in enumerate(self.subscriptions):
            try:
                check(wish, schema, f"subscriptions[{at}]")
            except PredicateError as error:
                advice = "" if schema else "; add [[workload.attributes]] or strict = false"
                raise PredicateError(error.what + advice, error.place) from None

    def _published(self, node: int, end_s: float, draws: Random) -> Iterator[Publication]:
        phase = draws.random()
        for number in counting():
            at_s = (phase + number) / self.rate_hz
            if at_s >= end_s:
                return
            topic = self.topics[int(draws.random() * len(self.topics))]
            says = Attributes({each.name: each.drawn(draws) for each in self.attributes})
            yield Publication(at_s, node, topic, self.validity_s, self.event_size_bytes, says)

    def _check_surroundings(self, count: int, duration_s: float) -> None:
        if self.publishers > count:
            raise ParameterError("publishers", f"must be at most {count}, the number of nodes")
        if self.publishers + self.subscribers > count:
            left = count - self.publishers
            raise ParameterError("subscribers", f"must be at most {left}, the number of nodes that do not publish")
        if self.publishers * (self.rate_hz * duration_s + 1) > EVENTS_MAX:
            raise ParameterError("rate_hz", f"publishes more than {EVENTS_MAX:,} events")
