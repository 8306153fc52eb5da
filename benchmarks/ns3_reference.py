"""Figures of ns-3 that our MAC and our movement are checked against, written to ``roamcast/validation/ns3.json``.

The cases of the reference that the project was given (saturated broadcasters, hidden broadcasters, heartbeats) are
among them, to show that this set-up of ns-3 gives what that one gave; acknowledged unicast and 802.11a are new.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory
from typing import Any

import roamcast.validation
from benchmarks.ns3_cases import PROGRAM, SCHEDULER, ns3_options
from benchmarks.ns3_program import Ns3
from benchmarks.setups import heartbeats
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import Setup
from roamcast.sim.simulation import simulate

REFERENCE = Path(roamcast.validation.__file__).parent / "ns3.json"
COUNTS = ("data_frames", "rts_frames", "received", "dropped_at_retry_limit")
ATTRIBUTES = {
    "channel": "YansWifiChannel, ConstantSpeedPropagationDelayModel, RangePropagationLossModel MaxRange 150 m",
    "overlap": "a signal-to-interference ratio below 3 dB is a loss, anything above is received (ns3/hard_disc.h)",
    "preamble detection": "ns-3's default: 4 us, threshold 4 dB",
    "mac": "AdhocWifiMac, QosSupported false: no aggregation, no block acknowledgements",
    "rates": "ConstantRateWifiManager; data, broadcast and control as in each case; ACK at the control rate",
    "retries": "MaxSsrc 7, MaxSlrc 4; RtsCtsThreshold 65535 (short retries) or 0 (long retries for data)",
    "retries as found": "without RTS a data frame is sent 7 times at most; ns-3 3.37 never gives up an RTS",
    "fragmentation": "FragmentationThreshold 65535: none",
    "queue": "WifiMacQueue MaxSize 1000 frames, MaxDelay 100000 s: nothing expires",
    "overload": "hidden unicast without RTS at 100 frames/s each is more than the air carries: the queues fill up",
    "payload": "512 bytes, 548 on the air: MAC 24, LLC/SNAP 8, FCS 4",
    "saturated": "50 frames waiting, looked at every millisecond",
}


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """One set of options of the program, run with several seeds."""

    name: str
    duration_s: float
    options: dict[str, object]


def cases() -> Iterator[ReferenceCase]:
    """List the cases."""
    for senders in (2, 5, 10, 20, 50):
        yield ReferenceCase(f"802.11b saturated broadcast, {senders} senders", 10, {"senders": senders})
    for rate in (20, 50, 100, 150):
        options: dict[str, object] = {"kind": "hidden", "rate": rate}
        yield ReferenceCase(f"802.11b hidden broadcast, {rate} frames/s each", 200, options)
    for rts in (0, 1):
        how = "unicast with RTS" if rts else "unicast"
        for senders in (2, 5, 10, 20):
            options = {"senders": senders, "unicast": 1, "rts": rts}
            yield ReferenceCase(f"802.11b saturated {how}, {senders} senders", 10, options)
        for rate in (20, 50, 100):
            options = {"kind": "hidden", "rate": rate, "unicast": 1, "rts": rts}
            yield ReferenceCase(f"802.11b hidden {how}, {rate} frames/s each", 200, options)
    yield ReferenceCase("802.11b unicast to nobody", 10, {"kind": "nobody", "unicast": 1})
    for mbps in (6, 54):
        modes = {"standard": "a", "dataMode": f"OfdmRate{mbps}Mbps", "controlMode": "OfdmRate6Mbps"}
        for senders in (5, 20):
            options = {**modes, "senders": senders}
            yield ReferenceCase(f"802.11a {mbps} Mbit/s saturated broadcast, {senders} senders", 10, options)
        yield ReferenceCase(
            f"802.11a {mbps} Mbit/s saturated unicast, 5 senders", 10, {**modes, "senders": 5, "unicast": 1}
        )


def reference(ns3: Ns3, seeds: int, walks: int, neighbour_walks: int) -> dict[str, Any]:
    """Run every case with several seeds, the heartbeats with more, and their movement alone with many."""
    return {
        "ns3": ns3.version,
        "attributes": ATTRIBUTES,
        "seeds": seeds,
        "cases": [_measured(ns3, case, seeds) for case in cases()],
        "heartbeats": heartbeat_receptions(ns3, walks, neighbour_walks),
    }


def heartbeat_receptions(ns3: Ns3, walks: int, neighbour_walks: int) -> dict[str, Any]:
    """Count the heartbeats' receptions: ours, ns-3's on our movement, and ns-3's on its own random waypoint."""
    setup = heartbeats()
    ours, on_ours = [], []
    for seed in range(1, walks + 1):
        ours.append(simulate(setup, seed).frame_receptions)
        with TemporaryDirectory(prefix="roamcast-ns3-") as folder:
            on_ours.append(ns3.run(PROGRAM, ns3_options(setup, seed, Path(folder)))["receptions"])
    own = [ns3.run(PROGRAM, {"RngRun": seed, "SchedulerType": SCHEDULER})["receptions"] for seed in range(1, walks + 1)]
    neighbours = {"kind": "neighbours", "SchedulerType": SCHEDULER}
    seeds = range(1, neighbour_walks + 1)  # movement alone is cheap
    differences = [theirs - each for theirs, each in zip(on_ours, ours, strict=True)]
    return {
        "ours": _spread(ours),
        "ns3_on_our_movement": _spread(on_ours),
        "ns3_less_ours_seed_by_seed": _spread(differences),
        "ns3_on_its_own_random_waypoint": _spread(own),
        "in_range_ours": _spread([in_range(setup, seed) for seed in seeds]),
        "in_range_ns3": _spread([ns3.run(PROGRAM, {**neighbours, "RngRun": seed})["in_range"] for seed in seeds]),
        "receptions": {"ours": ours, "ns3_on_our_movement": on_ours, "ns3_on_its_own_random_waypoint": own},
    }


