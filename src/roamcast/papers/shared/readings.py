"""A paper's sweeps under one of its readings."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.measurements import Measurements
from roamcast.papers import Paper, PaperSweep, Reading
from roamcast.protocols import load_protocol

SEPARATOR = "@"
"""Stands between a sweep's name and that of the reading, except the default."""
PROTOCOL_TABLE = "protocol."


def sweeps_under(paper: Paper, scale: str, reading: Reading) -> Sequence[PaperSweep]:
    """Return the runs of a paper at a scale as a reading has them; those that it does not change are the same runs."""
    sweeps = paper.sweeps(scale)
    return sweeps if reading is paper.readings[0] else [_sweep_under(reading, sweep) for sweep in sweeps]


def measured_under(paper: Paper, measured: Measurements, reading: Reading) -> Measurements:
    """Return what was measured under a reading, by the sweeps' own names."""
    ending = _ending(paper, reading)
    return Measurements(
        replace(row, sweep=row.sweep.removesuffix(ending))
        for row in measured
        if (row.sweep.endswith(ending) if ending else SEPARATOR not in row.sweep)
    )


def _ending(paper: Paper, reading: Reading) -> str:
    return "" if reading is paper.readings[0] else f"{SEPARATOR}{reading.name}"


def _sweep_under(reading: Reading, sweep: PaperSweep) -> PaperSweep:
    changed: dict[str, str] = {}
    for text in {run.scenario_json for run in sweep.runs}:
        scenario = Scenario.from_json(text)
        changed[text] = scenario.with_values(_applicable(scenario, reading.values)).canonical_json()
    return replace(
        sweep,
        name=f"{sweep.name}{SEPARATOR}{reading.name}",
        runs=tuple(
            _run_under(run, f"{sweep.name}{SEPARATOR}{reading.name}", changed[run.scenario_json]) for run in sweep.runs
        ),
    )


def _run_under(run: PlannedRun, sweep: str, scenario_json: str) -> PlannedRun:
    return replace(run, sweep=sweep, scenario_json=scenario_json, run_id=run_id(scenario_json, run.seed))


def _applicable(scenario: Scenario, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that the scenario's protocol knows, and all keys that are not the protocol's."""
    parameters = load_protocol(str(scenario.value(PROTOCOL_KEY))).Parameters
    known = {f"{PROTOCOL_TABLE}{each.name}" for each in fields(parameters)} if is_dataclass(parameters) else set()
    return {key: value for key, value in values.items() if not key.startswith(PROTOCOL_TABLE) or key in known}
