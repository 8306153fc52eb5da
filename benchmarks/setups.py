"""The runs that are measured, as the reference and the issue on speed state them.

Nodes start cold, uniformly placed, and there is no warm-up: the reference names none, and ns-3's random waypoint starts
so. Every run can be shrunk, for tests and for warming up.
"""

from dataclasses import replace
from math import log10

from benchmarks.beacon import Beacon, BeaconParameters, Silence
from benchmarks.flood import Flood, FloodParameters, Publications
from roamcast.core.host import PubSub
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.radio.range import Range
from roamcast.sim.radio.two_ray_ground import TwoRayGround
from roamcast.sim.setup import Setup
from roamcast.sim.trajectories import Area
from roamcast.sim.workload import WorkloadModel
from roamcast.validation.aodv import waypoint_setup
from roamcast.validation.parcels import Flows

HEARTBEATS_PER_M2 = 150 / 5000**2
"""The Frugal paper's density."""
FLOWS_SEED = 1
"""Draws who sends to whom; the movement is drawn by the run's own seed."""


def _dbm(power_w: float) -> float:
    return 10 * log10(1000 * power_w)


NS2_RADIO = TwoRayGround(
    transmit_power_dbm=_dbm(0.28183815),
    sensitivity_dbm=_dbm(3.652e-10),
    sense_threshold_dbm=_dbm(1.559e-11),
    antenna_efficiency=1.0,
    frequency_hz=914e6,
)
"""The radio of ns-2 as it comes, by its own numbers in watts: received to 250 m, sensed to 550 m, capture at 10 dB."""


def _setup(
    nodes: int,
    side_m: float,
    duration_s: float,
    range_m: float,
    mobility: RandomWaypoint,
    traffic: tuple[WorkloadModel, type[PubSub], object],
) -> Setup:
    workload, protocol, parameters = traffic
    return Setup(
        nodes=nodes,
        area=Area(side_m, side_m),
        duration_s=duration_s,
        warmup_s=0.0,
        settle_s=0.0,
        processing_s_max=0.0,
        mobility=mobility,
        radio=Range(range_m),
        mac=Dcf(),
        workload=workload,
        protocol=protocol,
        parameters=parameters,
    )


def heartbeats(nodes: int = 150, duration_s: float = 180.0) -> Setup:
    """Return 50 bytes a second of every node at the Frugal paper's density, speed and range."""
    side_m = (nodes / HEARTBEATS_PER_M2) ** 0.5
    walk = RandomWaypoint((10.0, 10.0), 1.0, "cold")
    return _setup(nodes, side_m, duration_s, 339.0, walk, (Silence(), Beacon, BeaconParameters()))


def dense(nodes: int = 100, duration_s: float = 60.0) -> Setup:
    """Return five frames of 512 bytes a second of every node, among some seven neighbours."""
    walk = RandomWaypoint((10.0, 20.0), 0.0, "cold")
    return _setup(nodes, 1000.0, duration_s, 150.0, walk, (Silence(), Beacon, BeaconParameters(512, 0.2)))


def flood(nodes: int = 500, duration_s: float = 30.0) -> Setup:
    """Return a flood of 25 publications a second over slow nodes."""
    walk = RandomWaypoint((2.0, 2.0), 10.0, "cold")
    return _setup(nodes, 2000.0, duration_s, 150.0, walk, (Publications(), Flood, FloodParameters()))


def flows(duration_s: float = 300.0) -> Setup:
    """Return ten flows of a packet a second over AODV among 60 nodes, with the radio and RTS that ns-2 comes with."""
    return replace(disc_flows(duration_s), radio=NS2_RADIO, mac=Dcf(rts_threshold_bytes=0))


def disc_flows(duration_s: float = 300.0) -> Setup:
    """Return the same flows with discs of 250 m and without RTS."""
    setup = waypoint_setup("aodv", 10.0, duration_s, FLOWS_SEED)
    pairs = setup.workload.pairs if isinstance(setup.workload, Flows) else ()
    return replace(setup, workload=Flows(pairs, every_s=1.0))
