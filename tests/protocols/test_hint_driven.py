"""Hint-driven routing: who sends an event on, when, to whom it is said to go, and what credits do."""

from dataclasses import replace
from math import inf, nan

import pytest
from hint_peers import ME, NEWS, RANDOM_S, beacon, heard_beacons, hint_node, hinted, sent_events

from roamcast.core.attributes import Attributes
from roamcast.core.events import Event
from roamcast.core.messages import Message
from roamcast.core.predicates import parse
from roamcast.protocols.hint_driven.messages import HintedEvent
from roamcast.protocols.hint_driven.protocol import HintDriven
from roamcast.testing import event_of, interest_in

OTHERS = 9


def news(number: int = 0) -> Event:
    """Return an event of another node that is valid for long."""
    return event_of(OTHERS, number, validity_s=1000.0)


def after(delay_s: float, message: HintedEvent, now_s: float) -> list[tuple[float, HintedEvent]]:
    return [(pytest.approx(now_s + delay_s), message)]  # type: ignore[list-item]


# --- the rule ------------------------------------------------------------------------------------------------


def test_who_knows_of_nobody_does_not_send_on() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(hinted(news()), 2)
    host.advance_to(10.0)
    assert (host.broadcasts, host.drop_reasons()) == ([], ["not-nearer"])


def test_a_node_that_is_not_listed_is_a_reason_to_send_on_after_the_delay_of_its_hint() -> None:
    host, hint_driven = hint_node()
    heard_beacons(hint_driven, host, {7: 4})
    now_s = host.now
    hint_driven.on_message(hinted(news(), {3: 0.2}), 2)
    host.advance_to(now_s + 1.0)
    assert sent_events(host) == after(0.4 / 3 + RANDOM_S, hinted(news(), {3: 0.2, 7: 0.4}), now_s)


@pytest.mark.parametrize(("listed", "sends"), [(0.5, True), (0.4, False), (0.3, False), (0.0, False)])
def test_of_a_listed_node_only_a_lower_hint_is_a_reason(listed: float, sends: bool) -> None:
    host, hint_driven = hint_node()
    heard_beacons(hint_driven, host, {7: 4})
    hint_driven.on_message(hinted(news(), {7: listed}), 2)
    host.advance_to(host.now + 1.0)
    assert [message for _, message in sent_events(host)] == ([hinted(news(), {7: 0.4})] if sends else [])


def test_the_lowest_hint_among_those_that_are_a_reason_decides_the_delay() -> None:
    host, hint_driven = hint_node()
    heard_beacons(hint_driven, host, {5: 1, 6: 3, 7: 8})
    now_s = host.now
    hint_driven.on_message(hinted(news(), {5: 0.0, 7: 0.9}), 2)  # for 5 this node has nothing better
    host.advance_to(now_s + 1.0)
    assert sent_events(host) == after(0.3 / 3 + RANDOM_S, hinted(news(), {5: 0.0, 7: 0.8, 6: 0.3}), now_s)


def test_a_lower_hint_for_a_node_that_does_not_ask_for_the_event_is_no_reason() -> None:
    """Figure 3 read by Python's precedence would send here; section 4 asks for a match in both cases."""
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(parse('topic = "traffic"')), 7)
    hint_driven.on_message(hinted(news(), {7: 0.8}), 2)
    host.advance_to(1.0)
    assert sent_events(host) == []


def test_content_decides_who_is_interested() -> None:
    host, hint_driven = hint_node(parse("speed_mps < 5"))
    hint_driven.on_message(beacon(parse('road = "ring" and speed_mps < 10')), 7)
    hint_driven.on_message(beacon(parse("speed_mps > 20")), 8)
    slow, fast = (
        replace(news(number), attributes=Attributes({"road": "ring", "speed_mps": speed_mps}))
        for number, speed_mps in ((1, 3.0), (2, 30.0))
    )
    hint_driven.on_message(hinted(slow), 2)
    hint_driven.on_message(hinted(fast), 2)
    host.advance_to(1.0)
    assert host.delivered() == [slow]
    assert [message for _, message in sent_events(host)] == [
        hinted(slow, {ME: 0.0, 7: 0.0}),
        hinted(fast, {8: 0.0}),
    ]


