"""Mobility models, one file each; the file's name is the model's name in a scenario."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar

from roamcast.core.components import ComponentKind
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

POINTS_MAX = 20_000_000
"""How many points the movement of all nodes may have: all are made at the start, and this many take 3 GB."""


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


MOBILITY = ComponentKind("mobility", "mobility model", __name__, MobilityModel)  # type: ignore[type-abstract]
mobility_names, load_mobility = MOBILITY.names, MOBILITY.load
