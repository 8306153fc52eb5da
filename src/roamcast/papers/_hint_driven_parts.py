"""Parts of the hint-driven paper's claims: a measured value, or the difference or ratio of two.

Two values that are compared were measured with the same seeds, which mostly go up and down together; their intervals
are joined as if they did not, which makes that of the comparison too wide rather than too narrow.
"""

from collections.abc import Callable, Sequence
from math import hypot, inf

from roamcast.experiments.claims import Part
from roamcast.experiments.measurements import Measurement, Measurements
from roamcast.papers._hint_driven_curves import CURVE, DELIVERY, Curve

Measure = Callable[[Measurements], Sequence[Part]]


def if_measured(sweep: str, measure: Measure) -> Measure:
    """Return a measure that has no parts where its sweep was not run at all."""
    return lambda measured: measure(measured) if measured.where(sweep, DELIVERY) else []


def row_at(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str, value: float
) -> Measurement | None:
    """Return the measurement at one value of an axis."""
    rows = measured.where(sweep, metric, {CURVE: curve.label, axis: value})
    return rows[0] if rows else None


def rows_along(measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str) -> Sequence[Measurement]:
    """Return a curve's measurements in the order of its axis."""
    rows = measured.where(sweep, metric, {CURVE: curve.label})
    return sorted(rows, key=lambda row: float(row.point[axis]))


def value_part(label: str, row: Measurement | None, low: float = -inf, high: float = inf) -> Part:
    """Return a measured value as a part of a claim."""
    return Part.missing(label) if row is None else Part(label, row.mean, row.half_width_95, low, high)


def difference_part(
    label: str, row: Measurement | None, less: Measurement | None, low: float = -inf, high: float = inf
) -> Part:
    """Return by how much one value exceeds another."""
    if row is None or less is None:
        return Part.missing(label)
    widths = (row.half_width_95, less.half_width_95)
    joint = None if None in widths else hypot(*(each or 0.0 for each in widths))
    return Part(label, row.mean - less.mean, joint, low, high)


def ratio_part(
    label: str, row: Measurement | None, over: Measurement | None, low: float = -inf, high: float = inf
) -> Part:
    """Return how many times another value one value is."""
    if row is None or over is None or over.mean == 0:
        return Part.missing(label)
    ratio, joint = row.mean / over.mean, None
    if row.half_width_95 is not None and over.half_width_95 is not None:
        joint = hypot(row.half_width_95, ratio * over.half_width_95) / over.mean
    return Part(label, ratio, joint, low, high)
