"""A run as a whole: its windows of time, what is counted in them, and what two runs share."""

import gc
from dataclasses import replace
from math import inf
from typing import Any

import pytest
from diary import LOG, NEWS, THREE, Diary, DiaryParameters, Unicaster, noted, setup_of

from roamcast.core.host import Position, PubSub
from roamcast.core.topics import Topic
from roamcast.protocols import load_protocol, protocol_names
from roamcast.protocols.gossip import GossipParameters
from roamcast.protocols.ttl_flooding import TtlFlooding, TtlFloodingParameters
from roamcast.sim.energy import Energy
from roamcast.sim.facts import Facts, ReceptionFact, TrafficFact
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.mobility.static import Static
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.setup import FrameSent, Setup
from roamcast.sim.simulated_host import SimulatedHost
from roamcast.sim.simulation import FORMER_NODES_MAX, simulate
from roamcast.sim.trajectories import Area
from roamcast.sim.workload.script import Script, ScriptedPublication, ScriptedSubscription
from roamcast.sim.workload.single_topic import SingleTopic

FRAME_BYTES = 400 + 36


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


# --- windows of time -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("warmup_s", "settle_s", "starts_at_s", "measured_from_s"),
    [(0.0, 5.0, 0.0, 5.0), (20.0, 5.0, 15.0, 20.0), (3.0, 3.0, 0.0, 3.0)],
)
def test_the_protocol_starts_a_settling_time_before_the_measurement_and_that_after_the_warm_up(
    warmup_s: float, settle_s: float, starts_at_s: float, measured_from_s: float
) -> None:
    late = ScriptedSubscription(Topic("late"), node=1, from_s=2.0, until_s=4.0)
    workload = Script((ScriptedSubscription(NEWS, node=0), late), (ScriptedPublication(0, NEWS, 3.0, 60.0),))
    facts = simulate(setup_of(warmup_s=warmup_s, settle_s=settle_s, workload=workload), seed=1)
    assert [(node, at_s) for node, at_s, what in noted(str) if what == "start"] == [(0, starts_at_s), (1, starts_at_s)]
    assert [entry for entry in noted(str) if entry[2] != "start"] == [
        (0, starts_at_s, "+news"),
        (1, measured_from_s + 2.0, "+late"),
        (1, measured_from_s + 4.0, "-late"),
    ]
    assert [(node, at_s) for node, at_s, _ in noted(tuple) if at_s == measured_from_s + 3.0] == [
        (0, measured_from_s + 3.0)
    ]
    assert [each.published_at_s for each in facts.publications] == [3.0]
    ticks = [at_s for node, at_s, what in noted(Position) if node == 0]
    assert ticks == [starts_at_s + 0.5 + second for second in range(int(measured_from_s + 10.0 - starts_at_s))]


def test_traffic_is_counted_during_the_measurement_only() -> None:
    facts = simulate(setup_of(), seed=1)
    ticks = [at_s for node, at_s, _ in noted(Position) if node == 0]
    assert len(ticks) == 15
    # Both nodes tick at once, so some frames collide; what is sent is sent all the same.
    assert [(each.node, each.kind, each.frames_sent, each.bytes_sent, each.events_sent) for each in facts.traffic] == [
        (0, "message", 10, 10 * (50 + 36), 0),
        (1, "message", 10, 10 * (50 + 36), 0),
    ]
    assert facts.frames == 20
    received = sum(each.frames_received for each in facts.traffic)
    assert received == facts.frame_receptions
    assert received + sum(each.frames_lost for each in facts.node_facts) == 20


def test_what_finds_the_queue_full_is_counted_and_not_sent() -> None:
    facts = simulate(setup_of(parameters=DiaryParameters(frames=60), duration_s=0.9, settle_s=0.0), seed=1)
    assert [each.queue_drops for each in facts.node_facts] == [10, 10]
    assert [(each.node, each.reason, each.times) for each in facts.drops] == [
        (0, "queue-full", 10),
        (1, "queue-full", 10),
    ]
    assert [each.frames_sent for each in facts.traffic] == [50, 50]


# --- a case computed by hand -----------------------------------------------------------------------------------


def test_two_nodes_that_flood_for_ten_seconds() -> None:
    seed = 8
    first_s, second_s = (RandomStreams(seed).python("protocol", node).random() for node in (0, 1))
    assert first_s + 0.01 < second_s  # in each second node 0 sends first, and the two never overlap
    facts = simulate(setup_of(load_protocol("flooding")), seed)
    assert facts.traffic == (
        TrafficFact(0, "events", 10, 10 * FRAME_BYTES, 10 * 400, 10, 10, 10 * FRAME_BYTES),
        TrafficFact(1, "events", 10, 10 * FRAME_BYTES, 10 * 400, 10, 10, 10 * FRAME_BYTES),
    )
    assert facts.receptions == (ReceptionFact(0, 0, 10, 0, echoes=10), ReceptionFact(1, 1, 9, 0, echoes=0))
    assert [each.interested for each in facts.publications] == [1]
    assert [(each.node, each.counted) for each in facts.deliveries] == [(0, False), (1, True)]
    airtime_s = 192e-6 + FRAME_BYTES * 8 / 2e6
    assert facts.deliveries[0].latency_s == 0.0
    assert first_s + airtime_s <= facts.deliveries[1].latency_s <= first_s + airtime_s + 0.0011


