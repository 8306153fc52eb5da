"""A script: every subscription and publication is written down in the scenario, for a story, a test or a replay.

[[workload.subscriptions]]              [[workload.publications]]
nodes = [0, 1, 2]                       node = 3
topic = "rescue.medical"                topic = "rescue.medical.burns"
until_s = 60                            at_s = 10
                                        policy = 'role = "medic"'
[[workload.people]]
nodes = [0, 1]
attributes = { role = "medic" }
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Annotated, ClassVar

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes, AttributeType, type_of
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.parameters import AT_LEAST_ZERO, GREATER_THAN_ZERO, ParameterError, at_most, at_most_items, one_of
from roamcast.core.policies import Policy
from roamcast.core.predicates import AttributePolicy, Predicate, PredicateError, check, compare
from roamcast.core.topics import Topic
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.workload import SUBSCRIPTIONS_MAX, Publication, Subscription, Workload, WorkloadModel

NodeNumber = Annotated[int, AT_LEAST_ZERO]
ENTRIES_MAX = at_most_items(100_000)


@dataclass(frozen=True, slots=True)
class ScriptedSubscription:
    """One ``[[workload.subscriptions]]``: some nodes subscribe to a topic for a while."""

    topic: Topic
    """The topic to subscribe to, including everything below it."""

    node: NodeNumber | None = None
    """The number of the one node that subscribes; alternatively use ``nodes``."""

    nodes: Annotated[str, one_of("all")] | Annotated[tuple[NodeNumber, ...], ENTRIES_MAX] | None = None
    """The nodes that subscribe: a list of numbers, or "all"."""

    where: Predicate | None = None
    """A condition on the events' attributes, such as ``severity >= 3``. Default: all events of the topic."""

    from_s: Annotated[float, AT_LEAST_ZERO] | None = None
    """When the subscription begins, in seconds from the start of the measurement. Default: before it."""

    until_s: Annotated[float, GREATER_THAN_ZERO] | None = None
    """When the subscription ends, in seconds from the start of the measurement. Default: never."""

    def __post_init__(self) -> None:
        if (self.node is None) == (self.nodes is None):
            raise ParameterError("node", "give either node or nodes, not both")
        if isinstance(self.nodes, tuple) and len(set(self.nodes)) < max(1, len(self.nodes)):
            raise ParameterError("nodes", "must name at least one node, and each only once")
        if self.until_s is not None and self.from_s is not None and self.until_s <= self.from_s:
            raise ParameterError("until_s", f"must be greater than from_s = {self.from_s:g}")

    def subscribers(self, count: int) -> tuple[int, ...]:
        """Return the numbers of the nodes that subscribe, in a network of ``count``."""
        if self.node is not None:
            return (self.node,)
        return self.nodes if isinstance(self.nodes, tuple) else tuple(range(count))

    def subscriber_count(self, count: int) -> int:
        """Return how many nodes subscribe, in a network of ``count``, without listing them."""
        if self.node is not None:
            return 1
        return len(self.nodes) if isinstance(self.nodes, tuple) else count

    @property
    def interest(self) -> Interest:
        """Return the interest that they subscribe with."""
        if self.where is None:
            return TopicInterest(self.topic)
        return self.where if self.topic == Topic.root() else compare("topic", "=", self.topic.path) & self.where

    @property
    def start_s(self) -> float:
        """Return when the subscription begins; minus infinity: with the protocol."""
        return -inf if self.from_s is None else self.from_s

    @property
    def end_s(self) -> float:
        """Return when the subscription ends; infinity: never."""
        return inf if self.until_s is None else self.until_s


