"""The medium's inner loop, compiled by Numba: who hears a frame, who is busy, what collides.

All of it stands in one file on purpose: Numba's cache notices a change only in the file of the function itself.

One ``State`` holds every array; each node has at most one thing due (a frame is prepared, its access to the medium,
the end of its own frame), so the queue of events is a heap of nodes and never grows. Times are whole nanoseconds:
nodes that count down the same slots reach the same instant, and collide, without any tolerance.

Two rules of the radio, checked against ns-3 and a slow model in the tests:
a node locks on a frame that begins while it neither transmits nor is locked, or on a stronger one that begins before
the first is noticed; the frame is received if from its first to its last nanosecond the node does not transmit and the
other frames it senses stay weaker by the capture ratio (a disc has none: any overlap destroys).
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

from roamcast.sim.medium.state import (
    RECEIVED,
    RECEIVED_BYTES,
    SENT,
    SENT_BYTES,
    SENT_EVENTS,
    SENT_PAYLOAD_BYTES,
    State,
)
from roamcast.sim.radio import DISC

F = TypeVar("F", bound=Callable[..., Any])

NEVER = np.int64(2**62)
NONE = -1
POOL_EMPTY = -2
QUEUE_FULL = -3


def kernel(function: F) -> F:
    """Compile a function; where its file can be cached beside, later processes load it instead."""
    compile_: Any = njit
    try:
        compiled = compile_(cache=True, error_model="numpy")(function)
    except RuntimeError:  # imported from a zip file on a cluster's executor: there is no place for a cache
        compiled = compile_(error_model="numpy")(function)
    return cast(F, compiled)


@kernel
def make_state(
    medium: Any, nodes: Any, frames: Any, arrivals: Any, heap: Any, heard: Any, distances_m2: Any, traffic: Any,
    cell_starts: Any, cell_nodes: Any, offsets: Any, time_s: Any, x_m: Any, y_m: Any,
) -> Any:  # fmt: skip
    """Put the arrays together."""
    return State(
        medium, nodes, frames, arrivals, heap, heard, distances_m2, traffic,
        cell_starts, cell_nodes, offsets, time_s, x_m, y_m,
    )  # fmt: skip


# --- the heap of nodes by what is due next --------------------------------------------------------------------


@kernel
def _earlier(nodes: Any, one: int, other: int) -> bool:
    """Compare what is due: in one nanosecond frames end before others begin, then the lower number is first."""
    if nodes[one].due_ns != nodes[other].due_ns:
        return bool(nodes[one].due_ns < nodes[other].due_ns)
    if nodes[one].transmitting != nodes[other].transmitting:
        return bool(nodes[one].transmitting > nodes[other].transmitting)
    return one < other


@kernel
def _sift(nodes: Any, heap: Any, length: int, place: int) -> None:
    """Move the node at a place up or down to where it belongs."""
    node = heap[place]
    while place > 0:
        above = (place - 1) >> 1
        if not _earlier(nodes, node, heap[above]):
            break
        heap[place] = heap[above]
        nodes[heap[place]].place = place
        place = above
    while True:
        below = 2 * place + 1
        if below >= length:
            break
        if below + 1 < length and _earlier(nodes, heap[below + 1], heap[below]):
            below += 1
        if not _earlier(nodes, heap[below], node):
            break
        heap[place] = heap[below]
        nodes[heap[place]].place = place
        place = below
    heap[place] = node
    nodes[node].place = place


@kernel
def _set_due(medium: Any, nodes: Any, heap: Any, node: int, due_ns: int) -> None:
    """Make a node due at a time, whatever it was due for before."""
    if nodes[node].place == NONE:
        heap[medium.heap_length] = node
        nodes[node].place = medium.heap_length
        medium.heap_length += 1
    nodes[node].due_ns = due_ns
    _sift(nodes, heap, medium.heap_length, nodes[node].place)


@kernel
def _clear_due(medium: Any, nodes: Any, heap: Any, node: int) -> None:
    """Make a node due for nothing."""
    place = nodes[node].place
    if place == NONE:
        return
    nodes[node].place = NONE
    medium.heap_length -= 1
    last = heap[medium.heap_length]
    if last != node:
        heap[place] = last
        nodes[last].place = place
        _sift(nodes, heap, medium.heap_length, place)


# --- randomness: SplitMix64, one stream a node (Steele, Lea, Flood 2014) -------------------------------------


@kernel
def _draw(nodes: Any, node: int) -> Any:
    """Return 64 random bits of the node's own stream."""
    nodes[node].random += np.uint64(0x9E3779B97F4A7C15)
    bits = nodes[node].random
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def _draw_below(nodes: Any, node: int, limit: int) -> Any:
    """Return a random whole number from 0 to ``limit - 1``."""
    return np.int64((_draw(nodes, node) >> np.uint64(32)) % np.uint64(limit))


