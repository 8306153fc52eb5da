"""The medium against what a trusted simulator (ns-3) and theory give on small cases: docs/radio.md has the table.

A case is run with several seeds. Its mean must lie in the range that ns-3 gave over its three seeds, or within 2 % of
ns-3's mean where that is wider; to this we add two standard errors of our own mean, which the seeds tell.

The number of heartbeats received is not compared with ns-3's (82,700 to 86,600), because it does not agree: ours is
79,300 in the mean of 400 seeds (81,600 without a warm-up). It follows from the movement alone, so it is compared with
a look at every node and with theory instead. Why ns-3's three seeds have more is open; docs/radio.md has the figures.
"""

from math import exp, sqrt
from statistics import mean, stdev

import numpy as np
import pytest
from medium_play import SECOND_NS, make_medium, standing

from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.medium import Medium
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.movement import Area, Trajectories
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams

AIRTIME_S = 2_384e-6
"""512 bytes of payload at 2 Mbit/s."""


def agrees(ours: list[float], theirs: float, low: float, high: float) -> bool:
    """Tell whether the mean of our seeds is where ns-3's three were."""
    allowance = 2 * stdev(ours) / sqrt(len(ours))
    lowest, highest = min(low, 0.98 * theirs) - allowance, max(high, 1.02 * theirs) + allowance
    return lowest <= mean(ours) <= highest


