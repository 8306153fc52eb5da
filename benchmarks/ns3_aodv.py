"""ns-3's AODV on the movement and the packets of ours, written to ``roamcast/validation/ns3_aodv.json``.

It is given the parameters that ours has; docs/routing.md says what it delivers as it comes, and why.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import roamcast.validation
from benchmarks.ns3_cases import SCHEDULER, write_movement
from benchmarks.ns3_program import Ns3
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.validation.aodv import DURATION_S, NODES, RANGE_M, SETTLE_S, SPEEDS_MPS, waypoint_setup
from roamcast.validation.parcels import PACKET_BYTES, addressee

AODV_REFERENCE = Path(roamcast.validation.__file__).parent / "ns3_aodv.json"
PROGRAM = "aodv"
OUR_PARAMETERS: dict[str, object] = {
    "ns3::aodv::RoutingProtocol::DestinationOnly": 1,
    "ns3::aodv::RoutingProtocol::MyRouteTimeout": "6s",
    "arp": 0,
}
"""The D flag; the RFC's MY_ROUTE_TIMEOUT, of which ns-3 makes 11.2 s; ARP, which our nodes do not need, left out."""
ATTRIBUTES = {
    "radio": "as in ns3.json, but RangePropagationLossModel MaxRange 250 m and a queue of 50 frames; 802.11b, 2 Mbit/s",
    "our_parameters": "ns-3's AODV with DestinationOnly, MyRouteTimeout 6 s, addresses known (NeighborCacheHelper)",
    "packets": "UDP, 512 bytes of payload, when and between whom ours are sent; movement begins 5 s before",
    "lost": "numbers of the packets in the order of sending",
    "link_broke_at_sender": "packets that were lost since the sender's own MAC gave them up; ours seeks a route again",
    "link_broke_at_relay": "packets that were lost since a relay's MAC gave them up",
    "frames_by_kind": "on the air during the measurement, repetitions included, ACK not",
}
KEPT = ("latency_median_s", "latency_mean_s", "link_broke_at_sender", "link_broke_at_relay", "frames_by_kind")


def aodv_reference(ns3: Ns3, seeds: int, processes: int) -> dict[str, Any]:
    """Run the flows at every speed."""
    ns3.program(PROGRAM)  # compiled once, not by each of the threads
    return {
        "ns3": ns3.version,
        "attributes": ATTRIBUTES,
        "our_parameters": _series(ns3, seeds, processes),
    }


def aodv_options(setup: Setup, seed: int, folder: Path) -> dict[str, object]:
    """Write what a run needs into a folder and return the options of the program."""
    movement, schedule = folder / "movement.txt", folder / "schedule.txt"
    ends_at_s = SETTLE_S + setup.duration_s
    write_movement(setup.mobility.trajectories(setup.nodes, setup.area, ends_at_s, RandomStreams(seed)), movement)
    packets = setup.workload.workload(setup.nodes, setup.duration_s, RandomStreams(seed)).publications
    lines = (f"{each.node} {addressee(str(each.topic))} {SETTLE_S + each.at_s!r}\n" for each in packets)
    schedule.write_text("".join(lines), "utf-8")
    return {
        "nodes": setup.nodes,
        "range": RANGE_M,
        "duration": ends_at_s,
        "counted": SETTLE_S,
        "payload": PACKET_BYTES,
        "movement": movement,
        "schedule": schedule,
        "RngRun": seed,
        "SchedulerType": SCHEDULER,
    }


def show_aodv(found: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = [
        f"ns-3 {found['ns3']}, AODV, {NODES} nodes: mean over seeds",
        f"{'':8} {'seeds':>5} {'delivered':>9} {'(lowest-highest)':>17} {'latency s: median':>17} {'mean':>6} "
        f"{'frames':>8}",
    ]
    for series in found["our_parameters"]:
        runs, label = series["runs"], f"{series['speed_mps']} m/s"
        shares = [run["delivered"] for run in runs]
        frames = mean(sum(run["frames_by_kind"].values()) for run in runs)
        lines.append(
            f"{label:8} {len(runs):5} {mean(shares):9.3f} {f'({min(shares):.3f}-{max(shares):.3f})':>17} "
            f"{_mean(runs, 'latency_median_s'):17.3f} {_mean(runs, 'latency_mean_s'):6.3f} {frames:8,.0f}"
        )
    return "\n".join(lines)


def _series(ns3: Ns3, seeds: int, processes: int) -> list[dict[str, Any]]:
    jobs = [(speed_mps, seed) for speed_mps in SPEEDS_MPS for seed in range(1, seeds + 1)]

    def run(job: tuple[int, int]) -> dict[str, Any]:
        setup = waypoint_setup("aodv", float(job[0]), DURATION_S, job[1])
        with TemporaryDirectory(prefix="roamcast-ns3-") as folder:
            return ns3.run(PROGRAM, {**aodv_options(setup, job[1], Path(folder)), **OUR_PARAMETERS})

    with ThreadPoolExecutor(processes) as pool:  # each waits for a process of its own
        runs = list(pool.map(run, jobs))
    return [
        {
            "speed_mps": speed_mps,
            "packets": runs[place * seeds]["packets"],
            "runs": [_kept(run) for run in runs[place * seeds : (place + 1) * seeds]],
        }
        for place, speed_mps in enumerate(SPEEDS_MPS)
    ]


def _kept(run: dict[str, Any]) -> dict[str, Any]:
    delivered = round(1 - len(run["lost"]) / run["packets"], 4)
    return {"delivered": delivered, "lost": run["lost"]} | {key: run[key] for key in KEPT}


def _mean(runs: list[dict[str, Any]], key: str) -> float:
    return mean([float(run[key]) for run in runs])
