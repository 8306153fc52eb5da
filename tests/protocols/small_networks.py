"""Small networks in a real simulation, for the conformance of protocols: a line, and a partition that heals.

Run as a script it prints the digest of each protocol's run on the line, for a comparison between processes.
"""

import sys
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from roamcast.core.host import PubSub
from roamcast.core.interests import TopicInterest
from roamcast.core.topics import Topic
from roamcast.protocols import load_protocol, protocol_names
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.movement import Area, Point, Trajectories
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.simulation import simulate
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

NEWS, OTHER = Topic("news"), Topic("other")
SPACING_M, RANGE_M = 200.0, 250.0


@dataclass(frozen=True)
class GivenPaths(MobilityModel):
    """Nodes that move as the test says."""

    summary: ClassVar[str] = "paths of a test"
    paths: tuple[tuple[Point, ...], ...]

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:  # noqa: ARG002
        """Return the paths."""
        return Trajectories.from_points([list(path) for path in self.paths])


@dataclass(frozen=True)
class GivenWorkload(WorkloadModel):
    """People who do what the test says."""

    summary: ClassVar[str] = "deeds of a test"
    given: Workload

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        """Return the deeds."""
        return self.given


def network(
    protocol: type[PubSub],
    paths: tuple[tuple[Point, ...], ...],
    subscriptions: tuple[Subscription, ...],
    publications: tuple[Publication, ...],
    parameters: object | None = None,
    duration_s: float = 30.0,
) -> Setup:
    """Return a setup in which nodes hear each other up to 250 m."""
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
    """Return subscribers in a line, each hearing the next, and a node beside the first that asks for other things."""
    in_line = tuple(((0.0, SPACING_M * node, 0.0),) for node in range(count))
    beside = ((0.0, 0.0, 50.0),)
    subscribers = [node for node in range(count) if publisher_subscribes or node != publisher]
    wishes = tuple(Subscription(-inf, node, TopicInterest(NEWS)) for node in subscribers)
    published = tuple(Publication(at_s, publisher, NEWS, validity_s, 400) for at_s in (1.0, 2.0, 2.0))
    return network(protocol, (*in_line, beside), (*wishes, Subscription(-inf, count, TopicInterest(OTHER))), published)


HEALED_S = 15.0
"""When, from the start of the measurement, the two groups of ``healing_partition`` are within range."""


def healing_partition(protocol: type[PubSub]) -> Setup:
    """Return two pairs far apart, of which the second comes to the first 15 s after the measurement's start."""
    settle_s = 5.0
    here = tuple(((0.0, x_m, 0.0),) for x_m in (0.0, 200.0))
    come = tuple(
        ((0.0, 4000.0 + x_m, 0.0), (settle_s + HEALED_S - 1.0, 4000.0 + x_m, 0.0), (settle_s + HEALED_S, x_m, 0.0))
        for x_m in (400.0, 600.0)
    )
    wishes = tuple(Subscription(-inf, node, TopicInterest(NEWS)) for node in range(4))
    return network(protocol, (*here, *come), wishes, (Publication(1.0, 0, NEWS, 29.0, 400),))


def line_digests() -> dict[str, str]:
    """Return the digest of each protocol's run on the line."""
    return {name: simulate(line(load_protocol(name)), seed=7).digest() for name in protocol_names()}


if __name__ == "__main__":
    sys.stdout.write("".join(f"{name} {digest}\n" for name, digest in line_digests().items()))
