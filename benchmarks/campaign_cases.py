"""The cost of a campaign beside its runs, next to an earlier commit: ``python -m benchmarks campaigns``.

- ``campaign-measure``: metrics and intervals of 102 runs with 500 nodes, from their tables. Both sides measure the same
  tables; today's metrics were computed where the runs were made, so that time is added to today's side.
- ``campaign-compare``: the whole command ``roamcast compare`` for 12 short runs, from Python's start to its end.

The other commit is checked out into a temporary folder. The sides take turns, so that both see the same disturbances,
and the least CPU time of each counts: that of the command and everything that works for it, Java included.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import isclose
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.process_tree import ProcessTree, measured_command, with_sources
from benchmarks.protocols import ROOT, SCENARIOS, checked_out
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.campaigns.run_files import METRICS, OK, RunOutcome, flat_tables, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.measuring.metrics import RunMetrics, evaluate, known_metrics, metrics_digest
from roamcast.spark.runs.compaction import plan_table
from roamcast.spark.runs.simulate_task import simulate_scenario

AGAINST = "7112cb2"
CAMPAIGN_MEASURE, CAMPAIGN_COMPARE = "campaign-measure", "campaign-compare"
CAMPAIGNS = "campaigns"
"""Both cases, as a benchmark."""
CAMPAIGN_CASES = (CAMPAIGN_MEASURE, CAMPAIGN_COMPARE)
WORKER = Path(__file__).parent / "measure_worker.py"
COMMAND = "import sys; from roamcast.cli.main import main; sys.exit(main(sys.argv[1:]))"
PROTOCOLS = ("tree-group", "subscription-tree", "ttl-flooding")
SEEDS, SEEDS_MADE = 34, 2
"""Three protocols with 34 seeds are 102 runs. Two seeds are simulated; the others take their facts in turn."""
TARGETS_S = {CAMPAIGN_MEASURE: 6.0, CAMPAIGN_COMPARE: 8.0}
"""Of CPU time for measuring; of the clock, on an idle machine, for ``compare``."""


@dataclass(frozen=True, slots=True)
class CampaignCost:
    """A case on both sides, by the round of each that took the least CPU time."""

    case: str
    against: str
    cpu_s: float
    other_cpu_s: float
    wall_s: float
    other_wall_s: float
    rounds: int
    load: float
    """The machine's load when the case ended: the times on the clock depend on it."""
    target_s: float
    same: bool | None = None
    """Whether both sides found the same values; None where they were not compared."""

    @property
    def ratio(self) -> float:
        """Return how many times today's CPU time the other commit takes."""
        return self.other_cpu_s / self.cpu_s


def measure_campaigns(names: Sequence[str], repeats: int, against: str = AGAINST) -> list[CampaignCost]:
    """Measure some of the cases on both sides."""
    found = []
    with checked_out(against) as other, tempfile.TemporaryDirectory() as folder:
        sides = (ROOT / "src", other / "src")
        if CAMPAIGN_MEASURE in names:
            found.append(_measuring(sides, Path(folder), repeats, against))
        if CAMPAIGN_COMPARE in names:
            found.append(_comparing(sides, Path(folder), repeats, against))
    return found


def campaign_rows(costs: Sequence[CampaignCost]) -> list[dict[str, Any]]:
    """Return the fields by name."""
    return [asdict(cost) | {"ratio": cost.ratio} for cost in costs]


def show_campaigns(costs: Sequence[CampaignCost]) -> str:
    """Return the cases as a table."""
    lines = [f"{'':18} {'CPU s: now':>10} {'other':>7} {'ratio':>6} {'clock s: now':>12} {'other':>7} {'load':>5}"]
    for each in costs:
        words = "  DIFFERENT VALUES" if each.same is False else ""
        lines.append(
            f"{each.case:18} {each.cpu_s:10.2f} {each.other_cpu_s:7.2f} {each.ratio:6.1f} {each.wall_s:12.1f} "
            f"{each.other_wall_s:7.1f} {each.load:5.1f}  target {each.target_s:g} s{words}"
        )
    return "\n".join(lines)


