"""DRIP on small networks: elections, regions, matching in both directions, brokers that come near or go away."""

from math import inf

import pytest

from roamcast.core.event_interests import TopicInterest
from roamcast.protocols.drip.messages import Announcement, Membership, Notification, Publication, Shared, Undelivered
from roamcast.protocols.drip.parameters import DripParameters
from roamcast.protocols.drip.protocol import Drip
from roamcast.sim.setup import Setup
from roamcast.sim.simulation import Simulation
from roamcast.sim.trajectories import Point
from roamcast.sim.workload import Publication as Published
from roamcast.sim.workload import Subscription
from roamcast.testing import RecordingHost, event_of, interest_in, network
from roamcast.testing.small_networks import NEWS, OTHER, SPACING_M

ME, BROKER, NEIGHBOUR = 4, 1, 7
ASKED = interest_in("news")


def row(count: int) -> tuple[tuple[Point, ...], ...]:
    return tuple(((0.0, SPACING_M * node, 0.0),) for node in range(count))


def ran(setup: Setup) -> tuple[Simulation, dict[tuple[int, int], float]]:
    """Return a finished run, and when each event reached each node."""
    simulation = Simulation(setup, seed=7)
    facts = simulation.run()
    at_s = {each.event: each.published_at_s for each in facts.publications}
    return simulation, {(each.event, each.node): at_s[each.event] + each.latency_s for each in facts.deliveries}


def brokers_of(simulation: Simulation) -> list[int]:
    return [host.node for host in simulation._hosts if host.protocol.is_broker()]


# --- on networks -------------------------------------------------------------------------------------------------


def test_one_broker_serves_a_few_hops_and_more_are_elected_beyond() -> None:
    near, _ = ran(network(Drip, row(4), (), (), DripParameters(region_hops=8)))
    far, _ = ran(network(Drip, row(20), (), (), DripParameters(region_hops=8), duration_s=60.0))
    assert len(brokers_of(near)) == 1
    assert 2 <= len(brokers_of(far)) <= 5


@pytest.mark.parametrize("publications", ["all", "wanted"])
@pytest.mark.parametrize("publisher", [0, 9])
def test_events_go_between_regions_to_who_asked_before_and_to_who_asks_later(publisher: int, publications: str) -> None:
    wishes = (Subscription(-inf, 9 - publisher, TopicInterest(NEWS)), Subscription(20.0, 5, TopicInterest(NEWS)))
    published = (Published(14.0, publisher, NEWS, 15.0, 400), Published(14.0, publisher, OTHER, 15.0, 400))
    parameters = DripParameters(region_hops=4, resign_hops=1, publications=publications)
    simulation, delivered = ran(network(Drip, row(10), wishes, published, parameters))
    assert len(brokers_of(simulation)) >= 2
    assert set(delivered) == {(0, 9 - publisher), (0, 5)}
    assert delivered[0, 9 - publisher] < 15.0
    assert 20.0 < delivered[0, 5] < 21.0


def test_who_stops_asking_gets_nothing_more() -> None:
    wishes = (Subscription(-inf, 3, TopicInterest(NEWS)), Subscription(8.0, 3, TopicInterest(NEWS), active=False))
    published = tuple(Published(at_s, 0, NEWS, 20.0, 400) for at_s in (6.0, 10.0))
    _, delivered = ran(network(Drip, row(5), wishes, published))
    assert set(delivered) == {(0, 3)}


