"""Simple flooding, the Frugal paper's alternative (1): exactly what is sent at each tick, and what is kept."""

import pytest

from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.protocols.flooding import FloodedEvent, Flooding, FloodingParameters
from roamcast.testing import Delivered, RecordingHost, Sent, event_of, interest_in

ME = 1


def flooding_node(*topics: str, random: float = 0.5, **parameters: float | str) -> tuple[RecordingHost, Flooding]:
    """Return a node with ticks at 0.5, 1.5, 2.5 s."""
    host = RecordingHost(ME, random)
    flooding = host.install(Flooding, FloodingParameters(**parameters))  # type: ignore[arg-type]
    for topic in topics:
        flooding.subscribe(interest_in(topic))
    return host, flooding


def flooded(event: Event) -> FloodedEvent:
    return FloodedEvent(event.size_bytes, event)


def test_a_node_without_events_is_silent() -> None:
    host, _ = flooding_node("news")
    host.advance_to(5.0)
    assert host.broadcasts == []


def test_an_event_is_sent_once_a_second_until_it_expires() -> None:
    host, flooding = flooding_node()
    event = event_of(ME, validity_s=3.5)
    flooding.publish(event)
    host.advance_to(10.0)
    assert host.broadcasts == [Sent(at_s, flooded(event)) for at_s in (0.5, 1.5, 2.5)]  # at 3.5 it is worthless
    assert flooding.storage_bytes() == 0


def test_each_nodes_second_begins_at_a_random_moment_and_lasts_a_period() -> None:
    host, flooding = flooding_node(random=0.25, period_s=2.0)
    flooding.publish(event_of(ME))
    host.advance_to(6.0)
    assert [sent.at_s for sent in host.broadcasts] == [0.5, 2.5, 4.5]


def test_whatever_its_interests_a_node_passes_on_what_it_hears_and_delivers_what_it_asked_for() -> None:
    host, flooding = flooding_node("news")
    wanted, other = event_of(9, 1), event_of(9, 2, "traffic", size_bytes=120)
    flooding.on_message(flooded(other), 7)
    flooding.on_message(flooded(wanted), 8)
    assert host.deliveries == [Delivered(0.0, wanted)]
    host.advance_to(1.0)
    assert host.take_messages() == [flooded(other), flooded(wanted)]  # a frame each, in the order in which they came
    assert host.drops == []


def test_an_event_heard_again_is_neither_delivered_nor_sent_twice() -> None:
    host, flooding = flooding_node("news")
    for sender in (2, 3, 2):
        flooding.on_message(flooded(event_of(9)), sender)
    host.advance_to(1.0)
    assert (host.delivered(), host.take_messages()) == ([event_of(9)], [flooded(event_of(9))])


def test_a_publisher_delivers_its_own_event_only_if_it_asked_for_it() -> None:
    asking, flooding = flooding_node("news")
    flooding.publish(event_of(ME))
    assert asking.delivered() == [event_of(ME)]
    silent, flooding = flooding_node("traffic")
    flooding.publish(event_of(ME))
    assert silent.delivered() == []


def test_an_expired_event_is_dropped() -> None:
    host, flooding = flooding_node("news")
    host.advance_to(100.0)
    flooding.on_message(flooded(event_of(9, validity_s=100.0)), 2)
    assert (host.deliveries, host.drop_reasons(), flooding.storage_bytes()) == ([], ["expired"], 0)


def test_what_no_protocol_of_this_kind_sends_is_dropped() -> None:
    host, flooding = flooding_node("news")
    flooding.on_message(Message(10), 2)
    assert host.drop_reasons() == ["unknown-kind"]


@pytest.mark.parametrize(
    "nonsense",
    [event_of(9, size_bytes=-1), event_of(9, size_bytes=10**9), event_of(9, validity_s=-1, published_at_s=9)],
)
def test_an_event_whose_numbers_cannot_be_true_is_dropped(nonsense: Event) -> None:
    host, flooding = flooding_node("news")
    flooding.on_message(flooded(nonsense), 2)
    assert (host.deliveries, host.drop_reasons(), flooding.storage_bytes()) == ([], ["malformed"], 0)


