"""Frames on the air: who senses them, which collide, who receives them (docs/radio.md).

The radio follows two rules, which tests check against ns-3 and a slow reference model. A node locks on a frame that
begins while it neither transmits nor is locked, or on a stronger one that begins before the first is noticed. It
receives the frame if, from the first to the last nanosecond, it does not transmit and the other frames that it senses
are weaker by the capture ratio (the disc model has none: any overlap destroys the frame).
"""

from typing import Any

import numpy as np

from roamcast.sim.dcf.access import finish, freeze, resume
from roamcast.sim.dcf.frame_ranges import count_range, draw_range
from roamcast.sim.dcf.medium_compiler import compiled
from roamcast.sim.dcf.positions import find_sensing
from roamcast.sim.dcf.records import (
    ACK,
    AWAITING,
    CLEARED,
    CONTENDING,
    CTS,
    DATA,
    FAILING,
    KIND_ACK,
    KIND_CTS,
    KIND_RTS,
    NONE,
    NOTHING,
    RECEIVED,
    RECEIVED_BYTES,
    RTS,
    SENT,
    SENT_BYTES,
    SENT_EVENTS,
    SENT_PAYLOAD_BYTES,
)
from roamcast.sim.dcf.timers import clear_due, set_due
from roamcast.sim.dcf.timing import CTS_BYTES, RTS_BYTES
from roamcast.sim.radio import TWO_RAY


@compiled
def _mix(digest: Any, value: int) -> Any:
    """Mix a number into the trace's digest (FNV-1a, one word at a time)."""
    return (digest ^ np.uint64(value)) * np.uint64(0x100000001B3)


@compiled
def _received_power_w(medium: Any, distance_m2: float) -> Any:
    if medium.law != TWO_RAY:
        return 1.0
    if distance_m2 < medium.crossover_m2:
        return medium.near_gain / max(distance_m2, 1.0)
    return medium.far_gain / (distance_m2 * distance_m2)


@compiled
def _unlock(medium: Any, nodes: Any, node: int, now_ns: int) -> None:
    """Make a node stop receiving the frame it is locked on, and add up how long it was locked."""
    nodes[node].lock = NONE
    if medium.measuring:
        nodes[node].receive_ns += now_ns - max(nodes[node].lock_since_ns, medium.measured_since_ns)


@compiled
def _begin_arrival(state: Any, medium: Any, arrival: int, now_ns: int) -> None:
    """Begin a frame's arrival at a node that senses it."""
    nodes, arrivals, timers = state.nodes, state.arrivals, state.timers
    node, power_w = arrivals[arrival].node, arrivals[arrival].power_w
    silent = nodes[node].on_air == NOTHING
    if nodes[node].busy == 0:
        nodes[node].busy_since_ns = now_ns
        # A node that is about to send does not notice the frame in time.
        if silent and (nodes[node].phase != CONTENDING or timers[node].due_ns >= now_ns + medium.detection_ns):
            freeze(state, medium, node, now_ns)
    nodes[node].busy += 1
    nodes[node].power_w += power_w
    if not silent:
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


@compiled
def _count_sent(state: Any, medium: Any, sender: int) -> None:
    """Count a frame at its beginning."""
    traffic, nodes, frames = state.traffic, state.nodes, state.frames
    medium.frames += 1
    if nodes[sender].on_air == DATA:
        frame = nodes[sender].queue_head
        kind = frames[frame].kind
        traffic[sender, kind, SENT_BYTES] += frames[frame].bytes
        traffic[sender, kind, SENT_PAYLOAD_BYTES] += frames[frame].bytes - medium.header_bytes
        traffic[sender, kind, SENT_EVENTS] += frames[frame].events
    elif nodes[sender].on_air == RTS:
        kind = KIND_RTS
        traffic[sender, kind, SENT_BYTES] += RTS_BYTES
    else:
        kind = KIND_CTS if nodes[sender].on_air == CTS else KIND_ACK
        traffic[sender, kind, SENT_BYTES] += CTS_BYTES  # an ACK is equally long
    traffic[sender, kind, SENT] += 1


@compiled
def put_on_air(state: Any, medium: Any, sender: int, frame_type: int, to: int, nav_ns: int, now_ns: int) -> bool:
    """Begin a node's transmission; if the pool of arrivals is too small, change nothing and return False."""
    nodes, arrivals = state.nodes, state.arrivals
    if medium.draws_ranges:
        draw_range(medium, nodes, sender)
    count = find_sensing(state, medium, sender, now_ns * 1e-9)
    if count > medium.arrivals_left:
        return False
    count_range(nodes, sender)
    nodes[sender].on_air = frame_type
    nodes[sender].air_since_ns = now_ns
    nodes[sender].air_to = to
    nodes[sender].air_nav_ns = nav_ns
    if nodes[sender].lock != NONE:
        _unlock(medium, nodes, sender, now_ns)
    if medium.measuring:
        _count_sent(state, medium, sender)
    range_m2, strength = nodes[sender].range_m2, nodes[sender].strength
    medium.arrivals_left -= count
    for index in range(count - 1, -1, -1):  # each is put in front of the list, so the order is kept
        arrival = medium.free_arrival
        medium.free_arrival = arrivals[arrival].next
        arrivals[arrival].node = state.heard[index]
        arrivals[arrival].power_w = strength * _received_power_w(medium, state.distances_m2[index])
        arrivals[arrival].audible = state.distances_m2[index] <= range_m2
        arrivals[arrival].intact = 0
        arrivals[arrival].next = nodes[sender].arrivals
        nodes[sender].arrivals = arrival
        _begin_arrival(state, medium, arrival, now_ns)
    return True