def saturated(broadcasters: int, seed: int, duration_s: int = 10) -> tuple[float, float, float]:
    """Return frames sent and received by an observer per second, and the share lost, where everybody always sends."""
    places = standing(*[(10.0 * (node % 7), 10.0 * (node // 7)) for node in range(broadcasters + 1)])
    medium = make_medium(places, Range(150.0), Dcf(queue_frames_max=2), seed)
    owner: dict[int, int] = {}

    def queue(node: int, now_ns: int) -> None:
        frame = medium.enqueue(node, 512, 0, 0, now_ns)
        assert frame is not None
        owner[frame] = node

    for node in range(broadcasters):
        queue(node, 0)
        queue(node, 0)
    sent = received = 0
    while (reception := medium.advance(duration_s * SECOND_NS)) is not None:
        sent += 1
        received += broadcasters in reception.receivers
        queue(owner[reception.frame], reception.at_ns)
    return sent / duration_s, received / duration_s, 1 - received / sent


def hidden(rate: float, seed: int, duration_s: int = 200) -> float:
    """Return the share lost at B between A and C, which cannot hear each other and send as Poisson processes."""
    medium = make_medium(standing((0, 0), (100, 0), (200, 0)), Range(150.0), Dcf(queue_frames_max=1000), seed)
    random = np.random.default_rng(seed)
    arrivals = []
    for node in (0, 2):
        times_s = np.cumsum(random.exponential(1 / rate, round(1.3 * rate * duration_s)))
        arrivals += [(round(at_s * 1e9), node) for at_s in times_s[times_s < duration_s]]
    sent = received = 0

    def advance(until_ns: int) -> None:
        nonlocal sent, received
        while (reception := medium.advance(until_ns)) is not None:
            sent += 1
            received += 1 in reception.receivers

    for at_ns, node in sorted(arrivals):
        advance(at_ns)
        medium.enqueue(node, 512, 0, 0, at_ns)
    advance((duration_s + 5) * SECOND_NS)
    assert sent == len(arrivals)
    return 1 - received / sent


@pytest.mark.parametrize(
    ("broadcasters", "sent", "received", "lost"),
    [
        (2, 396.9, (373.8, 372.6, 374.7), (0.058, 0.054, 0.064)),
        (5, 451.2, (350.8, 348.9, 354.1), (0.223, 0.208, 0.231)),
        (10, 525.8, (301.7, 300.5, 303.8), (0.426, 0.419, 0.430)),
        (20, 685.6, (215.0, 212.5, 217.8), (0.686, 0.681, 0.692)),
        (50, 1244.0, (87.7, 86.6, 89.1), (0.930, 0.928, 0.931)),
    ],
)
def test_saturated_broadcasters_lose_as_much_as_in_ns_3(
    broadcasters: int, sent: float, received: tuple[float, float, float], lost: tuple[float, float, float]
) -> None:
    runs = [saturated(broadcasters, seed) for seed in range(8)]
    assert agrees([each for each, _, _ in runs], sent, sent, sent)
    assert agrees([each for _, each, _ in runs], *received)
    assert agrees([each for _, _, each in runs], *lost)


def slotted_model(broadcasters: int, rounds: int, seed: int) -> float:
    """Return the share lost where all count down slots, the lowest send together and draw anew."""
    random = np.random.default_rng(seed)
    slots = random.integers(0, 32, broadcasters)
    sent = alone = 0
    for _ in range(rounds):
        slots -= slots.min()
        senders = np.flatnonzero(slots == 0)
        sent += len(senders)
        alone += len(senders) == 1
        slots[senders] = random.integers(0, 32, len(senders))
    return 1 - alone / sent


@pytest.mark.parametrize("broadcasters", [2, 10, 50])
def test_saturated_broadcasters_lose_as_much_as_in_a_slotted_model(broadcasters: int) -> None:
    """In the model a node that draws 0 sends in the next round, and the others have not counted: as here."""
    ours = [saturated(broadcasters, seed)[2] for seed in range(8)]
    theory = slotted_model(broadcasters, 40_000, 1)
    assert mean(ours) == pytest.approx(theory, abs=0.003 + 2 * stdev(ours) / sqrt(len(ours)))


@pytest.mark.parametrize(
    ("rate", "lost"),
    [
        (20.0, (0.094, 0.092, 0.097)),
        (50.0, (0.221, 0.218, 0.227)),
        (100.0, (0.410, 0.404, 0.416)),
        (150.0, (0.565, 0.563, 0.568)),
    ],
)
def test_hidden_terminals_lose_as_much_as_in_ns_3(rate: float, lost: tuple[float, float, float]) -> None:
    assert agrees([hidden(rate, seed) for seed in range(6)], *lost)


@pytest.mark.parametrize("rate", [5.0, 20.0, 50.0])
def test_hidden_terminals_follow_the_formula(rate: float) -> None:
    """What C leaves undisturbed: it is silent when the frame begins, and does not begin until it ends.

    (1 - rho) exp(-lambda T), good for light load: at 100 frames per second it is 0.9 points off (and ns-3 1.0).
    """
    ours = [hidden(rate, seed) for seed in range(6)]
    formula = 1 - (1 - rate * AIRTIME_S) * exp(-rate * AIRTIME_S)
    assert mean(ours) == pytest.approx(formula, abs=0.003 + 2 * stdev(ours) / sqrt(len(ours)))


HEARTBEAT_AREA = Area(5000.0, 5000.0)
HEARTBEAT_NODES, HEARTBEAT_SECONDS = 150, 180
HEARTBEAT_RANGE_M = 339.0
HEARTBEAT_SEEDS = range(1, 41)
"""The first forty, none chosen: receptions scatter by 5,000 between seeds, since the number of neighbours does."""


def heartbeats(
    seed: int, warmup_s: int = 600, start: str = "cold"
) -> tuple[Medium, Trajectories, list[tuple[int, int]]]:
    """Run the heartbeat case after so much movement; return the medium, the movement and who sent when."""
    streams = RandomStreams(seed)
    until_s = warmup_s + HEARTBEAT_SECONDS + 1.0
    mobility = RandomWaypoint((10.0, 10.0), 1.0, start)
    trajectories = mobility.trajectories(HEARTBEAT_NODES, HEARTBEAT_AREA, until_s, streams)
    medium = Medium(trajectories, HEARTBEAT_AREA, Range(HEARTBEAT_RANGE_M).propagation(), Dcf().timing(), streams)
    medium.measure()
    phases_ns = [round(streams.python("phase", node).random() * 1e9) for node in range(HEARTBEAT_NODES)]
    beats = sorted(
        ((warmup_s + second) * SECOND_NS + phases_ns[node], node)
        for second in range(HEARTBEAT_SECONDS)
        for node in range(HEARTBEAT_NODES)
    )
    for at_ns, node in beats:
        while medium.advance(at_ns) is not None:
            pass
        medium.enqueue(node, 50, 0, 0, at_ns)
    while medium.advance(round(until_s * 1e9)) is not None:
        pass
    return medium, trajectories, beats


def in_range(trajectories: Trajectories, beats: list[tuple[int, int]]) -> int:
    """Count the neighbours of every sender at the time of its beat, by a look at every node."""
    count = 0
    for at_ns, node in beats:
        places_m = trajectories.positions(at_ns * 1e-9)
        offsets_m = places_m - places_m[node]
        count += int((np.hypot(offsets_m[:, 0], offsets_m[:, 1]) <= HEARTBEAT_RANGE_M).sum()) - 1
    return count


def test_every_heartbeat_is_received_or_lost_by_everyone_in_range() -> None:
    medium, trajectories, beats = heartbeats(1)
    frames, receptions = medium.totals
    assert frames == len(beats) == 27_000
    # A frame begins up to a few milliseconds after its beat, in which a neighbour moves some centimetres.
    assert receptions + sum(medium.frames_lost) == pytest.approx(in_range(trajectories, beats), abs=5)


@pytest.fixture(scope="module")
def heartbeat_media() -> list[Medium]:
    return [heartbeats(seed)[0] for seed in HEARTBEAT_SEEDS]


def test_heartbeats_reach_nearly_everyone_in_range(heartbeat_media: list[Medium]) -> None:
    """ns-3: 99.8 %. One seed in seven has less than 99.7 % (99.2 % was seen): phases are fixed, so two hidden nodes
    whose phases happen to coincide collide every second for as long as they stay near."""
    shares = [medium.totals[1] / (medium.totals[1] + sum(medium.frames_lost)) for medium in heartbeat_media]
    assert mean(shares) >= 0.997
    assert mean(shares) == pytest.approx(0.998, abs=0.001)


def expected_neighbours(pairs: int = 1_000_000) -> float:
    """Return the mean number of neighbours in the steady state, from first principles.

    A node is on a trip in proportion to the trip's length, and anywhere on it (the pause of 1 s in 260 s aside).
    """
    random = np.random.default_rng(1)
    near = count = 0
    while count < pairs:
        start, end = random.uniform(0, 5000, (2, 500_000, 2))
        taken = random.uniform(0, 5000 * sqrt(2), 500_000) < np.hypot(*(end - start).T)
        placed_m = (start + (end - start) * random.uniform(size=(500_000, 1)))[taken]
        half = len(placed_m) // 2
        apart_m = placed_m[:half] - placed_m[half : 2 * half]
        near += int((np.hypot(apart_m[:, 0], apart_m[:, 1]) <= HEARTBEAT_RANGE_M).sum())
        count += half
    return (HEARTBEAT_NODES - 1) * near / count


def test_heartbeats_in_the_steady_state_are_received_as_often_as_the_density_of_the_nodes_says() -> None:
    """About 78,300 by theory; independent of ns-3."""
    receptions = [float(heartbeats(seed, 0, "steady-state")[0].totals[1]) for seed in HEARTBEAT_SEEDS]
    expected = 0.9986 * 27_000 * expected_neighbours()
    assert mean(receptions) == pytest.approx(expected, abs=3 * stdev(receptions) / sqrt(len(receptions)))
