"""The medium's Python interface: queue a frame, run to the next reception.

This module allocates the arrays and grows them; the compiled functions that work on them are in the modules beside it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from roamcast.sim.dcf.access import POOL_EMPTY, QUEUE_FULL
from roamcast.sim.dcf.contact_records import contact_records
from roamcast.sim.dcf.entry_points import advance, clear_wake, enqueue, enqueue_later, locate, set_wake
from roamcast.sim.dcf.exchanges import FAILED, REFUSED, WAKE_DUE
from roamcast.sim.dcf.memory import Memory
from roamcast.sim.dcf.records import (
    ARRIVAL,
    FRAME,
    KINDS,
    LEG,
    MEDIUM,
    NODE,
    NONE,
    NOTHING,
    TIMER,
    TRAFFIC_COLUMNS,
    WAKE,
    WAKE_ENTRY,
    Arrays,
)
from roamcast.sim.dcf.timing import MacTiming
from roamcast.sim.radio import Contacts, FrameRanges, Propagation, Reach
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Leg, Trajectories

EVERYBODY = NONE
"""The destination of a broadcast frame."""

SLACK = 0.25
"""How far nodes may move between two sortings into cells, as a share of the carrier-sense range."""

CELLS_PER_NODE_MAX = 4
"""Cells are made larger than necessary rather than have more than this many per node."""

_TIMING_FIELDS = (
    "slot_ns", "sifs_ns", "difs_ns", "preamble_ns", "detection_ns", "answer_timeout_ns", "rts_ns", "cts_ns", "ack_ns",
    "window_min", "window_max", "rts_threshold_bytes", "short_retry_max", "long_retry_max", "header_bytes",
    "extra_bits", "symbol_bits", "symbol_ns",
)  # fmt: skip
"""Fields that ``MacTiming`` and the medium's record have in common."""

DIGEST_START = 0xCBF29CE484222325
"""FNV-1a's offset basis."""


class Reception(NamedTuple):
    """A frame has ended and goes to these nodes, or it was a unicast frame that its sender has given up."""

    frame: int
    at_ns: int
    receivers: list[int]
    failed: bool = False