def test_a_node_that_asks_for_nothing_receives_parasites() -> None:
    workload = Script((ScriptedSubscription(NEWS, node=0),), (ScriptedPublication(0, NEWS, 0.0, 60.0),))
    facts = simulate(setup_of(load_protocol("interest-flooding"), workload=workload), seed=3)
    assert facts.receptions == (ReceptionFact(0, 0, 0, 0, 0), ReceptionFact(1, 0, 0, 10, 0))
    assert [(each.node, each.reason, each.times) for each in facts.drops] == [(1, "parasite", 10)]


def test_who_watches_sees_every_frame_also_those_that_nobody_hears_and_changes_nothing() -> None:
    far = Static(positions_m=((0.0, 0.0), (900.0, 0.0)))
    frames: list[FrameSent] = []
    setup = setup_of(load_protocol("flooding"), mobility=far)
    watched = simulate(setup, 3, frames.append)
    assert [(each.sender, each.receivers) for each in frames] == [(0, [])] * 10
    assert all(0.0 < each.ended_at_s < 10.0 for each in frames)
    assert watched.digest() == simulate(setup, 3).digest()


# --- energy ----------------------------------------------------------------------------------------------------


def test_energy_is_the_time_in_each_state_times_its_power() -> None:
    facts = simulate(setup_of(Unicaster, nodes=3, mobility=THREE, energy=Energy(100.0, 10.0, 1.0)), seed=1)
    data_s, ack_s = 192e-6 + 46 * 8 / 2e6, 304e-6
    in_states = [(each.transmit_s, each.receive_s) for each in facts.node_facts]
    # Node 2 follows the frame, and the acknowledgement of node 1, which is 141 m away; neither is for it.
    expected = [(data_s, ack_s), (ack_s, data_s), (0.0, data_s + ack_s)]
    assert [seconds for pair in in_states for seconds in pair] == pytest.approx([s for pair in expected for s in pair])
    joules = [100 * sent_s + 10 * heard_s + (10.0 - sent_s - heard_s) for sent_s, heard_s in in_states]
    assert [each.energy_j for each in facts.node_facts] == pytest.approx(joules)


@pytest.mark.parametrize(("settle_s", "duration_s"), [(5.5001, 1.0), (5.0, 0.5003), (5.5001, 0.0002)])
def test_a_frame_that_crosses_an_end_of_the_measurement_counts_with_its_part_inside(
    settle_s: float, duration_s: float
) -> None:
    """Both nodes send half a second after the start and every second from then on; nobody waits for the medium."""
    apart = Static(positions_m=((0.0, 0.0), (900.0, 0.0)))
    facts = simulate(
        setup_of(settle_s=settle_s, duration_s=duration_s, processing_s_max=0.0, mobility=apart, workload=Script()),
        seed=1,
    )
    frame_s = 192e-6 + 86 * 8 / 2e6
    inside_s = sum(
        max(0.0, min(begin_s + frame_s, settle_s + duration_s) - max(begin_s, settle_s))
        for begin_s in (each + 0.5 for each in range(8))
    )
    assert [each.transmit_s for each in facts.node_facts] == pytest.approx([inside_s] * 2, abs=1e-9)


def test_only_what_is_on_the_air_during_the_measurement_costs_energy() -> None:
    facts = simulate(setup_of(settle_s=5.0, duration_s=2.0, energy=Energy(1.0, 0.0, 0.0)), seed=1)
    frame_s = 192e-6 + 86 * 8 / 2e6
    assert [each.energy_j for each in facts.node_facts] == pytest.approx([2 * frame_s] * 2)


# --- a radio for each node -------------------------------------------------------------------------------------


def test_nodes_draw_ranges_of_their_own_and_the_sender_decides_who_hears() -> None:
    radio = Range(range_m=(50.0, 150.0))
    ranges_m = radio.reach(2, RandomStreams(3)).range_m
    apart_m = float(ranges_m.mean())
    pair = Static(positions_m=((0.0, 0.0), (apart_m, 0.0)))
    facts = simulate(setup_of(radio=radio, mobility=pair), seed=3)
    received = {each.node: each.frames_received for each in facts.traffic}
    assert [received[1 - sender] > 0 for sender in (0, 1)] == [bool(each >= apart_m) for each in ranges_m]
    assert sorted(each > 0 for each in received.values()) == [False, True]


