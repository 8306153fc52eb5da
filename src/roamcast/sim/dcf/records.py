"""The medium's memory: all it knows about nodes, frames and arrivals, as NumPy records that compiled code can use.

Fields that are read together share a record: a node's position (``LEG``, one cache line, read for every node near a
sender), its timers (``TIMER``, read by the heap), and everything else (``NODE``).
"""

from typing import Any, NamedTuple

import numpy as np

SENT, SENT_BYTES, SENT_PAYLOAD_BYTES, SENT_EVENTS, RECEIVED, RECEIVED_BYTES = range(6)
TRAFFIC_COLUMNS = 6
MESSAGE_KINDS_MAX = 16
"""How many kinds of message one run can count separately."""
KIND_RTS, KIND_CTS, KIND_ACK = range(MESSAGE_KINDS_MAX, MESSAGE_KINDS_MAX + 3)
KINDS = MESSAGE_KINDS_MAX + 3

NONE = -1
"""No node, no frame, no index, no back-off."""

NOTHING, DATA, RTS, CTS, ACK = range(5)
"""The type of the frame that a node has on the air, or of the answer that it owes."""

IDLE, PREPARING, CONTENDING, SENDING, AWAITING, FAILING, CLEARED = range(7)
"""A node's progress with the frame at the head of its queue: there is none; not yet contending for the medium;
contending; the frame or its RTS is on the air; waiting for the answer; certain that no answer will come; cleared by a
CTS to send after a SIFS."""

_COUNT, _BITS, _REAL = np.int64, np.uint64, np.float64

LEG = np.dtype(
    [
        ("leg_end_s", _REAL),
        ("leg_start_s", _REAL),
        ("x_m", _REAL),  # at the leg's start
        ("y_m", _REAL),
        ("x_mps", _REAL),
        ("y_mps", _REAL),
        ("point", _COUNT),  # the beginning of the current leg among the points of the trajectories
        ("unused", _COUNT),  # fills the cache line
    ]
)
"""The straight leg of its trajectory that a node is on, which gives its position."""

TIMER = np.dtype(
    [
        ("due_ns", _COUNT),
        ("heap_index", _COUNT),  # -1: nothing is due
        ("ends", _COUNT),  # 1: the end of a frame is due, which comes before all else in a nanosecond
    ]
)
"""The time at which a node is due. Each node has two timers: for the head of its queue, and for its answers."""

NODE = np.dtype(
    [
        ("busy", _COUNT),  # frames on the air that it senses
        ("busy_since_ns", _COUNT),
        ("idle_since_ns", _COUNT),  # later than now while its NAV runs
        ("nav_until_ns", _COUNT),
        ("slots", _COUNT),  # back-off left when the medium became idle; -1: none is pending
        ("window", _COUNT),
        ("phase", _COUNT),  # IDLE to CLEARED
        ("awaits", _COUNT),  # the answer to the frame it sent last: CTS or ACK
        ("on_air", _COUNT),  # type of the frame it transmits: NOTHING to ACK
        ("air_since_ns", _COUNT),
        ("air_to", _COUNT),  # that frame's destination; -1: everybody
        ("air_nav_ns", _COUNT),  # how long the exchange lasts after that frame
        ("arrivals", _COUNT),  # the first arrival of its own frame on the air
        ("answer", _COUNT),  # CTS or ACK: due or on the air
        ("answer_to", _COUNT),
        ("answer_nav_ns", _COUNT),
        ("lock", _COUNT),  # the arrival that it tries to receive; -1: none
        ("lock_since_ns", _COUNT),  # start of the first of the frames between which it chose
        ("power_w", _REAL),  # sum over all frames that it senses
        ("range_m2", _REAL),  # square of the distance at which its frames can be received
        ("sense_m2", _REAL),
        ("strength", _REAL),  # its power as a multiple of the propagation's
        ("queue_head", _COUNT),
        ("queue_tail", _COUNT),
        ("queue_length", _COUNT),
        ("random", _BITS),  # the counter of its random stream (SplitMix64)
        ("range_random", _BITS),  # that of the stream from which its frames draw their ranges, if they do
        ("frames_lost", _COUNT),
        ("queue_drops", _COUNT),
        ("transmit_ns", _COUNT),
        ("receive_ns", _COUNT),
    ]
)
"""Everything else about a node."""

WAKE = np.dtype([("heap_index", _COUNT), ("frame", _COUNT), ("node", _COUNT)])
"""A wake: its index in the heap (in a free record: the next free one), and a frame to queue then at a node, if any."""

