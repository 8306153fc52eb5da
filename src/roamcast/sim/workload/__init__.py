"""Workload models, one file each: who subscribes to what and when, and who publishes what and when."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.components import ComponentKind
from roamcast.core.errors import UserError
from roamcast.core.event_interests import Interest
from roamcast.core.policies import Policy
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams

EVENTS_MAX = 1_000_000
"""How many events a model may publish in a run: all are made at the start, and a million take a gigabyte."""
SUBSCRIPTIONS_MAX = 1_000_000
"""How many subscriptions a model may make."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A node subscribes or unsubscribes at a time."""

    at_s: float
    """Seconds from the start of the measurement; -inf: from the protocol's start."""
    node: int
    interest: Interest
    active: bool = True
    """False: the node unsubscribes."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A node publishes an event at a time."""

    at_s: float
    """Seconds from the start of the measurement; events published before it, at a negative time, are not measured."""
    node: int
    topic: Topic
    validity_s: float
    size_bytes: int
    attributes: Attributes = NO_ATTRIBUTES
    """The event's content, for subscriptions by content."""
    policy: Policy | None = None
    """Who may receive it; None: everybody."""
    hops_max: int | None = None
    """A local event is for nodes at most this many hops away; None: a global event, for everybody."""


@dataclass(frozen=True, slots=True)
class Workload:
    """All subscriptions and publications of a run."""

    subscriptions: tuple[Subscription, ...]
    publications: tuple[Publication, ...]
    attributes: Mapping[int, Attributes] = field(default_factory=dict)
    """Attributes of the nodes' users, by node, for access policies; other users have none."""


class WorkloadModel(ABC):
    """Decides who subscribes and publishes. A subclass is a frozen dataclass with the keys of ``[workload]``."""

    summary: ClassVar[str]
    """One line about the model."""

    def attribute_limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the limits of numeric attributes that all nodes know in advance (``core.attribute_ranges``)."""
        return {}

    @abstractmethod
    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Return the subscriptions and publications for a network of ``count`` nodes."""

    def most_attributes(self) -> int:
        """Return the largest number of attributes that an event can have."""
        return 0

    def begins_before_s(self) -> float:
        """Return how long before the measurement the workload begins: ``lead_s`` in a model that has this key."""
        return 0.0


def make_workload(model: WorkloadModel, count: int, duration_s: float, streams: RandomStreams) -> Workload:
    """Return the workload of a model, or say what is wrong with it."""
    made: object = model.workload(count, duration_s, streams)
    where = f"[workload] {type(model).__name__}"
    if not isinstance(made, Workload):
        raise UserError(f"{where}: workload returned {type(made).__name__}; must be a Workload")
    for nodes, what in (
        ((each.node for each in made.subscriptions), "subscription"),
        ((each.node for each in made.publications), "publication"),
        (made.attributes, "attributes"),
    ):
        for node in nodes:
            if not 0 <= node < count:
                raise UserError(f"{where}: {what} of node {node}: must be a node from 0 to {count - 1}")
    return made


WORKLOAD = ComponentKind("workload", "workload model", __name__, WorkloadModel)  # type: ignore[type-abstract]
workload_names, load_workload = WORKLOAD.names, WORKLOAD.load
