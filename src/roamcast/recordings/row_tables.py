"""The output of every reader: rows in tables of bounded size, and a report of the broken lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from roamcast.core.errors import one_line
from roamcast.recordings.numerals import as_number

ROWS_PER_TABLE = 200_000
"""How many rows are held in memory at once: about 20 MB."""
EXAMPLES_MAX = 20
"""How many broken lines of each piece of a file are described."""
COORDINATE_M_MAX = 1e8
"""No point on earth has a larger coordinate in metres, in any projection."""
TIME_S_MAX = 1e10
"""The seconds since 1970 are a sixth of this."""
NAME_LENGTH_MAX = 200
BLANKS = " \t\r\n\f\v"
"""The characters that are removed from both ends of a name."""

MOVEMENT_ROWS = pa.schema(
    [("name", pa.string()), ("time_s", pa.float64()), ("x", pa.float64()), ("y", pa.float64()), ("line", pa.int64())]
)
"""A node's position at a time. ``x`` and ``y`` are metres, or longitude and latitude in degrees."""
CONTACT_ROWS = pa.schema(
    [("one", pa.string()), ("other", pa.string()), ("start_s", pa.float64()), ("end_s", pa.float64())]
)
"""A contact of two nodes, from a start to an end time."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that could not be used, and why."""

    line: int
    """Counted from 1 at the beginning of the piece."""
    reason: str


@dataclass(slots=True)
class Report:
    """The counts of lines and rows of a piece of a file."""

    lines: int = 0
    """Lines of the piece; elements if the file has no lines."""
    rows: int = 0
    broken: int = 0
    momentary: int = 0
    """Contacts that begin and end at the same time, which are left out but are not broken lines."""
    examples: list[Broken] = field(default_factory=list)
    """The first of the broken lines."""

    def skip(self, line: int, reason: str) -> None:
        """Count a broken line; the reason is made printable as one line, whatever it contains."""
        self.broken += 1
        if len(self.examples) < EXAMPLES_MAX:
            self.examples.append(Broken(line, one_line(reason)))


@dataclass(slots=True)
class MovementRows:
    """Checks rows and collects them into tables."""

    report: Report
    is_geographic: bool = False
    _names: list[str] = field(default_factory=list)
    _times_s: list[float] = field(default_factory=list)
    _xs: list[float] = field(default_factory=list)
    _ys: list[float] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)

    def add(self, line: int, name: str, time: str | float, x: str | float, y: str | float) -> None:
        """Add a row, or count it as broken; texts are converted."""
        name = name.strip(BLANKS)
        try:
            time_s, x_value, y_value = (as_number(value) if isinstance(value, str) else value for value in (time, x, y))
        except ValueError as error:
            self.report.skip(line, str(error))
            return
        reason = row_problem(name, time_s, x_value, y_value, self.is_geographic)
        if reason:
            self.report.skip(line, reason)
            return
        self._names.append(name)
        self._times_s.append(time_s)
        self._xs.append(x_value)
        self._ys.append(y_value)
        self._lines.append(line)
        self.report.rows += 1

    def tables(self, final: bool = False) -> Iterator[pa.Table]:
        """Yield a table of the collected rows if there are enough for one, or in any case if ``final``."""
        if self._names and (final or len(self._names) >= ROWS_PER_TABLE):
            columns = [self._names, self._times_s, self._xs, self._ys, self._lines]
            yield pa.table(columns, schema=MOVEMENT_ROWS)
            self._names, self._times_s, self._xs, self._ys, self._lines = [], [], [], [], []


def row_problem(name: str, time_s: float, x: float, y: float, is_geographic: bool) -> str | None:
    """Return the reason why a row is invalid, if it is."""
    if not name or len(name) > NAME_LENGTH_MAX:
        return f"the node's name must have 1 to {NAME_LENGTH_MAX} characters"
    if not (isfinite(time_s) and abs(time_s) <= TIME_S_MAX):
        return f"the time {time_s:g} must be finite and at most {TIME_S_MAX:g}"
    x_max, y_max = (180.0, 90.0) if is_geographic else (COORDINATE_M_MAX, COORDINATE_M_MAX)
    if not (isfinite(x) and isfinite(y) and abs(x) <= x_max and abs(y) <= y_max):
        bounds = "longitude within 180 and latitude within 90 degrees" if is_geographic else f"at most {x_max:g} m"
        return f"the position ({x:g}, {y:g}) must be finite and {bounds}"
    if is_geographic and x == y == 0:
        return "the position (0, 0) is what a receiver writes if it does not know its position"
    return None


def clean_names(names: Any, prefix: str) -> Any:
    """Return names without surrounding blanks and with a prefix; empty names stay empty."""
    names = pc.utf8_trim(names, characters=BLANKS)
    if not prefix:
        return names
    return pc.if_else(pc.equal(names, ""), names, pc.binary_join_element_wise(prefix, names, ""))


def valid_rows(names: Any, time_s: Any, x: Any, y: Any, is_geographic: bool) -> Any:
    """Return which rows ``row_problem`` finds nothing wrong with, as an array of truth values; names must be clean."""
    length = np.asarray(pc.utf8_length(names))
    x_max, y_max = (180.0, 90.0) if is_geographic else (COORDINATE_M_MAX, COORDINATE_M_MAX)
    # Comparisons with NaN are false, so this finds NaN too.
    fine = (length > 0) & (length <= NAME_LENGTH_MAX) & (np.abs(time_s) <= TIME_S_MAX)
    fine &= (np.abs(x) <= x_max) & (np.abs(y) <= y_max)
    return fine & ((x != 0) | (y != 0)) if is_geographic else fine
