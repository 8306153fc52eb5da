"""Groups: some topics, each with its own publishers and subscribers, as in the broker and rendezvous paper's Table 1.

Nodes are dealt out to the topics in one random order, so that nobody has two roles before everybody has one. Publishers
publish at equal intervals, each starting at a random moment of its first interval. The topics' names are drawn, since
for some protocols the name matters: it decides where the topic is hashed to. Only ``Random.random`` is used, because
Python guarantees its sequence for a seed, but not that of ``shuffle`` and ``choice``.
"""

from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

from roamcast.core.event_interests import TopicInterest
from roamcast.core.parameters import AT_LEAST_ZERO, DURATION_S, GREATER_THAN_ZERO, ParameterError, at_most
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import EVENTS_MAX, SUBSCRIPTIONS_MAX, Publication, Subscription, Workload, WorkloadModel

NAMES = 100_000
"""How many names each topic's is drawn from."""


@dataclass(frozen=True, slots=True)
class Groups(WorkloadModel):
    """Some topics, each with its own publishers and subscribers."""

    summary: ClassVar[str] = "some topics, each with its own publishers, at equal intervals, and its own subscribers"

    topics: Annotated[int, GREATER_THAN_ZERO, at_most(10_000)]
    """How many topics there are; their names are ``topic-`` followed by a random number."""

    publishers: Annotated[int, AT_LEAST_ZERO, at_most(1_000_000)]
    """How many nodes publish on each topic."""

    subscribers: Annotated[int, AT_LEAST_ZERO, at_most(1_000_000)]
    """How many other nodes subscribe to each topic."""

    interval_s: Annotated[float, DURATION_S]
    """The time between two events of a publisher, in seconds; a run may have up to a million events."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 512
    """The size of an event on the air, in bytes, at most that of a datagram. Default: the paper's on the highway."""

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Deal the nodes out to the topics, and draw when each publisher begins."""
        self._check_network(count, duration_s)
        size = self.publishers + self.subscribers
        draws = streams.python("groups")
        rank = [draws.random() for _ in range(count)]
        order = sorted(range(count), key=rank.__getitem__)
        subscriptions: list[Subscription] = []
        publications: list[Publication] = []
        for number in range(self.topics):
            topic = Topic(f"topic-{number + self.topics * int(draws.random() * NAMES)}")
            group = [order[(number * size + member) % count] for member in range(size)]
            for node in group[self.publishers :]:
                subscriptions.append(Subscription(-inf, node, TopicInterest(topic)))
            for node in group[: self.publishers]:
                publications += self._published(node, topic, draws.random() * self.interval_s, duration_s)
        return Workload(tuple(subscriptions), tuple(sorted(publications, key=lambda publication: publication.at_s)))

    def _check_network(self, count: int, duration_s: float) -> None:
        if self.publishers + self.subscribers > count:
            expected = f"must be at most {count}, the number of nodes, together with publishers = {self.publishers}"
            raise ParameterError("subscribers", expected, self.subscribers)
        if self.topics * self.subscribers > SUBSCRIPTIONS_MAX:
            raise ParameterError("subscribers", f"yields more than {SUBSCRIPTIONS_MAX:,} subscriptions to all topics")
        if self.topics * self.publishers * (duration_s / self.interval_s + 1) > EVENTS_MAX:
            raise ParameterError("interval_s", f"publishes more than {EVENTS_MAX:,} events")

    def _published(self, node: int, topic: Topic, first_at_s: float, duration_s: float) -> list[Publication]:
        """Return the events of one publisher."""
        times_s, number = [], 0
        while (at_s := first_at_s + number * self.interval_s) < duration_s:
            times_s.append(at_s)
            number += 1
        return [Publication(at_s, node, topic, self.validity_s, self.event_size_bytes) for at_s in times_s]
