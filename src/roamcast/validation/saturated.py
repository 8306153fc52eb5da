"""Saturated broadcasters: all nodes hear each other and always have a frame to send, so only back-offs separate them.

This tests the MAC's contention alone. The theory is a slotted model: all count down slots, those with the fewest send
together and draw again, and a frame gets through if it was alone.
"""

from collections.abc import Mapping
from functools import cache, partial

import numpy as np

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.random_streams import RandomStreams
from roamcast.validation.cases import Case, Expectation, Group, Quantity, Reference
from roamcast.validation.still_nodes import AIRTIME_S, PAYLOAD_BYTES, SECOND_NS, medium_between

SENT = Quantity("frames_sent_per_s", "sent per s")
RECEIVED = Quantity("frames_received_per_s", "received per s")
LOST = Quantity("share_lost", "lost", is_share=True)

DRAWS, SLOT_S, DIFS_S = 32, 20e-6, 50e-6
"""802.11b: a back-off is one of 0 to 31 slots."""
MODEL_COPIES, MODEL_ROUNDS = 200, 2_000
"""400,000 rounds: the share lost is within 0.1 points of its limit."""


def run_saturated(broadcasters: int, seed: int, duration_s: float) -> Mapping[str, float]:
    """Make all nodes but the last send all the time, and count what the last one receives."""
    positions_m = [(10.0 * (node % 7), 10.0 * (node // 7)) for node in range(broadcasters + 1)]
    medium = medium_between(positions_m, Dcf(queue_frames_max=2), RandomStreams(seed))
    # Two frames each, and a new one for each that ends, so that queues are never empty.
    sender = {medium.enqueue(node, PAYLOAD_BYTES, 0, 0, 0): node for node in range(broadcasters) for _ in range(2)}
    sent = received = 0
    while (reception := medium.advance(round(duration_s * SECOND_NS))) is not None:
        sent += 1
        received += broadcasters in reception.receivers
        node = sender.pop(reception.frame)
        sender[medium.enqueue(node, PAYLOAD_BYTES, 0, 0, reception.at_ns)] = node
    return {SENT.name: sent / duration_s, RECEIVED.name: received / duration_s, LOST.name: 1 - received / sent}


@cache
def slotted_model(broadcasters: int) -> Mapping[str, float]:
    """Return the results of a slotted model, from many independent copies of it."""
    random = np.random.Generator(np.random.PCG64(1))
    slots = random.integers(0, DRAWS, (MODEL_COPIES, broadcasters))
    sent = alone = waited = 0
    for _ in range(MODEL_ROUNDS):
        fewest = slots.min(axis=1, keepdims=True)
        slots -= fewest
        sending = slots == 0
        senders = sending.sum(axis=1)
        sent, alone, waited = sent + senders.sum(), alone + (senders == 1).sum(), waited + fewest.sum()
        slots[sending] = random.integers(0, DRAWS, senders.sum())
    elapsed_s = MODEL_COPIES * MODEL_ROUNDS * (DIFS_S + AIRTIME_S) + waited * SLOT_S
    return {
        SENT.name: float(sent / elapsed_s),
        RECEIVED.name: float(alone / elapsed_s),
        LOST.name: float(1 - alone / sent),
    }


def _modelled(broadcasters: int, quantity: Quantity) -> float:
    return slotted_model(broadcasters)[quantity.name]


def _case(
    broadcasters: int, sent: float, received: tuple[float, float, float], percent_lost: tuple[float, float, float]
) -> Case:
    references = {
        SENT: Reference(sent),
        RECEIVED: Reference(*received, last_digit=0.1),
        LOST: Reference.percent(*percent_lost),
    }
    return Case(
        name=f"saturated-{broadcasters}",
        title=f"{broadcasters} broadcasters",
        run=partial(run_saturated, broadcasters),
        duration_s=10.0,
        quick_duration_s=5.0,
        expectations=tuple(
            Expectation(quantity, reference, partial(_modelled, broadcasters, quantity))
            for quantity, reference in references.items()
        ),
    )


SATURATED = Group(
    name="saturated",
    title="Saturated broadcasters",
    about="Nodes in range of each other broadcast all the time; a silent one counts what it receives.",
    source="802.11b at 2 Mbit/s, 512 bytes, hard disc of 150 m, three seeds of 10 s",
    theory="a slotted model: all count down slots, those with the fewest left send together",
    cases=(
        _case(2, 396.9, (373.8, 372.6, 374.7), (5.8, 5.4, 6.4)),
        _case(5, 451.2, (350.8, 348.9, 354.1), (22.3, 20.8, 23.1)),
        _case(10, 525.8, (301.7, 300.5, 303.8), (42.6, 41.9, 43.0)),
        _case(20, 685.6, (215.0, 212.5, 217.8), (68.6, 68.1, 69.2)),
        _case(50, 1244.0, (87.7, 86.6, 89.1), (93.0, 92.8, 93.1)),
    ),
)
