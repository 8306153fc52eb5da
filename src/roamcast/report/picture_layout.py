"""The layout of a picture: title, panels in rows, one legend for all of them, and the caption.

The layout is based on measurements: the labels around each panel decide how wide the panel itself can be, and the
heights of title, legend and caption decide the height of the picture. So nothing covers data and nothing is cut off,
however long the texts are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Sheet
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from roamcast.report.axes import draw_panel
from roamcast.report.axis_scale import Scale, is_shown, notes_of, scale_of
from roamcast.report.figure import Figure, Panel
from roamcast.report.lettering import wrapped
from roamcast.report.style import LABEL_PT, LINE_SPACING, SMALL_PT, TITLE_PT, Styles, styles_of

_PANELS_IN_ROW = 3
_LEGEND_COLUMNS_MAX = 6
_SIZES_PT = {1: (480.0, 190.0), 2: (600.0, 165.0), 3: (700.0, 150.0)}
"""A picture's width and the height of its axes, by the number of columns. 700 points are about a README's width."""
_AXES_WIDTH_PT_MIN = 70.0
_MARGIN_PT = 10.0
_GAP_PT = 10.0


@dataclass(frozen=True, slots=True)
class _Grid:
    """The positions of the panels' axes, in points from the lower left corner of the block of panels."""

    axes_width: float
    corners: tuple[tuple[float, float], ...]
    """The left and the bottom of each panel's axes."""
    height: float


def laid_out(figure: Figure, beside: Sequence[Sequence[str]] = ()) -> Sheet:
    """Draw a figure on a sheet that is as high as necessary; the settings of ``style`` must be in force."""
    styles, scales = styles_of(figure, beside), _scales(figure.panels)
    columns = 2 if len(figure.panels) == 4 else min(_PANELS_IN_ROW, len(figure.panels))
    width, axes_height = _SIZES_PT[columns]
    inner_width = width - 2 * _MARGIN_PT
    # At 72 dots per inch, a dot is a point. The height is not known yet; no measurement depends on it.
    sheet = Sheet(figsize=(width / 72, axes_height / 72), dpi=72)
    FigureCanvasAgg(sheet)
    title = wrapped(figure.title, TITLE_PT, inner_width, bold=True)
    caption = wrapped(_caption(figure, scales), SMALL_PT, inner_width)
    legend = _legend(sheet, figure, styles, inner_width)
    grid = _draw_panels(sheet, figure, scales, styles, columns)

    caption_top = _MARGIN_PT + len(caption) * SMALL_PT * LINE_SPACING
    legend_top = caption_top + (_GAP_PT + legend.get_window_extent().height if legend else 0.0)
    panels_bottom = legend_top + _GAP_PT
    title_bottom = panels_bottom + grid.height + _GAP_PT
    height = title_bottom + len(title) * TITLE_PT * LINE_SPACING + _MARGIN_PT
    sheet.set_size_inches(width / 72, height / 72)
    _write(sheet, caption, _MARGIN_PT / width, caption_top / height, SMALL_PT)
    _write(sheet, title, _MARGIN_PT / width, 1 - _MARGIN_PT / height, TITLE_PT, bold=True)
    if legend:
        legend.set_bbox_to_anchor((0.5, legend_top / height))
    for axes, (left, bottom) in zip(sheet.axes, grid.corners, strict=True):
        corner = (_MARGIN_PT + left) / width, (panels_bottom + bottom) / height
        axes.set_position((*corner, grid.axes_width / width, axes_height / height))
    return sheet


def _draw_panels(sheet: Sheet, figure: Figure, scales: Sequence[Scale], styles: Styles, columns: int) -> _Grid:
    """Draw the panels and find positions for them, on a sheet that is as high as one panel's axes."""
    width, height = sheet.bbox.width, sheet.bbox.height
    every = [sheet.add_axes((0, 0, 1, 1)) for _ in figure.panels]
    axes_width = width / columns - 70
    # Line breaks depend on the width left for the axes, and that on the texts: draw, measure, draw again.
    for _ in range(2):
        for axes, panel, scale in zip(every, figure.panels, scales, strict=True):
            axes.clear()
            axes.set_position((0, 0, axes_width / width, 1))
            draw_panel(axes, panel, scale, styles, (axes_width, height))
        grid = _grid(every, columns, width - 2 * _MARGIN_PT, height)
        axes_width = grid.axes_width
    return grid


