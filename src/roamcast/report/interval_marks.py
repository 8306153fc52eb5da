"""Drawing the intervals of a panel's points: bars with caps, or a band; a triangle if one continues beyond the axis."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.markers import CARETDOWNBASE, CARETUPBASE

from roamcast.report.axis_scale import Scale
from roamcast.report.style import LineStyle

_CAP_PT = 6.0
_CUT_PT = 5.0
_ZORDER = 2.8
"""Between the grid and the points."""


def draw_band(
    axes: Axes, xs: Sequence[float], ys: Sequence[float], bars: Sequence[tuple[float, float]], style: LineStyle
) -> None:
    """Fill the area between the ends of the intervals."""
    if any(bar != (0.0, 0.0) for bar in bars):
        low = [y - bar[0] for y, bar in zip(ys, bars, strict=True)]
        high = [y + bar[1] for y, bar in zip(ys, bars, strict=True)]
        axes.fill_between(xs, low, high, color=style.colour, alpha=0.18, linewidth=0, zorder=2.0)


def draw_bars(
    axes: Axes,
    xs: Sequence[float],
    ys: Sequence[float],
    bars: Sequence[tuple[float, float]],
    cuts: Sequence[tuple[bool, bool]],
    style: LineStyle,
) -> None:
    """Draw error bars for points with an interval; a cap on a point without one would suggest certainty."""
    known = [index for index, bar in enumerate(bars) if bar != (0.0, 0.0)]
    if not known:
        return
    lengths = [[bars[index][0] for index in known], [bars[index][1] for index in known]]
    axes.errorbar(
        [xs[index] for index in known],
        [ys[index] for index in known],
        yerr=lengths,
        fmt="none",
        ecolor=style.colour,
        elinewidth=1.1,
        capsize=0,
        zorder=_ZORDER,
    )
    ends = [(index, ys[index] - bars[index][0]) for index in known if not cuts[index][0]]
    ends += [(index, ys[index] + bars[index][1]) for index in known if not cuts[index][1]]
    _mark(axes, [xs[index] for index, _ in ends], [end for _, end in ends], "_", _CAP_PT, style)


def draw_cuts(
    axes: Axes, xs: Sequence[float], scale: Scale, cuts: Sequence[tuple[bool, bool]], style: LineStyle
) -> None:
    """Draw a triangle that points out of the axis wherever an interval was cut at its end."""
    below = [x for x, cut in zip(xs, cuts, strict=True) if cut[0]]
    above = [x for x, cut in zip(xs, cuts, strict=True) if cut[1]]
    _mark(axes, below, [scale.low] * len(below), CARETDOWNBASE, _CUT_PT, style)
    _mark(axes, above, [scale.high] * len(above), CARETUPBASE, _CUT_PT, style)


def _mark(
    axes: Axes, xs: Sequence[float], ys: Sequence[float], marker: str | int, size_pt: float, style: LineStyle
) -> None:
    if xs:
        axes.plot(xs, ys, linestyle="none", marker=marker, markersize=size_pt, color=style.colour, zorder=_ZORDER)
