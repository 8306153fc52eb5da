"""The saturated and the hidden-terminal cases of docs/radio.md, ours beside ns-3's.

ns-3: 802.11b ad hoc, broadcast, a hard disc of 150 m, 2 Mbit/s, 512 bytes; the mean of three seeds. The tests check
the same cases (tests/sim/test_medium_truth.py); this prints the figures.
"""

from statistics import mean, stdev

import numpy as np

from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.medium import Medium
from roamcast.sim.movement import Area, Trajectories
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams

SATURATED_NS3 = {2: (373.8, 0.058), 5: (350.8, 0.223), 10: (301.7, 0.426), 20: (215.0, 0.686), 50: (87.7, 0.930)}
"""Broadcasters: frames per second that a silent observer received, and the share lost."""
HIDDEN_NS3 = {20: 0.094, 50: 0.221, 100: 0.410, 150: 0.565}
"""Frames per second of each of two hidden senders: the share lost between them."""
PAYLOAD_BYTES = 512


def _medium(places: list[tuple[float, float]], seed: int) -> Medium:
    standing = Trajectories.from_points([[(0.0, x_m, y_m)] for x_m, y_m in places])
    mac = Dcf(queue_frames_max=1_000)
    medium = Medium(standing, Area(300.0, 300.0), Range(150.0).propagation(), mac.timing(), RandomStreams(seed))
    medium.report_every_frame()
    return medium


def saturated(broadcasters: int, seed: int, duration_s: int = 10) -> tuple[float, float]:
    """Return frames per second at the observer, and the share lost."""
    medium = _medium([(10.0 * (node % 7), 10.0 * (node // 7)) for node in range(broadcasters + 1)], seed)
    owner = {medium.enqueue(node, PAYLOAD_BYTES, 0, 0, 0): node for node in range(broadcasters) for _ in range(2)}
    sent = received = 0
    while (reception := medium.advance(duration_s * 10**9)) is not None:
        sent += 1
        received += broadcasters in reception.receivers
        node = owner[reception.frame]
        owner[medium.enqueue(node, PAYLOAD_BYTES, 0, 0, reception.at_ns)] = node
    return received / duration_s, 1 - received / sent


def hidden(rate: int, seed: int, duration_s: int = 200) -> float:
    """Return the share lost at the node between two Poisson senders."""
    medium = _medium([(0.0, 0.0), (100.0, 0.0), (200.0, 0.0)], seed)
    random = np.random.default_rng(seed)
    counts = random.poisson(rate * duration_s, 2)
    arrivals = sorted(
        (int(at_ns), node)
        for node, count in zip((0, 2), counts, strict=True)
        for at_ns in random.integers(0, duration_s * 10**9, count)
    )
    received = 0
    for at_ns, node in [*arrivals, ((duration_s + 5) * 10**9, -1)]:
        while (reception := medium.advance(at_ns)) is not None:
            received += 1 in reception.receivers
        if node >= 0:
            medium.enqueue(node, PAYLOAD_BYTES, 0, 0, at_ns)
    return 1 - received / len(arrivals)


def table(seeds: int) -> list[dict[str, float | str]]:
    """Return one row a figure: the case, ns-3's, our mean and our standard deviation between seeds."""
    rows: list[dict[str, float | str]] = []

    def add(case: str, theirs: float, ours: list[float]) -> None:
        rows.append({"case": case, "ns3": theirs, "ours": mean(ours), "sd_between_seeds": stdev(ours)})

    for broadcasters, (received, lost) in SATURATED_NS3.items():
        runs = [saturated(broadcasters, seed) for seed in range(1, seeds + 1)]
        add(f"{broadcasters} saturated: received per s", received, [each for each, _ in runs])
        add(f"{broadcasters} saturated: lost", lost, [each for _, each in runs])
    for rate, lost in HIDDEN_NS3.items():
        add(f"hidden, {rate} frames/s each: lost", lost, [hidden(rate, seed) for seed in range(1, seeds + 1)])
    return rows
