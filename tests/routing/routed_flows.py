"""Flows of packets through a router in the real simulator (``roamcast.validation.parcels``): what arrived, what could.

Run as a script it prints what a router delivers among 60 nodes in random waypoint, at three speeds:

    python tests/routing/routed_flows.py [aodv|gpsr] [duration_s] [seeds]

and what AODV's options do where many send to few:

    python tests/routing/routed_flows.py gathering
"""

import sys
import time
from collections import Counter
from dataclasses import replace
from random import Random
from statistics import fmean

from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.sim.facts import Facts
from roamcast.sim.radio.range import Range
from roamcast.sim.setup import Setup
from roamcast.sim.simulation import simulate
from roamcast.validation.aodv import RANGE_M, had_a_path, waypoint_setup
from roamcast.validation.parcels import Flows, ParcelParameters

SEEDS = range(1, 6)
"""Where many send to few, one seed says little."""


def gathering_setup(speed_mps: float, sense_range_m: float, given: AodvParameters, seed: int) -> Setup:
    """Return some 39 flows of a packet a second from different nodes to four, over AODV, for 100 s."""
    draws = Random(seed)
    senders, receivers = draws.sample(range(60), 40), draws.sample(range(60), 4)
    pairs = tuple((one, receivers[place % 4]) for place, one in enumerate(senders) if one != receivers[place % 4])
    return replace(
        waypoint_setup("aodv", speed_mps, 100.0, seed),
        radio=Range(range_m=RANGE_M, sense_range_m=sense_range_m),
        workload=Flows(pairs, every_s=1.0),
        parameters=ParcelParameters("aodv", given),
    )


def compare_options() -> None:
    """Print what is delivered with and without answers of others and local repair."""
    for only, repairs in ((False, False), (False, True), (True, False), (True, True)):
        given = AodvParameters(destination_only=only, local_repair=repairs)
        cases = ((10.0, 250.0), (10.0, 550.0), (30.0, 250.0))
        shares = [[delivered(simulate(gathering_setup(*case, given, seed), seed)) for seed in SEEDS] for case in cases]
        shown = ", ".join(f"{fmean(each):.3f} ({min(each):.3f}-{max(each):.3f})" for each in shares)
        sys.stdout.write(f"destination_only = {only}, local_repair = {repairs}: {shown}\n")


def delivered(facts: Facts) -> float:
    """Return the share of the packets that arrived."""
    return len(facts.deliveries) / len(facts.publications)


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
        possible = sum(had_a_path(*each) for each in bounds) / len(bounds)
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