@kernel
def _mix(digest: Any, value: int) -> Any:
    """Fold a number into the trace's digest (FNV-1a, a word at a time)."""
    return (digest ^ np.uint64(value)) * np.uint64(0x100000001B3)


# --- places ---------------------------------------------------------------------------------------------------


@kernel
def _move(nodes: Any, node: int, at_s: float, offsets: Any, time_s: Any, x_m: Any, y_m: Any) -> None:
    """Bring a node's current leg up to a time; times never run backwards."""
    while nodes[node].leg_end_s <= at_s:
        point = nodes[node].point + 1
        nodes[node].point = point
        nodes[node].leg_start_s = time_s[point]
        nodes[node].x_m = x_m[point]
        nodes[node].y_m = y_m[point]
        if point + 1 < offsets[node + 1]:
            elapsed_s = time_s[point + 1] - time_s[point]
            nodes[node].leg_end_s = time_s[point + 1]
            if elapsed_s > 0:
                nodes[node].x_mps = (x_m[point + 1] - x_m[point]) / elapsed_s
                nodes[node].y_mps = (y_m[point + 1] - y_m[point]) / elapsed_s
        else:
            nodes[node].leg_end_s = np.inf
            nodes[node].x_mps = 0.0
            nodes[node].y_mps = 0.0


