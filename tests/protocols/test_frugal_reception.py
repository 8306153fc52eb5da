"""Frugal, sections 3 (phase 2) and 4.3: what a node does with the events that it receives."""

import pytest
from frugal_peers import (
    EVENT_BYTES,
    IDENTIFIER_BYTES,
    ME,
    announcements,
    events,
    frugal_node,
    give,
    heartbeat,
    identifiers,
    meet,
    sent_events,
)

from roamcast.core.events import Event
from roamcast.testing import Delivered, event_of, interest_in


def test_a_wanted_event_is_delivered_stored_and_passed_on_to_who_lacks_it() -> None:
    host, frugal = frugal_node("news")
    meet(frugal, 2, "news")
    meet(frugal, 3, "news")
    host.advance_to(0.25)
    frugal.on_message(events([event_of(9)], informed=(ME, 2)), 2)
    assert host.deliveries == [Delivered(0.25, event_of(9))]
    host.advance_to(1.0)
    assert sent_events(host) == [(0.75, events([event_of(9)], informed=(2, 3)))]


def test_an_event_is_not_sent_to_a_neighbour_who_holds_it() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9))
    meet(frugal, 2, "news", holds=(event_of(9),))
    host.advance_to(2.0)
    assert sent_events(host) == []


def test_nothing_is_sent_to_a_neighbour_before_it_has_said_what_it_holds() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9))
    frugal.on_message(heartbeat("news"), 2)
    give(frugal, event_of(9, 1, "traffic"), sender=98)
    give(frugal, event_of(9))
    host.advance_to(2.0)
    assert sent_events(host) == []


def test_informed_neighbours_are_taken_to_have_what_they_ask_for_and_not_the_rest() -> None:
    host, frugal = frugal_node("news", "traffic")
    meet(frugal, 2, "news")
    news, traffic = event_of(9, 1), event_of(9, 2, "traffic")
    frugal.on_message(events([news, traffic], informed=(2, ME)), 98)
    host.advance_to(2.0)
    assert sent_events(host) == []
    frugal.on_message(heartbeat("news", "traffic"), 2)
    host.advance_to(3.0)
    assert sent_events(host) == [(2.5, events([traffic], informed=(2,)))]


def test_the_sender_has_what_it_sent_even_if_it_does_not_ask_for_it() -> None:
    host, frugal = frugal_node("news", "traffic")
    meet(frugal, 2, "news")
    frugal.on_message(events([event_of(2, topic="traffic")], informed=(ME,)), 2)
    frugal.on_message(heartbeat("news", "traffic"), 2)
    host.advance_to(2.0)
    assert sent_events(host) == []


def test_a_parasite_event_is_dropped_and_not_stored() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9, topic="traffic"))
    frugal.subscribe(interest_in("traffic"))
    meet(frugal, 2, "traffic")
    assert (host.deliveries, host.drop_reasons(), frugal.storage_bytes()) == ([], ["parasite"], 4)
    assert announcements(host) == [(0.0, identifiers())]


def test_an_expired_event_is_neither_delivered_nor_stored() -> None:
    host, frugal = frugal_node("news")
    host.advance_to(100.0)
    give(frugal, event_of(9, validity_s=100.0))
    assert (host.deliveries, host.drop_reasons(), frugal.storage_bytes()) == ([], ["expired"], 0)
    give(frugal, event_of(9, validity_s=100.5))
    assert host.delivered() == [event_of(9, validity_s=100.5)]


def test_an_event_is_delivered_once() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9), event_of(9))
    give(frugal, event_of(9))
    assert host.delivered() == [event_of(9)]
    assert host.drop_reasons() == ["duplicate", "duplicate"]
    assert frugal.storage_bytes() == EVENT_BYTES + IDENTIFIER_BYTES


def test_an_event_in_this_nodes_name_that_it_did_not_publish_is_not_delivered() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(ME))
    assert (host.deliveries, host.drop_reasons()) == ([], ["duplicate"])


@pytest.mark.parametrize(
    "nonsense",
    [
        event_of(9, validity_s=0.0, published_at_s=50.0),  # worth 0/0 to Equation 1
        event_of(9, validity_s=-1.0, published_at_s=50.0),
        event_of(9, validity_s=float("inf")),
        event_of(9, size_bytes=0),
        event_of(9, size_bytes=-400),
        event_of(9, size_bytes=65_536),
    ],
)
def test_an_event_whose_numbers_cannot_be_true_is_dropped(nonsense: Event) -> None:
    host, frugal = frugal_node("news")
    give(frugal, nonsense)
    assert (host.deliveries, host.drop_reasons(), frugal.storage_bytes()) == ([], ["malformed"], 0)


def test_events_that_exceed_a_frame_go_into_several_messages() -> None:
    # Three events and the list of one neighbour would be 1204 bytes.
    host, frugal = frugal_node("news", message_bytes_max=1203)
    held = [event_of(9, number) for number in range(4)]
    large = event_of(9, 7, size_bytes=3000)
    give(frugal, *held, large, event_of(9, 8))
    meet(frugal, 2, "news")
    host.advance_to(1.0)
    assert [message for _, message in sent_events(host)] == [
        events(held[:2], informed=(2,)),
        events(held[2:], informed=(2,)),
        events([large], informed=(2,)),  # larger than any message: alone
        events([event_of(9, 8)], informed=(2,)),
    ]


def test_events_that_just_fit_into_a_frame_go_into_one_message() -> None:
    host, frugal = frugal_node("news", message_bytes_max=1204)
    held = [event_of(9, number) for number in range(3)]
    give(frugal, *held)
    meet(frugal, 2, "news")
    host.advance_to(1.0)
    assert [message for _, message in sent_events(host)] == [events(held, informed=(2,))]
