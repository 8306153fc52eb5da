"""The six systems with brokers or rendezvous points, in a real simulation of a few nodes that stand still.

Figures 1 and 2 of the paper: four subscribers and a publisher of one topic, of which only S3 and S4 match the event.
"""

from collections import Counter
from math import inf
from typing import Any

import pytest

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.event_interests import TopicInterest
from roamcast.core.host import Position, PubSub, World
from roamcast.core.predicates import AttributePolicy, parse
from roamcast.core.topics import Topic
from roamcast.protocols import load_protocol
from roamcast.protocols.shared.topic_homes.homes import home_node
from roamcast.protocols.shared.topic_homes.messages import (
    Advertise,
    BrokeredEvent,
    Notification,
    Subscribe,
    SubscriptionCopy,
    SubscriptionList,
    is_sound_subscription,
)
from roamcast.protocols.shared.topic_homes.place_homes import PlaceHomesParameters
from roamcast.routing.aodv.messages import RoutedPacket
from roamcast.routing.gpsr.messages import GeographicPacket
from roamcast.sim.facts import Facts
from roamcast.sim.setup import FrameSent
from roamcast.sim.simulation import simulate
from roamcast.sim.workload import Publication, Subscription, Workload
from roamcast.testing import RecordingHost, event_of, interest_in, network

BROKERS = ("broker-aodv", "broker-gpsr", "broker-gpsr-map")
RENDEZVOUS = ("rendezvous-aodv", "rendezvous-gpsr", "rendezvous-gpsr-map")
SYSTEMS = pytest.mark.parametrize("name", BROKERS + RENDEZVOUS)
NEWS = Topic("news")
PUBLISHER, S1, S2, S3, S4 = 0, 1, 2, 3, 4
PLACES = ((0, 0), (400, 0), (400, 200), (200, 400), (0, 400), (200, 0), (200, 200), (0, 200), (400, 400))
"""A grid of nine with edges of 200 m at a range of 250 m: only neighbours in a row or a column hear each other."""


def figure_setup(name: str, policy: str | None = None, **changes: Any) -> Any:
    """Return the paper's figures 1 and 2: S1 and S2 ask for what is grave, or are not admitted."""
    filters = {S1: "severity >= 5", S2: "severity >= 5", S3: "severity >= 1", S4: "severity >= 1"}
    if policy is not None:
        filters = dict.fromkeys(filters, "severity >= 1")
    wishes = tuple(
        Subscription(-inf, node, parse(f'topic = "news" and {condition}')) for node, condition in filters.items()
    )
    access = None if policy is None else AttributePolicy(parse(policy))
    published = tuple(
        Publication(at_s, PUBLISHER, NEWS, 20.0, 400, Attributes({"severity": 3}), access) for at_s in (1.0, 3.0)
    )
    people = {S1: Attributes({"role": "press"}), S3: Attributes({"role": "police"}), S4: Attributes({"role": "police"})}
    protocol = load_protocol(name)
    parameters = protocol.Parameters(**{"root_home": False, **changes})
    paths = tuple(((0.0, float(x_m), float(y_m)),) for x_m, y_m in PLACES)
    setup = network(protocol, paths, wishes, published, parameters, duration_s=10.0)
    object.__setattr__(setup.workload, "given", Workload(wishes, published, people))
    return setup


def run(setup: Any, seed: int = 3) -> tuple[Facts, list[FrameSent]]:
    frames: list[FrameSent] = []
    return simulate(setup, seed, frames.append), frames


def payloads(frames: list[FrameSent], kind: type) -> list[tuple[int, Any]]:
    """Return the payloads of a kind that were sent, each with who began to send it, once for each packet's way."""
    found = []
    for frame in frames:
        message = frame.message
        if isinstance(message, (RoutedPacket, GeographicPacket)) and isinstance(message.payload, kind):
            found.append((message.origin, message))
    return found


@SYSTEMS
def test_the_event_reaches_those_whose_filters_match_and_goes_to_nobody_else(name: str) -> None:
    facts, frames = run(figure_setup(name))
    assert Counter((each.event, each.node) for each in facts.deliveries) == Counter(
        {(0, S3): 1, (0, S4): 1, (1, S3): 1, (1, S4): 1}
    )
    addressed = {_addressee(message) for _, message in payloads(frames, Notification)}
    assert addressed <= {S3, S4}


def _addressee(message: Any) -> int:
    return int(message.destination if isinstance(message, RoutedPacket) else message.node)


