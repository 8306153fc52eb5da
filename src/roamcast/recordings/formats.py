"""The format of a movement file: given by the caller, or detected from the beginning of the file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from roamcast.core.errors import UnknownNameError, UserError
from roamcast.recordings.bonnmotion import read_bonnmotion
from roamcast.recordings.gpx import read_gpx, track_names
from roamcast.recordings.parquet_columns import open_parquet, parquet_pieces, read_parquet
from roamcast.recordings.row_tables import Report
from roamcast.recordings.setdest import read_setdest
from roamcast.recordings.source_files import Piece, decoded, first_lines, head, opened, pieces
from roamcast.recordings.sumo_xml import read_sumo_xml
from roamcast.recordings.table_headers import (
    ALIASES,
    SUMO_TIME,
    Layout,
    column_layout,
    csv_layout,
    numbers,
    one_layout,
    split_header,
)
from roamcast.recordings.tabular import read_tabular
from roamcast.recordings.xml_stream import root_of

SUMO_XML, SUMO_CSV, SUMO_PARQUET = "sumo-xml", "sumo-csv", "sumo-parquet"
SETDEST, BONNMOTION, THE_ONE = "setdest", "bonnmotion", "the-one"
CSV, PARQUET, GPS_CSV, GPS_PARQUET, GPX = "csv", "parquet", "gps-csv", "gps-parquet", "gpx"
FORMATS = (SUMO_XML, SUMO_CSV, SUMO_PARQUET, SETDEST, BONNMOTION, THE_ONE, CSV, PARQUET, GPS_CSV, GPS_PARQUET, GPX)
WAYPOINT_FORMATS = (SETDEST, BONNMOTION)
"""They record where nodes are going, not where they were seen: between two lines, however far apart, a node moves, and
after the last it stays."""
METRE_FORMATS = (SETDEST, BONNMOTION, THE_ONE)
"""Their positions are metres in a plane, never degrees."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of known format, ready to be read piece by piece."""

    path: Path
    format: str
    is_geographic: bool
    pieces: tuple[Piece, ...]
    head_lines: int
    """Lines before the first piece."""
    read: Callable[[Piece, Report], Iterator[pa.Table]]


def find_sources(paths: Sequence[Path], format_name: str | None = None, geographic: bool = False) -> tuple[Source, ...]:
    """Inspect files that are to become one recording, and raise an error if they cannot."""
    tracks: set[str] = set()
    sources = tuple(find_source(path, format_name, geographic, tracks) for path in paths)
    first = sources[0]
    for other in sources[1:]:
        if other.is_geographic != first.is_geographic:
            raise UserError(
                f"{other.path}: has {_unit(other)}, {first.path} has {_unit(first)}; import them separately"
            )
        if _has_waypoints(other) != _has_waypoints(first):
            planned, seen = (other, first) if _has_waypoints(other) else (first, other)
            raise UserError(
                f"{planned.path}: is {planned.format}, which records where nodes are going; {seen.path} "
                f"({seen.format}) records where they were; import them separately"
            )
    if not any(source.pieces for source in sources):
        raise UserError(f"{first.path}: has no rows")
    return sources


def _unit(source: Source) -> str:
    return "degrees" if source.is_geographic else "metres"


def _has_waypoints(source: Source) -> bool:
    return source.format in WAYPOINT_FORMATS


def find_source(
    path: Path, format_name: str | None = None, geographic: bool = False, tracks: set[str] | None = None
) -> Source:
    """Inspect a file and return how to read it; ``geographic``: its x and y are longitude and latitude.

    ``tracks`` are the names of tracks in earlier files.
    """
    if format_name is not None and format_name not in FORMATS:
        raise UnknownNameError("format", format_name, FORMATS, "--format")
    with opened(path) as file:
        begin = file.read(4)
    name = format_name or detect(path)
    if geographic and name in METRE_FORMATS:
        raise UserError(f"--geo: {path} is {name}, whose positions are in metres, not in degrees")
    if name in (SUMO_PARQUET, PARQUET, GPS_PARQUET) and begin != b"PAR1":
        raise UserError(f"{path}: is not a Parquet file")
    whole = (Piece(str(path)),)
    if name in (SUMO_XML, GPX):
        _check_root(path, name)
        if name == GPX:
            names = track_names(path, set() if tracks is None else tracks)
            return Source(path, name, True, whole, 0, partial(_gpx, names))
        return Source(path, name, geographic, whole, 0, partial(_sumo_xml, geographic))
    if name in WAYPOINT_FORMATS:
        return Source(path, name, False, whole, 0, read_setdest if name == SETDEST else read_bonnmotion)
    if name in (SUMO_PARQUET, PARQUET, GPS_PARQUET):
        columns = open_parquet(path).schema_arrow.names
        layout = column_layout(columns, path, geographic or name == GPS_PARQUET)
        return Source(path, name, layout.is_geographic, tuple(parquet_pieces(path)), 0, partial(_columns, layout))
    layout = one_layout(path) if name == THE_ONE else csv_layout(path, geographic or name == GPS_CSV)
    cut = tuple(pieces(path, layout.head_bytes))
    return Source(path, name, layout.is_geographic, cut, layout.head_lines, partial(_tabular, layout))


def _check_root(path: Path, name: str) -> None:
    root, expected = root_of(path), "gpx" if name == GPX else "fcd-export"
    if root not in ("", expected):
        whose = "" if name == GPX else "SUMO's "
        raise UserError(f"{path}: begins with <{root[:40]}>; {whose}<{expected}> is expected")


def detect(path: Path) -> str:
    """Detect the format of a file from its beginning."""
    begin = head(path)
    if begin.startswith(b"PAR1"):
        names = {name.lower() for name in open_parquet(path).schema_arrow.names}
        if SUMO_TIME in names:
            return SUMO_PARQUET
        return GPS_PARQUET if names & set(ALIASES["latitude"]) else PARQUET
    text = decoded(begin).lstrip()
    if text.startswith("<"):
        return GPX if "<gpx" in text else SUMO_XML
    if "$node_(" in text or "$ns_" in text or "$god_" in text:
        return SETDEST
    found = _detect_table(path, first_lines(begin))
    if found is None:
        raise UserError(f"{path}: its format is not recognised; choose one with --format {'|'.join(FORMATS)}")
    return found


def _detect_table(path: Path, rows: Sequence[str]) -> str | None:
    first = rows[0] if rows else ""
    _, names = split_header(first)
    if SUMO_TIME in names:
        return SUMO_CSV
    if len(names) > 2 and not numbers(names):
        return GPS_CSV if set(names) & set(ALIASES["latitude"]) else CSV
    values = numbers(first.split())
    if values and ".movements" in path.name:  # BonnMotion's own ending; two points look like The ONE's bounds
        return BONNMOTION
    if len(values) in (6, 8) and len(rows) > 1 and len(rows[1].split()) in (4, 5):
        return THE_ONE
    return BONNMOTION if values and len(values) % 3 == 0 else None


def _sumo_xml(geographic: bool, piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_sumo_xml(piece, geographic, report)


def _gpx(names: Sequence[str], piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_gpx(piece, names, report)


def _columns(layout: Layout, piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_parquet(piece, layout, report)


def _tabular(layout: Layout, piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_tabular(piece, layout, report)
