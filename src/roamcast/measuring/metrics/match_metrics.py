"""Metrics of how publications and subscriptions find each other, and at what cost (BRVST paper, section V).

They count every match: a delivery that counts for the delivery ratio, or that of an event which was published before
its subscriber asked for it and was still valid then.

A message without a counterpart has to wait for one with any protocol: a publication for the first matching
subscription, a subscription for the first matching publication. This *ideal wait* follows from the workload, and the
metrics named ``..._delay_s`` leave it out. Their means are still over the messages that this run matched;
``campaigns.paired_messages`` compares two runs over those that both matched.

There is one set of false positives: events that a subscriber had not asked for. Both ``false_positive_rate`` and
``wasted_bytes_per_match`` count these. Events for subscriptions that had just ended, which no vector can be blamed for,
are counted apart. So that the wider meaning can be compared, a rate and a waste ``..._with_brokers`` both add the
events that a summary brought to a broker with nobody to send them to.
"""

from collections.abc import Sequence

from roamcast.measuring.metrics.metric import Metric, quotient
from roamcast.measuring.metrics.run_summary import RunSummary
from roamcast.measuring.statistics import SHARE
from roamcast.sim.facts import FalsePositiveFact


def _mean_s(*times_s: list[float]) -> float | None:
    return quotient(sum(sum(each) for each in times_s), sum(len(each) for each in times_s))


def _wasted_bytes(rows: Sequence[FalsePositiveFact]) -> int:
    return sum(row.size_bytes for row in rows)


def _times(rows: Sequence[FalsePositiveFact]) -> int:
    return sum(row.times for row in rows)


def _share_of_received(run: RunSummary, rows: Sequence[FalsePositiveFact]) -> float | None:
    """Return the share of some unwanted events among these, the other unwanted ones of subscribers, and the matches."""
    at_subscribers = [*run.unwanted, *run.late_for_ended]
    received = {id(row): row for row in (*at_subscribers, *rows)}
    return quotient(_times(rows), _times(list(received.values())) + run.matches)


def _delay(name: str, of: str, what: str, *, of_publications: bool, of_subscriptions: bool) -> Metric:
    """Return a metric of how long messages took to be matched, without the ideal wait."""

    def delays_s(run: RunSummary) -> list[float]:
        return run.delays_s(of_publications=of_publications, of_subscriptions=of_subscriptions)

    return Metric(
        name,
        unit="s",
        group="matching",
        label=f"Time to {of} first match beyond the ideal wait",
        description=f"The mean time to {of} first match, without the wait {what}, which no protocol can shorten.",
        higher_is_better=False,
        numerator=lambda run: sum(delays_s(run)),
        denominator=lambda run: len(delays_s(run)),
    )


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
    _delay(
        "publication_delay_s",
        "a publication's",
        "for the first matching subscription",
        of_publications=True,
        of_subscriptions=False,
    ),
    _delay(
        "subscription_delay_s",
        "a subscription's",
        "for the first matching publication",
        of_publications=False,
        of_subscriptions=True,
    ),
    _delay(
        "match_delay_s",
        "a message's",
        "for the first counterpart",
        of_publications=True,
        of_subscriptions=True,
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
        "event_bytes_per_match",
        unit="bytes",
        group="matching",
        label="Event traffic per match",
        description="Bytes on the air in messages of those kinds that carried events, for each match; neither control "
        "messages nor the MAC's own frames count.",
        higher_is_better=False,
        numerator=lambda run: sum(row.bytes_sent for row in run.event_messages),
        denominator=lambda run: run.matches,
    ),
    Metric(
        "false_positive_rate",
        unit="1",
        group="matching",
        description="Of all events that reached a subscriber by approximate matching, the share it had never asked "
        "for.",
        higher_is_better=False,
        function=lambda run: _share_of_received(run, run.unwanted),
        bounds=SHARE,
    ),
    Metric(
        "ended_subscription_rate",
        unit="1",
        group="matching",
        description="Of all events that reached a subscriber by approximate matching, the share it had asked for until "
        "at most 30 s before.",
        higher_is_better=False,
        function=lambda run: _share_of_received(run, run.late_for_ended),
        bounds=SHARE,
    ),
    Metric(
        "wasted_bytes_per_match",
        unit="bytes",
        group="matching",
        label="Wasted traffic per match",
        description="Bytes of messages with events that reached subscribers that had never asked for them, once each, "
        "for each match.",
        higher_is_better=False,
        numerator=lambda run: _wasted_bytes(run.unwanted),
        denominator=lambda run: run.matches,
    ),
    Metric(
        "false_positive_rate_with_brokers",
        unit="1",
        group="matching",
        description="The false positive rate if events that reached brokers with nobody to send them to count as well.",
        higher_is_better=False,
        function=lambda run: _share_of_received(run, [*run.unwanted, *run.unwanted_at_brokers]),
        bounds=SHARE,
    ),
    Metric(
        "wasted_bytes_with_brokers_per_match",
        unit="bytes",
        group="matching",
        label="Traffic wasted on subscribers and brokers per match",
        description="The wasted traffic per match if events that reached brokers with nobody to send them to count as "
        "well.",
        higher_is_better=False,
        numerator=lambda run: _wasted_bytes([*run.unwanted, *run.unwanted_at_brokers]),
        denominator=lambda run: run.matches,
    ),
)
