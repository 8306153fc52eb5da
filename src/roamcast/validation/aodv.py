"""AODV: ten flows among moving nodes, compared with ns-3's AODV on the same movement with the same packets.

ns-3 was configured like ours: only the destination answers (the D flag), the RFC's MY_ROUTE_TIMEOUT (ns-3 has 11.2 s),
and addresses that need no ARP. With its own defaults it delivers far less; docs/routing.md has both results and the
reasons. Ours is also compared with what the network allows: a packet should arrive if there is a path to its
destination when it is sent, whatever ns-3 loses.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.hops import within_hops
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.trajectories import Area
from roamcast.validation.cases import Case, Expectation, Group, Quantity, Reference
from roamcast.validation.ns3 import aodv_lost, aodv_packets
from roamcast.validation.parcels import Flows, ParcelParameters, ParcelService, addressee

if TYPE_CHECKING:
    from roamcast.routing.aodv.parameters import AodvParameters

DELIVERED = Quantity("delivered", "delivered", is_share=True)
APART = Quantity("delivered_apart", "less ns-3's, same packets", is_share=True)
SPARED = Quantity("delivered_spared", "less what had a path", is_share=True)

NODES, FLOWS = 60, 10
AREA = Area(1000.0, 1000.0)
RANGE_M = 250.0
SETTLE_S = 5.0
"""Movement and the router begin this long before the measurement."""
SPEEDS_MPS = (1, 10, 20)
DURATION_S = 300.0
LOST_MAX = 0.01
"""The share of packets with a path that may be lost, since links break while a packet is on its way. Our choice."""
TOLERANCE = 0.05
"""A few per cent of the packets may be lost by one and not by the other. Half of ns-3's losses were given up by the
sender's own MAC; with ours such a packet waits for a new route (docs/routing.md)."""


def flow_setup(
    router: str, nodes: int, mobility: MobilityModel, pairs: tuple[tuple[int, int], ...], duration_s: float
) -> Setup:
    """Return a setup with flows among nodes with a range of 250 m, at 2 Mbit/s, in a square kilometre."""
    return Setup(
        nodes=nodes,
        area=AREA,
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


def waypoint_setup(router: str, speed_mps: float, duration_s: float, seed: int, nodes: int = NODES) -> "Setup":
    """Return a setup with ten flows between different nodes, drawn by the seed, in random waypoint without pauses."""
    ends = Random(seed).sample(range(nodes), 2 * FLOWS)
    pairs = tuple(zip(ends[:FLOWS], ends[FLOWS:], strict=True))
    return flow_setup(router, nodes, RandomWaypoint(speed_mps=(speed_mps, speed_mps)), pairs, duration_s)


def had_a_path(setup: Setup, seed: int) -> float:
    """Return the share of the packets with a path to their destination when they were sent."""
    streams = RandomStreams(seed)
    paths = setup.mobility.trajectories(setup.nodes, setup.area, SETTLE_S + setup.duration_s, streams)
    packets = setup.workload.workload(setup.nodes, setup.duration_s, streams).publications
    range_m = np.full(setup.nodes, RANGE_M)
    found = sum(
        addressee(str(packet.topic)) in within_hops(paths, range_m, packet.node, setup.nodes, SETTLE_S + packet.at_s)
        for packet in packets
    )
    return found / len(packets) if packets else 1.0


def run_aodv(
    speed_mps: int, seed: int, duration_s: float, given: "AodvParameters | None" = None
) -> Mapping[str, float]:
    """Run the flows over AODV, with its default parameters unless others are given, and count what arrives."""
    from roamcast.sim.simulation import simulate

    setup = waypoint_setup("aodv", float(speed_mps), duration_s, seed)
    facts = simulate(replace(setup, parameters=ParcelParameters("aodv", given)), seed)
    packets = len(facts.publications)
    delivered = len(facts.deliveries) / packets if packets else 1.0
    outcome = {DELIVERED.name: delivered, SPARED.name: delivered - had_a_path(setup, seed)}
    theirs = aodv_lost(speed_mps)
    if seed <= len(theirs):  # ns-3 was given the movement of these seeds
        lost = sum(number < packets for number in theirs[seed - 1])
        outcome[APART.name] = delivered - (1 - lost / packets if packets else 1.0)
    return outcome


def _reference(speed_mps: int) -> Reference:
    """Return ns-3's share of delivered packets; only the mean, so that the tolerance decides, not its spread."""
    lost = [len(packets) for packets in aodv_lost(speed_mps)]
    return Reference(1 - sum(lost) / (len(lost) * aodv_packets(speed_mps)))


def _case(speed_mps: int) -> Case:
    return Case(
        name=f"aodv-{speed_mps}",
        title=f"{speed_mps} m/s",
        run=partial(run_aodv, speed_mps),
        duration_s=DURATION_S,
        quick_duration_s=100.0,
        expectations=(
            Expectation(DELIVERED, _reference(speed_mps), tolerance=TOLERANCE),
            Expectation(APART, Reference(0.0, -TOLERANCE, TOLERANCE)),
            Expectation(SPARED, Reference(None, -LOST_MAX, 1.0)),
        ),
    )


AODV = Group(
    name="aodv",
    title="AODV",
    about="60 nodes in random waypoint on 1 x 1 km, range 250 m; ten flows of 512 bytes every 10 s.",
    source="its AODV with the D flag, the RFC's MY_ROUTE_TIMEOUT and no ARP, on our movement, 300 s,"
    f" {len(aodv_lost(SPEEDS_MPS[0]))} seeds",
    cases=tuple(_case(speed_mps) for speed_mps in SPEEDS_MPS),
)
