"""Tree groups on the move: what must hold of all nodes at every moment, in simulations with a radio that collides."""

from collections.abc import Iterator
from math import inf
from typing import Any

import pytest
from small_networks import GivenWorkload
from tree_networks import ancestors

from roamcast.core.interests import TopicInterest
from roamcast.core.messages import Message
from roamcast.core.topics import Topic
from roamcast.protocols._tree_group_messages import LEADER, MEMBER, Heartbeat, JoinReply, JoinRequest, MergeReply
from roamcast.protocols._tree_group_parameters import TreeGroupParameters
from roamcast.protocols._tree_group_place import Place
from roamcast.protocols.tree_group import TreeGroup
from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.movement import Area
from roamcast.sim.radio.range import Range
from roamcast.sim.simulation import Setup, Simulation
from roamcast.sim.workload import Publication, Subscription, Workload

NEWS = Topic("news")
NODES, SAMPLE_S = 80, 0.02


class Watched(TreeGroup):
    """A tree group node that remembers the labels that it was told by whom, for the test."""

    def __init__(self, host: Any, parameters: TreeGroupParameters) -> None:
        super().__init__(host, parameters)
        self.told: dict[int, set[tuple[int, int, int]]] = {}

    def on_message(self, message: Message, sender: int) -> None:
        if isinstance(message, Heartbeat | JoinReply | JoinRequest | MergeReply):
            self.told.setdefault(sender, set()).add(message.label)
        super().on_message(message, sender)


def moving(speed_mps: float, parameters: TreeGroupParameters, seed: int, settle_s: float = 5.0) -> Simulation:
    wishes = tuple(Subscription(-inf, node, TopicInterest(NEWS)) for node in range(0, NODES, 3))
    published = tuple(Publication(0.5 * number, number % NODES, NEWS, 5.0, 400) for number in range(40))
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
        workload=GivenWorkload(Workload(wishes, published)),
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
        self.changes = 0
        self._parents: dict[int, int | None] = {}
        self.history: dict[int, list[tuple[float, int]]] = {}
        """When each node has changed its group or parent, and its group since."""
        self._groups: dict[int, tuple[int, int | None]] = {}
        simulation.kernel.schedule(SAMPLE_S, self.due, "sample")

    def due(self, token: str) -> None:
        protocols = list(self._watched())
        places = [protocol.place for protocol in protocols]
        for protocol in protocols:
            self._check(protocol, places)
        self.samples += 1
        self._simulation.kernel.schedule(self._simulation.kernel.now_s + SAMPLE_S, self.due, token)

    def _watched(self) -> Iterator[Watched]:
        for protocol in self._protocols:
            assert isinstance(protocol, Watched)
            yield protocol

    def _check(self, protocol: Watched, places: list[Place]) -> None:
        place = protocol.place
        ancestors(places, place.node)  # which fails where parents go round
        assert place.label >= self._labels.get(place.node, place.label), "a label has fallen"
        self._labels[place.node] = place.label
        self.changes += self._parents.get(place.node) != place.parent
        self._parents[place.node] = place.parent
        if self._groups.get(place.node) != (place.group, place.parent):
            self._groups[place.node] = (place.group, place.parent)
            self.history.setdefault(place.node, []).append((self._simulation.kernel.now_s, place.group))
        assert (place.parent is None) == (place.state != MEMBER)
        assert place.level <= place.parameters.levels_limit
        if place.state == LEADER:
            assert (place.group, place.level) == (place.node, 0)
        if place.parent is not None:
            epoch, leader, minus_level = place.label
            assert (epoch, leader, minus_level + 1) in protocol.told[place.parent], "not one level below what it heard"
            assert place.label < places[place.parent].label
            assert place.parent not in place.children


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
    assert (
        sampler.changes > (1 if speed_mps <= 2.0 else 3) * NODES
    )  # the trees have changed often enough to prove something
    delivered = sum(each.counted for each in facts.deliveries) / sum(each.interested for each in facts.publications)
    assert delivered > (0.8 if speed_mps <= 2.0 else 0.4)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_publication_that_matches_is_missed_in_a_group_that_stays_as_it_is(seed: int) -> None:
    settle_s = 20.0
    simulation = moving(0.3, TreeGroupParameters(), seed, settle_s)
    sampler = Sampler(simulation)
    simulation.run()
    checked = 0
    for published in simulation.recorder._published.values():
        at_s = published.event.published_at_s
        groups = {node: [group for t, group in past if t <= at_s][-1] for node, past in sampler.history.items()}
        restless = {
            group
            for node, past in sampler.history.items()
            for group in (groups[node], *(group for _, group in past))
            if any(at_s - 3.0 < t < at_s + 3.0 for t, _ in past)
        }
        group = groups[published.event.id.publisher]
        if group not in restless:
            members = {node for node in published.interested if groups[node] == group}
            assert members <= published.delivered
            checked += len(members)
    assert checked > 100


def test_the_sampler_sees_a_cycle() -> None:
    simulation = moving(2.0, TreeGroupParameters(), 1)
    sampler = Sampler(simulation)
    places = [protocol.place for protocol in sampler._watched()]
    places[0].parent, places[1].parent = 1, 0
    with pytest.raises(AssertionError, match="a cycle"):
        sampler.due("sample")
