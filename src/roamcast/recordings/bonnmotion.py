"""Reading BonnMotion's movements: one line per node with the points that it passes, ``t x y t x y ...``, without names.

Nodes are named by the index of their line, from 0. A line whose number of values is not a multiple of three is broken
as a whole.
"""

from collections.abc import Iterator

import pyarrow as pa

from roamcast.recordings.row_tables import MovementRows, Report
from roamcast.recordings.source_files import Piece, is_comment, lines


def read_bonnmotion(piece: Piece, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a file."""
    rows = MovementRows(report)
    node = 0
    for number, text in lines(piece.path):
        report.lines = number
        if is_comment(text):
            continue
        values = text.split()
        if len(values) % 3:
            report.skip(number, f"has {len(values)} values; t x y for each point is expected")
        else:
            for at in range(0, len(values), 3):
                rows.add(number, str(node), *values[at : at + 3])
                yield from rows.tables()
        node += 1
    yield from rows.tables(final=True)
