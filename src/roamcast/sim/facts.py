"""The facts that a run records. Metrics are computed from them later.

Times are seconds from the start of the measurement; nodes and events are numbered from 0.
"""

import hashlib
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

MAC_PREFIX = "mac-"
"""The prefix of the kinds of the MAC's own frames, which carry no protocol's messages."""


class PublicationFact(NamedTuple):
    """An event was published during the measurement. (A workload can start earlier: ``lead_s``.)"""

    event: int
    """The event's number, in the order of publication."""
    topic: str
    """Its topic."""
    publisher: int
    """The node that published it."""
    published_at_s: float
    """When it was published."""
    validity_s: float
    """How long it was worth delivering."""
    size_bytes: int
    """Its size on the air."""
    interested: int
    """How many nodes, other than the publisher, were subscribed to it when it was published."""


class DeliveryFact(NamedTuple):
    """A node's application was handed an event. A second delivery of the same event is a drop."""

    event: int
    """The event."""
    node: int
    """The node."""
    latency_s: float
    """The time from publication to delivery."""
    counted: bool
    """Whether the node is one of the event's ``interested``: a subscriber before publication, not the publisher."""


class TrafficFact(NamedTuple):
    """A node's traffic in frames of one kind of message."""

    node: int
    """The node."""
    kind: str
    """The kind of message, as the protocol names it."""
    frames_sent: int
    """Frames that the node sent."""
    bytes_sent: int
    """Bytes of those frames on the air, with the MAC's header."""
    payload_bytes_sent: int
    """Bytes of the messages alone, without that header."""
    events_sent: int
    """Events in those frames; one frame can carry several."""
    frames_received: int
    """Frames that the node received."""
    bytes_received: int
    """Bytes of those, with the MAC's header."""


class ReceptionFact(NamedTuple):
    """The events that a node received in frames during the measurement, whenever published, by their use to it."""

    node: int
    """The node."""
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
    """The node."""
    frames_lost: int
    """Frames in range, broadcast or for this node, that overlapped with another frame or with one of its own."""
    queue_drops: int
    """Frames that found the MAC's queue full."""
    storage_bytes_mean: float
    """The size of the protocol's state, averaged over samples taken every ten seconds."""
    storage_bytes_max: int
    """The largest of those samples."""
    transmit_s: float
    """How long its own frames were on the air."""
    receive_s: float
    """How long it followed a frame, received in the end or not."""
    transmit_j: float
    """The energy that its radio used to transmit, in joules (``[energy]``)."""
    receive_j: float
    """The energy used to follow frames, in joules."""
    idle_j: float
    """The energy used while it did neither, in joules."""

    @property
    def energy_j(self) -> float:
        """Return the energy that its radio used in total, in joules."""
        return self.transmit_j + self.receive_j + self.idle_j


class DropFact(NamedTuple):
    """A protocol ignored something and gave a reason."""

    node: int
    """The node."""
    reason: str
    """The protocol's word for it."""
    times: int
    """How often it happened."""


class SubscriptionFact(NamedTuple):
    """A node made a subscription during the measurement."""

    node: int
    """The node."""
    subscribed_at_s: float
    """When it subscribed."""
    waiting: int
    """How many still valid, non-local events of other nodes matched it then, not counting those that the node had asked
    for or received before."""
    waiting_delivered: int
    """How many of those were delivered to the node while they were valid."""
    matches: int
    """How many matching events of other nodes were delivered to the node in time while it was subscribed, published
    before or after."""
    matched_after_s: float
    """The time from the subscription to the first of those deliveries; 0 if there is none."""


class BrokerFact(NamedTuple):
    """A node stored and matched for others at some of the moments at which its storage was sampled."""

    node: int
    """The node."""
    share: float
    """The share of the samples at which it did."""
    storage_bytes: float
    """The contribution of those samples to the node's ``storage_bytes_mean``."""


class FalsePositiveFact(NamedTuple):
    """Approximate matching sent events to a node that had no use for them."""

    node: int
    """The node."""
    reason: str
    """``false-positive``: the node was a subscriber that had never asked for them. ``false-positive-ended``: it had,
    until at most 30 s before. ``false-positive-broker``: it was to pass the events on."""
    times: int
    """How often it happened."""
    size_bytes: int
    """The total size of the messages that carried them, as the node received them."""


class FirstMatchFact(NamedTuple):
    """A publication or subscription of the measurement that had a counterpart: another node's, while it was valid.

    Recorded in runs with subscriptions during the measurement. Which messages these are, and since when they had a
    counterpart, depends on the workload alone, so runs of two protocols with one seed have the same rows.
    """

    is_publication: bool
    """Whether it is a publication."""
    number: int
    """The event's number, or the subscription's in the order in which they were made."""
    counterpart_after_s: float
    """How long it had no counterpart: 0 if it found one; else the time until the first matching subscription, or
    publication, was made."""
    is_matched: bool
    """Whether a counterpart was delivered in time: for a publication, whether it was to another node; for a
    subscription, whether it was sent an event that had waited for it or was published later."""
    matched_after_s: float
    """The time to the first such delivery; 0 if there is none."""


LATER_FACTS = ("subscriptions", "brokers", "false_positives", "first_matches")
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
    first_matches: tuple[FirstMatchFact, ...] = ()

    def digest(self) -> str:
        """Return the run's digest, which is the same on every machine."""
        always = len(fields(self)) - len(LATER_FACTS)
        values = astuple(self)
        kept = (*values[:always], *(facts for facts in values[always:] if facts))
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()
