"""Trace: recorded movement, in the layout that ``roamcast movement import`` writes.

Between two rows a node moves straight at constant speed. A node is absent before its first row, in long gaps between
rows, and after its last row (unless it merely stands still there): then it neither sends nor hears, publishes nothing,
and does not count as an interested subscriber. For the medium an absent node is so far away that no radio reaches it.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from roamcast.core.errors import InvalidValueError, UserError
from roamcast.core.parameters import FILLED_IN, Limit, ParameterError
from roamcast.recordings.recording_layout import MOVEMENT, Imported, open_imported
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._recorded_rows import RecordedRows, recorded_rows
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.recording_time import check_begin
from roamcast.sim.trajectories import Area, Presence, Trajectories

_Offset = Annotated[float, Limit(lambda value: abs(value) <= 1e8, "must be between -1e8 and 1e8")]
_Moment = Annotated[float, Limit(lambda value: abs(value) <= 1e10, "must be between -1e10 and 1e10")]

ELSEWHERE_M = -1e9
"""The position of absent nodes: node i is at i + 1 times this, so that they do not hear each other either."""


@dataclass(frozen=True, slots=True)
class Trace(MobilityModel):
    """Recorded movement."""

    summary: ClassVar[str] = "recorded movement (SUMO, ns-2, GPS, ...), imported by roamcast movement import"

    path: str
    """A folder written by ``roamcast movement import``; in a scenario file, relative to that file."""

    begin_s: _Moment | None = None
    """The time in the recording at which the run begins, in seconds. Default: its first time."""

    offset_m: tuple[_Offset, _Offset] = (0.0, 0.0)
    """[x, y] in metres, added to all positions so that they lie within the area."""

    digest: Annotated[str, FILLED_IN] = ""
    """The digest of the recording, filled in when a run is planned. Leave it out."""

    def __post_init__(self) -> None:
        """Check that the recording exists and, for a planned run, that it has not changed since."""
        imported = self._imported()
        if self.begin_s is not None:
            first_s, last_s = imported.summary["first_s"], imported.summary["last_s"]
            check_begin(self.begin_s, first_s, inf if imported.summary["are_waypoints"] else last_s)
        digest = imported.digest()
        if self.digest not in ("", digest):
            raise ParameterError(
                "digest", f"is not the current one of {self.path} ({digest}); leave it out or plan again"
            )
        object.__setattr__(self, "digest", digest)

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:  # noqa: ARG002
        """Return the recorded trajectories; nothing is drawn."""
        imported = self._imported()
        self._check(imported, count, area)
        return _trajectories(imported.root, self.digest, count, self._begin_s(imported), until_s, self.offset_m)

    def lasts_s(self) -> float:
        """Return how long the recording lasts from ``begin_s``; waypoints last forever, as nodes stay at the last."""
        summary = self._imported().summary
        return inf if summary["are_waypoints"] else float(summary["last_s"]) - self._begin_s(self._imported())

    def _imported(self) -> Imported:
        try:
            return open_imported(Path(self.path), MOVEMENT)
        except UserError as error:
            raise InvalidValueError("[mobility] path", self.path, str(error)) from None

    def _begin_s(self, imported: Imported) -> float:
        return float(imported.summary["first_s"]) if self.begin_s is None else self.begin_s

    def _check(self, imported: Imported, count: int, area: Area) -> None:
        """Check that the recording has enough nodes and fits into the area."""
        known = imported.summary["nodes"]
        if count > known:
            raise InvalidValueError(
                "[mobility] path", self.path, f"has {known} nodes, fewer than [nodes] count = {count}"
            )
        shift_x_m, shift_y_m = self.offset_m
        (west_m, east_m), (south_m, north_m) = imported.summary["x_m"], imported.summary["y_m"]
        low, high = (west_m + shift_x_m, south_m + shift_y_m), (east_m + shift_x_m, north_m + shift_y_m)
        if not (area.contains(*low) and area.contains(*high)):
            extent = f"extends from ({low[0]:g}, {low[1]:g}) to ({high[0]:g}, {high[1]:g})"
            expected = f"{extent}, outside the area of {area}; move it with offset_m"
            raise InvalidValueError("[mobility] path", self.path, expected)


# Runs of a campaign usually share their recording, and reading it takes longer than many runs do.
@lru_cache(maxsize=4)
def _trajectories(
    root: Path, digest: str, count: int, begin_s: float, until_s: float, offset_m: tuple[float, float]
) -> Trajectories:
    del digest  # part of the cache key: a folder may hold another recording by now
    rows = recorded_rows(open_imported(root, MOVEMENT), count, begin_s, begin_s + until_s)
    return _joined(rows, count, begin_s, offset_m)


def _joined(rows: RecordedRows, count: int, begin_s: float, offset_m: tuple[float, float]) -> Trajectories:
    """Convert rows to points, with a point elsewhere before a node appears and after it disappears."""
    time_s, x_m, y_m = rows.time_s - begin_s, rows.x_m + offset_m[0], rows.y_m + offset_m[1]
    total = len(rows.node)
    is_first = np.diff(rows.node, prepend=-1) != 0
    appears = is_first | ~np.concatenate(([True], rows.goes_on[:-1]))
    # Every row is a point. The node is elsewhere before a row at which it appears and after one that does not go on.
    points = np.arange(total)
    kinds = np.concatenate([np.full(total, 1), np.full(int(appears.sum()), 0), np.full(int((~rows.goes_on).sum()), 2)])
    of_row = np.concatenate([points, points[appears], points[~rows.goes_on]])
    order = np.lexsort((kinds, of_row))
    kinds, of_row = kinds[order], of_row[order]
    node = rows.node[of_row]
    elsewhere = kinds != 1
    missing = np.setdiff1d(np.arange(count), node)  # never present during this time
    node = np.concatenate([node, missing])
    times = np.concatenate([time_s[of_row], np.zeros(len(missing))])
    xs = np.concatenate(
        [np.where(elsewhere, (node[: len(of_row)] + 1) * ELSEWHERE_M, x_m[of_row]), (missing + 1) * ELSEWHERE_M]
    )
    ys = np.concatenate([np.where(elsewhere, ELSEWHERE_M, y_m[of_row]), np.full(len(missing), ELSEWHERE_M)])
    by_node = np.argsort(node, kind="stable")
    offsets = np.searchsorted(node[by_node], np.arange(count + 1)).astype(np.int64)
    presence = _presence(rows, count, time_s, appears)
    return Trajectories(offsets, times[by_node], xs[by_node], ys[by_node], presence)


def _presence(
    rows: RecordedRows, count: int, time_s: NDArray[np.float64], appears: NDArray[np.bool_]
) -> Presence | None:
    """Return when each node is present, or None if all always are."""
    from_s = time_s[appears]
    last = np.concatenate((np.flatnonzero(appears)[1:] - 1, [len(time_s) - 1])) if len(time_s) else np.zeros(0, int)
    until_s = np.where(rows.goes_on[last], inf, time_s[last])
    offsets = np.searchsorted(rows.node[appears], np.arange(count + 1)).astype(np.int64)
    if len(from_s) == count and (np.diff(offsets) == 1).all() and (from_s <= 0).all() and (until_s == inf).all():
        return None
    return Presence(offsets, from_s, until_s)
