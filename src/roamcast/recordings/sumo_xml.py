"""Reading SUMO's floating car data: ``<timestep time="..."><vehicle id="..." x="..." y="..."/></timestep>``.

Persons and containers move as well; a prefix distinguishes their names from those of vehicles. Times that run backwards
are broken lines.
"""

from collections.abc import Iterator

import pyarrow as pa

from roamcast.recordings.row_tables import BLANKS, MovementRows, Report
from roamcast.recordings.source_files import Piece
from roamcast.recordings.table_headers import SUMO_PREFIXES
from roamcast.recordings.xml_stream import Handler, stream


class _FloatingCars(Handler):
    def __init__(self, rows: MovementRows) -> None:
        self._rows = rows
        self._time = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "timestep":
            self._time = attributes.get("time", "")
        elif name in SUMO_PREFIXES:
            identifier = attributes.get("id", "").strip(BLANKS)
            named = SUMO_PREFIXES[name] + identifier if identifier else ""
            self._rows.add(self.line(), named, self._time, attributes.get("x", ""), attributes.get("y", ""))


def read_sumo_xml(piece: Piece, is_geographic: bool, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a file."""
    rows = MovementRows(report, is_geographic)
    for _ in stream(piece.path, _FloatingCars(rows), report):
        yield from rows.tables()
    yield from rows.tables(final=True)
