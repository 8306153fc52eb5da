"""A community with a fixed number of distinct interests: the workload of the tree group paper, table 1.

First the interests are drawn, each of a few attributes with a value: ``a3 = "v1" and a7 = "v4"``. Every node subscribes
to some of them, and every node publishes with a probability in each second, at a random moment of it: an event that
has just the attributes of one of the interests, so that it matches that one, every conjunction of some of its
attributes and every disjunction with one of them. An event is local, for those within some hops, or global.

The paper's interests are "randomly-generated strings"; how they overlap it does not say. Here it is a matter of how
many attributes and values there are to draw from. Each node has a random stream of its own, so that with the same seed
more nodes, a longer run or more interests change nothing of what the others do. Only ``Random.random`` is drawn, whose
sequence Python promises.
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
"""For how many seconds, over all nodes, it may be drawn whether an event is published: a minute's work."""
_Count = Annotated[int, AT_LEAST_ONE, at_most(10_000)]
_Few = Annotated[int, AT_LEAST_ONE, at_most(min(ATTRIBUTES_MAX, ALTERNATIVES_MAX))]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """An interest, and what an event says that is published for it."""

    says: Attributes
    wish: Predicate


@dataclass(frozen=True, slots=True)
class Interests(WorkloadModel):
    """Nodes that all subscribe to some of the community's interests, and all publish now and then."""

    summary: ClassVar[str] = "all nodes subscribe to some of a fixed number of interests and publish now and then"

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    distinct: _Count = 50
    """How many distinct interests there are; table 1."""

    subscriptions_per_node: tuple[_Count, _Count] = (1, 3)
    """[fewest, most]: to how many of them a node subscribes, all numbers as likely; table 1."""

    attributes_per_interest: tuple[_Few, _Few] = (1, 4)
    """[fewest, most]: how many attributes an interest, and so an event, has, all numbers as likely; table 1."""

    attribute_names: _Few = 10
    """How many attributes there are to draw from. Our choice."""

    attribute_values: _Count = 5
    """How many values each attribute has to draw from. Ours: two interests of five are then covered by others."""

    disjunction_fraction: Annotated[float, FRACTION] = 0.0
    """How many of the interests ask for one of their attributes and not for all of them. The paper does not say."""

    publication_probability: Annotated[float, FRACTION] = 0.05
    """How likely a node publishes an event in a second; table 1."""

    local_fraction: Annotated[float, FRACTION] = 0.5
    """How many of the events are local; table 1 has from 1 : 5 to 5 : 1, by default as many local as global ones."""

    local_hops_max: Annotated[int, AT_LEAST_ONE, at_most(10_000)] = 4
    """How many hops a local event is for. Our choice: the number of levels that the paper prefers for a group."""

    topic: Topic = NEWS
    """What all events are about."""

    until_s: Annotated[float, GREATER_THAN_ZERO] | None = None
    """When the publishing ends, in seconds from the start of the measurement; by default with it."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes; the paper gives none, 400 is the Frugal paper's."""

    def __post_init__(self) -> None:
        for key in ("subscriptions_per_node", "attributes_per_interest"):
            fewest, most = getattr(self, key)
            if fewest > most:
                raise ParameterError(key, "must be [fewest, most], the fewest not above the most")
        if self.subscriptions_per_node[1] > self.distinct:
            raise ParameterError("subscriptions_per_node", f"must be at most {self.distinct}, the number of interests")
        if self.attributes_per_interest[1] > self.attribute_names:
            raise ParameterError("attributes_per_interest", f"must be at most {self.attribute_names}, attribute_names")
        if self.distinct > self._possible():
            raise ParameterError("distinct", f"must be at most {self._possible()}: there are no more distinct ones")

    def most_attributes(self) -> int:
        """Return how many attributes an event can have."""
        return self.attributes_per_interest[1]

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw the interests, and who subscribes to which and publishes what and when."""
        end_s = duration_s if self.until_s is None else min(self.until_s, duration_s)
        if count * (end_s + 1) * self.publication_probability > EVENTS_MAX:
            raise ParameterError("publication_probability", f"publishes more than {EVENTS_MAX:,} events")
        if count * end_s > SECONDS_MAX:
            expected = f"{count:,} nodes may publish for at most {SECONDS_MAX / count:,.0f} s"
            raise ParameterError("until_s", expected, end_s)
        if count * self.subscriptions_per_node[1] > SUBSCRIPTIONS_MAX:
            raise ParameterError("subscriptions_per_node", f"may make more than {SUBSCRIPTIONS_MAX:,} subscriptions")
        drawn = self._drawn_interests(streams.python("interests"))
        subscriptions = (
            Subscription(-inf, node, wish)
            for node in range(count)
            for wish in self._wishes(drawn, streams.python("interests-subscriber", node))
        )
        publications = (
            each
            for node in range(count)
            for each in self._published(node, drawn, end_s, streams.python("interests-publisher", node))
        )
        return Workload(tuple(subscriptions), tuple(sorted(publications, key=lambda each: (each.at_s, each.node))))

    def _possible(self) -> int:
        """Return how many distinct interests may be asked for: half of all, so that drawing them soon comes to an end.

        All numbers of attributes are drawn as often, and there are the fewest interests with the fewest attributes: so
        the last ones to be found have many, which are many.
        """
        fewest, most = self.attributes_per_interest
        sizes = range(fewest, most + 1)
        possible = sum(comb(self.attribute_names, size) * int(self.attribute_values**size) for size in sizes)
        return max(1, possible // 2)

    def _drawn_interests(self, draws: Random) -> list[_Drawn]:
        """Draw interests until there are enough distinct ones; what was drawn before is drawn again."""
        drawn: dict[frozenset[tuple[str, object]], _Drawn] = {}
        while len(drawn) < self.distinct:
            size = _between(self.attributes_per_interest, draws)
            names = _some(list(range(self.attribute_names)), size, draws)
            values = [int(draws.random() * self.attribute_values) for _ in names]
            is_disjunction = draws.random() < self.disjunction_fraction
            says = {f"a{name}": f"v{value}" for name, value in sorted(zip(names, values, strict=True))}
            parts = [compare(name, "=", value) for name, value in says.items()]
            wish = reduce(lambda one, other: one | other if is_disjunction else one & other, parts)
            drawn.setdefault(frozenset(says.items()), _Drawn(Attributes(says), wish))
        return list(drawn.values())

    def _wishes(self, drawn: list[_Drawn], draws: Random) -> list[Predicate]:
        return [each.wish for each in _some(drawn, _between(self.subscriptions_per_node, draws), draws)]

    def _published(self, node: int, drawn: list[_Drawn], end_s: float, draws: Random) -> Iterator[Publication]:
        second = 0
        while second < end_s:
            happens, moment, about, local = (draws.random() for _ in range(4))
            at_s = second + moment
            if happens < self.publication_probability and at_s < end_s:
                says = drawn[int(about * len(drawn))].says
                hops_max = self.local_hops_max if local < self.local_fraction else None
                size_bytes = self.event_size_bytes
                yield Publication(at_s, node, self.topic, self.validity_s, size_bytes, says, hops_max=hops_max)
            second += 1


def _between(bounds: tuple[int, int], draws: Random) -> int:
    """Draw a whole number from the first to the last."""
    return bounds[0] + int(draws.random() * (bounds[1] - bounds[0] + 1))


def _some(items: list[T], count: int, draws: Random) -> list[T]:
    """Draw some items, each at most once."""
    left = list(items)
    return [left.pop(int(draws.random() * len(left))) for _ in range(count)]
