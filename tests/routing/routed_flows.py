"""Flows of packets through a router in the real simulator: a publish/subscribe protocol that is nothing but addresses.

An event of the topic ``to.5`` is sent to node 5, which asks for that topic, so the run's own facts say what arrived.
Run as a script it prints what a router delivers among 60 nodes in random waypoint, at three speeds:

    python tests/routing/routed_flows.py [aodv|gpsr] [duration_s] [seeds]

and what AODV's options do where many send to few:

    python tests/routing/routed_flows.py gathering
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from typing import Any, ClassVar

from roamcast.core.events import Event
from roamcast.core.host import Host, Position, PubSub
from roamcast.core.interests import Interest, TopicInterest
from roamcast.core.messages import Message
from roamcast.core.topics import Topic
from roamcast.routing import RouterUser, RoutingMessage, RoutingToken, load_router
from roamcast.routing._aodv_parameters import AodvParameters
from roamcast.sim.facts import Facts
from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.movement import Area
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulation import Setup, simulate
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel

PACKET_BYTES, EVERY_S, VALIDITY_S = 512, 10.0, 60.0
SETTLE_S = 5.0
"""Movement and the router begin this long before the measurement."""
RANGE_M = 250.0


@dataclass(frozen=True, slots=True)
class Parcel(Message):
    """An event for one node."""

    kind: ClassVar[str] = "parcel"
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.event,)


@dataclass(frozen=True, slots=True)
class ParcelParameters:
    """Which router carries the parcels, and where everybody is, for a router that must know."""

    router: str = "aodv"
    router_parameters: object | None = None
    """None: the router's defaults."""
    hosts: dict[int, Host] = field(default_factory=dict)


class ParcelService(PubSub, RouterUser):
    """Send each event to the node that its topic names."""

    Parameters: ClassVar[type[Any]] = ParcelParameters
    summary = "one event, one node"

    def __init__(self, host: Host, parameters: ParcelParameters) -> None:
        router = load_router(parameters.router)
        self._host = host
        self._hosts = parameters.hosts
        self._hosts[host.node] = host
        given = parameters.router_parameters
        self._router = router(host, router.Parameters() if given is None else given, self)
        self._seen: set[Event] = set()

    def start(self) -> None:
        self._router.start()

    def subscribe(self, interest: Interest) -> None: ...

    def unsubscribe(self, interest: Interest) -> None: ...

    def publish(self, event: Event) -> None:
        to = int(str(event.topic).split(".")[1])
        self._router.send(Parcel(event.size_bytes, event), to, self._place_of(to))

    def on_packet(self, payload: Message, origin: int) -> None:  # noqa: ARG002 - anybody may send
        for event in payload.events:
            if event not in self._seen:
                self._seen.add(event)
                self._host.deliver(event)

    def on_message(self, message: Message, sender: int) -> None:
        if isinstance(message, RoutingMessage):
            self._router.on_message(message, sender)

    def on_wake(self, token: Any) -> None:
        if isinstance(token, RoutingToken):
            self._router.on_wake(token)

    def on_unicast_failed(self, message: Message, to: int) -> None:
        if isinstance(message, RoutingMessage):
            self._router.on_unicast_failed(message, to)

    def storage_bytes(self) -> int:
        return self._router.storage_bytes()

    def _place_of(self, node: int) -> Position | None:
        return self._hosts[node].position()


@dataclass(frozen=True)
class Flows(WorkloadModel):
    """A packet every ten seconds on each pair (from, to), each pair at a phase of its own."""

    summary: ClassVar[str] = "flows of a test"
    pairs: tuple[tuple[int, int], ...]
    every_s: float = EVERY_S

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        packets = []
        for flow, (one, other) in enumerate(self.pairs):
            at_s = self.every_s * (flow + 0.5) / len(self.pairs)
            while at_s < duration_s - self.every_s:  # the last ones have time to arrive
                packets.append(Publication(at_s, one, Topic(f"to.{other}"), VALIDITY_S, PACKET_BYTES))
                at_s += self.every_s
        ends = sorted({other for _, other in self.pairs})
        wishes = tuple(Subscription(-inf, node, TopicInterest(Topic(f"to.{node}"))) for node in ends)
        return Workload(wishes, tuple(sorted(packets, key=lambda each: each.at_s)))


