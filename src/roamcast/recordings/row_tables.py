"""What every reader gives: rows in tables of bounded size, and a report of the lines that are broken."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from roamcast.core.errors import one_line
from roamcast.recordings.numerals import as_number

ROWS_PER_TABLE = 200_000
"""Rows that are held at once: some 20 MB."""
EXAMPLES_MAX = 20
"""Broken lines that are kept word for word, of each piece of a file."""
COORDINATE_M_MAX = 1e8
"""No place on earth has a larger coordinate in metres, in whichever projection."""
TIME_S_MAX = 1e10
"""Seconds since 1970 are a sixth of it."""
NAME_LENGTH_MAX = 200
BLANKS = " \t\r\n\f\v"
"""What is taken off both ends of a name."""

MOVEMENT_ROWS = pa.schema(
    [("name", pa.string()), ("time_s", pa.float64()), ("x", pa.float64()), ("y", pa.float64()), ("line", pa.int64())]
)
"""A node was somewhere. ``x`` and ``y`` are metres, or longitude and latitude in degrees."""
CONTACT_ROWS = pa.schema(
    [("one", pa.string()), ("other", pa.string()), ("start_s", pa.float64()), ("end_s", pa.float64())]
)
"""Two nodes were in contact from a time to a time."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that says nothing, and why."""

    line: int
    """Counted from 1 at the beginning of the piece."""
    reason: str


@dataclass(slots=True)
class Report:
    """What became of a piece of a file."""

    lines: int = 0
    """Lines of the piece; elements where the file has no lines."""
    rows: int = 0
    broken: int = 0
    momentary: int = 0
    """Contacts that begin and end at one time; they are whole lines, and left out."""
    examples: list[Broken] = field(default_factory=list)
    """The first of the broken lines."""

    def skip(self, line: int, reason: str) -> None:
        """Count a broken line; whatever it is made of, the reason can be shown in one line."""
        self.broken += 1
        if len(self.examples) < EXAMPLES_MAX:
            self.examples.append(Broken(line, one_line(reason)))


Reader = Callable[[Any, Report], Iterator[pa.Table]]
"""From a piece of a file to its rows."""


@dataclass(slots=True)
class MovementRows:
    """Rows on their way into tables, each checked."""

    report: Report
    is_geographic: bool = False
    _names: list[str] = field(default_factory=list)
    _times_s: list[float] = field(default_factory=list)
    _xs: list[float] = field(default_factory=list)
    _ys: list[float] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)

    def add(self, line: int, name: str, time: str | float, x: str | float, y: str | float) -> None:
        """Take a row, or count it as broken; texts are converted."""
        name = name.strip(BLANKS)
        try:
            time_s, x_value, y_value = (as_number(each) if isinstance(each, str) else each for each in (time, x, y))
        except ValueError as error:
            self.report.skip(line, str(error))
            return
        reason = misplaced(name, time_s, x_value, y_value, self.is_geographic)
        if reason:
            self.report.skip(line, reason)
            return
        self._names.append(name)
        self._times_s.append(time_s)
        self._xs.append(x_value)
        self._ys.append(y_value)
        self._lines.append(line)
        self.report.rows += 1

    def taken(self, whole: bool = False) -> Iterator[pa.Table]:
        """Yield what has come together, if it is enough for a table or if it is all."""
        if self._names and (whole or len(self._names) >= ROWS_PER_TABLE):
            columns = [self._names, self._times_s, self._xs, self._ys, self._lines]
            yield pa.table(columns, schema=MOVEMENT_ROWS)
            self._names, self._times_s, self._xs, self._ys, self._lines = [], [], [], [], []


def misplaced(name: str, time_s: float, x: float, y: float, is_geographic: bool) -> str | None:
    """Return what is impossible about a row, if something is."""
    if not name or len(name) > NAME_LENGTH_MAX:
        return f"the node's name must have 1 to {NAME_LENGTH_MAX} characters"
    if not (isfinite(time_s) and abs(time_s) <= TIME_S_MAX):
        return f"the time {time_s:g} must be finite and at most {TIME_S_MAX:g}"
    x_max, y_max = (180.0, 90.0) if is_geographic else (COORDINATE_M_MAX, COORDINATE_M_MAX)
    if not (isfinite(x) and isfinite(y) and abs(x) <= x_max and abs(y) <= y_max):
        bounds = "longitude within 180 and latitude within 90 degrees" if is_geographic else f"at most {x_max:g} m"
        return f"the place ({x:g}, {y:g}) must be finite and {bounds}"
    if is_geographic and x == y == 0:
        return "the place (0, 0) is what a receiver writes that does not know where it is"
    return None


def tidied(names: Any, prefix: str) -> Any:
    """Return names without the blanks around them and with something before them; no name stays none."""
    names = pc.utf8_trim(names, characters=BLANKS)
    if not prefix:
        return names
    return pc.if_else(pc.equal(names, ""), names, pc.binary_join_element_wise(prefix, names, ""))


def well_placed(names: Any, time_s: Any, x: Any, y: Any, is_geographic: bool) -> Any:
    """Return which of many rows ``misplaced`` finds nothing about, as an array of truth values; names are tidy."""
    length = np.asarray(pc.utf8_length(names))
    x_max, y_max = (180.0, 90.0) if is_geographic else (COORDINATE_M_MAX, COORDINATE_M_MAX)
    # A comparison with NaN is false, so this also finds what is no number.
    fine = (length > 0) & (length <= NAME_LENGTH_MAX) & (np.abs(time_s) <= TIME_S_MAX)
    fine &= (np.abs(x) <= x_max) & (np.abs(y) <= y_max)
    return fine & ((x != 0) | (y != 0)) if is_geographic else fine
