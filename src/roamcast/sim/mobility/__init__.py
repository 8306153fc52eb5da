"""Mobility models, one file each; the file's name is the model's name in a scenario."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar

from roamcast.core.components import ComponentKind
from roamcast.sim.movement import Area, Trajectories
from roamcast.sim.random_streams import RandomStreams

POINTS_MAX = 20_000_000
"""Of how many points the movement of all nodes may consist: all are there from the start, and so many take 3 GB."""


class MobilityModel(ABC):
    """How nodes move. A subclass is a frozen dataclass whose fields are the keys of ``[mobility]``."""

    summary: ClassVar[str]
    """One line on the model and its source."""

    @abstractmethod
    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:
        """Move ``count`` nodes from time 0 to at least ``until_s``; node i draws from its own stream."""

    def points(self, count: int, area: Area, until_s: float) -> float:  # noqa: ARG002
        """Return about how many points the movement of ``count`` nodes has, where that grows with the time."""
        return count

    def lasts_s(self) -> float:
        """Return how long the movement lasts: for ever, unless it was recorded."""
        return inf

    def waypoints(self) -> tuple[tuple[float, float], ...]:
        """Return places (x_m, y_m) on the model's map that nodes pass by, none where it has no map."""
        return ()


MOBILITY = ComponentKind("mobility", "mobility model", __name__, MobilityModel)  # type: ignore[type-abstract]
mobility_names, load_mobility = MOBILITY.names, MOBILITY.load