def test_when_the_broker_goes_away_another_is_elected_and_events_flow_again() -> None:
    def away(node: int) -> tuple[Point, ...]:
        x_m = SPACING_M * node
        return ((0.0, x_m, 0.0), (12.0, x_m, 0.0), (13.0, x_m, 900.0))

    still = row(4)
    before, _ = ran(network(Drip, still, (), ()))
    (broker,) = brokers_of(before)
    others = [node for node in range(4) if node != broker]
    # Two more nodes beside the broker's place keep the rest connected.
    beside = tuple(((0.0, SPACING_M * broker + shift, 80.0),) for shift in (-10.0, 10.0))
    paths = (*(away(node) if node == broker else still[node] for node in range(4)), *beside)
    first, last = others[0], others[-1]
    wishes = (Subscription(-inf, last, TopicInterest(NEWS)),)
    published = tuple(Published(at_s, first, NEWS, 30.0, 400) for at_s in (3.0, 25.0))
    _, delivered = ran(network(Drip, paths, wishes, published, duration_s=50.0))
    assert {event for event, node in delivered if node == last} == {0, 1}


def test_two_brokers_that_meet_become_one() -> None:
    settled = ((0.0, 0.0, 0.0),)
    comes = ((0.0, 3000.0, 0.0), (10.0, 3000.0, 0.0), (11.0, 150.0, 0.0))
    apart, _ = ran(network(Drip, (settled, ((0.0, 3000.0, 0.0),)), (), ()))
    together, _ = ran(network(Drip, (settled, comes), (), ()))
    assert brokers_of(apart) == [0, 1]
    assert brokers_of(together) == [0]


# --- on one node ---------------------------------------------------------------------------------------------------


def member(parameters: DripParameters | None = None, *, interests: bool = True) -> tuple[RecordingHost, Drip]:
    """Return a node that knows a broker over a neighbour and has registered with it."""
    host = RecordingHost(ME)
    drip = host.install(Drip, parameters or DripParameters())
    if interests:
        drip.subscribe(ASKED)
    drip.on_message(announced(BROKER, 1), NEIGHBOUR)
    host.advance_to(2.0)
    return host, drip


def announced(broker: int, number: int, hops: int = 1, version: int = 0) -> Announcement:
    return Announcement(20, broker, number, hops, 0.0, version, None)


def said(host: RecordingHost, kind: type) -> list[tuple[int, object]]:
    return [(each.to, each.message) for each in host.unicasts if type(each.message) is kind]


def test_a_node_relays_an_announcement_and_registers_with_what_it_asks_for() -> None:
    host, _ = member()
    assert [each.message.hops for each in host.broadcasts if isinstance(each.message, Announcement)] == [2]
    ((to, message),) = said(host, Membership)
    assert isinstance(message, Membership)
    assert (to, message.to, message.node, message.interests) == (NEIGHBOUR, (BROKER,), ME, (ASKED,))


def test_an_event_goes_to_the_own_broker_and_waits_while_there_is_none() -> None:
    host = RecordingHost(ME)
    drip = host.install(Drip)
    drip.publish(event_of(ME, 0))
    assert host.unicasts == []
    drip.on_message(announced(BROKER, 1), NEIGHBOUR)
    host.advance_to(2.0)
    drip.publish(event_of(ME, 1))
    sent = [message for _, message in said(host, Publication)]
    assert [(each.event.id.number, each.to, each.spread) for each in sent if isinstance(each, Publication)] == [
        (0, (BROKER,), 1),
        (1, (BROKER,), 1),
    ]


def test_a_relay_leaves_a_pointer_and_says_to_whom_there_is_none() -> None:
    host, drip = member(interests=False)
    drip.on_message(Membership(30, (BROKER,), 9, 20, 1, (ASKED,), (), 1), 6)
    event = event_of(3, 0)
    drip.on_message(Notification(430, (20, 21), 9, event, BROKER), NEIGHBOUR)
    assert [to for to, _ in said(host, Notification)] == [6]
    ((to, complaint),) = said(host, Undelivered)
    assert isinstance(complaint, Undelivered)
    assert (to, complaint.nodes, complaint.event_id) == (NEIGHBOUR, (21,), event.id)