@SYSTEMS
def test_an_event_is_sent_only_to_whom_its_policy_admits(name: str) -> None:
    facts, frames = run(figure_setup(name, policy='role = "police"'))
    assert {(each.event, each.node) for each in facts.deliveries} == {(0, S3), (0, S4), (1, S3), (1, S4)}
    assert {_addressee(message) for _, message in payloads(frames, Notification)} <= {S3, S4}
    assert [each.interested for each in facts.publications] == [2, 2]
    assert "excluded-by-policy" not in {each.reason for each in facts.drops}  # the host had nothing to hold back


@pytest.mark.parametrize("name", BROKERS)
def test_a_broker_decides_and_sends_the_events(name: str) -> None:
    _, frames = run(figure_setup(name))
    deciders = {origin for origin, _ in payloads(frames, Notification)}
    assert len(deciders) == 1  # one home, which is no neighbour of chance
    assert payloads(frames, BrokeredEvent) or deciders == {PUBLISHER}
    assert not payloads(frames, Advertise)
    if name == "broker-aodv":
        assert deciders == {home_node(NEWS, World(9, 5000.0, 1000.0))}


@pytest.mark.parametrize("name", RENDEZVOUS)
def test_a_publisher_decides_by_the_list_that_the_rendezvous_point_gives_it(name: str) -> None:
    _, frames = run(figure_setup(name, policy='role = "police"'))
    assert {origin for origin, _ in payloads(frames, Notification)} == {PUBLISHER}
    assert not payloads(frames, BrokeredEvent)
    lists = [message.payload for _, message in payloads(frames, SubscriptionList)]
    assert lists
    # The directory matches topics only: S1 and S2, whom the policy excludes, are on it.
    assert {each.subscriber for each, _ in lists[-1].subscriptions} == {S1, S2, S3, S4}
    assert payloads(frames, Advertise)


@SYSTEMS
def test_a_subscriber_says_every_second_what_it_asks_for(name: str) -> None:
    protocol = load_protocol(name)
    host = RecordingHost(S1, position=Position(0.0, 0.0))
    installed = host.install(protocol, protocol.Parameters(root_home=False))
    sent: list[Subscribe] = []
    installed._send_home = lambda payload, _: sent.append(payload)  # type: ignore[attr-defined]
    installed.subscribe(interest_in("news.local"))
    installed.subscribe(interest_in("news.local"))
    installed.subscribe(interest_in("news.global"))
    host.advance_to(3.4)
    assert len(sent) == 3
    assert [each.number for each in sent] == [1, 2, 3]
    assert all(each.interests == (interest_in("news.local"), interest_in("news.global")) for each in sent)
    installed.unsubscribe(interest_in("news.local"))
    installed.unsubscribe(interest_in("news.global"))
    host.advance_to(10.0)
    assert len(sent) == 3


def test_what_asks_for_no_topic_is_counted_where_the_root_has_no_home_and_served_where_it_has() -> None:
    protocol = load_protocol("broker-aodv")
    for root_home, expected in ((False, ["no-root-home"]), (True, [])):
        host = RecordingHost(S1)
        installed = host.install(protocol, protocol.Parameters(root_home=root_home))
        installed.subscribe(parse("severity >= 3"))
        host.advance_to(1.0)
        assert host.drop_reasons() == expected


@pytest.mark.parametrize("name", ["broker-gpsr", "rendezvous-gpsr-map"])
def test_who_asks_by_content_alone_gets_events_by_the_home_of_the_root(name: str) -> None:
    setup = figure_setup(name, root_home=True)
    wishes = (Subscription(-inf, S3, parse("severity >= 1")), Subscription(-inf, S4, TopicInterest(NEWS)))
    given = setup.workload.given
    object.__setattr__(setup.workload, "given", Workload(wishes, given.publications))
    facts, _ = run(setup)
    assert {(each.event, each.node) for each in facts.deliveries} == {(0, S3), (0, S4), (1, S3), (1, S4)}


# --- homes at places -----------------------------------------------------------------------------------------


def at_home(capture_m: float = 125.0) -> tuple[RecordingHost, PubSub]:
    host = RecordingHost(7, position=Position(500.0, 500.0))
    protocol = load_protocol("broker-gpsr")
    return host, host.install(protocol, PlaceHomesParameters(capture_m=capture_m, far_home="drops"))


def subscription(home: Position, subscriber: int = 3) -> Subscribe:
    return Subscribe(40, home, subscriber, 1, (interest_in("news"),), NO_ATTRIBUTES, Position(450.0, 500.0))


def packet(payload: Any, home: Position) -> GeographicPacket:
    return GeographicPacket(100, payload, 3, None, home, 20, Position(450.0, 500.0), None)


