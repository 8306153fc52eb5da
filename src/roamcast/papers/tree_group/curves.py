"""Curves and metrics of the tree group paper's figures, and the sum of two kinds of messages."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import NON_NEGATIVE, Estimate, Sample, pooled
from roamcast.papers.shared.curves import CURVE, Curve, rows_along

SPEED, NODES, LOCAL = "mobility.speed_mps", "nodes.count", "workload.local_fraction"
DELIVERY, LATENCY, MEMORY = "delivery_ratio", "latency_mean_s", "storage_bytes_mean"
NOTIFICATION, MAINTENANCE = "event_frames_per_node", "control_frames_per_node"
"""Frames of messages that carry events, and of all others: hellos, joining, subscriptions or filters."""
MESSAGES = "messages"
"""The sum of the two, computed here."""
GLOBAL_SHARE, LOCAL_SHARE = 0.25, 0.75
"""The shares of local events in figure 6: global to local 3 : 1, and 1 : 3."""

FLOODING = Curve("flooding", "ttl-flooding")
FAR_FLOODING = Curve("flooding, TTL 30", "ttl-flooding", {"protocol.hops_max": 30})
"""Not in the paper, and not judged: ten hops do not reach across its area."""
TREE = Curve("subscription tree", "subscription-tree")
GROUPS = Curve("tree groups", "tree-group")
GROUPS_3 = Curve("tree groups, 3 levels", "tree-group", {"protocol.levels_preferred": 3})
GROUPS_6 = Curve("tree groups, 6 levels", "tree-group", {"protocol.levels_preferred": 6})
CURVES = {curve.label: curve for curve in (FLOODING, FAR_FLOODING, TREE, GROUPS, GROUPS_3, GROUPS_6)}
"""Every curve of every figure by its label, in the order in which a figure lists them."""
COMPARED = (FLOODING, TREE, GROUPS)
LEVELS = (FLOODING, TREE, GROUPS_3, GROUPS_6)
"""The bars of figure 4."""


def measured_curves(measured: Measurements, sweep: str) -> Sequence[Curve]:
    """Return the curves of a sweep, in the order of ``CURVES``."""
    labels = {str(row.point[CURVE]) for row in measured if row.sweep == sweep}
    return [curve for label, curve in CURVES.items() if label in labels]


def row_of(measured: Measurements, sweep: str, metric: str, curve: Curve, **labels: float) -> Measurement | None:
    """Return the only measurement of a curve at some labels, given as ``nodes``, ``local`` and ``speed``."""
    keys = {"nodes": NODES, "local": LOCAL, "speed": SPEED}
    wanted = {CURVE: curve.label, **{keys[name]: value for name, value in labels.items()}}
    if metric != MESSAGES:
        return measured.first(sweep, metric, wanted)
    parts = [measured.where(sweep, each, wanted) for each in (NOTIFICATION, MAINTENANCE)]
    return _sum(parts[0][0], parts[1][0]) if all(parts) else None


def rows_of(measured: Measurements, sweep: str, metric: str, curve: Curve, axis: str) -> Sequence[Measurement]:
    """Return a curve's measurements in the order of its axis."""
    if metric != MESSAGES:
        return rows_along(measured, sweep, metric, curve, axis)
    pairs = zip(*(rows_along(measured, sweep, each, curve, axis) for each in (NOTIFICATION, MAINTENANCE)), strict=True)
    return [_sum(*pair) for pair in pairs]


def _sum(one: Measurement, other: Measurement) -> Measurement:
    """Return the sum of two metrics at one point, seed by seed."""
    by_seed = {each.seed: each.amount / each.base for each in other.samples}
    samples = [
        Sample(sample.seed, sample.amount / sample.base + by_seed[sample.seed])
        for sample in one.samples
        if sample.seed in by_seed
    ]
    found = pooled(samples, NON_NEGATIVE) or Estimate(one.mean + other.mean, None, None, 0)
    return Measurement.of(one.sweep, one.point, MESSAGES, found, samples)
