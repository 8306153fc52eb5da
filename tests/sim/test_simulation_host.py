"""The simulated host's services to a protocol: wakes, and frames for one node."""

from typing import Any

import pytest
from diary import LOG, NEWS, THREE, Diary, Unicaster, UnicasterParameters, noted, setup_of

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.mobility.random_waypoint import RandomWaypoint
from roamcast.sim.mobility.static import Static
from roamcast.sim.simulation import Simulation, simulate
from roamcast.sim.workload.script import Script, ScriptedPublication, ScriptedSubscription


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


class Sleeper(Diary):
    """Ask for wakes, move them and cancel them."""

    def start(self) -> None:
        now_s = self._host.now
        for at_s, token in ((3.0, "c"), (1.0, "a"), (1.0, "b"), (2.0, "moved"), (2.0, "cancelled"), (-1.0, "past")):
            self._host.wake(now_s + at_s, token)
        self._host.wake(now_s + 4.0, "moved")
        self._host.cancel_wake("cancelled")
        self._host.cancel_wake("never asked for")

    def on_wake(self, token: Any) -> None:
        self._note(token)


def test_wakes_come_in_order_can_be_moved_and_cancelled_and_at_once_if_they_are_past() -> None:
    simulate(setup_of(Sleeper, nodes=1, mobility=Static(positions_m=((0.0, 0.0),)), settle_s=0.0), seed=1)
    wakes = [(at_s, what) for _, at_s, what in noted(str) if what in ("a", "b", "c", "moved", "cancelled", "past")]
    assert wakes == [(0.0, "past"), (1.0, "a"), (1.0, "b"), (3.0, "c"), (4.0, "moved")]


def test_a_unicast_reaches_its_node_alone_and_is_acknowledged() -> None:
    facts = simulate(setup_of(Unicaster, nodes=3, mobility=THREE), seed=1)
    assert [(node, what) for node, _, what in noted(tuple)] == [(1, ("heard", 10, 0))]
    assert [(each.node, each.kind, each.frames_sent, each.frames_received) for each in facts.traffic] == [
        (0, "mac-ack", 0, 1),
        (0, "message", 1, 0),
        (1, "mac-ack", 1, 0),
        (1, "message", 0, 1),
    ]


@pytest.mark.parametrize("to", [1, 0, 7, -1, -7, 2**70])
def test_a_unicast_that_nobody_acknowledges_is_tried_seven_times_and_comes_back(to: int) -> None:
    apart = Static(positions_m=((0.0, 0.0), (900.0, 0.0)))
    facts = simulate(setup_of(Unicaster, UnicasterParameters(to), mobility=apart), seed=1)
    assert [(node, what) for node, _, what in noted(tuple)] == [(0, ("failed", 10, to))]
    assert [(each.node, each.kind, each.frames_sent) for each in facts.traffic] == [(0, "message", 7)]


def test_a_unicast_that_finds_the_queue_full_comes_back_too() -> None:
    apart = Static(positions_m=((0.0, 0.0), (900.0, 0.0)))
    publications = tuple(ScriptedPublication(0, NEWS, 1.0, 60.0) for _ in range(5))
    everything = Script((ScriptedSubscription(NEWS, nodes="all"),), publications)
    mac = Dcf(queue_frames_max=2)
    facts = simulate(setup_of(Unicaster, mobility=apart, workload=everything, mac=mac), seed=1)
    failures = [(at_s, what) for _, at_s, what in noted(tuple)]
    assert [what for _, what in failures] == [("failed", 10, 1)] * 5
    assert [at_s == 6.0 for at_s, _ in failures] == [True, True, True, False, False]  # the three that were refused
    assert [(each.reason, each.times) for each in facts.drops] == [("queue-full", 3)]


class Delayer(Diary):
    """Node 0 sends five frames a little later when something is published, and says when they were asked for."""

    def start(self) -> None: ...

    def publish(self, event: Event) -> None:  # noqa: ARG002 - whatever it is
        for number in range(5):
            self._host.broadcast(Message(10 + number), after_s=0.25)

    def on_message(self, message: Message, sender: int) -> None:
        self._note(("heard", message.size_bytes, sender))


def test_a_frame_can_be_sent_a_little_later() -> None:
    publication = ScriptedPublication(0, NEWS, at_s=1.0, validity_s=60.0)
    workload = Script((ScriptedSubscription(NEWS, nodes="all"),), (publication,))
    facts = simulate(setup_of(Delayer, workload=workload, processing_s_max=0.0), seed=1)
    heard = [(at_s, what) for _, at_s, what in noted(tuple)]
    assert [what for _, what in heard] == [("heard", 10 + number, 0) for number in range(5)]
    begins_s = 5.0 + 1.0 + 0.25  # after settling
    assert heard[0][0] == pytest.approx(begins_s + 192e-6 + (10 + 36) * 8 / 2e6)
    assert not facts.drops


def test_a_frame_for_later_that_finds_the_queue_full_by_then_is_counted() -> None:
    publication = ScriptedPublication(0, NEWS, at_s=1.0, validity_s=60.0)
    workload = Script((ScriptedSubscription(NEWS, nodes="all"),), (publication,))
    facts = simulate(setup_of(Delayer, workload=workload, mac=Dcf(queue_frames_max=2)), seed=1)
    assert [what for _, _, what in noted(tuple)] == [("heard", 10, 0), ("heard", 11, 0)]
    assert [(each.node, each.reason, each.times) for each in facts.drops] == [(0, "queue-full", 3)]


def test_a_host_says_where_the_medium_has_its_node_on_every_leg() -> None:
    walk = RandomWaypoint((5.0, 15.0), 1.0, "cold")
    ours, asked = (Simulation(setup_of(nodes=3, mobility=walk, duration_s=200.0), seed=4) for _ in range(2))
    for step in range(2000):
        ours.clock.now_s = 0.1 * step
        for node, host in enumerate(ours._hosts):
            x_m, y_m, x_mps, y_mps = asked.medium.locate(node, ours.clock.now_s)
            assert host.position() == (x_m, y_m)
            assert host.position() is host.position()
            assert host.speed() == (x_mps * x_mps + y_mps * y_mps) ** 0.5
