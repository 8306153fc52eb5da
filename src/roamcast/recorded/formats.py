"""Which format a file of movement has: told, or recognised by how it begins."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from roamcast.core.errors import UnknownNameError, UserError
from roamcast.recorded.bonnmotion import read_bonnmotion
from roamcast.recorded.columns import ColumnNames, open_parquet, parquet_pieces, read_parquet
from roamcast.recorded.files import Piece, head, opened, pieces
from roamcast.recorded.gpx import read_gpx
from roamcast.recorded.rows import Report
from roamcast.recorded.setdest import read_setdest
from roamcast.recorded.sumo_xml import read_sumo_xml
from roamcast.recorded.tabular import Layout, read_tabular

SUMO_XML, SUMO_CSV, SUMO_PARQUET = "sumo-xml", "sumo-csv", "sumo-parquet"
SETDEST, BONNMOTION, THE_ONE = "setdest", "bonnmotion", "the-one"
CSV, PARQUET, GPS_CSV, GPS_PARQUET, GPX = "csv", "parquet", "gps-csv", "gps-parquet", "gpx"
FORMATS = (SUMO_XML, SUMO_CSV, SUMO_PARQUET, SETDEST, BONNMOTION, THE_ONE, CSV, PARQUET, GPS_CSV, GPS_PARQUET, GPX)
WAYPOINT_FORMATS = (SETDEST, BONNMOTION)
"""They say where nodes are going, not where they were seen: between two lines, however far apart, a node moves, and
after the last it stays."""

_ALIASES = {
    "time": ("time_s", "time", "t", "timestamp", "timestep_time"),
    "node": ("node", "id", "name", "vehicle", "vehicle_id", "person_id"),
    "x": ("x_m", "x", "vehicle_x", "person_x"),
    "y": ("y_m", "y", "vehicle_y", "person_y"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "latitude": ("latitude", "lat"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A file whose format is known, ready to be read piece by piece."""

    path: Path
    format: str
    is_geographic: bool
    pieces: tuple[Piece, ...]
    head_lines: int
    """Lines before the first piece."""
    read: Callable[[Piece, Report], Iterator[pa.Table]]


def find_source(path: Path, format_name: str | None = None, geographic: bool = False) -> Source:
    """Look at a file and return how it is to be read; ``geographic``: its x and y are longitude and latitude."""
    if format_name is not None and format_name not in FORMATS:
        raise UnknownNameError("format", format_name, FORMATS, "--format")
    with opened(path) as file:
        begin = file.read(4)
    name = format_name or detect(path)
    if name in (SUMO_PARQUET, PARQUET, GPS_PARQUET) and begin != b"PAR1":
        raise UserError(f"{path}: is not a Parquet file")
    if name in (SUMO_XML, GPX):
        geographic = geographic or name == GPX
        read = read_gpx if name == GPX else partial(_sumo_xml, geographic)
        return Source(path, name, geographic, (Piece(str(path)),), 0, read)
    if name in (SETDEST, BONNMOTION):
        whole = read_setdest if name == SETDEST else read_bonnmotion
        return Source(path, name, geographic, (Piece(str(path)),), 0, whole)
    if name in (SUMO_PARQUET, PARQUET, GPS_PARQUET):
        columns = _parquet_columns(path, geographic or name == GPS_PARQUET)
        return Source(path, name, columns.is_geographic, tuple(parquet_pieces(path)), 0, partial(_columns, columns))
    layout = _one_layout(path) if name == THE_ONE else _csv_layout(path, geographic or name == GPS_CSV)
    cut = tuple(pieces(path, layout.head_bytes))
    return Source(path, name, layout.is_geographic, cut, layout.head_lines, partial(_tabular, layout))


