"""Where the neighbours of a geographic router are, in an array that compiled functions look through.

With every packet a router goes through all of its neighbours, round a void through all pairs of them. That would take
longer than everything else it does.

Planar graphs are as in Karp and Kung (MobiCom 2000), section 2.2: an edge stays if no other neighbour stands against
it. Distances are compared squared, so that whole coordinates give exact answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from roamcast.core.compiled import Compiler
from roamcast.core.host import Position

_COMPILER = Compiler(__file__, ("roamcast.routing.gpsr",))
ROWS = 32
"""How many neighbours there is room for at first; the room doubles as it is needed."""
COLUMNS = 3
"""x and y in metres, and when it was heard."""


class Neighbours(Mapping[int, Position]):
    """The neighbours' places as they were heard last: a mapping from nodes to places, the first one heard first."""

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
        return self._place(self._slots[node])

    def hear(self, node: int, place: Position, now_s: float) -> None:
        """Note where a neighbour is."""
        slot = self._slots.get(node)
        if slot is None:
            slot = self._slots[node] = len(self._nodes)
            self._nodes.append(node)
            if slot == len(self._rows):
                self._make_room(2 * slot)
        values, first = self._values, COLUMNS * slot
        values[first], values[first + 1], values[first + 2] = place[0], place[1], now_s

    def forget(self, node: int) -> None:
        """Forget a neighbour, if it is one."""
        if node not in self._slots:
            return
        slot, count = self._slots[node], len(self._nodes)
        del self._nodes[slot]
        self._rows[slot : count - 1] = self._rows[slot + 1 : count]
        self._slots = {other: place for place, other in enumerate(self._nodes)}

    def oldest(self) -> tuple[int, float] | None:
        """Return who was heard longest ago, and when."""
        if not self._nodes:
            return None
        slot = _oldest(self._rows, len(self._nodes))
        return self._nodes[slot], self._values[COLUMNS * slot + 2]

    def nearest(self, target: Position, than_m2: float) -> int | None:
        """Return the neighbour nearest to a place, if it is nearer than a distance, given squared."""
        slot = _nearest(self._rows, len(self._nodes), target[0], target[1], than_m2)
        return None if slot < 0 else self._nodes[slot]

    def relative(self, here: Position) -> dict[int, Position]:
        """Return the neighbours that no other one is nearer to than the edge is long, at both of its ends."""
        return self._kept(_relative(self._rows, len(self._nodes), here[0], here[1], self._scratch))

    def gabriel(self, here: Position) -> dict[int, Position]:
        """Return the neighbours with which the disc on the edge as its diameter holds nobody, its rim included.

        With the rim, the diagonals of a square go, which would cross; a node in the same place as an end is no witness.
        """
        return self._kept(_gabriel(self._rows, len(self._nodes), here[0], here[1], self._scratch))

    def _kept(self, count: int) -> dict[int, Position]:
        return {self._nodes[slot]: self._place(slot) for slot in self._scratch[:count].tolist()}

    def _place(self, slot: int) -> Position:
        return Position(self._values[COLUMNS * slot], self._values[COLUMNS * slot + 1])

    def _make_room(self, count: int) -> None:
        rows: Any = np.zeros((count, COLUMNS))
        rows[: len(self._rows)] = self._rows
        self._rows = rows
        self._values = memoryview(rows).cast("B").cast("d")  # a number is written much faster through this
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
