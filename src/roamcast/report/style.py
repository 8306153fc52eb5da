"""The style of figures: fonts, and a colour, a marker and a line for each series.

The colours are those of Okabe and Ito (Color Universal Design, 2008), which people with the common kinds of colour
blindness can distinguish, without the yellow, which is too faint on white. Series differ in marker and line as well, so
that a figure can be read in grey.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roamcast.report.figure import Figure
from roamcast.report.printable_text import one_line

TITLE_PT = 12.0
PANEL_TITLE_PT = 10.0
LABEL_PT = 9.5
SMALL_PT = 9.0
LINE_SPACING = 1.3

SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    # The first comes with matplotlib and is used to measure texts. A browser without it uses the next: none is wider.
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
    # Letters have the same relative width at every size, so measurements hold for both files.
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
    """The style of one series, in every panel of its figure and in every figure shown with it."""

    label: str
    colour: str
    marker: str
    line: Any
    hollow: bool
    number: int
    """Its number in the sequence of styles."""

    def options(self) -> dict[str, Any]:
        """Return matplotlib's options for this style."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.line,
            "linewidth": 1.2 if self.hollow else 1.6,
            # The paper's values are drawn behind measured ones, and larger so that they can still be seen.
            "markersize": 7.5 if self.hollow else 5.0,
            "markerfacecolor": "white" if self.hollow else self.colour,
            "zorder": 2.5 if self.hollow else 3.0,
        }


Styles = dict[tuple[str, bool], LineStyle]


def styles_of(figure: Figure, beside: Sequence[Sequence[str]] = ()) -> Styles:
    """Give each series of a figure its style; a series of the paper has the marker of the measured one with its name.

    ``beside`` has the names of the series of each figure that is shown with this one, including itself: a name then has
    the same style in all of them, whichever are drawn.
    """
    every = [series for panel in figure.panels for series in panel.series]
    measured_first = sorted(every, key=lambda series: series.from_paper)
    names = {(series.label, series.from_paper): series.name for series in measured_first}
    own = [label for label, _ in names]
    numbers = _style_numbers([*beside, own], _style_numbers(beside, {}))
    return {
        (label, from_paper): LineStyle(
            label=one_line(name),
            colour=_PAPER_COLOUR if from_paper else _COLOURS[numbers[label] % len(_COLOURS)],
            marker=_MARKERS[numbers[label] % len(_MARKERS)],
            line="--" if from_paper else _LINES[numbers[label] % len(_LINES)],
            hollow=from_paper,
            number=numbers[label],
        )
        for (label, from_paper), name in names.items()
    }


def _style_numbers(figures: Sequence[Sequence[str]], known: Mapping[str, int]) -> dict[str, int]:
    """Give each new name the next number; after the last colour start again, skipping those used in its figures."""
    numbers, count = dict(known), len(_COLOURS)
    for name in dict.fromkeys(name for names in figures for name in names):
        if name in numbers:
            continue
        taken = {numbers[other] for names in figures if name in names for other in names if other in numbers}
        turn = next(reversed(numbers.values()), -1) + 1
        in_turn = [(turn + step) % count for step in range(count)]
        # A figure with more series than there are colours continues with the same colours and other markers.
        further = range(count, count + len(taken) + 1)
        numbers[name] = next(number for number in (*in_turn, *further) if number not in taken)
    return numbers
