"""Drawing one panel: its lines, their intervals and its axes."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib import ticker
from matplotlib.axes import Axes

from roamcast.report.axis_scale import Scale, is_shown, shown_points
from roamcast.report.dodge import BAND_FROM_POINTS, dodged, ends_round
from roamcast.report.figure import Panel, Series
from roamcast.report.interval_marks import draw_band, draw_bars, draw_cuts
from roamcast.report.lettering import shortened, text_width_pt, wrapped
from roamcast.report.printable_text import one_line
from roamcast.report.style import LABEL_PT, PANEL_TITLE_PT, SMALL_PT, LineStyle, Styles

_TICKS_AT_VALUES_MAX = 8
_TICK_GAP_PT = 6.0
_LOG_GAP_PT = 4.0
_SLANTED_PT_MAX = 150.0
_STEPS = [1, 2, 2.5, 3, 5, 6, 10]
"""For times as well as counts: 0, 30, 60, ... seconds."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw_panel(axes: Axes, panel: Panel, scale: Scale, styles: Styles, size_pt: tuple[float, float]) -> None:
    """Draw a panel into axes of about this width and height; a panel without data is marked as such."""
    width_pt, height_pt = size_pt
    axes.set_title("\n".join(wrapped(panel.title, PANEL_TITLE_PT, width_pt)))
    axes.set_xlabel("\n".join(wrapped(_axis_label(panel.x_label, panel.log_x), LABEL_PT, width_pt)))
    axes.set_ylabel("\n".join(wrapped(_axis_label(panel.y_label, scale.log), LABEL_PT, height_pt)))
    if not shown_points(panel):
        axes.set(xticks=[], yticks=[])
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color="#555555")
        return
    at_values = _ticks_fit(_values(panel), panel.log_x, width_pt)
    moved = _beside_names(panel) if panel.x_names else dodged(panel, scale, width_pt, at_values)
    for series, moved_xs in zip(panel.series, moved, strict=True):
        _draw_series(axes, panel, series, scale, styles[series.label, series.from_paper], moved_xs)
    _set_y_axis(axes, scale, height_pt)
    _set_x_axis(axes, panel, width_pt)
    axes.grid(visible=True, axis="y")


def _axis_label(label: str, log: bool) -> str:
    return f"{label}, log scale" if log and label else label


def _draw_series(
    axes: Axes, panel: Panel, series: Series, scale: Scale, style: LineStyle, moved_xs: Mapping[float, float]
) -> None:
    """Draw one line with its intervals, some x moved; a missing value leaves a gap in the line."""
    points = [point for point in series.points if math.isfinite(point.x) and (point.x > 0 or not panel.log_x)]
    if not any(is_shown(point, panel) for point in points):
        return
    xs = [moved_xs.get(point.x, point.x) for point in points]
    ys = [scale.position(point.y) if math.isfinite(point.y) else math.nan for point in points]
    bars, cuts = [scale.interval(point) for point in points], [scale.cut(point) for point in points]
    options = style.options()
    if panel.x_names:
        options["linestyle"] = "none"
    if len(points) >= BAND_FROM_POINTS:
        # Markers at every point would hide the curve; those of different series are kept apart.
        step = math.ceil(len(points) / 6)
        axes.plot(xs, ys, markevery=((style.number * step // 3) % step, step), **options)
        draw_band(axes, xs, ys, bars, style)
    else:
        axes.plot(xs, ys, **options)
        draw_bars(axes, xs, ys, bars, cuts, style)
    draw_cuts(axes, xs, scale, cuts, style)


def _set_y_axis(axes: Axes, scale: Scale, height_pt: float) -> None:
    if scale.log:
        axes.set_yscale("log")
        powers = _powers(scale)
        axes.yaxis.set_major_locator(ticker.FixedLocator([10.0**power for power in powers]))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(_log_formatter(scale.zero_at)))
        axes.yaxis.set_minor_locator(ticker.FixedLocator(_between(powers, scale)))
        axes.yaxis.set_minor_formatter(_between_formatter(scale.bottom, scale.top, height_pt, SMALL_PT))
    else:
        axes.yaxis.set_major_locator(ticker.MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: tick_text(value)))
    axes.set_ylim(scale.bottom, scale.top)


def _powers(scale: Scale) -> list[int]:
    """Return the powers of ten with a tick: the lowest, where zeros are drawn, and all above it if they are few."""
    lowest, highest = math.ceil(math.log10(scale.bottom)), math.floor(math.log10(scale.top))
    return list(range(lowest, highest + 1, math.ceil((highest - lowest + 1) / 7)))


def _between(powers: Sequence[int], scale: Scale) -> list[float]:
    """Return the ticks between a few powers of ten, except below the axis proper, where zeros are drawn."""
    if len(powers) > 5:
        return []
    proper = [power for power in powers if scale.zero_at is None or 10.0**power > 1.5 * scale.zero_at]
    return [digit * 10.0**power for power in proper for digit in (2, 5)]


def _between_formatter(low: float, high: float, length_pt: float, text_pt: float) -> ticker.Formatter:
    """Return a formatter that labels 2 and 5 between the powers of ten if there is room for texts of this size."""
    nearest_pt = length_pt * math.log10(2) / math.log10(high / low)
    return ticker.FuncFormatter(_log_formatter(None)) if nearest_pt > text_pt + _LOG_GAP_PT else ticker.NullFormatter()


def _set_x_axis(axes: Axes, panel: Panel, width_pt: float) -> None:
    if panel.x_names:
        _set_names(axes, panel.x_names, width_pt)
        return
    xs = _values(panel)
    axes.margins(x=0.05)
    if panel.log_x:
        axes.set_xscale("log")
    if len(xs) == 1:
        axes.set_xlim(ends_round(xs[0], panel.log_x))
    if _ticks_fit(xs, panel.log_x, width_pt):
        axes.xaxis.set_major_locator(ticker.FixedLocator(xs))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    elif panel.log_x:
        axes.xaxis.set_minor_locator(ticker.LogLocator(subs=(2.0, 5.0)))
        widest_pt = max(text_width_pt(tick_text(x), SMALL_PT) for x in (xs[0], xs[-1]))
        axes.xaxis.set_minor_formatter(_between_formatter(xs[0], xs[-1], width_pt, widest_pt))
    else:
        most = _tick_count(xs, width_pt)
        axes.xaxis.set_major_locator(_even_ticks(xs[0], xs[-1], most) or ticker.MaxNLocator(most, steps=_STEPS))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: tick_text(value)))


