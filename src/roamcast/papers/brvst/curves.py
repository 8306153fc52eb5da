"""What the BRVST paper's figures have in common: curves, axes, metrics, and how its words are read."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.papers.shared.curves import Curve, rows_along

SUBSCRIPTIONS, PUBLICATIONS = "workload.subscriptions_per_minute", "workload.publications_per_minute"
SPEED, LOAD, GRID = "mobility.speed_mps", "load_per_minute", "grid_m"
ALPHA, LEVELS = "protocol.alpha", "protocol.dyadic_levels"
PUBLICATION_TIME, SUBSCRIPTION_TIME, TIME = "publication_match_s", "subscription_match_s", "match_s"
NODE_STORAGE, BROKER_STORAGE, MEMBER_STORAGE = "storage_bytes_mean", "broker_storage_bytes", "member_storage_bytes"
CONTROL, PER_MATCH = "control_bytes_per_node_s", "bytes_per_match"
FALSE_POSITIVES, WASTED, MATCHED = "false_positive_rate", "wasted_bytes_per_match", "match_ratio"
METRICS = (
    *(PUBLICATION_TIME, SUBSCRIPTION_TIME, TIME, NODE_STORAGE, BROKER_STORAGE, MEMBER_STORAGE),
    *(CONTROL, PER_MATCH, FALSE_POSITIVES, WASTED, MATCHED),
)

BRVST = Curve("BRVST", "brvst")
DRIP = Curve("DRIP", "drip")
EQUAL_LEVELS, FINE_LEVELS = 6, 13
"""Of TAMA's trees: of the vectors alone the false positive rate of alpha = 90 % is between those of 6 and 7 levels, and
6 is better for TAMA; and those of a public implementation, with next to no false positives."""
TAMA = Curve("TAMA", "brvst", {"protocol.summaries": "dyadic", LEVELS: EQUAL_LEVELS})
"""It has no dissemination of its own, so it has BRVST's zones, with tables in the place of summaries."""
FINE_TAMA = Curve(f"TAMA, {FINE_LEVELS} levels", "brvst", {"protocol.summaries": "dyadic", LEVELS: FINE_LEVELS})
"""Shown beside, and not judged."""

MUCH_LESS, MUCH_MORE = 0.5, 2.0
"""What is much lower is at most half, as in the other papers; what is much higher is at least twice."""
SIMILAR = 0.2
"""A fifth: what is similar, stable, or bounded approximately."""
RISES = 1.5
"""What rises significantly is more than half as much again."""
STORAGE_BELOW_TAMA = (0.3, 0.5)
"""About 60 % lower is 50 to 70 % lower."""


def values_of(measured: Measurements, sweep: str, axis: str, curve: Curve = BRVST) -> list[float]:
    """Return the points of a sweep on its axis."""
    return [float(row.point[axis]) for row in rows_along(measured, sweep, MATCHED, curve, axis)]


def ends_of(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str
) -> tuple[Measurement | None, Measurement | None]:
    """Return a curve's first and last measurement."""
    rows = rows_along(measured, sweep, metric, curve, axis)
    return (rows[0], rows[-1]) if len(rows) > 1 else (None, None)


def equal_rate(rows: Sequence[Measurement], rate: float) -> Measurement | None:
    """Return the measurement of false positives that is nearest to a rate, if it is similar."""
    near = min(rows, key=lambda row: abs(row.mean - rate), default=None)
    return near if near is not None and abs(near.mean - rate) <= SIMILAR * max(near.mean, rate) else None
