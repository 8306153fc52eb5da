"""Groups: some topics, each with its own publishers and subscribers, as in the broker and rendezvous paper's Table 1.

Nodes are dealt out to the topics in one random order, so that nobody has two parts before everybody has one. Publishers
publish at equal intervals, each from a random moment of its first interval on. The topics' names are drawn, since there
are protocols for which a name decides much: where it is hashed to. Only ``Random.random`` is drawn, because Python
promises its sequence for a seed and promises nothing of ``shuffle`` and ``choice``.
"""

from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

from roamcast.core.interests import TopicInterest
from roamcast.core.parameters import AT_LEAST_ZERO, GREATER_THAN_ZERO, LASTING_S, ParameterError, at_most
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import EVENTS_MAX, SUBSCRIPTIONS_MAX, Publication, Subscription, Workload, WorkloadModel

NAMES = 100_000
"""How many names there are for each topic."""


@dataclass(frozen=True, slots=True)
class Groups(WorkloadModel):
    """Some topics, each with its own publishers and subscribers."""

    summary: ClassVar[str] = "some topics, each with its own publishers, at equal intervals, and its own subscribers"

    topics: Annotated[int, GREATER_THAN_ZERO, at_most(10_000)]
    """How many topics there are; they are called ``topic-`` and a number that is drawn."""

    publishers: Annotated[int, AT_LEAST_ZERO, at_most(1_000_000)]
    """How many nodes publish on each topic."""

    subscribers: Annotated[int, AT_LEAST_ZERO, at_most(1_000_000)]
    """How many other nodes subscribe to each topic."""

    interval_s: Annotated[float, LASTING_S]
    """How often each publisher publishes, in seconds; there may be a million events in all."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long an event is worth delivering after its publication, in seconds."""

    event_size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 512
    """The size of an event on the air, in bytes; at most what a datagram holds. The paper's on the highway."""

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Deal the nodes out to the topics, and draw when each publisher begins."""
        self._check_surroundings(count, duration_s)
        size = self.publishers + self.subscribers
        draws = streams.python("groups")
        place = [draws.random() for _ in range(count)]
        order = sorted(range(count), key=place.__getitem__)
        subscriptions: list[Subscription] = []
        publications: list[Publication] = []
        for number in range(self.topics):
            topic = Topic(f"topic-{number + self.topics * int(draws.random() * NAMES)}")
            group = [order[(number * size + each) % count] for each in range(size)]
            for node in group[self.publishers :]:
                subscriptions.append(Subscription(-inf, node, TopicInterest(topic)))
            for node in group[: self.publishers]:
                publications += self._published(node, topic, draws.random() * self.interval_s, duration_s)
        return Workload(tuple(subscriptions), tuple(sorted(publications, key=lambda each: each.at_s)))

    def _check_surroundings(self, count: int, duration_s: float) -> None:
        if self.publishers + self.subscribers > count:
            expected = f"must be at most {count}, the number of nodes, together with publishers = {self.publishers}"
            raise ParameterError("subscribers", expected, self.subscribers)
        if self.topics * self.subscribers > SUBSCRIPTIONS_MAX:
            raise ParameterError("subscribers", f"makes more than {SUBSCRIPTIONS_MAX:,} subscriptions to all topics")
        if self.topics * self.publishers * (duration_s / self.interval_s + 1) > EVENTS_MAX:
            raise ParameterError("interval_s", f"publishes more than {EVENTS_MAX:,} events")

    def _published(self, node: int, topic: Topic, first_at_s: float, duration_s: float) -> list[Publication]:
        """Return the events of one publisher."""
        times_s, number = [], 0
        while (at_s := first_at_s + number * self.interval_s) < duration_s:
            times_s.append(at_s)
            number += 1
        return [Publication(at_s, node, topic, self.validity_s, self.event_size_bytes) for at_s in times_s]