def _set_names(axes: Axes, names: Sequence[str], width_pt: float) -> None:
    """Label the choices on a horizontal axis, on several lines, or slanted if a word would touch the next."""
    slot_pt = 0.9 * width_pt / len(names)
    words = [word for name in names for word in one_line(name).split()]
    if all(text_width_pt(word, SMALL_PT) <= slot_pt for word in words):
        axes.set_xticks(range(len(names)), ["\n".join(wrapped(name, SMALL_PT, slot_pt)) for name in names])
    else:
        texts = [shortened(name, SMALL_PT, _SLANTED_PT_MAX) for name in names]
        axes.set_xticks(range(len(names)), texts, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.5, len(names) - 0.5)


def _values(panel: Panel) -> list[float]:
    """Return the values on the horizontal axis, sorted."""
    return sorted({point.x for point in shown_points(panel)})


def _ticks_fit(xs: Sequence[float], log: bool, width_pt: float) -> bool:
    """Tell whether each value can have its own tick: there are few, and their labels do not touch."""
    if len(xs) > _TICKS_AT_VALUES_MAX:
        return False
    positions = [math.log10(x) for x in xs] if log else list(xs)
    widths = [text_width_pt(tick_text(x), SMALL_PT) for x in xs]
    # The axis is a tenth longer than the values' range: 5 % on either side.
    scale = width_pt / 1.1 / ((positions[-1] - positions[0]) or 1.0)
    return all(
        (right - left) * scale > (left_width + right_width) / 2 + _TICK_GAP_PT
        for (left, right), (left_width, right_width) in zip(pairwise(positions), pairwise(widths), strict=True)
    )


def _tick_count(xs: Sequence[float], width_pt: float) -> int:
    """Return how many intervals between ticks fit on an axis."""
    widest = max(text_width_pt(tick_text(x), SMALL_PT) for x in (xs[0], xs[-1]))
    return max(2, min(7, int(width_pt / (widest + 3 * _TICK_GAP_PT))))


def _even_ticks(first: float, last: float, most: int) -> ticker.Locator | None:
    """Return ticks that begin and end with the values, if these are round numbers."""
    for count in range(most, 2, -1):
        step = (last - first) / count
        mantissa = round(step / 10 ** math.floor(math.log10(step)), 9)
        if mantissa in _STEPS and math.isclose(first / step, round(first / step), abs_tol=1e-9):
            return ticker.FixedLocator([first + number * step for number in range(count + 1)])
    return None


def _beside_names(panel: Panel) -> list[dict[float, float]]:
    """Return the position of each series beside the middle of a choice, so that intervals do not overlap."""
    count = len(panel.series)
    shifts = [(rank - (count - 1) / 2) * min(0.16, 0.7 / count) for rank in range(count)]
    return [
        {point.x: point.x + shift for point in series.points}
        for series, shift in zip(panel.series, shifts, strict=True)
    ]


def tick_text(value: float) -> str:
    """Write a tick's value: 0.25, 1,500, 2.5 M."""
    for size, unit in ((1e9, " G"), (1e6, " M")):
        if size <= abs(value) < 1e12:
            return f"{value / size:.4g}{unit}"
    if value != 0 and not 1e-4 <= abs(value) < 1e12:
        return f"{value:.3g}"
    return f"{value:,.10g}" if abs(value) >= 1 else f"{round(value, 10):.6g}"


def _log_formatter(zero_at: float | None) -> Any:
    def text(value: float, _: int | None) -> str:
        if zero_at is not None and math.isclose(value, zero_at):
            return "0"
        if 1e-3 <= value < 1e7:
            return f"{value:,.10g}"
        power = math.log10(value)
        is_whole = math.isclose(power, round(power), abs_tol=1e-9)
        return "10" + str(round(power)).translate(_SUPERSCRIPTS) if is_whole else ""

    return text
