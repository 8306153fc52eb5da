"""Our cases in ns-3: the same movement, phases and publications, written as files that its program reads.

Movement by file is fair to ns-3: it takes no more CPU time than ns-3's own random waypoint does (docs/performance.md),
and the reading of the files is not counted.
"""

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.beacon import BeaconParameters, phases_s
from benchmarks.flood import FloodParameters, Publications
from benchmarks.ns3_program import Ns3
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.trajectories import Trajectories

PROGRAM = "broadcast"
SCHEDULER = "ns3::PriorityQueueScheduler"
"""The fastest of ns-3's event queues in these cases, some 10 % ahead of its default."""
REPEATED_CPU_S = 10.0
"""ns-3's runs are repeated until they have taken this long together."""


@dataclass(frozen=True, slots=True)
class Ns3Measurement:
    """The cost of a case in ns-3."""

    frames: int
    receptions: int
    repeats: int
    cpu_s_best: float
    """Installing the nodes and running, without the start of the process and the reading of files."""
    cpu_s_median: float
    peak_memory_mb: float


def measure_in_ns3(ns3: Ns3, setup: Setup, seed: int, repeats: int) -> Ns3Measurement:
    """Run a setup in ns-3, at most ``repeats`` times."""
    with TemporaryDirectory(prefix="roamcast-ns3-") as folder:
        options = ns3_options(setup, seed, Path(folder))
        runs: list[dict[str, Any]] = []
        while len(runs) < repeats and sum(run["cpu_s"] for run in runs) < REPEATED_CPU_S:
            runs.append(ns3.run(PROGRAM, options))
    return Ns3Measurement(
        frames=runs[0]["frames"],
        receptions=runs[0]["receptions"],
        repeats=len(runs),
        cpu_s_best=min(run["cpu_s"] for run in runs),
        cpu_s_median=median(run["cpu_s"] for run in runs),
        peak_memory_mb=max(run["peak_memory_mb"] for run in runs),
    )


def ns3_options(setup: Setup, seed: int, folder: Path) -> dict[str, object]:
    """Write what a run needs into a folder and return the options of the program."""
    if not isinstance(setup.radio, Range):
        raise TypeError(f"ns-3 is given discs, not {setup.radio}")
    movement, schedule = folder / "movement.txt", folder / "schedule.txt"
    streams = RandomStreams(seed)
    write_movement(setup.mobility.trajectories(setup.nodes, setup.area, setup.duration_s, streams), movement)
    schedule.write_text("".join(f"{node} {at_s!r}\n" for node, at_s in _schedule(setup, seed)), "utf-8")
    return {
        "nodes": setup.nodes,
        "range": setup.radio.range_m,
        "duration": setup.duration_s,
        "movement": movement,
        "schedule": schedule,
        "RngRun": seed,
        "SchedulerType": SCHEDULER,
        **_traffic_options(setup),
    }


def write_movement(trajectories: Trajectories, path: Path) -> None:
    """Write the points of every node, one in a line: node, time, place."""
    columns = (trajectories.time_s.tolist(), trajectories.x_m.tolist(), trajectories.y_m.tolist())
    points = list(zip(*columns, strict=True))
    with path.open("w", encoding="utf-8") as file:
        for node in range(trajectories.count):
            for time_s, x_m, y_m in points[trajectories.offsets[node] : trajectories.offsets[node + 1]]:
                file.write(f"{node} {time_s!r} {x_m!r} {y_m!r}\n")


def _traffic_options(setup: Setup) -> dict[str, object]:
    traffic, workload = setup.parameters, setup.workload
    if isinstance(traffic, BeaconParameters):
        return {"kind": "periodic", "payload": traffic.size_bytes, "period": traffic.period_s}
    if isinstance(traffic, FloodParameters) and isinstance(workload, Publications):
        hops = {"ttl": traffic.ttl, "jitter": traffic.jitter_s_max}
        return {"kind": "flood", "payload": workload.size_bytes, **hops}
    raise TypeError(f"ns-3 has no program for {traffic}")


def _schedule(setup: Setup, seed: int) -> list[tuple[int, float]]:
    """Return who sends first when, or who publishes when."""
    if isinstance(setup.parameters, BeaconParameters):
        return list(enumerate(phases_s(setup.nodes, setup.parameters.period_s, seed)))
    workload = setup.workload.workload(setup.nodes, setup.duration_s, RandomStreams(seed))
    return [(each.node, each.at_s) for each in workload.publications]
