"""ns-2's movement scripts, as CMU's ``setdest`` writes them, and the oracle that they carry.

``$node_(i) set X_ x`` places a node, ``$ns_ at t "$node_(i) setdest x y v"`` sends it to a place at a speed, from
wherever it is then; a speed of 0 stops it. Only these lines are understood: the rest of a script (agents, traces) says
nothing about movement and is passed over. ``$god_ set-dist i j hops`` says how many hops apart two nodes are with
a range of 250 m, from its time on; ``read_hops`` returns it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, sqrt

import pyarrow as pa

from roamcast.core.errors import UserError
from roamcast.recordings.numerals import as_number
from roamcast.recordings.row_tables import COORDINATE_M_MAX, MovementRows, Report, misplaced
from roamcast.recordings.source_files import Piece, lines

UNREACHABLE = 16_777_215
"""What ``set-dist`` says of nodes without a path between them."""

_NUMBER = r"([-+0-9.eEnainfNAINF]+)"
_PLACE = re.compile(r"\$node_\(([0-9]+)\)\s+set\s+([XYZ])_\s+(\S+)$")
_SETDEST = re.compile(rf'\$ns_\s+at\s+(\S+)\s+"\$node_\(([0-9]+)\)\s+setdest\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}"')
_MOVES = re.compile(r"\$node_\(\d+\)\s+(set\s+[XY]_|setdest)")
_HOPS = re.compile(r"\$god_\s+set-dist\s+(\d+)\s+(\d+)\s+(\d+)")
_AT = re.compile(r"\$ns_\s+at\s+(\S+)")


@dataclass(slots=True)
class _Node:
    x_m: float = 0.0
    y_m: float = 0.0
    placed_at: int = 0
    """The line that placed it; 0: none has."""
    points: list[tuple[float, float, float, int]] = field(default_factory=list)
    """(time, x, y, line); the last is where it is going."""
    sent_s: float = -inf
    """When it was last sent."""


def read_setdest(piece: Piece, report: Report) -> Iterator[pa.Table]:
    """Yield the points that the nodes of a script pass; a node without a place is broken."""
    nodes: dict[int, _Node] = {}
    for number, text in lines(piece.path):
        report.lines = number
        if text.startswith("#") or not _MOVES.search(text):
            continue
        try:
            if not _take(nodes, number, text):
                report.skip(number, "is neither a place nor a setdest with three numbers")
        except ValueError as error:
            report.skip(number, str(error))
    if not nodes:
        raise UserError(f"{piece.path}: places no node; lines such as '$node_(0) set X_ 10.0' are expected")
    rows = MovementRows(report)
    for name, node in sorted(nodes.items()):
        for time_s, x_m, y_m, number in node.points or [(0.0, node.x_m, node.y_m, node.placed_at)]:
            rows.add(number, str(name), time_s, x_m, y_m)
        yield from rows.taken()
    yield from rows.taken(whole=True)


def _take(nodes: dict[int, _Node], number: int, text: str) -> bool:
    """Act on a line; False: it is not one that moves a node."""
    if place := _PLACE.match(text):
        name, axis, value = int(place[1]), place[2], _finite(place[3])
        if abs(value) > COORDINATE_M_MAX:
            raise ValueError(f"the place {value:g} must be at most {COORDINATE_M_MAX:g} m")
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
        raise ValueError(f"node {move[2]} has no place yet")
    if speed_mps < 0:
        raise ValueError(f"the speed {speed_mps:g} is negative")
    reason = misplaced("node", time_s, x_m, y_m, is_geographic=False)
    if reason:
        raise ValueError(reason)
    _send(nodes[int(move[2])], time_s, x_m, y_m, speed_mps, number)
    return True


def _send(node: _Node, time_s: float, x_m: float, y_m: float, speed_mps: float, number: int) -> None:
    """Turn a node, wherever it is at a time, towards a place."""
    points = node.points or [(min(0.0, time_s), node.x_m, node.y_m, node.placed_at)]
    if time_s < node.sent_s:
        raise ValueError(f"the time {time_s:.12g} is before {node.sent_s:.12g}, when the node was last sent")
    here_x_m, here_y_m = _place(points, time_s)
    while points and points[-1][0] >= time_s:  # it has not come there, and never will
        points.pop()
    points.append((time_s, here_x_m, here_y_m, number))
    away_m = sqrt((x_m - here_x_m) ** 2 + (y_m - here_y_m) ** 2)
    if speed_mps > 0 and away_m > 0:
        points.append((time_s + away_m / speed_mps, x_m, y_m, number))
    node.points, node.sent_s = points, time_s


def _place(points: list[tuple[float, float, float, int]], time_s: float) -> tuple[float, float]:
    """Return where a node is; its points are known up to where it is going."""
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
    """Return the oracle: from when on which two nodes are how many hops apart; None: there is no path."""
    found = []
    for _, text in lines(path):
        hops = _HOPS.search(text)
        if hops and not text.startswith("#"):
            at = _AT.match(text)
            count = int(hops[3])
            time_s = float(at[1]) if at else 0.0
            found.append((time_s, int(hops[1]), int(hops[2]), None if count >= UNREACHABLE else count))
    return sorted(found, key=lambda each: each[0])
