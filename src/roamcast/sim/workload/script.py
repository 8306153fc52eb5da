"""A script: every subscription and every publication written down, for a story, a test or a replay.

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
from roamcast.core.interests import Interest, TopicInterest
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
    """One ``[[workload.subscriptions]]``: some nodes ask for a topic for a while."""

    topic: Topic
    """What they ask for; everything below it is meant too."""

    node: NodeNumber | None = None
    """The one node that asks; or else ``nodes``."""

    nodes: Annotated[str, one_of("all")] | Annotated[tuple[NodeNumber, ...], ENTRIES_MAX] | None = None
    """The nodes that ask, as a list of numbers or "all"."""

    where: Predicate | None = None
    """Which events of the topic they ask for, by what they say: ``severity >= 3``; by default all."""

    from_s: Annotated[float, AT_LEAST_ZERO] | None = None
    """Since when, in seconds from the start of the measurement; by default since before it."""

    until_s: Annotated[float, GREATER_THAN_ZERO] | None = None
    """Until when, in seconds from the start of the measurement; by default to the end."""

    def __post_init__(self) -> None:
        if (self.node is None) == (self.nodes is None):
            raise ParameterError("node", "either node or nodes is needed, and not both")
        if isinstance(self.nodes, tuple) and len(set(self.nodes)) < max(1, len(self.nodes)):
            raise ParameterError("nodes", "must name at least one node, and each once")
        if self.until_s is not None and self.from_s is not None and self.until_s <= self.from_s:
            raise ParameterError("until_s", f"must be greater than from_s = {self.from_s:g}")

    def named(self, count: int) -> tuple[int, ...]:
        """Return the numbers of the nodes that ask, in a network of ``count``."""
        if self.node is not None:
            return (self.node,)
        return self.nodes if isinstance(self.nodes, tuple) else tuple(range(count))

    def asking(self, count: int) -> int:
        """Return how many nodes ask, in a network of ``count``."""
        if self.node is not None:
            return 1
        return len(self.nodes) if isinstance(self.nodes, tuple) else count

    @property
    def interest(self) -> Interest:
        """Return what they ask for."""
        if self.where is None:
            return TopicInterest(self.topic)
        return self.where if self.topic == Topic.root() else compare("topic", "=", self.topic.path) & self.where

    @property
    def start_s(self) -> float:
        """Return when the asking starts; minus infinity: with the protocol."""
        return -inf if self.from_s is None else self.from_s

    @property
    def end_s(self) -> float:
        """Return when the asking ends; infinity: never."""
        return inf if self.until_s is None else self.until_s


@dataclass(frozen=True, slots=True)
class ScriptedPublication:
    """One ``[[workload.publications]]``: a node publishes an event."""

    node: NodeNumber
    """Who publishes."""

    topic: Topic
    """What it is about."""

    at_s: Annotated[float, AT_LEAST_ZERO]
    """When, in seconds from the start of the measurement."""

    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)]
    """How long the event is worth delivering, in seconds."""

    size_bytes: Annotated[int, GREATER_THAN_ZERO, at_most(65_535)] = 400
    """The size of the event on the air, in bytes; 400 in the Frugal paper, at most what a datagram holds."""

    attributes: Attributes = NO_ATTRIBUTES
    """What the event says, each a number, a text or true or false: ``{ severity = 4, road = "ring" }``."""

    policy: Predicate | None = None
    """Who may have it, by what ``[[workload.people]]`` says of the subscribers: ``role = "police"``; by default all."""

    hops_max: Annotated[int, GREATER_THAN_ZERO] | None = None
    """A local event is meant for those who are at most so many hops away when it is published; by default all are."""

    def __post_init__(self) -> None:
        self.access_policy()

    def access_policy(self) -> Policy | None:
        """Return the policy, or say why it makes no sense."""
        if self.policy is None:
            return None
        try:
            return AttributePolicy(self.policy)
        except PredicateError as error:
            raise ParameterError("policy", error.what) from None


@dataclass(frozen=True, slots=True)
class ScriptedPeople:
    """One ``[[workload.people]]``: what is known of the users of some nodes."""

    attributes: Attributes
    """What is known, each a number, a text or true or false: ``{ role = "police", rank = 2 }``."""

    nodes: Annotated[str, one_of("all")] | Annotated[tuple[NodeNumber, ...], ENTRIES_MAX] = "all"
    """The nodes, as a list of numbers or "all"; a later entry adds to an earlier one, or says better."""

    def __post_init__(self) -> None:
        if not self.nodes:
            raise ParameterError("nodes", "must name at least one node")


@dataclass(frozen=True, slots=True)
class Script(WorkloadModel):
    """Everything that people do, written down."""

    summary: ClassVar[str] = "every subscription and publication written down in the scenario"

    subscriptions: Annotated[tuple[ScriptedSubscription, ...], ENTRIES_MAX] = ()
    """Who asks for what and when."""

    publications: Annotated[tuple[ScriptedPublication, ...], ENTRIES_MAX] = ()
    """Who publishes what and when."""

    people: Annotated[tuple[ScriptedPeople, ...], ENTRIES_MAX] = ()
    """What is known of the nodes' users, for the policies of publications."""

    strict: bool = True
    """Whether a subscription may name only attributes that some publication has, compared with values of their types,
    and a policy only attributes that some of the people have.

    Where no publication has any, there is nothing to hold subscriptions against, and they are not. Policies always are:
    one that nobody can be held against would admit nobody, or everybody.
    """

    def __post_init__(self) -> None:
        if self.strict:
            self._check_subscriptions()
            self._check_policies()

    def _check_subscriptions(self) -> None:
        """Refuse a subscription that names an attribute that no event has, or compares one with the wrong type."""
        schema = _schema("publications", [each.attributes for each in self.publications])
        for at, each in enumerate(self.subscriptions):
            if each.where is not None and schema:
                check(each.where, schema, f"subscriptions[{at}] where")

    def _check_policies(self) -> None:
        """Refuse a policy that names an attribute that is known of nobody, or compares one with the wrong type."""
        schema = _schema("people", [each.attributes for each in self.people])
        for at, each in enumerate(self.publications):
            if each.policy is None:
                continue
            try:
                check(each.policy, schema, f"publications[{at}] policy")
            except PredicateError as error:
                advice = "" if schema else "; add [[workload.people]] or strict = false"
                raise PredicateError(error.what + advice, error.place) from None

    def most_attributes(self) -> int:
        """Return how many attributes an event has at most."""
        return max((len(each.attributes) for each in self.publications), default=0)

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:  # noqa: ARG002
        """Return what is written, in order of time; nothing is drawn."""
        self._check_surroundings(count, duration_s)
        subscriptions = [each for entry in self.subscriptions for each in _steps(entry, count, duration_s)]
        # At one moment a node first stops asking and then asks, so that one period may follow another at once.
        subscriptions.sort(key=lambda each: (each.at_s, each.active, each.node))
        publications = [
            Publication(
                each.at_s,
                each.node,
                each.topic,
                each.validity_s,
                each.size_bytes,
                each.attributes,
                each.access_policy(),
                each.hops_max,
            )
            for each in sorted(self.publications, key=lambda each: each.at_s)
        ]
        return Workload(tuple(subscriptions), tuple(publications), self._attributes(count))

    def _attributes(self, count: int) -> dict[int, Attributes]:
        """Return what is known of each node's user."""
        known: dict[int, Attributes] = {}
        for entry in self.people:
            for node in entry.nodes if isinstance(entry.nodes, tuple) else range(count):
                known[node] = known.get(node, NO_ATTRIBUTES) | entry.attributes
        return known

    def _check_surroundings(self, count: int, duration_s: float) -> None:
        asking = sum(wish.asking(count) for wish in self.subscriptions)
        if asking > SUBSCRIPTIONS_MAX:
            expected = f"must be at most {SUBSCRIPTIONS_MAX:,} in all, counted for each node"
            raise ParameterError("subscriptions", expected, asking)
        below = f"must be below {count}, the number of nodes, which count from 0"
        before = f"must be before the end at {duration_s:g} s"
        for number, wish in enumerate(self.subscriptions):
            if max(wish.named(count)) >= count:
                key = "nodes" if wish.node is None else "node"
                raise ParameterError(f"subscriptions[{number}] {key}", below, max(wish.named(count)))
            if wish.start_s >= duration_s:
                raise ParameterError(f"subscriptions[{number}] from_s", before, wish.from_s)
        for number, each in enumerate(self.publications):
            if each.node >= count:
                raise ParameterError(f"publications[{number}] node", below, each.node)
            if each.at_s >= duration_s:
                raise ParameterError(f"publications[{number}] at_s", before, each.at_s)
        for number, people in enumerate(self.people):
            if isinstance(people.nodes, tuple) and max(people.nodes, default=0) >= count:
                raise ParameterError(f"people[{number}] nodes", below, max(people.nodes))
        self._check_overlaps(count)

    def _check_overlaps(self, count: int) -> None:
        """Refuse a node that asks for a topic while it already does: the first end would end both."""
        periods: dict[tuple[int, Interest], list[tuple[float, float, int]]] = {}
        for number, each in enumerate(self.subscriptions):
            for node in each.named(count):
                periods.setdefault((node, each.interest), []).append((each.start_s, each.end_s, number))
        for (node, _), asked in periods.items():
            for earlier, later in pairwise(sorted(asked)):
                if later[0] < earlier[1]:
                    expected = f"node {node} already asks for the same then, in subscriptions[{earlier[2]}]"
                    raise ParameterError(
                        f"subscriptions[{later[2]}] topic", expected, self.subscriptions[later[2]].topic
                    )


def _schema(key: str, said: list[Attributes]) -> dict[str, AttributeType]:
    """Return the types of the attributes in a list; one of two types is a slip, too."""
    found: dict[str, tuple[AttributeType, int]] = {}
    for number, attributes in enumerate(said):
        for name, value in attributes.items():
            kind, first = found.setdefault(name, (type_of(value), number))
            if kind is not type_of(value):
                expected = f"must be a {kind} as in {key}[{first}]; or else strict = false"
                raise ParameterError(f"{key}[{number}] attributes {name}", expected, value)
    return {name: kind for name, (kind, _) in found.items()}


def _steps(entry: ScriptedSubscription, count: int, duration_s: float) -> Iterator[Subscription]:
    """Yield the beginnings and, if they come before the run's end, the ends that an entry stands for."""
    interest = entry.interest
    for node in entry.named(count):
        yield Subscription(entry.start_s, node, interest)
        if entry.end_s < duration_s:
            yield Subscription(entry.end_s, node, interest, active=False)
