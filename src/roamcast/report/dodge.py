"""Where points stand whose intervals would cover each other: a little beside their x, each series on its own side.

Only points that share their x with another series move, and only where both series have intervals: what was computed
or printed stays where it is. They move by points on paper, so that two bars are as far apart on a logarithmic axis as
on a linear one, and never so far that one could take them for values of another x.
"""

import math

from roamcast.report.figure import Panel, Series
from roamcast.report.scale import Scale, is_shown, shown_points

BAND_FROM_POINTS = 16
"""A curve with this many points has its interval drawn as a band: bars would run into each other."""
_STEP_PT = 7.0
"""From one series to the next; the caps of a bar are 6 points wide."""
_SPREAD_MAX = 0.4
"""All series at one x, as a share of the distance to the next: more than half of it stays free."""


def dodged(panel: Panel, scale: Scale, width_pt: float) -> list[dict[float, float]]:
    """Return for each series of a panel that is this wide which x are drawn elsewhere, and where."""
    standing: dict[float, list[int]] = {}
    for number, series in enumerate(panel.series):
        if has_bars(series, panel, scale):
            for x in sorted({point.x for point in series.points if is_shown(point, panel)}):
                standing.setdefault(x, []).append(number)
    moved: list[dict[float, float]] = [{} for _ in panel.series]
    if panel.x_names:
        return moved
    xs = sorted({point.x for point in shown_points(panel)})
    for x, numbers in standing.items():
        step = _step(x, xs, len(numbers), panel.log_x, width_pt) if len(numbers) > 1 else 0.0
        for rank, number in enumerate(numbers):
            shift = (rank - (len(numbers) - 1) / 2) * step
            if shift:
                moved[number][x] = x * 10.0**shift if panel.log_x else x + shift
    return moved


def has_bars(series: Series, panel: Panel, scale: Scale) -> bool:
    """Say whether some point of a series has an interval that is drawn as a bar."""
    return len(series.points) < BAND_FROM_POINTS and any(
        scale.interval(point) != (0.0, 0.0) for point in series.points if is_shown(point, panel)
    )


def ends_round(x: float, log: bool) -> tuple[float, float]:
    """Return where an axis begins and ends that has one value only."""
    half = (abs(x) or 1.0) / 2
    return (x / math.sqrt(10), x * math.sqrt(10)) if log else (x - half, x + half)


def _step(x: float, xs: list[float], count: int, log: bool, width_pt: float) -> float:
    """Return the distance between two series at an x, in units of the axis or, if it is logarithmic, in decades."""
    ends = (xs[0], xs[-1]) if len(xs) > 1 else ends_round(x, log)
    # The axis is a tenth longer than the values' range: 5 % on either side.
    step_pt_wide = _STEP_PT * 1.1 * _distance(*ends, log) / width_pt
    nearest = min((_distance(x, other, log) for other in xs if other != x), default=math.inf)
    return min(step_pt_wide, _SPREAD_MAX * nearest / (count - 1))


def _distance(one: float, other: float, log: bool) -> float:
    return abs(math.log10(other / one)) if log else abs(other - one)