def test_many_runs_in_one_process_do_not_fill_its_memory_with_former_nodes() -> None:
    """Each run's hosts and protocols refer to each other, so that only the collector frees them."""
    nodes, workload = 500, SingleTopic(0.0, 1.0, events=0)
    for seed in range(3 * FORMER_NODES_MAX // nodes):
        simulate(mobile(Diary, DiaryParameters(0), nodes=nodes, duration_s=0.1, workload=workload), seed)
    alive = sum(isinstance(each, SimulatedHost) for each in gc.get_objects())
    assert alive <= FORMER_NODES_MAX + 2 * nodes


# --- what runs with the same seed share ------------------------------------------------------------------------


def mobile(protocol: type[PubSub], parameters: object | None = None, **changes: Any) -> Setup:
    """Return 40 nodes that move about, 60 % of them subscribers, and five events of random publishers."""
    workload = SingleTopic(subscriber_fraction=0.6, validity_s=180.0, publisher="any", events=5, interval_s=2.0)
    return setup_of(
        protocol,
        parameters,
        nodes=changes.pop("nodes", 40),
        area=Area(2000.0, 2000.0),
        duration_s=changes.pop("duration_s", 30.0),
        mobility=RandomWaypoint(speed_mps=(5.0, 20.0), pause_s=1.0),
        radio=Range(range_m=250.0),
        workload=changes.pop("workload", workload),
        **changes,
    )


def test_protocols_compared_with_one_seed_see_the_same_publications() -> None:
    runs = {name: simulate(mobile(load_protocol(name), duration_s=10.0), seed=5) for name in protocol_names()}
    as_gossip = TtlFloodingParameters(random_delay_s_max=GossipParameters().random_delay_s_max)
    runs["ttl-flooding"] = simulate(mobile(TtlFlooding, as_gossip, duration_s=10.0), seed=5)
    publications = [facts.publications for facts in runs.values()]
    assert all(each == publications[0] for each in publications)
    digests = {name: facts.trace_digest for name, facts in runs.items()}
    # Without a map, and with fewer hops than a limit, two are the same; all others differ.
    assert digests["broker-gpsr"] == digests.pop("broker-gpsr-map")
    assert digests["rendezvous-gpsr"] == digests.pop("rendezvous-gpsr-map")
    assert digests["gossip"] == digests.pop("ttl-flooding")
    assert len(set(digests.values())) == len(digests)
    assert simulate(mobile(load_protocol("flooding"), duration_s=10.0), seed=6).publications != publications[0]


def test_protocols_compared_with_one_seed_see_the_same_movement_whatever_they_send() -> None:
    walks = []
    for frames in (0, 1, 30):
        LOG.clear()
        simulate(mobile(Diary, DiaryParameters(frames)), seed=5)
        walks.append([(node, at_s, what) for node, at_s, what in noted(Position)])
    assert len(walks[0]) == 40 * 35
    assert walks[0] == walks[1] == walks[2]


def test_each_node_has_its_own_random_stream_which_does_not_depend_on_how_many_nodes_there_are() -> None:
    class Gambler(Diary):
        def start(self) -> None:
            self._note(self._host.random.random())

    draws = []
    for nodes in (2, 40):
        LOG.clear()
        simulate(replace(mobile(Gambler), nodes=nodes), seed=5)
        draws.append([value for _, _, value in noted(float)])
    assert draws[1][:2] == draws[0]
    assert len(set(draws[1])) == 40


# --- one run, all validities -----------------------------------------------------------------------------------


def early_deliveries(facts: Facts, before_s: float) -> list[tuple[int, float]]:
    return [(each.node, each.latency_s) for each in facts.deliveries if each.latency_s < before_s]


# Brokers and rendezvous points reach hardly anybody in this thin network, whoever publishes.
@pytest.mark.parametrize("name", [each for each in protocol_names() if not each.startswith(("broker", "rendezvous"))])
def test_what_is_received_by_a_time_does_not_depend_on_how_long_the_event_stays_valid_after_it(
    name: str,
) -> None:
    protocol = load_protocol(name)
    long, short = (
        simulate(
            mobile(
                protocol,
                duration_s=validity_s,
                workload=SingleTopic(subscriber_fraction=0.5, validity_s=validity_s, publisher="any"),
            ),
            seed=2,  # one whose publisher is not alone: some protocols send once
        )
        for validity_s in (180.0, 60.0)
    )
    assert early_deliveries(long, 60.0) == early_deliveries(short, 60.0) == early_deliveries(short, inf)
    assert len(early_deliveries(short, 60.0)) > 1