def flow_setup(
    router: str, nodes: int, mobility: MobilityModel, pairs: tuple[tuple[int, int], ...], duration_s: float
) -> Setup:
    """Return flows among nodes with a range of 250 m, at 2 Mbit/s, in a square kilometre."""
    return Setup(
        nodes=nodes,
        area=Area(1000.0, 1000.0),
        duration_s=duration_s,
        warmup_s=0.0,
        settle_s=SETTLE_S,
        processing_s_max=0.001,
        mobility=mobility,
        radio=Range(range_m=RANGE_M),
        mac=Dcf(),
        workload=Flows(pairs),
        protocol=ParcelService,
        parameters=ParcelParameters(router),
    )


def waypoint_setup(router: str, speed_mps: float, duration_s: float, seed: int, nodes: int = 60) -> Setup:
    """Return ten flows between different nodes, drawn by the seed, in random waypoint without pauses."""
    ends = Random(seed).sample(range(nodes), 20)
    pairs = tuple(zip(ends[:10], ends[10:], strict=True))
    return flow_setup(router, nodes, RandomWaypoint(speed_mps=(speed_mps, speed_mps)), pairs, duration_s)


def gathering_setup(speed_mps: float, sense_range_m: float, given: AodvParameters) -> Setup:
    """Return 39 flows of a packet a second from different nodes to four, over AODV, for 100 s."""
    draws = Random(1)
    senders, receivers = draws.sample(range(60), 40), draws.sample(range(60), 4)
    pairs = tuple((one, receivers[place % 4]) for place, one in enumerate(senders) if one != receivers[place % 4])
    return replace(
        waypoint_setup("aodv", speed_mps, 100.0, seed=1),
        radio=Range(range_m=RANGE_M, sense_range_m=sense_range_m),
        workload=Flows(pairs, every_s=1.0),
        parameters=ParcelParameters("aodv", given),
    )


def compare_options() -> None:
    """Print what is delivered with and without answers of others and local repair."""
    for only, repairs in ((False, False), (False, True), (True, False), (True, True)):
        given = AodvParameters(destination_only=only, local_repair=repairs)
        cases = ((10.0, 250.0), (10.0, 550.0), (30.0, 250.0))
        shares = [delivered(simulate(gathering_setup(*case, given), seed=1)) for case in cases]
        shown = ", ".join(f"{share:.4f}" for share in shares)
        sys.stdout.write(f"destination_only = {only}, local_repair = {repairs}: {shown}\n")


def delivered(facts: Facts) -> float:
    """Return the share of the packets that arrived."""
    return len(facts.deliveries) / len(facts.publications)


def reachable(setup: Setup, seed: int) -> float:
    """Return the share of the packets to whose destination there was a path when they were sent."""
    streams = RandomStreams(seed)
    paths = setup.mobility.trajectories(setup.nodes, setup.area, SETTLE_S + setup.duration_s, streams)
    packets = setup.workload.workload(setup.nodes, setup.duration_s, streams).publications
    found = 0
    for packet in packets:
        places = paths.positions(SETTLE_S + packet.at_s)
        away = places[:, None, :] - places[None, :, :]
        near = (away * away).sum(axis=2) <= RANGE_M * RANGE_M
        reached = near[packet.node]
        for _ in range(setup.nodes):
            reached = near[reached].any(axis=0)
        found += bool(reached[int(str(packet.topic).split(".")[1])])
    return found / len(packets)


def main(router: str = "aodv", duration_s: str = "900", seeds: str = "3") -> None:
    """Print what is delivered, how soon, at what cost."""
    if router == "gathering":
        compare_options()
        return
    for speed_mps in (1.0, 10.0, 20.0):
        shares, bounds, latencies_s, frames, reasons = [], [], [], 0, Counter[str]()
        began_s = time.process_time()
        for seed in range(1, int(seeds) + 1):
            setup = waypoint_setup(router, speed_mps, float(duration_s), seed)
            facts = simulate(setup, seed)
            bounds.append((setup, seed))
            shares.append(delivered(facts))
            latencies_s += [each.latency_s for each in facts.deliveries]
            frames += facts.frames
            for each in facts.drops:
                reasons[each.reason] += each.times
        cpu_s = (time.process_time() - began_s) / int(seeds)
        possible = sum(reachable(*each) for each in bounds) / len(bounds)
        latencies_s.sort()
        each_share = ", ".join(f"{share:.4f}" for share in shares)
        median_s, mean_s = latencies_s[len(latencies_s) // 2], sum(latencies_s) / len(latencies_s)
        sys.stdout.write(
            f"{router} {speed_mps:g} m/s: delivered {sum(shares) / len(shares):.4f} ({each_share}), had a path "
            f"{possible:.4f}; latency median {median_s:.4f} s, mean {mean_s:.4f} s; a run has "
            f"{frames // int(seeds)} frames and takes {cpu_s:.1f} s of CPU\n    {dict(reasons)}\n"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
