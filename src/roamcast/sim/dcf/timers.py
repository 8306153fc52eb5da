"""The heap of timers. It never grows, since each node has exactly two.

Timer ``node`` is for the head of the node's queue, timer ``count + node`` for its answers. Times are whole
nanoseconds, so nodes that count down the same slots reach the same instant and collide, without any tolerance.
"""

from typing import Any

from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.dcf.records import NONE


@compiled
def _earlier(medium: Any, timers: Any, one: int, other: int) -> bool:
    """Order two timers: within one nanosecond frames end before others begin, then the lower node comes first."""
    if timers[one].due_ns != timers[other].due_ns:
        return bool(timers[one].due_ns < timers[other].due_ns)
    if timers[one].ends != timers[other].ends:
        return bool(timers[one].ends > timers[other].ends)
    one_node, other_node = one % medium.nodes, other % medium.nodes
    return bool(one_node < other_node or (one_node == other_node and one > other))


@compiled
def _sift(medium: Any, timers: Any, heap: Any, index: int) -> None:
    """Move the timer at an index of the heap up or down to where it belongs."""
    timer = heap[index]
    while index > 0:
        above = (index - 1) >> 1
        if not _earlier(medium, timers, timer, heap[above]):
            break
        heap[index] = heap[above]
        timers[heap[index]].heap_index = index
        index = above
    while True:
        below = 2 * index + 1
        if below >= medium.heap_length:
            break
        if below + 1 < medium.heap_length and _earlier(medium, timers, heap[below + 1], heap[below]):
            below += 1
        if not _earlier(medium, timers, heap[below], timer):
            break
        heap[index] = heap[below]
        timers[heap[index]].heap_index = index
        index = below
    heap[index] = timer
    timers[timer].heap_index = index


@compiled
def set_due(state: Any, medium: Any, timer: int, due_ns: int, ends: int = 0) -> None:
    """Set a timer, whether or not it was set before."""
    timers, heap = state.timers, state.heap
    if timers[timer].heap_index == NONE:
        heap[medium.heap_length] = timer
        timers[timer].heap_index = medium.heap_length
        medium.heap_length += 1
    timers[timer].due_ns = due_ns
    timers[timer].ends = ends
    _sift(medium, timers, heap, timers[timer].heap_index)


@compiled
def clear_due(state: Any, medium: Any, timer: int) -> None:
    """Stop a timer, if it is set."""
    timers, heap = state.timers, state.heap
    index = timers[timer].heap_index
    if index == NONE:
        return
    timers[timer].heap_index = NONE
    medium.heap_length -= 1
    last = heap[medium.heap_length]
    if last != timer:
        heap[index] = last
        timers[last].heap_index = index
        _sift(medium, timers, heap, index)
