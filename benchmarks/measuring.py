"""How a run is measured: CPU time of one process, several times, and the memory that it took at its peak.

Every case has a process of its own, because the peak of a process never falls. A process before all others compiles
what is not compiled yet, which takes more memory than most runs, and a small run in each loads it. That and the start
of Python are no part of the figures, as the start of ns-3 is none of its figures.
"""

import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from statistics import median
from time import process_time
from typing import Any, TypeVar

from benchmarks.cases import BENCHMARKS, Case
from benchmarks.setups import flood, flows, heartbeats
from roamcast.sim.simulation import Simulation, simulate

T = TypeVar("T")

LONG_CPU_S = 30.0
"""Runs that have taken this long together are repeated no further, once there are two."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The cost of a case. The digest tells whether two measurements are of the same run."""

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
    digest: str
    """64 bits over every frame: when it ended, who sent it, who received it."""
    publications: int = 0
    deliveries: int = 0

    @property
    def name(self) -> str:
        """Return the benchmark and the case."""
        return f"{self.benchmark} {self.label}"

    def as_row(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def measure(case: Case, repeats: int, seed: int) -> Measurement:
    """Run a case several times in this process."""
    _warm_up()
    setup = case.make()
    totals_s: list[float] = []
    setups_s: list[float] = []
    while len(totals_s) < repeats and (len(totals_s) < 2 or sum(totals_s) < LONG_CPU_S):
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
        repeats=len(totals_s),
        setup_cpu_s=median(setups_s),
        cpu_s_best=min(totals_s),
        cpu_s_median=middle_s,
        frames_per_cpu_s=facts.frames / middle_s,
        receptions_per_cpu_s=facts.frame_receptions / middle_s,
        us_per_reception=1e6 * middle_s / max(facts.frame_receptions, 1),
        peak_memory_mb=_peak_memory_mb(),
        digest=f"{facts.trace_digest:016x}",
        publications=len(facts.publications),
        deliveries=len(facts.deliveries),
    )


def measure_apart(benchmark: str, index: int, repeats: int, seed: int) -> Measurement:
    """Measure one case of a benchmark in a fresh process."""
    return _apart(_measure_by_name, benchmark, index, repeats, seed)


def compile_apart() -> None:
    """Compile the simulator, where that has not been done, in a process that is not measured."""
    _apart(_warm_up)


def _apart(function: Callable[..., T], *arguments: object) -> T:
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _warm_up() -> None:
    for small in (heartbeats(10, 1.0), flood(10, 1.0), flows(5.0)):
        simulate(small, 1)


def _measure_by_name(benchmark: str, index: int, repeats: int, seed: int) -> Measurement:
    return measure(BENCHMARKS[benchmark]()[index], repeats, seed)


def _peak_memory_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3  # macOS counts bytes, Linux kilobytes
