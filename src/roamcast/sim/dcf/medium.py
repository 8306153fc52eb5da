"""The medium as Python sees it: queue a frame, run to the next reception.

The arrays and their growth are kept here, the work on them in the files beside: ``run`` is the loop.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from roamcast.sim.dcf.access import POOL_EMPTY, QUEUE_FULL
from roamcast.sim.dcf.contact_records import contact_records
from roamcast.sim.dcf.entry_points import advance, clear_wake, enqueue, locate, make_state, post, set_wake
from roamcast.sim.dcf.exchanges import FAILED, REFUSED, WAKE_DUE
from roamcast.sim.dcf.records import (
    ARRIVAL,
    FRAME,
    KINDS,
    MEDIUM,
    NODE,
    NONE,
    NOTHING,
    PLACE,
    TIMER,
    TRAFFIC_COLUMNS,
    WAKE,
    WAKE_ENTRY,
)
from roamcast.sim.dcf.timing import MacTiming
from roamcast.sim.movement import Area, Trajectories
from roamcast.sim.radio import Contacts, Propagation, Reach
from roamcast.sim.random_streams import RandomStreams

EVERYBODY = NONE
"""Whom a broadcast frame is for."""

SLACK = 0.25
"""How far, as a share of the carrier-sense range, nodes may have moved since they were sorted into cells."""

CELLS_PER_NODE_MAX = 4
"""Cells grow beyond their natural size rather than outnumber the nodes by more than this."""

_TIMING_FIELDS = (
    "slot_ns", "sifs_ns", "difs_ns", "preamble_ns", "detection_ns", "answer_timeout_ns", "rts_ns", "cts_ns", "ack_ns",
    "window_min", "window_max", "rts_threshold_bytes", "short_retry_max", "long_retry_max", "header_bytes",
    "extra_bits", "symbol_bits", "symbol_ns",
)  # fmt: skip
"""What the medium knows of a MAC under the same name."""

DIGEST_START = 0xCBF29CE484222325
"""FNV-1a's offset basis."""


