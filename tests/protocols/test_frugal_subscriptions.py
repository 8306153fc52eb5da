"""Frugal, section 4.2, figures 5 and 9: subscribing and unsubscribing at any time, publishing without subscribing."""

from frugal_peers import (
    EVENT_BYTES,
    IDENTIFIER_BYTES,
    ME,
    NODE_BYTES,
    announcements,
    events,
    frugal_node,
    give,
    heartbeat,
    heartbeat_times,
    identifiers,
    meet,
    sent_events,
)

from roamcast.protocols.frugal.protocol import COLLECTION, HEARTBEAT, Frugal
from roamcast.testing import FakeLink, RecordingHost, event_of, interest_in


def joined(*topics: tuple[str, ...]) -> tuple[FakeLink, list[RecordingHost], list[Frugal]]:
    """Return nodes 1, 2, ... that subscribe to these topics and hear each other, 5 s after they met."""
    hosts = [RecordingHost(node, random=node / 10) for node in range(1, len(topics) + 1)]
    peers = [host.install(Frugal) for host in hosts]
    for peer, asked in zip(peers, topics, strict=True):
        for topic in asked:
            peer.subscribe(interest_in(topic))
    link = FakeLink(hosts)
    link.join(*link.hosts)
    link.advance_to(5.0)
    return link, hosts, peers


# --- unsubscribing ---------------------------------------------------------------------------------------------


def test_the_last_unsubscription_stops_the_heartbeats_and_in_the_end_the_collection() -> None:
    host, frugal = frugal_node("news", "traffic")
    host.advance_to(1.0)
    frugal.unsubscribe(interest_in("news"))
    assert HEARTBEAT in host.wakes
    frugal.unsubscribe(interest_in("traffic"))
    assert HEARTBEAT not in host.wakes
    host.advance_to(10.0)
    assert (heartbeat_times(host), host.wakes) == ([0.5], {})


def test_unsubscribing_forgets_events_and_neighbours_that_nothing_is_shared_with_any_more() -> None:
    host, frugal = frugal_node("news", "traffic")
    meet(frugal, 2, "news")
    meet(frugal, 3, "traffic")
    give(frugal, event_of(9, 1, "news"), event_of(9, 2, "traffic"))
    frugal.unsubscribe(interest_in("news"))
    # One event, one neighbour, and both identifiers, so that neither event is ever delivered again.
    assert frugal.storage_bytes() == EVENT_BYTES + NODE_BYTES + 2 * IDENTIFIER_BYTES
    host.take_messages()
    frugal.on_message(heartbeat("."), 4)
    assert host.take_messages() == [identifiers(event_of(9, 2))]


def test_what_is_no_longer_asked_for_is_neither_delivered_nor_sent() -> None:
    host, frugal = frugal_node("news", "traffic")
    give(frugal, event_of(9, 1))
    meet(frugal, 2, "news", "traffic")
    frugal.unsubscribe(interest_in("news"))
    give(frugal, event_of(9, 2))
    host.advance_to(2.0)
    assert host.delivered() == [event_of(9, 1)]
    assert sent_events(host) == []  # though the back-off had begun
    assert host.drop_reasons() == ["parasite"]


def test_a_node_that_has_unsubscribed_no_longer_exchanges_and_keeps_no_early_identifiers() -> None:
    host, frugal = frugal_node("news")
    frugal.on_message(identifiers(event_of(9)), 2)
    frugal.unsubscribe(interest_in("news"))
    meet(frugal, 3, "news")
    assert (host.broadcasts, frugal.storage_bytes()) == ([], 0)


def test_an_interest_that_was_never_subscribed_is_ignored() -> None:
    host, frugal = frugal_node("news")
    frugal.unsubscribe(interest_in("news.local"))
    host.advance_to(2.0)
    assert host.take_messages() == [heartbeat("news")] * 2