@compiled
def _schedule_answer(state: Any, medium: Any, node: int, frame_type: int, to: int, nav_ns: int, now_ns: int) -> None:
    """Schedule a CTS or an ACK, unless the node already owes one."""
    nodes = state.nodes
    if nodes[node].answer == NOTHING:
        nodes[node].answer = frame_type
        nodes[node].answer_to = to
        nodes[node].answer_nav_ns = nav_ns
        set_due(state, medium, medium.nodes + node, now_ns + medium.sifs_ns)


@compiled
def _is_awaited(nodes: Any, node: int, sender: int, frames: Any) -> bool:
    """Tell whether a sender's frame is the answer that a node is waiting for."""
    return bool(
        nodes[node].phase == AWAITING
        and nodes[node].awaits == nodes[sender].on_air
        and frames[nodes[node].queue_head].to == sender
    )


@compiled
def _accept(state: Any, medium: Any, node: int, sender: int, now_ns: int) -> bool:
    """Make a node act on a frame addressed to it; return True for a data frame received for the first time."""
    nodes, frames = state.nodes, state.frames
    frame_type = nodes[sender].on_air
    if frame_type == DATA:
        frame = nodes[sender].queue_head
        _schedule_answer(state, medium, node, ACK, sender, 0, now_ns)
        first = frames[frame].handed_over == 0
        frames[frame].handed_over = 1
        return bool(first)
    if frame_type == RTS:
        if nodes[node].nav_until_ns <= now_ns:
            left_ns = nodes[sender].air_nav_ns - medium.sifs_ns - medium.cts_ns
            _schedule_answer(state, medium, node, CTS, sender, left_ns, now_ns)
    elif _is_awaited(nodes, node, sender, frames):
        clear_due(state, medium, node)
        if frame_type == ACK:
            finish(state, medium, node, now_ns)
        else:
            nodes[node].phase = CLEARED
            set_due(state, medium, node, now_ns + medium.sifs_ns)
    return False


@compiled
def _end_arrival(state: Any, medium: Any, sender: int, arrival: int, now_ns: int) -> bool:
    """End a frame's arrival at a node; return True if the node received it and was addressed, alone or by broadcast."""
    nodes, arrivals = state.nodes, state.arrivals
    node = arrivals[arrival].node
    followed = nodes[node].lock == arrival
    received = followed and arrivals[arrival].intact == 1
    addressed = nodes[sender].air_to == NONE or nodes[sender].air_to == node
    nodes[node].busy -= 1
    if followed:
        _unlock(medium, nodes, node, now_ns)
        answered = received and addressed and _is_awaited(nodes, node, sender, state.frames)
        if nodes[node].phase == AWAITING and not answered:
            nodes[node].phase = FAILING
            set_due(state, medium, node, now_ns)
    if received and not addressed:
        nodes[node].nav_until_ns = max(nodes[node].nav_until_ns, now_ns + nodes[sender].air_nav_ns)
    if arrivals[arrival].audible and addressed and not received:
        nodes[node].frames_lost += medium.measuring
    if nodes[node].busy > 0:
        nodes[node].power_w -= arrivals[arrival].power_w
    else:
        nodes[node].power_w = 0.0  # exactly, whatever the sum has rounded to
        if nodes[node].on_air == NOTHING:
            resume(state, medium, node, now_ns)
    return bool(received and addressed)


@compiled
def take_off_air(state: Any, medium: Any, sender: int, now_ns: int) -> int:
    """End a node's transmission; write the nodes to hand a data frame to into ``heard`` and return how many."""
    nodes, arrivals, frames, traffic = state.nodes, state.arrivals, state.frames, state.traffic
    frame_type = nodes[sender].on_air
    if frame_type == DATA:
        kind, size_bytes = frames[nodes[sender].queue_head].kind, frames[nodes[sender].queue_head].bytes
    elif frame_type == RTS:
        kind, size_bytes = KIND_RTS, RTS_BYTES
    else:
        kind, size_bytes = KIND_CTS if frame_type == CTS else KIND_ACK, CTS_BYTES
    medium.digest = _mix(_mix(medium.digest, now_ns), sender)
    handed = received = 0
    arrival = nodes[sender].arrivals
    while arrival != NONE:
        if _end_arrival(state, medium, sender, arrival, now_ns):
            node = arrivals[arrival].node
            received += 1
            medium.digest = _mix(medium.digest, node)
            if medium.measuring:
                traffic[node, kind, RECEIVED] += 1
                traffic[node, kind, RECEIVED_BYTES] += size_bytes
            if nodes[sender].air_to == NONE or _accept(state, medium, node, sender, now_ns):
                state.heard[handed] = node
                handed += 1
        next_arrival = arrivals[arrival].next
        arrivals[arrival].next = medium.free_arrival
        medium.free_arrival = arrival
        medium.arrivals_left += 1
        arrival = next_arrival
    medium.receptions += received * medium.measuring
    if medium.measuring:
        nodes[sender].transmit_ns += now_ns - max(nodes[sender].air_since_ns, medium.measured_since_ns)
    nodes[sender].arrivals = NONE
    nodes[sender].on_air = NOTHING
    return handed