def _measuring(sides: Sequence[Path], folder: Path, repeats: int, against: str) -> CampaignCost:
    tables, evaluation_s = _made_tables(folder / "tables")
    rounds = [[_measured_by(side, tables, folder) for side in sides] for _ in range(repeats)]
    ours, theirs = (min(side, key=lambda each: each[0]) for side in zip(*rounds, strict=True))
    same = all(same_values(our[2], their[2]) for our, their in rounds)
    costs = (ours[0] + evaluation_s, theirs[0], ours[1], theirs[1])
    return CampaignCost(
        CAMPAIGN_MEASURE, against, *costs, repeats, os.getloadavg()[0], TARGETS_S[CAMPAIGN_MEASURE], same
    )


def _made_tables(folder: Path) -> tuple[Path, float]:
    """Write the tables of a campaign, and return the CPU time that its metrics take where the runs are made."""
    scenario = Scenario.load(SCENARIOS / "communities.toml")
    runs = plan("protocols", scenario, {"protocol.name": list(PROTOCOLS)}, range(1, SEEDS + 1))
    made = {
        run.run_id: simulate_scenario(run.scenario_json, run.seed)
        for run in runs
        if run.seed in range(1, SEEDS_MADE + 1)
    }
    facts = {(run.scenario_json, run.seed): made[run.run_id] for run in runs if run.run_id in made}
    table, rows, spent_s = known_metrics(), {}, 0.0
    for run in runs:
        taken = facts[run.scenario_json, 1 + run.seed % SEEDS_MADE]
        began_s = time.process_time()
        metrics = RunMetrics(metrics_digest(table.values()), evaluate(taken, table.values()))
        spent_s += time.process_time() - began_s
        rows[run.run_id] = run_row(
            run.run_id, run.seed, run.scenario_json, RunOutcome(OK, cpu_s=1.0, facts=taken, metrics=metrics)
        )
    _write_tables(folder, runs, rows)
    return folder, spent_s


def _write_tables(folder: Path, runs: Sequence[PlannedRun], rows: Mapping[str, pa.Table]) -> None:
    tables = {"plan": plan_table(runs), **flat_tables(rows[run_id] for run_id in sorted(rows))}
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        write_parquet(table, folder / name / "part-00000.parquet")


Values = Sequence[Sequence[Any]]
"""Sweep, point, metric and mean."""


def _measured_by(sources: Path, tables: Path, folder: Path) -> tuple[float, float, Values]:
    """Measure with the sources of one side in a fresh process; return CPU time, time on the clock, and the values."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / "tables"
    shutil.copytree(tables, copy)
    if sources != ROOT / "src":
        shutil.rmtree(copy / METRICS)  # the other side computes its metrics itself, and writes them there
    with _worker(sources) as process:
        tree = ProcessTree(process.pid)
        _answer(process)
        before_s, began_s = tree.cpu_s(), time.monotonic()
        assert process.stdin is not None
        process.stdin.write(json.dumps(str(copy)) + "\n")
        process.stdin.flush()
        values: Values = _answer(process)
        return tree.cpu_s() - before_s, time.monotonic() - began_s, values


@contextmanager
def _worker(sources: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, str(WORKER)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=with_sources(sources)
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _answer(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"{CAMPAIGN_MEASURE}: the worker ended; its message is above")
    return json.loads(line)


def same_values(ours: Values, theirs: Values) -> bool:
    """Tell whether two sides agree on every metric that both have, and have one in common."""
    mine, others = ({tuple(place): mean for *place, mean in side} for side in (ours, theirs))
    common = mine.keys() & others.keys()
    return bool(common) and all(isclose(mine[place], others[place], rel_tol=1e-9) for place in common)


def _comparing(sides: Sequence[Path], folder: Path, repeats: int, against: str) -> CampaignCost:
    scenario = folder / "campus.toml"
    scenario.write_text((SCENARIOS / "campus.toml").read_text("utf-8").partition("[sweep]")[0], "utf-8")
    protocols = "frugal,flooding,neighbour-flooding"
    command = [sys.executable, "-c", COMMAND, "compare", str(scenario), "--protocols", protocols, "--seeds", "4"]
    rounds = [
        [measured_command([*command, "--out", tempfile.mkdtemp(dir=folder)], with_sources(side)) for side in sides]
        for _ in range(repeats)
    ]
    ours, theirs = (min(side, key=lambda each: each.cpu_s) for side in zip(*rounds, strict=True))
    costs = (ours.cpu_s, theirs.cpu_s, ours.wall_s, theirs.wall_s)
    return CampaignCost(CAMPAIGN_COMPARE, against, *costs, repeats, os.getloadavg()[0], TARGETS_S[CAMPAIGN_COMPARE])
