"""A run's facts with the sums that several metrics share, each added up once."""

from dataclasses import fields
from functools import cached_property
from typing import Self

from roamcast.core.host import FALSE_POSITIVE, FALSE_POSITIVE_BROKER, FALSE_POSITIVE_ENDED
from roamcast.sim.facts import MAC_PREFIX, DeliveryFact, Facts, FalsePositiveFact, FirstMatchFact, TrafficFact


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
    def matched(self) -> list[FirstMatchFact]:
        """Return the publications and subscriptions that had a counterpart and were matched."""
        return [row for row in self.first_matches if row.is_matched]

    def delays_s(self, *, of_publications: bool, of_subscriptions: bool) -> list[float]:
        """Return how long such messages took to be matched from the moment at which they had a counterpart."""
        wanted = {True: of_publications, False: of_subscriptions}
        return [delay_s(row) for row in self.matched if wanted[row.is_publication]]

    @cached_property
    def unwanted(self) -> list[FalsePositiveFact]:
        """Return the false positives: events that reached subscribers by approximate matching and were never asked for.

        Both their share and their bytes are counted over these. Events for subscriptions that had just ended, and
        events that only summaries brought to a manager, are counted apart.
        """
        return self.unwanted_for(FALSE_POSITIVE)

    @cached_property
    def late_for_ended(self) -> list[FalsePositiveFact]:
        """Return the events that reached subscribers that had asked for them until a moment ago."""
        return self.unwanted_for(FALSE_POSITIVE_ENDED)

    @cached_property
    def unwanted_at_brokers(self) -> list[FalsePositiveFact]:
        """Return the events that reached brokers with nobody to send them to."""
        return self.unwanted_for(FALSE_POSITIVE_BROKER)

    def unwanted_for(self, reason: str) -> list[FalsePositiveFact]:
        """Return the unwanted events of one kind."""
        return [row for row in self.false_positives if row.reason == reason]


def delay_s(row: FirstMatchFact) -> float:
    """Return how long a message took to be matched from the moment at which it had a counterpart."""
    return max(row.matched_after_s - row.counterpart_after_s, 0.0)  # whatever the rounding
