"""SUMO's floating car data in XML: ``<timestep time="..."><vehicle id="..." x="..." y="..."/></timestep>``.

Persons and containers move as well; they are named apart from vehicles. Times that run backwards are broken lines.
"""

from collections.abc import Iterator

import pyarrow as pa

from roamcast.core.errors import UserError
from roamcast.recorded.files import Piece
from roamcast.recorded.headers import SUMO_PREFIXES
from roamcast.recorded.rows import BLANKS, MovementRows, Report
from roamcast.recorded.xml_stream import Handler, stream


class _FloatingCars(Handler):
    def __init__(self, rows: MovementRows, report: Report) -> None:
        self._rows, self._report = rows, report
        self._time = ""
        self.root = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "timestep":
            self._time = attributes.get("time", "")
        elif name in SUMO_PREFIXES:
            identifier = attributes.get("id", "").strip(BLANKS)
            named = SUMO_PREFIXES[name] + identifier if identifier else ""
            self._rows.add(self.line(), named, self._time, attributes.get("x", ""), attributes.get("y", ""))
        elif not self.root:
            self.root = name


def read_sumo_xml(piece: Piece, is_geographic: bool, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a file."""
    rows = MovementRows(report, is_geographic)
    cars = _FloatingCars(rows, report)
    for _ in stream(piece.path, cars, report):
        if cars.root not in ("", "fcd-export"):
            raise UserError(f"{piece.path}: begins with <{cars.root}>; SUMO's <fcd-export> is expected")
        yield from rows.taken()
    yield from rows.taken(whole=True)
