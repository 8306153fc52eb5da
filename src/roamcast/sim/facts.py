"""What a run records: facts, not metrics. Metrics are computed later, from facts, on Spark.

Times are seconds from the start of the measurement; nodes and events are numbered from 0.
"""

import hashlib
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

MAC_PREFIX = "mac-"
"""How the kinds of the MAC's own frames begin, which are no protocol's messages."""


class PublicationFact(NamedTuple):
    """An event was published."""

    event: int
    """The event's place in the order of publication."""
    topic: str
    publisher: int
    published_at_s: float
    validity_s: float
    size_bytes: int
    interested: int
    """How many nodes, other than the publisher, had asked for it when it was published."""


class DeliveryFact(NamedTuple):
    """A node's application was handed an event."""

    event: int
    node: int
    latency_s: float
    """From publication to delivery."""
    counted: bool
    """The node is one of the publication's interested nodes: not the publisher, and asked before publication."""


class TrafficFact(NamedTuple):
    """What a node sent and received in frames of one kind of message."""

    node: int
    kind: str
    frames_sent: int
    bytes_sent: int
    """On the air, with the MAC's header."""
    payload_bytes_sent: int
    """The messages alone, without it."""
    events_sent: int
    """Events in those frames: one frame can carry several."""
    frames_received: int
    bytes_received: int


class ReceptionFact(NamedTuple):
    """The events that a node received in frames, by what they were to it."""

    node: int
    first: int
    """Wanted, and not received before."""
    duplicates: int
    """Wanted, and had already."""
    parasites: int
    """Not asked for."""
    echoes: int
    """Those of the duplicates that were events of the node itself, heard back."""


class NodeFact(NamedTuple):
    """What happened at a node."""

    node: int
    frames_lost: int
    """Frames in range, for everybody or for this node, that overlapped with another one or with its own."""
    queue_drops: int
    """Frames that found the MAC's queue full."""
    storage_bytes_mean: float
    """The protocol's state, sampled every ten seconds."""
    storage_bytes_max: int
    transmit_s: float
    """How long its own frames were on the air."""
    receive_s: float
    """How long it followed a frame, received in the end or not."""
    transmit_j: float
    """What its radio took to transmit, in joules."""
    receive_j: float
    idle_j: float
    """What it took while it did neither."""

    @property
    def energy_j(self) -> float:
        """Return what its radio took in all, in joules."""
        return self.transmit_j + self.receive_j + self.idle_j


class DropFact(NamedTuple):
    """A protocol did not act on something, and said why."""

    node: int
    reason: str
    times: int


class SubscriptionFact(NamedTuple):
    """A node began to ask for something during the measurement."""

    node: int
    subscribed_at_s: float
    waiting: int
    """How many events of others it matched that were valid then, and that the node had not asked for before."""
    waiting_delivered: int
    """How many of those it was handed while they were valid."""
    matches: int
    """How many events that it matches the node was handed while it asked, published before or after."""
    matched_after_s: float
    """From the subscription to the first of those; 0 where there is none."""


class BrokerFact(NamedTuple):
    """A node stored and matched for others at some of the moments at which its storage was looked at."""

    node: int
    share: float
    """At how many of them."""
    storage_bytes: float
    """What those moments add to the node's ``storage_bytes_mean``."""


class FalsePositiveFact(NamedTuple):
    """Events came to a node by approximate matches, and it had no use for them."""

    node: int
    reason: str
    """Whether it was a subscriber or one who passes events on."""
    times: int
    size_bytes: int
    """The messages that brought them, as the node received them."""


LATER_FACTS = ("subscriptions", "brokers", "false_positives")
"""Facts that many runs have none of; such a run has the fingerprint that it had before they were recorded."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a run leaves behind."""

    nodes: int
    duration_s: float
    publications: tuple[PublicationFact, ...]
    deliveries: tuple[DeliveryFact, ...]
    traffic: tuple[TrafficFact, ...]
    receptions: tuple[ReceptionFact, ...]
    node_facts: tuple[NodeFact, ...]
    drops: tuple[DropFact, ...]
    frames: int
    """Frames on the air during the measurement."""
    frame_receptions: int
    trace_digest: int
    """64 bits over every frame of the run: when it ended, who sent it, who received it."""
    subscriptions: tuple[SubscriptionFact, ...] = ()
    brokers: tuple[BrokerFact, ...] = ()
    false_positives: tuple[FalsePositiveFact, ...] = ()

    def digest(self) -> str:
        """Return the fingerprint of the run, the same wherever the same run is made."""
        always = len(fields(self)) - len(LATER_FACTS)
        values = astuple(self)
        kept = (*values[:always], *(each for each in values[always:] if each))
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()
