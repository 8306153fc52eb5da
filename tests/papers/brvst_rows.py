"""Measurements as they would be if all were as the BRVST paper says."""

from collections.abc import Iterator, Mapping
from typing import Any

from roamcast.measuring.measurements import Measurement
from roamcast.measuring.statistics import Sample

RATES = (50, 100, 200, 400)
AXES: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "subscriptions": ("workload.subscriptions_per_minute", RATES),
    "publications": ("workload.publications_per_minute", RATES),
    "speed": ("mobility.speed_mps", (0, 10, 20)),
    "grids": ("grid_m", (125, 250, 500, 1000)),
    "load": ("load_per_minute", RATES),
    "alpha": ("protocol.alpha", (0.6, 0.75, 0.9)),
    "levels": ("protocol.dyadic_levels", (5, 6, 7)),
}
"""The axis of each sweep, and its points."""
SLOW = "BRVST, 0.1 ms a filter"
VALUES: Mapping[tuple[str, str, str], tuple[float, ...]] = {
    ("subscriptions", "publication_match_s", "BRVST"): (3.0, 1.5, 1.0, 1.05),
    ("subscriptions", "publication_match_s", "DRIP"): (5.0, 3.0, 2.5, 2.0),
    ("publications", "subscription_match_s", "BRVST"): (3.0, 1.5, 1.0, 1.05),
    ("publications", "subscription_match_s", "DRIP"): (5.0, 3.0, 2.5, 2.0),
    ("subscriptions", "publication_delay_s@paired", "BRVST"): (0.3, 0.3, 0.4, 0.5),
    ("subscriptions", "publication_delay_s@paired", "DRIP"): (1.0, 1.0, 1.5, 3.0),
    ("publications", "publication_delay_s@paired", "BRVST"): (0.3, 0.3, 0.4, 0.5),
    ("publications", "publication_delay_s@paired", "DRIP"): (1.0, 1.0, 1.5, 3.0),
    ("subscriptions", "subscription_delay_s@paired", "BRVST"): (0.3, 0.3, 0.4, 0.5),
    ("subscriptions", "subscription_delay_s@paired", "DRIP"): (1.0, 1.0, 1.5, 3.0),
    ("publications", "subscription_delay_s@paired", "BRVST"): (0.3, 0.3, 0.4, 0.5),
    ("publications", "subscription_delay_s@paired", "DRIP"): (1.0, 1.0, 1.5, 3.0),
    ("publications", "publication_delay_s", "BRVST"): (0.3, 0.35, 0.4, 0.6),
    ("publications", "publication_delay_s", "DRIP"): (1.0, 1.2, 1.5, 9.0),
    ("subscriptions", "subscription_delay_s", "BRVST"): (0.3, 0.35, 0.4, 0.6),
    ("subscriptions", "subscription_delay_s", "DRIP"): (1.0, 1.2, 1.5, 9.0),
    ("speed", "match_delay_s@paired", "BRVST"): (0.5, 0.55, 0.6),
    ("speed", "match_delay_s@paired", "DRIP"): (1.5, 2.0, 6.0),
    ("speed", "match_delay_s", "BRVST"): (0.5, 0.55, 0.7),
    ("speed", "match_delay_s", "DRIP"): (1.5, 2.0, 6.0),
    ("speed", "match_s", "BRVST"): (1.0, 1.02, 1.1),
    ("speed", "match_s", "DRIP"): (2.5, 3.0, 7.0),
    ("grids", "match_delay_s", "BRVST"): (0.9, 0.6, 0.5, 0.8),
    ("grids", "match_s", "BRVST"): (1.9, 1.6, 1.5, 1.8),
    ("grids", "match_delay_s", SLOW): (0.9, 0.6, 0.5, 0.9),
    ("grids", "match_s", SLOW): (1.9, 1.6, 1.5, 1.9),
    ("grids", "storage_bytes_mean", "BRVST"): (400.0, 300.0, 200.0, 100.0),
    ("grids", "bytes_per_match", "BRVST"): (4000.0, 3000.0, 2000.0, 1000.0),
    ("load", "member_storage_bytes", "BRVST"): (300.0, 300.0, 300.0, 300.0),
    ("load", "member_storage_bytes", "TAMA"): (300.0, 300.0, 300.0, 300.0),
    ("load", "member_storage_bytes", "DRIP"): (1000.0, 1200.0, 2000.0, 4000.0),
    ("load", "broker_storage_bytes", "BRVST"): (1000.0, 2000.0, 4000.0, 8000.0),
    ("load", "broker_storage_bytes", "TAMA"): (2500.0, 5000.0, 10000.0, 20000.0),
    ("load", "broker_storage_bytes", "DRIP"): (10000.0, 20000.0, 40000.0, 80000.0),
    ("load", "control_bytes_per_node_s", "BRVST"): (200.0, 250.0, 300.0, 400.0),
    ("load", "control_bytes_per_node_s", "DRIP"): (1000.0, 1200.0, 2000.0, 9000.0),
    ("load", "event_bytes_per_match", "BRVST"): (10000.0, 9500.0, 9000.0, 8000.0),
    ("load", "event_bytes_per_match", "DRIP"): (10500.0, 12000.0, 14000.0, 40000.0),
    ("load", "bytes_per_match", "BRVST"): (20000.0, 17000.0, 15000.0, 12000.0),
    ("load", "bytes_per_match", "DRIP"): (40000.0, 38000.0, 40000.0, 90000.0),
    ("alpha", "false_positive_rate", "BRVST"): (0.38, 0.24, 0.09),
    ("alpha", "broker_storage_bytes", "BRVST"): (1000.0, 1200.0, 1500.0),
    ("alpha", "bytes_per_match", "BRVST"): (8000.0, 9000.0, 10000.0),
    ("alpha", "wasted_bytes_per_match", "BRVST"): (20.0, 12.0, 4.0),
    ("levels", "false_positive_rate", "TAMA"): (0.36, 0.15, 0.08),
    ("levels", "wasted_bytes_per_match", "TAMA"): (40.0, 20.0, 10.0),
}
"""Each metric of each curve along its axis."""


def rows() -> Iterator[Measurement]:
    """Yield the measurements of all curves, and that nearly all was delivered."""
    for (sweep, metric, curve), values in VALUES.items():
        axis, points = AXES[sweep]
        for point, value in zip(points, values, strict=True):
            yield row(sweep, {"curve": curve, axis: point}, metric, value)
    for sweep, curve in dict.fromkeys((sweep, curve) for sweep, _, curve in VALUES):
        axis, points = AXES[sweep]
        for point in points:
            yield row(sweep, {"curve": curve, axis: point}, "match_ratio", 0.95)


def row(sweep: str, point: Mapping[str, Any], metric: str, mean: float) -> Measurement:
    """Return a value of ten seeds that differ by a thousandth of it."""
    samples = tuple(Sample(seed, mean * (1 + 0.001 * (-1) ** seed)) for seed in range(10))
    return Measurement(sweep, point, metric, mean, 0.999 * mean, 1.001 * mean, 10, samples)
