"""The values that the hint-driven paper's claims rest on: curves over an axis, and our reading of its words.

Where the paper gives a number, a claim has that number with a tolerance. Where it gives a word, the word is read as one
of the constants below, the same wherever it occurs.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import inf

from roamcast.measuring.claim_verdicts import Part
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.papers.hint_driven.curves import COST, DELIVERY
from roamcast.papers.shared.claim_parts import difference_part, ratio_part
from roamcast.papers.shared.curves import Curve, rows_along

POINTS = 0.05
"""Five points of delivery, to which one reads a printed curve: less is "marginal" or no change, more is a change."""
SLIGHTLY = 0.1
"""Up to ten points of delivery are "slightly" less, or performance that is "maintained"."""
COST_TOLERANCE = 0.2
"""A fifth of a cost: radio, message sizes and random delays are ours, and all weigh on it. No more than that may change
of a cost that is "only slightly influenced", "maintained" or "rather constant"."""
FAR = 0.5
"""At most half the cost is "far" or "much" cheaper: it is the example that the paper gives for it (figure 7)."""


def ends(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str
) -> tuple[Measurement | None, Measurement | None]:
    """Return the first and the last point of a curve."""
    rows = rows_along(measured, sweep, metric, curve, axis)
    return (rows[0], rows[-1]) if len(rows) > 1 else (None, None)


def delivery_change(
    measured: Measurements, sweep: str, axis: str, curve: Curve, low: float = -inf, high: float = inf
) -> Part:
    """Return how much a curve's delivery changes from its first to its last point."""
    first, last = ends(measured, sweep, DELIVERY, curve, axis)
    return difference_part(f"{curve.label}: last less first", last, first, low, high)


def delivery_extent(measured: Measurements, sweep: str, axis: str, curve: Curve, high: float) -> Part:
    """Return a curve's highest delivery less its lowest.

    The two points are those that happened to differ most, which makes the difference too large rather than too small:
    a claim that nothing changes is not helped by it.
    """
    rows = sorted(rows_along(measured, sweep, DELIVERY, curve, axis), key=lambda row: row.mean)
    if len(rows) < 2:
        return Part.missing(f"{curve.label}: delivery")
    label = f"{curve.label}: delivery at {rows[-1].point[axis]:g} less at {rows[0].point[axis]:g}"
    return difference_part(label, rows[-1], rows[0], -inf, high)


def cost_extent(measured: Measurements, sweep: str, axis: str, curve: Curve, high: float) -> Part:
    """Return a curve's highest cost over its lowest; the same holds as for delivery."""
    rows = sorted(rows_along(measured, sweep, COST, curve, axis), key=lambda row: row.mean)
    if len(rows) < 2:
        return Part.missing(f"{curve.label}: cost")
    label = f"{curve.label}: cost at {rows[-1].point[axis]:g} over {rows[0].point[axis]:g}"
    return ratio_part(label, rows[-1], rows[0], -inf, high)


def largest_fall(measured: Measurements, sweep: str, axis: str, curve: Curve, high: float) -> Part:
    """Return by how much delivery falls the most from a point to any later one; below 0 where it rises throughout."""
    rows = rows_along(measured, sweep, DELIVERY, curve, axis)
    if len(rows) < 2:
        return Part.missing(f"{curve.label}: delivery")
    before, after = max(combinations(rows, 2), key=lambda pair: pair[0].mean - pair[1].mean)
    label = f"{curve.label}: delivery at {before.point[axis]:g} less at {after.point[axis]:g}"
    return difference_part(label, before, after, -inf, high)


def cost_steps(
    measured: Measurements, sweep: str, axis: str, curve: Curve, low: float = -inf, high: float = inf
) -> Sequence[Part]:
    """Return each point's cost over that of the point before."""
    rows = rows_along(measured, sweep, COST, curve, axis)
    return [
        ratio_part(f"{curve.label}: {after.point[axis]:g} over {before.point[axis]:g}", after, before, low, high)
        for before, after in pairwise(rows)
    ] or [Part.missing(f"{curve.label}: costs")]
