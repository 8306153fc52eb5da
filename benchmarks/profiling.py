"""Where the time of the heartbeats goes, by the profiler of the Python part.

The compiled medium appears as the calls that Python makes into it. A profiler slows Python calls down and compiled
code not at all, so the shares overstate Python; the undisturbed time stands beside them.
"""

import cProfile
import pstats
from pathlib import Path
from time import process_time

from benchmarks.beacon import beacons
from roamcast.sim.simulation import simulate


def profile_heartbeats(seed: int, lines: int = 12) -> str:
    """Return a table of the functions in which most time is spent."""
    setup = beacons(150, 180.0)
    simulate(beacons(10, 1.0, "steady-state"), seed)
    began_s = process_time()
    simulate(setup, seed)
    plain_s = process_time() - began_s
    profiler = cProfile.Profile()
    profiler.runcall(simulate, setup, seed)
    stats = pstats.Stats(profiler)
    total_s: float = stats.total_tt  # type: ignore[attr-defined]
    rows = [
        f"{'share':>6} {'calls':>9} {'us/call':>8}  where   ({plain_s:.2f} s undisturbed, {total_s:.2f} s profiled)"
    ]
    entries = sorted(stats.stats.items(), key=lambda entry: -entry[1][2])  # type: ignore[attr-defined]
    for (file, line, name), (_, calls, own_s, _, _) in entries[:lines]:
        where = f"{Path(file).name}:{line} {name}" if line else name
        rows.append(f"{own_s / total_s:6.1%} {calls:9,} {1e6 * own_s / calls:8.2f}  {where}")
    return "\n".join(rows)
