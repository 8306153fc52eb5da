"""Interests-aware flooding, the Frugal paper's alternative (2): only what a node asked for itself is passed on."""

from roamcast.protocols.flooding import FloodedEvent
from roamcast.protocols.interest_flooding import InterestFlooding
from roamcast.testing import RecordingHost, Sent, event_of, interest_in

NEWS, TRAFFIC = event_of(9, 1), event_of(9, 2, "traffic")


def node(*topics: str) -> tuple[RecordingHost, InterestFlooding]:
    host = RecordingHost(1)
    flooding = host.install(InterestFlooding)
    for topic in topics:
        flooding.subscribe(interest_in(topic))
    return host, flooding


def test_a_node_passes_on_once_a_second_what_it_asked_for_and_nothing_else() -> None:
    host, flooding = node("news")
    flooding.on_message(FloodedEvent(400, NEWS), 2)
    flooding.on_message(FloodedEvent(400, TRAFFIC), 2)
    host.advance_to(3.0)
    assert host.broadcasts == [Sent(at_s, FloodedEvent(400, NEWS)) for at_s in (0.5, 1.5, 2.5)]
    assert (host.delivered(), host.drop_reasons()) == ([NEWS], ["parasite"])
    assert flooding.storage_bytes() == 400 + 16


def test_a_publisher_sends_its_own_event_without_asking_for_it() -> None:
    host, flooding = node()
    flooding.publish(event_of(1))
    host.advance_to(2.0)
    assert host.take_messages() == [FloodedEvent(400, event_of(1))] * 2
    assert host.deliveries == []


def test_whoever_unsubscribes_stops_passing_on_but_not_its_own() -> None:
    host, flooding = node("news", "traffic")
    for event in (NEWS, TRAFFIC):
        flooding.on_message(FloodedEvent(400, event), 2)
    flooding.publish(event_of(1))
    flooding.unsubscribe(interest_in("news"))
    host.advance_to(1.0)
    assert host.take_messages() == [FloodedEvent(400, TRAFFIC), FloodedEvent(400, event_of(1))]


def test_whoever_subscribes_later_takes_what_it_hears_from_then_on() -> None:
    host, flooding = node("news")
    flooding.on_message(FloodedEvent(400, TRAFFIC), 2)
    flooding.subscribe(interest_in("traffic"))
    assert host.deliveries == []
    flooding.on_message(FloodedEvent(400, TRAFFIC), 2)
    assert host.delivered() == [TRAFFIC]
