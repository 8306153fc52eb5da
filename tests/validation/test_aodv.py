"""AODV beside ns-3's: the packets compared are the same ones, and an AODV that loses more is noticed."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import pytest

from roamcast.core.messages import Message
from roamcast.routing.aodv.messages import RouteRequest
from roamcast.routing.aodv.parameters import AodvParameters
from roamcast.sim.mobility import MobilityModel
from roamcast.sim.mobility.static import Static
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.simulated_host import SimulatedHost
from roamcast.sim.simulation import Simulation
from roamcast.sim.trajectories import Area, Trajectories
from roamcast.validation import aodv
from roamcast.validation.aodv import (
    AODV,
    APART,
    DELIVERED,
    DURATION_S,
    SETTLE_S,
    SPEEDS_MPS,
    flow_setup,
    had_a_path,
    run_aodv,
    waypoint_setup,
)
from roamcast.validation.judging import Verdict
from roamcast.validation.ns3 import aodv_lost, aodv_packets
from roamcast.validation.parcels import ParcelParameters, ParcelService
from roamcast.validation.running import QUICK, run_cases


@pytest.mark.parametrize("speed_mps", SPEEDS_MPS)
def test_ns3_was_given_as_many_packets_as_we_send_with_several_seeds(speed_mps: int) -> None:
    setup = waypoint_setup("aodv", float(speed_mps), DURATION_S, seed=1)
    packets = setup.workload.workload(setup.nodes, DURATION_S, RandomStreams(1)).publications
    assert aodv_packets(speed_mps) == len(packets) == 290
    lost = aodv_lost(speed_mps)
    assert len(lost) >= 3
    assert all(0 <= number < 290 for each in lost for number in each)


def test_a_shorter_run_sends_the_first_packets_of_a_longer_one() -> None:
    short, long = (
        waypoint_setup("aodv", 10.0, each, seed=1).workload.workload(60, each, RandomStreams(1))
        for each in (60.0, 90.0)
    )
    assert short.publications == long.publications[:50]


def test_the_difference_counts_the_packets_that_both_have_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aodv, "aodv_lost", lambda _: ((0, 49, 50, 700),))  # the last two are sent after a minute
    ours = run_aodv(1, 1, 60.0)
    assert ours[APART.name] == pytest.approx(ours[DELIVERED.name] - 48 / 50)
    assert APART.name not in run_aodv(1, 2, 60.0)


def test_an_aodv_that_loses_a_few_packets_which_had_a_path_is_noticed_though_ns3_loses_more() -> None:
    forgetful = AodvParameters(request_retries=0, waiting_s=0.3)
    fast = AODV.cases[-1]
    wrong = replace(AODV, cases=(replace(fast, run=partial(run_aodv, 20, given=forgetful)),))
    delivered, _, spared = run_cases([wrong], QUICK, 1)
    assert delivered.verdict is Verdict.AGREES
    assert spared.verdict is not Verdict.AGREES
    assert -0.05 < spared.mean < -0.01


def test_what_had_a_path_is_what_a_walk_over_the_neighbours_reaches() -> None:
    chain = Static(positions_m=((0.0, 500.0), (200.0, 500.0), (400.0, 500.0), (900.0, 500.0)))
    for pair, expected in (((0, 2), 1.0), ((0, 3), 0.0)):
        assert had_a_path(flow_setup("aodv", 4, chain, (pair,), 60.0), seed=1) == expected


@dataclass(frozen=True)
class Comes(MobilityModel):
    """Node 1 comes into the reach of node 0 between the second and the third packet."""

    summary: ClassVar[str] = "a test's"

    def trajectories(self, count: int, area: Area, until_s: float, streams: RandomStreams) -> Trajectories:  # noqa: ARG002
        comes_s = SETTLE_S + 20.0
        return Trajectories.from_points(
            [[(0.0, 0.0, 0.0)], [(0.0, 900.0, 0.0), (comes_s, 900.0, 0.0), (comes_s + 1.0, 100.0, 0.0)]]
        )


def test_a_path_is_looked_for_when_a_packet_is_sent() -> None:
    setup = flow_setup("aodv", 2, Comes(), ((0, 1),), 60.0)  # packets at 5, 15, 25, 35 and 45 s
    assert had_a_path(setup, seed=1) == 3 / 5


def test_an_aodv_that_trusts_its_routes_for_too_long_is_noticed() -> None:
    """ns-3's MyRouteTimeout is longer than the time between two packets, so old routes are used and break."""
    stale = AodvParameters(own_route_s=11.2, local_repair=False)
    fast = AODV.cases[-1]
    wrong = replace(AODV, cases=(replace(fast, run=partial(run_aodv, 20, given=stale)),))
    delivered, apart, spared = run_cases([wrong], QUICK, 1)
    assert delivered.verdict is Verdict.DIFFERS
    assert spared.verdict is Verdict.DIFFERS
    assert apart.verdict is not Verdict.AGREES  # ns-3 has few seeds, which never tell a difference


def test_a_frame_goes_to_the_router_directly() -> None:
    simulation = Simulation(waypoint_setup("aodv", 10.0, 5.0, 1), 1)
    service = ParcelService(SimulatedHost(simulation, 0), ParcelParameters("aodv"))
    assert service.handler(RouteRequest) != service.on_message
    assert service.handler(RouteRequest).__name__ == "_on_request"
    assert service.handler(Message) == service.on_message
