"""Zones and grids: cells of the area that a node computes from its position alone (BRVST, section III, figure 1)."""

from collections.abc import Iterator
from math import hypot
from typing import NamedTuple

from roamcast.core.host import Position, World

GRID, ZONE = 0, 1
CELL_BYTES = 3
"""The size of a cell's name, in bytes: a level and two numbers."""


class Cell(NamedTuple):
    """A grid or a zone."""

    level: int
    column: int
    row: int


class CellPlan:
    """The division of the area into zones and grids."""

    def __init__(self, world: World, zones_per_side: int, grids_per_side: int) -> None:
        self._width_m, self._height_m = world.width_m, world.height_m
        self._sides = {GRID: grids_per_side, ZONE: zones_per_side}

    def cell(self, level: int, at: Position) -> Cell:
        """Return the grid or zone that contains a position; one outside the area belongs to the nearest cell."""
        side = self._sides[level]
        column, row = int(at.x_m / self._width_m * side), int(at.y_m / self._height_m * side)
        return Cell(level, min(max(column, 0), side - 1), min(max(row, 0), side - 1))

    def is_cell(self, cell: Cell) -> bool:
        """Tell whether such a cell exists."""
        side = self._sides.get(cell.level, 0)
        return 0 <= cell.column < side and 0 <= cell.row < side

    def zone_of(self, grid: Cell) -> Cell:
        """Return the zone that contains a grid."""
        ratio = self._sides[GRID] // self._sides[ZONE]
        return Cell(ZONE, grid.column // ratio, grid.row // ratio)

    def centre(self, cell: Cell) -> Position:
        """Return the centre of a cell."""
        width_m, height_m = self._size_m(cell.level)
        return Position((cell.column + 0.5) * width_m, (cell.row + 0.5) * height_m)

    def outside_m(self, cell: Cell, at: Position) -> float:
        """Return the distance of a position from a cell, in metres; 0 inside."""
        (width_m, height_m), centre = self._size_m(cell.level), self.centre(cell)
        aside_m, above_m = abs(at.x_m - centre.x_m) - width_m / 2, abs(at.y_m - centre.y_m) - height_m / 2
        return hypot(max(aside_m, 0.0), max(above_m, 0.0))

    def off_centre(self, cell: Cell, at: Position) -> float:
        """Return the distance of a position from a cell's centre, as a share of that of its corners."""
        (width_m, height_m), centre = self._size_m(cell.level), self.centre(cell)
        return hypot(at.x_m - centre.x_m, at.y_m - centre.y_m) / hypot(width_m / 2, height_m / 2)

    def zones(self) -> Iterator[Cell]:
        """Return all zones."""
        side = self._sides[ZONE]
        return (Cell(ZONE, column, row) for column in range(side) for row in range(side))

    def neighbours(self, zone: Cell) -> Iterator[Cell]:
        """Return the zones that touch a zone, be it at a corner."""
        return (other for other in self.zones() if self.distance(zone, other) == 1)

    def distance(self, zone: Cell, other: Cell) -> int:
        """Return how many zones one is from another: 1 for neighbours, corners included."""
        return max(abs(other.column - zone.column), abs(other.row - zone.row))

    def _size_m(self, level: int) -> tuple[float, float]:
        side = self._sides[level]
        return self._width_m / side, self._height_m / side
