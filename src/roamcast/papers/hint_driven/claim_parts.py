"""The numbers that the hint-driven paper's claims rest on: points of its curves, and our reading of its words.

A number that the paper prints is compared within a tolerance: its text does not say how many runs an average is of, so
the paper's own sampling error cannot be computed, and the tolerance stands for it as well. An inequality that it prints
("less than half", "more than 85 %", "at least 5") has none. A word is read as one of the constants below, the same
wherever it occurs; its direction is judged first.

No claim chooses its points by what its runs measure: they are named here and in the claims, or all points of an axis
count. Of the claims on mobility, an audit's results were known when the axes were chosen (``after_results``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Band, Part, within
from roamcast.papers.hint_driven.curves import COST, DELIVERY
from roamcast.papers.shared.claim_parts import Row, difference_part, ratio_part
from roamcast.papers.shared.curves import Curve, row_at, rows_along

POINTS = 0.05
"""Five points of a share, to which one reads a printed curve: less is "marginal", or no change; more is a change."""
SLIGHTLY = 0.1
"""Up to ten points of delivery are "slightly" less, or performance that is "maintained"."""
COST_TOLERANCE = 0.2
"""A fifth of a cost: radio, message sizes and random delays are ours, and all weigh on it. No more than that may change
of a cost that is "only slightly influenced", "maintained" or "rather constant"."""
FAR = 0.5
"""At most half the cost is "far" or "much" cheaper, or a "high convenience": the example that the paper gives for it
(figure 7) is less than half."""
SMOOTH = 0.05
"""By how much a single step may go against a curve that is said to rise "smoothly": a twentieth of the cost."""

SAME_COST = within(1 / (1 + COST_TOLERANCE), 1 + COST_TOLERANCE)
KEPT = within(-SLIGHTLY, SLIGHTLY)
MARGINAL = within(-POINTS, POINTS)
NOT_JUDGED = "not judged: "


@dataclass(frozen=True, slots=True)
class Line:
    """A curve of one sweep."""

    sweep: str
    axis: str
    """The key on the axis."""
    curve: Curve

    @property
    def label(self) -> str:
        """Return the curve's label."""
        return self.curve.label

    def at(self, measured: Measurements, metric: str, value: float) -> Measurement | None:
        """Return the measurement at one value of the axis."""
        return row_at(measured, self.sweep, metric, self.curve, self.axis, value)

    def rows(self, measured: Measurements, metric: str) -> Sequence[Measurement]:
        """Return the measurements in the order of the axis."""
        return rows_along(measured, self.sweep, metric, self.curve, self.axis)

    def values(self, measured: Measurements) -> Sequence[float]:
        """Return the values of the axis that were measured."""
        return sorted({float(row.point[self.axis]) for each in (DELIVERY, COST) for row in self.rows(measured, each)})


Compare = Callable[[str, Row, Row, Band | None], Part]
"""Makes a part of two points, by their difference or their ratio."""


def each_less_base(measured: Measurements, line: Line, base: float, band: Band | None) -> Sequence[Part]:
    """Return the delivery at each later point of a curve less that at a base."""
    return _each_with_base(measured, line, DELIVERY, base, band, "delivery at {:g} less {:g}", difference_part)


def each_over_base(measured: Measurements, line: Line, base: float, band: Band | None) -> Sequence[Part]:
    """Return the cost at each later point of a curve over that at a base."""
    return _each_with_base(measured, line, COST, base, band, "cost at {:g} over {:g}", ratio_part)


def _each_with_base(
    measured: Measurements, line: Line, metric: str, base: float, band: Band | None, words: str, by: Compare
) -> Sequence[Part]:
    row = line.at(measured, metric, base)
    label = f"{NOT_JUDGED if band is None else ''}{line.label}: {words}"
    later = [value for value in line.values(measured) if value > base]
    return [by(label.format(value, base), line.at(measured, metric, value), row, band) for value in later]


def cost_steps(measured: Measurements, line: Line, band: Band, first: float = 0.0) -> Sequence[Part]:
    """Return the cost at each point over that at the point before, from some value of the axis on."""
    values = [value for value in line.values(measured) if value >= first]
    return [
        ratio_part(
            f"{line.label}: cost at {after:g} over {before:g}",
            line.at(measured, COST, after),
            line.at(measured, COST, before),
            band,
        )
        for before, after in pairwise(values)
    ]


def or_missing(parts: Sequence[Part], *lines: Line) -> Sequence[Part]:
    """Return the parts, and one that was not measured if there is nothing to judge: the claim then stays open."""
    if any(part.is_judged for part in parts):
        return parts
    return [*parts, Part.missing(", ".join(line.label for line in lines))]