@pytest.mark.parametrize("relays_deliver", [True, False])
def test_a_relay_delivers_a_passing_event_that_its_user_wants_if_relays_do(relays_deliver: bool) -> None:
    host, drip = member(DripParameters(relays_deliver=relays_deliver))
    passing, own = event_of(3, 0), event_of(3, 1)
    drip.on_message(Notification(430, (20,), 9, passing, BROKER), NEIGHBOUR)
    drip.on_message(Notification(430, (ME,), 9, own, BROKER), NEIGHBOUR)
    assert host.delivered() == ([passing, own] if relays_deliver else [own])


def broker(parameters: DripParameters | None = None) -> tuple[RecordingHost, Drip]:
    """Return a node that has heard of no broker and has become one, and knows another one."""
    host = RecordingHost(ME)
    drip = host.install(Drip, parameters or DripParameters())
    host.advance_to(3.0)
    assert drip.is_broker()
    drip.on_message(announced(BROKER, 1, hops=8), NEIGHBOUR)
    return host, drip


def test_a_broker_shares_what_is_new_to_its_region_and_only_that() -> None:
    host, drip = broker()
    drip.on_message(Membership(30, (ME,), 9, 20, 1, (ASKED,), (), 1), 6)
    drip.on_message(Membership(30, (ME,), 9, 21, 1, (ASKED,), (), 1), 6)
    assert said(host, Shared) == []
    host.advance_to(host.now + 1.0)
    ((to, shared),) = said(host, Shared)
    assert isinstance(shared, Shared)
    assert (to, shared.to, shared.added, shared.since, shared.version) == (NEIGHBOUR, (BROKER,), (ASKED,), 0, 1)


def test_what_a_member_asks_for_anew_is_shared_at_once() -> None:
    host, drip = broker()
    drip.on_message(Membership(30, (ME,), 9, 20, 1, (), (), 1), 6)
    drip.on_message(Membership(30, (ME,), 9, 20, 2, (ASKED,), (), 1), 6)
    assert len(said(host, Shared)) == 1
    drip.on_message(Membership(30, (ME,), 9, 20, 3, (), (), 1), 6)
    assert len(said(host, Shared)) == 1  # that it has ended can wait
    host.advance_to(host.now + 5.0)
    assert [each.removed for _, each in said(host, Shared)[1:] if isinstance(each, Shared)] == [(ASKED,)]


def test_a_broker_sends_an_event_down_once_and_again_when_it_did_not_arrive() -> None:
    host, drip = broker()
    drip.on_message(Membership(30, (ME,), 9, 20, 1, (ASKED,), (), 1), 6)
    event = event_of(3, 0)
    drip.on_message(Publication(420, (ME,), 9, event, 1), NEIGHBOUR)
    drip.on_message(Publication(420, (ME,), 9, event, 1), NEIGHBOUR)
    assert len(said(host, Notification)) == 1
    drip.on_message(Undelivered(40, (ME,), 9, event.id, (20,)), 6)
    assert len(said(host, Notification)) == 1
    drip.on_message(Membership(30, (ME,), 9, 20, 2, (ASKED,), (), 1), 8)
    assert [to for to, _ in said(host, Notification)] == [6, 8]


def test_a_broker_shares_each_event_with_all_others_once_and_later_with_who_is_new() -> None:
    host, drip = broker()
    drip.on_message(Publication(420, (ME,), 9, event_of(3, 0), 1), 6)
    ((to, sent),) = said(host, Publication)
    assert isinstance(sent, Publication)
    assert (to, sent.to, sent.spread) == (NEIGHBOUR, (BROKER,), 0)
    drip.on_message(Publication(420, (ME,), 9, event_of(3, 1), 0), NEIGHBOUR)  # another broker's
    drip.on_message(announced(BROKER, 2, hops=8), NEIGHBOUR)
    assert len(said(host, Publication)) == 1
    drip.on_message(announced(2, 1, hops=8), NEIGHBOUR)
    drip.on_message(announced(2, 2, hops=8), NEIGHBOUR)
    assert [sent.to for _, sent in said(host, Publication) if isinstance(sent, Publication)] == [(BROKER,), (2,)]


