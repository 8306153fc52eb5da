"""Tables as text: plain CSV, SUMO's CSV, GPS tracks in CSV, and The ONE's external movement, which has spaces.

Lines stand for themselves, so a file is cut into pieces that are read side by side. A block of lines is converted at
once; only where that fails is each of its lines looked at alone, to find the broken ones.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as pa_csv

from roamcast.recorded.files import Piece, blocks
from roamcast.recorded.rows import MOVEMENT_ROWS, MovementRows, Report, well_placed


@dataclass(frozen=True, slots=True)
class Layout:
    """Where in a line the four values stand."""

    delimiter: str
    width: int
    """How many values a line has; 0: as many as there are, at least those needed."""
    time: int
    node: int
    x: int
    y: int
    is_geographic: bool = False
    head_lines: int = 0
    """Lines before the first row."""
    head_bytes: int = 0
    shift: tuple[float, float] = (0.0, 0.0)
    """What is taken off x and y."""


def read_tabular(piece: Piece, layout: Layout, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a piece."""
    for block in blocks(piece, layout.head_lines):
        converted = _at_once(block, layout)
        if converted is None:
            yield from _line_by_line(block, layout, report)
            continue
        time_s, x, y = (converted.column(each).to_numpy() for each in ("time_s", "x", "y"))
        fine = well_placed(time_s, x, y, layout.is_geographic)
        if not fine.all() or pc.any(pc.equal(converted.column("name"), "")).as_py():
            yield from _line_by_line(block, layout, report)
            continue
        line = np.arange(report.lines + 1, report.lines + 1 + len(converted))
        report.lines += len(converted)
        report.rows += len(converted)
        places = [x - layout.shift[0], y - layout.shift[1]]
        yield pa.table([converted.column("name"), time_s, *places, line], schema=MOVEMENT_ROWS)


def _at_once(block: bytes, layout: Layout) -> pa.Table | None:
    """Return the block as a table, or None where one of its lines is not as it should be."""
    count = layout.width or block.split(b"\n", 1)[0].count(layout.delimiter.encode()) + 1
    needed = {layout.node: "name", layout.time: "time_s", layout.x: "x", layout.y: "y"}
    if count <= max(needed):
        return None
    kinds = {name: pa.string() if name == "name" else pa.float64() for name in needed.values()}
    names = [needed.get(index, f"column {index}") for index in range(count)]
    try:
        return pa_csv.read_csv(
            BytesIO(block),
            pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=len(block) + 1),
            pa_csv.ParseOptions(delimiter=layout.delimiter, ignore_empty_lines=False),
            pa_csv.ConvertOptions(
                column_types=kinds, include_columns=[*kinds], null_values=[], strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def _line_by_line(block: bytes, layout: Layout, report: Report) -> Iterator[pa.Table]:
    rows = MovementRows(report, layout.is_geographic)
    for text in block.decode("utf-8", "replace").splitlines():
        report.lines += 1
        if not text.strip():
            continue
        values = _values(text, layout.delimiter)
        if len(values) < max(layout.time, layout.node, layout.x, layout.y) + 1 or (
            layout.width and len(values) != layout.width
        ):
            wanted = f"{layout.width}" if layout.width else "at least 4"
            report.skip(report.lines, f"has {len(values)} values, not {wanted}")
            continue
        name, x, y = values[layout.node], values[layout.x], values[layout.y]
        if not name and not x and not y:  # SUMO's way to say that nobody was there at this time
            continue
        if layout.shift != (0.0, 0.0):
            x, y = _shifted(x, layout.shift[0]), _shifted(y, layout.shift[1])
        rows.add(report.lines, name, _seconds(values[layout.time]), x, y)
    yield from rows.taken(whole=True)


def _values(text: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return text.split()
    if '"' not in text:
        return [each.strip() for each in text.split(delimiter)]
    return [each.strip() for each in next(csv.reader([text], delimiter=delimiter), [])]


def _seconds(text: str) -> str:
    """Return a time stamp such as 2026-05-01T12:00:00Z as seconds since 1970; what is none stays as it is."""
    if "T" not in text and ":" not in text:
        return text
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return repr((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _shifted(text: str, shift: float) -> str:
    try:
        return repr(float(text) - shift)
    except ValueError:
        return text