def test_a_node_near_a_home_captures_a_subscription_and_tells_its_neighbours() -> None:
    host, node = at_home()
    home = Position(560.0, 560.0)
    node.on_message(packet(subscription(home), home), 3)
    assert [each.message for each in host.broadcasts] == [SubscriptionCopy(40, subscription(home))]
    assert host.unicasts == []
    node.on_message(packet(BrokeredEvent(400, home, event_of(5)), home), 3)
    (sent,) = host.unicasts
    assert isinstance(sent.message, GeographicPacket)
    assert (sent.message.node, sent.message.payload) == (3, Notification(400, event_of(5)))
    assert len(host.broadcasts) == 1  # an event is not told to the neighbours


def test_a_neighbour_that_was_told_of_a_subscription_can_serve_events_itself() -> None:
    host, node = at_home()
    home = Position(560.0, 560.0)
    node.on_message(SubscriptionCopy(40, subscription(home)), 4)
    assert host.broadcasts == []
    node.on_message(packet(BrokeredEvent(400, home, event_of(5)), home), 3)
    assert [each.message.payload for each in host.unicasts] == [Notification(400, event_of(5))]  # type: ignore[attr-defined]


def test_a_node_that_is_farther_away_passes_on_what_it_does_not_capture() -> None:
    host, node = at_home(capture_m=50.0)
    home = Position(560.0, 560.0)
    node.on_message(packet(subscription(home), home), 3)
    assert host.broadcasts == []
    (sent,) = host.unicasts  # back to its only neighbour, round the void
    assert isinstance(sent.message, GeographicPacket)
    assert sent.message.payload == subscription(home)


def test_a_packet_for_a_place_where_nobody_is_is_lost_or_served_by_the_nearest_node() -> None:
    home = Position(900.0, 900.0)
    for far_home, reasons in (("drops", ["nobody-at-home"]), ("serves", [])):
        host = RecordingHost(7, position=Position(500.0, 500.0))
        protocol = load_protocol("broker-gpsr")
        node = host.install(protocol, PlaceHomesParameters(far_home=far_home))
        node.on_packet(subscription(home), 3)  # type: ignore[attr-defined]
        assert host.drop_reasons() == reasons


def test_an_event_that_comes_twice_to_a_broker_is_sent_once() -> None:
    host, node = at_home()
    home = Position(560.0, 560.0)
    node.on_message(SubscriptionCopy(40, subscription(home)), 4)
    for _ in range(2):
        node.on_message(packet(BrokeredEvent(400, home, event_of(5)), home), 3)
    assert len(host.unicasts) == 1


def test_who_asks_for_more_than_a_message_holds_says_it_in_parts() -> None:
    host = RecordingHost(1)
    protocol = load_protocol("broker-aodv")
    node: Any = host.install(protocol, protocol.Parameters(root_home=False))
    sent: list[Subscribe] = []
    node._send_home = lambda payload, _: sent.append(payload)
    for number in range(300):
        node.subscribe(interest_in(f"news.t{number}"))
    host.advance_to(0.9)
    assert [(each.part, len(each.interests)) for each in sent] == [(0, 256), (1, 44)]
    assert all(is_sound_subscription(each) for each in sent)


# --- rendezvous ----------------------------------------------------------------------------------------------


def publisher() -> tuple[RecordingHost, Any, list[Any]]:
    """Return a publisher whose packets to homes are kept for the test."""
    host = RecordingHost(1)
    protocol = load_protocol("rendezvous-aodv")
    node: Any = host.install(protocol, protocol.Parameters(root_home=False))
    sent: list[Any] = []
    node._send_home = lambda payload, _: sent.append(payload)
    node._router.send = lambda payload, to, *_: sent.append((payload, to))
    return host, node, sent


HOME = home_node(NEWS, World(10, 1000.0, 1000.0))


def listed(*subscribers: int, age_s: float = 0.0) -> SubscriptionList:
    rows = tuple(
        (Subscribe(20, HOME, each, 1, (interest_in("news"),), NO_ATTRIBUTES, None), age_s) for each in subscribers
    )
    return SubscriptionList(100, NEWS, HOME, rows)


def test_the_first_event_waits_for_the_list_and_the_next_goes_at_once() -> None:
    host, node, sent = publisher()
    host.advance_to(0.6)
    node.publish(event_of(1, 0, published_at_s=0.6))
    assert [type(each) for each in sent] == [Advertise]
    host.advance_to(0.8)
    node.on_packet(listed(4, 5), HOME)
    assert sent[1:] == [(Notification(400, event_of(1, 0, published_at_s=0.6)), each) for each in (4, 5)]
    node.publish(event_of(1, 1, published_at_s=0.8))
    assert sent[3:] == [(Notification(400, event_of(1, 1, published_at_s=0.8)), each) for each in (4, 5)]


