"""GPX: tracks of latitude and longitude in XML. A track is a node; it is called by its name, else by the file's."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow as pa

from roamcast.recorded.files import Piece
from roamcast.recorded.rows import MovementRows, Report
from roamcast.recorded.xml_stream import Handler, stem, stream


class _Tracks(Handler):
    def __init__(self, path: str, rows: MovementRows) -> None:
        self._rows, self._file = rows, stem(path)
        self._tracks = 0
        self._track = ""
        self._point: dict[str, str] | None = None
        self._text = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._text = ""
        if name == "trk":
            self._tracks += 1
            self._track = self._file if self._tracks == 1 else f"{self._file} {self._tracks}"
        elif name == "trkpt":
            self._point = {**attributes, "time": ""}

    def text(self, text: str) -> None:
        self._text = (self._text + text)[:1000]

    def end(self, name: str) -> None:
        if name == "name" and self._point is None and self._text.strip():
            self._track = self._text.strip()
        elif name == "time" and self._point is not None:
            self._point["time"] = self._text.strip()
        elif name == "trkpt" and self._point is not None:
            point, self._point = self._point, None
            self._rows.add(
                self.line(), self._track, _seconds(point["time"]), point.get("lon", ""), point.get("lat", "")
            )


def read_gpx(piece: Piece, report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a file."""
    rows = MovementRows(report, is_geographic=True)
    for _ in stream(piece.path, _Tracks(piece.path, rows), report):
        yield from rows.taken()
    yield from rows.taken(whole=True)


def _seconds(text: str) -> str | float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
