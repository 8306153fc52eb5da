"""A run's facts with the sums that several metrics share, each added up once."""

from dataclasses import fields
from functools import cached_property
from typing import Self

from roamcast.core.host import FALSE_POSITIVE
from roamcast.sim.facts import MAC_PREFIX, DeliveryFact, Facts, TrafficFact


class RunSummary(Facts):
    """The facts that metrics are computed from.

    A delivery *counts* if its node had asked for the event before it was published and was handed it within the event's
    validity. A *match* is a delivery that counts, or that of an event which waited for a later subscription.
    """

    @classmethod
    def of(cls, facts: Facts) -> Self:
        """Return the summary of a run's facts."""
        return cls(**{field.name: getattr(facts, field.name) for field in fields(Facts)})

    @cached_property
    def node_seconds(self) -> float:
        """Return the nodes times the measured seconds."""
        return self.nodes * self.duration_s

    @cached_property
    def interested(self) -> int:
        """Return the (event, interested node) pairs."""
        return sum(publication.interested for publication in self.publications)

    @cached_property
    def in_time(self) -> list[DeliveryFact]:
        """Return the deliveries within their event's validity."""
        validity_s = {publication.event: publication.validity_s for publication in self.publications}
        return [delivery for delivery in self.deliveries if delivery.latency_s < validity_s[delivery.event]]

    @cached_property
    def latencies_s(self) -> list[float]:
        """Return the latencies of the deliveries that count, in ascending order."""
        return sorted(delivery.latency_s for delivery in self.in_time if delivery.counted)

    @cached_property
    def delivered(self) -> int:
        """Return the deliveries that count."""
        return len(self.latencies_s)

    @cached_property
    def publisher(self) -> dict[int, int]:
        """Return the publisher of each event."""
        return {publication.event: publication.publisher for publication in self.publications}

    @cached_property
    def own_deliveries(self) -> int:
        """Return how many events their own publishers were handed."""
        return sum(delivery.node == self.publisher[delivery.event] for delivery in self.in_time)

    @cached_property
    def frames_sent(self) -> int:
        """Return the frames that were sent, of all kinds."""
        return sum(row.frames_sent for row in self.traffic)

    @cached_property
    def bytes_sent(self) -> int:
        """Return the bytes on the air, with the MAC's header."""
        return sum(row.bytes_sent for row in self.traffic)

    @cached_property
    def payload_bytes_sent(self) -> int:
        """Return the bytes of the messages alone."""
        return sum(row.payload_bytes_sent for row in self.traffic)

    @cached_property
    def event_messages(self) -> list[TrafficFact]:
        """Return the traffic of those kinds of messages that carried events."""
        return [row for row in self.traffic if row.events_sent and not row.kind.startswith(MAC_PREFIX)]

    @cached_property
    def control_messages(self) -> list[TrafficFact]:
        """Return the traffic of all other kinds of messages, without the MAC's own frames."""
        return [row for row in self.traffic if not row.events_sent and not row.kind.startswith(MAC_PREFIX)]

    @cached_property
    def first_receptions(self) -> int:
        """Return the receptions of events that their nodes wanted and had not received before."""
        return sum(row.first for row in self.receptions)

    @cached_property
    def duplicates(self) -> int:
        """Return the receptions of events that their nodes wanted and already had."""
        return sum(row.duplicates for row in self.receptions)

    @cached_property
    def frames_lost(self) -> int:
        """Return the frames in range that nodes lost to overlapping ones."""
        return sum(row.frames_lost for row in self.node_facts)

    @cached_property
    def first_delivery_s(self) -> list[float]:
        """Return the latency of each event's first delivery in time to a node other than its publisher."""
        first_s: dict[int, float] = {}
        for delivery in self.in_time:
            if delivery.node != self.publisher[delivery.event]:
                first_s[delivery.event] = min(delivery.latency_s, first_s.get(delivery.event, delivery.latency_s))
        return list(first_s.values())

    @cached_property
    def subscription_waits_s(self) -> list[float]:
        """Return how long each subscription that was ever matched waited for its first event."""
        return [row.matched_after_s for row in self.subscriptions if row.matches]

    @cached_property
    def matches(self) -> int:
        """Return the deliveries that count and those of events that waited for their subscribers."""
        return self.delivered + sum(row.waiting_delivered for row in self.subscriptions)

    @cached_property
    def broker_nodes(self) -> float:
        """Return how many nodes were brokers, on average over the samples."""
        return sum(row.share for row in self.brokers)

    @cached_property
    def broker_bytes(self) -> float:
        """Return what brokers stored, on average over the samples."""
        return sum(row.storage_bytes for row in self.brokers)

    @cached_property
    def stored_bytes(self) -> float:
        """Return what all nodes stored, on average over the samples."""
        return sum(row.storage_bytes_mean for row in self.node_facts)

    @cached_property
    def subscriber_false_positives(self) -> int:
        """Return how many events reached subscribers by approximate matching without having been asked for."""
        return sum(row.times for row in self.false_positives if row.reason == FALSE_POSITIVE)
