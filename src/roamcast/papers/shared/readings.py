"""A paper's sweeps under one of its readings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, run_id
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Claim, Deviation, Part
from roamcast.papers import Paper, PaperSweep, Reading

SEPARATOR = "@"
"""Stands between a sweep's name and that of the reading, except the default."""


def sweeps_under(paper: Paper, scale: str, reading: Reading) -> Sequence[PaperSweep]:
    """Return the sweeps of a paper at a scale that a reading changes, as it has them; for the default, all of them."""
    sweeps = paper.sweeps(scale)
    if reading is paper.readings[0]:
        return sweeps
    chosen = [sweep for sweep in sweeps if reading.values and (not reading.sweeps or sweep.name in reading.sweeps)]
    return [changed for sweep in chosen if (changed := _sweep_under(reading, sweep)) is not None]


def own_name(paper: Paper, sweep: str, reading: Reading) -> str | None:
    """Return what a sweep of a reading is called in the paper; None if it is not one of this reading's."""
    name, _, ending = sweep.partition(SEPARATOR)
    return name if ending == ("" if reading is paper.readings[0] else reading.name) else None


def measured_under(paper: Paper, measured: Measurements, reading: Reading) -> Measurements:
    """Return what was measured under a reading, by the sweeps' own names, with the sweeps that it does not change."""
    default = paper.readings[0]
    named = [(row, own_name(paper, row.sweep, reading)) for row in measured]
    own = [replace(row, sweep=name) for row, name in named if name is not None]
    changed = {row.sweep for row in own}
    others = (row for row in measured if own_name(paper, row.sweep, default) and row.sweep not in changed)
    return Measurements(_counted_under(reading, [*own, *others]))


def claims_under(claims: Sequence[Claim], reading: Reading) -> Sequence[Claim]:
    """Return claims as a reading has them: with its number of runs behind the numbers that the paper printed."""
    if reading.runs is None:
        return claims
    return [replace(claim, measure=partial(_measure_under, claim, reading)) for claim in claims]


def _measure_under(claim: Claim, reading: Reading, measured: Measurements) -> Sequence[Part]:
    return [_part_under(part, reading) for part in claim.measure(measured)]


def _part_under(part: Part, reading: Reading) -> Part:
    is_meant = not reading.sweeps or all(sweep in reading.sweeps for sweep, _ in part.points)
    if not is_meant or reading.runs is None or not isinstance(part.quantity, Deviation):
        return part
    return replace(part, quantity=replace(part.quantity, runs=reading.runs))


def _counted_under(reading: Reading, rows: Iterable[Measurement]) -> Iterator[Measurement]:
    """Yield what was measured, with the metrics that a reading replaces taken from those that it counts."""
    replaced = {counted: name for name, counted in reading.metrics.items()}
    for row in rows:
        base, at, validity = row.metric.partition("@")
        is_meant = not reading.sweeps or row.sweep in reading.sweeps
        if not is_meant or base not in reading.metrics:
            yield row
        if is_meant and base in replaced:
            yield replace(row, metric=f"{replaced[base]}{at}{validity}")


def _sweep_under(reading: Reading, sweep: PaperSweep) -> PaperSweep | None:
    """Return a sweep as a reading has it; None if the reading changes nothing in it."""
    changed: dict[str, str] = {}
    for text in {run.scenario_json for run in sweep.runs}:
        scenario = Scenario.from_json(text)
        changed[text] = scenario.with_values(_applicable(scenario, reading.values)).canonical_json()
    if all(before == after for before, after in changed.items()):
        return None
    name = f"{sweep.name}{SEPARATOR}{reading.name}"
    return replace(
        sweep, name=name, runs=tuple(_run_under(run, name, changed[run.scenario_json]) for run in sweep.runs)
    )


def _run_under(run: PlannedRun, sweep: str, scenario_json: str) -> PlannedRun:
    return replace(run, sweep=sweep, scenario_json=scenario_json, run_id=run_id(scenario_json, run.seed))


def _applicable(scenario: Scenario, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that the scenario's components have, and all keys that are not a component's."""
    components = scenario.resolved.components
    known = {f"{table}.{each.name}" for table, component in components.items() for each in fields(component.parameters)}
    return {key: value for key, value in values.items() if key.partition(".")[0] not in components or key in known}
