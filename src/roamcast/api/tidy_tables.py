"""Measurements as a tidy pandas table: one row for each point, protocol and metric."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.measurements import Kind, Measurement, Measurements, point_order
from roamcast.measuring.metrics import unit_of

if TYPE_CHECKING:
    import pandas


def tidy_table(measured: Measurements, runs: Sequence[PlannedRun]) -> "pandas.DataFrame":
    """Return the metrics: the point's labels, then protocol, metric, value, low, high, seeds and unit.

    ``low`` and ``high`` bound the 95 % interval; they are missing with a single seed. Labels that a point does not
    have are missing. Where there are several sweeps, a column tells them apart.
    """
    rows = [row for row in measured if row.kind is Kind.VALUE]
    return _frame(rows, runs, {row.metric: unit_of(row.metric) for row in rows})


def ratio_table(measured: Measurements, runs: Sequence[PlannedRun]) -> "pandas.DataFrame":
    """Return how many times the reference protocol's value each metric is, in the same columns."""
    rows = [row for row in measured if row.kind is Kind.RATIO]
    return _frame(rows, runs, {row.metric: "x" for row in rows})


def _frame(rows: Sequence[Measurement], runs: Sequence[PlannedRun], units: Mapping[str, str]) -> "pandas.DataFrame":
    import pandas  # here: it takes a second to import

    scenarios = {(run.sweep, _key(json.loads(run.point))): run.scenario_json for run in runs}
    protocols = {place: _protocol(scenario_json) for place, scenario_json in scenarios.items()}
    # Sweeps and protocols are in the plan's order, which is the caller's.
    places = dict.fromkeys((sweep, protocols[sweep, point]) for sweep, point in scenarios)
    order = {place: number for number, place in enumerate(places)}
    rows = sorted(
        rows, key=lambda row: (order[row.sweep, protocols[row.sweep, _key(row.point)]], point_order(row.point))
    )
    labels = list(dict.fromkeys(label for row in rows for label in row.point if label != PROTOCOL_KEY))
    sweeps = {row.sweep for row in rows}
    columns: dict[str, list[Any]] = {"sweep": [row.sweep for row in rows]} if len(sweeps) > 1 else {}
    columns |= {label: [row.point.get(label) for row in rows] for label in labels}
    columns["protocol"] = [protocols[row.sweep, _key(row.point)] for row in rows]
    columns["metric"] = [row.metric for row in rows]
    columns["value"] = [row.mean for row in rows]
    columns["low"], columns["high"] = [row.low for row in rows], [row.high for row in rows]
    columns["seeds"] = [row.seeds for row in rows]
    columns["unit"] = [units[row.metric] for row in rows]
    return pandas.DataFrame(columns).astype({"value": "float64", "low": "float64", "high": "float64"})


def _key(point: Mapping[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)


def _protocol(scenario_json: str) -> str:
    name: str = json.loads(scenario_json)["protocol"]["name"]
    return name
