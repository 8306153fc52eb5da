"""Measurements as they would be if all were as the tree group paper says."""

from collections.abc import Iterator, Mapping
from typing import Any

from roamcast.measuring.measurements import Measurement
from roamcast.measuring.statistics import Sample

SPEED, NODES, LOCAL = "mobility.speed_mps", "nodes.count", "workload.local_fraction"
DELIVERY, LATENCY, MEMORY = "delivery_ratio", "latency_mean_s", "storage_bytes_mean"
NOTIFICATION, MAINTENANCE = "event_frames_per_node", "control_frames_per_node"

BY_SPEED: dict[str, dict[float, tuple[float, float, float]]] = {
    "flooding": {2: (0.97, 100.0, 0.0), 10: (0.96, 100.0, 0.0), 25: (0.95, 100.0, 0.0)},
    "flooding, TTL 30": {2: (0.98, 150.0, 0.0), 10: (0.97, 150.0, 0.0), 25: (0.96, 150.0, 0.0)},
    "subscription tree": {2: (0.8, 15.0, 25.0), 10: (0.6, 15.0, 30.0), 25: (0.4, 15.0, 35.0)},
    "tree groups": {2: (0.95, 10.0, 5.0), 10: (0.93, 10.0, 6.0), 25: (0.9, 10.0, 7.0)},
}
"""Delivery, and messages with events and without, at each speed."""
BY_LEVELS: dict[str, tuple[float, float, float]] = {
    "flooding": (100.0, 0.0, 0.0),
    "subscription tree": (15.0, 25.0, 1000.0),
    "tree groups, 3 levels": (10.0, 5.0, 70.0),
    "tree groups, 6 levels": (11.0, 6.0, 80.0),
}
"""Messages with events and without, and memory."""
BY_SIZE: dict[tuple[str, float], dict[int, float]] = {
    ("flooding", 0.25): {500: 0.04, 700: 0.05},
    ("subscription tree", 0.25): {500: 0.08, 700: 0.1},
    ("tree groups", 0.25): {500: 0.085, 700: 0.095},
    ("flooding", 0.75): {500: 0.02, 700: 0.03},
    ("subscription tree", 0.75): {500: 0.07, 700: 0.08},
    ("tree groups", 0.75): {500: 0.022, 700: 0.034},
}
"""Latency by the number of nodes, for each share of local events."""


def rows() -> Iterator[Measurement]:
    """Yield the measurements of all curves."""
    for curve, speeds in BY_SPEED.items():
        for speed, values in speeds.items():
            for metric, value in zip((DELIVERY, NOTIFICATION, MAINTENANCE), values, strict=True):
                yield row("speed", {"curve": curve, SPEED: speed}, metric, value)
    for curve, values in BY_LEVELS.items():
        for metric, value in zip((NOTIFICATION, MAINTENANCE, MEMORY), values, strict=True):
            yield row("levels", {"curve": curve}, metric, value)
    for (curve, share), sizes in BY_SIZE.items():
        for size, latency_s in sizes.items():
            yield row("size", {"curve": curve, NODES: size, LOCAL: share}, LATENCY, latency_s)


def row(sweep: str, point: Mapping[str, Any], metric: str, mean: float) -> Measurement:
    """Return a value of ten seeds that differ by a thousandth of it."""
    samples = tuple(Sample(seed, mean * (1 + 0.001 * (-1) ** seed)) for seed in range(10))
    return Measurement(sweep, point, metric, mean, 0.999 * mean, 1.001 * mean, 10, samples)