def test_two_nodes_with_the_same_hint_are_kept_apart_by_the_random_delay() -> None:
    times = []
    for random in (0.0, 0.5, 0.999):
        host, hint_driven = hint_node(random=random)
        hint_driven.on_message(beacon(NEWS), 7)
        hint_driven.on_message(hinted(news()), 2)
        host.advance_to(1.0)
        times += [at_s for at_s, _ in sent_events(host)]
    assert times == [0.0, pytest.approx(0.015), pytest.approx(0.02997)]


def test_a_lower_hint_always_comes_first_whatever_is_drawn() -> None:
    (near, near_driven), (far, far_driven) = hint_node(random=0.9999), hint_node(random=0.0)
    heard_beacons(near_driven, near, {7: 2})
    heard_beacons(far_driven, far, {7: 3})
    delays = []
    for host, hint_driven in ((near, near_driven), (far, far_driven)):
        now_s = host.now
        hint_driven.on_message(hinted(news()), 2)
        host.advance_to(now_s + 1.0)
        delays += [at_s - now_s for at_s, _ in sent_events(host)]
    assert delays[0] < delays[1]


# --- suppression ---------------------------------------------------------------------------------------------


def test_who_hears_the_event_again_while_it_waits_keeps_silent() -> None:
    host, hint_driven = hint_node()
    heard_beacons(hint_driven, host, {7: 5})
    hint_driven.on_message(hinted(news()), 2)
    host.advance_to(host.now + 0.1)
    hint_driven.on_message(hinted(news(), {7: 0.9}), 3)  # whatever its list says
    host.advance_to(host.now + 1.0)
    assert (sent_events(host), host.drop_reasons()) == ([], ["suppressed"])


def test_hearing_the_event_after_it_was_sent_on_changes_nothing() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), 7)
    for _ in range(3):
        hint_driven.on_message(hinted(news()), 2)
        host.advance_to(host.now + 1.0)
    assert (len(sent_events(host)), host.drops) == (1, [])


def test_other_events_are_not_suppressed_with_it() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), 7)
    for number in (1, 2):
        hint_driven.on_message(hinted(news(number)), 2)
    hint_driven.on_message(hinted(news(1)), 3)
    host.advance_to(1.0)
    assert [message.event for _, message in sent_events(host)] == [news(2)]


# --- credits -------------------------------------------------------------------------------------------------


def test_a_credit_is_spent_where_there_is_no_reason_after_the_longest_delay() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(hinted(news(), {7: 0.5}, credit=2), 2)
    host.advance_to(1.0)
    assert sent_events(host) == after(1 / 3 + RANDOM_S, hinted(news(), {7: 0.5}, credit=1), 0.0)


def test_a_credit_is_not_spent_where_there_is_a_reason() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), 7)
    hint_driven.on_message(hinted(news(), credit=2), 2)
    host.advance_to(1.0)
    assert sent_events(host) == after(RANDOM_S, hinted(news(), {7: 0.0}, credit=2), 0.0)


def test_what_a_credit_would_send_is_suppressed_like_anything_else() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(hinted(news(), credit=1), 2)
    host.advance_to(0.3)
    hint_driven.on_message(hinted(news(), credit=1), 3)
    host.advance_to(1.0)
    assert sent_events(host) == []


def test_a_publisher_gives_its_events_the_credits_of_the_scenario_and_spends_none_itself() -> None:
    host, hint_driven = hint_node(credits=3)
    hint_driven.publish(event_of(ME))
    assert host.take_messages() == [hinted(event_of(ME), credit=3)]


# --- delivery ------------------------------------------------------------------------------------------------


def test_a_subscriber_delivers_and_says_in_the_list_that_it_has_the_event() -> None:
    host, hint_driven = hint_node(interest_in("news"))
    hint_driven.on_message(beacon(NEWS), 7)
    hint_driven.on_message(hinted(news(), {ME: 0.6}), 2)
    hint_driven.on_message(hinted(news(1), {5: 0.1}), 2)
    host.advance_to(1.0)
    assert host.delivered() == [news(), news(1)]
    assert [message for _, message in sent_events(host)] == [
        hinted(news(), {ME: 0.0, 7: 0.0}),
        hinted(news(1), {5: 0.1, ME: 0.0, 7: 0.0}),
    ]


def test_to_have_delivered_is_no_reason_to_send_on() -> None:
    host, hint_driven = hint_node(NEWS)
    hint_driven.on_message(hinted(news(), {ME: 0.6}), 2)
    host.advance_to(1.0)
    assert (host.delivered(), sent_events(host)) == ([news()], [])