WAKE_ENTRY = np.dtype([("due_ns", _COUNT), ("order", _COUNT), ("wake", _COUNT)])
"""An entry of the heap of wakes."""

FRAME = np.dtype(
    [
        ("bytes", _COUNT),
        ("kind", _COUNT),
        ("events", _COUNT),
        ("airtime_ns", _COUNT),
        ("to", _COUNT),  # -1: everybody
        ("rts_sent", _COUNT),
        ("data_sent", _COUNT),
        ("handed_over", _COUNT),  # 1: its destination has received it, so a repetition is only acknowledged
        ("next", _COUNT),
    ]
)
"""A frame in a queue. ``next`` is the frame behind it, or the next free record."""

ARRIVAL = np.dtype(
    [
        ("node", _COUNT),
        ("audible", _COUNT),  # strong enough to be received if no other frame interferes
        ("intact", _COUNT),
        ("power_w", _REAL),
        ("next", _COUNT),
    ]
)
"""A frame arriving at one node."""

CONTACT = np.dtype(
    [
        ("start_s", _REAL),
        ("end_s", _REAL),
        ("other", _COUNT),
        ("current", _COUNT),  # a slot of the node's list of running contacts, unrelated to this contact
    ]
)
"""A recorded contact of a node. A node's contacts are sorted by their start."""

CONTACT_LIST = np.dtype(
    [
        ("first", _COUNT),  # index of the node's first contact
        ("next", _COUNT),  # index of its first contact that has not begun
        ("end", _COUNT),
        ("current", _COUNT),  # how many have begun and not ended
    ]
)
"""One node's part of the array of contacts."""

MEDIUM = np.dtype(
    [
        ("slot_ns", _COUNT),
        ("sifs_ns", _COUNT),
        ("difs_ns", _COUNT),
        ("preamble_ns", _COUNT),
        ("detection_ns", _COUNT),
        ("answer_timeout_ns", _COUNT),
        ("rts_ns", _COUNT),
        ("cts_ns", _COUNT),
        ("ack_ns", _COUNT),
        ("window_min", _COUNT),
        ("window_max", _COUNT),
        ("rts_threshold_bytes", _COUNT),
        ("short_retry_max", _COUNT),
        ("long_retry_max", _COUNT),
        ("header_bytes", _COUNT),
        ("queue_max", _COUNT),
        ("processing_ns", _COUNT),
        ("extra_bits", _COUNT),
        ("symbol_bits", _COUNT),
        ("symbol_ns", _REAL),
        ("law", _COUNT),
        ("near_gain", _REAL),
        ("far_gain", _REAL),
        ("crossover_m2", _REAL),
        ("capture", _REAL),
        ("cell_m", _REAL),
        ("columns", _COUNT),
        ("rows", _COUNT),
        ("slack_m", _REAL),
        ("speed_max_mps", _REAL),
        ("sorted_at_s", _REAL),  # when nodes were last sorted into cells; NaN: never
        ("next_jump_s", _REAL),  # the first time after that at which a node jumps
        ("nodes", _COUNT),  # how many there are
        ("heap_length", _COUNT),
        ("wakes_length", _COUNT),
        ("wakes_requested", _COUNT),
        ("free_wake", _COUNT),
        ("free_frame", _COUNT),
        ("free_arrival", _COUNT),
        ("arrivals_left", _COUNT),
        ("measuring", _COUNT),  # 1 once the counters run
        ("measured_since_ns", _COUNT),
        ("every_frame", _COUNT),  # 1 if frames that nobody received are reported too
        ("frames", _COUNT),
        ("receptions", _COUNT),
        ("digest", _BITS),
        ("draws_ranges", _COUNT),  # 1 if each frame has a range of its own
        ("range_m_min", _REAL),  # what it is drawn between
        ("range_m_max", _REAL),
        ("receive_w", _REAL),  # the power of a frame at its range (two-ray)
        ("sense_w", _REAL),
        ("sense_m2_min", _REAL),  # a frame is sensed at least so far (disc)
    ]
)
"""The medium's constants and counters: a single record."""


class Arrays(NamedTuple):
    """All arrays of the medium, as compiled functions pass them to each other."""

    medium: Any
    nodes: Any
    legs: Any
    timers: Any
    frames: Any
    arrivals: Any
    heap: Any
    wakes: Any
    wake_heap: Any
    heard: Any
    distances_m2: Any
    traffic: Any
    cell_starts: Any
    cell_nodes: Any
    jumps_s: Any
    contact_lists: Any
    contacts: Any
    offsets: Any
    time_s: Any
    x_m: Any
    y_m: Any
