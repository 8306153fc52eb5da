"""Finding a table's columns by the names in its header, in text or Parquet, and reading the first line of The ONE.

SUMO's floating car data has separate columns for vehicles, persons and containers; a row is about one of them, and the
columns of the others are empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

from roamcast.core.errors import UserError
from roamcast.recordings.numerals import as_number
from roamcast.recordings.source_files import decoded, is_comment, opened

HEADER_BYTES_MAX = 65_536
DELIMITERS = ",;\t"
SUMO_TIME = "timestep_time"
SUMO_PREFIXES = {"vehicle": "", "person": "person ", "container": "container "}
"""Prefixes of the names of persons and containers, so that they differ from those of vehicles."""
ALIASES = {
    "time": ("time_s", "time", "t", "timestamp", SUMO_TIME),
    "node": ("node", "id", "name", "vehicle", "vehicle_id", "person_id"),
    "x": ("x_m", "x", "vehicle_x", "person_x"),
    "y": ("y_m", "y", "vehicle_y", "person_y"),
    "longitude": ("longitude", "lon", "lng", "long"),
    "latitude": ("latitude", "lat"),
}


@dataclass(frozen=True, slots=True)
class Mover:
    """The columns that hold a node's name and position."""

    node: int
    x: int
    y: int
    prefix: str = ""
    """Put before the name."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table."""

    time: int
    movers: tuple[Mover, ...]
    """One, except in SUMO's tables."""
    is_geographic: bool = False
    delimiter: str = ","
    width: int = 0
    """The number of values in a line; 0: any number that includes the needed ones."""
    head_lines: int = 0
    """Lines before the first row."""
    head_bytes: int = 0
    shift: tuple[float, float] = (0.0, 0.0)
    """Subtracted from x and y."""

    @property
    def width_min(self) -> int:
        """Return the smallest possible number of values in a line."""
        return 1 + max(self.time, *(max(mover.node, mover.x, mover.y) for mover in self.movers))


def column_layout(names: Sequence[str], path: Path, geographic: bool) -> Layout:
    """Return the layout of a table with these columns."""
    names = [name.lower() for name in names]
    movers = _sumo_movers(names) if SUMO_TIME in names else ()
    if movers:
        return Layout(names.index(SUMO_TIME), movers, geographic)
    keys = {"time": "time", "node": "node", "x": "x", "y": "y"}
    if geographic and set(names) & set(ALIASES["latitude"]):
        keys |= {"x": "longitude", "y": "latitude"}
    found = {}
    for key, meaning in keys.items():
        column = next((names.index(alias) for alias in ALIASES[meaning] if alias in names), None)
        if column is None:
            has = ", ".join(names)[:120]
            raise UserError(f"{path}: has no column for the {meaning} ({' or '.join(ALIASES[meaning])}); it has {has}")
        found[key] = column
    return Layout(found["time"], (Mover(found["node"], found["x"], found["y"]),), geographic)


def _sumo_movers(names: Sequence[str]) -> tuple[Mover, ...]:
    found = []
    for kind, prefix in SUMO_PREFIXES.items():
        columns = [f"{kind}_{suffix}" for suffix in ("id", "x", "y")]
        if set(columns) <= set(names):
            node, x, y = map(names.index, columns)
            found.append(Mover(node, x, y, prefix))
    return tuple(found)


def split_header(text: str) -> tuple[str, list[str]]:
    """Return the delimiter of a header line, and the column names."""
    delimiter = max(DELIMITERS, key=text.count)
    return delimiter, [name.strip(' "').lower() for name in text.split(delimiter)]


def csv_layout(path: Path, geographic: bool) -> Layout:
    """Return the layout of a text table."""
    text, head_lines, head_bytes = _first_line(path)
    delimiter, names = split_header(text)
    layout = column_layout(names, path, geographic)
    return replace(layout, delimiter=delimiter, width=len(names), head_lines=head_lines, head_bytes=head_bytes)


def one_layout(path: Path) -> Layout:
    """Return the layout of The ONE's movement: its first line has the bounds, ``minTime maxTime minX maxX ...``."""
    text, head_lines, head_bytes = _first_line(path)
    bounds = numbers(text.split())
    if len(bounds) not in (6, 8) or not all(map(isfinite, bounds)):
        raise UserError(f"{path}:{head_lines}: must be the numbers 'minTime maxTime minX maxX minY maxY'")
    shift = (bounds[2], bounds[4])
    return Layout(0, (Mover(1, 2, 3),), delimiter=" ", head_lines=head_lines, head_bytes=head_bytes, shift=shift)


def _first_line(path: Path) -> tuple[str, int, int]:
    """Return the first line that is not a comment, and the number of lines and bytes up to its end."""
    count, size = 0, 0
    with opened(path) as file:
        while line := file.readline(HEADER_BYTES_MAX):
            if len(line) == HEADER_BYTES_MAX:
                raise UserError(f"{path}:{count + 1}: has {HEADER_BYTES_MAX:,} bytes or more before its first row")
            count, size = count + 1, size + len(line)
            text = decoded(line).strip()
            if not is_comment(text):
                return text, count, size
    return "", count, size


def numbers(words: Sequence[str]) -> list[float]:
    """Convert words to numbers; return an empty list if one is not a number."""
    try:
        return [as_number(word) for word in words]
    except ValueError:
        return []
