"""A community with a fixed number of distinct interests: the workload of the tree group paper, table 1.

First the interests are drawn, each with values for a few attributes: ``a3 = "v1" and a7 = "v4"``. Every node subscribes
to some of them. In each second every node publishes with some probability, at a random moment: an event with exactly
the attributes of one of the interests, so that it matches that interest, every conjunction of some of its attributes
and every disjunction that includes one of them. An event is local, for nodes within some hops, or global.

The paper's interests are "randomly-generated strings"; it does not say how they overlap. Here this depends on how many
attributes and values there are to draw from. Each node has its own random stream, so that with the same seed more
nodes, a longer run or more interests do not change what the others do. Only ``Random.random`` is used, whose sequence
Python guarantees.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import comb, inf
from random import Random
from typing import Annotated, ClassVar, TypeVar

from roamcast.core.attributes import ATTRIBUTES_MAX, Attributes
from roamcast.core.parameters import AT_LEAST_ONE, FRACTION, GREATER_THAN_ZERO, ParameterError, at_most
from roamcast.core.predicates import ALTERNATIVES_MAX, Predicate, compare
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import EVENTS_MAX, SUBSCRIPTIONS_MAX, Publication, Subscription, Workload, WorkloadModel

T = TypeVar("T")
NEWS = Topic("news.local")
SECONDS_MAX = 100_000_000
"""How many seconds of publishing, summed over all nodes, a run may have: drawing them takes a minute."""
_Count = Annotated[int, AT_LEAST_ONE, at_most(10_000)]
_Few = Annotated[int, AT_LEAST_ONE, at_most(min(ATTRIBUTES_MAX, ALTERNATIVES_MAX))]


@dataclass(frozen=True, slots=True)
class _DrawnInterest:
    """An interest, and the attributes of the events published for it."""

    attributes: Attributes
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Interests(WorkloadModel):
    """Nodes that all subscribe to some of the community's interests, and all publish occasionally."""

    summary: ClassVar[str] = "all nodes subscribe to some of a fixed number of interests and publish occasionally"

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    distinct: _Count = 50
    """How many distinct interests there are. Default: table 1."""

    subscriptions_per_node: tuple[_Count, _Count] = (1, 3)
    """[fewest, most] interests that a node subscribes to; all numbers are equally likely. Default: table 1."""

    attributes_per_interest: tuple[_Few, _Few] = (1, 4)
    """[fewest, most] attributes of an interest, and so of an event; all numbers are equally likely. Default: table
    1."""

    attribute_names: _Few = 10
    """How many attributes there are to draw from. Our choice."""

    attribute_values: _Count = 5
    """How many values of each attribute there are to draw from. Our choice: with it, two interests in five are covered
    by others."""

    disjunction_fraction: Annotated[float, FRACTION] = 0.0
    """The share of the interests that require one of their attributes rather than all. The paper does not say."""

    publication_probability: Annotated[float, FRACTION] = 0.05
    """The probability that a node publishes an event in a given second. Default: table 1."""

    local_fraction: Annotated[float, FRACTION] = 0.5
    """The share of the events that are local. Table 1 has local : global from 1 : 5 to 5 : 1. Default: equally many."""

    local_hops_max: Annotated[int, AT_LEAST_ONE, at_most(10_000)] = 4
    """How many hops away a local event is meant to go. Our choice: the number of levels that the paper prefers for a
    group."""

    topic: Topic = NEWS
    """The topic of all events."""

    until_s: Annotated[float, GREATER_THAN_ZERO] | None = None
    """When publishing ends, in seconds from the start of the measurement. Default: with the measurement."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes. The paper gives none; 400 is the Frugal paper's."""

    def __post_init__(self) -> None:
        for key in ("subscriptions_per_node", "attributes_per_interest"):
            fewest, most = getattr(self, key)
            if fewest > most:
                raise ParameterError(key, "must be [fewest, most], with the fewest not above the most")
        if self.subscriptions_per_node[1] > self.distinct:
            raise ParameterError("subscriptions_per_node", f"must be at most {self.distinct}, the number of interests")
        if self.attributes_per_interest[1] > self.attribute_names:
            raise ParameterError("attributes_per_interest", f"must be at most {self.attribute_names}, attribute_names")
        if self.distinct > self._possible():
            raise ParameterError("distinct", f"must be at most {self._possible()}: there are no more distinct ones")

    def most_attributes(self) -> int:
        """Return the largest number of attributes that an event can have."""
        return self.attributes_per_interest[1]

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw the interests, each node's subscriptions, and its publications."""
        end_s = duration_s if self.until_s is None else min(self.until_s, duration_s)
        if count * (end_s + 1) * self.publication_probability > EVENTS_MAX:
            raise ParameterError("publication_probability", f"publishes more than {EVENTS_MAX:,} events")
        if count * end_s > SECONDS_MAX:
            expected = f"{count:,} nodes may publish for at most {SECONDS_MAX / count:,.0f} s"
            raise ParameterError("until_s", expected, end_s)
        if count * self.subscriptions_per_node[1] > SUBSCRIPTIONS_MAX:
            raise ParameterError("subscriptions_per_node", f"may yield more than {SUBSCRIPTIONS_MAX:,} subscriptions")
        interests = self._draw_interests(streams.python("interests"))
        subscriptions = (
            Subscription(-inf, node, predicate)
            for node in range(count)
            for predicate in self._draw_subscriptions(interests, streams.python("interests-subscriber", node))
        )
        publications = [
            publication
            for node in range(count)
            for publication in self._publish(node, interests, end_s, streams.python("interests-publisher", node))
        ]
        publications.sort(key=lambda publication: (publication.at_s, publication.node))
        return Workload(tuple(subscriptions), tuple(publications))

    def _possible(self) -> int:
        """Return how many distinct interests a scenario may have: half of all, so that drawing them ends soon.

        All numbers of attributes are drawn equally often, and interests with few attributes are the fewest; so the last
        ones to be found have many attributes, and of those there are plenty.
        """
        fewest, most = self.attributes_per_interest
        sizes = range(fewest, most + 1)
        possible = sum(comb(self.attribute_names, size) * int(self.attribute_values**size) for size in sizes)
        return max(1, possible // 2)

    def _draw_interests(self, draws: Random) -> list[_DrawnInterest]:
        """Draw interests until there are enough distinct ones; repeated ones are discarded."""
        drawn: dict[frozenset[tuple[str, object]], _DrawnInterest] = {}
        while len(drawn) < self.distinct:
            size = _between(self.attributes_per_interest, draws)
            names = _some(list(range(self.attribute_names)), size, draws)
            values = [int(draws.random() * self.attribute_values) for _ in names]
            is_disjunction = draws.random() < self.disjunction_fraction
            content = {f"a{name}": f"v{value}" for name, value in sorted(zip(names, values, strict=True))}
            parts = [compare(name, "=", value) for name, value in content.items()]
            predicate = reduce(lambda one, other: one | other if is_disjunction else one & other, parts)
            drawn.setdefault(frozenset(content.items()), _DrawnInterest(Attributes(content), predicate))
        return list(drawn.values())

    def _draw_subscriptions(self, interests: list[_DrawnInterest], draws: Random) -> list[Predicate]:
        chosen = _some(interests, _between(self.subscriptions_per_node, draws), draws)
        return [interest.predicate for interest in chosen]

    def _publish(
        self, node: int, interests: list[_DrawnInterest], end_s: float, draws: Random
    ) -> Iterator[Publication]:
        second = 0
        while second < end_s:
            happens, moment, about, local = (draws.random() for _ in range(4))
            at_s = second + moment
            if happens < self.publication_probability and at_s < end_s:
                attributes = interests[int(about * len(interests))].attributes
                hops_max = self.local_hops_max if local < self.local_fraction else None
                size_bytes = self.event_size_bytes
                yield Publication(at_s, node, self.topic, self.validity_s, size_bytes, attributes, hops_max=hops_max)
            second += 1


def _between(bounds: tuple[int, int], draws: Random) -> int:
    """Draw an integer between two bounds, inclusive."""
    return bounds[0] + int(draws.random() * (bounds[1] - bounds[0] + 1))


def _some(items: list[T], count: int, draws: Random) -> list[T]:
    """Draw some items, each at most once."""
    left = list(items)
    return [left.pop(int(draws.random() * len(left))) for _ in range(count)]
