"""The positions of a geographic router's neighbours, in an array that compiled functions search.

For every packet a router goes through all its neighbours, and around a void through all pairs of them. In plain Python
that would take longer than everything else it does.

Planar graphs are those of Karp and Kung (MobiCom 2000), section 2.2: an edge stays unless another neighbour is a
witness against it. Distances are compared squared, so that integer coordinates give exact answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from roamcast.core.compiled import Compiler
from roamcast.core.host import Position

_COMPILER = Compiler("roamcast.routing.gpsr")
ROWS = 32
"""The initial number of rows; it doubles when needed."""
COLUMNS = 3
"""The columns: x and y in metres, and when the neighbour was heard."""


class Neighbours(Mapping[int, Position]):
    """The last known positions of the neighbours: a mapping from nodes to positions, in the order first heard."""

    def __init__(self) -> None:
        self._slots: dict[int, int] = {}
        self._nodes: list[int] = []
        self._rows: Any = np.zeros((0, COLUMNS))
        self._make_room(ROWS)

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[int]:
        return iter(self._slots)

    def __contains__(self, node: object) -> bool:
        return node in self._slots

    def __getitem__(self, node: int) -> Position:
        return self._position(self._slots[node])

    def hear(self, node: int, position: Position, now_s: float) -> None:
        """Record a neighbour's position."""
        slot = self._slots.get(node)
        if slot is None:
            slot = self._slots[node] = len(self._nodes)
            self._nodes.append(node)
            if slot == len(self._rows):
                self._make_room(2 * slot)
        values, first = self._values, COLUMNS * slot
        values[first], values[first + 1], values[first + 2] = position[0], position[1], now_s

    def forget(self, node: int) -> None:
        """Forget a neighbour, if it is one."""
        if node not in self._slots:
            return
        slot, count = self._slots[node], len(self._nodes)
        del self._nodes[slot]
        self._rows[slot : count - 1] = self._rows[slot + 1 : count]
        self._slots = {other: index for index, other in enumerate(self._nodes)}

    def oldest(self) -> tuple[int, float] | None:
        """Return the neighbour heard longest ago, and when."""
        if not self._nodes:
            return None
        slot = _oldest(self._rows, len(self._nodes))
        return self._nodes[slot], self._values[COLUMNS * slot + 2]

    def nearest(self, target: Position, than_m2: float) -> int | None:
        """Return the neighbour nearest to a target, if it is nearer than a given squared distance."""
        slot = _nearest(self._rows, len(self._nodes), target[0], target[1], than_m2)
        return None if slot < 0 else self._nodes[slot]

    def relative(self, here: Position) -> dict[int, Position]:
        """Return the neighbours on edges of the relative neighbourhood graph: no witness is nearer to both ends."""
        return self._kept(_relative(self._rows, len(self._nodes), here[0], here[1], self._scratch))

    def gabriel(self, here: Position) -> dict[int, Position]:
        """Return the neighbours on edges of the Gabriel graph: the disc on the edge, its rim included, holds no node.

        Including the rim removes the diagonals of a square, which would cross; a node at the position of an end is no
        witness.
        """
        return self._kept(_gabriel(self._rows, len(self._nodes), here[0], here[1], self._scratch))

    def _kept(self, count: int) -> dict[int, Position]:
        return {self._nodes[slot]: self._position(slot) for slot in self._scratch[:count].tolist()}

    def _position(self, slot: int) -> Position:
        return Position(self._values[COLUMNS * slot], self._values[COLUMNS * slot + 1])

    def _make_room(self, count: int) -> None:
        rows: Any = np.zeros((count, COLUMNS))
        rows[: len(self._rows)] = self._rows
        self._rows = rows
        self._values = memoryview(rows).cast("B").cast("d")  # writing a number through this is much faster
        self._scratch = np.zeros(count, np.int64)


@_COMPILER.compile
def _oldest(rows: Any, count: int) -> int:
    oldest = 0
    for slot in range(1, count):
        if rows[slot, 2] < rows[oldest, 2]:
            oldest = slot
    return oldest


@_COMPILER.compile
def _nearest(rows: Any, count: int, x_m: float, y_m: float, than_m2: float) -> int:
    nearest, nearest_m2 = -1, than_m2
    for slot in range(count):
        away_m2 = _squared_m2(rows[slot, 0], rows[slot, 1], x_m, y_m)
        if away_m2 < nearest_m2:
            nearest, nearest_m2 = slot, away_m2
    return nearest


@_COMPILER.compile
def _relative(rows: Any, count: int, x_m: float, y_m: float, kept: Any) -> int:
    found = 0
    for slot in range(count):
        edge_m2 = _squared_m2(rows[slot, 0], rows[slot, 1], x_m, y_m)
        for other in range(count):
            if (
                _squared_m2(rows[other, 0], rows[other, 1], x_m, y_m) < edge_m2
                and _squared_m2(rows[other, 0], rows[other, 1], rows[slot, 0], rows[slot, 1]) < edge_m2
            ):
                break
        else:
            kept[found] = slot
            found += 1
    return found


@_COMPILER.compile
def _gabriel(rows: Any, count: int, x_m: float, y_m: float, kept: Any) -> int:
    found = 0
    for slot in range(count):
        edge_m2 = _squared_m2(rows[slot, 0], rows[slot, 1], x_m, y_m)
        for other in range(count):
            here_m2 = _squared_m2(rows[other, 0], rows[other, 1], x_m, y_m)
            there_m2 = _squared_m2(rows[other, 0], rows[other, 1], rows[slot, 0], rows[slot, 1])
            if here_m2 + there_m2 <= edge_m2 and here_m2 > 0.0 and there_m2 > 0.0:
                break
        else:
            kept[found] = slot
            found += 1
    return found


@_COMPILER.compile
def _squared_m2(x_m: float, y_m: float, other_x_m: float, other_y_m: float) -> float:
    return (x_m - other_x_m) * (x_m - other_x_m) + (y_m - other_y_m) * (y_m - other_y_m)
