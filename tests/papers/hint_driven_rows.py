"""Measurements as they would be if all were as the hint-driven paper says."""

from collections.abc import Iterator, Mapping
from typing import Any

from roamcast.measuring.measurements import Measurement
from roamcast.measuring.statistics import Sample

DELIVERY, COST = "delivery_ratio", "frames_per_delivery"
PROBABILITY, CREDITS, SUBSCRIBERS = "protocol.probability", "protocol.credits", "workload.subscribers"
RATE, SPEED, NODES = "workload.rate_hz", "mobility.speed_mps", "nodes.count"
Values = dict[float, tuple[float, float]]
"""Delivery and cost at each value of an axis."""

AS_CLAIMED: dict[tuple[str, str, str], Values] = {
    ("probability", PROBABILITY, "gossip"): {
        0.2: (0.2, 3.0),
        0.4: (0.5, 4.4),
        0.5: (0.7, 5.3),
        0.7: (0.9, 7.0),
        1.0: (0.95, 10.0),
    },
    ("credits", CREDITS, "hints"): {0: (0.7, 2.5), 1: (0.8, 3.0), 5: (0.9, 3.5)},
    ("credits", CREDITS, "hints, every node beacons"): {0: (0.7, 5.3), 1: (0.8, 5.5), 5: (0.9, 6.0)},
    ("subscribers", SUBSCRIBERS, "hints, no credit"): {2: (0.5, 7.0), 10: (0.7, 2.5), 90: (0.86, 0.8)},
    ("subscribers", SUBSCRIBERS, "hints, 5 credits"): {2: (0.87, 9.0), 10: (0.88, 3.5), 90: (0.9, 1.0)},
    ("subscribers", SUBSCRIBERS, "gossip, p = 0.5"): {2: (0.7, 25.0), 10: (0.7, 5.0), 90: (0.7, 0.6)},
    ("rate", RATE, "hints, no credit"): {0.5: (0.7, 2.5), 2: (0.71, 2.4), 10: (0.69, 2.3)},
    ("rate", RATE, "gossip, p = 0.5"): {0.5: (0.7, 5.5), 2: (0.65, 5.5), 10: (0.5, 5.5)},
    ("rate", RATE, "gossip, p = 1"): {0.5: (0.95, 10.0), 2: (0.85, 10.0), 10: (0.6, 10.0)},
    ("speed", SPEED, "a beacon every 1 s"): {1: (0.3, 2.5), 10: (0.5, 2.7), 40: (0.7, 3.2)},
    ("speed", SPEED, "a beacon every 20 s"): {1: (0.6, 2.2), 10: (0.7, 2.5), 40: (0.4, 3.0)},
    ("size", NODES, "hints, no credit"): {50: (0.68, 2.5), 100: (0.7, 2.4), 200: (0.71, 2.5)},
    ("size", NODES, "hints, 2 credits"): {50: (0.8, 3.5), 100: (0.81, 3.5), 200: (0.82, 3.5)},
    ("size", NODES, "gossip, p = 0.5"): {50: (0.7, 5.5), 100: (0.69, 5.5), 200: (0.68, 5.5)},
    ("size", NODES, "gossip, p = 1"): {50: (0.95, 10.0), 100: (0.94, 10.0), 200: (0.93, 10.0)},
    ("density", NODES, "hints, no credit"): {100: (0.7, 2.5), 200: (0.73, 2.5), 300: (0.75, 2.4)},
    ("density", NODES, "hints, 2 credits"): {100: (0.8, 3.5), 200: (0.82, 3.4), 300: (0.8, 3.2)},
    ("density", NODES, "gossip, p = 0.3"): {100: (0.4, 5.2), 200: (0.7, 5.3), 300: (0.8, 5.4)},
    ("density", NODES, "gossip, p = 0.5"): {100: (0.7, 5.5), 200: (0.8, 5.5), 300: (0.8, 5.6)},
    ("density", NODES, "gossip, p = 1"): {100: (0.9, 10.0), 200: (0.95, 10.0), 300: (0.8, 10.0)},
}
"""All curves, each with the sweep that it belongs to and the key on its axis."""


def rows(claimed: Mapping[tuple[str, str, str], Values] = AS_CLAIMED) -> Iterator[Measurement]:
    """Yield the measurements of all curves."""
    for (sweep, axis, curve), values in claimed.items():
        protocol = "gossip" if curve.startswith("gossip") else "hint-driven"
        for value, (delivery, cost) in values.items():
            point = {"curve": curve, "protocol.name": protocol, axis: value}
            yield row(sweep, point, DELIVERY, delivery)
            yield row(sweep, point, COST, cost)


def row(sweep: str, point: Mapping[str, Any], metric: str, mean: float) -> Measurement:
    """Return a value of thirty seeds that differ by little; costs are of a hundred deliveries in each."""
    base = 100.0 if metric == COST else 1.0
    samples = tuple(Sample(seed, (mean + 0.001 * (-1) ** seed) * base, base) for seed in range(30))
    return Measurement(sweep, point, metric, mean, mean - 0.001, mean + 0.001, 30, samples)
