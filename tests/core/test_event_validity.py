"""Events are valid from their publication until their period is over."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.events import Event, EventId
from roamcast.core.messages import Message
from roamcast.core.topics import Topic

times_s = st.floats(min_value=0, max_value=1e6)


def event(published_at_s: float = 10.0, validity_s: float = 5.0) -> Event:
    return Event(EventId(3, 1), Topic("news"), published_at_s, validity_s, 400)


def test_an_event_is_valid_until_just_before_its_period_is_over() -> None:
    assert event().expires_at_s == 15.0
    assert [event().is_valid(now_s) for now_s in (10.0, 14.999, 15.0, 16.0)] == [True, True, False, False]


@given(times_s, times_s, times_s)
def test_an_event_is_valid_exactly_before_it_expires(published_at_s: float, validity_s: float, now_s: float) -> None:
    it = event(published_at_s, validity_s)
    assert it.is_valid(now_s) == (now_s < it.expires_at_s)


@given(times_s, times_s, times_s, times_s)
def test_a_longer_validity_never_makes_an_event_expire_earlier(
    published_at_s: float, validity_s: float, more_s: float, now_s: float
) -> None:
    assert not event(published_at_s, validity_s).is_valid(now_s) or event(published_at_s, validity_s + more_s).is_valid(
        now_s
    )


def test_an_event_never_changes() -> None:
    with pytest.raises(FrozenInstanceError):
        event().validity_s = 10.0  # type: ignore[misc]


def test_an_identifier_is_a_publisher_and_its_own_count() -> None:
    assert EventId(3, 1) == (3, 1)
    assert EventId(3, 1) != EventId(1, 3)


def test_a_message_carries_no_events_unless_it_says_so() -> None:
    assert Message(50).events == ()
    assert Message(50) == Message(50) != Message(51)