class Medium:
    """The air between the nodes, with one radio and one MAC queue in each."""

    def __init__(
        self,
        trajectories: Trajectories,
        area: Area,
        propagation: Propagation,
        timing: MacTiming,
        streams: RandomStreams,
        processing_s_max: float = 0.0,
        reach: Reach | None = None,
        contacts: Contacts | None = None,
    ) -> None:
        count = trajectories.count
        reach = reach or Reach.equal(propagation, count)
        self._record: Any = np.zeros(1, MEDIUM)
        self._nodes: Any = _node_records(reach, timing, streams)
        self._legs: Any = _leg_records(trajectories)
        self._timers: Any = np.zeros(2 * count, TIMER)
        self._timers["heap_index"] = NONE
        self._frames: Any = np.zeros(0, FRAME)
        self._arrivals: Any = np.zeros(0, ARRIVAL)
        self._heap = np.zeros(2 * count, np.int64)
        self._wakes: Any = np.zeros(0, WAKE)
        self._wake_heap: Any = np.zeros(0, WAKE_ENTRY)
        self._heard = np.zeros(max(count, 1), np.int64)
        self._heard_view = self._heard.data  # is sliced in half the time
        self._distances_m2 = np.zeros(max(count, 1))
        self._traffic = np.zeros((count, KINDS, TRAFFIC_COLUMNS), np.int64)
        self._trajectories = trajectories
        self._set_constants(propagation, timing, processing_s_max)
        self._set_frame_ranges(reach.frames)
        self._cell_starts = self._choose_cells(area, float(reach.sense_range_m.max(initial=1.0)), trajectories)
        self._cell_nodes = np.zeros(count, np.int64)
        self._jumps_s = trajectories.jumps_s()
        self._contact_lists, self._contacts = contact_records(count, contacts)
        self._grow_frames(1024)
        self._grow_arrivals(4096)
        self._grow_wakes(max(256, 2 * count))
        self._take_memory()
        self._advance = _compiled_code(advance, 0, 0)
        self._enqueue = _compiled_code(enqueue, 0, 0, 0, 0, 0, 0, 0)
        self._enqueue_later = _compiled_code(enqueue_later, 0, 0, 0, 0, 0, 0)
        self._locate = _compiled_code(locate, 0, 0, 0.0)
        self._set_wake = _compiled_code(set_wake, 0, 0, 0)
        self._clear_wake = _compiled_code(clear_wake, 0, 0)

    def _set_constants(self, propagation: Propagation, timing: MacTiming, processing_s_max: float) -> None:
        values = {
            **{name: getattr(timing, name) for name in _TIMING_FIELDS},
            "queue_max": timing.queue_frames_max,
            "processing_ns": round(processing_s_max * 1e9),
            "nodes": len(self._nodes),
            "free_frame": NONE,
            "free_arrival": NONE,
            "free_wake": NONE,
            "law": propagation.law,
            "digest": DIGEST_START,
            "near_gain": propagation.near_gain_w_m2,
            "far_gain": propagation.far_gain_w_m4,
            "crossover_m2": propagation.crossover_m**2,
            "capture": propagation.capture_ratio,
            "sorted_at_s": np.nan,
            "next_jump_s": np.inf,
        }
        for name, value in values.items():
            self._record[0][name] = value

    def _set_frame_ranges(self, frames: FrameRanges | None) -> None:
        if frames is None:
            return
        values = {
            "draws_ranges": 1,
            "range_m_min": frames.lowest_m,
            "range_m_max": frames.highest_m,
            "receive_w": frames.receive_w,
            "sense_w": frames.sense_w,
            "sense_m2_min": frames.sense_range_m**2,
        }
        for name, value in values.items():
            self._record[0][name] = value
        self._nodes["range_random"] = frames.random

    def _choose_cells(self, area: Area, sense_m: float, trajectories: Trajectories) -> NDArray[np.int64]:
        """Make cells so large that every node that senses a sender is in the sender's cell or a neighbouring one."""
        slack_m = SLACK * sense_m
        fewest_m = (area.width_m * area.height_m / (CELLS_PER_NODE_MAX * max(trajectories.count, 1))) ** 0.5
        cell_m = max(sense_m + slack_m, fewest_m)
        columns, rows = max(1, int(area.width_m / cell_m)), max(1, int(area.height_m / cell_m))
        record = self._record[0]
        record["slack_m"], record["cell_m"], record["columns"], record["rows"] = slack_m, cell_m, columns, rows
        record["speed_max_mps"] = trajectories.walking_mps_max()
        return np.zeros(columns * rows + 1, np.int64)

    def _take_memory(self) -> None:
        """Find the arrays anew, at the start and after one has grown."""
        moves = self._trajectories
        self._memory = Memory(
            Arrays(
                self._record, self._nodes, self._legs, self._timers, self._frames, self._arrivals, self._heap,
                self._wakes, self._wake_heap, self._heard, self._distances_m2, self._traffic, self._cell_starts,
                self._cell_nodes, self._jumps_s, self._contact_lists, self._contacts, moves.offsets, moves.time_s,
                moves.x_m, moves.y_m,
            )
        )  # fmt: skip
        self._address = self._memory.address

    def _grow_frames(self, count: int) -> None:
        self._frames, self._record[0]["free_frame"] = _grow_pool(
            self._frames, count, self._record[0]["free_frame"], "next"
        )

    def _grow_arrivals(self, count: int) -> None:
        self._record[0]["arrivals_left"] += count
        free = self._record[0]["free_arrival"]
        self._arrivals, self._record[0]["free_arrival"] = _grow_pool(self._arrivals, count, free, "next")

    def _grow_wakes(self, count: int) -> None:
        self._wakes, self._record[0]["free_wake"] = _grow_pool(
            self._wakes, count, self._record[0]["free_wake"], "heap_index"
        )
        self._wake_heap = np.concatenate([self._wake_heap, np.zeros(count, WAKE_ENTRY)])

    def enqueue(
        self, node: int, size_bytes: int, kind: int, events: int, now_ns: int, to: int = EVERYBODY
    ) -> int | None:
        """Queue a broadcast or unicast frame at a node; return its number, or None if the queue is full."""
        frame: int = self._enqueue(self._address, node, size_bytes, kind, events, now_ns, to)
        if frame >= 0:
            return frame
        if frame == QUEUE_FULL:
            return None
        self._grow_frames(len(self._frames))
        self._take_memory()
        return self.enqueue(node, size_bytes, kind, events, now_ns, to)

    def enqueue_later(self, node: int, size_bytes: int, kind: int, events: int, due_ns: int) -> int:
        """Queue a broadcast frame at a later time and return its number; ``step`` reports if the queue is full then."""
        frame: int = self._enqueue_later(self._address, node, size_bytes, kind, events, due_ns)
        if frame >= 0:
            return frame
        if self._record[0]["free_frame"] == NONE:
            self._grow_frames(len(self._frames))
        else:
            self._grow_wakes(len(self._wakes))
        self._take_memory()
        return self.enqueue_later(node, size_bytes, kind, events, due_ns)

    def step(self, until_ns: int) -> tuple[int, int, int]:
        """Run to whatever happens next, but no further than a time.

        Return one of these as (code, time, detail): a frame's number and how many have received it (``receivers`` tells
        who), or ``FAILED`` if it was given up; ``WAKE_DUE`` and the wake's number; ``REFUSED`` and the number of a
        frame that was to be queued later; ``NONE`` when the time is reached.
        """
        found: tuple[int, int, int] = self._advance(self._address, until_ns)
        if found[0] != POOL_EMPTY:
            return found
        self._grow_arrivals(max(len(self._arrivals), len(self._nodes)))
        self._take_memory()
        return self.step(until_ns)

    def receivers(self, count: int) -> list[int]:
        """Return the nodes that have received the frame of the last step."""
        nodes: list[int] = self._heard_view[:count].tolist()
        return nodes

    def advance(self, until_ns: int) -> Reception | None:
        """Run to a time, or to the first frame before it that is handed to a node or given up.

        Only for callers that have set no wakes and queued no frames for later.
        """
        frame, at_ns, count = self.step(until_ns)
        if frame in (WAKE_DUE, REFUSED):
            raise RuntimeError("a wake was due or a frame queued for later was refused; only step can report that")
        if frame < 0:
            return None
        failed = count == FAILED
        return Reception(frame, at_ns, [] if failed else self.receivers(count), failed)

    def wake(self, at_ns: int, wake: int = NONE) -> int:
        """Make ``step`` return at a time; return the wake's number. Given a number, move that wake to the new time."""
        number: int = self._set_wake(self._address, wake, at_ns)
        if number != NONE:
            return number
        self._grow_wakes(len(self._wakes))
        self._take_memory()
        return self.wake(at_ns, wake)

    def cancel_wake(self, wake: int) -> None:
        """Cancel a wake that is not due yet."""
        self._clear_wake(self._address, wake)

    def locate(self, node: int, at_s: float) -> tuple[float, float, float, float]:
        """Return a node's x and y in metres and its velocity in m/s. Times of successive calls must not decrease."""
        located: tuple[float, float, float, float] = self._locate(self._address, node, at_s)
        return located

    def leg(self, node: int, at_s: float) -> Leg:
        """Return the leg that a node is on. Times of successive calls must not decrease."""
        self.locate(node, at_s)
        end_s, start_s, x_m, y_m, x_mps, y_mps, _, _ = self._legs[node].item()
        return Leg(start_s, end_s, x_m, y_m, x_mps, y_mps)

    def measure(self, now_ns: int) -> None:
        """Start the counters."""
        self._record[0]["measuring"] = 1
        self._record[0]["measured_since_ns"] = now_ns

    def report_every_frame(self) -> None:
        """Make ``step`` return for frames that nobody received too."""
        self._record[0]["every_frame"] = 1

    @property
    def traffic(self) -> NDArray[np.int64]:
        """Return the counts by node, kind and column."""
        return self._traffic

    @property
    def frames_lost(self) -> list[int]:
        """Return for each node how many frames addressed to it, or to all, were in range but not received."""
        return [int(count) for count in self._nodes["frames_lost"]]

    @property
    def queue_drops(self) -> list[int]:
        """Return for each node how many frames found its queue full."""
        return [int(count) for count in self._nodes["queue_drops"]]

    def transmit_ns(self, now_ns: int) -> list[int]:
        """Return for each node how long its own frames were on the air since ``measure``."""
        return self._total_ns("transmit_ns", self._nodes["on_air"] != NOTHING, "air_since_ns", now_ns)

    def receive_ns(self, now_ns: int) -> list[int]:
        """Return for each node how long it was locked on frames since ``measure``, received in the end or not."""
        return self._total_ns("receive_ns", self._nodes["lock"] != NONE, "lock_since_ns", now_ns)

    def _total_ns(self, ended: str, running: NDArray[np.bool_], since: str, now_ns: int) -> list[int]:
        """Add the time of frames still on the air to the total of those that have ended."""
        counting = bool(self._record[0]["measuring"])
        begun_ns = np.maximum(self._nodes[since], self._record[0]["measured_since_ns"])
        total: list[int] = (self._nodes[ended] + np.where(running & counting, now_ns - begun_ns, 0)).tolist()
        return total

    @property
    def totals(self) -> tuple[int, int]:
        """Return the number of frames sent and of receptions by all nodes since ``measure``."""
        return int(self._record[0]["frames"]), int(self._record[0]["receptions"])

    @property
    def digest(self) -> int:
        """Return a 64-bit digest of every frame so far."""
        return int(self._record[0]["digest"])


