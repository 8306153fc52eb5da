"""Frugal, sections 3 (phase 2) and 4.3: publication and the back-off."""

import pytest
from frugal_peers import (
    ME,
    events,
    frugal_node,
    give,
    heartbeat,
    identifiers,
    meet,
    sent_events,
)

from roamcast.protocols.frugal.protocol import BACKOFF
from roamcast.testing import Delivered, event_of

# --- publication -----------------------------------------------------------------------------------------------


def test_an_event_is_sent_at_once_if_a_neighbour_asks_for_its_topic_and_names_who_does() -> None:
    host, frugal = frugal_node("news")
    for neighbour, topic in ((2, "news.local"), (3, "news.world"), (4, "news")):
        meet(frugal, neighbour, topic)
    event = event_of(ME, topic="news.local")
    frugal.publish(event)
    assert sent_events(host) == [(0.0, events([event], informed=(2, 4)))]
    assert host.deliveries == [Delivered(0.0, event)]


def test_an_event_is_not_sent_if_neighbours_share_another_interest_only() -> None:
    host, frugal = frugal_node("news", "traffic")
    meet(frugal, 2, "traffic")
    frugal.publish(event_of(ME))
    host.advance_to(0.4)
    assert sent_events(host) == []


def test_an_event_published_without_neighbours_is_sent_to_the_first_that_comes() -> None:
    host, frugal = frugal_node("news")
    frugal.publish(event_of(ME))
    host.advance_to(0.125)
    meet(frugal, 2, "news")
    host.advance_to(1.0)
    assert sent_events(host) == [(0.625, events([event_of(ME)], informed=(2,)))]


def test_who_was_sent_an_event_is_taken_to_have_it() -> None:
    host, frugal = frugal_node("news")
    meet(frugal, 2, "news")
    frugal.publish(event_of(ME))
    meet(frugal, 2, "news")
    host.advance_to(1.0)
    assert len(sent_events(host)) == 1


# --- the back-off ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_the_back_off_is_the_heartbeat_delay_over_the_factor_and_the_number_of_events(count: int) -> None:
    host, frugal = frugal_node("news", backoff_divisor=3.0, message_bytes_max=10_000)
    held = [event_of(9, number) for number in range(count)]
    give(frugal, *held)
    host.advance_to(0.25)
    meet(frugal, 2, "news")
    assert host.wakes[BACKOFF] == 0.25 + 1.0 / (3.0 * count)
    host.advance_to(1.0)
    assert sent_events(host) == [(0.25 + 1.0 / (3.0 * count), events(held, informed=(2,)))]


def test_the_back_off_counts_the_events_that_all_neighbours_lack_together() -> None:
    host, frugal = frugal_node("news")
    one, other = event_of(9, 1), event_of(9, 2)
    give(frugal, one, other)
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(heartbeat("news"), 3)
    frugal.on_message(identifiers(one), 2)
    assert host.wakes[BACKOFF] == 0.25  # 2 lacks one event, and 3, which has said nothing yet, lacks both


def test_the_back_off_follows_the_heartbeat_delay() -> None:
    host, frugal = frugal_node("news", random=0.0)
    give(frugal, event_of(9))
    frugal.on_message(heartbeat("news", speed_mps=80.0), 2)
    host.advance_to(0.0)  # a heartbeat, after which the delay is 0.5 s
    frugal.on_message(identifiers(), 2)
    assert host.wakes[BACKOFF] == 0.25


def test_a_running_back_off_is_not_touched_by_more_that_is_lacked() -> None:
    host, frugal = frugal_node("news")
    held = [event_of(9, number) for number in range(2)]
    give(frugal, *held)
    meet(frugal, 2, "news", holds=(held[0],))
    host.advance_to(0.25)
    meet(frugal, 3, "news")
    assert host.wakes[BACKOFF] == 0.5
    host.advance_to(1.0)
    assert sent_events(host) == [(0.5, events(held, informed=(2, 3)))]


def test_a_new_event_ends_the_back_off_and_the_next_one_is_the_shorter_of_the_two() -> None:
    host, frugal = frugal_node("news")
    held = [event_of(9, number) for number in range(3)]
    give(frugal, *held[:2])
    meet(frugal, 2, "news")
    host.advance_to(0.125)
    assert host.wakes[BACKOFF] == 0.25
    frugal.on_message(events([held[2]], informed=(2,)), 98)
    assert host.wakes[BACKOFF] == 0.125 + 0.25  # two events still: the same delay, from now on
    give(frugal, event_of(9, 7))
    assert host.wakes[BACKOFF] == 0.125 + 1.0 / (2.0 * 3)
    host.advance_to(1.0)
    assert sent_events(host) == [(0.125 + 1.0 / (2.0 * 3), events([*held[:2], event_of(9, 7)], informed=(2,)))]


