"""When something is due: a heap of timers that never grows, since each node has exactly two.

Timer ``node`` is for the head of the node's queue, timer ``count + node`` for its answers. Times are whole
nanoseconds: nodes that count down the same slots reach the same instant, and collide, without any tolerance.
"""

from typing import Any

from roamcast.sim.dcf.jit import compiled
from roamcast.sim.dcf.records import NONE


@compiled
def _earlier(timers: Any, one: int, other: int) -> bool:
    """Compare what is due: in one nanosecond frames end before others begin, then the lower node is first."""
    if timers[one].due_ns != timers[other].due_ns:
        return bool(timers[one].due_ns < timers[other].due_ns)
    if timers[one].ends != timers[other].ends:
        return bool(timers[one].ends > timers[other].ends)
    count = len(timers) >> 1
    one_node, other_node = one % count, other % count
    return bool(one_node < other_node or (one_node == other_node and one > other))


@compiled
def _sift(timers: Any, heap: Any, length: int, place: int) -> None:
    """Move the timer at a place up or down to where it belongs."""
    timer = heap[place]
    while place > 0:
        above = (place - 1) >> 1
        if not _earlier(timers, timer, heap[above]):
            break
        heap[place] = heap[above]
        timers[heap[place]].place = place
        place = above
    while True:
        below = 2 * place + 1
        if below >= length:
            break
        if below + 1 < length and _earlier(timers, heap[below + 1], heap[below]):
            below += 1
        if not _earlier(timers, heap[below], timer):
            break
        heap[place] = heap[below]
        timers[heap[place]].place = place
        place = below
    heap[place] = timer
    timers[timer].place = place


@compiled
def set_due(state: Any, medium: Any, timer: int, due_ns: int, ends: int = 0) -> None:
    """Make a timer due at a time, whatever it was due for before."""
    timers, heap = state.timers, state.heap
    if timers[timer].place == NONE:
        heap[medium.heap_length] = timer
        timers[timer].place = medium.heap_length
        medium.heap_length += 1
    timers[timer].due_ns = due_ns
    timers[timer].ends = ends
    _sift(timers, heap, medium.heap_length, timers[timer].place)


@compiled
def clear_due(state: Any, medium: Any, timer: int) -> None:
    """Make a timer due for nothing."""
    timers, heap = state.timers, state.heap
    place = timers[timer].place
    if place == NONE:
        return
    timers[timer].place = NONE
    medium.heap_length -= 1
    last = heap[medium.heap_length]
    if last != timer:
        heap[place] = last
        timers[last].place = place
        _sift(timers, heap, medium.heap_length, place)
