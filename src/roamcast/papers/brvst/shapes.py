"""Shapes of curves that the BRVST paper names, as parts of claims: growing ever faster, linear, steeper than another.

Its words for growth are read weakly, since it prints no numbers: *exponentially* as ever faster, by more for each
further message in the upper half of the axis than in the lower one; *linearly* as near the straight line between the
ends; *sub-linearly* as by less than the rate's own factor.
"""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sampled
from roamcast.measuring.verdicts import Band, Part, Quantity, Ratio, above
from roamcast.papers.brvst.curves import ABOUT_SAME
from roamcast.papers.shared.claim_parts import combined_part, formula_part, ratio_part
from roamcast.papers.shared.curves import Curve, rows_along

POINTS_MIN = 3


def _along(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str
) -> Sequence[tuple[float, Measurement]]:
    return [(float(row.point[axis]), row) for row in rows_along(measured, sweep, metric, curve, axis)]


def ever_faster(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str, knee: float | None = None
) -> Part:
    """Return how much steeper a curve is beyond some value of the axis than before it: by default, half of the last.

    The difference of the two slopes, for one unit of the axis.
    """
    found = _along(measured, sweep, metric, curve, axis)
    name = f"{axis.rpartition('.')[2].replace('_', ' ')}, {curve.label}"
    if len(found) < POINTS_MIN:
        return Part.missing(f"{name}: slopes", above(0))
    (first, low), (last, high) = found[0], found[-1]
    wanted = last / 2 if knee is None else knee
    at, middle = min(found[1:-1], key=lambda each: abs(each[0] - wanted))
    upper, lower = 1 / (last - at), 1 / (at - first)
    terms = [(upper, high), (-upper - lower, middle), (lower, low)]
    return combined_part(f"{name}: slope above {at:g} less that below", terms, above(0))


def linear(measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str) -> Sequence[Part]:
    """Return the rise over the axis, and each point between the ends over the straight line that joins these."""
    found = _along(measured, sweep, metric, curve, axis)
    if len(found) < POINTS_MIN:
        return [Part.missing(f"{curve.label}: points of a line")]
    (first, low), (last, high) = found[0], found[-1]
    rise = ratio_part(f"{curve.label}: at {last:g} over {first:g}", high, low, above(1))
    return [
        rise,
        *(_over_chord(curve.label, at, (at - first) / (last - first), row, low, high) for at, row in found[1:-1]),
    ]


def _over_chord(label: str, at: float, share: float, row: Measurement, low: Measurement, high: Measurement) -> Part:
    def quantity(values: Sequence[Sampled]) -> Quantity:
        chord = values[1] * (1 - share) + values[2] * share
        return Ratio.of(values[0].log() - chord.log())

    return formula_part(f"{label}: at {at:g} over the straight line", [row, low, high], quantity, ABOUT_SAME)


def slope_ratio(
    measured: Measurements, sweep: str, metric: str, curves: tuple[Curve, Curve], axis: str, band: Band
) -> Part:
    """Return the rise of one curve from the first point to the last, over that of another."""

    def quantity(values: Sequence[Sampled]) -> Quantity:
        return Ratio.of((values[1] - values[0]).log() - (values[3] - values[2]).log())

    rows = _ends(measured, sweep, metric, curves, axis)
    return formula_part(f"rise of {curves[0].label} over that of {curves[1].label}", rows, quantity, band)


def growth_ratio(
    measured: Measurements, sweep: str, metric: str, curves: tuple[Curve, Curve], axis: str, band: Band
) -> Part:
    """Return the factor by which one curve grows from the first point to the last, over that of another."""

    def quantity(values: Sequence[Sampled]) -> Quantity:
        return Ratio.of(values[1].log() - values[0].log() - values[3].log() + values[2].log())

    rows = _ends(measured, sweep, metric, curves, axis)
    return formula_part(f"growth of {curves[0].label} over that of {curves[1].label}", rows, quantity, band)


def _ends(
    measured: Measurements, sweep: str, metric: str, curves: tuple[Curve, Curve], axis: str
) -> list[Measurement | None]:
    """Return the first and the last measurement of one curve, then those of the other; None for a curve without two."""
    ends: list[Measurement | None] = []
    for curve in curves:
        rows = [row for _, row in _along(measured, sweep, metric, curve, axis)]
        ends += [rows[0], rows[-1]] if len(rows) > 1 else [None, None]
    return ends
