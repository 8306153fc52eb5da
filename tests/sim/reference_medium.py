"""A slow, obvious model of the shared air, written for the tests: what the compiled medium is compared with.

It keeps every frame of the run and nothing that could be derived from them: whenever it needs to know whether a node
finds the medium busy, how long its NAV runs, how many slots of a back-off are counted down or which frame a receiver
follows, it goes through all the frames again. The rules are those of docs/radio.md: IEEE 802.11's DCF for broadcast
and for acknowledged unicast frames. The receivers' half is in reference_radio.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reference_radio import LONG_AGO_NS, Frame, Kind, ReferenceRadio, SplitMix64

from roamcast.sim.dcf.timing import MacTiming
from roamcast.sim.radio import Propagation, Reach
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Point

END, ACT, QUEUE = range(3)
"""The order of several acts in one nanosecond; acts are sorted by node, then as follows."""
ANSWER, TIME_OUT, DATA, BEGIN, ASK = range(5)


class Request(NamedTuple):
    """Somebody wants a node to send."""

    at_ns: int
    node: int
    size_bytes: int
    to: int = -1
    """The node that it is for; -1: for all."""


class Heard(NamedTuple):
    """One line of the trace: a frame has ended, and these nodes were handed it; or a frame was given up."""

    ended_at_ns: int
    sender: int
    request: int
    receivers: list[int]
    failed: bool = False


class Interval(NamedTuple):
    """From the first nanosecond to the one after the last."""

    start_ns: int
    end_ns: int


class BackOff(NamedTuple):
    """So many slots were drawn at this time."""

    drawn_at_ns: int
    slots: int


class Answer(NamedTuple):
    """A CTS or an ACK that is due."""

    at_ns: int
    kind: Kind
    to: int
    request: int


class Awaited(NamedTuple):
    """A sender has sent an RTS or a data frame and waits for its answer."""

    kind: Kind
    until_ns: int | None
    """When it gives up unless it follows a frame; None: it does, and that frame's end decides."""


@dataclass
class Station:
    """A node's MAC."""

    draws: SplitMix64
    window: int
    queue: list[int] = field(default_factory=list)
    """The requests that wait, the one that is being sent included."""
    asks_at_ns: int | None = None
    """When the first of them will ask for the medium: the node still prepares it."""
    asked_at_ns: int | None = None
    """When the first of them asked for the medium, which it still waits for."""
    awaited: Awaited | None = None
    data_at_ns: int | None = None
    """When the data frame begins that a CTS has let through."""
    answer: Answer | None = None
    back_off: BackOff | None = None
    sent: dict[Kind, int] = field(default_factory=lambda: dict.fromkeys(Kind, 0))
    """How often the first in the queue has been sent, by kind of frame."""
    failures_ns: list[int] = field(default_factory=list)
    """When an exchange failed: the medium counts as idle from there on."""
    drops: int = 0
    lost: int = 0


