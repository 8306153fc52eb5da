"""Reading ns-2's movement scripts, as CMU's ``setdest`` writes them, and the hop counts that they contain.

``$node_(i) set X_ x`` sets a node's initial position, ``$ns_ at t "$node_(i) setdest x y v"`` sends it to a point at a
speed, from wherever it is then; a speed of 0 stops it. Only these lines are understood: the rest of a script (agents,
traces) is not about movement and is skipped. ``$god_ set-dist i j hops`` gives the number of hops between two nodes
with a range of 250 m, from its time on; ``read_hops`` returns these.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, sqrt

import pyarrow as pa

from roamcast.core.errors import UserError
from roamcast.recordings.numerals import as_number
from roamcast.recordings.row_tables import COORDINATE_M_MAX, MovementRows, Report, row_problem
from roamcast.recordings.source_files import Piece, lines

UNREACHABLE = 16_777_215
"""The hop count that ``set-dist`` gives for nodes without a path between them."""

_NUMBER = r"([-+0-9.eEnainfNAINF]+)"
_POSITION = re.compile(r"\$node_\(([0-9]+)\)\s+set\s+([XYZ])_\s+(\S+)$")
_SETDEST = re.compile(rf'\$ns_\s+at\s+(\S+)\s+"\$node_\(([0-9]+)\)\s+setdest\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}"')
_MOVES = re.compile(r"\$node_\(\d+\)\s+(set\s+[XY]_|setdest)")
_HOPS = re.compile(r"\$god_\s+set-dist\s+(\d+)\s+(\d+)\s+(\d+)")
_AT = re.compile(r"\$ns_\s+at\s+(\S+)")


@dataclass(slots=True)
class _Node:
    x_m: float = 0.0
    y_m: float = 0.0
    placed_at: int = 0
    """The line that sets its initial position; 0: none does."""
    points: list[tuple[float, float, float, int]] = field(default_factory=list)
    """(time, x, y, line); the last is its destination."""
    sent_s: float = -inf
    """The time of its last ``setdest``."""


def read_setdest(piece: Piece, report: Report) -> Iterator[pa.Table]:
    """Yield the points that the nodes of a script pass; a node without an initial position is broken."""
    nodes: dict[int, _Node] = {}
    for number, text in lines(piece.path):
        report.lines = number
        if text.startswith("#") or not _MOVES.search(text):
            continue
        try:
            if not _read_line(nodes, number, text):
                report.skip(number, "is neither a position nor a setdest with three numbers")
        except ValueError as error:
            report.skip(number, str(error))
    if not nodes:
        raise UserError(f"{piece.path}: sets no node's position; lines such as '$node_(0) set X_ 10.0' are expected")
    rows = MovementRows(report)
    for name, node in sorted(nodes.items()):
        for time_s, x_m, y_m, number in node.points or [(0.0, node.x_m, node.y_m, node.placed_at)]:
            rows.add(number, str(name), time_s, x_m, y_m)
        yield from rows.tables()
    yield from rows.tables(final=True)


def _read_line(nodes: dict[int, _Node], number: int, text: str) -> bool:
    """Act on a line; return False if it does not move a node."""
    if position := _POSITION.match(text):
        name, axis, value = int(position[1]), position[2], _finite(position[3])
        if abs(value) > COORDINATE_M_MAX:
            raise ValueError(f"the position {value:g} must be at most {COORDINATE_M_MAX:g} m")
        node = nodes.setdefault(name, _Node())
        node.placed_at = node.placed_at or number
        if axis == "X":
            node.x_m = value
        elif axis == "Y":
            node.y_m = value
        return True
    move = _SETDEST.match(text)
    if move is None:
        return False
    time_s, x_m, y_m, speed_mps = (_finite(move[group]) for group in (1, 3, 4, 5))
    if int(move[2]) not in nodes:
        raise ValueError(f"node {move[2]} has no position yet")
    if speed_mps < 0:
        raise ValueError(f"the speed {speed_mps:g} is negative")
    reason = row_problem("node", time_s, x_m, y_m, is_geographic=False)
    if reason:
        raise ValueError(reason)
    _send(nodes[int(move[2])], time_s, x_m, y_m, speed_mps, number)
    return True


def _send(node: _Node, time_s: float, x_m: float, y_m: float, speed_mps: float, number: int) -> None:
    """Send a node, from its position at a time, to a point."""
    points = node.points or [(min(0.0, time_s), node.x_m, node.y_m, node.placed_at)]
    if time_s < node.sent_s:
        raise ValueError(f"the time {time_s:.12g} is before {node.sent_s:.12g}, when the node was last sent")
    here_x_m, here_y_m = _position(points, time_s)
    while points and points[-1][0] >= time_s:  # it has not arrived there, and never will
        points.pop()
    points.append((time_s, here_x_m, here_y_m, number))
    away_m = sqrt((x_m - here_x_m) ** 2 + (y_m - here_y_m) ** 2)
    if speed_mps > 0 and away_m > 0:
        points.append((time_s + away_m / speed_mps, x_m, y_m, number))
    node.points, node.sent_s = points, time_s


def _position(points: list[tuple[float, float, float, int]], time_s: float) -> tuple[float, float]:
    """Return a node's position; its points are known up to its destination."""
    last_s, last_x_m, last_y_m, _ = points[-1]
    if time_s >= last_s or len(points) == 1:
        return last_x_m, last_y_m
    from_s, from_x_m, from_y_m, _ = points[-2]
    done = (time_s - from_s) / (last_s - from_s)
    return from_x_m + (last_x_m - from_x_m) * done, from_y_m + (last_y_m - from_y_m) * done


def _finite(text: str) -> float:
    value = as_number(text)
    if not abs(value) < float("inf"):
        raise ValueError(f"{text[:40]} is not a finite number")
    return value


def read_hops(path: str) -> list[tuple[float, int, int, int | None]]:
    """Return rows of time, two nodes and the number of hops between them from then on; None: there is no path."""
    found = []
    for _, text in lines(path):
        hops = _HOPS.search(text)
        if hops and not text.startswith("#"):
            at = _AT.match(text)
            count = int(hops[3])
            time_s = float(at[1]) if at else 0.0
            found.append((time_s, int(hops[1]), int(hops[2]), None if count >= UNREACHABLE else count))
    return sorted(found, key=lambda row: row[0])
