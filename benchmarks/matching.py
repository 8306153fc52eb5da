"""Events matched per second by our index, beside numpy, DuckDB and HEM in the same run, on the reference workloads.

All figures are CPU time of one thread. The engines must agree on the number of matches of the same events, or the
benchmark fails. The figures of the best public engine (HEM3-VASO, C++, which counts) were measured on a machine like
the one that this project is made on; they are shown beside ours as the target. Its method in Numba (``matching_hem``)
is measured in the same run.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

from benchmarks.matching_engines import Engine, bit_sets, counting, duckdb_engines, index_of, numpy_dense
from benchmarks.matching_hem import GROUPS, Hem
from benchmarks.matching_workloads import Workload, make_workload
from roamcast.core.errors import UserError

MATCHING = "matching"
OURS = "roamcast, bit sets"
CASES = (
    (10_000, "wide", "all", 172_000),
    (100_000, "wide", "all", 28_000),
    (100_000, "selective", "all", 39_000),
    (100_000, "wide", "few", 100_000),
    (1_000_000, "wide", "all", 2_100),
    (1_000_000, "selective", "all", 2_400),
    (1_000_000, "wide", "few", 4_400),
)
"""Subscriptions, kinds of ranges and events, and the best public engine's events per second, at its best."""
EVENTS = 8192
CPU_S = 0.4
"""A timing takes at least that long, or all events."""


@dataclass(frozen=True, slots=True)
class MatchingMeasurement:
    """The speed that an engine reached on a workload."""

    workload: str
    engine: str
    events_per_cpu_s: float
    """The best of the repeats: others share this machine."""
    events_per_cpu_s_median: float
    matches_per_event: float
    target: float | None
    """The best public engine's events per second, for our own engines."""

    @property
    def is_ours(self) -> bool:
        """Tell whether it is our index."""
        return self.target is not None

    @property
    def is_reached(self) -> bool:
        """Tell whether the target was reached, if there is one."""
        return self.target is None or self.events_per_cpu_s >= self.target


def measure_matching(
    repeats: int, seed: int = 1, cases: Sequence[tuple[int, str, str, float]] = CASES, events: int = EVENTS
) -> list[MatchingMeasurement]:
    """Measure all engines on all workloads."""
    found: list[MatchingMeasurement] = []
    for subscriptions, ranges, kind, target in cases:
        found += _measure(make_workload(subscriptions, ranges, kind, events, seed), repeats, target)
    return found


def _measure(workload: Workload, repeats: int, target: float) -> list[MatchingMeasurement]:
    index = index_of(workload)
    engines: dict[str, Engine] = {OURS: bit_sets(index), "roamcast, counts": counting(index)}
    ours = set(engines)
    engines |= {"numpy, dense comparison": numpy_dense(workload), **duckdb_engines(workload)}
    engines |= {f"HEM in Numba, {groups} groups": Hem(workload, groups).match for groups in GROUPS}
    _check_agreement(workload, engines)
    rates: dict[str, list[float]] = {name: [] for name in engines}
    sizes = {name: _enough(engine, workload) for name, engine in engines.items()}
    for _ in range(repeats):  # in turn, so that a busy moment of the machine is shared
        for name, engine in engines.items():
            rates[name].append(_rate(engine, workload, sizes[name]))
    mean = float(index.count_many(workload.batch).mean())
    return [
        MatchingMeasurement(
            workload.name, name, max(each), sorted(each)[len(each) // 2], mean, target if name in ours else None
        )
        for name, each in rates.items()
    ]


def _check_agreement(workload: Workload, engines: dict[str, Engine]) -> None:
    some = workload.batch[:5]
    counts = {name: engine(some).tolist() for name, engine in engines.items()}
    for name, each in counts.items():
        if each != counts[OURS]:
            raise UserError(f"{workload.name}: {name} finds {each} matches, {OURS} {counts[OURS]}")


def _enough(engine: Engine, workload: Workload) -> int:
    """Return how many events make a timing long enough: four where the others meet a million subscriptions."""
    count = 4
    while count < len(workload.batch):
        began_s = process_time()
        engine(workload.batch[:count])
        if process_time() - began_s > CPU_S / 4:
            break
        count *= 4
    return min(count, len(workload.batch))


def _rate(engine: Engine, workload: Workload, count: int) -> float:
    done, began_s = 0, process_time()
    while process_time() - began_s < CPU_S:
        engine(workload.batch[:count])
        done += count
    return done / (process_time() - began_s)


def matching_rows(measured: list[MatchingMeasurement]) -> list[dict[str, Any]]:
    """Return measurements by the names of their fields."""
    return [asdict(each) for each in measured]


def show_matching(measured: list[MatchingMeasurement]) -> str:
    """Return measurements as a table, and whether the target was reached."""
    lines = [f"{'subscriptions, workload':26} {'engine':30} {'events/CPU s: best':>18} {'median':>11} {'matches':>9}"]
    others = {each.workload: 0.0 for each in measured}
    for each in measured:
        if not each.is_ours:
            others[each.workload] = max(others[each.workload], each.events_per_cpu_s)
    for each in measured:
        figures = f"{each.events_per_cpu_s:18,.0f} {each.events_per_cpu_s_median:11,.0f} {each.matches_per_event:9,.0f}"
        verdict = ""
        if each.target is not None:
            times = each.events_per_cpu_s / each.target
            verdict = f"  {times:.1f} x the best public engine" + ("" if each.is_reached else ": NOT reached")
            if others[each.workload]:
                verdict += f", {each.events_per_cpu_s / others[each.workload]:.1f} x the best of the others in this run"
        lines.append(f"{each.workload:26} {each.engine:30} {figures}{verdict}")
    beaten = [name for name, rate in others.items() if rate > _best_of_ours(name, measured)]
    if any(others.values()):
        lines.append(
            f"the others in this run: {'faster on ' + ', '.join(beaten) if beaten else 'slower on every workload'}"
        )
    missed = [each for each in measured if not each.is_reached]
    lines.append(f"target, the best public engine's rate on every workload: {'NOT reached' if missed else 'reached'}")
    return "\n".join(lines)


def _best_of_ours(workload: str, measured: list[MatchingMeasurement]) -> float:
    return max((each.events_per_cpu_s for each in measured if each.is_ours and each.workload == workload), default=0.0)
