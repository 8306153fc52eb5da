"""Workloads, one file each: who subscribes to what and when, and who publishes what and when."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.components import ComponentKind
from roamcast.core.interests import Interest
from roamcast.core.policies import Policy
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams

EVENTS_MAX = 1_000_000
"""How many events a model may publish in a run: each is kept from the start, and a million of them take a gigabyte."""
SUBSCRIPTIONS_MAX = 1_000_000
"""How many subscriptions a model may make."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A node asks for something, or stops asking, at a time."""

    at_s: float
    """Seconds from the start of the measurement; -inf: there from the protocol's start on."""
    node: int
    interest: Interest
    active: bool = True
    """False: the node unsubscribes."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A node publishes an event at a time."""

    at_s: float
    """Seconds from the start of the measurement; what is published before, at a negative time, is not measured."""
    node: int
    topic: Topic
    validity_s: float
    size_bytes: int
    attributes: Attributes = NO_ATTRIBUTES
    """What the event says, for those who ask by content."""
    policy: Policy | None = None
    """Who may have it; None: everybody."""
    hops_max: int | None = None
    """A local event is for those who are at most so many hops away; None: a global one, for everybody."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Everything that people do in a run."""

    subscriptions: tuple[Subscription, ...]
    publications: tuple[Publication, ...]
    attributes: Mapping[int, Attributes] = field(default_factory=dict)
    """What is known of the nodes' users, by node, for access policies; of the others nothing is."""


class WorkloadModel(ABC):
    """A rule for what people do. A subclass is a frozen dataclass whose fields are the keys of ``[workload]``."""

    summary: ClassVar[str]
    """One line on the model."""

    def attribute_limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the limits of numeric attributes that all nodes know beforehand (``core.ranges``)."""
        return {}

    @abstractmethod
    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Say who does what in a network of ``count`` nodes."""

    def most_attributes(self) -> int:
        """Return how many attributes an event can have."""
        return 0

    def begins_before_s(self) -> float:
        """Return how long before the measurement it begins, the key ``lead_s`` of a model that can."""
        return 0.0


WORKLOAD = ComponentKind("workload", "workload model", __name__, WorkloadModel)  # type: ignore[type-abstract]
workload_names, load_workload = WORKLOAD.names, WORKLOAD.load
