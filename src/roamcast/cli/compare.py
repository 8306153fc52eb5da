"""``roamcast compare``: several protocols on one scenario, with the same movement and publications for each seed."""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from roamcast import __version__
from roamcast.campaigns.assignment import parse_assignments, spread
from roamcast.campaigns.plan import plan
from roamcast.campaigns.scenario import Scenario
from roamcast.cli.campaign_commands import MeasuredCampaign, measured_campaign
from roamcast.cli.output import say
from roamcast.core.errors import InvalidValueError
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.metrics import axis_label, bounds_of, known_metrics
from roamcast.measuring.statistics import Estimate, difference
from roamcast.protocols import load_protocol
from roamcast.report.draw import draw
from roamcast.report.figure import Figure, Panel, Point, Series
from roamcast.report.text_tables import number, ratio, table

PROTOCOL = "protocol.name"
SWEEP = "compare"
SHOWN = (
    "delivery_ratio",
    "latency_mean_s",
    "frames_per_delivery",
    "bytes_sent_per_node",
    "duplicates_per_node",
    "parasites_per_node",
)
"""The metrics of the table and the picture; the tables on disk have all."""


def compare(arguments: argparse.Namespace) -> int:
    """Run every protocol over the seeds and print them side by side."""
    protocols = _protocols(arguments.protocols)
    values = spread(parse_assignments(arguments.assignments or ()), protocols, "--set")
    scenario = Scenario.load(arguments.scenario)
    if values:
        scenario = scenario.with_values(values, "--set")
    over = {PROTOCOL: protocols, **{key: values for key, values in scenario.sweep.items() if key != PROTOCOL}}
    seeds = range(scenario.seed, scenario.seed + arguments.seeds)
    runs = plan(SWEEP, scenario, over, seeds)
    out = arguments.out or Path("results") / re.sub(r"[^A-Za-z0-9._-]+", "-", f"compare-{scenario.name}")
    campaign = measured_campaign(runs, out, arguments, reference=protocols[0])
    measured = campaign.measurements
    pictures = draw(_figure(scenario, measured), out / "figures")
    if arguments.json:
        say(json.dumps(_document(scenario, protocols[0], campaign), indent=2))
        return campaign.exit_code
    say(_text(scenario, protocols[0], measured))
    if campaign.reached:
        say("\n" + "\n".join(each.line() for each in campaign.reached))
    say(f"\nPicture: {pictures[1]}\nTables (Parquet): {out / 'tables'}")
    return campaign.exit_code


