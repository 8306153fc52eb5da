"""Access to the medium: queues, the DCF's back-off, and the end of a frame's exchange (docs/radio.md)."""

from typing import Any

import numpy as np

from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.dcf.random_numbers import draw_below
from roamcast.sim.dcf.records import CONTENDING, IDLE, NONE, NOTHING, PREPARING
from roamcast.sim.dcf.timers import clear_due, set_due
from roamcast.sim.dcf.wakes import set_wake

POOL_EMPTY = -2
QUEUE_FULL = -3


@compiled
def contend(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """Set a timer for when a node with a frame may send; while the medium is busy, that is still unknown."""
    nodes = state.nodes
    idle_since_ns = nodes[node].idle_since_ns
    if nodes[node].slots == NONE and (nodes[node].on_air != NOTHING or now_ns < idle_since_ns):
        nodes[node].slots = draw_below(nodes, node, nodes[node].window + 1)
    if nodes[node].on_air != NOTHING:  # an answer; when it ends, this function is called again
        return
    ready_ns = max(now_ns, idle_since_ns + medium.difs_ns + max(nodes[node].slots, 0) * medium.slot_ns)
    if nodes[node].busy == 0 or ready_ns < nodes[node].busy_since_ns + medium.detection_ns:
        set_due(state, medium, node, ready_ns)
    elif nodes[node].slots == NONE:
        nodes[node].slots = draw_below(nodes, node, nodes[node].window + 1)


@compiled
def freeze(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """Freeze a node's back-off because the medium has just become busy."""
    nodes = state.nodes
    if nodes[node].slots == NONE and nodes[node].phase != CONTENDING:  # most nodes, most of the time
        return
    passed = max(0, (now_ns - nodes[node].idle_since_ns - medium.difs_ns) // medium.slot_ns)
    if nodes[node].phase == CONTENDING:
        clear_due(state, medium, node)
        if nodes[node].slots == NONE:
            nodes[node].slots = draw_below(nodes, node, nodes[node].window + 1)
        else:
            nodes[node].slots = max(nodes[node].slots - passed, 0)
    elif nodes[node].slots - passed <= 0:
        nodes[node].slots = NONE
    else:
        nodes[node].slots -= passed
        # A frame queued before the node notices the other one continues the count from here.
        nodes[node].idle_since_ns += passed * medium.slot_ns


@compiled
def resume(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """Resume the back-off of a node that has just stopped sensing or sending."""
    nodes = state.nodes
    nodes[node].idle_since_ns = max(now_ns, nodes[node].nav_until_ns)
    if nodes[node].phase == CONTENDING:
        contend(state, medium, node, now_ns)


@compiled
def finish(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """Remove the frame at the head of a node's queue, sent or given up, and turn to the next one."""
    nodes, frames = state.nodes, state.frames
    frame = nodes[node].queue_head
    nodes[node].queue_head = frames[frame].next
    nodes[node].queue_length -= 1
    frames[frame].next = medium.free_frame
    medium.free_frame = frame
    nodes[node].window = medium.window_min
    nodes[node].slots = draw_below(nodes, node, medium.window_min + 1)
    if nodes[node].queue_length > 0:
        nodes[node].phase = CONTENDING
        contend(state, medium, node, now_ns)
    else:
        nodes[node].phase = IDLE
        if nodes[node].slots == 0:
            nodes[node].slots = NONE


@compiled
def is_exhausted(state: Any, medium: Any, node: int) -> bool:
    """Tell whether a frame that has failed again has used up its retries."""
    nodes, frames = state.nodes, state.frames
    frame = nodes[node].queue_head
    rts_sent, data_sent = frames[frame].rts_sent, frames[frame].data_sent
    if rts_sent > 0:
        return bool(rts_sent >= medium.short_retry_max or data_sent >= medium.long_retry_max)
    return bool(data_sent >= medium.short_retry_max)


@compiled
def restart_idle_time(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """Restart a node's idle time after a failure, unless it senses a frame it has noticed or is sending."""
    nodes = state.nodes
    unnoticed = nodes[node].busy == 0 or now_ns < nodes[node].busy_since_ns + medium.detection_ns
    if unnoticed and nodes[node].on_air == NOTHING:
        nodes[node].idle_since_ns = max(now_ns, nodes[node].nav_until_ns)


@compiled
def retry(state: Any, medium: Any, node: int, now_ns: int) -> None:
    """Contend again for a frame that has failed, with a window twice as large."""
    nodes = state.nodes
    nodes[node].window = min(2 * nodes[node].window + 1, medium.window_max)
    nodes[node].slots = draw_below(nodes, node, nodes[node].window + 1)
    nodes[node].phase = CONTENDING
    contend(state, medium, node, now_ns)


@compiled
def allocate_frame(state: Any, medium: Any, size_bytes: int, kind: int, events: int, to: int) -> Any:
    """Fill in a free frame record and return its number, or ``POOL_EMPTY``."""
    frames = state.frames
    frame = medium.free_frame
    if frame == NONE:
        return POOL_EMPTY
    medium.free_frame = frames[frame].next
    frames[frame].bytes = size_bytes + medium.header_bytes
    symbols = (medium.extra_bits + 8 * frames[frame].bytes + medium.symbol_bits - 1) // medium.symbol_bits
    frames[frame].airtime_ns = medium.preamble_ns + np.int64(np.ceil(symbols * medium.symbol_ns))
    frames[frame].kind = kind
    frames[frame].events = events
    frames[frame].to = to
    frames[frame].rts_sent = 0
    frames[frame].data_sent = 0
    frames[frame].handed_over = 0
    return frame


@compiled
def join_queue(state: Any, medium: Any, node: int, frame: int, now_ns: int) -> bool:
    """Append a frame to a node's queue; if the queue is full, free the frame and return False."""
    nodes, frames = state.nodes, state.frames
    if nodes[node].queue_length >= medium.queue_max:
        nodes[node].queue_drops += medium.measuring
        frames[frame].next = medium.free_frame
        medium.free_frame = frame
        return False
    frames[frame].next = NONE
    if nodes[node].queue_length == 0:
        nodes[node].queue_head = frame
    else:
        frames[nodes[node].queue_tail].next = frame
    nodes[node].queue_tail = frame
    nodes[node].queue_length += 1
    if nodes[node].queue_length == 1:
        delay_ns = draw_below(nodes, node, medium.processing_ns + 1)
        if delay_ns > 0:
            nodes[node].phase = PREPARING
            set_due(state, medium, node, now_ns + delay_ns)
        else:
            nodes[node].phase = CONTENDING
            contend(state, medium, node, now_ns)
    return True


@compiled
def enqueue(state: Any, node: int, size_bytes: int, kind: int, events: int, now_ns: int, to: int) -> Any:
    """Queue a new frame at a node; return the frame's number, ``QUEUE_FULL`` or ``POOL_EMPTY``."""
    medium = state.medium[0]
    frame = allocate_frame(state, medium, size_bytes, kind, events, to)
    return frame if frame == POOL_EMPTY or join_queue(state, medium, node, frame, now_ns) else QUEUE_FULL


@compiled
def enqueue_later(state: Any, node: int, size_bytes: int, kind: int, events: int, due_ns: int) -> Any:
    """Make a broadcast frame for a node to queue later; return the frame's number, or ``POOL_EMPTY``."""
    medium = state.medium[0]
    if medium.free_wake == NONE or medium.free_frame == NONE:
        return POOL_EMPTY
    frame = allocate_frame(state, medium, size_bytes, kind, events, NONE)
    wake = set_wake(state, NONE, due_ns)
    state.wakes[wake].frame = frame
    state.wakes[wake].node = node
    return frame
