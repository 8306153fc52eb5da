"""Rules of brokers and rendezvous points that old lists, old subscriptions and other topics put to the test."""

from dataclasses import replace
from typing import Any

import pytest
from test_topic_homes import figure_setup

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.host import Position, World
from roamcast.core.predicates import AttributePolicy, parse
from roamcast.core.topics import Topic
from roamcast.measuring.metrics import run_metrics
from roamcast.protocols import load_protocol, protocol_names
from roamcast.protocols.shared.topic_homes.homes import home_node, home_place, home_waypoint
from roamcast.protocols.shared.topic_homes.messages import Advertise, Notification, Subscribe, SubscriptionList
from roamcast.protocols.shared.topic_homes.system import TopicHomes
from roamcast.sim.simulation import simulate
from roamcast.testing import RecordingHost, event_of, interest_in

SYSTEMS = [name for name in protocol_names() if issubclass(load_protocol(name), TopicHomes)]
NEWS, SPORT = Topic("news"), Topic("sport")
HOME = home_node(NEWS, World(10, 1000.0, 1000.0))
POLICE = AttributePolicy(parse('role = "police"'))


def install(name: str, node: int) -> tuple[RecordingHost, Any, list[Any]]:
    """Return a node of a system; what it gives its router is kept for the test, with whom it is for."""
    host = RecordingHost(node, position=Position(0.0, 0.0))
    protocol = load_protocol(name)
    installed: Any = host.install(protocol, protocol.Parameters(root_home=False))
    sent: list[Any] = []
    installed._send_home = lambda payload, _: sent.append(payload)
    installed._router.send = lambda payload, to, *_: sent.append((payload, to))
    return host, installed, sent


def said(subscriber: int, topic: str = "news", home: int = HOME) -> Subscribe:
    return Subscribe(20, home, subscriber, 1, (interest_in(topic),), NO_ATTRIBUTES, None)


def listed(subscriber: int, age_s: float = 0.0) -> SubscriptionList:
    return SubscriptionList(100, NEWS, HOME, ((said(subscriber), age_s),))


def advertised(topic: Topic, home: int = HOME) -> Advertise:
    return Advertise(20, home, 8, topic, None)


# --- systems ------------------------------------------------------------------------------------------------


