"""Gossip: what is sent on at a first reception, when, and with which probability."""

from random import Random

import pytest

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.protocols.gossip import Gossip, GossipedEvent, GossipParameters
from roamcast.testing import Delivered, FakeLink, RecordingHost, Sent, event_of, interest_in

ME = 1


def gossip_node(*topics: str, random: float | Random = 0.5, **parameters: float) -> tuple[RecordingHost, Gossip]:
    """Return a node that waits half of the longest delay: 15 ms."""
    host = RecordingHost(ME, random)
    gossip = host.install(Gossip, GossipParameters(**parameters))  # type: ignore[arg-type]
    for topic in topics:
        gossip.subscribe(interest_in(topic))
    return host, gossip


def gossiped(event: Event) -> GossipedEvent:
    return GossipedEvent(event.size_bytes, event)


def test_a_node_with_nothing_to_say_is_silent() -> None:
    host, _ = gossip_node("news")
    host.advance_to(100.0)
    assert (host.broadcasts, host.wakes) == ([], {})


@pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
def test_a_publisher_sends_at_once_whatever_the_probability_and_never_again(probability: float) -> None:
    host, gossip = gossip_node(probability=probability)
    gossip.publish(event_of(ME))
    gossip.on_message(gossiped(event_of(ME)), 2)
    host.advance_to(50.0)
    assert host.broadcasts == [Sent(0.0, gossiped(event_of(ME)))]


def test_with_probability_one_what_is_heard_first_is_sent_once_after_the_random_delay() -> None:
    host, gossip = gossip_node("news", random=0.25, random_delay_s_max=0.04)
    for sender in (2, 3, 4):
        gossip.on_message(gossiped(event_of(9)), sender)
    host.advance_to(50.0)
    assert host.broadcasts == [Sent(0.01, gossiped(event_of(9)))]
    assert host.deliveries == [Delivered(0.0, event_of(9))]


def test_hearing_the_event_again_does_not_keep_a_node_from_sending_it_on() -> None:
    host, gossip = gossip_node()
    gossip.on_message(gossiped(event_of(9)), 2)
    gossip.on_message(gossiped(event_of(9)), 3)
    host.advance_to(1.0)
    assert len(host.broadcasts) == 1


@pytest.mark.parametrize(("probability", "sends"), [(0.0, False), (0.5, False), (0.51, True), (1.0, True)])
def test_the_coin_decides_and_it_is_tossed_once_for_an_event(probability: float, sends: bool) -> None:
    host, gossip = gossip_node(random=0.5, probability=probability)
    for _ in range(3):
        gossip.on_message(gossiped(event_of(9)), 2)
    host.advance_to(1.0)
    assert (len(host.broadcasts) == 1) is sends


def test_a_share_of_events_near_the_probability_is_sent_on() -> None:
    host, gossip = gossip_node(random=Random(4), probability=0.3)
    for number in range(1000):
        gossip.on_message(gossiped(event_of(9, number)), 2)
        host.advance_to(host.now + 0.03)
    assert 242 <= len(host.broadcasts) <= 358  # 300 expected with a standard deviation of 14.5: four of them either way


def test_who_does_not_toss_heads_still_delivers() -> None:
    host, gossip = gossip_node("news", probability=0.0)
    gossip.on_message(gossiped(event_of(9)), 2)
    gossip.on_message(gossiped(event_of(9, 1, "traffic")), 2)
    assert host.delivered() == [event_of(9)]


def test_a_publisher_delivers_its_own_event_only_if_it_asked_for_it() -> None:
    asking, gossip = gossip_node("news")
    gossip.publish(event_of(ME))
    assert asking.delivered() == [event_of(ME)]
    silent, gossip = gossip_node("traffic")
    gossip.publish(event_of(ME))
    assert silent.delivered() == []


def test_a_node_that_unsubscribes_is_given_no_more_but_sends_on() -> None:
    host, gossip = gossip_node("news")
    gossip.unsubscribe(interest_in("news"))
    gossip.on_message(gossiped(event_of(9)), 2)
    host.advance_to(1.0)
    assert (host.deliveries, host.take_messages()) == ([], [gossiped(event_of(9))])


def test_an_event_that_expires_while_it_waits_is_not_sent() -> None:
    host, gossip = gossip_node(random_delay_s_max=2.0)
    gossip.on_message(gossiped(event_of(9, validity_s=1.0)), 2)
    host.advance_to(5.0)
    assert (host.broadcasts, host.drop_reasons()) == ([], ["expired"])


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (gossiped(event_of(9, validity_s=1.0, published_at_s=-5.0)), "expired"),
        (gossiped(event_of(9, size_bytes=-1)), "malformed"),
        (gossiped(event_of(9, validity_s=float("nan"))), "malformed"),
        (Message(10), "unknown-kind"),
    ],
)
def test_what_cannot_be_used_is_dropped_with_a_reason(message: Message, reason: str) -> None:
    host, gossip = gossip_node(".")
    gossip.on_message(message, 2)
    host.advance_to(1.0)
    assert (host.broadcasts, host.deliveries, host.drop_reasons()) == ([], [], [reason])
    assert gossip.storage_bytes() == 0


def test_memory_is_bounded_whatever_is_heard() -> None:
    host, gossip = gossip_node("news", pending_max=3, identifiers_max=5)
    for number in range(50):
        gossip.on_message(gossiped(event_of(9, number)), 2)
        assert gossip.storage_bytes() == 400 * min(number + 1, 3) + 16 * min(number + 1, 5)
    assert host.drop_reasons() == ["too-many-pending"] * 47
    host.advance_to(1.0)
    assert len(host.broadcasts) == 3


def test_along_a_line_everybody_is_reached_and_sends_once() -> None:
    hosts = [RecordingHost(node, random=0.5) for node in range(5)]
    link = FakeLink(hosts)
    for host in hosts:
        host.install(Gossip).subscribe(interest_in("news"))
    for node in range(4):
        link.join(node, node + 1)
    hosts[0].protocol.publish(event_of(0))
    link.advance_to(1.0)
    assert [host.delivered() for host in hosts] == [[event_of(0)]] * 5
    assert [[sent.at_s for sent in host.broadcasts] for host in hosts] == [
        [pytest.approx(0.015 * node)] for node in range(5)
    ]
