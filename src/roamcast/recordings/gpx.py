"""Reading GPX: tracks of latitude and longitude in XML. A track is a node, named after the track or else the file.

Daily tracks of one person often all have the same name. The second track of a name, in whichever file, is ``name-2``,
and so on; so names are collected before anything is read.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from roamcast.recordings.row_tables import BLANKS, NAME_LENGTH_MAX, MovementRows, Report
from roamcast.recordings.source_files import Piece
from roamcast.recordings.xml_stream import Handler, stem, stream

_TEXT_LENGTH_MAX = 1000


class _Names(Handler):
    """Collects the first name in each track; empty if there is none."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._in_track = False
        self._text = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self._text = ""
        if name == "trk":
            self._in_track = True
            self.found.append("")
        elif name == "trkpt":  # a point may have a name too
            self._in_track = False

    def text(self, text: str) -> None:
        self._text = (self._text + text)[:_TEXT_LENGTH_MAX]

    def end(self, name: str) -> None:
        if name in ("trk", "trkpt"):
            self._in_track = name == "trkpt"
        elif name == "name" and self._in_track and not self.found[-1]:
            self.found[-1] = self._text.strip(BLANKS)


def track_names(path: Path, taken: set[str]) -> tuple[str, ...]:
    """Return a unique name for each track of a file, and add them to those that are taken."""
    names = _Names()
    for _ in stream(str(path), names, Report()):
        pass
    given = []
    for number, found in enumerate(names.found, start=1):
        name = unique(found or (stem(str(path)) if number == 1 else f"{stem(str(path))} {number}"), taken)
        taken.add(name)
        given.append(name)
    return tuple(given)


def unique(name: str, taken: set[str]) -> str:
    """Return a name that is not taken: the same, or with a number appended."""
    found, number = name, 1
    while found in taken and len(name) <= NAME_LENGTH_MAX:  # a longer one is a broken line anyway
        number += 1
        found = f"{name[: NAME_LENGTH_MAX - len(str(number)) - 1]}-{number}"
    return found


class _Tracks(Handler):
    def __init__(self, names: Sequence[str], rows: MovementRows) -> None:
        self._rows = rows
        self._names = iter(names)
        self._track = ""
        self._point: dict[str, str] | None = None
        self._text = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._text = ""
        if name == "trk":
            self._track = next(self._names, "")
        elif name == "trkpt":
            self._point = {**attributes, "time": ""}

    def text(self, text: str) -> None:
        self._text = (self._text + text)[:_TEXT_LENGTH_MAX]

    def end(self, name: str) -> None:
        if name == "time" and self._point is not None:
            self._point["time"] = self._text.strip()
        elif name == "trkpt" and self._point is not None:
            point, self._point = self._point, None
            self._rows.add(
                self.line(), self._track, _seconds(point["time"]), point.get("lon", ""), point.get("lat", "")
            )


def read_gpx(piece: Piece, names: Sequence[str], report: Report) -> Iterator[pa.Table]:
    """Yield the rows of a file whose tracks have these names."""
    rows = MovementRows(report, is_geographic=True)
    for _ in stream(piece.path, _Tracks(names, rows), report):
        yield from rows.tables()
    yield from rows.tables(final=True)


def _seconds(text: str) -> str | float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