@kernel
def locate(state: Any, node: int, at_s: float) -> tuple[float, float, float, float]:
    """Return a node's place and velocity at a time."""
    nodes = state.nodes
    _move(nodes, node, at_s, state.offsets, state.time_s, state.x_m, state.y_m)
    passed_s = max(0.0, at_s - nodes[node].leg_start_s)
    moving = at_s >= nodes[node].leg_start_s
    return (
        nodes[node].x_m + nodes[node].x_mps * passed_s,
        nodes[node].y_m + nodes[node].y_mps * passed_s,
        nodes[node].x_mps if moving else 0.0,
        nodes[node].y_mps if moving else 0.0,
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
    nodes, starts, members = state.nodes, state.cell_starts, state.cell_nodes
    count = len(nodes)
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
    nodes, found, distances_m2 = state.nodes, state.heard, state.distances_m2
    x_m, y_m, _, _ = locate(state, sender, at_s)
    column, row = _column(medium, x_m), _row(medium, y_m)
    reach_m2 = medium.sense_m * medium.sense_m
    count = 0
    for cell_row in range(max(row - 1, 0), min(row + 2, medium.rows)):
        first = cell_row * medium.columns + max(column - 1, 0)
        last = cell_row * medium.columns + min(column + 1, medium.columns - 1)
        for index in range(state.cell_starts[first], state.cell_starts[last + 1]):
            node = state.cell_nodes[index]
            if node == sender:
                continue
            _move(nodes, node, at_s, state.offsets, state.time_s, state.x_m, state.y_m)
            passed_s = max(0.0, at_s - nodes[node].leg_start_s)
            dx_m = nodes[node].x_m + nodes[node].x_mps * passed_s - x_m
            dy_m = nodes[node].y_m + nodes[node].y_mps * passed_s - y_m
            distance_m2 = dx_m * dx_m + dy_m * dy_m
            if distance_m2 <= reach_m2:
                place = count
                while place > 0 and found[place - 1] > node:
                    found[place] = found[place - 1]
                    distances_m2[place] = distances_m2[place - 1]
                    place -= 1
                found[place] = node
                distances_m2[place] = distance_m2
                count += 1
    return count


# --- access to the medium: the DCF for broadcast frames ---------------------------------------------------------


@kernel
def _contend(medium: Any, nodes: Any, heap: Any, node: int, now_ns: int) -> None:
    """Find when a node with a frame may send, as far as can be known now; a busy medium leaves that open."""
    slots = max(nodes[node].slots, 0)
    ready_ns = max(now_ns, nodes[node].idle_since_ns + medium.difs_ns + slots * medium.slot_ns)
    if nodes[node].busy == 0 or ready_ns < nodes[node].busy_since_ns + medium.detection_ns:
        _set_due(medium, nodes, heap, node, ready_ns)
    elif nodes[node].slots == NONE:
        nodes[node].slots = _draw_below(nodes, node, medium.window + 1)


@kernel
def _freeze(medium: Any, nodes: Any, heap: Any, node: int, now_ns: int) -> None:
    """Stop a node's back-off since the medium has become busy; one that is about to send does not notice."""
    if nodes[node].contending and nodes[node].due_ns < now_ns + medium.detection_ns:
        return
    passed = max(0, (now_ns - nodes[node].idle_since_ns - medium.difs_ns) // medium.slot_ns)
    if nodes[node].contending:
        _clear_due(medium, nodes, heap, node)
        if nodes[node].slots == NONE:
            nodes[node].slots = _draw_below(nodes, node, medium.window + 1)
        else:
            nodes[node].slots = max(nodes[node].slots - passed, 0)
    elif nodes[node].slots - passed <= 0:
        nodes[node].slots = NONE
    else:
        nodes[node].slots -= passed
        # A frame that is queued before the other one is noticed counts on from here.
        nodes[node].idle_since_ns += passed * medium.slot_ns


@kernel
def enqueue(state: Any, node: int, size_bytes: int, kind: int, events: int, now_ns: int) -> Any:
    """Give a node a frame to send; return the frame's number, ``QUEUE_FULL`` or ``POOL_EMPTY``."""
    medium, nodes, frames = state.medium[0], state.nodes, state.frames
    if nodes[node].queue_length >= medium.queue_max:
        nodes[node].queue_drops += medium.measuring
        return QUEUE_FULL
    frame = medium.free_frame
    if frame == NONE:
        return POOL_EMPTY
    medium.free_frame = frames[frame].next
    frames[frame].bytes = size_bytes + medium.header_bytes
    frames[frame].airtime_ns = medium.preamble_ns + np.int64(np.ceil(frames[frame].bytes * medium.byte_ns))
    frames[frame].kind = kind
    frames[frame].events = events
    frames[frame].next = NONE
    if nodes[node].queue_length == 0:
        nodes[node].queue_head = frame
    else:
        frames[nodes[node].queue_tail].next = frame
    nodes[node].queue_tail = frame
    nodes[node].queue_length += 1
    if nodes[node].queue_length == 1:
        delay_ns = _draw_below(nodes, node, medium.processing_ns + 1)
        if delay_ns > 0:
            nodes[node].preparing = 1
            _set_due(medium, nodes, state.heap, node, now_ns + delay_ns)
        else:
            nodes[node].contending = 1
            _contend(medium, nodes, state.heap, node, now_ns)
    return frame


# --- frames on the air --------------------------------------------------------------------------------------------


@kernel
def _received_power_w(medium: Any, distance_m2: float) -> Any:
    if medium.law == DISC:
        return 1.0
    if distance_m2 < medium.crossover_m * medium.crossover_m:
        return medium.near_gain / max(distance_m2, 1.0)
    return medium.far_gain / (distance_m2 * distance_m2)


@kernel
def _arrive(medium: Any, nodes: Any, arrivals: Any, heap: Any, arrival: int, now_ns: int) -> None:
    """Let a frame begin at a node that senses it."""
    node, power_w = arrivals[arrival].node, arrivals[arrival].power_w
    if nodes[node].busy == 0:
        nodes[node].busy_since_ns = now_ns
        if not nodes[node].transmitting:
            _freeze(medium, nodes, heap, node, now_ns)
    nodes[node].busy += 1
    nodes[node].power_w += power_w
    if nodes[node].transmitting:
        return
    lock = nodes[node].lock
    if arrivals[arrival].audible and (
        lock == NONE or (power_w > arrivals[lock].power_w and now_ns < nodes[node].lock_since_ns + medium.detection_ns)
    ):
        if lock == NONE:
            nodes[node].lock_since_ns = now_ns
        nodes[node].lock = arrival
        arrivals[arrival].intact = 1
        lock = arrival
    if lock != NONE and nodes[node].busy > 1:
        others_w = nodes[node].power_w - arrivals[lock].power_w
        if arrivals[lock].power_w < medium.capture * others_w:
            arrivals[lock].intact = 0


@kernel
def _begin(state: Any, medium: Any, sender: int, now_ns: int) -> bool:
    """Put the frame at the head of a node's queue on the air; False: the pool of arrivals is too small."""
    nodes, arrivals, heap = state.nodes, state.arrivals, state.heap
    count = find_sensing(state, medium, sender, now_ns * 1e-9)
    if count > medium.arrivals_left:
        return False
    frame = nodes[sender].queue_head
    nodes[sender].contending = 0
    nodes[sender].transmitting = 1
    nodes[sender].slots = NONE
    nodes[sender].lock = NONE
    _set_due(medium, nodes, heap, sender, now_ns + state.frames[frame].airtime_ns)
    if medium.measuring:
        kind = state.frames[frame].kind
        state.traffic[sender, kind, SENT] += 1
        state.traffic[sender, kind, SENT_BYTES] += state.frames[frame].bytes
        state.traffic[sender, kind, SENT_PAYLOAD_BYTES] += state.frames[frame].bytes - medium.header_bytes
        state.traffic[sender, kind, SENT_EVENTS] += state.frames[frame].events
        medium.frames += 1
    medium.arrivals_left -= count
    for index in range(count - 1, -1, -1):  # the last becomes the first of the list, so the order is kept
        arrival = medium.free_arrival
        medium.free_arrival = arrivals[arrival].next
        arrivals[arrival].node = state.heard[index]
        arrivals[arrival].power_w = _received_power_w(medium, state.distances_m2[index])
        arrivals[arrival].audible = state.distances_m2[index] <= medium.range_m * medium.range_m
        arrivals[arrival].intact = 0
        arrivals[arrival].next = nodes[sender].arrivals
        nodes[sender].arrivals = arrival
        _arrive(medium, nodes, arrivals, heap, arrival, now_ns)
    return True


@kernel
def _leave(state: Any, medium: Any, arrival: int, now_ns: int) -> bool:
    """Let a frame end at a node; True: the node has received it."""
    nodes, arrivals = state.nodes, state.arrivals
    node = arrivals[arrival].node
    nodes[node].busy -= 1
    received = nodes[node].lock == arrival and arrivals[arrival].intact == 1
    if nodes[node].lock == arrival:
        nodes[node].lock = NONE
    if arrivals[arrival].audible and not received:
        nodes[node].frames_lost += medium.measuring
    if nodes[node].busy > 0:
        nodes[node].power_w -= arrivals[arrival].power_w
    else:
        nodes[node].power_w = 0.0  # exactly, whatever the sum has rounded to
        if not nodes[node].transmitting:
            nodes[node].idle_since_ns = now_ns
            if nodes[node].contending:
                _contend(medium, nodes, state.heap, node, now_ns)
    return bool(received)


@kernel
def _end(state: Any, medium: Any, sender: int, now_ns: int) -> int:
    """Take a node's frame off the air, write who received it into ``heard`` and return how many."""
    nodes, arrivals, frames = state.nodes, state.arrivals, state.frames
    frame = nodes[sender].queue_head
    kind, size_bytes = frames[frame].kind, frames[frame].bytes
    medium.digest = _mix(_mix(medium.digest, now_ns), sender)
    count = 0
    arrival = nodes[sender].arrivals
    while arrival != NONE:
        if _leave(state, medium, arrival, now_ns):
            node = arrivals[arrival].node
            state.heard[count] = node
            count += 1
            medium.digest = _mix(medium.digest, node)
            if medium.measuring:
                state.traffic[node, kind, RECEIVED] += 1
                state.traffic[node, kind, RECEIVED_BYTES] += size_bytes
        following = arrivals[arrival].next
        arrivals[arrival].next = medium.free_arrival
        medium.free_arrival = arrival
        medium.arrivals_left += 1
        arrival = following
    medium.receptions += count * medium.measuring
    nodes[sender].arrivals = NONE
    nodes[sender].transmitting = 0
    nodes[sender].idle_since_ns = now_ns  # not before; later, where another frame is still on the air
    nodes[sender].slots = _draw_below(nodes, sender, medium.window + 1)
    _clear_due(medium, nodes, state.heap, sender)
    nodes[sender].queue_head = frames[frame].next
    nodes[sender].queue_length -= 1
    frames[frame].next = medium.free_frame
    medium.free_frame = frame
    if nodes[sender].queue_length > 0:
        nodes[sender].contending = 1
        _contend(medium, nodes, state.heap, sender, now_ns)
    elif nodes[sender].slots == 0:
        nodes[sender].slots = NONE
    return count


@kernel
def advance(state: Any, until_ns: int) -> tuple[int, int, int]:
    """Run the medium to a time, or to the end of the first frame that somebody received.

    Return the frame (``NONE``: the time was reached; ``POOL_EMPTY``: more room is needed), the time and how many
    received it; who they are stands in ``heard``.
    """
    medium, nodes, heap = state.medium[0], state.nodes, state.heap
    while medium.heap_length > 0 and nodes[heap[0]].due_ns <= until_ns:
        node = heap[0]
        now_ns = nodes[node].due_ns
        if nodes[node].transmitting:
            frame = nodes[node].queue_head
            count = _end(state, medium, node, now_ns)
            if count > 0 or medium.every_frame:
                return frame, now_ns, count
        elif nodes[node].preparing:
            nodes[node].preparing = 0
            nodes[node].contending = 1
            _clear_due(medium, nodes, heap, node)
            _contend(medium, nodes, heap, node, now_ns)
        elif not _begin(state, medium, node, now_ns):
            return POOL_EMPTY, now_ns, 0
    return NONE, until_ns, 0