def _node_records(reach: Reach, timing: MacTiming, streams: RandomStreams) -> Any:
    count = len(reach.range_m)
    nodes: Any = np.zeros(count, NODE)
    for name in ("lock", "arrivals", "slots", "air_to", "answer_to"):
        nodes[name] = NONE
    nodes["idle_since_ns"] = -(10**9)  # every node has been idle for a long time when the run begins
    nodes["window"] = timing.window_min
    nodes["range_m2"] = reach.range_m * reach.range_m
    nodes["sense_m2"] = reach.sense_range_m * reach.sense_range_m
    nodes["strength"] = reach.strength
    nodes["random"] = [streams.integer("mac", node) for node in range(count)]
    return nodes


def _leg_records(trajectories: Trajectories) -> Any:
    legs: Any = np.zeros(trajectories.count, LEG)
    legs["point"] = trajectories.offsets[:-1] - 1
    legs["leg_end_s"] = -np.inf
    return legs


def _grow_pool(pool: Any, count: int, free: int, link: str) -> tuple[Any, int]:
    """Return the pool with ``count`` more records, linked into the list of free ones, and the first free record."""
    grown = np.zeros(len(pool) + count, pool.dtype)
    grown[: len(pool)] = pool
    grown[link][len(pool) :] = np.arange(len(pool) + 1, len(grown) + 1)
    grown[link][-1] = free
    return grown, len(pool)


def _compiled_code(function: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the compiled code itself, which saves each call the lookup of its argument types (0.5 us)."""
    type_of: Any = numba.typeof
    signature = tuple(type_of(argument) for argument in arguments)
    function.compile(signature)
    entry_point: Callable[..., Any] = function.overloads[signature].entry_point
    return entry_point
