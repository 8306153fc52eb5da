"""Reading text tables: plain CSV, SUMO's CSV, GPS tracks in CSV, and The ONE's external movement, which uses spaces.

Lines are independent, so a file is cut into pieces that are read in parallel. A block of lines is converted at once;
only if that fails is each of its lines read on its own, to find the broken ones. Both ways yield the same rows. A line
ends with a line feed and nothing else; blank lines and those that begin with # are ignored.
"""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as pa_csv

from roamcast.recordings.numerals import as_number
from roamcast.recordings.row_tables import BLANKS, MOVEMENT_ROWS, MovementRows, Report, clean_names, valid_rows
from roamcast.recordings.source_files import Piece, blocks, decoded, is_comment
from roamcast.recordings.table_headers import Layout

_TIME = "time_s"


def read_tabular(piece: Piece, layout: Layout, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a piece."""
    for block in blocks(piece, layout.head_lines):
        found = _at_once(block, layout, report.lines)
        if found is None:
            yield from _line_by_line(block, layout, report)
            continue
        report.lines += _line_count(block)
        report.rows += sum(map(len, found))
        yield from found


def _line_count(block: bytes) -> int:
    return block.count(b"\n") + (not block.endswith(b"\n"))


def _at_once(block: bytes, layout: Layout, lines_before: int) -> list[pa.Table] | None:
    """Return the rows of a block, or None if one of its lines is broken."""
    converted = _converted(block, layout)
    if converted is None or len(converted) != _line_count(block):  # a quotation mark can join lines
        return None
    time_s = converted.column(_TIME).to_numpy()
    line = np.arange(lines_before + 1, lines_before + 1 + len(converted))
    found = []
    for mover in layout.movers:
        given, x, y = (converted.column(f"column {at}") for at in (mover.node, mover.x, mover.y))
        name = clean_names(given, mover.prefix)
        is_nobody = np.asarray(pc.and_(pc.equal(name, ""), pc.and_(pc.is_null(x), pc.is_null(y))))
        x, y = x.to_numpy() - layout.shift[0], y.to_numpy() - layout.shift[1]
        fine = valid_rows(name, time_s, x, y, layout.is_geographic)
        if not (fine | is_nobody).all():
            return None
        table = pa.table([name, time_s, x, y, line], schema=MOVEMENT_ROWS)
        found.append(table if fine.all() else table.filter(pa.array(fine)))
    return found


def _converted(block: bytes, layout: Layout) -> pa.Table | None:
    """Return the needed columns; an empty value is a missing number, but where spaces separate, two count as one."""
    count = layout.width or block.split(b"\n", 1)[0].count(layout.delimiter.encode()) + 1
    if count < layout.width_min or block.startswith(b"#") or b"\n#" in block:
        return None
    names = [_TIME if at == layout.time else f"column {at}" for at in range(count)]
    kinds = {_TIME: pa.float64()}
    for mover in layout.movers:
        kinds |= {names[mover.node]: pa.string(), names[mover.x]: pa.float64(), names[mover.y]: pa.float64()}
    try:
        return pa_csv.read_csv(
            BytesIO(block),
            pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=len(block) + 1),
            pa_csv.ParseOptions(delimiter=layout.delimiter, ignore_empty_lines=False),
            pa_csv.ConvertOptions(
                column_types=kinds,
                include_columns=[*kinds],
                null_values=[] if layout.delimiter == " " else [""],
                strings_can_be_null=False,
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def _line_by_line(block: bytes, layout: Layout, report: Report) -> Iterator[pa.Table]:
    rows = MovementRows(report, layout.is_geographic)
    for raw in block.removesuffix(b"\n").split(b"\n"):
        report.lines += 1
        text = decoded(raw).strip("\r\n")
        if is_comment(text):
            continue
        values = _values(text, layout.delimiter)
        if len(values) < layout.width_min or (layout.width and len(values) != layout.width):
            wanted = f"{layout.width}" if layout.width else f"at least {layout.width_min}"
            report.skip(report.lines, f"has {len(values)} values, not {wanted}")
            continue
        time = _seconds(values[layout.time])
        for mover in layout.movers:
            name, x, y = values[mover.node], values[mover.x], values[mover.y]
            if not name and not x and not y:  # SUMO writes this if nobody is there at this time
                continue
            if layout.shift != (0.0, 0.0):
                x, y = _shifted(x, layout.shift[0]), _shifted(y, layout.shift[1])
            rows.add(report.lines, mover.prefix + name if name else "", time, x, y)
    yield from rows.tables(final=True)


def _values(text: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return text.split()
    if '"' not in text:
        return [value.strip(BLANKS) for value in text.split(delimiter)]
    try:
        return [value.strip(BLANKS) for value in next(csv.reader([text], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _seconds(text: str) -> str:
    """Convert a timestamp such as 2026-05-01T12:00:00Z to seconds since 1970; other texts stay as they are."""
    if "T" not in text and ":" not in text:
        return text
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return repr((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _shifted(text: str, shift: float) -> str:
    try:
        return repr(as_number(text) - shift)
    except ValueError:
        return text
