"""Subscriptions at homes and publishers: soft state that times out, is bounded, and decides who gets what."""

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.predicates import AttributePolicy, parse
from roamcast.core.topics import Topic
from roamcast.protocols.shared.topic_homes.messages import Subscribe, is_sound_subscription, subscription_bytes
from roamcast.protocols.shared.topic_homes.subscription_table import SubscriptionTable

NEWS = TopicInterest(Topic("news"))
PLACE = Position(10.0, 20.0)


def said(
    subscriber: int,
    number: int = 1,
    interest: Interest = NEWS,
    attributes: Attributes = NO_ATTRIBUTES,
    at: Position | None = None,
    home: int = 0,
) -> Subscribe:
    size_bytes = subscription_bytes((interest,), attributes, at)
    return Subscribe(size_bytes, home, subscriber, number, (interest,), attributes, at)


def news(policy: str | None = None, severity: int = 1) -> Event:
    admitted = None if policy is None else AttributePolicy(parse(policy))
    return Event(EventId(9, 1), Topic("news.local"), 0.0, 60.0, 400, Attributes({"severity": severity}), admitted)


def test_who_is_silent_for_too_long_is_forgotten() -> None:
    table = SubscriptionTable(keep_s=3.5, count_max=10)
    table.add(said(1), 0.0, 0.0)
    table.add(said(2), 2.0, 2.0)
    assert list(table.subscribers_of(news(), 3.4)) == [1, 2]
    assert list(table.subscribers_of(news(), 3.5)) == [2]
    assert list(table.subscribers_of(news(), 5.6)) == []
    assert table.size_bytes(5.6) == 0


def test_the_latest_word_counts_whatever_comes_late() -> None:
    table = SubscriptionTable(3.5, 10)
    table.add(said(1, number=2, at=PLACE), 1.0, 1.0)
    table.add(said(1, number=1, at=Position(0.0, 0.0)), 1.5, 1.5)
    assert table.subscribers_of(news(), 2.0) == {1: PLACE}
    table.add(said(1, number=3, at=Position(5.0, 5.0)), 2.0, 2.0)
    assert table.subscribers_of(news(), 2.0) == {1: (5.0, 5.0)}


def test_a_subscriber_that_begins_to_count_anew_is_heard_after_the_time_out() -> None:
    table = SubscriptionTable(3.5, 10)
    table.add(said(1, number=100), 0.0, 0.0)
    table.add(said(1, number=1, at=PLACE), 3.6, 3.6)
    assert table.subscribers_of(news(), 3.7) == {1: PLACE}


def test_what_is_listed_with_its_age_times_out_by_when_it_was_said() -> None:
    table = SubscriptionTable(3.5, 10)
    table.add(said(1), heard_at_s=-3.0, now_s=0.0)
    table.add(said(2), heard_at_s=-3.6, now_s=0.0)
    assert list(table.subscribers_of(news(), 0.4)) == [1]
    assert list(table.subscribers_of(news(), 0.6)) == []


def test_a_full_table_forgets_the_one_said_longest_ago() -> None:
    table = SubscriptionTable(3.5, 2)
    for subscriber in (1, 2, 3):
        table.add(said(subscriber), subscriber / 10, subscriber / 10)
    assert list(table.subscribers_of(news(), 1.0)) == [2, 3]


def test_one_subscriber_at_two_homes_gets_an_event_once_where_it_was_last() -> None:
    table = SubscriptionTable(3.5, 10)
    table.add(said(1, number=2, home=4, at=PLACE), 1.0, 1.0)
    table.add(said(1, number=1, home=5, at=Position(0.0, 0.0)), 0.5, 0.5)
    assert table.subscribers_of(news(), 1.1) == {1: PLACE}


def test_topic_filter_and_policy_must_all_hold() -> None:
    table = SubscriptionTable(3.5, 10)
    police = Attributes({"role": "police"})
    table.add(said(1, attributes=police), 0.0, 0.0)
    table.add(said(2), 0.0, 0.0)
    table.add(said(3, interest=TopicInterest(Topic("other")), attributes=police), 0.0, 0.0)
    table.add(said(4, interest=parse('topic = "news" and severity >= 3'), attributes=police), 0.0, 0.0)
    assert list(table.subscribers_of(news(), 1.0)) == [1, 2]
    assert list(table.subscribers_of(news('role = "police"'), 1.0)) == [1]
    assert list(table.subscribers_of(news('role = "police"', severity=3), 1.0)) == [1, 4]
    assert list(table.subscribers_of(news('role = "medic"', severity=3), 1.0)) == []


def test_a_subscription_has_the_size_of_what_it_says() -> None:
    alone = said(1).size_bytes
    assert alone == 4 + 4 + 1 + len("news")
    assert said(1, at=PLACE).size_bytes == alone + 8
    assert said(1, attributes=Attributes({"rank": 2})).size_bytes == alone + len("rank") + 2 + 8
    assert said(1, attributes=Attributes({"role": "é"})).size_bytes == alone + len("role") + 2 + 2 + 2


def test_parts_of_one_subscription_stand_beside_each_other() -> None:
    table = SubscriptionTable(3.5, 10)
    other = TopicInterest(Topic("other"))
    table.add(Subscribe(20, 0, 1, 1, (other,), NO_ATTRIBUTES, None, 0), 0.0, 0.0)
    table.add(Subscribe(20, 0, 1, 2, (NEWS,), NO_ATTRIBUTES, PLACE, 1), 0.0, 0.0)
    assert table.subscribers_of(news(), 1.0) == {1: PLACE}
    assert len(list(table.fresh(1.0))) == 2
    assert not is_sound_subscription(Subscribe(20, 0, 1, 1, (NEWS,), NO_ATTRIBUTES, None, 64))


def test_nonsense_is_not_sound() -> None:
    assert is_sound_subscription(said(1, at=PLACE))
    nan = float("nan")
    for at in (Position(nan, 0.0), Position(0.0, float("inf")), Position(1e300, 0.0)):
        assert not is_sound_subscription(said(1, at=at))
    assert not is_sound_subscription(said(1, number=-1))
    assert not is_sound_subscription(Subscribe(0, 0, 1, 1, (NEWS,), NO_ATTRIBUTES, None))
    assert not is_sound_subscription(Subscribe(400, 0, 1, 1, (NEWS,) * 257, NO_ATTRIBUTES, None))
