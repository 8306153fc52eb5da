"""Tree groups on the move: what must hold of all nodes at every moment, in simulations with a radio that collides."""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import inf
from typing import Any

import pytest
from tree_networks import ancestors

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.core.predicates import Predicate
from roamcast.core.topics import Topic
from roamcast.protocols.tree_group.messages import (
    LEADER,
    MEMBER,
    SEARCHING,
    Heartbeat,
    JoinReply,
    JoinRequest,
    MergeReply,
)
from roamcast.protocols.tree_group.parameters import TreeGroupParameters
from roamcast.protocols.tree_group.protocol import TreeGroup
from roamcast.protocols.tree_group.tree_position import TreePosition
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.radio.range import Range
from roamcast.sim.setup import Setup
from roamcast.sim.simulation import Simulation
from roamcast.sim.trajectories import Area
from roamcast.sim.workload import Publication, Subscription, Workload, WorkloadModel
from roamcast.sim.workload.interests import Interests
from roamcast.testing.small_networks import GivenWorkload

NEWS = Topic("news")
NODES, SAMPLE_S = 80, 0.02


class Watched(TreeGroup):
    """A tree group node that remembers the label that it was told last by whom, for the test."""

    def __init__(self, host: Any, parameters: TreeGroupParameters) -> None:
        super().__init__(host, parameters)
        self.told: dict[int, tuple[int, int, int]] = {}

    def on_message(self, message: Message, sender: int) -> None:
        is_followed = (
            not isinstance(message, Heartbeat) or message.state != SEARCHING
        )  # children wait for such a parent
        if isinstance(message, Heartbeat | JoinReply | JoinRequest | MergeReply) and is_followed:
            self.told[sender] = message.label
        super().on_message(message, sender)


def news_for_some() -> WorkloadModel:
    """Return a workload of one topic, which every third node asks for."""
    wishes = tuple(Subscription(-inf, node, TopicInterest(NEWS)) for node in range(0, NODES, 3))
    published = tuple(Publication(0.5 * number, number % NODES, NEWS, 5.0, 400) for number in range(40))
    return GivenWorkload(Workload(wishes, published))


def moving(
    speed_mps: float,
    parameters: TreeGroupParameters,
    seed: int,
    settle_s: float = 5.0,
    workload: WorkloadModel | None = None,
) -> Simulation:
    setup = Setup(
        nodes=NODES,
        area=Area(750.0, 750.0),
        duration_s=20.0,
        warmup_s=0.0,
        settle_s=settle_s,
        processing_s_max=0.001,
        mobility=RandomWaypoint(speed_mps=(speed_mps, speed_mps), pause_s=1.0),
        radio=Range(range_m=150.0),
        mac=Dcf(),
        workload=news_for_some() if workload is None else workload,
        protocol=Watched,
        parameters=parameters,
    )
    return Simulation(setup, seed)


