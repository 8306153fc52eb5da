"""An HTML page with all results: the pictures with their numbers, the verdicts, and how they were produced.

It is a single self-contained file, so that it can be opened from disk, mailed and archived.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from roamcast.campaigns.whole_files import write_bytes
from roamcast.measuring.verdicts import Verdict
from roamcast.report.figure import Figure
from roamcast.report.page_figures import figure_html, shown
from roamcast.report.page_style import STYLE

_VERDICT_SIGNS = {verdict.value: verdict.symbol for verdict in Verdict}
"""A verdict is shown by its word and its sign; the colour only helps."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """Rows of text under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str = ""
    """One letter per column, l or r, as for ``text_tables.table``."""
    verdict_column: int | None = None
    """The column that contains a verdict."""
    verdict_columns: tuple[int, ...] = ()
    """The columns of a table that is full of verdicts."""

    @property
    def has_verdict(self) -> tuple[int, ...]:
        """Return all columns with a verdict."""
        return self.verdict_columns or (() if self.verdict_column is None else (self.verdict_column,))


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with its own heading."""

    title: str
    text: str = ""
    """Paragraphs, with an empty line between them."""
    table: PageTable | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a page was produced, so that anyone can do it again."""

    command_line: str
    version: str
    seeds: str
    facts: tuple[tuple[str, str], ...] = ()
    """Anything else worth knowing: the scale, the number of runs, the machine."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the page with a heading and an entry in the contents."""

    heading: str
    body: str
    heading_class: str = ""


def write_page(
    folder: Path,
    title: str,
    intro: str,
    figures: Sequence[Figure],
    sections: Sequence[Section],
    provenance: Provenance | None = None,
) -> Path:
    """Write index.html next to the pictures that ``draw`` made of these figures, and return its path."""
    parts = [_Part(figure.title, figure_html(figure, folder), heading_class="unseen") for figure in figures]
    parts += [_Part(section.title, _section_body(section)) for section in sections]
    if provenance is not None:
        parts.append(_Part("How this was made", _provenance_body(provenance)))
    body = _paragraphs(intro) + _contents(parts) + "".join(map(_part_html, parts, count(1)))
    path = folder / "index.html"
    write_bytes(path, _document(title, body).encode())
    return path


def _document(title: str, body: str) -> str:
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{shown(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{shown(title)}</h1>
{body}</main>
</body>
</html>
"""


def _contents(parts: Sequence[_Part]) -> str:
    """Return links to the parts, if there are enough of them to need it."""
    if len(parts) < 3:
        return ""
    links = "".join(
        f'<li><a href="#part-{number}">{shown(part.heading)}</a></li>\n' for number, part in enumerate(parts, start=1)
    )
    return f'<nav aria-label="Contents"><ol>\n{links}</ol></nav>\n'


def _part_html(part: _Part, number: int) -> str:
    heading_class = f' class="{part.heading_class}"' if part.heading_class else ""
    return f'<section id="part-{number}"><h2{heading_class}>{shown(part.heading)}</h2>\n{part.body}</section>\n'


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{shown(paragraph)}</p>\n" for paragraph in text.split("\n\n") if paragraph.strip())


def _section_body(section: Section) -> str:
    return _paragraphs(section.text) + (_table_html(section.table) if section.table else "")


def _table_html(table: PageTable) -> str:
    sides = table.align.ljust(len(table.header), "l")
    if any(len(row) != len(table.header) for row in table.rows):
        raise ValueError(f"a row must have {len(table.header)} cells, like the header")
    header = "".join(
        f'<th scope="col"{_class(side)}>{shown(cell)}</th>' for cell, side in zip(table.header, sides, strict=True)
    )
    rows = "".join(f"<tr>{_cells(row, sides, table.has_verdict)}</tr>\n" for row in table.rows)
    kind = "" if table.verdict_column is None else ' class="verdicts"'
    return f"""<div class="scroll"><table{kind}>
<thead><tr>{header}</tr></thead>
<tbody>
{rows}</tbody></table></div>
"""


def _cells(row: Sequence[str], sides: str, verdict_columns: Sequence[int]) -> str:
    return "".join(
        _verdict_cell(cell) if column in verdict_columns else f"<td{_class(side)}>{shown(cell)}</td>"
        for column, (cell, side) in enumerate(zip(row, sides, strict=True))
    )


def _class(side: str) -> str:
    return ' class="right"' if side == "r" else ""


def _verdict_cell(verdict: str) -> str:
    sign = _VERDICT_SIGNS.get(verdict.lower())
    if sign is None:
        return f'<td class="verdict">{shown(verdict)}</td>'
    return f'<td class="verdict {verdict.lower()}"><span aria-hidden="true">{sign} </span>{shown(verdict)}</td>'


def _provenance_body(provenance: Provenance) -> str:
    facts = (("Roamcast", provenance.version), ("Seeds", provenance.seeds), *provenance.facts)
    items = "".join(f"<dt>{shown(name)}</dt><dd>{shown(value)}</dd>\n" for name, value in facts)
    return f"<pre>{shown(provenance.command_line)}</pre>\n<dl>\n{items}</dl>\n"