@dataclass(frozen=True, slots=True)
class ScriptedPublication:
    """One ``[[workload.publications]]``: a node publishes an event."""

    node: NodeNumber
    """The number of the node that publishes."""

    topic: Topic
    """The event's topic."""

    at_s: Annotated[float, AT_LEAST_ZERO]
    """The time of publication, in seconds from the start of the measurement."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long the event is worth delivering, in seconds."""

    size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of the event on the air, in bytes, at most that of a datagram. Default: the Frugal paper's 400."""

    attributes: Attributes = NO_ATTRIBUTES
    """The event's content: numbers, texts or truth values, such as ``{ severity = 4, road = "ring" }``."""

    policy: Predicate | None = None
    """Who may receive the event, as a condition on the attributes in ``[[workload.people]]``, such as
    ``role = "police"``. Default: everybody."""

    hops_max: Annotated[int, GREATER_THAN_ZERO] | None = None
    """Makes the event local: meant for nodes at most this many hops away at publication. Default: meant for all."""

    def __post_init__(self) -> None:
        self.access_policy()

    def access_policy(self) -> Policy | None:
        """Return the policy, or raise an error if it makes no sense."""
        if self.policy is None:
            return None
        try:
            return AttributePolicy(self.policy)
        except PredicateError as error:
            raise ParameterError("policy", error.what) from None


@dataclass(frozen=True, slots=True)
class ScriptedPeople:
    """One ``[[workload.people]]``: attributes of the users of some nodes."""

    attributes: Attributes
    """The users' attributes: numbers, texts or truth values, such as ``{ role = "police", rank = 2 }``."""

    nodes: Annotated[str, one_of("all")] | Annotated[tuple[NodeNumber, ...], ENTRIES_MAX] = "all"
    """The nodes: a list of numbers, or "all". A later entry adds to an earlier one or overrides it."""

    def __post_init__(self) -> None:
        if not self.nodes:
            raise ParameterError("nodes", "must name at least one node")


