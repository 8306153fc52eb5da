"""The picture of a comparison: a panel for each of the most telling metrics."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.measurements import Measurement, Measurements, over_seeds
from roamcast.measuring.metrics import axis_label, bounds_of
from roamcast.report.figure import Figure, Panel, Point, Series

SWEEP = "compare"
"""The name of the one sweep of a comparison."""
SHOWN = (
    "delivery_ratio",
    "latency_mean_s",
    "frames_per_delivery",
    "bytes_sent_per_node",
    "duplicates_per_node",
    "parasites_per_node",
)
"""The metrics in the picture and, with those of plug-ins, in the printed tables; the tables on disk have all."""


def comparison_figure(title: str, measured: Measurements) -> Figure:
    """Return each metric over the swept key, if there is one with numbers, and else by protocol."""
    rows = measured.where(SWEEP, "bytes_sent_per_node")
    keys = [key for key in (swept_labels(rows[0].point) if rows else {}) if _is_numeric(rows, key)]
    key = keys[0] if keys else None
    protocols = list(dict.fromkeys(str(row.point[PROTOCOL_KEY]) for row in rows))
    panels = tuple(
        Panel(
            "",
            key or "protocol",
            axis_label(metric),
            _series(measured, metric, protocols, key),
            y_limits=_limits(metric),
            x_names=() if key else tuple(protocols),
        )
        for metric in SHOWN
    )
    return Figure("compare", f"{title}: protocols compared", f"Values {over_seeds(rows)}.", panels)


def _limits(metric: str) -> tuple[float, float] | None:
    """Return the ends of an axis for a metric that has two bounds; None where the values decide."""
    bounds = bounds_of(metric)
    return (bounds.low, bounds.high) if isfinite(bounds.low) and isfinite(bounds.high) else None


def swept_labels(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return a point's labels without the protocol."""
    return {key: value for key, value in point.items() if key != PROTOCOL_KEY}


def _series(measured: Measurements, metric: str, protocols: Sequence[str], key: str | None) -> tuple[Series, ...]:
    """Return a curve for each protocol over the swept key; without one, a single row of points."""
    points_of = [
        _points(measured.where(SWEEP, metric, {PROTOCOL_KEY: name}), key, column)
        for column, name in enumerate(protocols)
    ]
    if key:
        return tuple(Series(name, points) for name, points in zip(protocols, points_of, strict=True))
    return (Series("value", tuple(point for points in points_of for point in points)),)


def _is_numeric(rows: Sequence[Measurement], key: str) -> bool:
    return all(isinstance(row.point[key], (int, float)) and not isinstance(row.point[key], bool) for row in rows)


def _points(rows: Sequence[Measurement], key: str | None, column: int) -> tuple[Point, ...]:
    points = (Point(float(row.point[key]) if key else float(column), row.mean, row.low, row.high) for row in rows)
    return tuple(sorted(points, key=lambda point: point.x))
