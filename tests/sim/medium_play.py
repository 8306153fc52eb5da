"""Play a list of requests on the compiled medium or on the reference model, and write down all that can be seen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from reference_medium import Heard, ReferenceMedium, Request
from reference_radio import Frame, Kind, SplitMix64

from roamcast.sim.dcf.medium import DIGEST_START, Medium
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.dcf.records import (
    KIND_ACK,
    KIND_CTS,
    KIND_RTS,
    RECEIVED,
    RECEIVED_BYTES,
    SENT,
    SENT_BYTES,
    SENT_EVENTS,
    SENT_PAYLOAD_BYTES,
)
from roamcast.sim.radio import RadioModel, Reach
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Point, Trajectories

SECOND_NS = 1_000_000_000
LONG_AFTER_NS = 10**17
"""When every frame has ended; one that has not would be on the air for years."""
CONTROL = {Kind.RTS: (KIND_RTS, 20), Kind.CTS: (KIND_CTS, 14), Kind.ACK: (KIND_ACK, 14)}
"""The kinds of the control frames in the tables of traffic, and their bytes (IEEE 802.11-1999, 7.2.1)."""

Air = list[tuple[int, int, list[int]]]
"""Frames of any kind: when each ended, its sender, and who received it of those whom it is for."""


@dataclass(frozen=True)
class Played:
    """The results of the requests."""

    medium: Medium
    trace: list[Heard]
    refused: list[int]
    """The requests that found the queue full."""


@dataclass(frozen=True)
class Seen:
    """Everything that can be seen of a run."""

    trace: list[Heard]
    """By time; what happens in one nanosecond, by sender."""
    totals: tuple[int, int]
    digest: int
    queue_drops: list[int]
    frames_lost: list[int]
    transmit_ns: list[int]
    receive_ns: list[int]
    traffic: dict[tuple[int, int, int], int]
    """The values that are not zero, by node, kind and column."""


def standing(*places: tuple[float, float]) -> list[list[Point]]:
    """Return nodes that never move."""
    return [[(0.0, x_m, y_m)] for x_m, y_m in places]


def request_kind(request: int) -> int:
    """Return the kind of message that a request is played with: one of three, so that mixing them up shows."""
    return request % 3


def request_events(request: int) -> int:
    """Return how many events a request is played with."""
    return request % 4


def make_medium(
    points: Sequence[Sequence[Point]],
    radio: RadioModel,
    mac: Dcf | None = None,
    seed: int = 1,
    processing_s_max: float = 0.0,
    area: Area | None = None,
    reach: Reach | None = None,
    measured: bool = True,
    every_frame: bool = True,
) -> Medium:
    """Return a medium that reports and counts every frame from the start, unless told otherwise."""
    propagation = radio.propagation()
    medium = Medium(
        Trajectories.from_points([list(each) for each in points]),
        area or Area(1000.0, 1000.0),
        propagation,
        (mac or Dcf()).timing(propagation.bitrate_bps),
        RandomStreams(seed),
        processing_s_max,
        reach or radio.reach(len(points), RandomStreams(seed)),
    )
    if every_frame:
        medium.report_every_frame()
    if measured:
        medium.measure(0)
    return medium


def make_reference(
    points: Sequence[Sequence[Point]],
    radio: RadioModel,
    mac: Dcf | None = None,
    seed: int = 1,
    processing_ns: int = 0,
    reach: Reach | None = None,
) -> ReferenceMedium:
    """Return the slow model of the same."""
    propagation = radio.propagation()
    timing = (mac or Dcf()).timing(propagation.bitrate_bps)
    reach = reach or radio.reach(len(points), RandomStreams(seed))
    return ReferenceMedium(points, propagation, timing, RandomStreams(seed), processing_ns, reach)


def play(medium: Medium, requests: Iterable[Request], until_ns: int) -> Played:
    """Queue every request at its time and run to a time."""
    trace: list[Heard] = []
    refused: list[int] = []
    of_frame: dict[int, tuple[int, int]] = {}

    def advance(to_ns: int) -> None:
        while (reception := medium.advance(to_ns)) is not None:
            number, sender = of_frame[reception.frame]
            trace.append(Heard(reception.at_ns, sender, number, reception.receivers, reception.failed))

    for number, request in enumerate(requests):
        advance(request.at_ns)
        kind, events = request_kind(number), request_events(number)
        frame = medium.enqueue(request.node, request.size_bytes, kind, events, request.at_ns, request.to)
        if frame is None:
            refused.append(number)
        else:
            of_frame[frame] = (number, request.node)
    advance(until_ns)
    return Played(medium, trace, refused)


def seen(played: Played) -> Seen:
    """Return what can be seen of the compiled medium."""
    medium = played.medium
    table = medium.traffic
    return Seen(
        trace=sorted(played.trace),
        totals=medium.totals,
        digest=medium.digest,
        queue_drops=medium.queue_drops,
        frames_lost=medium.frames_lost,
        transmit_ns=medium.transmit_ns(LONG_AFTER_NS),
        receive_ns=medium.receive_ns(LONG_AFTER_NS),
        traffic={(int(n), int(k), int(c)): int(table[n, k, c]) for n, k, c in zip(*np.nonzero(table), strict=True)},
    )


def seen_in_reference(reference: ReferenceMedium, requests: Sequence[Request]) -> Seen:
    """Return the same of the model, from the list of all its frames; none of them is still on the air."""
    frames = reference.ended
    nodes = range(len(reference.stations))
    assert len(frames) == len(reference.radio.frames)
    return Seen(
        trace=sorted(reference.trace),
        totals=(len(frames), sum(len(frame.receivers) for frame in frames)),
        digest=digest_of([(frame.end_ns, frame.sender, frame.receivers) for frame in frames]),
        queue_drops=[station.drops for station in reference.stations],
        frames_lost=[station.lost for station in reference.stations],
        transmit_ns=[sum(each.end_ns - each.start_ns for each in frames if each.sender == node) for node in nodes],
        receive_ns=[sum(each.until_ns - each.since_ns for each in reference.radio.followings(node)) for node in nodes],
        traffic=traffic_of(frames, requests, reference.timing.header_bytes),
    )


def digest_of(air: Air) -> int:
    """Fold frames of any kind (end, sender, receivers) as FNV-1a does, a word at a time."""
    digest = DIGEST_START
    for ended_at_ns, sender, receivers in air:
        for word in (ended_at_ns, sender, *receivers):
            digest = ((digest ^ word) * 0x100000001B3) & (2**64 - 1)
    return digest


def traffic_of(
    frames: Iterable[Frame], requests: Sequence[Request], header_bytes: int
) -> dict[tuple[int, int, int], int]:
    """Add up what every node sent and received."""
    table: dict[tuple[int, int, int], int] = {}
    for frame in frames:
        payload_bytes = requests[frame.request].size_bytes
        kind, size_bytes = request_kind(frame.request), payload_bytes + header_bytes
        events = request_events(frame.request)
        if frame.kind in CONTROL:
            (kind, size_bytes), payload_bytes, events = CONTROL[frame.kind], 0, 0
        entries = [
            (frame.sender, SENT, 1),
            (frame.sender, SENT_BYTES, size_bytes),
            (frame.sender, SENT_PAYLOAD_BYTES, payload_bytes),
            (frame.sender, SENT_EVENTS, events),
        ]
        for node in frame.receivers:
            entries += [(node, RECEIVED, 1), (node, RECEIVED_BYTES, size_bytes)]
        for node, column, value in entries:
            table[node, kind, column] = table.get((node, kind, column), 0) + value
    return {place: value for place, value in table.items() if value}


def slots(node: int, windows: Sequence[int], seed: int = 1) -> list[int]:
    """Return a node's first back-offs; the draw before the first belongs to its first frame's preparation."""
    draws = SplitMix64(RandomStreams(seed).integer("mac", node))
    draws.below(1)
    return [draws.below(window + 1) for window in windows]


def seed_where(node: int, windows: Sequence[int], *expected: int) -> int:
    """Return a seed with which a node draws so."""
    return next(seed for seed in range(100_000) if slots(node, windows, seed)[: len(expected)] == list(expected))


def check_example(
    points: list[list[Point]],
    requests: list[Request],
    air: Air | None,
    trace: list[Heard],
    mac: Dcf | None = None,
    seed: int = 1,
    reach: Reach | None = None,
) -> Seen:
    """Play requests on the medium and on the model, with discs of 150 m; check what was sent and what was reported."""
    medium = seen(play(make_medium(points, Range(150.0), mac, seed, reach=reach), requests, 10 * SECOND_NS))
    reference = make_reference(points, Range(150.0), mac, seed, reach=reach)
    reference.run(requests, 10 * SECOND_NS)
    if air is not None:
        assert [(frame.end_ns, frame.sender, frame.receivers) for frame in reference.ended] == air
    assert sorted(reference.trace) == sorted(trace)
    assert medium.trace == sorted(trace)
    if air is not None:
        assert medium.digest == digest_of(air)
    assert medium == seen_in_reference(reference, requests)
    return medium