def test_a_publisher_advertises_every_second_until_some_time_after_its_last_event() -> None:
    host, node, sent = publisher()
    node.publish(event_of(1))
    node.on_packet(listed(), HOME)
    host.advance_to(100.0)
    assert len([each for each in sent if isinstance(each, Advertise)]) == 30
    node.publish(event_of(1, 1, published_at_s=100.0))
    host.advance_to(101.5)
    assert len([each for each in sent if isinstance(each, Advertise)]) == 32


def test_a_list_that_nobody_asked_for_or_that_cannot_be_true_is_dropped() -> None:
    host, node, sent = publisher()
    node.on_packet(listed(4), HOME)
    node.publish(event_of(1))
    node.on_packet(SubscriptionList(100, NEWS, HOME, ((*listed(4).subscriptions[0][:1], -1.0),)), HOME)
    assert host.drop_reasons() == ["not-asked-for", "malformed"]
    assert [type(each) for each in sent] == [Advertise]


def test_an_event_that_waits_too_long_is_dropped_and_counted() -> None:
    host, node, sent = publisher()
    node.publish(event_of(1, validity_s=2.0))
    host.advance_to(4.0)
    node.on_packet(listed(4), HOME)
    assert "expired" in host.drop_reasons()
    assert not [each for each in sent if isinstance(each, tuple)]


def test_a_topic_is_advertised_as_long_as_an_event_waits_for_its_list() -> None:
    host, node, sent = publisher()
    node.publish(event_of(1, validity_s=300.0))
    host.advance_to(250.0)
    assert len([each for each in sent if isinstance(each, Advertise)]) == 251
    assert node.storage_bytes() >= 400
    node.on_packet(listed(4), HOME)
    assert sent[-1] == (Notification(400, event_of(1, validity_s=300.0)), 4)


def test_what_waits_for_a_list_is_given_up_with_a_reason_when_its_topic_makes_room() -> None:
    host = RecordingHost(1)
    protocol = load_protocol("rendezvous-aodv")
    node: Any = host.install(protocol, protocol.Parameters(root_home=False, topics_max=1))
    node._send_home = lambda *_: None
    node.publish(event_of(1, 0))
    node.publish(event_of(1, 1, topic="traffic"))
    assert host.drop_reasons() == ["no-list"]
    host.advance_to(200.0)
    assert host.drop_reasons() == ["no-list", "expired"]
    assert node.storage_bytes() == 0


def test_a_list_that_would_not_fit_into_a_packet_has_the_latest_subscriptions() -> None:
    host = RecordingHost(HOME)
    protocol = load_protocol("rendezvous-aodv")
    node: Any = host.install(protocol, protocol.Parameters(root_home=False))
    for subscriber in range(3):
        large = Subscribe(30_000, HOME, subscriber, 1, (interest_in("news"),), NO_ATTRIBUTES, None)
        node.on_packet(large, subscriber)
        host.advance_to(host.now + 0.1)
    sent: list[Any] = []
    node._router.send = lambda payload, to, *_: sent.append((payload, to))
    node.on_packet(Advertise(30, HOME, 8, NEWS, None), 8)
    ((answer, to),) = sent
    assert to == 8
    assert [(each.subscriber, round(age_s, 6)) for each, age_s in answer.subscriptions] == [(2, 0.1), (1, 0.2)]
    assert host.drop_reasons() == ["list-full"]


def rendezvous_at_home() -> tuple[RecordingHost, Any]:
    host = RecordingHost(7, position=Position(500.0, 500.0))
    protocol = load_protocol("rendezvous-gpsr")
    return host, host.install(protocol, protocol.Parameters(far_home="drops"))


def test_an_advertisement_is_captured_near_the_home_and_answered_from_what_neighbours_have_captured() -> None:
    host, node = rendezvous_at_home()
    home = Position(560.0, 560.0)
    node.on_message(SubscriptionCopy(40, subscription(home)), 4)
    node.on_message(packet(Advertise(30, home, 3, NEWS, Position(450.0, 500.0)), home), 3)
    assert host.broadcasts == []
    (sent,) = host.unicasts
    assert isinstance(sent.message, GeographicPacket)
    assert (sent.message.node, sent.to) == (3, 3)
    assert isinstance(sent.message.payload, SubscriptionList)
    assert [each for each, _ in sent.message.payload.subscriptions] == [subscription(home)]


def test_an_advertisement_that_passes_by_far_from_the_home_goes_on() -> None:
    host, node = rendezvous_at_home()
    home = Position(900.0, 900.0)
    advertised = Advertise(30, home, 3, NEWS, Position(450.0, 500.0))
    node.on_message(packet(advertised, home), 3)
    (sent,) = host.unicasts
    assert isinstance(sent.message, GeographicPacket)
    assert sent.message.payload == advertised
