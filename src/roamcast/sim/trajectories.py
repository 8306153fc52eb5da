"""Movement as data: each node's positions over time, as straight legs between points.

Every mobility model and every recorded trace yields one ``Trajectories``; the medium evaluates it at the exact time of
each frame.
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Point = tuple[float, float, float]
"""A node's position at a time: (time_s, x_m, y_m)."""


class Leg(NamedTuple):
    """A straight leg of a node's way, at constant speed. Before ``start_s`` the node stands at its beginning."""

    start_s: float
    end_s: float
    x_m: float
    y_m: float
    x_mps: float
    y_mps: float


NO_LEG = Leg(-inf, -inf, 0.0, 0.0, 0.0, 0.0)
"""Stands for the leg of a node that nobody has located yet."""


@dataclass(frozen=True, slots=True)
class Area:
    """The rectangle in which nodes move, with one corner at the origin."""

    width_m: float
    height_m: float

    def contains(self, x_m: float, y_m: float) -> bool:
        """Tell whether a point is in the area, including its edges."""
        return 0 <= x_m <= self.width_m and 0 <= y_m <= self.height_m

    def __str__(self) -> str:
        return f"{self.width_m:g} x {self.height_m:g} m"


@dataclass(frozen=True, slots=True)
class Presence:
    """The intervals of time in which each node is present, for movement in which nodes come and go."""

    offsets: Integers
    """Node ``i`` owns the intervals ``offsets[i]`` to ``offsets[i + 1] - 1``, in order of time."""
    from_s: Floats
    until_s: Floats

    def has(self, node: int, at_s: float) -> bool:
        """Tell whether a node is present at a time."""
        first, last = int(self.offsets[node]), int(self.offsets[node + 1])
        interval = first + int(np.searchsorted(self.from_s[first:last], at_s, side="right")) - 1
        return interval >= first and at_s < float(self.until_s[interval])


@dataclass(frozen=True, slots=True)
class Trajectories:
    """The points that each node passes, in order of time; between two points it moves straight at constant speed.

    A pause is two points with the same position. Before its first point and after its last a node stands still.
    """

    offsets: Integers
    """Node ``i`` owns the points ``offsets[i]`` to ``offsets[i + 1] - 1``, at least one."""
    time_s: Floats
    x_m: Floats
    y_m: Floats
    presence: Presence | None = None
    """None: all nodes are always present. The position of an absent node has no meaning."""

    @property
    def count(self) -> int:
        """Return the number of nodes."""
        return len(self.offsets) - 1

    @classmethod
    def from_points(cls, points: list[list[Point]]) -> "Trajectories":
        """Join the (time, x, y) points of all nodes."""
        lengths = [len(walk) for walk in points]
        joined = np.array([point for walk in points for point in walk], dtype=np.float64).reshape(-1, 3)
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        return cls(offsets, joined[:, 0].copy(), joined[:, 1].copy(), joined[:, 2].copy())

    def positions(self, at_s: float) -> Floats:
        """Return the (x, y) of every node at a time, as an array of shape (count, 2)."""
        last = self.offsets[1:] - 1
        passed = np.add.reduceat(self.time_s <= at_s, self.offsets[:-1], dtype=np.int64)
        before = np.maximum(self.offsets[:-1] + passed - 1, self.offsets[:-1])
        after = np.minimum(before + 1, last)
        legs_s = self.time_s[after] - self.time_s[before]
        done = np.clip((at_s - self.time_s[before]) / np.where(legs_s > 0, legs_s, 1.0), 0.0, 1.0)
        x_m = self.x_m[before] + (self.x_m[after] - self.x_m[before]) * done
        y_m = self.y_m[before] + (self.y_m[after] - self.y_m[before]) * done
        return np.column_stack((x_m, y_m))

    def speed_mps_max(self) -> float:
        """Return the highest speed of any node on any leg, infinite if a node jumps."""
        return inf if len(self.jumps_s()) else self.walking_mps_max()

    def walking_mps_max(self) -> float:
        """Return the highest speed of any node, not counting jumps."""
        _, elapsed_s, walked_m = self._legs()
        moving = elapsed_s > 0
        return float((walked_m[moving] / elapsed_s[moving]).max(initial=0.0))

    def jumps_s(self) -> Floats:
        """Return the times at which a node jumps, in order."""
        ends_s, elapsed_s, walked_m = self._legs()
        return np.unique(ends_s[(elapsed_s <= 0) & (walked_m > 0)])

    def _legs(self) -> tuple[Floats, Floats, Floats]:
        """Return the end time, the duration and the length of every leg."""
        inner = np.ones(len(self.time_s), dtype=bool)
        inner[self.offsets[:-1]] = False
        elapsed_s = np.diff(self.time_s, prepend=self.time_s[0])[inner]
        walked_m = np.hypot(np.diff(self.x_m, prepend=0.0), np.diff(self.y_m, prepend=0.0))[inner]
        return self.time_s[inner], elapsed_s, walked_m
