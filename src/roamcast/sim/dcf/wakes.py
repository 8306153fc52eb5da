"""The heap of wakes that protocols and the workload have requested, compiled so that many nodes cost no more than few.

A heap of Python objects is scattered over memory; with 40,000 nodes each access misses the cache. Here the times are
stored side by side. Wakes that are due at the same time happen in the order in which they were requested.
"""

from typing import Any

from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.dcf.records import NONE


@compiled
def _put(wakes: Any, heap: Any, index: int, due_ns: int, order: int, wake: int) -> None:
    heap[index].due_ns = due_ns
    heap[index].order = order
    heap[index].wake = wake
    wakes[wake].heap_index = index


@compiled
def _make_room(wakes: Any, heap: Any, length: int, index: int, due_ns: int, order: int) -> int:
    """Starting from an index, move entries out of the way of a new one, and return the index where it belongs."""
    while index > 0:
        above = (index - 1) >> 1
        if heap[above].due_ns < due_ns or (heap[above].due_ns == due_ns and heap[above].order < order):
            break
        _put(wakes, heap, index, heap[above].due_ns, heap[above].order, heap[above].wake)
        index = above
    while True:
        below = 2 * index + 1
        if below >= length:
            break
        other = below + 1
        if other < length and (
            heap[other].due_ns < heap[below].due_ns
            or (heap[other].due_ns == heap[below].due_ns and heap[other].order < heap[below].order)
        ):
            below = other
        if due_ns < heap[below].due_ns or (due_ns == heap[below].due_ns and order < heap[below].order):
            break
        _put(wakes, heap, index, heap[below].due_ns, heap[below].order, heap[below].wake)
        index = below
    return index


@compiled
def set_wake(state: Any, wake: int, due_ns: int) -> int:
    """Set the time of a wake, or of a new one if ``wake`` is ``NONE``; return its number, or ``NONE`` if no record is
    free.
    """
    medium, wakes, heap = state.medium[0], state.wakes, state.wake_heap
    if wake == NONE:
        wake = medium.free_wake
        if wake == NONE:
            return NONE
        medium.free_wake = wakes[wake].heap_index
        wakes[wake].frame = NONE
        index = medium.wakes_length
        medium.wakes_length += 1
    else:
        index = wakes[wake].heap_index
    medium.wakes_requested += 1
    order = medium.wakes_requested
    _put(wakes, heap, _make_room(wakes, heap, medium.wakes_length, index, due_ns, order), due_ns, order, wake)
    return wake


@compiled
def clear_wake(state: Any, wake: int) -> None:
    """Cancel a wake and free its number for another."""
    medium, wakes, heap = state.medium[0], state.wakes, state.wake_heap
    index = wakes[wake].heap_index
    wakes[wake].heap_index = medium.free_wake
    medium.free_wake = wake
    medium.wakes_length -= 1
    last = medium.wakes_length
    if index != last:
        due_ns, order, moved = heap[last].due_ns, heap[last].order, heap[last].wake
        _put(wakes, heap, _make_room(wakes, heap, last, index, due_ns, order), due_ns, order, moved)
