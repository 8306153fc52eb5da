"""Curves, axes and metrics of the BRVST paper's figures, and how its words are read."""

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
"""The levels of TAMA's trees. For the vectors alone, the false positive rate of alpha = 90 % lies between those of 6
and 7 levels, and 6 is better for TAMA; 13 are those of a public implementation, with next to no false positives."""
TAMA = Curve("TAMA", "brvst", {"protocol.summaries": "dyadic", LEVELS: EQUAL_LEVELS})
"""TAMA has no dissemination of its own, so it runs in BRVST's zones, with tables in place of summaries."""
FINE_TAMA = Curve(f"TAMA, {FINE_LEVELS} levels", "brvst", {"protocol.summaries": "dyadic", LEVELS: FINE_LEVELS})
"""Drawn for comparison, and not judged."""

MUCH_LESS, MUCH_MORE = 0.5, 2.0
""""Much lower" means at most half, as in the other papers; "much higher" means at least twice."""
SIMILAR = 0.2
"""A fifth: the tolerance of "similar", "stable" and "approximately bounded"."""
RISES = 1.5
""""Rises significantly" means by more than half."""
STORAGE_BELOW_TAMA = (0.3, 0.5)
""""About 60 % lower" means 50 to 70 % lower."""


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
    """Return the measurement whose false positive rate is nearest to a given one, if it is similar."""
    near = min(rows, key=lambda row: abs(row.mean - rate), default=None)
    return near if near is not None and abs(near.mean - rate) <= SIMILAR * max(near.mean, rate) else None
