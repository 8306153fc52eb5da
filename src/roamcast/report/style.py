"""How figures look: letters, and a colour, a marker and a line for each series.

The colours are those of Okabe and Ito (Color Universal Design, 2008), which people with the common kinds of colour
blindness tell apart, without the yellow, which is too faint on white. Series differ in marker and line as well, so
that a figure can be read in grey.
"""

from dataclasses import dataclass
from typing import Any

from roamcast.report.figure import Figure
from roamcast.report.text import one_line

TITLE_PT = 12.0
PANEL_TITLE_PT = 10.0
LABEL_PT = 9.5
SMALL_PT = 9.0
LINE_SPACING = 1.3

SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    # The first comes with matplotlib and measures every text. A browser that lacks it takes the next: none is wider.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": LABEL_PT,
    "axes.titlesize": PANEL_TITLE_PT,
    "axes.labelsize": LABEL_PT,
    "xtick.labelsize": SMALL_PT,
    "ytick.labelsize": SMALL_PT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    # Letters have the same width at every size, so what was measured holds for both files.
    "text.hinting": "none",
    # A label with two dollar signs is a label, not mathematics.
    "text.parse_math": False,
    # Text stays text: it can be searched, selected and read aloud.
    "svg.fonttype": "none",
    # Identifiers inside the file come from its content, so that the same figure is the same file.
    "svg.hashsalt": "roamcast",
}

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_LINES: tuple[Any, ...] = ("-", "-.", (0, (6, 1.5)), ":", (0, (4, 1, 1, 1, 1, 1)))
_PAPER_COLOUR = "#777777"


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How one series is drawn, in every panel of its figure."""

    label: str
    colour: str
    marker: str
    line: Any
    hollow: bool
    place: int
    """Its place among the figure's series."""

    def options(self) -> dict[str, Any]:
        """Return what matplotlib calls this style."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.line,
            "linewidth": 1.2 if self.hollow else 1.6,
            # What the paper says stands behind what was measured, and is larger so that it is seen all the same.
            "markersize": 7.5 if self.hollow else 5.0,
            "markerfacecolor": "white" if self.hollow else self.colour,
            "zorder": 2.5 if self.hollow else 3.0,
        }


Styles = dict[tuple[str, bool], LineStyle]


def styles_of(figure: Figure) -> Styles:
    """Give each series of a figure its style; a series of the paper has the marker of the measured one of its name."""
    every = [series for panel in figure.panels for series in panel.series]
    measured_first = sorted(every, key=lambda series: series.from_paper)
    names = {(series.label, series.from_paper): series.name for series in measured_first}
    styles: Styles = {}
    for place, ((label, from_paper), name) in enumerate(names.items()):
        measured = styles.get((label, False))
        styles[label, from_paper] = LineStyle(
            label=one_line(name),
            colour=_PAPER_COLOUR if from_paper else _COLOURS[place % len(_COLOURS)],
            marker=measured.marker if measured else _MARKERS[place % len(_MARKERS)],
            line="--" if from_paper else _LINES[place % len(_LINES)],
            hollow=from_paper,
            place=place,
        )
    return styles