class Reception(NamedTuple):
    """A frame ended, and these nodes are handed it; or it was for one node, and its sender has given it up."""

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
        self._places: Any = _place_records(trajectories)
        self._timers: Any = np.zeros(2 * count, TIMER)
        self._timers["place"] = NONE
        self._frames: Any = np.zeros(0, FRAME)
        self._arrivals: Any = np.zeros(0, ARRIVAL)
        self._heap = np.zeros(2 * count, np.int64)
        self._wakes: Any = np.zeros(0, WAKE)
        self._wake_heap: Any = np.zeros(0, WAKE_ENTRY)
        self._heard = np.zeros(max(count, 1), np.int64)
        self._distances_m2 = np.zeros(max(count, 1))
        self._traffic = np.zeros((count, KINDS, TRAFFIC_COLUMNS), np.int64)
        self._trajectories = trajectories
        self._set_constants(propagation, timing, processing_s_max)
        self._cell_starts = self._lay_cells(area, float(reach.sense_range_m.max(initial=1.0)), trajectories)
        self._cell_nodes = np.zeros(count, np.int64)
        self._jumps_s = trajectories.jumps_s()
        self._contacts, self._met = contact_records(count, contacts)
        self._grow_frames(1024)
        self._grow_arrivals(4096)
        self._grow_wakes(max(256, 2 * count))
        self._state = self._make_state()
        self._advance = _direct(advance, self._state, 0)
        self._enqueue = _direct(enqueue, self._state, 0, 0, 0, 0, 0, 0)
        self._post = _direct(post, self._state, 0, 0, 0, 0, 0)
        self._locate = _direct(locate, self._state, 0, 0.0)
        self._set_wake = _direct(set_wake, self._state, 0, 0)
        self._clear_wake = _direct(clear_wake, self._state, 0)

    def _set_constants(self, propagation: Propagation, timing: MacTiming, processing_s_max: float) -> None:
        values = {
            **{name: getattr(timing, name) for name in _TIMING_FIELDS},
            "queue_max": timing.queue_frames_max,
            "processing_ns": round(processing_s_max * 1e9),
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

    def _lay_cells(self, area: Area, sense_m: float, trajectories: Trajectories) -> NDArray[np.int64]:
        """Choose cells so large that whoever senses a node is in its own or a neighbouring cell."""
        slack_m = SLACK * sense_m
        fewest_m = (area.width_m * area.height_m / (CELLS_PER_NODE_MAX * max(trajectories.count, 1))) ** 0.5
        cell_m = max(sense_m + slack_m, fewest_m)
        columns, rows = max(1, int(area.width_m / cell_m)), max(1, int(area.height_m / cell_m))
        record = self._record[0]
        record["slack_m"], record["cell_m"], record["columns"], record["rows"] = slack_m, cell_m, columns, rows
        record["speed_max_mps"] = trajectories.walking_mps_max()
        return np.zeros(columns * rows + 1, np.int64)

    def _make_state(self) -> Any:
        moves = self._trajectories
        return make_state(
            self._record, self._nodes, self._places, self._timers, self._frames, self._arrivals, self._heap,
            self._wakes, self._wake_heap, self._heard, self._distances_m2, self._traffic, self._cell_starts,
            self._cell_nodes, self._jumps_s, self._contacts, self._met, moves.offsets, moves.time_s, moves.x_m,
            moves.y_m,
        )  # fmt: skip

    def _grow_frames(self, count: int) -> None:
        self._frames, self._record[0]["free_frame"] = _grown(self._frames, count, self._record[0]["free_frame"], "next")

    def _grow_arrivals(self, count: int) -> None:
        self._record[0]["arrivals_left"] += count
        free = self._record[0]["free_arrival"]
        self._arrivals, self._record[0]["free_arrival"] = _grown(self._arrivals, count, free, "next")

    def _grow_wakes(self, count: int) -> None:
        self._wakes, self._record[0]["free_wake"] = _grown(self._wakes, count, self._record[0]["free_wake"], "place")
        self._wake_heap = np.concatenate([self._wake_heap, np.zeros(count, WAKE_ENTRY)])

    def enqueue(
        self, node: int, size_bytes: int, kind: int, events: int, now_ns: int, to: int = EVERYBODY
    ) -> int | None:
        """Queue a frame at a node, for everybody or for one, and return its number, or None if the queue is full."""
        frame: int = self._enqueue(self._state, node, size_bytes, kind, events, now_ns, to)
        if frame >= 0:
            return frame
        if frame == QUEUE_FULL:
            return None
        self._grow_frames(len(self._frames))
        self._state = self._make_state()
        return self.enqueue(node, size_bytes, kind, events, now_ns, to)

    def post(self, node: int, size_bytes: int, kind: int, events: int, due_ns: int) -> int:
        """Queue a frame for everybody later, and return its number; ``step`` tells if the queue is full by then."""
        frame: int = self._post(self._state, node, size_bytes, kind, events, due_ns)
        if frame >= 0:
            return frame
        if self._record[0]["free_frame"] == NONE:
            self._grow_frames(len(self._frames))
        else:
            self._grow_wakes(len(self._wakes))
        self._state = self._make_state()
        return self.post(node, size_bytes, kind, events, due_ns)

    def step(self, until_ns: int) -> tuple[int, int, Any]:
        """Run to what happens first, if it happens before a time.

        Return what it is, when, and more: a frame's number, and who is handed it (None: it is given up);
        ``WAKE_DUE``, and the wake's number; ``REFUSED``, and the number of a frame that was posted; ``NONE`` when the
        time is reached. A plain tuple, since this is called for every frame.
        """
        frame, at_ns, count = self._advance(self._state, until_ns)
        if frame >= 0:
            return frame, at_ns, None if count == FAILED else self._heard[:count].tolist()
        if frame != POOL_EMPTY:
            return frame, at_ns, count
        self._grow_arrivals(max(len(self._arrivals), len(self._nodes)))
        self._state = self._make_state()
        return self.step(until_ns)

    def advance(self, until_ns: int) -> Reception | None:
        """Run to a time, or to the first frame before it that somebody is handed or that is given up.

        For who has asked for no wakes and posted no frames, and so need not be told of them.
        """
        frame, at_ns, receivers = self.step(until_ns)
        if frame in (WAKE_DUE, REFUSED):
            raise RuntimeError("a wake came, or a posted frame was refused, which only step can return")
        if frame < 0:
            return None
        return Reception(frame, at_ns, receivers or [], failed=receivers is None)

    def wake(self, at_ns: int, wake: int = NONE) -> int:
        """Let ``step`` return at a time, instead of when the same wake was due before; return the wake's number."""
        number: int = self._set_wake(self._state, wake, at_ns)
        if number != NONE:
            return number
        self._grow_wakes(len(self._wakes))
        self._state = self._make_state()
        return self.wake(at_ns, wake)

    def cancel_wake(self, wake: int) -> None:
        """Forget a wake that has not come yet."""
        self._clear_wake(self._state, wake)

    def place(self, node: int, at_s: float) -> tuple[float, float, float, float]:
        """Return a node's x and y in metres and its velocity in m/s, at a time not before the last one."""
        found: tuple[float, float, float, float] = self._locate(self._state, node, at_s)
        return found

    def measure(self, now_ns: int) -> None:
        """Begin to count."""
        self._record[0]["measuring"] = 1
        self._record[0]["measured_since_ns"] = now_ns

    def report_every_frame(self) -> None:
        """Return from ``advance`` for frames that nobody received, too."""
        self._record[0]["every_frame"] = 1

    @property
    def traffic(self) -> NDArray[np.int64]:
        """Return the counts by node, kind and column."""
        return self._traffic

    @property
    def frames_lost(self) -> list[int]:
        """Return for each node the frames in range, for everybody or for itself, that it did not receive."""
        return [int(each) for each in self._nodes["frames_lost"]]

    @property
    def queue_drops(self) -> list[int]:
        """Return for each node the frames that found its queue full."""
        return [int(each) for each in self._nodes["queue_drops"]]

    def transmit_ns(self, now_ns: int) -> list[int]:
        """Return for each node how long its own frames were on the air since ``measure``."""
        return self._so_far("transmit_ns", self._nodes["on_air"] != NOTHING, "air_since_ns", now_ns)

    def receive_ns(self, now_ns: int) -> list[int]:
        """Return for each node how long it followed frames since ``measure``, for better or worse."""
        return self._so_far("receive_ns", self._nodes["lock"] != NONE, "lock_since_ns", now_ns)

    def _so_far(self, ended: str, running: NDArray[np.bool_], since: str, now_ns: int) -> list[int]:
        """Add what is under way to what has ended."""
        counting = bool(self._record[0]["measuring"])
        begun_ns = np.maximum(self._nodes[since], self._record[0]["measured_since_ns"])
        total: list[int] = (self._nodes[ended] + np.where(running & counting, now_ns - begun_ns, 0)).tolist()
        return total

    @property
    def totals(self) -> tuple[int, int]:
        """Return the frames sent and the receptions of all nodes since ``measure``."""
        return int(self._record[0]["frames"]), int(self._record[0]["receptions"])

    @property
    def digest(self) -> int:
        """Return 64 bits over every frame so far."""
        return int(self._record[0]["digest"])


def _node_records(reach: Reach, timing: MacTiming, streams: RandomStreams) -> Any:
    count = len(reach.range_m)
    nodes: Any = np.zeros(count, NODE)
    for name in ("lock", "arrivals", "slots", "air_to", "answer_to"):
        nodes[name] = NONE
    nodes["idle_since_ns"] = -(10**9)  # every node has been idle for long when the run begins
    nodes["window"] = timing.window_min
    nodes["range_m2"] = reach.range_m * reach.range_m
    nodes["sense_m2"] = reach.sense_range_m * reach.sense_range_m
    nodes["strength"] = reach.strength
    nodes["random"] = [streams.integer("mac", node) for node in range(count)]
    return nodes


def _place_records(trajectories: Trajectories) -> Any:
    places: Any = np.zeros(trajectories.count, PLACE)
    places["point"] = trajectories.offsets[:-1] - 1
    places["leg_end_s"] = -np.inf
    return places


def _grown(pool: Any, count: int, free: int, link: str) -> tuple[Any, int]:
    """Return the pool with ``count`` more records, all of them free and linked, and the first free one."""
    grown = np.zeros(len(pool) + count, pool.dtype)
    grown[: len(pool)] = pool
    grown[link][len(pool) :] = np.arange(len(pool) + 1, len(grown) + 1)
    grown[link][-1] = free
    return grown, len(pool)


def _direct(function: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the compiled code itself, which spares each call the look-up of the argument types (0.5 us)."""
    type_of: Any = numba.typeof
    signature = tuple(type_of(each) for each in arguments)
    function.compile(signature)
    entry_point: Callable[..., Any] = function.overloads[signature].entry_point
    return entry_point
