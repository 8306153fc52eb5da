"""Measurements as they would be if all were as the hint-driven paper says."""

from collections.abc import Iterator, Mapping
from typing import Any

from roamcast.measuring.measurements import Measurement
from roamcast.measuring.statistics import Sample

DELIVERY, COST, COLLISIONS = "delivery_ratio", "frames_per_delivery", "frames_lost_ratio"
PROBABILITY, CREDITS, SUBSCRIBERS = "protocol.probability", "protocol.credits", "workload.subscribers"
RATE, SPEED, NODES = "workload.rate_hz", "mobility.speed_mps", "nodes.count"
CurveName = tuple[str, str, str]
"""A sweep, the key on its axis, and the label of a curve."""
Values = dict[float, tuple[float, ...]]
"""Delivery, cost and, where a claim asks for it, the share of frames that collisions destroy, by value of an axis."""

GOSSIP: CurveName = ("probability", PROBABILITY, "gossip")
HINTS: CurveName = ("credits", CREDITS, "hints")
NO_CREDIT, FIVE_CREDITS, FEW_GOSSIP = (
    ("subscribers", SUBSCRIBERS, label) for label in ("hints, no credit", "hints, 5 credits", "gossip, p = 0.5")
)
RATE_HINTS, RATE_GOSSIP, RATE_FLOODING = (
    ("rate", RATE, label) for label in ("hints, no credit", "gossip, p = 0.5", "gossip, p = 1")
)
SHORTEST, SHORT, MIDDLE, LONG, LONGEST = (
    ("speed", SPEED, f"a beacon every {interval_s:g} s") for interval_s in (1, 2.5, 5, 10, 20)
)
SIZE_HINTS, SIZE_CREDITS, SIZE_GOSSIP, SIZE_FLOODING = (
    ("size", NODES, label) for label in ("hints, no credit", "hints, 2 credits", "gossip, p = 0.5", "gossip, p = 1")
)
DENSE_HINTS, DENSE_CREDITS, DENSE_LOW, DENSE_GOSSIP, DENSE_FLOODING = (
    ("density", NODES, label)
    for label in ("hints, no credit", "hints, 2 credits", "gossip, p = 0.3", "gossip, p = 0.5", "gossip, p = 1")
)

AS_CLAIMED: dict[CurveName, Values] = {
    GOSSIP: {
        0.1: (0.05, 1.5),
        0.3: (0.15, 3.2),
        0.4: (0.3, 4.3),
        0.5: (0.5, 5.1),
        0.6: (0.75, 5.7),
        0.7: (0.88, 7.0),
        0.8: (0.92, 8.0),
        1.0: (0.95, 10.0),
    },
    HINTS: {0: (0.7, 2.5), 1: (0.8, 3.0), 5: (0.87, 3.3), 10: (0.9, 3.6)},
    NO_CREDIT: {2: (0.5, 7.0), 10: (0.7, 2.5), 90: (0.86, 0.8)},
    FIVE_CREDITS: {2: (0.87, 9.0), 10: (0.88, 3.5), 90: (0.9, 1.0)},
    FEW_GOSSIP: {2: (0.7, 25.0), 10: (0.7, 5.0), 90: (0.7, 0.6)},
    RATE_HINTS: {0.5: (0.7, 2.5, 0.01), 2: (0.71, 2.4, 0.01), 10: (0.69, 2.3, 0.03)},
    RATE_GOSSIP: {0.5: (0.7, 5.5, 0.1), 2: (0.65, 5.5, 0.15), 10: (0.5, 5.5, 0.3)},
    RATE_FLOODING: {0.5: (0.95, 10.0, 0.2), 2: (0.85, 10.0, 0.3), 10: (0.6, 10.0, 0.5)},
    SHORTEST: {1: (0.2, 6.0), 5: (0.3, 5.0), 10: (0.5, 3.5), 40: (0.65, 3.4)},
    SHORT: {1: (0.3, 3.0), 5: (0.5, 2.5), 10: (0.65, 2.6), 40: (0.7, 2.9)},
    MIDDLE: {1: (0.4, 2.3), 5: (0.6, 2.45), 10: (0.7, 2.6), 40: (0.68, 2.95)},
    LONG: {1: (0.5, 2.2), 5: (0.65, 2.4), 10: (0.7, 2.55), 40: (0.6, 2.9)},
    LONGEST: {1: (0.6, 2.1), 5: (0.65, 2.4), 10: (0.6, 2.5), 40: (0.5, 2.8)},
    SIZE_HINTS: {50: (0.5, 4.0), 100: (0.7, 2.4), 200: (0.71, 2.5)},
    SIZE_CREDITS: {50: (0.6, 5.0), 100: (0.81, 3.5), 200: (0.8, 3.5)},
    SIZE_GOSSIP: {50: (0.5, 5.5), 100: (0.69, 5.5), 200: (0.68, 5.5)},
    SIZE_FLOODING: {50: (0.7, 10.0), 100: (0.94, 10.0), 200: (0.93, 10.0)},
    DENSE_HINTS: {50: (0.3, 5.0, 0.01), 100: (0.7, 2.5, 0.02), 200: (0.73, 2.5, 0.1), 500: (0.75, 2.4, 0.3)},
    DENSE_CREDITS: {50: (0.4, 6.0, 0.01), 100: (0.8, 3.5, 0.02), 200: (0.82, 3.4, 0.1), 500: (0.8, 3.0, 0.3)},
    DENSE_LOW: {50: (0.2, 3.2, 0.01), 100: (0.4, 3.2, 0.05), 200: (0.7, 3.1, 0.1), 500: (0.8, 3.0, 0.3)},
    DENSE_GOSSIP: {50: (0.3, 5.5, 0.02), 100: (0.7, 5.5, 0.1), 200: (0.8, 5.5, 0.2), 500: (0.8, 5.6, 0.5)},
    DENSE_FLOODING: {50: (0.5, 10.0, 0.1), 100: (0.9, 10.0, 0.3), 200: (0.95, 10.0, 0.4), 500: (0.8, 10.0, 0.7)},
}
"""All curves; the points that no claim judges (50 nodes, 1 m/s, a beacon every 1 or 20 s) are not as it says."""


def rows(claimed: Mapping[CurveName, Values] = AS_CLAIMED) -> Iterator[Measurement]:
    """Yield the measurements of all curves."""
    for (sweep, axis, curve), values in claimed.items():
        protocol = "gossip" if curve.startswith("gossip") else "hint-driven"
        for value, found in values.items():
            point = {"curve": curve, "protocol.name": protocol, axis: value}
            for metric, mean in zip((DELIVERY, COST, COLLISIONS), found, strict=False):
                yield row(sweep, point, metric, mean)


def row(sweep: str, point: Mapping[str, Any], metric: str, mean: float) -> Measurement:
    """Return a value of thirty seeds that differ by little; costs are of a hundred deliveries in each."""
    base = 100.0 if metric == COST else 1.0
    samples = tuple(Sample(seed, (mean + 0.001 * (-1) ** seed) * base, base) for seed in range(30))
    return Measurement(sweep, point, metric, mean, mean - 0.001, mean + 0.001, 30, samples)