@dataclass(frozen=True, slots=True)
class Script(WorkloadModel):
    """All subscriptions and publications, written down."""

    summary: ClassVar[str] = "every subscription and publication written down in the scenario"

    subscriptions: Annotated[tuple[ScriptedSubscription, ...], ENTRIES_MAX] = ()
    """Who subscribes to what and when."""

    publications: Annotated[tuple[ScriptedPublication, ...], ENTRIES_MAX] = ()
    """Who publishes what and when."""

    people: Annotated[tuple[ScriptedPeople, ...], ENTRIES_MAX] = ()
    """Attributes of the nodes' users, for the policies of publications."""

    strict: bool = True
    """Whether subscriptions may only name attributes that some publication has, compared with values of the same type,
    and policies only attributes that some of the people have.

    If no publication has attributes, subscriptions are not checked, since there is nothing to check them against.
    Policies always are: a policy on attributes that nobody has would admit nobody, or everybody.
    """

    def __post_init__(self) -> None:
        if self.strict:
            self._check_subscriptions()
            self._check_policies()

    def _check_subscriptions(self) -> None:
        """Refuse a subscription that names an attribute that no event has, or compares one with the wrong type."""
        schema = _schema("publications", [publication.attributes for publication in self.publications])
        for number, subscription in enumerate(self.subscriptions):
            if subscription.where is not None and schema:
                check(subscription.where, schema, f"subscriptions[{number}] where")

    def _check_policies(self) -> None:
        """Refuse a policy that names an attribute that nobody has, or compares one with the wrong type."""
        schema = _schema("people", [entry.attributes for entry in self.people])
        for number, publication in enumerate(self.publications):
            if publication.policy is None:
                continue
            try:
                check(publication.policy, schema, f"publications[{number}] policy")
            except PredicateError as error:
                advice = "" if schema else "; add [[workload.people]] or strict = false"
                raise PredicateError(error.what + advice, error.where) from None

    def most_attributes(self) -> int:
        """Return the largest number of attributes of any event."""
        return max((len(publication.attributes) for publication in self.publications), default=0)

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        """Return the scripted workload, in order of time; nothing is drawn."""
        self._check_network(count, duration_s)
        subscriptions = [change for entry in self.subscriptions for change in _changes(entry, count, duration_s)]
        # A node that does both at one moment unsubscribes first, so that one period may directly follow another.
        subscriptions.sort(key=lambda change: (change.at_s, change.active, change.node))
        publications = [
            Publication(
                entry.at_s,
                entry.node,
                entry.topic,
                entry.validity_s,
                entry.size_bytes,
                entry.attributes,
                entry.access_policy(),
                entry.hops_max,
            )
            for entry in sorted(self.publications, key=lambda entry: entry.at_s)
        ]
        return Workload(tuple(subscriptions), tuple(publications), self._attributes(count))

    def _attributes(self, count: int) -> dict[int, Attributes]:
        """Return the attributes of each node's user."""
        known: dict[int, Attributes] = {}
        for entry in self.people:
            for node in entry.nodes if isinstance(entry.nodes, tuple) else range(count):
                known[node] = known.get(node, NO_ATTRIBUTES) | entry.attributes
        return known

    def _check_network(self, count: int, duration_s: float) -> None:
        """Check that all nodes exist and all times are within the run."""
        total = sum(subscription.subscriber_count(count) for subscription in self.subscriptions)
        if total > SUBSCRIPTIONS_MAX:
            expected = f"must be at most {SUBSCRIPTIONS_MAX:,} in total, counted for each node"
            raise ParameterError("subscriptions", expected, total)
        below = f"must be below {count}, the number of nodes, which count from 0"
        before = f"must be before the end at {duration_s:g} s"
        for number, subscription in enumerate(self.subscriptions):
            last = max(subscription.subscribers(count))
            if last >= count:
                key = "nodes" if subscription.node is None else "node"
                raise ParameterError(f"subscriptions[{number}] {key}", below, last)
            if subscription.start_s >= duration_s:
                raise ParameterError(f"subscriptions[{number}] from_s", before, subscription.from_s)
        for number, publication in enumerate(self.publications):
            if publication.node >= count:
                raise ParameterError(f"publications[{number}] node", below, publication.node)
            if publication.at_s >= duration_s:
                raise ParameterError(f"publications[{number}] at_s", before, publication.at_s)
        for number, people in enumerate(self.people):
            if isinstance(people.nodes, tuple) and max(people.nodes, default=0) >= count:
                raise ParameterError(f"people[{number}] nodes", below, max(people.nodes))
        self._check_overlaps(count)

    def _check_overlaps(self, count: int) -> None:
        """Refuse two equal subscriptions of a node that overlap: the first to end would end both."""
        periods: dict[tuple[int, Interest], list[tuple[float, float, int]]] = {}
        for number, entry in enumerate(self.subscriptions):
            for node in entry.subscribers(count):
                periods.setdefault((node, entry.interest), []).append((entry.start_s, entry.end_s, number))
        for (node, _), same in periods.items():
            for earlier, later in pairwise(sorted(same)):
                if later[0] < earlier[1]:
                    expected = f"node {node} already has the same subscription then, subscriptions[{earlier[2]}]"
                    raise ParameterError(
                        f"subscriptions[{later[2]}] topic", expected, self.subscriptions[later[2]].topic
                    )


def _schema(key: str, entries: list[Attributes]) -> dict[str, AttributeType]:
    """Return the type of each attribute in a list; an attribute of two types is refused as a mistake."""
    found: dict[str, tuple[AttributeType, int]] = {}
    for number, attributes in enumerate(entries):
        for name, value in attributes.items():
            kind, first = found.setdefault(name, (type_of(value), number))
            if kind is not type_of(value):
                expected = f"must be a {kind} as in {key}[{first}], unless strict = false"
                raise ParameterError(f"{key}[{number}] attributes {name}", expected, value)
    return {name: kind for name, (kind, _) in found.items()}


def _changes(entry: ScriptedSubscription, count: int, duration_s: float) -> Iterator[Subscription]:
    """Yield the start of an entry for each of its nodes and, if it comes before the run's end, the end."""
    interest = entry.interest
    for node in entry.subscribers(count):
        yield Subscription(entry.start_s, node, interest)
        if entry.end_s < duration_s:
            yield Subscription(entry.end_s, node, interest, active=False)
