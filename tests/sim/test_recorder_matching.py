"""The recorder on matching in both directions, on brokers and on false positives; small cases computed by hand."""

from dataclasses import dataclass, replace

import pytest
from test_recorder import LATECOMER, NEWS, PUBLISHER, READER, STARTS_AT_S, STRANGER, event, facts_of

from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.topics import Topic
from roamcast.sim.facts import BrokerFact, DropFact, FalsePositiveFact, FirstMatchFact, SubscriptionFact
from roamcast.sim.recorder import ENDED_S, Recorder

NOW_S = STARTS_AT_S + 10.0
TRAFFIC = TopicInterest(Topic("traffic"))


@pytest.fixture
def recorder() -> Recorder:
    recorder = Recorder(4, STARTS_AT_S)
    recorder.subscribed(READER, NEWS, active=True, now_s=0.0)
    recorder.begin()
    return recorder


def test_who_asked_before_the_measurement_is_no_new_subscription(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.delivered(READER, event(0), NOW_S)
    assert facts_of(recorder).subscriptions == ()


def test_an_event_waits_for_who_asks_while_it_is_valid(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    recorder.delivered(LATECOMER, event(0), NOW_S + 2.0)
    assert facts_of(recorder).subscriptions == (SubscriptionFact(LATECOMER, 10.0, 1, 1, 1, 2.0),)


def test_nothing_waits_that_is_over_unwanted_local_or_ones_own(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, replace(event(0), validity_s=2.0))
    recorder.published(PUBLISHER, event(1, topic="traffic"))
    recorder.published(PUBLISHER, replace(event(2), hops_max=3))
    recorder.published(LATECOMER, event(0, LATECOMER))
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    assert facts_of(recorder).subscriptions == (SubscriptionFact(LATECOMER, 10.0, 0, 0, 0, 0.0),)


def test_an_event_does_not_wait_for_who_has_had_it_and_asks_again(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    recorder.delivered(LATECOMER, event(0), NOW_S)
    recorder.subscribed(LATECOMER, NEWS, active=False, now_s=NOW_S + 1)
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S + 2)
    assert [each.waiting for each in facts_of(recorder).subscriptions] == [1, 0]


def test_an_event_waits_once_for_a_node_that_asks_twice(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    recorder.subscribed(LATECOMER, TopicInterest(Topic("news.local")), active=True, now_s=NOW_S + 1)
    recorder.subscribed(READER, TopicInterest(Topic("news.local")), active=True, now_s=NOW_S + 1)
    assert [each.waiting for each in facts_of(recorder).subscriptions] == [1, 0, 0]


def test_the_first_match_is_what_a_subscription_waits_for(recorder: Recorder) -> None:
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    recorder.subscribed(LATECOMER, TRAFFIC, active=True, now_s=NOW_S)
    for number, after_s in enumerate((3.0, 5.0)):
        recorder.published(PUBLISHER, event(number))
        recorder.delivered(LATECOMER, event(number), NOW_S + after_s)
    news, traffic = facts_of(recorder).subscriptions
    assert (news.matches, news.matched_after_s, news.waiting_delivered) == (2, 3.0, 0)
    assert traffic.matches == 0


def test_what_comes_late_or_after_the_end_or_from_oneself_is_no_match(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.published(PUBLISHER, event(1))
    recorder.published(STRANGER, event(0, STRANGER))
    recorder.subscribed(STRANGER, NEWS, active=True, now_s=NOW_S)
    recorder.delivered(STRANGER, event(0, STRANGER), NOW_S)
    recorder.delivered(STRANGER, event(0), STARTS_AT_S + 57.0)
    recorder.subscribed(STRANGER, NEWS, active=False, now_s=NOW_S)
    recorder.delivered(STRANGER, event(1), NOW_S)
    assert facts_of(recorder).subscriptions == (SubscriptionFact(STRANGER, 10.0, 2, 1, 0, 0.0),)


def test_a_broker_s_storage_is_counted_for_the_moments_at_which_it_is_one(recorder: Recorder) -> None:
    recorder.stored([10, 20, 30, 40], [READER])
    recorder.stored([10, 60, 30, 40], [READER, STRANGER])
    recorder.stored([10, 20, 30, 40], [])
    recorder.stored([10, 20, 30, 40])
    assert facts_of(recorder).brokers == (BrokerFact(READER, 0.5, 20.0), BrokerFact(STRANGER, 0.25, 7.5))


@dataclass(frozen=True, slots=True)
class Carrier(CarriesEvent, Message):
    """A message with an event."""

    event: Event


def test_false_positives_are_drops_with_a_size(recorder: Recorder) -> None:
    for size_bytes in (100, 300):
        recorder.dropped(READER, "false-positive", Message(size_bytes))
    recorder.dropped(READER, "false-positive-broker", Message(50))
    recorder.dropped(READER, "expired", Message(70))
    facts = facts_of(recorder)
    assert facts.false_positives == (
        FalsePositiveFact(READER, "false-positive", 2, 400),
        FalsePositiveFact(READER, "false-positive-broker", 1, 50),
    )
    assert DropFact(READER, "expired", 1) in facts.drops


def test_what_a_subscriber_asked_for_until_a_moment_ago_is_counted_apart(recorder: Recorder) -> None:
    recorder.subscribed(READER, TRAFFIC, active=True, now_s=NOW_S)
    recorder.subscribed(READER, TRAFFIC, active=False, now_s=NOW_S)
    wanted, unwanted = Carrier(200, event(0, topic="traffic")), Carrier(300, event(1, topic="sport"))
    recorder.dropped(READER, "false-positive", wanted, NOW_S + ENDED_S - 1.0)
    recorder.dropped(READER, "false-positive", wanted, NOW_S + ENDED_S + 1.0)
    recorder.dropped(READER, "false-positive", unwanted, NOW_S + 1.0)
    recorder.dropped(STRANGER, "false-positive", wanted, NOW_S + 1.0)
    recorder.dropped(READER, "false-positive-broker", wanted, NOW_S + 1.0)
    facts = facts_of(recorder)
    assert facts.false_positives == (
        FalsePositiveFact(READER, "false-positive", 2, 500),
        FalsePositiveFact(READER, "false-positive-broker", 1, 200),
        FalsePositiveFact(READER, "false-positive-ended", 1, 200),
        FalsePositiveFact(STRANGER, "false-positive", 1, 200),
    )
    assert DropFact(READER, "false-positive", 3) in facts.drops  # the protocol knows no difference


def test_a_publication_has_a_counterpart_from_the_first_subscription_on(recorder: Recorder) -> None:
    events = [event(number, topic=topic) for number, topic in enumerate(("news", "traffic", "sport"))]
    for each in events:
        recorder.published(PUBLISHER, each)
    recorder.subscribed(PUBLISHER, TRAFFIC, active=True, now_s=NOW_S)  # one's own is none
    recorder.subscribed(STRANGER, TRAFFIC, active=True, now_s=NOW_S + 1.0)
    recorder.subscribed(LATECOMER, TRAFFIC, active=True, now_s=NOW_S + 2.0)
    recorder.delivered(PUBLISHER, events[1], NOW_S)
    recorder.delivered(LATECOMER, events[1], NOW_S + 4.0)
    recorder.delivered(STRANGER, events[1], NOW_S + 5.0)
    published_at_s = events[0].published_at_s
    assert [each for each in facts_of(recorder).first_matches if each.is_publication] == [
        FirstMatchFact(True, 0, 0.0, False, 0.0),
        FirstMatchFact(True, 1, NOW_S + 1.0 - published_at_s, True, NOW_S + 4.0 - published_at_s),
    ]  # and nobody ever asked for sport


def test_a_subscription_has_a_counterpart_when_an_event_waits_or_else_from_the_first_publication_on(
    recorder: Recorder,
) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    recorder.subscribed(LATECOMER, TRAFFIC, active=True, now_s=NOW_S)
    recorder.subscribed(STRANGER, TopicInterest(Topic("sport")), active=True, now_s=NOW_S)
    own = replace(event(0, LATECOMER, "traffic"), published_at_s=NOW_S + 1.0)
    traffic = [replace(event(number, topic="traffic"), published_at_s=NOW_S + number) for number in (2, 3)]
    for each in (own, *traffic):
        recorder.published(each.id.publisher, each)
    recorder.delivered(LATECOMER, event(0), NOW_S + 0.5)
    recorder.delivered(LATECOMER, traffic[1], NOW_S + 4.0)
    assert [each for each in facts_of(recorder).first_matches if not each.is_publication] == [
        FirstMatchFact(False, 0, 0.0, True, 0.5),
        FirstMatchFact(False, 1, 2.0, True, 4.0),
    ]  # sport was never published


def test_an_event_asked_for_before_that_comes_late_matches_no_new_subscription(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.subscribed(READER, TopicInterest(Topic("news.local")), active=True, now_s=NOW_S)
    later = replace(event(1), published_at_s=NOW_S + 3.0)
    recorder.published(PUBLISHER, later)
    recorder.delivered(READER, event(0), NOW_S + 1.0)
    recorder.delivered(READER, later, NOW_S + 5.0)
    facts = facts_of(recorder)
    assert facts.subscriptions[0].matched_after_s == 1.0
    assert facts.first_matches[-1] == FirstMatchFact(False, 0, 3.0, True, 5.0)


def test_a_subscription_that_ended_finds_no_counterpart_and_a_match_after_the_validity_is_none(
    recorder: Recorder,
) -> None:
    recorder.subscribed(STRANGER, TRAFFIC, active=True, now_s=NOW_S)
    recorder.subscribed(STRANGER, TRAFFIC, active=False, now_s=NOW_S + 1.0)
    recorder.published(PUBLISHER, replace(event(0, topic="traffic"), published_at_s=NOW_S + 2.0))
    recorder.published(PUBLISHER, event(1))
    recorder.delivered(READER, event(1), STARTS_AT_S + 58.0)
    assert facts_of(recorder).first_matches == (FirstMatchFact(True, 1, 0.0, False, 0.0),)


def test_a_run_without_such_facts_keeps_its_fingerprint_and_one_with_them_has_another(recorder: Recorder) -> None:
    before = facts_of(recorder)
    assert replace(before, brokers=(BrokerFact(1, 1.0, 1.0),)).digest() != before.digest()
    assert replace(before, subscriptions=(SubscriptionFact(1, 0.0, 0, 0, 0, 0.0),)).digest() != before.digest()


def test_an_event_from_before_the_measurement_has_no_row_and_waits_for_who_asks_in_it() -> None:
    recorder = Recorder(4, STARTS_AT_S)
    recorder.subscribed(READER, NEWS, active=True, now_s=0.0)
    earlier, own = replace(event(0), published_at_s=STARTS_AT_S - 20.0), event(0, STRANGER)
    recorder.published(PUBLISHER, earlier)
    recorder.received((earlier,), [READER, STRANGER])
    recorder.delivered(READER, earlier, STARTS_AT_S - 19.0)
    recorder.begin()
    recorder.published(STRANGER, own)
    recorder.received((earlier,), [READER])
    recorder.subscribed(LATECOMER, NEWS, active=True, now_s=NOW_S)
    for each in (earlier, own):
        recorder.delivered(LATECOMER, each, NOW_S + 2.0)
    facts = facts_of(recorder)
    assert [(each.event, each.publisher) for each in facts.publications] == [(0, STRANGER)]
    assert [(each.event, each.node) for each in facts.deliveries] == [(0, LATECOMER)]
    assert facts.subscriptions == (SubscriptionFact(LATECOMER, 10.0, 2, 2, 2, 2.0),)
    assert [(each.first, each.duplicates, each.parasites) for each in facts.receptions] == [
        (0, 0, 0),
        (0, 1, 0),
        (0, 0, 0),
        (0, 0, 0),
    ]
