"""The plan of runs: one row for each point of a sweep and each seed, known by what decides its result.

Two rows with one ``run_id`` are the same run, whichever sweeps they belong to; it needs to be made only once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import pi
from typing import Any

from roamcast import __version__
from roamcast.campaigns.checked_scenario import Scenario, canonical
from roamcast.campaigns.run_identity import code_of
from roamcast.campaigns.scenario_tables import SEED_MAX
from roamcast.campaigns.sweep import points, read_sweep
from roamcast.core.errors import InvalidValueError, UserError
from roamcast.sim.radio import RadioModel

RUNS_MAX = 1_000_000
"""The rows of one plan; each holds about a kilobyte of scenario."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run to be made."""

    sweep: str
    """The name of the sweep that asks for it."""
    point: str
    """Where in the sweep it stands: the labels as canonical JSON."""
    run_id: str
    """32 hexadecimal digits over everything that decides the result."""
    seed: int
    scenario_json: str
    """The canonical JSON of the scenario."""
    cost: float
    """A rough estimate of the work, without a unit: long runs should start first."""


def plan(
    sweep_name: str,
    scenario: Scenario,
    sweep: Mapping[str, Sequence[Any]],
    seeds: Sequence[int],
    labels: Mapping[str, Any] | None = None,
) -> list[PlannedRun]:
    """List the runs of a sweep, point by point and seed by seed.

    ``labels`` are added to those of every point, to tell apart plans of several scenarios under one sweep's name.
    """
    where = f"{scenario.where} [sweep]"
    checked = read_sweep(sweep, where)
    _check_seeds(seeds, where)
    rows: list[PlannedRun] = []
    seen: set[str] = set()
    for values in points(checked):
        here = scenario.at_point(values)
        point = canonical({**(labels or {}), **{key: here.value(key) for key in values}})
        if point in seen:
            raise UserError(f"{where}: the point {point} appears twice; each value must be listed once")
        seen.add(point)
        if len(seen) * len(seeds) > RUNS_MAX:
            raise UserError(f"{where}: has more than {RUNS_MAX:,} runs with {len(seeds)} seeds; take fewer")
        text, cost = here.canonical_json(), estimated_cost(here)
        rows += [PlannedRun(sweep_name, point, run_id(text, seed), seed, text, cost) for seed in seeds]
    return rows


def run_id(scenario_json: str, seed: int, version: str = __version__, source: str | None = None) -> str:
    """Return the identity of a run: the same wherever the same code makes the same run.

    ``source`` is the fingerprint of the code that decides it, unless it is the code that runs here.
    """
    parts = [version, source or code_of(scenario_json), scenario_json, seed]
    return blake2b(canonical(parts).encode(), digest_size=16).hexdigest()


def estimated_cost(scenario: Scenario) -> float:
    """Estimate the work of a run: frames, and the nodes that each reaches.

    Every node is taken to send once a second, and once more for each event that is valid then: too much for a
    thrifty protocol, but what is compared in one plan is mostly the same protocol.
    """
    resolved = scenario.resolved
    count, area, general = resolved.nodes.count, resolved.area, resolved.general
    radio: RadioModel = resolved.components["radio"].parameters
    reach_m2 = pi * radio.propagation().range_m ** 2
    reached = 1 + (count - 1) * min(1.0, reach_m2 / (area.width_m * area.height_m))
    events = resolved.sample_workload().publications
    valid_s = sum(min(event.validity_s, general.duration_s - event.at_s) for event in events)
    return count * reached * (general.settle_s + general.duration_s + valid_s)


def _check_seeds(seeds: Sequence[int], where: str) -> None:
    if not seeds:
        raise UserError(f"{where}: at least one seed is needed")
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= SEED_MAX:
            raise InvalidValueError(f"{where} seed", seed, f"must be a whole number from 0 to {SEED_MAX}")
    if len(set(seeds)) < len(seeds):
        raise InvalidValueError(f"{where} seeds", list(seeds), "must be different numbers")
