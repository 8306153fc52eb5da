"""Mobility models, one file each; the file's name is the model's name in a scenario."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar

import numpy as np

from roamcast.core.components import ComponentKind
from roamcast.core.errors import UserError
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

POINTS_MAX = 20_000_000
"""How many points the movement of all nodes may have: all are made at the start, and this many take 3 GB."""
ROUNDING_M = 0.001
"""How far outside of the area a position may be: sums of many steps are rounded."""


class MobilityModel(ABC):
    """Decides how nodes move. A subclass is a frozen dataclass whose fields are the keys of ``[mobility]``."""

    summary: ClassVar[str]
    """One line about the model and its source."""

    @abstractmethod
    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
        """Move ``count`` nodes from time 0 to at least ``until_s``; node i draws from its own stream."""

    def points(self, count: int, area: Area, until_s: float) -> float:  # noqa: ARG002
        """Return roughly how many points the movement of ``count`` nodes has, for models where it grows with time."""
        return count

    def lasts_s(self) -> float:
        """Return how long the movement lasts: forever, unless it was recorded."""
        return inf

    def waypoints(self) -> tuple[tuple[float, float], ...]:
        """Return points (x_m, y_m) on the model's map that nodes pass by; none if it has no map."""
        return ()


def move_nodes(model: MobilityModel, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
    """Return the movement by a model, or say what is wrong with it: the medium's compiled code trusts every number."""
    moved: object = model.trajectories(count, area, until_s, streams)
    where = f"[mobility] {type(model).__name__}"
    if not isinstance(moved, Trajectories):
        raise UserError(f"{where}: trajectories returned {type(moved).__name__}; must be Trajectories")
    columns = (moved.time_s, moved.x_m, moved.y_m)
    kinds = [getattr(column, "dtype", None) for column in (moved.offsets, *columns)]
    if kinds != [np.int64, np.float64, np.float64, np.float64]:
        raise UserError(f"{where}: Trajectories needs NumPy arrays, offsets in int64 and all others in float64")
    if moved.count != count:
        raise UserError(f"{where}: number of trajectories = {moved.count}: must be {count}, the number of nodes")
    ends = moved.offsets[1:]
    if moved.offsets[0] != 0 or (np.diff(moved.offsets) < 1).any() or any(len(each) != ends[-1] for each in columns):
        raise UserError(f"{where}: offsets must give each of the {count} nodes at least one point, and use all points")
    _check_points(moved, area, where)
    return moved


def _check_points(moved: Trajectories, area: Area, where: str) -> None:
    """Check that nodes are at finite positions in the area, and that their times ascend."""
    time_s, x_m, y_m = moved.time_s, moved.x_m, moved.y_m
    next_s = np.append(time_s[1:], inf)
    next_s[moved.offsets[1:] - 1] = inf
    is_wrong, expected = ~(next_s >= time_s), "the times of a node must ascend"
    if not is_wrong.any():
        is_wrong, expected = ~(np.isfinite(x_m) & np.isfinite(y_m)), "must be finite"
    if not is_wrong.any() and moved.presence is None:  # an absent node may be anywhere
        is_inside = (x_m >= -ROUNDING_M) & (x_m <= area.width_m + ROUNDING_M)
        is_inside &= (y_m >= -ROUNDING_M) & (y_m <= area.height_m + ROUNDING_M)
        # A point that is left by time 0 is never seen.
        is_wrong, expected = ~is_inside & (next_s > 0), f"must be in the area of {area}"
    if is_wrong.any():
        point = int(np.argmax(is_wrong))
        node = int(np.searchsorted(moved.offsets, point, side="right")) - 1
        position = f"position of node {node} at {time_s[point]:g} s = ({x_m[point]:g}, {y_m[point]:g})"
        raise UserError(f"{where}: {position}: {expected}")


MOBILITY = ComponentKind("mobility", "mobility model", __name__, MobilityModel)  # type: ignore[type-abstract]
mobility_names, load_mobility = MOBILITY.names, MOBILITY.load