class Sampler:
    """Looks at all nodes again and again while the simulation runs."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._protocols = [host.protocol for host in simulation._hosts]
        self._labels: dict[int, tuple[int, int, int]] = {}
        self.samples = 0
        self.second_groups = 0
        self.changes = 0
        self._parents: dict[int, int | None] = {}
        self.history: dict[int, list[tuple[float, int]]] = {}
        """When each node has changed its group or parent, or was lost or found by its parent, and its group since."""
        self._groups: dict[int, tuple[int, int | None, bool]] = {}
        simulation.clock.schedule(SAMPLE_S, self.due, "sample")

    def due(self, token: str) -> None:
        protocols = list(self._watched())
        places = [protocol.tree_position for protocol in protocols]
        for protocol in protocols:
            self._check(protocol, places)
        self.samples += 1
        self._simulation.clock.schedule(self._simulation.clock.now_s + SAMPLE_S, self.due, token)

    def _watched(self) -> Iterator[Watched]:
        for protocol in self._protocols:
            assert isinstance(protocol, Watched)
            yield protocol

    def _check(self, protocol: Watched, places: list[TreePosition]) -> None:
        place = protocol.tree_position
        ancestors(places, place.node)  # which fails where parents go round
        assert place.label >= self._labels.get(place.node, place.label), "a label has fallen"
        self._labels[place.node] = place.label
        self.changes += self._parents.get(place.node) != place.parent
        self._parents[place.node] = place.parent
        is_held = place.parent is not None and place.node in places[place.parent].children
        if self._groups.get(place.node) != (place.group, place.parent, is_held):
            self._groups[place.node] = (place.group, place.parent, is_held)
            self.history.setdefault(place.node, []).append((self._simulation.clock.now_s, place.group))
        assert (place.parent is None) == (place.state != MEMBER)
        assert place.level <= place.parameters.levels_limit
        if place.state == LEADER:
            assert (place.group, place.level) == (place.node, 0)
        if place.parent is not None:
            _, leader, minus_level = place.label
            assert (leader, minus_level + 1) == protocol.told[place.parent][1:], "not one level below what it heard"
            assert place.label < places[place.parent].label
            assert place.parent not in place.children
        if place.second_parent is not None:
            self.second_groups += 1
            assert place.second_parent != place.parent
            assert place.second_parent not in place.children


@pytest.mark.parametrize(
    ("speed_mps", "parameters", "seed"),
    [
        (2.0, TreeGroupParameters(), 1),
        (25.0, TreeGroupParameters(), 2),
        (25.0, TreeGroupParameters(levels_preferred=2, levels_limit=3, merge_interval_s=0.5), 3),
        (10.0, TreeGroupParameters(levels_preferred=6, merge_interval_s=0.5, heartbeat_s=0.5), 4),
    ],
)
def test_there_is_never_a_cycle_and_every_parent_was_heard_one_level_above(
    speed_mps: float, parameters: TreeGroupParameters, seed: int
) -> None:
    simulation = moving(speed_mps, parameters, seed)
    sampler = Sampler(simulation)
    facts = simulation.run()
    assert sampler.samples > 1000
    assert sampler.second_groups > 1000
    assert (
        sampler.changes > (1 if speed_mps <= 2.0 else 3) * NODES
    )  # the trees have changed often enough to prove something
    delivered = sum(each.counted for each in facts.deliveries) / sum(each.interested for each in facts.publications)
    assert delivered > (0.8 if speed_mps <= 2.0 else 0.4)


MANY_ATTRIBUTES = Interests(
    validity_s=5.0,
    distinct=20,
    subscriptions_per_node=(2, 4),
    attributes_per_interest=(2, 4),
    attribute_names=4,
    attribute_values=2,
    disjunction_fraction=0.2,
    publication_probability=0.05,
    local_fraction=0.3,
)
"""Few attributes and values, so that most events match many interests, by all of their attributes or by some."""


AROUND_S = 3.0
"""A group is at rest around an event if nobody has come, gone, changed its parent or been lost by it for so long before
and after it."""


def restless_groups(sampler: Sampler, at_s: float) -> set[int]:
    """Return the groups in which something has changed around a moment: those left as well as those joined."""
    found: set[int] = set()
    for past in sampler.history.values():
        changes = [number for number, (t, _) in enumerate(past) if at_s - AROUND_S < t < at_s + AROUND_S]
        if changes:
            found.update(group for _, group in past[max(0, changes[0] - 1) : changes[-1] + 1])
    return found


def stable_pairs(simulation: Simulation, sampler: Sampler) -> Iterator[tuple[Event, int, bool]]:
    """Yield each event, each member of its publisher's group at rest that asks for it, and whether that one got it."""
    for published in simulation.recorder._published.values():
        at_s = published.event.published_at_s
        if at_s + AROUND_S > simulation.clock.now_s:
            continue  # nobody knows what happens then
        groups = {node: [group for t, group in past if t <= at_s][-1] for node, past in sampler.history.items()}
        group = groups[published.event.id.publisher]
        if group not in restless_groups(sampler, at_s):
            for node in sorted(published.interested):
                if groups[node] == group:
                    yield published.event, node, node in published.delivered


@pytest.mark.parametrize("seed", [5, 16])
def test_no_publication_that_matches_is_missed_in_a_group_that_stays_as_it_is(seed: int) -> None:
    simulation = moving(0.3, TreeGroupParameters(), seed, settle_s=20.0)
    sampler = Sampler(simulation)
    simulation.run()
    pairs = list(stable_pairs(simulation, sampler))
    assert [pair for pair in pairs if not pair[2]] == []
    assert len(pairs) > 100


def shapes_of(interests: Iterable[Interest], event: Event) -> set[str]:
    """Return what those of some interests are that match an event."""
    found = set()
    for interest in interests:
        if isinstance(interest, Predicate) and interest.matches(event):
            parts = [len(each.constraints) for each in interest.alternatives]
            found.add("disjunction" if len(parts) > 1 else f"conjunction of {parts[0]}")
    return found


@pytest.mark.parametrize("seed", [14, 16])
def test_no_publication_of_several_attributes_that_matches_a_conjunction_or_disjunction_is_missed(seed: int) -> None:
    simulation = moving(0.3, TreeGroupParameters(), seed, settle_s=20.0, workload=MANY_ATTRIBUTES)
    sampler = Sampler(simulation)
    simulation.run()
    pairs = list(stable_pairs(simulation, sampler))
    assert [pair for pair in pairs if not pair[2]] == []
    asked = simulation.recorder._interests
    reasons = [shapes_of(asked[node], event) for event, node, _ in pairs]
    # Where something matches for one reason only, no other subscription of the node can make up for a lost one.
    only = Counter(next(iter(each)) for each in reasons if len(each) == 1)
    assert len(pairs) > 200
    assert only["disjunction"] > 50
    assert sum(count for shape, count in only.items() if shape != "disjunction") > 50
    assert {"conjunction of 2", "conjunction of 3", "conjunction of 4"} < set(only)


def test_the_sampler_sees_a_cycle() -> None:
    simulation = moving(2.0, TreeGroupParameters(), 1)
    sampler = Sampler(simulation)
    places = [protocol.tree_position for protocol in sampler._watched()]
    places[0].parent, places[1].parent = 1, 0
    with pytest.raises(AssertionError, match="a cycle"):
        sampler.due("sample")