def test_an_event_in_this_nodes_name_that_it_did_not_publish_is_not_passed_on() -> None:
    host, flooding = flooding_node("news")
    flooding.on_message(flooded(event_of(ME)), 2)
    host.advance_to(1.0)
    assert (host.deliveries, host.broadcasts) == ([], [])


def test_a_node_that_subscribes_is_given_the_valid_events_that_it_was_passing_on_for_others() -> None:
    host, flooding = flooding_node()
    lasting, brief = event_of(9, 1), event_of(9, 2, validity_s=0.25)
    flooding.on_message(flooded(lasting), 2)
    flooding.on_message(flooded(brief), 2)
    host.advance_to(0.25)
    flooding.subscribe(interest_in("news"))
    flooding.subscribe(interest_in("."))
    assert host.deliveries == [Delivered(0.25, lasting)]


def test_a_node_that_unsubscribes_is_given_no_more_but_passes_on() -> None:
    host, flooding = flooding_node("news")
    flooding.unsubscribe(interest_in("news"))
    flooding.on_message(flooded(event_of(9)), 2)
    host.advance_to(1.0)
    assert (host.deliveries, host.take_messages()) == ([], [flooded(event_of(9))])


def test_a_full_table_gives_up_the_event_that_expires_first() -> None:
    host, flooding = flooding_node("news", events_max=2)
    for number, validity_s in ((1, 50.0), (2, 10.0), (3, 90.0)):
        flooding.on_message(flooded(event_of(9, number, validity_s=validity_s)), 2)
    host.advance_to(1.0)
    assert [message.events[0].id.number for message in host.take_messages()] == [1, 3]
    assert flooding.storage_bytes() == 2 * 400 + 3 * 16


def test_an_event_that_was_given_up_and_comes_again_is_not_delivered_again() -> None:
    host, flooding = flooding_node("news", events_max=1)
    first, second = event_of(9, 1), event_of(9, 2)
    for event in (first, second, first):
        flooding.on_message(flooded(event), 2)
    assert host.delivered() == [first, second]


def test_memory_is_bounded_whatever_is_heard() -> None:
    _, flooding = flooding_node("news", events_max=3, identifiers_max=5)
    for number in range(50):
        flooding.on_message(flooded(event_of(9, number)), 2)
        assert flooding.storage_bytes() == 400 * min(number + 1, 3) + 16 * min(number + 1, 5)


def test_by_reception_an_event_is_sent_a_period_after_it_was_heard_and_once_a_period_from_then_on() -> None:
    host, flooding = flooding_node(phase="reception")
    heard, own = event_of(9, 1, validity_s=3.0), event_of(ME, 2, validity_s=1.5)
    host.advance_to(0.2)
    flooding.on_message(flooded(heard), 9)
    host.advance_to(0.3)
    flooding.publish(own)
    host.advance_to(10.0)
    expected = [(0.3, own), (1.2, heard), (1.3, own), (2.2, heard)]
    assert [(round(sent.at_s, 6), sent.message) for sent in host.broadcasts] == [
        (at_s, flooded(event)) for at_s, event in expected
    ]
    assert flooding.storage_bytes() == 0


def test_an_event_that_made_room_for_another_is_not_sent_again() -> None:
    host, flooding = flooding_node(phase="reception", events_max=1)
    first, second = event_of(9, 1, validity_s=5.0), event_of(9, 2, validity_s=9.0)
    flooding.on_message(flooded(first), 9)
    host.advance_to(0.5)
    flooding.on_message(flooded(second), 9)
    host.advance_to(2.0)
    assert host.broadcasts == [Sent(1.5, flooded(second))]
