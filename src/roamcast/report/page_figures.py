"""A figure in a page: the picture itself, an alternative text, and its numbers as tables."""

import base64
import math
from html import escape
from pathlib import Path

from roamcast.report.figure import Figure, Panel
from roamcast.report.image_names import checked_name
from roamcast.report.printable_text import one_line
from roamcast.report.text_tables import number


def figure_html(figure: Figure, folder: Path) -> str:
    """Return the HTML of a figure that ``draw`` wrote into the folder, with the picture embedded in the page."""
    name = checked_name(figure.name)
    picture = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode("ascii")
    alternative = escape(alternative_text(figure))
    return f"""<figure>
<div class="scroll"><img src="data:image/svg+xml;base64,{picture}" alt="{alternative}"></div>
<figcaption>This picture as a file: <a href="{name}.svg">SVG</a>, <a href="{name}.png">PNG</a>.</figcaption>
</figure>
<details><summary>The numbers of this figure</summary>
{"".join(_panel_table(panel) for panel in figure.panels)}</details>
"""


def shown(text: str) -> str:
    """Return text as HTML that shows it literally, whatever it contains."""
    return escape(one_line(text))


def alternative_text(figure: Figure) -> str:
    """Describe in words what a figure shows."""
    panels = [
        f"{panel.title + ': ' if panel.title else ''}{panel.y_label} by {panel.x_label} for {_names(panel)}"
        for panel in figure.panels
    ]
    return one_line(f"{figure.title}. {'; '.join(panels)}. {figure.caption} The numbers are in the tables below.")


def _names(panel: Panel) -> str:
    return ", ".join(series.name for series in panel.series) or "nothing"


def _panel_table(panel: Panel) -> str:
    """Return a panel's values, a row for each x and a column for each series."""
    values = [{point.x: number(point.y, point.low, point.high) for point in series.points} for series in panel.series]
    xs = sorted({x for column in values for x in column if math.isfinite(x)})
    header = "".join(f'<th class="right" scope="col">{shown(series.name)}</th>' for series in panel.series)
    rows = "".join(
        f'<tr><th scope="row">{shown(place_name(panel, x))}</th>'
        + "".join(f'<td class="right">{shown(column.get(x, "-"))}</td>' for column in values)
        + "</tr>\n"
        for x in xs
    )
    caption = f"{panel.title + ': ' if panel.title else ''}{panel.y_label}, with 95 % intervals"
    return f"""<div class="scroll"><table><caption>{shown(caption)}</caption>
<thead><tr><th scope="col">{shown(panel.x_label)}</th>{header}</tr></thead>
<tbody>
{rows}</tbody></table></div>
"""


def place_name(panel: Panel, x: float) -> str:
    """Return the name of a value of the horizontal axis in a table."""
    if panel.x_names and x == round(x) and 0 <= x < len(panel.x_names):
        return panel.x_names[round(x)]
    return f"{x:,.10g}"
