"""The rows of a recording that a run needs: those of its nodes within its time, and the ones just before and after."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roamcast.recordings.recording_layout import MOVEMENT_SCHEMA, Imported, read_part


@dataclass(frozen=True, slots=True)
class RecordedRows:
    """Rows, sorted by node and time."""

    node: NDArray[np.int64]
    time_s: NDArray[np.float64]
    x_m: NDArray[np.float64]
    y_m: NDArray[np.float64]
    goes_on: NDArray[np.bool_]

    def keep(self, mask: NDArray[np.bool_]) -> "RecordedRows":
        """Return the rows for which the mask is true."""
        return RecordedRows(self.node[mask], self.time_s[mask], self.x_m[mask], self.y_m[mask], self.goes_on[mask])


def recorded_rows(imported: Imported, count: int, begin_s: float, end_s: float) -> RecordedRows:
    """Read the rows of the first ``count`` nodes from the last before ``begin_s`` to the first after ``end_s``.

    Windows are read one after the other until no node is between two rows at the end.
    """
    windows = [window for window in range(imported.summary["windows"]) if imported.window_file(window).exists()]
    rows = _read(imported, windows[0] if windows else 0, count)
    for window in windows:
        if window != windows[0]:
            rows = _joined(rows, _read(imported, window, count))
        rows = _without_past(rows, begin_s)
        if _is_enough(rows, imported, window, end_s):
            break
    return _without_future(rows, end_s)


def _read(imported: Imported, window: int, count: int) -> RecordedRows:
    table = read_part(imported.window_file(window), MOVEMENT_SCHEMA)
    node, time_s, x_m, y_m, goes_on = (table.column(name).to_numpy() for name in MOVEMENT_SCHEMA.names)
    rows = RecordedRows(node.astype(np.int64), time_s, x_m, y_m, goes_on).keep(node < count)
    return _in_order(rows)


def _joined(one: RecordedRows, other: RecordedRows) -> RecordedRows:
    columns = ("node", "time_s", "x_m", "y_m", "goes_on")
    return _in_order(RecordedRows(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in columns)))


def _in_order(rows: RecordedRows) -> RecordedRows:
    order = np.lexsort((rows.time_s, rows.node))
    return RecordedRows(rows.node[order], rows.time_s[order], rows.x_m[order], rows.y_m[order], rows.goes_on[order])


def _is_last(rows: RecordedRows) -> NDArray[np.bool_]:
    last: NDArray[np.bool_] = np.diff(rows.node, append=-1) != 0
    return last


def _without_past(rows: RecordedRows, begin_s: float) -> RecordedRows:
    """Drop the rows before each node's last one at or before the beginning."""
    followed_early = np.concatenate((rows.time_s[1:] <= begin_s, [False])) & ~_is_last(rows)
    return rows.keep(~followed_early)


def _without_future(rows: RecordedRows, end_s: float) -> RecordedRows:
    """Drop the rows after each node's first one after the end."""
    is_first = np.diff(rows.node, prepend=-1) != 0
    after_late = np.concatenate(([False], rows.time_s[:-1] > end_s)) & ~is_first
    return rows.keep(~after_late & ~(is_first & (rows.time_s > end_s)))


def _is_enough(rows: RecordedRows, imported: Imported, window: int, end_s: float) -> bool:
    """Tell whether later windows are irrelevant for the time up to the end."""
    summary = imported.summary
    covered_s = summary["windows_from_s"] + (window + 1) * summary["window_s"]
    unfinished = _is_last(rows) & rows.goes_on & (rows.time_s <= end_s)
    return bool(covered_s > end_s and not unfinished.any())
