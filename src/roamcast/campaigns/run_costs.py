"""Estimating the cost of runs from finished runs.

A plan's own estimate (``PlannedRun.cost``) takes nodes, range and events into account, but not what a protocol does
with them. So it is corrected by the CPU time of finished runs: those of the same scenario with other seeds if there are
any, otherwise those of the same protocol, in seconds per unit of the estimate, otherwise those of all runs.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import pyarrow as pa
import pyarrow.parquet as pq

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun

FILES_READ_MAX = 1000
"""Reading a file takes about a millisecond, and a thousand runs are enough."""


def learnt_costs(
    folder: CampaignFolder, missing: Sequence[PlannedRun], finished: Sequence[PlannedRun]
) -> list[PlannedRun]:
    """Return the missing runs with their estimated cost in CPU seconds, if finished runs allow an estimate."""
    step = -(-len(finished) // FILES_READ_MAX) or 1
    ordered = sorted(finished, key=lambda run: (run.scenario_json, run.seed))
    timed = [(run, cpu_s) for run in ordered[::step] if (cpu_s := cpu_seconds(folder, run.run_id)) is not None]
    return corrected(missing, timed)


def corrected(missing: Sequence[PlannedRun], timed: Sequence[tuple[PlannedRun, float]]) -> list[PlannedRun]:
    """Return the missing runs with costs estimated from the CPU times of others."""
    if not timed:
        return list(missing)
    by_scenario: dict[str, list[float]] = defaultdict(list)
    by_protocol: dict[str, list[tuple[PlannedRun, float]]] = defaultdict(list)
    protocols = {
        text: _protocol(text) for text in {run.scenario_json for run in [*missing, *(run for run, _ in timed)]}
    }
    for run, cpu_s in timed:
        by_scenario[run.scenario_json].append(cpu_s)
        by_protocol[protocols[run.scenario_json]].append((run, cpu_s))
    means: Mapping[str, float] = {scenario: fmean(values) for scenario, values in by_scenario.items()}
    rates = {name: _rate(rows) for name, rows in by_protocol.items()}
    usual = _rate(timed)

    def cost(run: PlannedRun) -> float:
        known = means.get(run.scenario_json)
        return run.cost * rates.get(protocols[run.scenario_json], usual) if known is None else known

    return [replace(run, cost=cost(run)) for run in missing]


def _rate(timed: Sequence[tuple[PlannedRun, float]]) -> float:
    """Return the CPU seconds per unit of the plan's estimate."""
    units = sum(run.cost for run, _ in timed)
    return sum(cpu_s for _, cpu_s in timed) / units if units > 0 else 1.0


def cpu_seconds(folder: CampaignFolder, run_id: str) -> float | None:
    """Return the CPU time of a finished run; None if its file does not tell."""
    try:
        found = pq.ParquetFile(folder.run_file(run_id)).read(columns=["cpu_s"]).column("cpu_s")[0].as_py()
    except (OSError, pa.ArrowInvalid, KeyError, IndexError):  # a missing estimate must not stop a campaign
        return None
    return float(found) if found is not None else None


def _protocol(scenario_json: str) -> str:
    protocol = json.loads(scenario_json).get("protocol")
    return str(protocol.get("name")) if isinstance(protocol, dict) else ""
