"""Hidden terminals: A and C cannot hear each other; B between them hears both and loses overlapping frames.

This tests carrier sense and collisions at a receiver. The theory: a frame of A survives if C is silent when it begins
and does not begin before it ends, (1 - rho) exp(-lambda T). It is for light load: it ignores that a frame waiting for a
back-off begins as soon as that ends, and is 1 to 2 points low at 100 and 150 frames per second.
"""

from collections.abc import Mapping
from functools import partial
from math import exp

import numpy as np

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.random_streams import RandomStreams
from roamcast.validation.cases import Case, Expectation, Group, Quantity, Reference
from roamcast.validation.still_nodes import AIRTIME_S, PAYLOAD_BYTES, SECOND_NS, medium_between

LOST = Quantity("share_lost", "lost at B", is_share=True)
POSITIONS_M = [(0.0, 0.0), (100.0, 0.0), (200.0, 0.0)]
A, B, C = range(3)
EMPTYING_S = 5
"""How long the senders have to empty their queues at the end; they hold a frame or two."""


def run_hidden(rate: float, seed: int, duration_s: float) -> Mapping[str, float]:
    """Make A and C send with Poisson arrivals, each at a rate in frames per second, and count what B receives."""
    streams = RandomStreams(seed)
    medium = medium_between(POSITIONS_M, Dcf(queue_frames_max=1_000), streams)
    arrivals = sorted(
        (at_ns, node) for node in (A, C) for at_ns in poisson_ns(streams.numpy("arrivals", node), rate, duration_s)
    )
    received = 0
    for at_ns, node in [*arrivals, (round((duration_s + EMPTYING_S) * SECOND_NS), None)]:
        while (reception := medium.advance(at_ns)) is not None:
            received += B in reception.receivers
        if node is not None:
            medium.enqueue(node, PAYLOAD_BYTES, 0, 0, at_ns)
    return {LOST.name: 1 - received / len(arrivals)}


def poisson_ns(random: np.random.Generator, rate: float, duration_s: float) -> list[int]:
    """Draw the arrival times of frames at a rate per second, unordered."""
    count = random.poisson(rate * duration_s)
    return [round(at_s * SECOND_NS) for at_s in random.uniform(0, duration_s, count)]


def formula(rate: float) -> float:
    """Return the share lost by (1 - rho) exp(-lambda T)."""
    busy = rate * AIRTIME_S
    return 1 - (1 - busy) * exp(-busy)


def _case(rate: int, lost: Reference) -> Case:
    return Case(
        name=f"hidden-{rate}",
        title=f"{rate} frames per s, each",
        run=partial(run_hidden, rate),
        duration_s=200.0,
        quick_duration_s=100.0,
        expectations=(Expectation(LOST, lost, partial(formula, rate)),),
    )


HIDDEN = Group(
    name="hidden",
    title="Hidden terminals",
    about="A and C cannot hear each other and send at random times; B between them loses overlapping frames.",
    source="802.11b at 2 Mbit/s, 512 bytes, hard disc of 150 m, three seeds of 200 s",
    theory="1 - (1 - rT) exp(-rT), with r frames per s and an airtime of T s each; for light load",
    cases=(
        _case(20, Reference.percent(9.4, 9.2, 9.7)),
        _case(50, Reference.percent(22.1, 21.8, 22.7)),
        _case(100, Reference.percent(41.0, 40.4, 41.6)),
        _case(150, Reference.percent(56.5, 56.3, 56.8)),
    ),
)
