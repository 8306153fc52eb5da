"""Dodging: points whose intervals would overlap are drawn slightly beside their x, each series on its own side.

Only points that share their x with another series are moved, and only if both series have intervals: computed or
printed values stay where they are. They are moved by points on paper, so that two bars are as far apart on a
logarithmic axis as on a linear one, and never so far that they could be mistaken for values of another x.
"""

import math
from itertools import pairwise

from roamcast.report.axis_scale import Scale, is_shown, shown_points
from roamcast.report.figure import Panel, Series

BAND_FROM_POINTS = 16
"""From this many points on, a curve's interval is drawn as a band: bars would run into each other."""
_STEP_PT, _NARROW_STEP_PT = 7.0, 3.0
"""The largest distance between two series: the caps of bars, 6 points wide, or just the bars, do not touch."""
_APART_PT = 2.5
"""The distance between two series if there are many: bars, about a point wide, can still be distinguished."""
_SPREAD, _SPREAD_MAX = 0.2, 0.4
"""The width of all series at one x, as a share of the smallest distance between two x; or, if bars need more, of the
distance to the next x."""


def dodged(panel: Panel, scale: Scale, width_pt: float, ticks_at_values: bool) -> list[dict[float, float]]:
    """Return for each series of a panel of this width which x are drawn elsewhere, and where.

    If no tick shows the x, they are drawn closer to it.
    """
    sharing: dict[float, list[int]] = {}
    for number, series in enumerate(panel.series):
        if has_bars(series, panel, scale):
            for x in sorted({point.x for point in series.points if is_shown(point, panel)}):
                sharing.setdefault(x, []).append(number)
    moved: list[dict[float, float]] = [{} for _ in panel.series]
    xs = sorted({point.x for point in shown_points(panel)})
    most = (_STEP_PT if ticks_at_values else _NARROW_STEP_PT) / width_pt
    for x, numbers in sharing.items():
        step = _step(x, xs, len(numbers), panel.log_x, most, _APART_PT / width_pt) if len(numbers) > 1 else 0.0
        for rank, number in enumerate(numbers):
            shift = (rank - (len(numbers) - 1) / 2) * step
            if shift:
                moved[number][x] = x * 10.0**shift if panel.log_x else x + shift
    return moved


def has_bars(series: Series, panel: Panel, scale: Scale) -> bool:
    """Tell whether a point of a series has an interval that is drawn as a bar."""
    return len(series.points) < BAND_FROM_POINTS and any(
        scale.interval(point) != (0.0, 0.0) for point in series.points if is_shown(point, panel)
    )


def ends_round(x: float, log: bool) -> tuple[float, float]:
    """Return the ends of an axis with a single value."""
    half = (abs(x) or 1.0) / 2
    return (x / math.sqrt(10), x * math.sqrt(10)) if log else (x - half, x + half)


def _step(x: float, xs: list[float], count: int, log: bool, most: float, enough: float) -> float:
    """Return the distance between two series at an x, in units of the axis or, if it is logarithmic, in decades.

    It is at most the share ``most`` of the axis and, unless another x is too near, at least the share ``enough``.
    """
    ends = (xs[0], xs[-1]) if len(xs) > 1 else ends_round(x, log)
    # The axis is a tenth longer than the values' range: 5 % on either side.
    length = 1.1 * _distance(*ends, log)
    smallest = min((_distance(*pair, log) for pair in pairwise(xs)), default=math.inf)
    nearest = min((_distance(x, other, log) for other in xs if other != x), default=math.inf)
    least = min(enough * length, _SPREAD_MAX * nearest / (count - 1))
    return min(most * length, max(_SPREAD * smallest / (count - 1), least))


def _distance(one: float, other: float, log: bool) -> float:
    return abs(math.log10(other / one)) if log else abs(other - one)
