"""Where nodes are at a time, and who is near: movement is evaluated at the frame's own time, not on a grid of times.

Nodes are sorted into cells now and then; between two sortings they have moved by no more than a slack that the cells
allow for, and nobody has jumped, so whoever senses a node is in its own or a neighbouring cell. Where contacts were
recorded and places were not, those in contact with a node sense it.
"""

from typing import Any

import numpy as np

from roamcast.sim.dcf.jit import compiled
from roamcast.sim.radio import MEETING

CELLS_FEW = 9
"""With so few cells nearly all nodes are in neighbouring ones: to look at all is quicker than to sort what is found."""


@compiled
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


@compiled
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


@compiled
def _column(medium: Any, x_m: float) -> Any:
    return min(max(np.int64(x_m / medium.cell_m), 0), medium.columns - 1)


@compiled
def _row(medium: Any, y_m: float) -> Any:
    return min(max(np.int64(y_m / medium.cell_m), 0), medium.rows - 1)


@compiled
def _sort_into_cells(state: Any, medium: Any, at_s: float) -> None:
    """Sort the nodes by the cell that they are in, by counting."""
    starts, members = state.cell_starts, state.cell_nodes
    count = len(state.nodes)
    cells = state.heard  # nobody has been found yet, so there is room
    starts[:] = 0
    for node in range(count):
        x_m, y_m, _, _ = locate(state, node, at_s)
        cells[node] = _row(medium, y_m) * medium.columns + _column(medium, x_m)
        starts[cells[node] + 1] += 1
    for cell in range(len(starts) - 1):
        starts[cell + 1] += starts[cell]
    for node in range(count):
        members[starts[cells[node]]] = node
        starts[cells[node]] += 1
    for cell in range(len(starts) - 1, 0, -1):  # each start has become the next one's
        starts[cell] = starts[cell - 1]
    starts[0] = 0
    medium.sorted_at_s = at_s
    medium.next_jump_s = _next_jump_s(state.jumps_s, at_s)


@compiled
def _next_jump_s(jumps_s: Any, at_s: float) -> float:
    """Return the first of some times, which are in order, that is after another; infinity: there is none."""
    first, last = 0, len(jumps_s)
    while first < last:
        middle = (first + last) >> 1
        if jumps_s[middle] <= at_s:
            first = middle + 1
        else:
            last = middle
    return float(jumps_s[first]) if first < len(jumps_s) else np.inf


@compiled
def _find_met(state: Any, sender: int, at_s: float) -> int:
    """Write the nodes that are in contact with the sender into ``heard``, in order of number; return how many.

    Times never run backwards, so a contact is taken up once and left once, however often somebody asks.
    """
    contacts, met, found, distances_m2 = state.contacts, state.met, state.heard, state.distances_m2
    first, current = contacts[sender].first, contacts[sender].current
    while contacts[sender].next < contacts[sender].end and met[contacts[sender].next].start_s <= at_s:
        met[first + current].current = contacts[sender].next
        contacts[sender].next += 1
        current += 1
    count = 0
    for place in range(current):
        contact = met[first + place].current
        if met[contact].end_s <= at_s:
            continue
        met[first + count].current = contact
        node = met[contact].other
        at = count
        while at > 0 and found[at - 1] > node:
            found[at] = found[at - 1]
            at -= 1
        found[at] = node
        distances_m2[count] = 0.0
        count += 1
    contacts[sender].current = count
    return count


@compiled
def _distance_m2(state: Any, node: int, at_s: float, x_m: float, y_m: float) -> Any:
    """Return the square of a node's distance from a place."""
    places = state.places
    if places[node].leg_end_s <= at_s:
        _move(state, node, at_s)
    passed_s = max(0.0, at_s - places[node].leg_start_s)
    dx_m = places[node].x_m + places[node].x_mps * passed_s - x_m
    dy_m = places[node].y_m + places[node].y_mps * passed_s - y_m
    return dx_m * dx_m + dy_m * dy_m


@compiled
def _find_among_all(state: Any, sender: int, at_s: float, x_m: float, y_m: float) -> int:
    """Do what ``find_sensing`` does by a look at every node, which come in the order that is wanted."""
    found, distances_m2, reach_m2 = state.heard, state.distances_m2, state.nodes[sender].sense_m2
    count = 0
    for node in range(len(state.nodes)):
        distance_m2 = _distance_m2(state, node, at_s, x_m, y_m)
        if distance_m2 <= reach_m2 and node != sender:
            found[count] = node
            distances_m2[count] = distance_m2
            count += 1
    return count


@compiled
def find_sensing(state: Any, medium: Any, sender: int, at_s: float) -> int:
    """Write the nodes that sense the sender into ``heard``, in order of number; return how many."""
    if medium.law == MEETING:
        return _find_met(state, sender, at_s)
    # Also before the first time: then it is NaN.
    if not medium.speed_max_mps * (at_s - medium.sorted_at_s) <= medium.slack_m or at_s >= medium.next_jump_s:
        _sort_into_cells(state, medium, at_s)
    x_m, y_m, _, _ = locate(state, sender, at_s)
    if medium.columns * medium.rows <= CELLS_FEW:
        return _find_among_all(state, sender, at_s, x_m, y_m)
    found, distances_m2, reach_m2 = state.heard, state.distances_m2, state.nodes[sender].sense_m2
    column, row = _column(medium, x_m), _row(medium, y_m)
    count = 0
    for cell_row in range(max(row - 1, 0), min(row + 2, medium.rows)):
        first = cell_row * medium.columns + max(column - 1, 0)
        last = cell_row * medium.columns + min(column + 1, medium.columns - 1)
        for index in range(state.cell_starts[first], state.cell_starts[last + 1]):
            node = state.cell_nodes[index]
            distance_m2 = _distance_m2(state, node, at_s, x_m, y_m)
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