def test_a_node_that_subscribes_again_begins_again_and_is_not_given_twice_what_it_had() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9, 1))
    frugal.unsubscribe(interest_in("news"))
    host.advance_to(10.0)
    frugal.subscribe(interest_in("news"))
    give(frugal, event_of(9, 1), event_of(9, 2))
    host.advance_to(11.0)
    assert heartbeat_times(host) == [10.5]
    assert host.delivered() == [event_of(9, 1), event_of(9, 2)]


def test_a_neighbour_that_has_unsubscribed_is_told_no_more() -> None:
    link, hosts, peers = joined(("news", "traffic"), ("news", "traffic"))
    peers[1].unsubscribe(interest_in("news"))
    link.advance_to(7.0)
    peers[0].publish(event_of(1))
    link.advance_to(9.0)
    assert sent_events(hosts[0]) == []


# --- subscribing later -----------------------------------------------------------------------------------------


def test_a_new_subscription_brings_what_a_known_neighbour_holds() -> None:
    link, hosts, peers = joined(("news",), ("news", "traffic"))
    peers[1].publish(event_of(2, topic="traffic", published_at_s=5.0))
    link.advance_to(8.0)
    assert hosts[0].deliveries == []
    peers[0].subscribe(interest_in("traffic"))
    link.advance_to(12.0)
    assert hosts[0].delivered() == [event_of(2, topic="traffic", published_at_s=5.0)]
    assert len(sent_events(hosts[1])) == 1


def test_a_new_subscription_brings_what_was_heard_and_dropped_in_a_message_for_others() -> None:
    link, hosts, peers = joined(("news",), ("news", "traffic"), ("traffic",))
    both = [event_of(9, 1), event_of(9, 2, topic="traffic")]
    link.part(1, 2, 3)
    link.advance_to(12.0)  # by now they have forgotten each other
    give(peers[1], *both)
    link.join(1, 2, 3)
    link.advance_to(16.0)
    assert [sent.carried for _, sent in sent_events(hosts[1])] == [tuple(both)]
    assert hosts[0].delivered() == [both[0]]
    assert hosts[0].drop_reasons() == ["parasite"]
    link.part(3)
    peers[0].subscribe(interest_in("traffic"))
    link.advance_to(20.0)
    assert hosts[0].delivered() == both


def test_a_new_subscription_finds_neighbours_that_did_not_matter_before() -> None:
    link, hosts, peers = joined(("news",), ("traffic",))
    give(peers[1], event_of(9, topic="traffic"))
    peers[0].subscribe(interest_in("traffic"))
    link.advance_to(9.0)
    assert hosts[0].delivered() == [event_of(9, topic="traffic")]


# --- publishing without subscribing ----------------------------------------------------------------------------


def test_a_publisher_that_does_not_subscribe_sends_no_heartbeats_and_delivers_nothing_to_itself() -> None:
    host, frugal = frugal_node()
    frugal.publish(event_of(ME))
    host.advance_to(10.0)
    assert (host.broadcasts, host.deliveries) == ([], [])


def test_it_serves_neighbours_that_were_there_before() -> None:
    link, hosts, peers = joined((), ("news",), ("traffic",))
    event = event_of(1, published_at_s=5.0)
    peers[0].publish(event)
    link.advance_to(10.0)
    # Node 2 beats at 5.2 s: it is now of interest, and as nobody tells a silent node anything, it lacks the event.
    assert sent_events(hosts[0]) == [(5.2 + 0.5, events([event], informed=(2,)))]
    assert [host.delivered() for host in hosts] == [[], [event], []]
    assert announcements(hosts[0]) == []


def test_it_serves_neighbours_that_arrive_later_while_the_event_is_valid() -> None:
    host, frugal = frugal_node()
    event = event_of(ME, validity_s=20.0)
    frugal.publish(event)
    for at_s, neighbour in ((10.0, 2), (19.75, 3), (20.0, 4)):
        host.advance_to(at_s)
        frugal.on_message(heartbeat("news"), neighbour)
    host.advance_to(30.0)
    assert sent_events(host) == [(10.5, events([event], informed=(2,)))]  # 3's back-off ended too late