def test_a_longer_back_off_does_not_replace_a_shorter_one_that_was_ended() -> None:
    host, frugal = frugal_node("news")
    held = [event_of(9, number) for number in range(4)]
    give(frugal, *held)
    meet(frugal, 2, "news")  # lacks four: 0.125 s
    frugal.on_message(identifiers(*held[:3]), 2)  # now it lacks one
    give(frugal, event_of(9, 8), sender=2)  # a new event, which 2 has
    assert host.wakes[BACKOFF] == 0.125


def test_a_new_event_that_leaves_nothing_to_send_ends_the_back_off_for_good() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9, 1))
    meet(frugal, 2, "news")
    frugal.on_message(events([event_of(9, 1), event_of(9, 2)], informed=(2,)), 98)
    assert BACKOFF not in host.wakes
    host.advance_to(2.0)
    assert sent_events(host) == []


def test_a_back_off_that_has_expired_does_not_shorten_the_next() -> None:
    host, frugal = frugal_node("news")
    held = [event_of(9, number) for number in range(4)]
    give(frugal, *held)
    meet(frugal, 2, "news")
    host.advance_to(0.25)
    assert [at_s for at_s, _ in sent_events(host)] == [0.125]
    meet(frugal, 3, "news", holds=tuple(held[1:]))
    assert host.wakes[BACKOFF] == 0.25 + 0.5


def test_the_first_back_off_after_one_that_came_to_nothing_is_computed_afresh() -> None:
    host, frugal = frugal_node("news")
    held = [event_of(9, number) for number in range(4)]
    give(frugal, *held)
    meet(frugal, 2, "news")  # 0.125 s
    frugal.on_message(events([*held, event_of(9, 8)], informed=(2,)), 98)  # 2 lacks nothing any more
    give(frugal, event_of(9, 9))
    assert host.wakes[BACKOFF] == 0.5


# --- what is sent is recomputed when the back-off expires ---------------------------------------------------------


def test_an_event_that_expires_during_the_back_off_is_not_sent() -> None:
    host, frugal = frugal_node("news")
    brief, lasting = event_of(9, 1, validity_s=0.25), event_of(9, 2)
    give(frugal, brief, lasting)
    meet(frugal, 2, "news")
    host.advance_to(1.0)
    assert sent_events(host) == [(0.25, events([lasting], informed=(2,)))]


def test_what_a_neighbour_was_heard_to_get_during_the_back_off_is_not_sent_to_it() -> None:
    host, frugal = frugal_node("news")
    one, other = event_of(9, 1), event_of(9, 2)
    give(frugal, one, other)
    meet(frugal, 2, "news")
    frugal.on_message(events([one], informed=(2,)), 98)
    host.advance_to(1.0)
    assert sent_events(host) == [(0.25, events([other], informed=(2,)))]


def test_the_sender_of_an_event_has_it() -> None:
    host, frugal = frugal_node("news")
    frugal.on_message(heartbeat("news"), 2)
    frugal.on_message(heartbeat("news"), 3)
    frugal.on_message(events([event_of(9)], informed=(3,)), 2)
    host.advance_to(2.0)
    assert sent_events(host) == []
    frugal.on_message(heartbeat("news"), 4)
    frugal.on_message(identifiers(), 4)
    host.advance_to(3.0)
    assert len(sent_events(host)) == 1


def test_a_neighbour_that_is_collected_during_the_back_off_is_sent_nothing() -> None:
    host, frugal = frugal_node("news", backoff_divisor=0.125)
    give(frugal, event_of(9))
    meet(frugal, 2, "news")
    assert host.wakes[BACKOFF] == 8.0
    host.advance_to(10.0)
    assert sent_events(host) == []


def test_a_neighbour_that_comes_during_the_back_off_is_served_with_the_others() -> None:
    host, frugal = frugal_node("news")
    give(frugal, event_of(9))
    meet(frugal, 2, "news")
    host.advance_to(0.25)
    meet(frugal, 3, "news")
    host.advance_to(2.0)
    assert sent_events(host) == [(0.5, events([event_of(9)], informed=(2, 3)))]
