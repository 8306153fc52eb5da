"""Positions of nodes at a given time, and which nodes sense a sender. Movement is evaluated at each frame's exact time.

Nodes are sorted into grid cells occasionally. Between two sortings nobody jumps, and nobody moves farther than a slack
that the cell size allows for, so every node that senses a sender is in the sender's cell or a neighbouring one. Where
only contacts were recorded, and no positions, the nodes in contact with a sender sense it.
"""

from typing import Any

import numpy as np

from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.radio import IN_CONTACT

CELLS_FEW = 9
"""With this few cells nearly all nodes are in neighbouring ones, so checking all is faster than sorting those found."""


@compiled
def _move(state: Any, node: int, at_s: float) -> None:
    """Advance a node to the leg it is on at a time; times never run backwards."""
    legs, offsets, time_s, x_m, y_m = state.legs, state.offsets, state.time_s, state.x_m, state.y_m
    while legs[node].leg_end_s <= at_s:
        point = legs[node].point + 1
        legs[node].point = point
        legs[node].leg_start_s = time_s[point]
        legs[node].x_m = x_m[point]
        legs[node].y_m = y_m[point]
        if point + 1 < offsets[node + 1]:
            elapsed_s = time_s[point + 1] - time_s[point]
            legs[node].leg_end_s = time_s[point + 1]
            if elapsed_s > 0:
                legs[node].x_mps = (x_m[point + 1] - x_m[point]) / elapsed_s
                legs[node].y_mps = (y_m[point + 1] - y_m[point]) / elapsed_s
        else:
            legs[node].leg_end_s = np.inf
            legs[node].x_mps = 0.0
            legs[node].y_mps = 0.0


@compiled
def locate(state: Any, node: int, at_s: float) -> tuple[float, float, float, float]:
    """Return a node's position and velocity at a time."""
    legs = state.legs
    if legs[node].leg_end_s <= at_s:
        _move(state, node, at_s)
    passed_s = max(0.0, at_s - legs[node].leg_start_s)
    moving = at_s >= legs[node].leg_start_s
    return (
        legs[node].x_m + legs[node].x_mps * passed_s,
        legs[node].y_m + legs[node].y_mps * passed_s,
        legs[node].x_mps if moving else 0.0,
        legs[node].y_mps if moving else 0.0,
    )


@compiled
def _column(medium: Any, x_m: float) -> Any:
    return min(max(np.int64(x_m / medium.cell_m), 0), medium.columns - 1)


@compiled
def _row(medium: Any, y_m: float) -> Any:
    return min(max(np.int64(y_m / medium.cell_m), 0), medium.rows - 1)


@compiled
def _sort_into_cells(state: Any, medium: Any, at_s: float) -> None:
    """Sort the nodes by cell, with a counting sort."""
    starts, members = state.cell_starts, state.cell_nodes
    count = medium.nodes
    cells = state.heard  # not in use yet, so it serves as scratch space
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
    """Return the first of the sorted times that is later than ``at_s``, or infinity."""
    first, last = 0, len(jumps_s)
    while first < last:
        middle = (first + last) >> 1
        if jumps_s[middle] <= at_s:
            first = middle + 1
        else:
            last = middle
    return float(jumps_s[first]) if first < len(jumps_s) else np.inf


@compiled
def _find_in_contact(state: Any, sender: int, at_s: float) -> int:
    """Write the nodes in contact with the sender into ``heard``, in order of their numbers; return how many there are.

    Times never run backwards, so each contact enters and leaves the list of running ones once, however many frames are
    sent.
    """
    lists, contacts, found, distances_m2 = state.contact_lists, state.contacts, state.heard, state.distances_m2
    first, current = lists[sender].first, lists[sender].current
    while lists[sender].next < lists[sender].end and contacts[lists[sender].next].start_s <= at_s:
        contacts[first + current].current = lists[sender].next
        lists[sender].next += 1
        current += 1
    count = 0
    for slot in range(current):
        contact = contacts[first + slot].current
        if contacts[contact].end_s <= at_s:
            continue
        contacts[first + count].current = contact
        node = contacts[contact].other
        index = count
        while index > 0 and found[index - 1] > node:
            found[index] = found[index - 1]
            index -= 1
        found[index] = node
        distances_m2[count] = 0.0
        count += 1
    lists[sender].current = count
    return count


@compiled
def _distance_m2(state: Any, node: int, at_s: float, x_m: float, y_m: float) -> Any:
    """Return the square of a node's distance from a point."""
    legs = state.legs
    if legs[node].leg_end_s <= at_s:
        _move(state, node, at_s)
    passed_s = max(0.0, at_s - legs[node].leg_start_s)
    dx_m = legs[node].x_m + legs[node].x_mps * passed_s - x_m
    dy_m = legs[node].y_m + legs[node].y_mps * passed_s - y_m
    return dx_m * dx_m + dy_m * dy_m


@compiled
def _find_among_all(state: Any, medium: Any, sender: int, at_s: float, x_m: float, y_m: float) -> int:
    """Do what ``find_sensing`` does by checking every node; this yields them in the required order."""
    found, distances_m2, reach_m2 = state.heard, state.distances_m2, state.nodes[sender].sense_m2
    count = 0
    for node in range(medium.nodes):
        distance_m2 = _distance_m2(state, node, at_s, x_m, y_m)
        found[count] = node  # overwritten by the next unless it is counted; a branch would be a guess, often wrong
        distances_m2[count] = distance_m2
        count += (distance_m2 <= reach_m2) & (node != sender)
    return count


@compiled
def find_sensing(state: Any, medium: Any, sender: int, at_s: float) -> int:
    """Write the nodes that sense the sender into ``heard``, in order of their numbers; return how many there are."""
    if medium.law == IN_CONTACT:
        return _find_in_contact(state, sender, at_s)
    # ``sorted_at_s`` is NaN before the first sorting, which makes this comparison false and sorts too.
    if not medium.speed_max_mps * (at_s - medium.sorted_at_s) <= medium.slack_m or at_s >= medium.next_jump_s:
        _sort_into_cells(state, medium, at_s)
    x_m, y_m, _, _ = locate(state, sender, at_s)
    if medium.columns * medium.rows <= CELLS_FEW:
        return _find_among_all(state, medium, sender, at_s, x_m, y_m)
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
                slot = count
                while slot > 0 and found[slot - 1] > node:
                    found[slot] = found[slot - 1]
                    distances_m2[slot] = distances_m2[slot - 1]
                    slot -= 1
                found[slot] = node
                distances_m2[slot] = distance_m2
                count += 1
    return count