def test_it_does_not_send_to_who_was_heard_to_hold_the_event() -> None:
    host, frugal = frugal_node()
    frugal.publish(event_of(ME))
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(identifiers(event_of(ME)), 2)
    host.advance_to(2.0)
    assert sent_events(host) == []


def test_a_further_event_goes_at_once_to_neighbours_that_came_for_the_first() -> None:
    host, frugal = frugal_node()
    frugal.publish(event_of(ME, 1))
    frugal.on_message(heartbeat("news"), 2)
    host.advance_to(1.0)
    frugal.publish(event_of(ME, 2))
    assert sent_events(host)[1:] == [(1.0, events([event_of(ME, 2)], informed=(2,)))]


def test_its_neighbours_are_collected_when_they_leave_or_when_what_they_came_for_expires() -> None:
    host, frugal = frugal_node()
    frugal.publish(event_of(ME, validity_s=6.0))
    assert host.wakes == {COLLECTION: 2.5}
    frugal.on_message(heartbeat("news"), 2)
    own_bytes = EVENT_BYTES + IDENTIFIER_BYTES
    assert frugal.storage_bytes() == own_bytes + NODE_BYTES
    host.advance_to(5.0)
    assert frugal.storage_bytes() == own_bytes
    for at_s in (5.5, 6.5, 7.4):
        host.advance_to(at_s)
        frugal.on_message(heartbeat("news"), 3)
    host.advance_to(7.5)
    assert frugal.storage_bytes() == own_bytes
    frugal.on_message(heartbeat("news"), 4)
    assert frugal.storage_bytes() == own_bytes


def test_its_collection_follows_the_speed_of_its_neighbours_though_it_sends_no_heartbeats() -> None:
    host, frugal = frugal_node()
    frugal.publish(event_of(ME))
    host.advance_to(1.0)
    frugal.on_message(heartbeat("news", speed_mps=400.0), 2)  # a delay of 0.1 s: forgotten after 0.25 s
    host.advance_to(2.5)
    assert frugal.storage_bytes() == EVENT_BYTES + IDENTIFIER_BYTES


def test_it_announces_nothing_in_either_reading_of_the_exchange() -> None:
    host, frugal = frugal_node(exchange="heartbeat")
    frugal.publish(event_of(ME))
    for _ in range(3):
        frugal.on_message(heartbeat("news"), 2)
    assert host.broadcasts == []


def test_a_publisher_that_subscribes_to_something_else_serves_its_readers_too() -> None:
    link, hosts, peers = joined(("traffic",), ("news",))
    event = event_of(1, published_at_s=5.0)
    peers[0].publish(event)
    link.advance_to(10.0)
    assert hosts[1].delivered() == [event]
    assert announcements(hosts[0]) == []  # node 2 would not know what to make of it


def test_a_publisher_that_subscribes_later_is_told_what_its_readers_hold() -> None:
    link, hosts, peers = joined((), ("news",))
    peers[0].publish(event_of(1, published_at_s=5.0))
    give(peers[1], event_of(9))
    link.advance_to(7.0)
    before = peers[0].storage_bytes()
    peers[0].subscribe(interest_in("news"))
    assert peers[0].storage_bytes() == before  # what is known of the reader stays known
    link.advance_to(11.0)
    assert hosts[0].delivered() == [event_of(9)]
    assert hosts[1].delivered() == [event_of(9), event_of(1, published_at_s=5.0)]
    assert len(sent_events(hosts[0])) == 1


def test_a_publisher_that_unsubscribes_keeps_its_own_events_and_their_readers() -> None:
    host, frugal = frugal_node("news")
    frugal.publish(event_of(ME))
    give(frugal, event_of(9))
    meet(frugal, 2, "news", holds=(event_of(9), event_of(ME)))
    before = frugal.storage_bytes()
    frugal.unsubscribe(interest_in("news"))
    assert frugal.storage_bytes() == before - EVENT_BYTES
    frugal.on_message(heartbeat("news"), 3)
    host.advance_to(1.0)
    assert sent_events(host) == [(0.5, events([event_of(ME)], informed=(2, 3)))]
