"""Curves, axes and metrics of the BRVST paper's figures, and how its words are read."""

from roamcast.campaigns.paired_messages import PAIRED, MessagePair
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Band, Side, within
from roamcast.papers.shared.curves import CURVE, Curve, rows_along

SUBSCRIPTIONS, PUBLICATIONS = "workload.subscriptions_per_minute", "workload.publications_per_minute"
SPEED, LOAD, GRID = "mobility.speed_mps", "load_per_minute", "grid_m"
ALPHA, LEVELS = "protocol.alpha", "protocol.dyadic_levels"
PUBLICATION_TIME, SUBSCRIPTION_TIME, TIME = "publication_match_s", "subscription_match_s", "match_s"
PUBLICATION_DELAY, SUBSCRIPTION_DELAY, DELAY = "publication_delay_s", "subscription_delay_s", "match_delay_s"
NODE_STORAGE, BROKER_STORAGE, MEMBER_STORAGE = "storage_bytes_mean", "broker_storage_bytes", "member_storage_bytes"
CONTROL, PER_MATCH, EVENTS_PER_MATCH = "control_bytes_per_node_s", "bytes_per_match", "event_bytes_per_match"
FALSE_POSITIVES, WASTED, MATCHED = "false_positive_rate", "wasted_bytes_per_match", "match_ratio"
METRICS = (
    *(PUBLICATION_TIME, SUBSCRIPTION_TIME, TIME, PUBLICATION_DELAY, SUBSCRIPTION_DELAY, DELAY),
    *(PUBLICATION_DELAY + PAIRED, SUBSCRIPTION_DELAY + PAIRED, DELAY + PAIRED),
    *(NODE_STORAGE, BROKER_STORAGE, MEMBER_STORAGE, CONTROL, PER_MATCH, EVENTS_PER_MATCH),
    *(FALSE_POSITIVES, WASTED, MATCHED),
)

BRVST = Curve("BRVST", "brvst")
DRIP = Curve("DRIP", "drip")
EQUAL_LEVELS = 6
"""The levels of TAMA's trees. For the vectors alone, the false positive rate of alpha = 90 % lies between those of 6
and 7 levels, and 6 is better for TAMA."""
TAMA = Curve("TAMA", "brvst", {"protocol.summaries": "dyadic", LEVELS: EQUAL_LEVELS})
"""TAMA has no dissemination of its own, so it runs in BRVST's zones, with tables in place of summaries."""
FILTER_S = "protocol.filter_s"
FILTER_TIME_S = 1e-4
"""A plausible time to compare a filter: a hundred times what ours takes on one core of a server in 2026 (0.9 us, in
Python), for a phone of 2014 that shares its processor."""
SLOW = Curve("BRVST, 0.1 ms a filter", "brvst", {FILTER_S: FILTER_TIME_S})
"""Drawn beside BRVST in figure 7(b): with the time that comparing filters takes."""
PAIR = MessagePair(CURVE, BRVST.label, DRIP.label)
"""The two schemes that are compared message by message."""

MUCH_LESS, MUCH_MORE = 0.5, 2.0
""""Much shorter", "much lower" and "much less" mean at most half, as in the other papers; "much higher" and "much
more" mean at least twice."""
SIMILAR = 0.2
"""A fifth: the tolerance of "similar", "linear", "reaches a limit", "slightly" and "approximately bounded"."""
ABOUT_SAME = within(1 / (1 + SIMILAR), 1 + SIMILAR)
RISES = 1.5
""""Significantly" and "quickly" mean by at least half as much again."""
STORAGE_BELOW_TAMA = Band(0.3, 0.5, Side.BELOW, no_effect=1.0)
""""60 % lower" means 50 to 70 % lower; still less would be better than the paper says."""


def values_of(measured: Measurements, sweep: str, axis: str, curve: Curve = BRVST) -> list[float]:
    """Return the points of a sweep on its axis."""
    return [float(row.point[axis]) for row in rows_along(measured, sweep, MATCHED, curve, axis)]


def ends_of(
    measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str
) -> tuple[Measurement | None, Measurement | None]:
    """Return a curve's first and last measurement."""
    rows = rows_along(measured, sweep, metric, curve, axis)
    return (rows[0], rows[-1]) if len(rows) > 1 else (None, None)
