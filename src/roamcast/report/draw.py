"""Drawing a figure to files: SVG for pages and print, PNG for everything else; the same figure gives the same bytes."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roamcast.campaigns.whole_files import write_bytes
from roamcast.report.figure import Figure, Panel
from roamcast.report.image_names import checked_name
from roamcast.report.printable_text import one_line
from roamcast.report.style import SETTINGS

_PNG_DOTS_PER_POINT = 2


def draw(figure: Figure, folder: Path, beside: Sequence[Sequence[str]] = ()) -> tuple[Path, Path]:
    """Write NAME.svg and NAME.png into a folder, replacing older ones, and return their paths.

    ``beside``: the names of the series of all figures that are shown with this one, figure by figure (``styles_of``).
    """
    import matplotlib.style  # here: most commands draw nothing, and this import takes half of their start-up time

    from roamcast.report.picture_layout import laid_out

    name = checked_name(figure.name)
    if not figure.panels:
        figure = replace(figure, panels=(Panel("", "", "", ()),))
    with matplotlib.style.context(["default", SETTINGS]):
        sheet = laid_out(figure, beside)
        svg, png = io.BytesIO(), io.BytesIO()
        # Neither the date nor the library's version belongs in the file: it would change for no reason.
        title = one_line(figure.title)
        sheet.savefig(svg, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
        sheet.savefig(png, format="png", dpi=72 * _PNG_DOTS_PER_POINT, metadata={"Title": title, "Software": None})
    paths = folder / f"{name}.svg", folder / f"{name}.png"
    for path, content in zip(paths, (svg, png), strict=True):
        write_bytes(path, content.getvalue())
    return paths
