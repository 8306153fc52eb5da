"""A slow, obvious model of the shared air, written for the tests: what the compiled medium is compared with.

It keeps every frame of the run and nothing that could be derived from them: whenever it needs to know whether a node
finds the medium busy, how many slots of a back-off are counted down or which frame a receiver follows, it goes
through all the frames again. The rules are IEEE 802.11's for broadcast frames (the DCF) and those of docs/radio.md.

All intervals are half open: a frame that ends in the nanosecond in which another begins does not overlap with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from roamcast.sim.mac import MacTiming
from roamcast.sim.movement import Point
from roamcast.sim.radio import DISC, Propagation
from roamcast.sim.random_streams import RandomStreams

LONG_AGO_NS = -(10**9)
END, BEGIN, ASK, QUEUE = range(4)
"""What happens first where several things happen in one nanosecond."""


class Request(NamedTuple):
    """Somebody wants a node to send."""

    at_ns: int
    node: int
    size_bytes: int


class Heard(NamedTuple):
    """One line of the trace: a frame has ended, and these nodes received it."""

    ended_at_ns: int
    sender: int
    request: int
    receivers: list[int]


class Interval(NamedTuple):
    """From the first nanosecond to the one after the last."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Frame:
    """A frame on the air, with the power that it arrives with at every node that senses it."""

    request: int
    sender: int
    start_ns: int
    end_ns: int
    power_w: dict[int, float]
    audible: frozenset[int]


class SplitMix64:
    """Steele, Lea and Flood's generator, for one node."""

    def __init__(self, state: int) -> None:
        self._state = state

    def below(self, limit: int) -> int:
        """Draw from 0 to ``limit - 1``."""
        ones = 2**64 - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & ones
        bits = self._state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & ones
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & ones
        return ((bits ^ (bits >> 31)) >> 32) % limit


class BackOff(NamedTuple):
    """So many slots were drawn at this time."""

    drawn_at_ns: int
    slots: int


@dataclass
class Station:
    """A node's MAC."""

    draws: SplitMix64
    queue: list[int] = field(default_factory=list)
    """The requests that wait, the one on the air included."""
    asks_at_ns: int | None = None
    """When the first of them will ask for the medium: the node still prepares it."""
    asked_at_ns: int | None = None
    """When the first of them asked for the medium, which it still waits for."""
    back_off: BackOff | None = None
    drops: int = 0
    lost: int = 0