def in_range(setup: Setup, seed: int) -> int:
    """Count the pairs of nodes in range of each other, both ways, in the middle of every second of our movement."""
    trajectories = setup.mobility.trajectories(setup.nodes, setup.area, setup.duration_s, RandomStreams(seed))
    reach_m = setup.radio.propagation().range_m
    count = 0
    for second in range(int(setup.duration_s)):
        x_m, y_m = trajectories.positions(second + 0.5).T
        near = (x_m[:, None] - x_m) ** 2 + (y_m[:, None] - y_m) ** 2 <= reach_m**2
        count += int(near.sum()) - setup.nodes
    return count


def show_reference(found: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = [
        f"ns-3 {found['ns3']}, mean of {found['seeds']} seeds (lowest-highest), per second",
        f"{'':52} {'data frames':>24} {'received':>24} {'dropped at retry limit':>24} {'RTS':>10}",
    ]
    for case in found["cases"]:
        figures = case["per_s"]
        shown = [_shown(figures[key]) for key in ("data_frames", "received", "dropped_at_retry_limit")]
        lines.append(
            f"{case['name']:52} "
            + " ".join(f"{each:>24}" for each in shown)
            + f" {figures['rts_frames']['mean']:10.1f}"
        )
    for name, spread in found["heartbeats"].items():
        if name == "receptions":
            continue
        lines.append(
            f"heartbeats, {name:32} {spread['mean']:10,.1f} sd {spread['sd']:8,.1f} "
            f"({spread['low']:,} to {spread['high']:,}; {spread['runs']} seeds)"
        )
    return "\n".join(lines)


def _measured(ns3: Ns3, case: ReferenceCase, seeds: int) -> dict[str, Any]:
    options = {**case.options, "duration": case.duration_s}
    runs = [ns3.run("contention", {**options, "RngRun": seed}) for seed in range(1, seeds + 1)]
    return {
        "name": case.name,
        "options": case.options,
        "duration_s": case.duration_s,
        "on_the_air": runs[0]["kinds"],
        "per_s": {key: _range([run[key] / case.duration_s for run in runs]) for key in COUNTS},
    }


def _range(values: list[float]) -> dict[str, float]:
    return {"mean": round(mean(values), 3), "low": min(values), "high": max(values)}


def _spread(values: list[int]) -> dict[str, float]:
    return {
        "mean": round(mean(values), 1),
        "sd": round(stdev(values), 1),
        "low": min(values),
        "high": max(values),
        "runs": len(values),
    }


def _shown(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.1f} ({figure['low']:.1f}-{figure['high']:.1f})"
