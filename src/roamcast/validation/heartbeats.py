"""Heartbeats: many moving nodes that send one small frame per second, the load of a quiet protocol.

There are hardly any collisions, so the number of receptions is the number of neighbours, and that follows from the
movement alone. It varies a lot between seeds (a standard deviation of 6 %), so the reference's three seeds say little:
it is compared with ns-3's results on its own movement over twenty seeds and, much more strictly, with those on exactly
our movement and phases. The movement begins with the measurement, as in ns-3. One seed in seven loses more than 0.3 %:
phases are fixed, so two hidden nodes whose phases happen to coincide collide every second for as long as they stay
near.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area, Trajectories
from roamcast.validation.cases import Case, Expectation, Group, Quantity, Reference
from roamcast.validation.ns3 import own_heartbeats, same_heartbeats
from roamcast.validation.still_nodes import SECOND_NS

if TYPE_CHECKING:
    from roamcast.sim.dcf.medium import Medium

FRAMES = Quantity("frames", "frames sent", decimals=0)
RECEPTIONS = Quantity("receptions", "receptions", decimals=0)
APART = Quantity("receptions_apart", "apart, same movement", decimals=1)
SHARE = Quantity("share_received", "received of those in range", decimals=2, is_share=True)

AREA = Area(5000.0, 5000.0)
NODES = 150
RANGE_M = 339.0
PAYLOAD_BYTES = 50
SPEED_MPS, PAUSE_S = 10.0, 1.0

Beat = tuple[int, int]
"""A time in nanoseconds and the node that sends then."""


def play_heartbeats(
    seed: int, duration_s: int, start: str = "cold", warmup_s: int = 0
) -> tuple["Medium", Trajectories, list[Beat]]:
    """Run the heartbeats after a warm-up; return the medium, the movement, and who sent when."""
    from roamcast.sim.dcf.medium import Medium  # here: the list of cases need not wait for Numba

    streams = RandomStreams(seed)
    end_s = warmup_s + duration_s + 1
    mobility = RandomWaypoint((SPEED_MPS, SPEED_MPS), PAUSE_S, start)
    movement = mobility.trajectories(NODES, AREA, float(end_s), streams)
    radio = Range(RANGE_M)
    medium = Medium(movement, AREA, radio.propagation(), Dcf().timing(radio.bitrate_bps), streams)
    medium.measure(0)
    phases_ns = [round(streams.python("protocol", node).random() * SECOND_NS) for node in range(NODES)]
    seconds = range(warmup_s, warmup_s + duration_s)
    beats = sorted((second * SECOND_NS + phases_ns[node], node) for second in seconds for node in range(NODES))
    for at_ns, node in beats:
        while medium.advance(at_ns) is not None:
            pass
        medium.enqueue(node, PAYLOAD_BYTES, 0, 0, at_ns)
    while medium.advance((warmup_s + duration_s) * SECOND_NS) is not None:
        pass
    return medium, movement, beats


def run_heartbeats(seed: int, duration_s: float) -> Mapping[str, float]:
    """Run the heartbeats and count frames and receptions."""
    medium, _, _ = play_heartbeats(seed, round(duration_s))
    frames, receptions = medium.totals
    in_range = receptions + sum(medium.frames_lost)
    outcome: dict[str, float] = {FRAMES.name: frames, RECEPTIONS.name: receptions, SHARE.name: receptions / in_range}
    theirs = same_heartbeats()
    if seed <= len(theirs):  # ns-3 was given the movement of these seeds
        outcome[APART.name] = abs(receptions - theirs[seed - 1])
    return outcome


HEARTBEATS = Group(
    name="heartbeats",
    title="Heartbeats",
    about="150 nodes move at 10 m/s on 5 x 5 km; each broadcasts 50 bytes once a second.",
    source="802.11b at 2 Mbit/s, hard disc of 339 m, random waypoint of its own and ours, 180 s, 20 seeds",
    cases=(
        Case(
            name="heartbeats-150",
            title="150 nodes",
            run=run_heartbeats,
            duration_s=180.0,
            quick_duration_s=180.0,  # receptions are counted, and the density changes with time
            expectations=(
                Expectation(FRAMES, Reference(27_000.0)),
                Expectation(RECEPTIONS, own_heartbeats()),
                Expectation(
                    replace(RECEPTIONS, title="receptions, ns-3's first 3"),
                    Reference(None, 82_700.0, 86_600.0, last_digit=100.0),
                    remark="Those three seeds had more neighbours than most: the number varies by 6 % between seeds, "
                    "in ns-3 as here, and on the same movement both give the same number (docs/radio.md).",
                    is_judged=False,
                ),
                Expectation(APART, Reference(0.0, 0.0, 1.0)),
                # A tolerance of 2 % would accept ten times the losses.
                Expectation(SHARE, Reference.percent(99.8), tolerance=0.001),
            ),
        ),
    ),
)
