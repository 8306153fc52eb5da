"""Curves over one quantity, for papers whose figures have them; each is a protocol with its keys of the scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import PlannedRun, plan
from roamcast.campaigns.scenario_choices import PROTOCOL_KEY
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.report.figure import Point

CURVE = "curve"


@dataclass(frozen=True, slots=True)
class Curve:
    """A line in a figure."""

    label: str
    protocol: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """The keys of the scenario that it changes, in addition to the protocol's name."""

    @property
    def labels(self) -> Mapping[str, Any]:
        """Return the labels by which its points are found."""
        return {CURVE: self.label, PROTOCOL_KEY: self.protocol}


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of a sweep: the key that labels its points, and its values."""

    key: str
    values: Mapping[float, Mapping[str, Any]]
    """Each value with the keys of the scenario that it sets."""


def over(key: str, values: Sequence[float]) -> Axis:
    """Return an axis of one key of the scenario."""
    return Axis(key, {value: {key: value} for value in values})


def planned(
    name: str,
    scenario: Scenario,
    curves: Sequence[Curve],
    axis: Axis,
    seeds: Sequence[int],
    labels: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[PlannedRun, ...]:
    """Return the runs of all points of all curves; ``labels`` are added to every point."""
    return tuple(
        run
        for curve in curves
        for value, keys in axis.values.items()
        for run in plan(
            name,
            scenario.with_values({PROTOCOL_KEY: curve.protocol, **curve.values, **keys}),
            {},
            seeds,
            {**curve.labels, axis.key: value, **labels},
        )
    )


def row_at(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str, value: float
) -> Measurement | None:
    """Return a curve's measurement at one value of an axis."""
    return measured.first(sweep, metric, {CURVE: curve.label, axis: value})


def rows_along(measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str) -> Sequence[Measurement]:
    """Return a curve's measurements in the order of its axis."""
    rows = measured.where(sweep, metric, {CURVE: curve.label})
    return sorted(rows, key=lambda row: float(row.point[axis]))


def point_at(x: float, row: Measurement, unit: float = 1.0) -> Point:
    """Return a measurement as a point of a figure, in an axis's unit: 0.001 for kB where the metric has bytes."""
    low, high = (None if end is None else unit * end for end in (row.low, row.high))
    return Point(x, unit * row.mean, low, high)
