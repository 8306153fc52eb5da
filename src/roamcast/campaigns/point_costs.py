"""The cost of one more seed at each point of a campaign, in CPU seconds, from the runs that were made."""

import json
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq

from roamcast.measuring.measurements import PointName, point_key


def seed_costs(tables: Path) -> dict[PointName, float]:
    """Return the CPU seconds of a seed at each point; a point may stand for several runs of a seed."""
    timings = pq.read_table(tables / "timings", columns=["run_id", "cpu_s"])
    cpu_s = dict(zip(timings.column("run_id").to_pylist(), timings.column("cpu_s").to_pylist(), strict=True))
    plan = pq.read_table(tables / "plan", columns=["sweep", "point", "seed", "run_id"])
    spent_s: dict[tuple[str, str], float] = defaultdict(float)
    seeds: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in zip(*(plan.column(name).to_pylist() for name in plan.column_names), strict=True):
        sweep, point, seed, run_id = row
        spent_s[sweep, point] += cpu_s.get(run_id) or 0.0
        seeds[sweep, point].add(seed)
    return {
        (sweep, point_key(json.loads(point))): cost_s / len(seeds[sweep, point])
        for (sweep, point), cost_s in spent_s.items()
    }
