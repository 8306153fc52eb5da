"""Routers in the real simulator, with its radio and MAC: what arrives along a chain, and when the nodes move."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from routed_flows import delivered

from roamcast.routing import router_names
from roamcast.sim.facts import Facts
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility.static import Static
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulation import simulate
from roamcast.sim.trajectories import Area, Point, Trajectories
from roamcast.validation.aodv import SETTLE_S, flow_setup, had_a_path, waypoint_setup

CHAIN = tuple((200.0 * node, 500.0) for node in range(5))
AWAY_M = 999.0


@dataclass(frozen=True)
class GivenPaths(MobilityModel):
    """Nodes that move as the test says."""

    summary: ClassVar[str] = "paths of a test"
    paths: tuple[tuple[Point, ...], ...]

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:  # noqa: ARG002
        return Trajectories.from_points([list(path) for path in self.paths])


def absent(x_m: float, from_s: float, until_s: float | None) -> tuple[Point, ...]:
    """Return the path of a node of the chain that is far away for some seconds of the measurement, or for good."""
    here, away = (x_m, 500.0), (x_m, AWAY_M)
    leaves_s = SETTLE_S + from_s
    path: tuple[Point, ...] = ((0.0, *here), (leaves_s - 1.0, *here), (leaves_s, *away))
    if until_s is not None:
        path = (*path, (SETTLE_S + until_s - 1.0, *away), (SETTLE_S + until_s, *here))
    return path


def arrivals_s(facts: Facts) -> dict[float, float]:
    """Return the latency of each packet that arrived, by when it was sent."""
    sent_at_s = [each.published_at_s for each in facts.publications]
    return {round(sent_at_s[each.event], 3): each.latency_s for each in facts.deliveries}


@pytest.mark.parametrize("router", router_names())
def test_everything_arrives_along_a_chain_in_both_directions(router: str) -> None:
    setup = flow_setup(router, 5, Static(positions_m=CHAIN), ((0, 4), (4, 0), (1, 3)), duration_s=100.0)
    facts = simulate(setup, seed=3)
    assert len(facts.publications) == 27
    assert delivered(facts) == 1.0
    assert facts.drops == ()


def test_a_packet_sent_while_the_relay_is_away_arrives_after_its_return() -> None:
    paths = tuple(((0.0, x_m, 500.0),) if x_m != 400.0 else absent(x_m, 20.0, 30.0) for x_m, _ in CHAIN)
    facts = simulate(flow_setup("aodv", 5, GivenPaths(paths), ((0, 4),), duration_s=70.0), seed=3)
    latencies_s = arrivals_s(facts)
    assert sorted(latencies_s) == [5.0, 15.0, 25.0, 35.0, 45.0, 55.0]
    assert latencies_s.pop(25.0) > 5.0
    assert max(latencies_s.values()) < 3.0


def test_another_relay_takes_over_at_once() -> None:
    paths = tuple(((0.0, x_m, 500.0),) if x_m != 400.0 else absent(x_m, 20.0, None) for x_m, _ in CHAIN)
    facts = simulate(flow_setup("aodv", 6, GivenPaths((*paths, ((0.0, 400.0, 450.0),))), ((0, 4),), 70.0), seed=3)
    latencies_s = arrivals_s(facts)
    assert sorted(latencies_s) == [5.0, 15.0, 25.0, 35.0, 45.0, 55.0]
    assert max(latencies_s.values()) < 3.0


def test_only_what_is_sent_to_a_node_that_has_gone_is_lost_and_it_is_counted() -> None:
    paths = tuple(((0.0, x_m, 500.0),) if x_m != 800.0 else absent(x_m, 30.0, None) for x_m, _ in CHAIN)
    facts = simulate(flow_setup("aodv", 5, GivenPaths(paths), ((0, 4), (0, 3)), duration_s=90.0), seed=3)
    received = [(each.node, facts.publications[each.event].published_at_s) for each in facts.deliveries]
    assert [at_s for node, at_s in received if node == 4] == pytest.approx([2.5, 12.5, 22.5])  # of eight
    assert len([at_s for node, at_s in received if node == 3]) == 8
    given_up = {each.reason: each.times for each in facts.drops if each.node == 0}
    assert given_up["no-route-found"] == 5


@pytest.mark.parametrize("router", router_names())
@pytest.mark.parametrize("speed_mps", [1.0, 20.0])
def test_among_nodes_that_move_nearly_all_that_can_arrive_does(router: str, speed_mps: float) -> None:
    setup = waypoint_setup(router, speed_mps, duration_s=60.0, seed=1, nodes=50)
    assert delivered(simulate(setup, seed=1)) >= had_a_path(setup, seed=1) - 0.04


@pytest.mark.parametrize("router", router_names())
def test_the_same_seed_gives_the_same_run(router: str) -> None:
    first, second = (simulate(waypoint_setup(router, 20.0, 20.0, seed=2), seed=2).digest() for _ in range(2))
    assert first == second
