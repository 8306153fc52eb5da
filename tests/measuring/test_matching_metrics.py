"""The metrics of matching of one run, computed by hand."""

import pytest

from roamcast.measuring.metrics import run_metrics
from roamcast.sim.facts import (
    DeliveryFact,
    Facts,
    FalsePositiveFact,
    FirstMatchFact,
    PublicationFact,
    SubscriptionFact,
    TrafficFact,
)

PUBLISHER, READER, LATECOMER, VISITOR = range(4)

FACTS = Facts(
    nodes=4,
    duration_s=10.0,
    publications=(PublicationFact(0, "ranges", PUBLISHER, 1.0, 30.0, 400, interested=2),),
    deliveries=(
        DeliveryFact(0, READER, 0.5, counted=True),
        DeliveryFact(0, LATECOMER, 4.0, counted=False),
        DeliveryFact(0, VISITOR, 5.0, counted=False),  # had asked, but was away when it was published
        DeliveryFact(0, PUBLISHER, 0.0, counted=False),
    ),
    traffic=(
        TrafficFact(PUBLISHER, "publication", 3, 1200, 1000, 3, 3, 1200),
        TrafficFact(READER, "subscription", 2, 100, 60, 0, 2, 100),
        TrafficFact(READER, "mac-ack", 5, 80, 0, 0, 5, 80),
    ),
    receptions=(),
    node_facts=(),
    drops=(),
    frames=10,
    frame_receptions=10,
    trace_digest=0,
    subscriptions=(SubscriptionFact(LATECOMER, 4.5, 3, 2, 2, 0.25),),
    false_positives=(
        FalsePositiveFact(READER, "false-positive", 1, 450),
        FalsePositiveFact(READER, "false-positive-ended", 4, 1800),
        FalsePositiveFact(VISITOR, "false-positive-broker", 2, 900),
    ),
    first_matches=(
        FirstMatchFact(True, 0, 0.0, True, 0.5),
        FirstMatchFact(True, 1, 8.0, True, 8.25),
        FirstMatchFact(True, 2, 0.0, False, 0.0),
        FirstMatchFact(False, 0, 3.0, True, 4.5),
    ),
)
"""A latecomer finds three events waiting, two of them from before the measurement, and is handed two."""


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("publication_match_s", 0.5),
        ("subscription_match_s", 0.25),
        ("match_s", 0.375),
        ("match_ratio", (1 + 2) / (2 + 3)),
        ("control_bytes_per_node_s", 100 / 40),
        ("bytes_per_match", 1380 / 3),
        ("event_bytes_per_match", 1200 / 3),
        ("false_positive_rate", 1 / 8),
        ("ended_subscription_rate", 4 / 8),
        ("wasted_bytes_per_match", 450 / 3),
        ("false_positive_rate_with_brokers", 3 / 10),
        ("wasted_bytes_with_brokers_per_match", 1350 / 3),
        ("publication_delay_s", (0.5 + 0.25) / 2),
        ("subscription_delay_s", 1.5),
        ("match_delay_s", (0.5 + 0.25 + 1.5) / 3),
    ],
)
def test_a_match_is_a_pair_that_counts_or_that_waited(metric: str, value: float) -> None:
    assert run_metrics(FACTS)[metric] == pytest.approx(value)
