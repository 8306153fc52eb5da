"""The geometry of GPSR: the right-hand rule, and where an edge crosses a line.

Karp and Kung (MobiCom 2000), sections 2.2 to 2.4. Distances are compared squared, and angles are computed from cross
and dot products, so that integer coordinates give exact answers. ``gpsr.neighbours`` decides which edges are planar.
"""

from collections.abc import Mapping
from math import atan2, pi

from roamcast.core.host import Position

COORDINATE_M_MAX = 1e9
"""Coordinates at or beyond this, or not a number, are nonsense, in metres; a recorded movement puts nodes that do not
exist yet there. Squares of smaller ones can be computed safely."""


def is_sound_position(position: Position) -> bool:
    """Tell whether a position is plausible."""
    limit_m = COORDINATE_M_MAX
    return -limit_m < position.x_m < limit_m and -limit_m < position.y_m < limit_m


def squared_m2(one: Position, other: Position) -> float:
    """Return the squared distance between two positions."""
    x_m, y_m = one.x_m - other.x_m, one.y_m - other.y_m
    return x_m * x_m + y_m * y_m


def next_counterclockwise(here: Position, start: Position, positions: Mapping[int, Position]) -> int | None:
    """Return the node met first when turning counterclockwise from the direction of ``start``, itself coming last."""
    x_m, y_m = start.x_m - here.x_m, start.y_m - here.y_m
    first, smallest = None, 7.0
    for node, position in positions.items():
        other_x_m, other_y_m = position.x_m - here.x_m, position.y_m - here.y_m
        turn = atan2(x_m * other_y_m - y_m * other_x_m, x_m * other_x_m + y_m * other_y_m)
        if turn <= 0.0:
            turn += 2.0 * pi
        if turn < smallest:
            first, smallest = node, turn
    return first


def crossing(start: Position, end: Position, one: Position, other: Position) -> Position | None:
    """Return the point where the segment from ``start`` to ``end`` is crossed by another segment, or None."""
    x_m, y_m = end.x_m - start.x_m, end.y_m - start.y_m
    edge_x_m, edge_y_m = other.x_m - one.x_m, other.y_m - one.y_m
    area_m2 = x_m * edge_y_m - y_m * edge_x_m
    if area_m2 == 0.0:
        return None
    to_x_m, to_y_m = one.x_m - start.x_m, one.y_m - start.y_m
    along = (to_x_m * edge_y_m - to_y_m * edge_x_m) / area_m2
    along_edge = (to_x_m * y_m - to_y_m * x_m) / area_m2
    if not (0.0 <= along <= 1.0 and 0.0 <= along_edge <= 1.0):
        return None
    return Position(start.x_m + along * x_m, start.y_m + along * y_m)
