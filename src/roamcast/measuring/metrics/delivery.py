"""Metrics of what was delivered, how soon, and what was received besides."""

from collections.abc import Sequence
from math import ceil, floor

from roamcast.measuring.metrics.metric import Metric, quotient
from roamcast.measuring.statistics import SHARE

DELIVERY_METRICS = (
    Metric(
        "delivery_ratio",
        unit="1",
        group="delivery",
        description="The share of all (event, interested node) pairs that were delivered within the event's validity.",
        higher_is_better=True,
        function=lambda run: quotient(run.delivered, run.interested),
        bounds=SHARE,
    ),
    Metric(
        "reliability",
        unit="1",
        group="delivery",
        description="The delivery ratio with the publisher's own delivery, where it has one, counted as one more pair.",
        higher_is_better=True,
        function=lambda run: quotient(run.delivered + run.own_deliveries, run.interested + run.own_deliveries),
        bounds=SHARE,
    ),
    Metric(
        "latency_mean_s",
        unit="s",
        group="latency",
        label="Latency, mean",
        description="The mean time from publication to delivery, over the deliveries that count for the ratio.",
        higher_is_better=False,
        function=lambda run: quotient(sum(run.latencies_s), run.delivered),
    ),
    Metric(
        "latency_median_s",
        unit="s",
        group="latency",
        label="Latency, median",
        description="The median time from publication to delivery.",
        higher_is_better=False,
        function=lambda run: _quantile(run.latencies_s, 0.5),
    ),
    Metric(
        "latency_p95_s",
        unit="s",
        group="latency",
        label="Latency, 95th percentile",
        description="The time from publication to delivery that 95 % of the deliveries stay below.",
        higher_is_better=False,
        function=lambda run: _quantile(run.latencies_s, 0.95),
    ),
    Metric(
        "duplicates_per_node",
        unit="receptions",
        group="receptions",
        description="Receptions of events that the node had asked for and already had, per node.",
        higher_is_better=False,
        function=lambda run: run.duplicates / run.nodes,
    ),
    Metric(
        "parasites_per_node",
        unit="receptions",
        group="receptions",
        description="Receptions of events that the node had not asked for, per node.",
        higher_is_better=False,
        function=lambda run: sum(row.parasites for row in run.receptions) / run.nodes,
    ),
    Metric(
        "receptions_per_event_received",
        unit="receptions",
        group="receptions",
        description="How often a subscriber receives an event of another node, the first time included.",
        higher_is_better=False,
        function=lambda run: quotient(
            run.first_receptions + run.duplicates - sum(row.echoes for row in run.receptions), run.first_receptions
        ),
    ),
)


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """Return a quantile of ordered values, interpolated linearly."""
    if not ordered:
        return None
    rank = share * (len(ordered) - 1)
    low, high = ordered[floor(rank)], ordered[ceil(rank)]
    return low + (high - low) * (rank - floor(rank))
