"""The cost of a run of the broker paper's length: ``python -m benchmarks.homes [SYSTEM ...] [--duration-s 900]``.

Each of the six systems runs once in both scenarios of the paper's Table 1, in a process that has loaded the simulator,
at the speed in the middle of the paper's or, with ``--all-speeds``, at the lowest, the middle and the highest.
CPU time is of this process alone, so other work on the machine counts only as far as it slows the processor down. That
is a lot on a shared one: ``--ns3`` runs ns-3 before and after, on a case whose time on the reference machine is known,
and says what the systems would take there. With ``ROAMCAST_PURE=1`` nothing but the medium is compiled.
"""

import argparse
import sys
import time
import tomllib
from pathlib import Path
from statistics import fmean

from benchmarks.ns3_cases import measure_in_ns3
from benchmarks.ns3_program import Ns3, Ns3Error
from benchmarks.setups import heartbeats
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.routing.native import ROOT, usable_folder
from roamcast.sim.simulation import simulate

SCENARIOS = Path(__file__).parent.parent / "scenarios"
PLACES = {"highway": (10.0, 35.0, 60.0), "police": (1.0, 10.0, 20.0)}
"""Each scenario with its lowest, medium and highest speed from Table 1, in m/s."""
SYSTEMS = tuple(f"{system}-{router}" for system in ("broker", "rendezvous") for router in ("aodv", "gpsr", "gpsr-map"))
SEED = 1
NS3_REFERENCE_S = 8.1
"""The seconds that ns-3 takes for heartbeats of 600 nodes for 30 s on the machine of the reference figures."""


def main() -> int:
    """Measure all that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.homes", description=__doc__)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help="only these (default: all six)")
    parser.add_argument("--duration-s", type=float, default=900.0, help="simulated seconds of a run (default: 900)")
    parser.add_argument("--all-speeds", action="store_true", help="also at the lowest and the highest of the paper")
    parser.add_argument("--ns3", action="store_true", help="say what it were at the reference machine's speed, by ns-3")
    options = parser.parse_args()
    print("with what make native compiles" if usable_folder(ROOT) else "without what make native compiles", flush=True)
    try:
        ns3 = Ns3.find() if options.ns3 else None
    except Ns3Error as error:
        parser.error(f"--ns3: {error}")
    ns3_s = [] if ns3 is None else [heartbeats_s(ns3)]
    found: dict[str, float] = {}
    for place, speeds_mps in PLACES.items():
        for speed_mps in speeds_mps if options.all_speeds else speeds_mps[1:2]:
            for system in options.systems or SYSTEMS:
                took_s, frames = measured(place, system, speed_mps, options.duration_s)
                name = f"{place:8} {system:20} {speed_mps:3.0f} m/s"
                print(f"{name} {took_s:6.1f} s of CPU, {frames:,} frames", flush=True)
                found[name] = took_s
    if ns3 is not None:
        show_at_reference_speed(found, [*ns3_s, heartbeats_s(ns3)])
    return 0


def show_at_reference_speed(found: dict[str, float], ns3_s: list[float]) -> None:
    """Print what the systems would take on the machine of the reference figures, by what ns-3 takes on both."""
    slower = fmean(ns3_s) / NS3_REFERENCE_S
    shown = " and ".join(f"{each:.1f}" for each in ns3_s)
    print(f"ns-3 takes {shown} s, on the reference machine {NS3_REFERENCE_S} s: {slower:.2f} times slower here. There:")
    for name, took_s in found.items():
        print(f"{name} {took_s / slower:6.1f} s of CPU")


def heartbeats_s(ns3: Ns3) -> float:
    """Return the CPU time of ns-3 for the case whose time on the reference machine is known."""
    return measure_in_ns3(ns3, heartbeats(600, 30.0), SEED, repeats=1).cpu_s_best


def measured(place: str, system: str, speed_mps: float, duration_s: float) -> tuple[float, int]:
    """Return the CPU time of one run, and how many frames it had."""
    document = tomllib.loads((SCENARIOS / f"{place}.toml").read_text("utf-8"))
    values = {"protocol.name": system, "mobility.speed_mps": [0.9 * speed_mps, speed_mps]}
    scenario = Scenario.from_document(document).with_values(values)
    simulate(scenario.with_values({"duration_s": 1.0}).setup(), SEED)  # loads what is compiled
    setup = scenario.with_values({"duration_s": duration_s}).setup()
    begin_s = time.process_time()
    facts = simulate(setup, SEED)
    return time.process_time() - begin_s, facts.frames


if __name__ == "__main__":
    sys.exit(main())
