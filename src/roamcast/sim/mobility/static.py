"""Static: nodes that never move, placed at random, on a grid, or at positions given in the scenario."""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from roamcast.core.errors import InvalidValueError
from roamcast.core.parameters import ParameterError, one_of
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility._draws import anywhere, node_draws
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories

_POSITIONS = "[mobility] positions_m"


@dataclass(frozen=True, slots=True)
class Static(MobilityModel):
    """Nodes that stay where they are."""

    summary: ClassVar[str] = "nodes that never move: uniformly placed, on a grid, or at given positions"

    placement: Annotated[str, one_of("uniform", "grid")] = "uniform"
    """Either "uniform", anywhere in the area, or "grid", in the middle of equal cells, row by row from the origin."""

    positions_m: tuple[tuple[float, float], ...] | None = None
    """The position of each node as [x, y] in metres, in the order of the nodes; replaces ``placement``."""

    def __post_init__(self) -> None:
        """Check that the placement is given only once."""
        if self.positions_m is not None and self.placement != "uniform":
            raise ParameterError("positions_m", f'cannot be combined with placement = "{self.placement}"')

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:  # noqa: ARG002
        """Give every node one point, which holds for all times."""
        if self.positions_m is not None:
            positions_m = self._checked(self.positions_m, count, area)
        elif self.placement == "grid":
            positions_m = _grid(count, area)
        else:
            positions_m = [anywhere(node_draws(streams, node), area) for node in range(count)]
        return Trajectories.from_points([[(0.0, x_m, y_m)] for x_m, y_m in positions_m])

    def _checked(
        self, positions_m: tuple[tuple[float, float], ...], count: int, area: Area
    ) -> list[tuple[float, float]]:
        if len(positions_m) != count:
            raise InvalidValueError(
                _POSITIONS, positions_m, f"has {len(positions_m)} positions for {count} nodes; one per node is needed"
            )
        for node, (x_m, y_m) in enumerate(positions_m):
            if not area.contains(x_m, y_m):
                raise InvalidValueError(f"{_POSITIONS}[{node}]", (x_m, y_m), f"must be within the area of {area}")
        return list(positions_m)


def _grid(count: int, area: Area) -> list[tuple[float, float]]:
    """Put nodes in the middle of cells that are as close to squares as the count allows."""
    columns = min(count, max(1, round(math.sqrt(count * area.width_m / area.height_m))))
    rows = -(-count // columns)
    cell_x_m, cell_y_m = area.width_m / columns, area.height_m / rows
    return [((node % columns + 0.5) * cell_x_m, (node // columns + 0.5) * cell_y_m) for node in range(count)]
