"""One topic, a share of the nodes as its subscribers, and a few events: the workload of the Frugal paper, section 5.2.

The subscribers are the first nodes of one random order, so that with the same seed a larger share only adds
subscribers: curves over the share of subscribers compare like with like. Only ``Random.random`` is used, because Python
guarantees its sequence for a seed, but not that of ``shuffle`` and ``choice``.
"""

from dataclasses import dataclass
from math import inf
from random import Random
from typing import Annotated, ClassVar

from roamcast.core.event_interests import TopicInterest
from roamcast.core.parameters import AT_LEAST_ZERO, FRACTION, GREATER_THAN_ZERO, ParameterError, at_most, one_of
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

NEWS = Topic("news.local")


@dataclass(frozen=True, slots=True)
class SingleTopic(WorkloadModel):
    """A share of the nodes subscribes to one topic, on which events are published at an even pace."""

    summary: ClassVar[str] = "a share of the nodes subscribes to one topic; events are published at an even pace"

    subscriber_fraction: Annotated[float, FRACTION]
    """The share of the nodes that subscribe to the topic, from 0 to 1; at least one node does."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    topic: Topic = NEWS
    """The topic of the subscriptions and events."""

    other_topic: Topic | None = None
    """The topic that the other nodes subscribe to. Default: none."""

    events: Annotated[int, AT_LEAST_ZERO, at_most(100_000)] = 1
    """How many events are published."""

    first_at_s: Annotated[float, AT_LEAST_ZERO] = 0.0
    """When the first event is published, in seconds from the start of the measurement."""

    interval_s: Annotated[float, AT_LEAST_ZERO] = 0.0
    """The time between two publications, in seconds; 0: all at once."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of an event on the air, in bytes, at most that of a datagram. Default: the Frugal paper's 400."""

    publisher: Annotated[int, AT_LEAST_ZERO] | Annotated[str, one_of("subscriber", "any", "outsider")] = "subscriber"
    """Who publishes: "subscriber", "any" or "outsider" (a node that does not subscribe), drawn anew for each event, or
    the number of a node."""

    publisher_subscribes: bool = True
    """Whether a publisher given by its number is one of the subscribers."""

    draw: Annotated[int, AT_LEAST_ZERO] = 0
    """Which draw of the subscribers and publishers: with the same seed, another number draws others on the same
    movement."""

    def __post_init__(self) -> None:
        if self.other_topic is not None and self.other_topic.covers(self.topic):
            raise ParameterError("other_topic", f'must not cover the topic "{self.topic}"')
        if isinstance(self.publisher, str) and not self.publisher_subscribes:
            raise ParameterError("publisher_subscribes", "is only for a publisher given by its number")

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw the subscribers, and a publisher for each event."""
        self._check_network(count, duration_s)
        which = f"/{self.draw}" if self.draw else ""
        order = self._order(count, streams.python(f"subscribers{which}"))
        wanted = max(1, round(self.subscriber_fraction * count))
        if not self.publisher_subscribes:
            wanted = min(wanted, count - 1)
        candidates = self._candidates(order[:wanted], order[wanted:])
        draws = streams.python(f"publishers{which}")
        publications = tuple(
            Publication(
                self._at_s(number), _draw_node(candidates, draws), self.topic, self.validity_s, self.event_size_bytes
            )
            for number in range(self.events)
        )
        return Workload(self._subscriptions(count, frozenset(order[:wanted])), publications)

    def _at_s(self, number: int) -> float:
        return self.first_at_s + number * self.interval_s

    def _check_network(self, count: int, duration_s: float) -> None:
        if isinstance(self.publisher, int) and self.publisher >= count:
            raise ParameterError("publisher", f"must be below {count}, the number of nodes, which count from 0")
        if not self.publisher_subscribes and count == 1:
            raise ParameterError("publisher_subscribes", "must be true if the publisher is the only node")
        last_at_s = self._at_s(max(0, self.events - 1))
        if self.events and last_at_s >= duration_s:
            key = "first_at_s" if self.first_at_s >= duration_s else "interval_s"
            raise ParameterError(key, f"publishes at {last_at_s:g} s; must be before the end at {duration_s:g} s")

    def _order(self, count: int, draws: Random) -> list[int]:
        """Return the nodes in random order, with a publisher given by its number first or last."""
        rank = [draws.random() for _ in range(count)]
        if isinstance(self.publisher, int):
            rank[self.publisher] = -1.0 if self.publisher_subscribes else 2.0
        return sorted(range(count), key=rank.__getitem__)

    def _candidates(self, subscribers: list[int], others: list[int]) -> list[int]:
        """Return the nodes among which a publisher is drawn."""
        if isinstance(self.publisher, int):
            return [self.publisher]
        if self.publisher == "outsider" and not others:
            raise ParameterError("publisher", "must not be an outsider if every node subscribes")
        return {"subscriber": subscribers, "any": subscribers + others, "outsider": others}[self.publisher]

    def _subscriptions(self, count: int, subscribers: frozenset[int]) -> tuple[Subscription, ...]:
        wanted = TopicInterest(self.topic)
        other = None if self.other_topic is None else TopicInterest(self.other_topic)
        interests = ((node, wanted if node in subscribers else other) for node in range(count))
        return tuple(Subscription(-inf, node, interest) for node, interest in interests if interest is not None)


def _draw_node(nodes: list[int], draws: Random) -> int:
    """Draw one node with a single random number, so that later draws do not depend on how many nodes there are."""
    return nodes[int(draws.random() * len(nodes))]
