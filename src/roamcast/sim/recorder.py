"""The recorder turns what happens in a run into facts. It watches and never takes part.

An event's status at each node (unwanted, wanted, received) is kept here, not in the protocols, so that all protocols
are counted by one rule: a reception is a duplicate if the node wants the event and has received it before, a parasite
if it does not want it (Frugal paper, section 2).
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any

import numpy as np

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import FALSE_POSITIVE, FALSE_POSITIVE_BROKER, FALSE_POSITIVE_ENDED
from roamcast.core.messages import Message
from roamcast.sim.dcf.medium import Medium
from roamcast.sim.dcf.records import KIND_ACK, KIND_CTS, KIND_RTS
from roamcast.sim.energy import Energy
from roamcast.sim.facts import (
    BrokerFact,
    DeliveryFact,
    DropFact,
    Facts,
    FalsePositiveFact,
    FirstMatchFact,
    NodeFact,
    PublicationFact,
    ReceptionFact,
    TrafficFact,
)
from roamcast.sim.subscription_facts import MeasuredSubscriptions, first_match_facts

MAC_KINDS = (("mac-rts", KIND_RTS), ("mac-cts", KIND_CTS), ("mac-ack", KIND_ACK))
"""The MAC's own frames, counted as kinds of message next to the protocol's."""

UNWANTED, WANTED, RECEIVED, OWN = 0, 1, 2, 3
"""An event's status at a node; also the row in which its reception is counted: parasite, first, duplicate, echo."""
ENDED_S = 30.0
"""An event that comes in vain within this time of the end of a subscription to it is counted as late news of that end,
in seconds. Subscriptions are sent again at least this often in all protocols here, so managers know by then."""


@dataclass(slots=True)
class _Published:
    """An event and its status at each node."""

    number: int | None
    """Its number among the events of the measurement; None: it was published before."""
    event: Event
    status: bytearray
    interested: frozenset[int]
    delivered: set[int]
    counterpart_after_s: float | None
    """The time from its publication until another node asked for it; None if none has."""
    matched_after_s: float | None = None
    """The time until it was first delivered to another node."""


