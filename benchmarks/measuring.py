"""How a run is measured: CPU time of one process, several times, and the memory that it took at its peak.

Every case has a process of its own, because the peak of a process never falls. A small run before the first one
loads the compiled code, or compiles it; that is no part of the figures.
"""

import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from statistics import median
from time import process_time
from typing import Any

from benchmarks.beacon import beacons
from benchmarks.cases import BENCHMARKS, Case
from roamcast.sim.simulation import Simulation, simulate


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a case cost. The digest tells whether two measurements are of the same run."""

    benchmark: str
    label: str
    nodes: int
    seed: int
    frames: int
    receptions: int
    repeats: int
    setup_cpu_s: float
    """Movement, medium and hosts, the median."""
    cpu_s_best: float
    """All of it, the fastest."""
    cpu_s_median: float
    frames_per_cpu_s: float
    """By the median, as the next two."""
    receptions_per_cpu_s: float
    us_per_reception: float
    peak_memory_mb: float
    cpu_s_target: float | None
    note: str
    digest: str

    def as_row(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def measure(case: Case, repeats: int, seed: int) -> Measurement:
    """Run a case several times in this process."""
    simulate(beacons(10, 1.0, "steady-state"), seed)
    setup = case.make()
    totals_s, setups_s = [], []
    for _ in range(repeats):
        began_s = process_time()
        simulation = Simulation(setup, seed)
        ready_s = process_time()
        facts = simulation.run()
        totals_s.append(process_time() - began_s)
        setups_s.append(ready_s - began_s)
    middle_s = median(totals_s)
    return Measurement(
        benchmark=case.benchmark,
        label=case.label,
        nodes=setup.nodes,
        seed=seed,
        frames=facts.frames,
        receptions=facts.frame_receptions,
        repeats=repeats,
        setup_cpu_s=median(setups_s),
        cpu_s_best=min(totals_s),
        cpu_s_median=middle_s,
        frames_per_cpu_s=facts.frames / middle_s,
        receptions_per_cpu_s=facts.frame_receptions / middle_s,
        us_per_reception=1e6 * middle_s / max(facts.frame_receptions, 1),
        peak_memory_mb=_peak_memory_mb(),
        cpu_s_target=case.cpu_s_target,
        note=case.note,
        digest=facts.digest(),
    )


def measure_apart(benchmark: str, index: int, repeats: int, seed: int) -> Measurement:
    """Measure one case of a benchmark in a fresh process."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measure_by_name, benchmark, index, repeats, seed).result()


def _measure_by_name(benchmark: str, index: int, repeats: int, seed: int) -> Measurement:
    return measure(BENCHMARKS[benchmark]()[index], repeats, seed)


def _peak_memory_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3  # macOS counts bytes, Linux kilobytes