def test_a_broker_sends_an_event_only_where_it_is_asked_for_and_later_when_it_is() -> None:
    host, drip = broker(DripParameters(publications="wanted"))
    event = event_of(3, 0)
    drip.on_message(Publication(420, (ME,), 9, event, 1), 6)
    assert said(host, Publication) == []
    drip.on_message(Shared(50, (ME,), 9, BROKER, 1, 0, (interest_in("traffic"),), (), ()), NEIGHBOUR)
    assert said(host, Publication) == []
    drip.on_message(Shared(50, (ME,), 9, BROKER, 2, 1, (ASKED,), (), ()), NEIGHBOUR)
    ((to, sent),) = said(host, Publication)
    assert isinstance(sent, Publication)
    assert (to, sent.to, sent.spread) == (NEIGHBOUR, (BROKER,), 0)
    drip.on_message(Publication(420, (ME,), 9, event_of(3, 1), 0), NEIGHBOUR)
    assert len(said(host, Publication)) == 1  # of another region: not this broker's to spread


def test_an_event_that_a_subscriber_has_already_is_not_sent_to_its_new_region() -> None:
    host, drip = broker(DripParameters(publications="wanted"))
    event = event_of(3, 0)
    drip.on_message(Publication(420, (ME,), 9, event, 1), 6)
    drip.on_message(Shared(50, (ME,), 9, BROKER, 1, 0, (ASKED,), (), (event.id,)), NEIGHBOUR)
    assert said(host, Publication) == []


def test_a_broker_that_has_missed_a_change_asks_for_everything_at_the_next_announcement() -> None:
    host, drip = broker()
    for number, version in ((2, 3), (3, 3)):
        drip.on_message(announced(BROKER, number, hops=8, version=version), NEIGHBOUR)
    assert [type(each.message).__name__ for each in host.unicasts][-1] == "Ask"
    asked = len(host.unicasts)
    drip.on_message(Shared(50, (ME,), 9, BROKER, 3, -1, (ASKED,), (), ()), NEIGHBOUR)
    drip.on_message(announced(BROKER, 4, hops=8, version=3), NEIGHBOUR)
    assert len(host.unicasts) == asked


def test_a_node_that_leaves_is_no_member_any_more() -> None:
    host, drip = broker()
    drip.on_message(Membership(30, (ME,), 9, 20, 1, (ASKED,), (), 1), 6)
    drip.on_message(Membership(30, (ME,), 9, 20, 2, (), (), 0), 6)
    drip.on_message(Publication(420, (ME,), 9, event_of(3, 0), 1), NEIGHBOUR)
    assert said(host, Notification) == []


def test_a_broker_that_asks_later_gets_what_it_keeps_for_others() -> None:
    host, drip = broker()
    event = event_of(3, 0)
    drip.on_message(Publication(420, (ME,), 9, event, 1), NEIGHBOUR)
    assert host.deliveries == []
    drip.subscribe(ASKED)
    assert [each.event for each in host.deliveries] == [event]


def test_a_fast_broker_announces_itself_more_often_within_limits() -> None:
    parameters = DripParameters(announce_s=3.0, announce_m=15.0)
    speeds = {None: 3.0, 0.0: 3.0, 2.0: 3.0, 10.0: 1.5, 20.0: 0.75, 100.0: 0.75}
    assert {speed: parameters.announce_after_s(speed) for speed in speeds} == speeds
    counts = []
    for speed in (0.0, 10.0):
        host = RecordingHost(ME, speed_mps=speed)
        host.install(Drip)
        host.advance_to(33.0)
        counts.append(sum(isinstance(each.message, Announcement) for each in host.broadcasts))
    assert counts[1] == pytest.approx(3 * counts[0], abs=3)
