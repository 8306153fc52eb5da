"""The facts that a run records. Metrics are computed from them later.

Times are seconds from the start of the measurement; nodes and events are numbered from 0.
"""

import hashlib
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

MAC_PREFIX = "mac-"
"""The prefix of the kinds of the MAC's own frames, which carry no protocol's messages."""


class PublicationFact(NamedTuple):
    """An event was published."""

    event: int
    """The event's number in the order of publication."""
    topic: str
    publisher: int
    published_at_s: float
    validity_s: float
    size_bytes: int
    interested: int
    """How many nodes, other than the publisher, subscribed to it when it was published."""


class DeliveryFact(NamedTuple):
    """A node's application was handed an event."""

    event: int
    node: int
    latency_s: float
    """From publication to delivery."""
    counted: bool
    """True if the node is one of the publication's interested nodes: a subscriber before publication, not the
    publisher."""


class TrafficFact(NamedTuple):
    """A node's traffic in frames of one kind of message."""

    node: int
    kind: str
    frames_sent: int
    bytes_sent: int
    """On the air, with the MAC's header."""
    payload_bytes_sent: int
    """The messages alone, without that header."""
    events_sent: int
    """Events in those frames; one frame can carry several."""
    frames_received: int
    bytes_received: int


class ReceptionFact(NamedTuple):
    """The events that a node received in frames, by their use to the node."""

    node: int
    first: int
    """Wanted, and not received before."""
    duplicates: int
    """Wanted, but received before."""
    parasites: int
    """Not subscribed to."""
    echoes: int
    """Those duplicates that were the node's own events, heard back."""


class NodeFact(NamedTuple):
    """A node's losses, storage and energy."""

    node: int
    frames_lost: int
    """Frames in range, broadcast or for this node, that overlapped with another frame or with one of its own."""
    queue_drops: int
    """Frames that found the MAC's queue full."""
    storage_bytes_mean: float
    """The size of the protocol's data, sampled every ten seconds."""
    storage_bytes_max: int
    transmit_s: float
    """How long its own frames were on the air."""
    receive_s: float
    """How long it followed a frame, received in the end or not."""
    transmit_j: float
    """The energy its radio used to transmit, in joules."""
    receive_j: float
    idle_j: float
    """The energy used while it did neither."""

    @property
    def energy_j(self) -> float:
        """Return the energy that its radio used in total, in joules."""
        return self.transmit_j + self.receive_j + self.idle_j


class DropFact(NamedTuple):
    """A protocol ignored something and gave a reason."""

    node: int
    reason: str
    times: int


class SubscriptionFact(NamedTuple):
    """A node made a subscription during the measurement."""

    node: int
    subscribed_at_s: float
    waiting: int
    """How many still valid events by others matched it then, not counting those the node had wanted before."""
    waiting_delivered: int
    """How many of those were delivered while they were valid."""
    matches: int
    """How many matching events were delivered to the node while subscribed, published before or after."""
    matched_after_s: float
    """From the subscription to the first of those deliveries; 0 if there is none."""


class BrokerFact(NamedTuple):
    """A node stored and matched for others at some of the moments at which its storage was sampled."""

    node: int
    share: float
    """The share of the samples at which it did."""
    storage_bytes: float
    """The contribution of those samples to the node's ``storage_bytes_mean``."""


class FalsePositiveFact(NamedTuple):
    """Approximate matching sent events to a node that had no use for them."""

    node: int
    reason: str
    """Whether the node was a subscriber or one that passes events on."""
    times: int
    size_bytes: int
    """Total size of the messages that carried them, as the node received them."""


LATER_FACTS = ("subscriptions", "brokers", "false_positives")
"""Facts added later, which many runs do not have; without any, a run keeps the digest it had before."""


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
    """A 64-bit digest of every frame of the run: when it ended, who sent it, who received it."""
    subscriptions: tuple[SubscriptionFact, ...] = ()
    brokers: tuple[BrokerFact, ...] = ()
    false_positives: tuple[FalsePositiveFact, ...] = ()

    def digest(self) -> str:
        """Return the run's digest, which is the same on every machine."""
        always = len(fields(self)) - len(LATER_FACTS)
        values = astuple(self)
        kept = (*values[:always], *(facts for facts in values[always:] if facts))
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()