class Recorder:
    """Counts from the start of the measurement on."""

    def __init__(self, nodes: int, starts_at_s: float) -> None:
        self._starts_at_s = starts_at_s
        self._interests: list[list[Interest]] = [[] for _ in range(nodes)]
        self._subscribers: dict[Interest, set[int]] = {}
        """Nodes by their interests in content: an event is matched once against each, however many nodes share it."""
        self._topics: dict[str, set[int]] = {}
        """Nodes by the topic they subscribe to; an event's are found on the path from its topic to the root."""
        self._published: dict[EventId, _Published] = {}
        self._numbers = count()
        self._receptions = [[0] * nodes for _ in (UNWANTED, WANTED, RECEIVED, OWN)]
        self._deliveries: list[DeliveryFact] = []
        self._drops: Counter[tuple[int, str]] = Counter()
        self._storage_sums = [0] * nodes
        self._storage_peaks = [0] * nodes
        self._broker_samples = [0] * nodes
        self._broker_sums = [0] * nodes
        self._false_positives: Counter[tuple[int, str]] = Counter()
        self._wasted_bytes: Counter[tuple[int, str]] = Counter()
        self._ended: dict[int, list[tuple[float, Interest]]] = {}
        """The subscriptions of each node that ended a moment ago, and when."""
        self._subscriptions = MeasuredSubscriptions()
        self._samples = 0
        self._measuring = False
        self.attributes: Mapping[int, Attributes] = {}
        """The attributes of the nodes' users, for access policies."""

    def begin(self) -> None:
        """Start counting; subscriptions and events have been noted before."""
        self._measuring = True
        self._receptions = [[0] * len(self._interests) for _ in (UNWANTED, WANTED, RECEIVED, OWN)]

    def subscribed(self, node: int, interest: Interest, active: bool, now_s: float = -inf) -> None:
        """Note that a node has subscribed or unsubscribed."""
        interests = self._interests[node]
        if not active:
            self._subscriptions.end(node, interest)
        if active and interest not in interests:
            interests.append(interest)
            table, key = self._table_of(interest)
            table.setdefault(key, set()).add(node)
            if self._measuring:
                self._begin_subscription(node, interest, now_s)
        elif not active and interest in interests:
            interests.remove(interest)
            recently = [each for each in self._ended.get(node, ()) if each[0] > now_s - ENDED_S]
            self._ended[node] = [*recently, (now_s, interest)]
            table, key = self._table_of(interest)
            table[key].remove(node)
            if not table[key]:
                del table[key]
        for published in self._published.values():
            if not self._wants(node, published.event):
                published.status[node] = UNWANTED
            elif node == published.event.id.publisher:
                published.status[node] = OWN
            elif published.status[node] == UNWANTED:
                published.status[node] = RECEIVED if node in published.delivered else WANTED

    def _table_of(self, interest: Interest) -> tuple[dict[Any, set[int]], Hashable]:
        """Return the table that has those with an interest, and its key there."""
        if type(interest) is TopicInterest:
            return self._topics, interest.topic.path
        return self._subscribers, interest

    def _matching(self, event: Event) -> Iterator[set[int]]:
        """Yield the nodes that share each interest that matches an event."""
        for interest, nodes in self._subscribers.items():
            if interest.matches(event):
                yield nodes
        if self._topics:
            for topic in event.topic.to_root():
                yield self._topics.get(topic, set())

    def _begin_subscription(self, node: int, interest: Interest, now_s: float) -> None:
        """Note a subscription of the measurement and the valid events that wait for it; local events never do."""
        self._subscriptions.begin(node, interest, now_s)
        for published in self._published.values():
            event = published.event
            is_known = node in published.interested or node in published.delivered or node == event.id.publisher
            is_new = published.status[node] == UNWANTED and not is_known
            if is_new and event.is_valid(now_s) and event.hops_max is None and self._wants(node, event):
                self._subscriptions.found_waiting(node, event)
                if published.counterpart_after_s is None:
                    published.counterpart_after_s = now_s - event.published_at_s

    def _wants(self, node: int, event: Event) -> bool:
        """Tell whether a node subscribes to an event and its user may have it."""
        matches = any(interest.matches(event) for interest in self._interests[node])
        return matches and self._may_have(node, event)

    def _may_have(self, node: int, event: Event) -> bool:
        return event.is_open_to(self.attributes.get(node, NO_ATTRIBUTES))

    def published(self, node: int, event: Event, meant_for: frozenset[int] | None = None) -> None:
        """Note an event and who wants it now; only nodes that a local event is meant for count as interested.

        An event published before the measurement yields no fact, but subscriptions of the measurement may find it.
        """
        wanting = {other for nodes in self._matching(event) for other in nodes if self._may_have(other, event)}
        status = bytearray(len(self._interests))
        for other in wanting:
            status[other] = OWN if other == node else WANTED
        interested = frozenset(wanting - {node})
        if meant_for is not None:
            interested &= meant_for
        number = next(self._numbers) if self._measuring else None
        counterpart_after_s = 0.0 if interested else None
        self._published[event.id] = _Published(number, event, status, interested, set(), counterpart_after_s)
        if self._measuring:
            self._subscriptions.published(event, interested, event.published_at_s)

    def received(self, events: tuple[Event, ...], receivers: list[int]) -> None:
        """Note that nodes have received events; an event that nobody published here (a forgery) is not counted."""
        for event in events:
            published = self._published.get(event.id)
            if published is None:
                continue
            status = published.status
            for node in receivers:
                code = status[node]
                self._receptions[code][node] += 1
                if code == WANTED:
                    status[node] = RECEIVED

    def delivered(self, node: int, event: Event, now_s: float) -> None:
        """Note a delivery to an application; delivering an event twice is a protocol's fault and counted as a drop."""
        published = self._published.get(event.id)
        if published is None or node in published.delivered:
            self.dropped(node, "delivered-unpublished" if published is None else "delivered-twice")
            return
        published.delivered.add(node)
        if published.status[node] == WANTED:  # from the node's own store, after it has subscribed
            published.status[node] = RECEIVED
        self._subscriptions.delivered(node, published.event, now_s)
        if published.number is not None:
            latency_s = now_s - published.event.published_at_s
            is_match = node != published.event.id.publisher and published.event.is_valid(now_s)
            if is_match and published.counterpart_after_s is not None and published.matched_after_s is None:
                published.matched_after_s = latency_s
            self._deliveries.append(DeliveryFact(published.number, node, latency_s, node in published.interested))

    def undelivered(self) -> Iterator[tuple[Event, frozenset[int]]]:
        """Yield each event of the measurement with the interested nodes that it was not delivered to."""
        for published in self._published.values():
            if published.number is not None:
                yield published.event, published.interested - published.delivered

    def dropped(self, node: int, reason: str, message: Message | None = None, now_s: float = -inf) -> None:
        """Note that a protocol ignored something, and its size if it was a false positive."""
        if self._measuring:
            self._drops[node, reason] += 1
            if message is not None and reason in (FALSE_POSITIVE, FALSE_POSITIVE_BROKER):
                is_ended = reason == FALSE_POSITIVE and self._has_ended(node, message, now_s)
                kind = FALSE_POSITIVE_ENDED if is_ended else reason
                self._false_positives[node, kind] += 1
                self._wasted_bytes[node, kind] += message.size_bytes

    def _has_ended(self, node: int, message: Message, now_s: float) -> bool:
        """Tell whether a node asked for an event of a message until a moment ago."""
        recently = [interest for at_s, interest in self._ended.get(node, ()) if at_s > now_s - ENDED_S]
        return any(interest.matches(event) for interest in recently for event in message.events)

    def stored(self, sizes_bytes: list[int], brokers: Sequence[int] = ()) -> None:
        """Note how much each node's protocol stores now, and which nodes are brokers."""
        self._samples += 1
        for node in brokers:
            self._broker_samples[node] += 1
            self._broker_sums[node] += sizes_bytes[node]
        for node, size_bytes in enumerate(sizes_bytes):
            self._storage_sums[node] += size_bytes
            if size_bytes > self._storage_peaks[node]:
                self._storage_peaks[node] = size_bytes

    def facts(self, medium: Medium, kinds: list[str], duration_s: float, energy: Energy) -> Facts:
        """Return all facts, at the end of the measurement."""
        ended_at_ns = round((self._starts_at_s + duration_s) * 1e9)
        nodes = range(len(self._interests))
        frames, receptions = medium.totals
        samples = max(self._samples, 1)
        parasites, first, duplicates, echoes = self._receptions
        lost, queue_drops = medium.frames_lost, medium.queue_drops
        transmit_s = [time_ns / 1e9 for time_ns in medium.transmit_ns(ended_at_ns)]
        receive_s = [time_ns / 1e9 for time_ns in medium.receive_ns(ended_at_ns)]
        return Facts(
            nodes=len(nodes),
            duration_s=duration_s,
            publications=tuple(
                self._publication(published.number, published)
                for published in self._published.values()
                if published.number is not None
            ),
            deliveries=tuple(self._deliveries),
            traffic=_traffic(medium, kinds),
            receptions=tuple(
                ReceptionFact(node, first[node], duplicates[node] + echoes[node], parasites[node], echoes[node])
                for node in nodes
            ),
            node_facts=tuple(
                NodeFact(
                    node,
                    lost[node],
                    queue_drops[node],
                    self._storage_sums[node] / samples,
                    self._storage_peaks[node],
                    transmit_s[node],
                    receive_s[node],
                    *energy.joules(transmit_s[node], receive_s[node], duration_s),
                )
                for node in nodes
            ),
            drops=tuple(DropFact(node, reason, times) for (node, reason), times in sorted(self._drops.items())),
            frames=frames,
            frame_receptions=receptions,
            trace_digest=medium.digest,
            subscriptions=self._subscriptions.facts(self._starts_at_s),
            brokers=tuple(
                BrokerFact(node, times / samples, self._broker_sums[node] / samples)
                for node, times in enumerate(self._broker_samples)
                if times
            ),
            false_positives=tuple(
                FalsePositiveFact(node, reason, times, self._wasted_bytes[node, reason])
                for (node, reason), times in sorted(self._false_positives.items())
            ),
            first_matches=tuple(self._first_matches()),
        )

    def _first_matches(self) -> Iterator[FirstMatchFact]:
        """Yield the facts about messages that had a counterpart, if subscriptions were made in the measurement."""
        if not self._subscriptions.any():
            return
        for each in self._published.values():
            if each.number is not None:
                yield from first_match_facts(True, each.number, each.counterpart_after_s, each.matched_after_s)
        yield from self._subscriptions.first_matches()

    def _publication(self, number: int, published: _Published) -> PublicationFact:
        event = published.event
        return PublicationFact(
            event=number,
            topic=str(event.topic),
            publisher=event.id.publisher,
            published_at_s=event.published_at_s - self._starts_at_s,
            validity_s=event.validity_s,
            size_bytes=event.size_bytes,
            interested=len(published.interested),
        )


def _traffic(medium: Medium, kinds: list[str]) -> tuple[TrafficFact, ...]:
    by_name = sorted([*((kind, index) for index, kind in enumerate(kinds)), *MAC_KINDS])
    counts = medium.traffic[:, [index for _, index in by_name]]
    used = counts.any(axis=2)
    return tuple(
        TrafficFact(node, by_name[index][0], *row)
        for (node, index), row in zip(np.argwhere(used).tolist(), counts[used].tolist(), strict=True)
    )
