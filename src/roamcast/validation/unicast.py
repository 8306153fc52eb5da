"""Acknowledged unicast: all nodes send to one node, which only answers.

Saturated senders test the doubling of the window and the retry limit; hidden ones the effect of RTS, CTS and NAV;
802.11a tests other times and rates. The number of frames given up is compared where there are enough of them, but not
with RTS: ns-3 never gives an RTS up, we do after seven attempts.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.random_streams import RandomStreams
from roamcast.validation.cases import Case, Expectation, Group, Quantity
from roamcast.validation.hidden import POSITIONS_M, A, B, C, poisson_ns
from roamcast.validation.ns3 import rate
from roamcast.validation.still_nodes import BITRATE_BPS, PAYLOAD_BYTES, SECOND_NS, medium_between

if TYPE_CHECKING:
    from roamcast.sim.dcf.medium import Medium, Reception

SENT = Quantity("data_frames_per_s", "data frames per s")
RECEIVED = Quantity("received_per_s", "received per s")
GIVEN_UP = Quantity("given_up_per_s", "given up per s", decimals=2)

RTS_ALWAYS, RTS_NEVER = 0, 1_000_000
WAITING = 3
"""The length of a saturated sender's queue, which is never empty."""
GIVEN_UP_TOLERANCE = 0.1
"""A frame is given up after seven losses in a row: 10 % of the frequency of this is 1.4 % of that of one loss."""


class _Count:
    """Counts frames sent, received and given up."""

    def __init__(self, medium: "Medium") -> None:
        self._medium = medium
        self._sent = self._received = self._given_up = 0

    def until(self, at_s: float) -> Iterator["Reception"]:
        """Run to a time, and count and yield every frame that ends."""
        while (ended := self._medium.advance(round(at_s * SECOND_NS))) is not None:
            self._given_up += ended.failed
            self._sent += not ended.failed
            self._received += len(ended.receivers)
            yield ended

    def rates(self, duration_s: float) -> Mapping[str, float]:
        """Return the counts per second."""
        return {
            SENT.name: self._sent / duration_s,
            RECEIVED.name: self._received / duration_s,
            GIVEN_UP.name: self._given_up / duration_s,
        }


def run_saturated(mac: Dcf, bitrate_bps: float, senders: int, seed: int, duration_s: float) -> Mapping[str, float]:
    """Make all nodes but the last always have frames for the last one."""
    positions_m = [(10.0 * (node % 7), 10.0 * (node // 7)) for node in range(senders + 1)]
    medium = medium_between(positions_m, mac, RandomStreams(seed), bitrate_bps)
    sender: dict[int, int] = {}

    def fill(node: int, now_ns: int) -> None:
        while (frame := medium.enqueue(node, PAYLOAD_BYTES, 0, 0, now_ns, to=senders)) is not None:
            sender[frame] = node

    for node in range(senders):
        fill(node, 0)
    count = _Count(medium)
    for ended in count.until(duration_s):
        fill(sender[ended.frame], ended.at_ns)
    return count.rates(duration_s)


def run_hidden(mac: Dcf, frames_per_s: float, seed: int, duration_s: float) -> Mapping[str, float]:
    """Make A and C, which do not hear each other, send to B at random times."""
    streams = RandomStreams(seed)
    medium = medium_between(POSITIONS_M, mac, streams)
    arrivals = sorted(
        (at_ns, node)
        for node in (A, C)
        for at_ns in poisson_ns(streams.numpy("arrivals", node), frames_per_s, duration_s)
    )
    count = _Count(medium)
    for at_ns, node in arrivals:
        for _ in count.until(at_ns / SECOND_NS):
            pass
        medium.enqueue(node, PAYLOAD_BYTES, 0, 0, at_ns, to=B)
    for _ in count.until(duration_s):
        pass
    return count.rates(duration_s)


def _expectations(reference: str) -> tuple[Expectation, ...]:
    return Expectation(SENT, rate(reference, "data_frames")), Expectation(RECEIVED, rate(reference, "received"))


def _given_up(reference: str) -> Expectation:
    return Expectation(GIVEN_UP, rate(reference, "dropped_at_retry_limit"), tolerance=GIVEN_UP_TOLERANCE)


def _saturated_case(senders: int, *, with_rts: bool) -> Case:
    mac = Dcf(queue_frames_max=WAITING, rts_threshold_bytes=RTS_ALWAYS if with_rts else RTS_NEVER)
    mode = "unicast with RTS" if with_rts else "unicast"
    return Case(
        name=f"unicast-{'rts-' if with_rts else ''}{senders}",
        title=f"{senders} senders{', RTS' if with_rts else ''}",
        run=partial(run_saturated, mac, BITRATE_BPS, senders),
        duration_s=10.0,
        quick_duration_s=5.0,
        expectations=_expectations(f"802.11b saturated {mode}, {senders} senders"),
    )


def _hidden_case(frames_per_s: int, *, with_rts: bool) -> Case:
    mac = Dcf(queue_frames_max=1_000, rts_threshold_bytes=RTS_ALWAYS if with_rts else RTS_NEVER)
    reference = f"802.11b hidden unicast{' with RTS' if with_rts else ''}, {frames_per_s} frames/s each"
    return Case(
        name=f"hidden-unicast-{'rts-' if with_rts else ''}{frames_per_s}",
        title=f"{frames_per_s} per s, each{', RTS' if with_rts else ''}",
        run=partial(run_hidden, mac, float(frames_per_s)),
        duration_s=200.0,
        quick_duration_s=200.0,  # queues grow at the highest rate, so the result depends on the time
        expectations=(*_expectations(reference), *(() if with_rts else (_given_up(reference),))),
    )


def _ofdm_case(megabits: int) -> Case:
    mac = Dcf(standard="802.11a", queue_frames_max=WAITING)
    return Case(
        name=f"unicast-80211a-{megabits}",
        title=f"5, 802.11a at {megabits}M",
        run=partial(run_saturated, mac, megabits * 1e6, 5),
        duration_s=10.0,
        quick_duration_s=2.0,
        expectations=_expectations(f"802.11a {megabits} Mbit/s saturated unicast, 5 senders"),
    )


UNICAST = Group(
    name="unicast",
    title="Saturated unicast",
    about="Nodes in range of each other always have frames for one node, which acknowledges them.",
    source="802.11b at 2 Mbit/s, 512 bytes, ACK, RTS and CTS at 1 Mbit/s (802.11a: 6 Mbit/s), five seeds of 10 s",
    cases=(
        *(_saturated_case(senders, with_rts=False) for senders in (2, 5, 10, 20)),
        *(_saturated_case(senders, with_rts=True) for senders in (2, 5, 10, 20)),
        *(_ofdm_case(megabits) for megabits in (6, 54)),
    ),
)

HIDDEN_UNICAST = Group(
    name="hidden-unicast",
    title="Hidden terminals, unicast",
    about="A and C cannot hear each other; both send frames to B at random times, and repeat unacknowledged ones.",
    source="802.11b at 2 Mbit/s, 512 bytes, hard disc of 150 m, five seeds of 200 s",
    cases=(
        *(_hidden_case(frames_per_s, with_rts=False) for frames_per_s in (20, 50, 100)),
        *(_hidden_case(frames_per_s, with_rts=True) for frames_per_s in (20, 50, 100)),
    ),
)
