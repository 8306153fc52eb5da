"""Small networks in a real simulation, for tests of protocols: a line, and a partition that heals.

facts = simulate(line(MyProtocol), seed=7)
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from roamcast.core.event_interests import TopicInterest
from roamcast.core.host import PubSub
from roamcast.core.topics import Topic
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.trajectories import Area, Point, Trajectories
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

NEWS, OTHER = Topic("news"), Topic("other")
SPACING_M, RANGE_M = 200.0, 250.0


@dataclass(frozen=True)
class GivenPaths(MobilityModel):
    """Nodes that follow the paths a test gives."""

    summary: ClassVar[str] = "paths that a test gives"
    paths: tuple[tuple[Point, ...], ...]

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:  # noqa: ARG002
        """Return the paths."""
        return Trajectories.from_points([list(path) for path in self.paths])


@dataclass(frozen=True)
class GivenWorkload(WorkloadModel):
    """Subscriptions and publications that a test gives."""

    summary: ClassVar[str] = "subscriptions and publications that a test gives"
    given: Workload

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        """Return the subscriptions and publications."""
        return self.given


def network(
    protocol: type[PubSub],
    paths: tuple[tuple[Point, ...], ...],
    subscriptions: tuple[Subscription, ...],
    publications: tuple[Publication, ...],
    parameters: object | None = None,
    duration_s: float = 30.0,
) -> Setup:
    """Return a setup of nodes on given paths that hear each other up to 250 m apart."""
    return Setup(
        nodes=len(paths),
        area=Area(5000.0, 1000.0),
        duration_s=duration_s,
        warmup_s=0.0,
        settle_s=5.0,
        processing_s_max=0.001,
        mobility=GivenPaths(paths),
        radio=Range(range_m=RANGE_M),
        mac=Dcf(),
        workload=GivenWorkload(Workload(subscriptions, publications)),
        protocol=protocol,
        parameters=protocol.Parameters() if parameters is None else parameters,
    )


def line(
    protocol: type[PubSub],
    count: int = 6,
    publisher: int = 0,
    validity_s: float = 25.0,
    publisher_subscribes: bool = True,
) -> Setup:
    """Return subscribers in a line, each hearing the next, and beside the first a node with another interest.

    The publisher publishes three events, at 1 s and twice at 2 s.
    """
    in_line = tuple(((0.0, SPACING_M * node, 0.0),) for node in range(count))
    beside = ((0.0, 0.0, 50.0),)
    subscribers = [node for node in range(count) if publisher_subscribes or node != publisher]
    subscriptions = tuple(Subscription(-inf, node, TopicInterest(NEWS)) for node in subscribers)
    published = tuple(Publication(at_s, publisher, NEWS, validity_s, 400) for at_s in (1.0, 2.0, 2.0))
    return network(
        protocol, (*in_line, beside), (*subscriptions, Subscription(-inf, count, TopicInterest(OTHER))), published
    )


HEALED_S = 15.0
"""When the two groups of ``healing_partition`` come into reach of each other, from the start of the measurement."""


def healing_partition(protocol: type[PubSub]) -> Setup:
    """Return two pairs of subscribers, 4 km apart; the second comes to the first 15 s into the measurement."""
    settle_s = 5.0
    here = tuple(((0.0, x_m, 0.0),) for x_m in (0.0, 200.0))
    come = tuple(
        ((0.0, 4000.0 + x_m, 0.0), (settle_s + HEALED_S - 1.0, 4000.0 + x_m, 0.0), (settle_s + HEALED_S, x_m, 0.0))
        for x_m in (400.0, 600.0)
    )
    subscriptions = tuple(Subscription(-inf, node, TopicInterest(NEWS)) for node in range(4))
    return network(protocol, (*here, *come), subscriptions, (Publication(1.0, 0, NEWS, 29.0, 400),))