def test_the_six_systems_hash_topics_to_nodes_to_places_and_to_places_on_the_map() -> None:
    found = {name: load_protocol(name).system for name in SYSTEMS}  # type: ignore[attr-defined]
    kinds = {"aodv": (home_node, "Aodv"), "gpsr": (home_place, "Gpsr"), "gpsr-map": (home_waypoint, "Gpsr")}
    assert {name: (each.find_home, each.router().__name__) for name, each in found.items()} == {
        f"{family}-{kind}": expected for family in ("broker", "rendezvous") for kind, expected in kinds.items()
    }


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_an_outdated_subscription_still_brings_is_delivered_to_nobody_who_is_excluded_or_asks_no_more(
    name: str,
) -> None:
    """A home may remember a subscriber by attributes or interests that it no longer has; it decides itself at last."""
    for excluded in (True, False):
        host, node, _ = install(name, 1)
        host.attributes = Attributes({"role": "press"})
        node.subscribe(interest_in("news"))
        if not excluded:
            node.unsubscribe(interest_in("news"))
        node.on_packet(Notification(400, replace(event_of(5), policy=POLICE if excluded else None)), 5)
        assert host.delivered() == []
        host.attributes = Attributes({"role": "police"})
        node.subscribe(interest_in("news"))
        node.on_packet(Notification(400, replace(event_of(5, 1), policy=POLICE)), 5)
        assert host.delivered() == [replace(event_of(5, 1), policy=POLICE)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_notification_that_no_filter_of_the_node_matches_is_not_delivered(name: str) -> None:
    host, node, _ = install(name, 1)
    node.subscribe(parse('topic = "news" and severity >= 5'))
    for number, severity in enumerate((4, 5)):
        event = replace(event_of(5, number), attributes=Attributes({"severity": severity}))
        node.on_packet(Notification(400, event), 5)
    assert [each.id.number for each in host.delivered()] == [1]


# --- rendezvous points (section 3.2.2) ----------------------------------------------------------------------


def test_a_rendezvous_point_lists_only_who_asks_for_the_topic_at_that_home() -> None:
    _, node, sent = install("rendezvous-aodv", HOME)
    for each in (said(3), said(4, "sport"), said(5, home=(HOME + 1) % 10), said(6, "news.local")):
        node._store_subscription(each)
    node.on_packet(advertised(NEWS), 8)
    ((answer, to),) = sent
    assert to == 8
    assert [(each.subscriber, age_s) for each, age_s in answer.subscriptions] == [(3, 0.0), (6, 0.0)]
    node.on_packet(advertised(SPORT), 8)
    assert [each.subscriber for each, _ in sent[1][0].subscriptions] == [4]


def test_a_list_says_how_long_ago_each_subscription_was_heard() -> None:
    host, node, sent = install("rendezvous-aodv", HOME)
    node._store_subscription(said(3))
    host.advance_to(2.0)
    node._store_subscription(said(4))
    node.on_packet(advertised(NEWS), 8)
    assert [(each.subscriber, age_s) for each, age_s in sent[-1][0].subscriptions] == [(4, 0.0), (3, 2.0)]
    host.advance_to(3.6)
    node.on_packet(advertised(NEWS), 8)
    assert [each.subscriber for each, _ in sent[-1][0].subscriptions] == [4]


def notified(sent: list[Any]) -> list[tuple[int, int]]:
    """Return the events that were sent, by number and subscriber."""
    pairs = [each for each in sent if isinstance(each, tuple)]
    return [(payload.event.id.number, to) for payload, to in pairs if isinstance(payload, Notification)]


def test_an_event_waits_when_the_last_list_is_too_old_and_not_before() -> None:
    host, node, sent = install("rendezvous-aodv", 1)
    node.publish(event_of(1, 0))
    node.on_packet(listed(4), HOME)
    host.advance_to(3.4)
    node.publish(event_of(1, 1, published_at_s=3.4))
    assert notified(sent) == [(0, 4), (1, 4)]
    host.advance_to(3.6)
    node.publish(event_of(1, 2, published_at_s=3.6))
    assert notified(sent) == [(0, 4), (1, 4)]
    node.on_packet(listed(5), HOME)
    assert notified(sent) == [(0, 4), (1, 4), (2, 5)]


APART = [
    name
    for name in (f"topic-{number}" for number in range(20))
    if home_node(Topic(name), World(10, 1000.0, 1000.0)) != home_node(Topic.root(), World(10, 1000.0, 1000.0))
]
"""Topics whose home is another node than the root's."""


def topics_at_most(count: int) -> tuple[RecordingHost, Any, list[Any]]:
    """Return a publisher that advertises so many topics, each at its home and at the root's, and what it says there."""
    host, protocol, sent = RecordingHost(1), load_protocol("rendezvous-aodv"), list[Any]()
    node: Any = host.install(protocol, protocol.Parameters(topics_max=count))
    node._send_home = lambda payload, _: sent.append(payload)
    return host, node, sent


def test_a_topic_counts_once_however_many_homes_it_is_advertised_at() -> None:
    host, node, sent = topics_at_most(1)
    node.publish(event_of(1, 0, topic=APART[0], validity_s=60.0))
    host.advance_to(1.0)
    assert len({each.home for each in sent}) == 2
    assert [each.topic.path for each in sent] == [APART[0]] * 4
    assert host.drop_reasons() == []


def test_a_topic_that_makes_room_does_so_at_all_its_homes() -> None:
    host, node, sent = topics_at_most(2)
    for number, topic in enumerate(APART[:3]):
        host.advance_to(number / 10)
        node.publish(event_of(1, number, topic=topic, published_at_s=number / 10))
    assert host.drop_reasons() == ["no-list", "no-list"]
    sent.clear()
    host.advance_to(1.0)
    assert sorted(each.topic.path for each in sent) == sorted(APART[1:3] * 2)


def test_a_topic_that_takes_the_place_of_another_is_advertised_once_a_period() -> None:
    host, node, sent = topics_at_most(1)
    for number, topic in enumerate(APART):
        node.publish(event_of(1, number, topic=topic))
    sent.clear()
    host.advance_to(1.5)
    assert [each.topic.path for each in sent] == [APART[-1]] * 2


def test_two_subscriptions_in_a_row_may_be_lost_and_not_three() -> None:
    host, node, sent = install("rendezvous-aodv", HOME)
    every_s, counted_s = node._parameters.subscription_s, node._parameters.timeout_s
    node._store_subscription(said(3))
    heard = []
    for number in (3, 4):  # the next that is heard, after two and after three that were lost
        host.advance_to(number * every_s)
        node.on_packet(advertised(NEWS), 8)
        heard.append(len(sent[-1][0].subscriptions))
    assert heard == [1, 0]
    assert 3 * every_s < counted_s < 4 * every_s


def test_a_topic_is_hashed_to_the_node_whose_identifier_is_nearest_in_the_middle_of_its_share() -> None:
    world = World(10, 1000.0, 1000.0)
    for number in range(200):
        topic = Topic(f"topic-{number}")
        along = home_place(topic, World(1, 1.0, 1.0)).x_m
        assert home_node(topic, world) == min(range(10), key=lambda node: abs((node + 0.5) / 10 - along))


def test_a_subscription_on_a_list_counts_from_when_its_home_has_heard_it() -> None:
    host, node, sent = install("rendezvous-aodv", 1)
    node.publish(event_of(1, 0))
    node.on_packet(listed(4, age_s=3.0), HOME)
    assert notified(sent) == [(0, 4)]
    host.advance_to(0.6)
    node.publish(event_of(1, 1, published_at_s=0.6))
    assert notified(sent) == [(0, 4)]


# --- what is counted ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SYSTEMS)
def test_packets_with_events_and_those_without_are_counted_apart(name: str) -> None:
    facts = simulate(figure_setup(name), seed=3)
    with_events = [each for each in facts.traffic if each.events_sent]
    assert with_events
    assert all(each.frames_sent == each.events_sent for each in with_events)
    assert all(each.kind.endswith("-events") for each in with_events)
    metrics = run_metrics(facts)
    assert metrics["event_frames_per_node"] == metrics["events_sent_per_node"]


def test_a_node_is_a_broker_while_it_keeps_what_another_asks_for() -> None:
    host, node, _ = install("broker-aodv", HOME)
    assert not node.is_broker()
    node._store_subscription(said(HOME))
    assert not node.is_broker()
    node._store_subscription(said(3))
    assert node.is_broker()
    host.advance_to(3.6)
    assert not node.is_broker()
