"""The medium's memory: what it knows of every node, frame and arrival, as records that compiled code can reach.

Records are grouped by who reads them together: where a node is (``PLACE``, one cache line, read for every node near a
sender), when something is due (``TIMER``, read by the heap), and the rest (``NODE``).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.experimental import structref

SENT, SENT_BYTES, SENT_PAYLOAD_BYTES, SENT_EVENTS, RECEIVED, RECEIVED_BYTES = range(6)
TRAFFIC_COLUMNS = 6
MESSAGE_KINDS_MAX = 16
"""How many kinds of message one run can count apart."""
KIND_RTS, KIND_CTS, KIND_ACK = range(MESSAGE_KINDS_MAX, MESSAGE_KINDS_MAX + 3)
KINDS = MESSAGE_KINDS_MAX + 3

NONE = -1
"""No node, no frame, no place, no back-off."""

NOTHING, DATA, RTS, CTS, ACK = range(5)
"""What a node has on the air, or has to answer."""

IDLE, PREPARING, CONTENDING, SENDING, AWAITING, FAILING, CLEARED = range(7)
"""How far a node is with the frame at the head of its queue: it has none; has not asked for the medium yet; waits for
the medium; has the frame or the RTS for it on the air; waits for the answer; knows that none comes; was answered by a
CTS and sends after a SIFS."""

_COUNT, _BITS, _REAL = np.int64, np.uint64, np.float64

PLACE = np.dtype(
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
"""Where a node is: the leg of its way that it is on."""

TIMER = np.dtype(
    [
        ("due_ns", _COUNT),
        ("place", _COUNT),  # in the heap; -1: nothing is due
        ("ends", _COUNT),  # 1: the end of a frame is due, which comes before all else in a nanosecond
    ]
)
"""When a node is due. Each has two: one for the head of its queue, one for its answers."""

NODE = np.dtype(
    [
        ("busy", _COUNT),  # frames on the air that it senses
        ("busy_since_ns", _COUNT),
        ("idle_since_ns", _COUNT),  # later than now while its NAV runs
        ("nav_until_ns", _COUNT),
        ("slots", _COUNT),  # back-off left when the medium became idle; -1: none is pending
        ("window", _COUNT),
        ("phase", _COUNT),  # IDLE to CLEARED
        ("awaits", _COUNT),  # the answer to what it sent last: CTS or ACK
        ("on_air", _COUNT),  # what it transmits: NOTHING to ACK
        ("air_since_ns", _COUNT),
        ("air_to", _COUNT),  # who that is for; -1: everybody
        ("air_nav_ns", _COUNT),  # how long after that frame its exchange will last
        ("arrivals", _COUNT),  # the first arrival of its own frame on the air
        ("answer", _COUNT),  # CTS or ACK: due or on the air
        ("answer_to", _COUNT),
        ("answer_nav_ns", _COUNT),
        ("lock", _COUNT),  # the arrival that it tries to receive; -1: none
        ("lock_since_ns", _COUNT),  # when the first of the frames began between which it chose
        ("power_w", _REAL),  # the sum of what it senses
        ("range_m2", _REAL),  # how far its frames can be received, squared
        ("sense_m2", _REAL),
        ("strength", _REAL),  # its power as a multiple of the propagation's
        ("queue_head", _COUNT),
        ("queue_tail", _COUNT),
        ("queue_length", _COUNT),
        ("random", _BITS),  # the state of its random stream
        ("frames_lost", _COUNT),
        ("queue_drops", _COUNT),
        ("transmit_ns", _COUNT),
        ("receive_ns", _COUNT),
    ]
)
"""What else the medium knows of a node."""

WAKE = np.dtype([("place", _COUNT), ("frame", _COUNT), ("node", _COUNT)])
"""A wake's place in the heap, or the next free number; a frame that is due then at a node, if it is for that."""

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
        ("handed_over", _COUNT),  # 1: whom it is for has had it, so a repetition is only acknowledged
        ("next", _COUNT),
    ]
)
"""A frame in a queue; ``next`` is the one behind it, or the next free record."""

ARRIVAL = np.dtype(
    [
        ("node", _COUNT),
        ("audible", _COUNT),  # strong enough to be received, were it alone
        ("intact", _COUNT),
        ("power_w", _REAL),
        ("next", _COUNT),
    ]
)
"""A frame on its way into one node."""

MET = np.dtype(
    [
        ("start_s", _REAL),
        ("end_s", _REAL),
        ("other", _COUNT),
        ("current", _COUNT),  # among the places of a node: one of its contacts that have begun and not ended
    ]
)
"""A recorded contact of a node, in order of its start."""

CONTACTS = np.dtype(
    [
        ("first", _COUNT),  # the node's contacts begin here
        ("next", _COUNT),  # the first that has not begun
        ("end", _COUNT),
        ("current", _COUNT),  # how many have begun and not ended
    ]
)
"""Where a node's contacts stand."""

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
        ("next_jump_s", _REAL),  # when the first node after that is somewhere else all at once
        ("heap_length", _COUNT),
        ("wakes_length", _COUNT),
        ("wakes_asked", _COUNT),
        ("free_wake", _COUNT),
        ("free_frame", _COUNT),
        ("free_arrival", _COUNT),
        ("arrivals_left", _COUNT),
        ("measuring", _COUNT),  # 1 once the counters run
        ("measured_since_ns", _COUNT),
        ("every_frame", _COUNT),  # 1 if frames that nobody received are reported, too
        ("frames", _COUNT),
        ("receptions", _COUNT),
        ("digest", _BITS),
    ]
)
"""The constants and counters of the medium, one record."""


@structref.register
class StateType(types.StructRef):
    """The compiled side of ``State``."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Accept every field as it is."""
        unliteral: Any = types.unliteral
        return tuple((name, unliteral(kind)) for name, kind in fields)


class State(structref.StructRefProxy):
    """Every array of the medium in one argument, since a call costs time for each."""

    def __new__(cls, *arrays: Any) -> Any:
        """Put the arrays together, in the order of ``Arrays``."""
        return structref.StructRefProxy.__new__(cls, *arrays)  # type: ignore[no-untyped-call]


class Arrays(NamedTuple):
    """Every array of the medium, as the compiled functions hand them to each other."""

    medium: Any
    nodes: Any
    places: Any
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
    contacts: Any
    met: Any
    offsets: Any
    time_s: Any
    x_m: Any
    y_m: Any


structref.define_proxy(State, StateType, list(Arrays._fields))  # type: ignore[no-untyped-call]