def _protocols(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if len(set(names)) < len(names) or not all(names):
        raise InvalidValueError("--protocols", text, "must be different names joined by commas")
    for name in names:
        load_protocol(name, "--protocols")  # which says what there is
    return names


def _others(point: Any) -> dict[str, Any]:
    """Return a point's labels without the protocol."""
    return {key: value for key, value in point.items() if key != PROTOCOL}


def _text(scenario: Scenario, reference: str, measured: Measurements) -> str:
    rows = measured.where(SWEEP, "delivery_ratio") or measured.where(SWEEP, "bytes_sent_per_node")
    lines = [
        f"{scenario.name}: means over {_seeds(rows)} seeds with 95 % intervals; x: how many times {reference}'s value; "
        f"*: differs from {reference} on the same movement and publications (paired by seed, 95 %)",
        "",
    ]
    keys = list(_others(rows[0].point)) if rows else []
    header = ["protocol", *keys, *map(axis_label, SHOWN)]
    body = []
    for row in rows:
        cells = [str(row.point[PROTOCOL]), *(str(row.point[key]) for key in keys)]
        body.append(cells + [_cell(measured, metric, row, reference) for metric in SHOWN])
    metrics = known_metrics()
    lines += [table(body, header), "", *(f"{metric}: {metrics[metric].description}" for metric in SHOWN)]
    return "\n".join(lines)


def _seeds(rows: Sequence[Measurement]) -> str:
    """Return how many seeds there are: one number, or from the fewest to the most of any point."""
    counts = sorted({row.seeds for row in rows}) or [0]
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _cell(measured: Measurements, metric: str, at: Measurement, reference: str) -> str:
    found = measured.find(SWEEP, metric, at.point)
    if found is None:
        return "-"
    times = measured.find(SWEEP, f"{metric}_ratio", at.point)
    apart = _apart(measured, found, reference)
    star = "*" if apart is not None and is_significant(apart) else ""
    shown = number(found.mean, found.low, found.high)
    return f"{shown}{star}" if times is None else f"{shown} ({ratio(times.mean)}{star})"


def _apart(measured: Measurements, row: Measurement, reference: str) -> Estimate | None:
    """Return by how much a value exceeds the reference's, seed by seed; None for the reference itself."""
    other = measured.find(row.sweep, row.metric, {**row.point, PROTOCOL: reference})
    if other is None or other is row or not other.samples or not row.samples:
        return None
    if not {sample.seed for sample in row.samples} & {sample.seed for sample in other.samples}:
        return None
    return difference(row.samples, other.samples, bounds_of(row.metric))


def is_significant(apart: Estimate) -> bool:
    """Tell whether the 95 % interval of a difference leaves out zero; with one seed there is no telling."""
    return apart.low is not None and apart.high is not None and (apart.low > 0 or apart.high < 0)


def _figure(scenario: Scenario, measured: Measurements) -> Figure:
    """Draw each metric against the swept key if there is one with numbers, else by protocol."""
    rows = measured.where(SWEEP, "bytes_sent_per_node")
    keys = [key for key in (_others(rows[0].point) if rows else {}) if _is_numeric(rows, key)]
    key = keys[0] if keys else None
    protocols = list(dict.fromkeys(str(row.point[PROTOCOL]) for row in rows))
    panels = tuple(
        Panel(
            "",
            key or "protocol",
            axis_label(metric),
            _series(measured, metric, protocols, key),
            y_limits=(0.0, 1.0) if metric == "delivery_ratio" else None,
            x_names=() if key else tuple(protocols),
        )
        for metric in SHOWN
    )
    seeds = max((row.seeds for row in rows), default=0)
    caption = f"Mean over {seeds} seeds with its 95 % interval."
    return Figure("compare", f"{scenario.name}: protocols compared", caption, panels)


def _series(measured: Measurements, metric: str, protocols: Sequence[str], key: str | None) -> tuple[Series, ...]:
    """Return a curve for each protocol over the swept key; without one, a single row of points."""
    of_each = [
        _points(measured.where(SWEEP, metric, {PROTOCOL: name}), key, place) for place, name in enumerate(protocols)
    ]
    if key:
        return tuple(Series(name, points) for name, points in zip(protocols, of_each, strict=True))
    return (Series("mean", tuple(point for points in of_each for point in points)),)


def _is_numeric(rows: Sequence[Measurement], key: str) -> bool:
    return all(isinstance(row.point[key], (int, float)) and not isinstance(row.point[key], bool) for row in rows)


def _points(rows: Sequence[Measurement], key: str | None, place: int) -> tuple[Point, ...]:
    points = (Point(float(row.point[key]) if key else float(place), row.mean, row.low, row.high) for row in rows)
    return tuple(sorted(points, key=lambda point: point.x))


def _document(scenario: Scenario, reference: str, campaign: MeasuredCampaign) -> dict[str, Any]:
    measured = campaign.measurements
    found = ((row, _apart(measured, row, reference)) for row in measured)
    return {
        "scenario": scenario.name,
        "version": __version__,
        "seeds": sorted({run.seed for run in campaign.runs}),
        "precision": [asdict(each) for each in campaign.reached],
        "measurements": [
            {
                "point": dict(row.point),
                "metric": row.metric,
                "mean": row.mean,
                "low": row.low,
                "high": row.high,
                "seeds": row.seeds,
            }
            for row in measured
        ],
        "differences": [
            {
                "point": dict(row.point),
                "metric": row.metric,
                "reference": reference,
                "difference": apart.mean,
                "low": apart.low,
                "high": apart.high,
                "seeds": apart.seeds,
                "significant": is_significant(apart),
            }
            for row, apart in found
            if apart is not None
        ],
    }
