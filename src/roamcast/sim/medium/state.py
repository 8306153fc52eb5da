"""The medium's memory: what it knows of every node, frame and arrival, as records that compiled code can reach.

The types stand apart from the code that works on them: they are part of every compiled function's signature, so
the cache notices when they change.
"""

from typing import Any

import numpy as np
from numba import types
from numba.experimental import structref

SENT, SENT_BYTES, SENT_PAYLOAD_BYTES, SENT_EVENTS, RECEIVED, RECEIVED_BYTES = range(6)
TRAFFIC_COLUMNS = 6

_COUNT, _BITS, _REAL = np.int64, np.uint64, np.float64

NODE = np.dtype(
    [
        ("due_ns", _COUNT),  # when its frame is prepared, may be sent or ends, if it has a place in the heap
        ("place", _COUNT),  # in the heap; -1: nothing is due
        ("busy", _COUNT),  # frames on the air that it senses
        ("busy_since_ns", _COUNT),
        ("idle_since_ns", _COUNT),
        ("slots", _COUNT),  # back-off left when the medium became idle; -1: none is pending
        ("preparing", _COUNT),  # it has a frame and has not asked for the medium yet
        ("contending", _COUNT),  # it has a frame and waits for the medium
        ("transmitting", _COUNT),
        ("lock", _COUNT),  # the arrival that it tries to receive; -1: none
        ("lock_since_ns", _COUNT),  # when the first of the frames began between which it chose
        ("arrivals", _COUNT),  # the first arrival of its own frame on the air
        ("queue_head", _COUNT),
        ("queue_tail", _COUNT),
        ("queue_length", _COUNT),
        ("frames_lost", _COUNT),
        ("queue_drops", _COUNT),
        ("random", _BITS),  # the state of its random stream
        ("power_w", _REAL),  # the sum of what it senses
        ("point", _COUNT),  # the beginning of its current leg among the points of the trajectories
        ("leg_start_s", _REAL),
        ("leg_end_s", _REAL),
        ("x_m", _REAL),  # at the leg's start
        ("y_m", _REAL),
        ("x_mps", _REAL),
        ("y_mps", _REAL),
    ]
)
"""What the medium knows of a node."""

FRAME = np.dtype(
    [("bytes", _COUNT), ("kind", _COUNT), ("events", _COUNT), ("airtime_ns", _COUNT), ("next", _COUNT)],
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

MEDIUM = np.dtype(
    [
        ("slot_ns", _COUNT),
        ("difs_ns", _COUNT),
        ("preamble_ns", _COUNT),
        ("detection_ns", _COUNT),
        ("window", _COUNT),
        ("header_bytes", _COUNT),
        ("queue_max", _COUNT),
        ("processing_ns", _COUNT),
        ("byte_ns", _REAL),
        ("law", _COUNT),
        ("range_m", _REAL),
        ("sense_m", _REAL),
        ("near_gain", _REAL),
        ("far_gain", _REAL),
        ("crossover_m", _REAL),
        ("capture", _REAL),
        ("cell_m", _REAL),
        ("columns", _COUNT),
        ("rows", _COUNT),
        ("slack_m", _REAL),
        ("speed_max_mps", _REAL),
        ("sorted_at_s", _REAL),  # when nodes were last sorted into cells; NaN: never
        ("heap_length", _COUNT),
        ("free_frame", _COUNT),
        ("free_arrival", _COUNT),
        ("arrivals_left", _COUNT),
        ("measuring", _COUNT),  # 1 once the counters run
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
        """Put the arrays together, in the order of ``STATE_FIELDS``."""
        return structref.StructRefProxy.__new__(cls, *arrays)  # type: ignore[no-untyped-call]


STATE_FIELDS = [
    "medium",
    "nodes",
    "frames",
    "arrivals",
    "heap",
    "heard",
    "distances_m2",
    "traffic",
    "cell_starts",
    "cell_nodes",
    "offsets",
    "time_s",
    "x_m",
    "y_m",
]

structref.define_proxy(State, StateType, STATE_FIELDS)  # type: ignore[no-untyped-call]
