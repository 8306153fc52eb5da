"""A figure drawn: panels in rows, one legend and the caption below them, as SVG and as PNG.

The picture is laid out by measuring: first how high title, legend and caption are, then the panels between them. So
nothing covers data and nothing is cut off, however long the texts. The same figure gives the same bytes.
"""

import io
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib.style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Sheet
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from roamcast.report.axes import draw_panel
from roamcast.report.figure import Figure, Panel
from roamcast.report.files import checked_name, write_whole
from roamcast.report.lettering import wrapped
from roamcast.report.scale import Scale, is_shown, notes_of, scale_of
from roamcast.report.style import LABEL_PT, LINE_SPACING, SETTINGS, SMALL_PT, TITLE_PT, Styles, styles_of
from roamcast.report.text import one_line

_PANELS_IN_ROW = 3
_WIDTH_PT = {1: 480.0, 2: 600.0, 3: 700.0}
"""By the number of columns; 700 points are 933 pixels, about what a README is wide."""
_ROW_HEIGHT_PT = 205.0
_MARGIN_PT = 10.0
_GAP_PT = 8.0
_PNG_DOTS_PER_POINT = 2


def draw(figure: Figure, folder: Path) -> tuple[Path, Path]:
    """Write NAME.svg and NAME.png into a folder, replacing older ones, and return their paths."""
    name = checked_name(figure.name)
    if not figure.panels:
        figure = replace(figure, panels=(Panel("", "", "", ()),))
    with matplotlib.style.context(["default", SETTINGS]):
        sheet = _laid_out(figure)
        svg, png = io.BytesIO(), io.BytesIO()
        # Neither the date nor the library's version belongs into the file: it would change without a reason.
        title = one_line(figure.title)
        sheet.savefig(svg, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
        sheet.savefig(png, format="png", dpi=72 * _PNG_DOTS_PER_POINT, metadata={"Title": title, "Software": None})
    paths = folder / f"{name}.svg", folder / f"{name}.png"
    for path, content in zip(paths, (svg, png), strict=True):
        write_whole(path, content.getvalue())
    return paths


def _laid_out(figure: Figure) -> Sheet:
    """Place title, panels, legend and caption on a sheet that is as high as they need."""
    styles, scales = styles_of(figure), _scales(figure.panels)
    columns = 2 if len(figure.panels) == 4 else min(_PANELS_IN_ROW, max(1, len(figure.panels)))
    rows = max(1, math.ceil(len(figure.panels) / columns))
    width = _WIDTH_PT[columns]
    inner_width = width - 2 * _MARGIN_PT
    sheet = Sheet(figsize=(width / 72, 1.0), dpi=72)
    FigureCanvasAgg(sheet)
    title = wrapped(figure.title, TITLE_PT, inner_width, bold=True)
    caption = wrapped(_caption(figure, scales), SMALL_PT, inner_width)
    legend = _legend(sheet, figure, styles, inner_width)

    caption_top = _MARGIN_PT + len(caption) * SMALL_PT * LINE_SPACING
    legend_top = caption_top + (_GAP_PT + legend.get_window_extent().height if legend else 0.0)
    panels_top = legend_top + _GAP_PT + rows * _ROW_HEIGHT_PT
    height = panels_top + _GAP_PT + len(title) * TITLE_PT * LINE_SPACING + _MARGIN_PT
    sheet.set_size_inches(width / 72, height / 72)
    _write(sheet, caption, _MARGIN_PT / width, caption_top / height, SMALL_PT)
    _write(sheet, title, _MARGIN_PT / width, 1 - _MARGIN_PT / height, TITLE_PT, bold=True)
    if legend:
        legend.set_bbox_to_anchor((0.5, legend_top / height))
    middle = (_MARGIN_PT / width, (legend_top + _GAP_PT) / height, inner_width / width, rows * _ROW_HEIGHT_PT / height)
    grid = sheet.add_gridspec(rows, columns)
    for place, (panel, scale) in enumerate(zip(figure.panels, scales, strict=True)):
        axes = sheet.add_subplot(grid[divmod(place, columns)])
        draw_panel(axes, panel, scale, styles, (width / columns - 70, _ROW_HEIGHT_PT - 60))
    # Fit the panels once and not again for each file.
    ConstrainedLayoutEngine(rect=middle, w_pad=0.06, h_pad=0.06, wspace=0.03, hspace=0.05).execute(sheet)
    return sheet


def _scales(panels: Sequence[Panel]) -> list[Scale]:
    """Return each panel's scale; panels of one quantity have the same, so that they can be compared by eye."""
    return [scale_of([other for other in panels if _quantity(other) == _quantity(panel)]) for panel in panels]


def _quantity(panel: Panel) -> tuple[object, ...]:
    return panel.y_label, panel.log_y, panel.y_limits


def _caption(figure: Figure, scales: Sequence[Scale]) -> str:
    """Return the caption with what some panel does not show as it is."""
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
    """Make one legend for all panels in as many columns as fit; say of a series without data that it has none."""
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
    for columns in range(min(len(handles), 6), 0, -1):
        legend = sheet.legend(
            handles=handles,
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