def detect(path: Path) -> str:
    """Return the format of a file by how it begins."""
    begin = head(path)
    if begin.startswith(b"PAR1"):
        names = {each.lower() for each in open_parquet(path).schema_arrow.names}
        if "timestep_time" in names:
            return SUMO_PARQUET
        return GPS_PARQUET if names & set(_ALIASES["latitude"]) else PARQUET
    text = begin.decode("utf-8-sig", "replace").lstrip()
    if text.startswith("<"):
        return GPX if "<gpx" in text else SUMO_XML
    if "$node_(" in text or "$ns_" in text or "$god_" in text:
        return SETDEST
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    first = rows[0].lower() if rows else ""
    if "timestep_time" in first:
        return SUMO_CSV
    words = [word.strip(' "') for word in first.replace(";", ",").split(",")]
    if len(words) > 2 and not _numbers(words):
        return GPS_CSV if set(words) & set(_ALIASES["latitude"]) else CSV
    values = _numbers(first.split())
    if values and ".movements" in path.name:  # BonnMotion's own ending; two points look like The ONE's bounds
        return BONNMOTION
    if len(values) in (6, 8) and len(rows) > 1 and len(rows[1].split()) in (4, 5):
        return THE_ONE
    if values and len(values) % 3 == 0:
        return BONNMOTION
    raise UserError(f"{path}: its format is not recognised; say which with --format {'|'.join(FORMATS)}")


def _sumo_xml(geographic: bool, piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_sumo_xml(piece, geographic, report)


def _columns(names: ColumnNames, piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_parquet(piece, names, report)


def _tabular(layout: Layout, piece: Piece, report: Report) -> Iterator[pa.Table]:
    return read_tabular(piece, layout, report)


def _parquet_columns(path: Path, geographic: bool) -> ColumnNames:
    names = open_parquet(path).schema_arrow.names
    by_key = _chosen([each.lower() for each in names], path, geographic)
    time, node, x, y = (names[by_key[key]] for key in ("time", "node", "x", "y"))
    return ColumnNames(time, node, x, y, geographic)


def _csv_layout(path: Path, geographic: bool) -> Layout:
    with opened(path) as file:
        line = file.readline(65_536)
    text = line.decode("utf-8-sig", "replace").strip()
    delimiter = max(",;\t", key=text.count)
    names = [each.strip(' "').lower() for each in text.split(delimiter)]
    by_key = _chosen(names, path, geographic)
    time, node, x, y = (by_key[key] for key in ("time", "node", "x", "y"))
    return Layout(delimiter, len(names), time, node, x, y, geographic, head_lines=1, head_bytes=len(line))


def _chosen(names: Sequence[str], path: Path, geographic: bool) -> dict[str, int]:
    """Return at which place each of the four values stands."""
    keys = {"time": "time", "node": "node", "x": "x", "y": "y"}
    if geographic and set(names) & set(_ALIASES["latitude"]):
        keys |= {"x": "longitude", "y": "latitude"}
    found = {}
    for key, meaning in keys.items():
        place = next((names.index(alias) for alias in _ALIASES[meaning] if alias in names), None)
        if place is None:
            has = ", ".join(names)[:120]
            raise UserError(f"{path}: has no column for the {meaning} ({' or '.join(_ALIASES[meaning])}); it has {has}")
        found[key] = place
    return found


def _one_layout(path: Path) -> Layout:
    """Return the layout of The ONE's movement: its first line has the bounds, ``minTime maxTime minX maxX ...``."""
    with opened(path) as file:
        line = file.readline(65_536)
    bounds = _numbers(line.decode("utf-8-sig", "replace").split())
    if len(bounds) not in (6, 8):
        raise UserError(f"{path}:1: must be 'minTime maxTime minX maxX minY maxY', in numbers")
    layout = Layout(" ", 0, time=0, node=1, x=2, y=3, head_lines=1, head_bytes=len(line))
    return replace(layout, shift=(bounds[2], bounds[4]))


def _numbers(words: Sequence[str]) -> list[float]:
    """Return words as numbers, or nothing if one is none."""
    try:
        return [float(word) for word in words]
    except ValueError:
        return []