class ReferenceMedium:
    """The air, the radios and the queues."""

    def __init__(
        self,
        points: Sequence[Sequence[Point]],
        propagation: Propagation,
        timing: MacTiming,
        streams: RandomStreams,
        processing_ns: int = 0,
    ) -> None:
        self.points = points
        self.propagation = propagation
        self.timing = timing
        self.processing_ns = processing_ns
        self.stations = [Station(SplitMix64(streams.integer("mac", node))) for node in range(len(points))]
        self.frames: list[Frame] = []
        """In the order in which they began."""
        self.on_air: list[Frame] = []
        self.trace: list[Heard] = []
        self._requests: Sequence[Request] = ()

    def run(self, requests: Sequence[Request], until_ns: int) -> list[Heard]:
        """Play the requests, which stand in order of time, and return the trace up to a time."""
        self._requests = requests
        queued = 0
        while True:
            due = [(frame.end_ns, END, frame.sender) for frame in self.on_air]
            for node, station in enumerate(self.stations):
                if station.asks_at_ns is not None:
                    due.append((station.asks_at_ns, ASK, node))
                send_ns = self.send_ns(node)
                if send_ns is not None:
                    due.append((send_ns, BEGIN, node))
            if queued < len(requests):
                due.append((requests[queued].at_ns, QUEUE, queued))
            if not due or min(due)[0] > until_ns:
                return self.trace
            now_ns, what, which = min(due)
            if what == END:
                self._end(which, now_ns)
            elif what == BEGIN:
                self._begin(which, now_ns)
            elif what == ASK:
                self._ask(which, now_ns)
            else:
                self._queue(which, now_ns)
                queued += 1
            self._draw_where_busy(now_ns)

    # --- what happens --------------------------------------------------------------------------------------------

    def _queue(self, request: int, now_ns: int) -> None:
        node = self._requests[request].node
        station = self.stations[node]
        if len(station.queue) == self.timing.queue_frames_max:
            station.drops += 1
            return
        station.queue.append(request)
        if len(station.queue) == 1:
            station.asks_at_ns = now_ns + station.draws.below(self.processing_ns + 1)

    def _ask(self, node: int, now_ns: int) -> None:
        station = self.stations[node]
        station.asks_at_ns, station.asked_at_ns = None, now_ns
        if self.slots_left(node, now_ns) == 0:
            station.back_off = None

    def _begin(self, sender: int, now_ns: int) -> None:
        station = self.stations[sender]
        station.asked_at_ns, station.back_off = None, None
        request = station.queue[0]
        bytes_on_air = self._requests[request].size_bytes + self.timing.header_bytes
        body_ns = -int(-bytes_on_air * 8e9 // self.propagation.bitrate_bps)
        places = [self.place(node, now_ns * 1e-9) for node in range(len(self.points))]
        power_w, audible = {}, set()
        for node, (x_m, y_m) in enumerate(places):
            dx_m, dy_m = x_m - places[sender][0], y_m - places[sender][1]
            distance_m2 = dx_m * dx_m + dy_m * dy_m
            if node != sender and distance_m2 <= self.propagation.sense_range_m**2:
                power_w[node] = self.received_w(distance_m2)
                if distance_m2 <= self.propagation.range_m**2:
                    audible.add(node)
        end_ns = now_ns + self.timing.preamble_ns + body_ns
        frame = Frame(request, sender, now_ns, end_ns, power_w, frozenset(audible))
        self.frames.append(frame)
        self.on_air.append(frame)

    def _end(self, sender: int, now_ns: int) -> None:
        frame = next(each for each in self.on_air if each.sender == sender)
        self.on_air.remove(frame)
        receivers = [node for node in sorted(frame.audible) if self.receives(node, frame)]
        for node in frame.audible - set(receivers):
            self.stations[node].lost += 1
        self.trace.append(Heard(now_ns, sender, frame.request, receivers))
        station = self.stations[sender]
        station.queue.pop(0)
        station.back_off = BackOff(now_ns, station.draws.below(self.timing.contention_window + 1))
        if station.queue:
            station.asked_at_ns = now_ns

    def _draw_where_busy(self, now_ns: int) -> None:
        """Let every node draw that waits without a back-off and has found, or now finds, the medium busy."""
        for node, station in enumerate(self.stations):
            if station.asked_at_ns is not None and station.back_off is None and self.send_ns(node) is None:
                station.back_off = BackOff(now_ns, station.draws.below(self.timing.contention_window + 1))

    # --- the rules of access ----------------------------------------------------------------------------------------

    def busy_periods(self, node: int) -> list[Interval]:
        """Return when the node sends or senses a frame, what overlaps or touches joined."""
        periods: list[Interval] = []
        for frame in self.frames:
            if frame.sender != node and node not in frame.power_w:
                continue
            if periods and frame.start_ns <= periods[-1].end_ns:
                periods[-1] = Interval(periods[-1].start_ns, max(periods[-1].end_ns, frame.end_ns))
            else:
                periods.append(Interval(frame.start_ns, frame.end_ns))
        return periods

    def slots_left(self, node: int, at_ns: int) -> int:
        """Count a back-off down over every idle gap since it was drawn: each gap costs a DIFS first."""
        back_off = self.stations[node].back_off
        if back_off is None:
            return 0
        left = back_off.slots
        busy = self.busy_periods(node)
        ends = [period.end_ns for period in busy]
        next_starts = [period.start_ns for period in busy[1:]] + [at_ns]
        for gap_start_ns, gap_end_ns in zip(ends, next_starts, strict=True):
            if gap_start_ns >= back_off.drawn_at_ns:
                idle_ns = min(gap_end_ns, at_ns) - gap_start_ns
                left -= max(0, (idle_ns - self.timing.difs_ns) // self.timing.slot_ns)
        return max(left, 0)

    def send_ns(self, node: int) -> int | None:
        """Return when the node sends if nothing else happens; None: it has nothing to send or waits for an idle medium.

        A transmission is noticed only after ``detection_ns``: who is due until then sends nevertheless.
        """
        asked_at_ns = self.stations[node].asked_at_ns
        if asked_at_ns is None:
            return None
        busy = self.busy_periods(node)
        sensed = [frame for frame in self.on_air if node in frame.power_w]
        noticed_ns = busy.pop().start_ns + self.timing.detection_ns if sensed else None
        idle_since_ns = busy[-1].end_ns if busy else LONG_AGO_NS
        left = self.slots_left(node, idle_since_ns)
        send_ns = max(asked_at_ns, idle_since_ns + self.timing.difs_ns + left * self.timing.slot_ns)
        return send_ns if noticed_ns is None or send_ns < noticed_ns else None

    # --- the rules of reception ---------------------------------------------------------------------------------------

    def receives(self, node: int, frame: Frame) -> bool:
        """Tell whether a node that is in range of a frame, which now ends, has received it."""
        if self.followed(node) is not frame:
            return False
        others = [each for each in self.frames if each is not frame and node in each.power_w]
        overlapping = [each for each in others if each.start_ns < frame.end_ns and each.end_ns > frame.start_ns]
        for moment_ns in {frame.start_ns, *(each.start_ns for each in overlapping)}:
            if moment_ns < frame.start_ns:
                continue
            there = [each.power_w[node] for each in overlapping if each.start_ns <= moment_ns < each.end_ns]
            if there and frame.power_w[node] < self.propagation.capture_ratio * sum(there):
                return False
        return True

    def followed(self, node: int) -> Frame | None:
        """Return the frame that a node's receiver follows now, or followed last.

        It follows the first that begins while it is free, or a stronger one that begins before that is noticed.
        """
        followed: Frame | None = None
        free_since_ns = first_began_ns = LONG_AGO_NS
        for frame in self.frames:
            if frame.sender == node:
                followed, free_since_ns = None, frame.end_ns
            elif node in frame.audible and frame.start_ns >= free_since_ns:
                if followed is None or followed.end_ns <= frame.start_ns:
                    followed, first_began_ns = frame, frame.start_ns
                elif (
                    frame.start_ns < first_began_ns + self.timing.detection_ns
                    and frame.power_w[node] > followed.power_w[node]
                ):
                    followed = frame
        return followed

    def received_w(self, distance_m2: float) -> float:
        """Return the power that arrives over a distance: Friis up to the crossover, two-ray ground beyond it."""
        radio = self.propagation
        if radio.law == DISC:
            return 1.0
        if distance_m2 < radio.crossover_m**2:
            return radio.near_gain_w_m2 / max(distance_m2, 1.0)
        return radio.far_gain_w_m4 / (distance_m2 * distance_m2)

    def place(self, node: int, at_s: float) -> tuple[float, float]:
        """Return where a node is: on the straight line between the points around a time."""
        points = self.points[node]
        passed = [index for index, (time_s, _, _) in enumerate(points) if time_s <= at_s]
        if not passed or passed[-1] + 1 == len(points):
            _, x_m, y_m = points[passed[-1] if passed else 0]
            return x_m, y_m
        (from_s, from_x, from_y), (to_s, to_x, to_y) = points[passed[-1] : passed[-1] + 2]
        gone_s = at_s - from_s
        return from_x + (to_x - from_x) / (to_s - from_s) * gone_s, from_y + (to_y - from_y) / (to_s - from_s) * gone_s
