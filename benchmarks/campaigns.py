"""The cost of Spark over a bare process pool on the same runs: ``python -m benchmarks.campaigns [--run-s 0.2]``.

Both make the same runs of one scenario, with the simulator loaded beforehand, and leave the same file for each run.
CPU time is that of this process and all that work for it, Java included, so other work on the machine does not count;
the time on the clock is shown beside it. Making the tables, which the pool does not do, is shown on its own. They take
turns, and the best of each is compared.
"""

import argparse
import gc
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.campaigns.run_files import OK, RunOutcome, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.spark.runs import campaign
from roamcast.spark.runs.compaction import compact
from roamcast.spark.runs.simulate_task import load_simulator, simulate_scenario
from roamcast.spark.session.session import open_session

DOCUMENT = {
    "name": "benchmark",
    "area": {"width_m": 1000, "height_m": 1000},
    "nodes": {"count": 40},
    "mobility": {"model": "random-waypoint", "speed_mps": [1, 10], "pause_s": 1},
    "radio": {"model": "range", "range_m": 250},
    "workload": {"model": "single-topic", "subscriber_fraction": 0.5, "validity_s": 60},
    "protocol": {"name": "frugal"},
}
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
FIRST_SEED = 1000


@dataclass(frozen=True, slots=True)
class Cost:
    """The time that some work took."""

    cpu_s: float
    wall_s: float


def main() -> int:
    """Measure both, side by side."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.campaigns", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="runs of each (default: 200)")
    parser.add_argument("--run-s", type=float, default=0.2, help="about how long a run takes (default: 0.2 s)")
    parser.add_argument("--cores", type=int, default=2, help="processes that make runs (default: 2)")
    parser.add_argument("--repeat", type=int, default=3, help="how often each is measured (default: 3)")
    options = parser.parse_args()
    scenario = _scenario(options.run_s)
    pools, sparks, tables = [], [], []
    for turn in range(options.repeat):
        runs = plan("benchmark", scenario, {}, range(FIRST_SEED, FIRST_SEED + options.runs))
        with tempfile.TemporaryDirectory() as folder:
            pools.append(by_pool(runs, Path(folder) / "pool", options.cores))
            made, compacted = by_spark(runs, Path(folder), options.cores)
            sparks.append(made)
            tables.append(compacted)
        print(
            f"turn {turn + 1}: pool {pools[-1].cpu_s:.1f} s of CPU ({pools[-1].wall_s:.1f} s), Spark "
            f"{made.cpu_s:.1f} s ({made.wall_s:.1f} s), tables {compacted.cpu_s:.1f} s ({compacted.wall_s:.1f} s)",
            flush=True,
        )
    pool, spark = (min(each.cpu_s for each in costs) for costs in (pools, sparks))
    print(
        f"{options.runs} runs of {pool / options.runs:.2f} s: Spark's cost over the pool {spark / pool - 1:+.1%} of CPU"
    )
    walls = [min(each.wall_s for each in costs) for costs in (pools, sparks)]
    print(f"on the clock, with whatever else this machine did: {walls[1] / walls[0] - 1:+.1%}")
    return 0


def by_pool(runs: Sequence[PlannedRun], folder: Path, cores: int) -> Cost:
    """Make the runs in a process pool, one at a time a process."""
    folder.mkdir()
    with ProcessPoolExecutor(cores, initializer=_ready) as pool:
        list(pool.map(_make, [(run, folder) for run in _warming(cores)]))
        return measured(lambda: list(pool.map(_make, [(run, folder) for run in runs])), pool_cpu_s)


def by_spark(runs: Sequence[PlannedRun], folder: Path, cores: int) -> tuple[Cost, Cost]:
    """Make the runs in a campaign with a session that is warm; return what they took, and what the tables took."""
    master = f"local[{cores},4]"
    open_session(master)
    campaign.run_campaign(_warming(4 * cores), folder / "warm", master)
    costs: list[Cost] = []

    def compacted(*arguments: object) -> None:
        costs.append(measured(lambda: compact(*arguments), tree_cpu_s))  # type: ignore[arg-type]

    with mock.patch.object(campaign, "compact", compacted):
        whole = measured(lambda: campaign.run_campaign(runs, folder / "spark", master), tree_cpu_s)
    return Cost(whole.cpu_s - costs[0].cpu_s, whole.wall_s - costs[0].wall_s), costs[0]


def measured(work: Callable[[], object], cpu_now_s: Callable[[], float]) -> Cost:
    """Return what some work takes, on a clock of CPU time and on the one on the wall."""
    cpu_s, wall_s = cpu_now_s(), time.monotonic()
    work()
    return Cost(cpu_now_s() - cpu_s, time.monotonic() - wall_s)


def pool_cpu_s() -> float:
    """Return the CPU time of this process and of the pool's, without Java and its workers, who come and go."""
    own = [_ticks(process.pid)[1] for process in multiprocessing.active_children() if process.pid is not None]
    return time.process_time() + TICK_S * sum(own)


def tree_cpu_s() -> float:
    """Return the CPU time of this process and of all processes below it, the ended ones included."""
    rows = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                rows[int(entry.name)] = _ticks(int(entry.name))
            except OSError:  # it has just ended
                continue
    tree = {os.getpid()}
    for _ in range(10):  # deeper than Python, Java, the daemon of workers and a worker
        tree |= {process for process, (parent, _) in rows.items() if parent in tree}
    return TICK_S * sum(rows[process][1] for process in tree)


def _ticks(process: int) -> tuple[int, int]:
    """Return a process's parent and its CPU time, that of its ended children included."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return int(fields[1]), sum(int(field) for field in fields[11:15])


def _ready() -> None:
    load_simulator()
    gc.freeze()


def _make(job: tuple[PlannedRun, Path]) -> None:
    run, folder = job
    begin_s = time.process_time()
    facts = simulate_scenario(run.scenario_json, run.seed)
    outcome = RunOutcome(OK, cpu_s=time.process_time() - begin_s, facts=facts)
    write_parquet(run_row(run.run_id, run.seed, run.scenario_json, outcome), folder / f"{run.run_id}.parquet")


def _warming(count: int) -> list[PlannedRun]:
    return plan("warm", Scenario.from_document({**DOCUMENT, "duration_s": 5}), {}, range(1, count + 1))


def _scenario(run_s: float) -> Scenario:
    """Return the scenario with a duration that takes about as long as asked."""
    duration_s = 60.0
    for attempt in range(4):  # the first loads the simulator
        scenario = Scenario.from_document({**DOCUMENT, "duration_s": round(duration_s)})
        begin_s = time.process_time()
        simulate_scenario(scenario.canonical_json(), 1)
        took_s = time.process_time() - begin_s
        duration_s = min(10_000.0, max(5.0, duration_s * run_s / took_s)) if attempt else duration_s
    return Scenario.from_document({**DOCUMENT, "duration_s": round(duration_s)})


if __name__ == "__main__":
    sys.exit(main())
