"""The range of an axis, and the treatment of values that it cannot show.

A logarithmic axis has no zero, yet zero is the best value of many metrics: it is drawn one decade below the axis
proper, at a tick labelled 0. An interval that extends beyond the axis is cut where the axis ends. Anything that cannot
be shown is mentioned in a note below the figure.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roamcast.report.figure import Panel, Point

_MARGIN = 0.04
_LOG_SPAN_MIN = 10.0
"""Values within less than a decade are easier to read on a linear axis, which has more tick labels."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The vertical axis that panels of one quantity share."""

    log: bool
    low: float
    """The lower end of the values, where intervals are cut; below it is room for a marker."""
    high: float
    """The upper end of the values."""
    bottom: float
    top: float
    zero_at: float | None = None
    """The position at which zeros are drawn on a logarithmic axis, if there are any."""

    def position(self, y: float) -> float:
        """Return the position at which a value is drawn; NaN if it cannot be."""
        if not self.log or y > 0:
            return y
        return self.zero_at if y == 0 and self.zero_at is not None else math.nan

    def interval(self, point: Point) -> tuple[float, float]:
        """Return the lengths of the bars below and above a point, cut where the axis ends."""
        middle = self.position(point.y)
        if point.interval is None or not math.isfinite(middle):
            return 0.0, 0.0
        low, high = max(point.interval[0], self.low), min(point.interval[1], self.high)
        return max(0.0, middle - low), max(0.0, high - middle)

    def cut(self, point: Point) -> tuple[bool, bool]:
        """Tell whether a point's interval continues below the axis, and whether above it."""
        if point.interval is None or not self.low <= self.position(point.y) <= self.high:
            return False, False
        # So that an interval up to 1, but for rounding, ends there and not beyond.
        slack = 1e-9 * (self.low if self.log else self.high - self.low)
        return point.interval[0] < self.low - slack, point.interval[1] > self.high + slack


def shown_points(panel: Panel) -> list[Point]:
    """Return the points of a panel that its axes can show."""
    return [point for series in panel.series for point in series.points if is_shown(point, panel)]


def is_shown(point: Point, panel: Panel) -> bool:
    """Tell whether a point is finite and not to the left of a logarithmic axis."""
    return math.isfinite(point.x) and math.isfinite(point.y) and (point.x > 0 or not panel.log_x)


def scale_of(panels: Sequence[Panel]) -> Scale:
    """Return a common scale for panels of one quantity, which share ``log_y`` and ``y_limits``."""
    points = [point for panel in panels for point in shown_points(panel)]
    limits = panels[0].y_limits
    positive = [point for point in points if point.y > 0]
    values = [point.y for point in positive]
    if panels[0].log_y and values and max(values) >= _LOG_SPAN_MIN * min(values):
        return _log_scale(positive, any(point.y == 0 for point in points), limits)
    return _linear_scale(points, limits)


def notes_of(panel: Panel, scale: Scale) -> list[str]:
    """Return notes about the values that a panel does not show as they are."""
    points = shown_points(panel)
    notes = []
    if scale.log and any(point.y == 0 for point in points):
        notes.append("zeros are drawn at the tick 0 below the logarithmic axis")
    if negative := sum(scale.log and point.y < 0 for point in points):
        notes.append(f"{_count(negative)} below zero not shown on the logarithmic axis")
    positions = [scale.position(point.y) for point in points]
    if outside := sum(not scale.bottom <= position <= scale.top for position in positions if math.isfinite(position)):
        notes.append(f"{_count(outside)} outside the vertical axis")
    if any(any(scale.cut(point)) for point in points):
        notes.append("an interval that ends in a triangle continues beyond the axis")
    every = [point for series in panel.series for point in series.points]
    if left := sum(panel.log_x and point.x <= 0 and math.isfinite(point.y) for point in every):
        notes.append(f"{_count(left)} at or left of zero not shown on the logarithmic axis")
    return notes


def _linear_scale(points: Sequence[Point], limits: tuple[float, float] | None) -> Scale:
    """Begin at zero unless a value is below it, and leave room for a marker at both ends.

    A quantity without negative values is assumed to have none: a count, a time, a share.
    """
    if limits is not None:
        low, high = limits
    else:
        signed = any(point.y < 0 for point in points)
        low = min(min(_extent(point)) for point in points) if signed else 0.0
        high = max([low, *_upper_ends(points)])
    if not low < high:
        high = low + 1.0
    margin = _MARGIN * (high - low)
    return Scale(log=False, low=low, high=high, bottom=low - margin, top=high + margin)


def _log_scale(positive: Sequence[Point], with_zeros: bool, limits: tuple[float, float] | None) -> Scale:
    """Begin at a power of ten and extend for at least one decade, or to the given limits."""
    low = 10.0 ** math.floor(math.log10(min(point.y for point in positive)))
    high = max([low * 10, *_upper_ends(positive)])
    if limits is not None:
        low = limits[0] if limits[0] > 0 else low
        high = limits[1] if limits[1] > low else high
    zero_at = 10.0 ** (math.floor(math.log10(low)) - 1) if with_zeros else None
    low = zero_at or low
    margin = (high / low) ** _MARGIN
    return Scale(log=True, low=low, high=high, bottom=low / margin, top=high * margin, zero_at=zero_at)


def _upper_ends(points: Iterable[Point]) -> list[float]:
    return [max(_extent(point)) for point in points]


def _extent(point: Point) -> tuple[float, ...]:
    return (point.y, *(point.interval or ()))


def _count(points: int) -> str:
    return f"{points} point{'s' if points != 1 else ''}"