class ReferenceMedium:
    """The queues and the access to the air."""

    def __init__(
        self,
        points: Sequence[Sequence[Point]],
        propagation: Propagation,
        timing: MacTiming,
        streams: RandomStreams,
        processing_ns: int = 0,
        reach: Reach | None = None,
    ) -> None:
        reach = reach or Reach.equal(propagation, len(points))
        self.radio = ReferenceRadio(points, propagation, reach, timing.detection_ns)
        self.timing = timing
        self.processing_ns = processing_ns
        self.stations = [
            Station(SplitMix64(streams.integer("mac", node)), timing.window_min) for node in range(len(points))
        ]
        self.now_ns = 0
        self.on_air: list[Frame] = []
        self.ended: list[Frame] = []
        """Every frame of any kind, in the order in which they ended."""
        self.trace: list[Heard] = []
        self._handed_over: set[int] = set()
        self._requests: Sequence[Request] = ()

    def run(self, requests: Sequence[Request], until_ns: int) -> list[Heard]:
        """Play the requests, which stand in order of time, and return the trace up to a time."""
        self._requests = requests
        queued = 0
        while True:
            due = [(frame.end_ns, END, frame.sender, 0) for frame in self.on_air]
            due += [(at_ns, ACT, node, what) for node in range(len(self.stations)) for at_ns, what in self._acts(node)]
            if queued < len(requests):
                due.append((requests[queued].at_ns, QUEUE, queued, 0))
            if not due or min(due)[0] > until_ns:
                return self.trace
            now_ns, when, which, what = min(due)
            assert now_ns >= self.now_ns
            self.now_ns = now_ns
            if when == END:
                self._end(next(each for each in self.on_air if each.sender == which), now_ns)
            elif when == ACT:
                (self._answer, self._time_out, self._send_data, self._begin, self._ask)[what](which, now_ns)
            else:
                self._queue(which, now_ns)
                queued += 1
            self._draw_where_busy(now_ns)

    def _acts(self, node: int) -> list[tuple[int, int]]:
        """Return what a node will do, and when, if nothing else happens."""
        station = self.stations[node]
        acts = {
            ANSWER: station.answer and station.answer.at_ns,
            TIME_OUT: station.awaited and station.awaited.until_ns,
            DATA: station.data_at_ns,
            BEGIN: self.send_ns(node),
            ASK: station.asks_at_ns,
        }
        return [(at_ns, what) for what, at_ns in acts.items() if at_ns is not None]

    # --- a frame's way through the queue ------------------------------------------------------------------------------

    def _queue(self, request: int, now_ns: int) -> None:
        station = self.stations[self._requests[request].node]
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

    def _begin(self, node: int, now_ns: int) -> None:
        station = self.stations[node]
        station.asked_at_ns, station.back_off = None, None
        request = station.queue[0]
        if self._requests[request].to == -1:
            self._transmit(Kind.BROADCAST, request, node, -1, now_ns)
        elif self._needs_rts(request):
            station.sent[Kind.RTS] += 1
            self._transmit(Kind.RTS, request, node, self._requests[request].to, now_ns)
        else:
            self._send_data(node, now_ns)

    def _send_data(self, node: int, now_ns: int) -> None:
        station = self.stations[node]
        station.data_at_ns = None
        station.sent[Kind.DATA] += 1
        request = station.queue[0]
        self._transmit(Kind.DATA, request, node, self._requests[request].to, now_ns)

    def _answer(self, node: int, now_ns: int) -> None:
        answer = self.stations[node].answer
        assert answer is not None
        self.stations[node].answer = None
        if not self._transmits(node):
            self._transmit(answer.kind, answer.request, node, answer.to, now_ns)

    def _time_out(self, node: int, now_ns: int) -> None:
        station = self.stations[node]
        assert station.awaited is not None
        if self.radio.followed(node, now_ns) is None:
            self._fail(node, now_ns)
        else:
            station.awaited = Awaited(station.awaited.kind, None)

    def _fail(self, node: int, now_ns: int) -> None:
        station = self.stations[node]
        station.awaited = None
        station.failures_ns.append(now_ns)
        request = station.queue[0]
        if self._needs_rts(request):
            is_last = (
                station.sent[Kind.RTS] == self.timing.short_retry_max
                or station.sent[Kind.DATA] == self.timing.long_retry_max
            )
        else:
            is_last = station.sent[Kind.DATA] == self.timing.short_retry_max
        if is_last:
            self.trace.append(Heard(now_ns, node, request, [], failed=True))
            self._leave(node, now_ns)
        else:
            station.window = min(2 * station.window + 1, self.timing.window_max)
            self._draw(node, now_ns)
            station.asked_at_ns = now_ns

    def _leave(self, node: int, now_ns: int) -> None:
        """Take the first frame out of the queue: it was sent, acknowledged or given up."""
        station = self.stations[node]
        station.queue.pop(0)
        station.sent = dict.fromkeys(Kind, 0)
        station.window = self.timing.window_min
        self._draw(node, now_ns)
        if station.queue:
            station.asked_at_ns = now_ns

    # --- a frame on the air -------------------------------------------------------------------------------------------

    def _transmit(self, kind: Kind, request: int, node: int, to: int, now_ns: int) -> None:
        timing = self.timing
        data_ns = timing.airtime_ns(self._bytes_on_air(request))
        airtime_ns, announced_ns = {
            Kind.BROADCAST: (data_ns, 0),
            Kind.DATA: (data_ns, timing.sifs_ns + timing.ack_ns),
            Kind.RTS: (timing.rts_ns, 3 * timing.sifs_ns + timing.cts_ns + data_ns + timing.ack_ns),
            Kind.CTS: (timing.cts_ns, 2 * timing.sifs_ns + data_ns + timing.ack_ns),
            Kind.ACK: (timing.ack_ns, 0),
        }[kind]
        self.on_air.append(self.radio.begin(kind, request, node, to, now_ns, airtime_ns, announced_ns))

    def _end(self, frame: Frame, now_ns: int) -> None:
        self.on_air.remove(frame)
        followers = self.radio.followers(frame)
        nav_ns = {node: self.nav_ns(node) for node in followers}
        frame.intact_at = frozenset(node for node in followers if self.radio.is_readable(node, frame))
        self.ended.append(frame)
        for node in frame.audible - frame.intact_at:
            self.stations[node].lost += frame.kind is Kind.BROADCAST or frame.to == node
        if frame.kind is Kind.BROADCAST:
            self.trace.append(Heard(now_ns, frame.sender, frame.request, frame.receivers))
            self._leave(frame.sender, now_ns)
        elif frame.kind is Kind.DATA:
            new = [] if frame.request in self._handed_over else frame.receivers
            self._handed_over.update([frame.request] * len(new))
            self.trace.append(Heard(now_ns, frame.sender, frame.request, new))
        awaited = {Kind.RTS: Kind.CTS, Kind.DATA: Kind.ACK}.get(frame.kind)
        if awaited is not None:
            self.stations[frame.sender].awaited = Awaited(awaited, now_ns + self.timing.answer_timeout_ns)
        for node in followers:
            self._read(node, frame, node in frame.receivers, now_ns, nav_ns[node])

    def _read(self, node: int, frame: Frame, is_received: bool, now_ns: int, nav_ns: int) -> None:
        """Let a node that has followed a frame to its end act on it."""
        station = self.stations[node]
        if station.awaited is not None:
            is_answer = frame.kind is station.awaited.kind and frame.sender == self._requests[station.queue[0]].to
            if not (is_received and is_answer):
                self._fail(node, now_ns)
            elif frame.kind is Kind.CTS:
                station.awaited, station.data_at_ns = None, now_ns + self.timing.sifs_ns
            else:
                station.awaited = None
                self._leave(node, now_ns)
        answer = {Kind.DATA: Kind.ACK, Kind.RTS: Kind.CTS}.get(frame.kind)
        is_held = frame.kind is Kind.RTS and nav_ns > now_ns
        if is_received and answer is not None and station.answer is None and not is_held:
            station.answer = Answer(now_ns + self.timing.sifs_ns, answer, frame.sender, frame.request)

    # --- the rules of access ------------------------------------------------------------------------------------------

    def _draw(self, node: int, now_ns: int) -> None:
        station = self.stations[node]
        station.back_off = BackOff(now_ns, station.draws.below(station.window + 1))

    def _draw_where_busy(self, now_ns: int) -> None:
        """Let every node draw that waits without a back-off and has found, or now finds, the medium busy."""
        for node, station in enumerate(self.stations):
            waits = station.asked_at_ns is not None and station.back_off is None
            if waits and (self.send_ns(node) is None or self.nav_ns(node) > now_ns):
                self._draw(node, now_ns)

    def nav_ns(self, node: int) -> int:
        """Return until when the frames for others that a node has read say that the medium is taken."""
        read = [frame for frame in self.ended if node in frame.intact_at and frame.to not in (-1, node)]
        return max((frame.end_ns + frame.announced_ns for frame in read), default=LONG_AGO_NS)

    def busy_periods(self, node: int) -> list[Interval]:
        """Return when the node sends, senses a frame or has been told to keep quiet, what overlaps or touches joined.

        The moment in which an exchange fails counts as one: it ends what was idle before.
        """
        taken = [Interval(at_ns, at_ns) for at_ns in self.stations[node].failures_ns]
        for frame in self.radio.frames:
            if frame.sender == node or node in frame.power_w:
                taken.append(Interval(frame.start_ns, frame.end_ns))
                if node in frame.intact_at and frame.to not in (-1, node):
                    taken.append(Interval(frame.end_ns, frame.end_ns + frame.announced_ns))
        periods: list[Interval] = []
        for each in sorted(taken):
            if periods and each.start_ns <= periods[-1].end_ns:
                periods[-1] = Interval(periods[-1].start_ns, max(periods[-1].end_ns, each.end_ns))
            else:
                periods.append(each)
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
        station = self.stations[node]
        if station.asked_at_ns is None or self._transmits(node):
            return None
        busy = self.busy_periods(node)
        sensed = [frame for frame in self.on_air if node in frame.power_w]
        noticed_ns = busy.pop().start_ns + self.timing.detection_ns if sensed else None
        idle_since_ns = busy[-1].end_ns if busy else LONG_AGO_NS
        if station.failures_ns:
            idle_since_ns = max(idle_since_ns, station.failures_ns[-1])
        left = self.slots_left(node, idle_since_ns)
        send_ns = max(station.asked_at_ns, idle_since_ns + self.timing.difs_ns + left * self.timing.slot_ns)
        return send_ns if noticed_ns is None or send_ns < noticed_ns else None

    # --- small questions ----------------------------------------------------------------------------------------------

    def _transmits(self, node: int) -> bool:
        return any(frame.sender == node for frame in self.on_air)

    def _bytes_on_air(self, request: int) -> int:
        return self._requests[request].size_bytes + self.timing.header_bytes

    def _needs_rts(self, request: int) -> bool:
        return self._bytes_on_air(request) > self.timing.rts_threshold_bytes
