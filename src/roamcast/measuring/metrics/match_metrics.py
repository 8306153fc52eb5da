"""Metrics of how publications and subscriptions find each other, and at what cost (BRVST paper, section V).

They count every match: a delivery that counts for the delivery ratio, or that of an event which was published before
its subscriber asked for it and was still valid then.
"""

from roamcast.measuring.metrics.metric import Metric, quotient
from roamcast.measuring.metrics.run_summary import RunSummary
from roamcast.measuring.statistics import SHARE


def _mean_s(*times_s: list[float]) -> float | None:
    return quotient(sum(sum(each) for each in times_s), sum(len(each) for each in times_s))


def _match_ratio(run: RunSummary) -> float | None:
    return quotient(run.matches, run.interested + sum(row.waiting for row in run.subscriptions))


MATCH_METRICS = (
    Metric(
        "publication_match_s",
        unit="s",
        group="matching",
        label="Time to a publication's first match",
        description="The mean time from an event's publication to its first delivery to a node other than its "
        "publisher, whether that node asked before or after the publication.",
        higher_is_better=False,
        function=lambda run: _mean_s(run.first_delivery_s),
    ),
    Metric(
        "subscription_match_s",
        unit="s",
        group="matching",
        label="Time to a subscription's first match",
        description="The mean time from a subscription to the first delivery of an event that it matches.",
        higher_is_better=False,
        function=lambda run: _mean_s(run.subscription_waits_s),
    ),
    Metric(
        "match_s",
        unit="s",
        group="matching",
        label="Time to the first match",
        description="The mean time to the first match, over all publications and subscriptions that found one.",
        higher_is_better=False,
        function=lambda run: _mean_s(run.first_delivery_s, run.subscription_waits_s),
    ),
    Metric(
        "match_ratio",
        unit="1",
        group="matching",
        description="The share of all pairs that were delivered in time, where subscribers that asked after the "
        "publication count as well.",
        higher_is_better=True,
        function=_match_ratio,
        bounds=SHARE,
    ),
    Metric(
        "broker_storage_bytes",
        unit="bytes",
        group="matching",
        label="Storage per broker",
        description="The size of the protocol's state in a node while it is a broker.",
        higher_is_better=False,
        function=lambda run: quotient(run.broker_bytes, run.broker_nodes),
    ),
    Metric(
        "member_storage_bytes",
        unit="bytes",
        group="matching",
        label="Storage per ordinary node",
        description="The size of the protocol's state in a node while it is not a broker.",
        higher_is_better=False,
        function=lambda run: quotient(run.stored_bytes - run.broker_bytes, run.nodes - run.broker_nodes),
    ),
    Metric(
        "control_bytes_per_node_s",
        unit="bytes/s",
        group="matching",
        label="Control traffic per node",
        description="Bytes on the air in messages that carry no events, per node and second, without the MAC's own "
        "frames.",
        higher_is_better=False,
        function=lambda run: sum(row.bytes_sent for row in run.control_messages) / run.node_seconds,
    ),
    Metric(
        "bytes_per_match",
        unit="bytes",
        group="matching",
        label="Traffic per match",
        description="Bytes on the air, of all kinds, for each match.",
        higher_is_better=False,
        numerator=lambda run: run.bytes_sent,
        denominator=lambda run: run.matches,
    ),
    Metric(
        "false_positive_rate",
        unit="1",
        group="matching",
        description="Of all events that reached a subscriber by approximate matching, the share it had not asked for.",
        higher_is_better=False,
        function=lambda run: quotient(run.subscriber_false_positives, run.subscriber_false_positives + run.matches),
        bounds=SHARE,
    ),
    Metric(
        "wasted_bytes_per_match",
        unit="bytes",
        group="matching",
        label="Wasted traffic per match",
        description="Bytes of messages that approximate matching sent needlessly, to subscribers and brokers, for each "
        "match.",
        higher_is_better=False,
        numerator=lambda run: sum(row.size_bytes for row in run.false_positives),
        denominator=lambda run: run.matches,
    ),
)
