"""Our cases as scenarios of ns-2: the same movement, phases and packets, written in Tcl.

ns-2 has 802.11 and an AODV of its own, all in C++; Tcl only sets them up, and each node's next leg. Sizes are chosen so
that every data frame is on the air as long as ours: ns-2 adds 34 bytes of MAC header (with a fourth address) and FCS,
and its AODV 20 of the IP header.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import dist
from pathlib import Path

from benchmarks.beacon import BeaconParameters, phases_s
from benchmarks.setups import NS2_RADIO
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.trajectories import Trajectories
from roamcast.validation.parcels import PACKET_BYTES, Flows, ParcelParameters

NETWORK = Path(__file__).parent / "ns2" / "network.tcl"
BROADCAST, UNLIMITED = -1, 2**28
MAC_BYTES, IP_BYTES = 34, 20
"""The bytes that ns-2's 802.11, its preamble aside, and its AODV add to a packet."""
EDGE_M = 1.0
"""The ground is this much larger on each side: ns-2 refuses nodes on its border."""
TRANSMIT_W, ANTENNA_M = 0.28183815, 1.5
"""ns-2's power and antenna height. Beyond 86 m its two-ray ground is power * height^4 / distance^4."""
CROSSOVER_M = 87.0
CAPTURE_NEVER = 1e12
"""A disc has no capture: whatever overlaps is lost."""


def write_scenario(setup: Setup, seed: int, folder: Path, is_traced: bool) -> tuple[Path, Path]:
    """Write a scenario into a folder; return its file and the one that its result will be in."""
    name = "traced" if is_traced else "timed"
    scenario, result = folder / f"{name}.tcl", folder / f"{name}.txt"
    options = _options(setup, seed) | {
        "trace": trace_file(folder) if is_traced else "/dev/null",
        "is_traced": "ON" if is_traced else "OFF",
        "result": result,
    }
    streams, ends_at_s = RandomStreams(seed), _ends_at_s(setup)
    with scenario.open("w", encoding="utf-8") as file:
        file.writelines(f"set options({key}) {{{value}}}\n" for key, value in options.items())
        file.write(f"source {{{NETWORK}}}\nmake_network\n")
        file.writelines(_movement(setup.mobility.trajectories(setup.nodes, setup.area, ends_at_s, streams), ends_at_s))
        file.writelines(_beacons(setup, seed) if isinstance(setup.parameters, BeaconParameters) else _flows(setup))
        file.write("measure\n")
    return scenario, result


def trace_file(folder: Path) -> Path:
    """Return where a traced scenario writes its trace."""
    return folder / "trace.tr"


def _ends_at_s(setup: Setup) -> float:
    return max(setup.warmup_s, setup.settle_s) + setup.duration_s


def _options(setup: Setup, seed: int) -> dict[str, object]:
    mac = setup.mac
    if replace(mac, rts_threshold_bytes=0) != Dcf(rts_threshold_bytes=0):
        raise TypeError(f"ns-2 is given 802.11b as it comes, not {mac}")
    propagation = setup.radio.propagation()
    if setup.radio != NS2_RADIO and not (isinstance(setup.radio, Range) and propagation.range_m >= CROSSOVER_M):
        raise TypeError(f"ns-2 is given its own radio, or discs of {CROSSOVER_M:g} m and more, not {setup.radio}")
    return {
        "nodes": setup.nodes,
        "seed": seed,
        "side_m": max(setup.area.width_m, setup.area.height_m) + 2 * EDGE_M,
        "duration_s": _ends_at_s(setup),
        "transmit_w": TRANSMIT_W,
        "receive_w": TRANSMIT_W * ANTENNA_M**4 / propagation.range_m**4,
        "sense_w": TRANSMIT_W * ANTENNA_M**4 / propagation.sense_range_m**4,
        "capture": min(propagation.capture_ratio, CAPTURE_NEVER),
        "bitrate_bps": 2e6,
        "control_bitrate_bps": 1e6,
        "rts_threshold_bytes": mac.rts_threshold_bytes,
        "queue_frames_max": mac.queue_frames_max,
        "routing": "DumbAgent" if isinstance(setup.parameters, BeaconParameters) else "AODV",
    }


def _movement(trajectories: Trajectories, ends_at_s: float) -> Iterator[str]:
    """Yield where each node starts, and each of its legs as the place it goes to and its speed."""
    points = list(zip(trajectories.time_s.tolist(), trajectories.x_m.tolist(), trajectories.y_m.tolist(), strict=True))
    for node in range(trajectories.count):
        walk = points[trajectories.offsets[node] : trajectories.offsets[node + 1]]
        yield f"$node({node}) set X_ {walk[0][1] + EDGE_M!r}\n$node({node}) set Y_ {walk[0][2] + EDGE_M!r}\n"
        for (from_s, *here), (to_s, *there) in pairwise(walk):
            if here != there and from_s < ends_at_s:
                x_m, y_m, speed_mps = there[0] + EDGE_M, there[1] + EDGE_M, dist(here, there) / (to_s - from_s)
                yield f'$ns at {from_s!r} "$node({node}) setdest {x_m!r} {y_m!r} {speed_mps!r}"\n'


def _beacons(setup: Setup, seed: int) -> Iterator[str]:
    """Yield a broadcast each period of every node; every node receives them."""
    parameters, header_bytes = setup.parameters, setup.mac.header_bytes
    if not isinstance(parameters, BeaconParameters):
        raise TypeError(f"ns-2 has no traffic for {parameters}")
    size_bytes = parameters.size_bytes + header_bytes - MAC_BYTES
    for node, at_s in enumerate(phases_s(setup.nodes, parameters.period_s, seed)):
        yield f"send_packets {node} {BROADCAST} {size_bytes} {parameters.period_s!r} {at_s!r} {UNLIMITED}\n"
        yield f"receive_packets {node}\n"


def _flows(setup: Setup) -> Iterator[str]:
    """Yield the packets of each pair, as many as ours sends."""
    parameters, flows = setup.parameters, setup.workload
    if not isinstance(parameters, ParcelParameters) or parameters.router != "aodv" or not isinstance(flows, Flows):
        raise TypeError(f"ns-2 has no traffic for {parameters}")
    size_bytes = PACKET_BYTES + AodvParameters().header_bytes - IP_BYTES + setup.mac.header_bytes - MAC_BYTES
    begins_at_s = _ends_at_s(setup) - setup.duration_s
    packets = flows.workload(setup.nodes, setup.duration_s, RandomStreams(0)).publications
    for flow, (one, other) in enumerate(flows.pairs):
        at_s = begins_at_s + flows.every_s * (flow + 0.5) / len(flows.pairs)
        count = sum((packet.node, str(packet.topic)) == (one, f"to.{other}") for packet in packets)
        yield f"send_packets {one} {other} {size_bytes} {flows.every_s!r} {at_s!r} {count}\n"
    yield from (f"receive_packets {node}\n" for node in sorted({other for _, other in flows.pairs}))