def _grid(every: Sequence[Axes], columns: int, width: float, axes_height: float) -> _Grid:
    """Arrange axes of equal size in rows, with room for their labels."""
    around = [_around(axes) for axes in every]
    lefts = [max(sides[0] for sides in around[column::columns]) for column in range(columns)]
    rights = [max(sides[1] for sides in around[column::columns]) for column in range(columns)]
    free = width - sum(lefts) - sum(rights) - _GAP_PT * (columns - 1)
    axes_width = max(_AXES_WIDTH_PT_MIN, free / columns)
    rows = [around[start : start + columns] for start in range(0, len(around), columns)]
    bottoms = [max(sides[2] for sides in row) for row in rows]
    tops = [max(sides[3] for sides in row) for row in rows]
    height = sum(bottoms) + sum(tops) + axes_height * len(rows) + _GAP_PT * (len(rows) - 1)
    corners = []
    for number in range(len(every)):
        row, column = divmod(number, columns)
        left = sum(lefts[: column + 1]) + sum(rights[:column]) + (axes_width + _GAP_PT) * column
        below = sum(tops[: row + 1]) + sum(bottoms[:row]) + _GAP_PT * row + axes_height * (row + 1)
        corners.append((left, height - below))
    return _Grid(axes_width, tuple(corners), height)


def _around(axes: Axes) -> tuple[float, float, float, float]:
    """Return how far labels and ticks extend beyond the axes: left, right, below and above."""
    inside, whole = axes.get_window_extent(), axes.get_tightbbox()
    if whole is None:
        return 0.0, 0.0, 0.0, 0.0
    return inside.x0 - whole.x0, whole.x1 - inside.x1, inside.y0 - whole.y0, whole.y1 - inside.y1


def _scales(panels: Sequence[Panel]) -> list[Scale]:
    """Return each panel's scale; panels of one quantity share it, so that they can be compared by eye."""
    return [scale_of([other for other in panels if _quantity(other) == _quantity(panel)]) for panel in panels]


def _quantity(panel: Panel) -> tuple[object, ...]:
    return panel.y_label, panel.log_y, panel.y_limits


def _caption(figure: Figure, scales: Sequence[Scale]) -> str:
    """Return the caption with notes about values that are not shown as they are."""
    notes: dict[str, list[str]] = {}
    for panel, scale in zip(figure.panels, scales, strict=True):
        for note in notes_of(panel, scale):
            notes.setdefault(note, []).append(panel.title)
    texts = []
    for note, titles in notes.items():
        everywhere = len(titles) == len(figure.panels)
        texts.append(note if everywhere else f"in {', '.join(f'“{title}”' for title in titles)}: {note}")
    return f"{figure.caption} Note: {'; '.join(texts)}." if texts else figure.caption


def _legend(sheet: Sheet, figure: Figure, styles: Styles, width_pt: float) -> Legend | None:
    """Make one legend for all panels, with as few rows as fit, of about equal length, to be read row by row.

    It marks series without data. A single series whose points are named on the x axis needs no legend.
    """
    if len(styles) == 1 and all(panel.x_names for panel in figure.panels):
        return None
    with_data = {
        (series.label, series.from_paper)
        for panel in figure.panels
        for series in panel.series
        if any(is_shown(point, panel) for point in series.points)
    }
    handles = []
    for key, style in styles.items():
        label = style.label if key in with_data else f"{style.label} (no data)"
        lines = wrapped(label, LABEL_PT, width_pt - 60)
        handles.append(Line2D([], [], label="\n".join(lines), **style.options()))
    for columns in range(min(len(handles), _LEGEND_COLUMNS_MAX), 0, -1):
        if columns != math.ceil(len(handles) / math.ceil(len(handles) / columns)):
            continue  # Fewer columns need the same number of rows, and the last row is fuller.
        legend = sheet.legend(
            # matplotlib fills column by column.
            handles=[handle for column in range(columns) for handle in handles[column::columns]],
            loc="upper center",
            ncols=columns,
            frameon=False,
            handlelength=3.2,
            borderpad=0.0,
            borderaxespad=0.0,
        )
        if columns == 1 or legend.get_window_extent().width <= width_pt:
            return legend
        legend.remove()
    return None


def _write(sheet: Sheet, lines: Sequence[str], x: float, top: float, size_pt: float, bold: bool = False) -> None:
    sheet.text(
        x,
        top,
        "\n".join(lines),
        va="top",
        fontsize=size_pt,
        fontweight="bold" if bold else "normal",
        linespacing=LINE_SPACING,
        color="black" if bold else "#333333",
    )
