"""Where nodes are at a time, and who is near: movement is evaluated at the frame's own time, not on a grid of times.

Nodes are sorted into cells now and then; between two sortings they have moved by no more than a slack that the cells
allow for, so whoever senses a node is in its own or a neighbouring cell.
"""

from typing import Any

import numpy as np

from roamcast.sim.medium.compiled import kernel


@kernel
def _move(state: Any, node: int, at_s: float) -> None:
    """Bring a node's current leg up to a time; times never run backwards."""
    places, offsets, time_s, x_m, y_m = state.places, state.offsets, state.time_s, state.x_m, state.y_m
    while places[node].leg_end_s <= at_s:
        point = places[node].point + 1
        places[node].point = point
        places[node].leg_start_s = time_s[point]
        places[node].x_m = x_m[point]
        places[node].y_m = y_m[point]
        if point + 1 < offsets[node + 1]:
            elapsed_s = time_s[point + 1] - time_s[point]
            places[node].leg_end_s = time_s[point + 1]
            if elapsed_s > 0:
                places[node].x_mps = (x_m[point + 1] - x_m[point]) / elapsed_s
                places[node].y_mps = (y_m[point + 1] - y_m[point]) / elapsed_s
        else:
            places[node].leg_end_s = np.inf
            places[node].x_mps = 0.0
            places[node].y_mps = 0.0


@kernel
def locate(state: Any, node: int, at_s: float) -> tuple[float, float, float, float]:
    """Return a node's place and velocity at a time."""
    places = state.places
    if places[node].leg_end_s <= at_s:
        _move(state, node, at_s)
    passed_s = max(0.0, at_s - places[node].leg_start_s)
    moving = at_s >= places[node].leg_start_s
    return (
        places[node].x_m + places[node].x_mps * passed_s,
        places[node].y_m + places[node].y_mps * passed_s,
        places[node].x_mps if moving else 0.0,
        places[node].y_mps if moving else 0.0,
    )


@kernel
def _column(medium: Any, x_m: float) -> Any:
    return min(max(np.int64(x_m / medium.cell_m), 0), medium.columns - 1)


@kernel
def _row(medium: Any, y_m: float) -> Any:
    return min(max(np.int64(y_m / medium.cell_m), 0), medium.rows - 1)


@kernel
def _sort_into_cells(state: Any, medium: Any, at_s: float) -> None:
    """Sort the nodes by the cell that they are in, by counting."""
    starts, members = state.cell_starts, state.cell_nodes
    count = len(state.nodes)
    cells = np.empty(count, np.int64)
    starts[:] = 0
    for node in range(count):
        x_m, y_m, _, _ = locate(state, node, at_s)
        cells[node] = _row(medium, y_m) * medium.columns + _column(medium, x_m)
        starts[cells[node] + 1] += 1
    for cell in range(len(starts) - 1):
        starts[cell + 1] += starts[cell]
    filled = starts[:-1].copy()
    for node in range(count):
        members[filled[cells[node]]] = node
        filled[cells[node]] += 1
    medium.sorted_at_s = at_s


@kernel
def find_sensing(state: Any, medium: Any, sender: int, at_s: float) -> int:
    """Write the nodes that sense the sender into ``heard``, in order of number; return how many."""
    if not medium.speed_max_mps * (at_s - medium.sorted_at_s) <= medium.slack_m:  # also before the first time: NaN
        _sort_into_cells(state, medium, at_s)
    places, found, distances_m2 = state.places, state.heard, state.distances_m2
    x_m, y_m, _, _ = locate(state, sender, at_s)
    column, row = _column(medium, x_m), _row(medium, y_m)
    reach_m2 = state.nodes[sender].sense_m2
    count = 0
    for cell_row in range(max(row - 1, 0), min(row + 2, medium.rows)):
        first = cell_row * medium.columns + max(column - 1, 0)
        last = cell_row * medium.columns + min(column + 1, medium.columns - 1)
        for index in range(state.cell_starts[first], state.cell_starts[last + 1]):
            node = state.cell_nodes[index]
            if places[node].leg_end_s <= at_s:
                _move(state, node, at_s)
            passed_s = max(0.0, at_s - places[node].leg_start_s)
            dx_m = places[node].x_m + places[node].x_mps * passed_s - x_m
            dy_m = places[node].y_m + places[node].y_mps * passed_s - y_m
            distance_m2 = dx_m * dx_m + dy_m * dy_m
            if distance_m2 <= reach_m2 and node != sender:
                place = count
                while place > 0 and found[place - 1] > node:
                    found[place] = found[place - 1]
                    distances_m2[place] = distances_m2[place - 1]
                    place -= 1
                found[place] = node
                distances_m2[place] = distance_m2
                count += 1
    return count