def test_a_publisher_sends_at_once_with_the_hints_it_has_and_its_own_if_it_subscribes() -> None:
    host, hint_driven = hint_node(NEWS)
    heard_beacons(hint_driven, host, {7: 2, 8: 0})
    event = event_of(ME, published_at_s=host.now)
    hint_driven.publish(event)
    assert (host.delivered(), host.take_messages()) == ([event], [hinted(event, {ME: 0.0, 7: 0.2, 8: 0.0})])
    hint_driven.on_message(hinted(event, {7: 0.1}), 7)
    host.advance_to(host.now + 1.0)
    assert sent_events(host) == [(event.published_at_s, hinted(event, {ME: 0.0, 7: 0.2, 8: 0.0}))]


def test_a_node_with_two_matching_subscriptions_is_given_an_event_once() -> None:
    host, hint_driven = hint_node(NEWS, interest_in("."))
    for sender in (2, 3):
        hint_driven.on_message(hinted(news()), sender)
    assert host.delivered() == [news()]


# --- what peers may not do -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (hinted(event_of(9, validity_s=1.0, published_at_s=-5.0)), "expired"),
        (hinted(event_of(9, size_bytes=0)), "malformed"),
        (hinted(event_of(9, validity_s=inf)), "malformed"),
        (Message(10), "unknown-kind"),
    ],
)
def test_what_cannot_be_used_is_dropped_with_a_reason(message: Message, reason: str) -> None:
    host, hint_driven = hint_node(interest_in("."), credits=9)
    hint_driven.on_message(message, 2)
    host.advance_to(1.0)
    assert (sent_events(host), host.deliveries, host.drop_reasons()) == ([], [], [reason])


@pytest.mark.parametrize("nonsense", [-0.1, 1.1, nan, inf, -inf])
def test_a_hint_that_cannot_be_true_is_left_out_of_the_list(nonsense: float) -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(beacon(NEWS), 7)
    hint_driven.on_message(hinted(news(), {5: nonsense, 6: 0.5}), 2)
    host.advance_to(1.0)
    assert [message for _, message in sent_events(host)] == [hinted(news(), {6: 0.5, 7: 0.0})]
    assert host.drop_reasons() == ["malformed-hint"]


def test_of_a_node_that_is_listed_twice_the_lower_hint_counts() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(replace(hinted(news(), credit=1), destinations=((5, 0.4), (5, 0.2), (5, 1.0))), 2)
    host.advance_to(1.0)
    assert [message for _, message in sent_events(host)] == [hinted(news(), {5: 0.2})]


@pytest.mark.parametrize("nonsense", [-1, 256, 10**9])
def test_a_credit_that_cannot_be_true_counts_as_none(nonsense: int) -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(hinted(news(), credit=nonsense), 2)
    host.advance_to(1.0)
    assert (sent_events(host), host.drop_reasons()) == ([], ["malformed-credit", "not-nearer"])


def test_an_overlong_list_is_cut_and_a_full_one_takes_nobody_new() -> None:
    host, hint_driven = hint_node(NEWS, destinations_max=2)
    hint_driven.on_message(beacon(NEWS), 7)
    hint_driven.on_message(hinted(news(), {5: 0.1, 7: 0.2, 6: 0.0}), 2)
    host.advance_to(1.0)
    assert host.delivered() == [news()]
    assert [message for _, message in sent_events(host)] == [hinted(news(), {5: 0.1, 7: 0.0})]
    assert host.drop_reasons() == ["too-many-destinations"]


def test_memory_is_bounded_whatever_is_heard() -> None:
    host, hint_driven = hint_node(hints_max=4, pending_max=3, identifiers_max=5)
    for number in range(50):
        hint_driven.on_message(beacon(NEWS), 100 + number)
        hint_driven.on_message(hinted(news(number)), 2)
        rows = min(number + 1, 4) * (4 + 8 + NEWS.size_bytes())
        assert hint_driven.storage_bytes() == rows + 400 * min(number + 1, 3) + 16 * min(number + 1, 5)
    assert host.drop_reasons() == ["too-many-pending"] * 47


def test_an_event_that_expires_while_it_waits_is_not_sent() -> None:
    host, hint_driven = hint_node()
    hint_driven.on_message(hinted(event_of(9, validity_s=0.2), credit=1), 2)
    host.advance_to(1.0)
    assert (sent_events(host), host.drop_reasons()) == ([], ["expired"])


def test_it_says_that_it_keeps_no_events_for_those_who_come_later() -> None:
    assert not HintDriven.keeps_events
