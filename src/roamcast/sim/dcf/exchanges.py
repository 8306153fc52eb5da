"""The medium's inner loop: handle what is due next, until a frame is received or given up."""

from typing import Any

from roamcast.sim.dcf.access import (
    POOL_EMPTY,
    contend,
    finish,
    freeze,
    is_exhausted,
    join_queue,
    restart_idle_time,
    resume,
    retry,
)
from roamcast.sim.dcf.air import put_on_air, take_off_air
from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.dcf.records import (
    ACK,
    AWAITING,
    CLEARED,
    CONTENDING,
    CTS,
    DATA,
    NONE,
    NOTHING,
    PREPARING,
    RTS,
    SENDING,
)
from roamcast.sim.dcf.timers import clear_due, set_due
from roamcast.sim.dcf.wakes import clear_wake

NEVER = 2**62
WAKE_DUE = -4
"""Returned instead of a frame's number: a wake is due."""
REFUSED = -5
"""Returned instead of a frame's number: a frame that was to be queued later found the queue full."""
FAILED = -1
"""Returned instead of the number of receivers: the frame was given up."""


@compiled
def _begin_frame(state: Any, medium: Any, sender: int, now_ns: int) -> bool:
    """Begin to send the frame at the head of a node's queue, or its RTS; return False if the pool of arrivals is too
    small.
    """
    nodes, frames = state.nodes, state.frames
    frame = nodes[sender].queue_head
    to, size_bytes = frames[frame].to, frames[frame].bytes
    answer_ns = medium.sifs_ns + medium.ack_ns
    if to != NONE and size_bytes > medium.rts_threshold_bytes and nodes[sender].phase == CONTENDING:
        frame_type, airtime_ns = RTS, medium.rts_ns
        nav_ns = medium.sifs_ns + medium.cts_ns + medium.sifs_ns + frames[frame].airtime_ns + answer_ns
    else:
        frame_type, airtime_ns = DATA, frames[frame].airtime_ns
        nav_ns = answer_ns if to != NONE else 0
    if not put_on_air(state, medium, sender, frame_type, to, nav_ns, now_ns):
        return False
    frames[frame].rts_sent += frame_type == RTS
    frames[frame].data_sent += frame_type == DATA
    nodes[sender].phase = SENDING
    nodes[sender].slots = NONE
    set_due(state, medium, sender, now_ns + airtime_ns, 1)
    return True


@compiled
def _begin_answer(state: Any, medium: Any, node: int, now_ns: int) -> bool:
    """Begin to send the CTS or ACK that a node owes; return False if the pool of arrivals is too small."""
    nodes = state.nodes
    timer, frame_type = medium.nodes + node, nodes[node].answer
    if nodes[node].on_air != NOTHING:
        nodes[node].answer = NOTHING
        clear_due(state, medium, timer)
        return True
    if not put_on_air(state, medium, node, frame_type, nodes[node].answer_to, nodes[node].answer_nav_ns, now_ns):
        return False
    if nodes[node].busy == 0:
        freeze(state, medium, node, now_ns)
    set_due(state, medium, timer, now_ns + (medium.cts_ns if frame_type == CTS else medium.ack_ns), 1)
    return True


@compiled
def _end_frame(state: Any, medium: Any, sender: int, now_ns: int) -> int:
    """End a data frame or RTS; return how many nodes are handed a frame."""
    nodes = state.nodes
    frame_type = nodes[sender].on_air
    count = take_off_air(state, medium, sender, now_ns)
    nodes[sender].idle_since_ns = max(now_ns, nodes[sender].nav_until_ns)  # later, if another frame is on the air
    if frame_type == DATA and nodes[sender].air_to == NONE:
        clear_due(state, medium, sender)
        finish(state, medium, sender, now_ns)
    else:
        nodes[sender].phase = AWAITING
        nodes[sender].awaits = ACK if frame_type == DATA else CTS
        set_due(state, medium, sender, now_ns + medium.answer_timeout_ns)
    return count


@compiled
def _end_answer(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """End a CTS or an ACK."""
    nodes = state.nodes
    take_off_air(state, medium, node, now_ns)
    nodes[node].answer = NOTHING
    clear_due(state, medium, medium.nodes + node)
    resume(state, medium, node, now_ns)


@compiled
def _handle_missing_answer(state: Any, medium: Any, node: int, now_ns: int) -> int:
    """React to a missing answer: wait for the frame that is being received, try again, or give up.

    Return the frame given up, or ``NONE``.
    """
    nodes = state.nodes
    clear_due(state, medium, node)
    if nodes[node].phase == AWAITING and nodes[node].lock != NONE:
        return NONE
    restart_idle_time(state, medium, node, now_ns)
    if not is_exhausted(state, medium, node):
        retry(state, medium, node, now_ns)
        return NONE
    frame: int = nodes[node].queue_head
    finish(state, medium, node, now_ns)
    return frame


@compiled
def _run_medium(state: Any, medium: Any, limit_ns: int) -> tuple[int, int, int]:
    """Run the medium up to a time, or to the first frame that is handed to a node or given up."""
    nodes, timers, heap = state.nodes, state.timers, state.heap
    while medium.heap_length > 0 and timers[heap[0]].due_ns <= limit_ns:
        timer = heap[0]
        now_ns = timers[timer].due_ns
        if timer >= medium.nodes:
            node = timer - medium.nodes
            if timers[timer].ends:
                _end_answer(state, medium, node, now_ns)
            elif not _begin_answer(state, medium, node, now_ns):
                return POOL_EMPTY, now_ns, 0
            continue
        phase = nodes[timer].phase
        if phase == SENDING:
            frame = nodes[timer].queue_head
            is_data = nodes[timer].on_air == DATA
            count = _end_frame(state, medium, timer, now_ns)
            if count > 0 or (medium.every_frame and is_data):
                return frame, now_ns, count
        elif phase in (CONTENDING, CLEARED):
            if not _begin_frame(state, medium, timer, now_ns):
                return POOL_EMPTY, now_ns, 0
        elif phase == PREPARING:
            nodes[timer].phase = CONTENDING
            clear_due(state, medium, timer)
            contend(state, medium, timer, now_ns)
        else:  # AWAITING or FAILING
            given_up = _handle_missing_answer(state, medium, timer, now_ns)
            if given_up != NONE:
                return given_up, now_ns, FAILED
    return NONE, limit_ns, 0


@compiled
def advance(state: Any, until_ns: int) -> tuple[int, int, int]:
    """Run to a time, to the first wake before it, or to the first frame that is handed to a node or given up.

    Return three numbers: the frame, or else ``NONE`` (the time was reached), ``WAKE_DUE``, ``REFUSED`` (a queue was
    full) or ``POOL_EMPTY`` (more records are needed); the time; and the number of receivers (``FAILED``: the frame was
    given up), the wake, or the refused frame. The receivers are in ``heard``. At the time of a wake the medium acts
    first.
    """
    medium, wakes, wake_heap = state.medium[0], state.wakes, state.wake_heap
    while True:
        wake_ns = NEVER if medium.wakes_length == 0 else wake_heap[0].due_ns
        code, at_ns, detail = _run_medium(state, medium, min(until_ns, wake_ns))
        if code != NONE:
            return code, at_ns, detail
        if wake_ns >= until_ns:
            return NONE, until_ns, 0
        wake = wake_heap[0].wake
        clear_wake(state, wake)
        frame = wakes[wake].frame
        if frame == NONE:
            return WAKE_DUE, wake_ns, wake
        if not join_queue(state, medium, wakes[wake].node, frame, wake_ns):
            return REFUSED, wake_ns, frame
