"""What protocols and the workload asked to be woken for: a compiled heap, so that a run with many nodes costs no more.

A heap of Python objects is spread all over the memory; with 40,000 nodes each look at it misses the cache. Here times
stand side by side. What is due at one time happens in the order of asking.
"""

from typing import Any

from roamcast.sim.dcf.jit import compiled
from roamcast.sim.dcf.records import NONE


@compiled
def _put(wakes: Any, heap: Any, place: int, due_ns: int, order: int, wake: int) -> None:
    heap[place].due_ns = due_ns
    heap[place].order = order
    heap[place].wake = wake
    wakes[wake].place = place


@compiled
def _place_for(wakes: Any, heap: Any, length: int, place: int, due_ns: int, order: int) -> int:
    """Move entries out of the way and return where an entry belongs that would stand at a place."""
    while place > 0:
        above = (place - 1) >> 1
        if heap[above].due_ns < due_ns or (heap[above].due_ns == due_ns and heap[above].order < order):
            break
        _put(wakes, heap, place, heap[above].due_ns, heap[above].order, heap[above].wake)
        place = above
    while True:
        below = 2 * place + 1
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
        _put(wakes, heap, place, heap[below].due_ns, heap[below].order, heap[below].wake)
        place = below
    return place


@compiled
def set_wake(state: Any, wake: int, due_ns: int) -> int:
    """Make a wake due at a time, or a new one if it is ``NONE``; return its number, ``NONE``: more room is needed."""
    medium, wakes, heap = state.medium[0], state.wakes, state.wake_heap
    if wake == NONE:
        wake = medium.free_wake
        if wake == NONE:
            return NONE
        medium.free_wake = wakes[wake].place
        wakes[wake].frame = NONE
        place = medium.wakes_length
        medium.wakes_length += 1
    else:
        place = wakes[wake].place
    medium.wakes_asked += 1
    order = medium.wakes_asked
    _put(wakes, heap, _place_for(wakes, heap, medium.wakes_length, place, due_ns, order), due_ns, order, wake)
    return wake


@compiled
def clear_wake(state: Any, wake: int) -> None:
    """Forget a wake; its number may be given to another."""
    medium, wakes, heap = state.medium[0], state.wakes, state.wake_heap
    place = wakes[wake].place
    wakes[wake].place = medium.free_wake
    medium.free_wake = wake
    medium.wakes_length -= 1
    last = medium.wakes_length
    if place != last:
        due_ns, order, moved = heap[last].due_ns, heap[last].order, heap[last].wake
        _put(wakes, heap, _place_for(wakes, heap, last, place, due_ns, order), due_ns, order, moved)
