"""The recorder: what a reception is to a node, who is counted, and since when; small cases computed by hand."""

import pytest

from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.topics import Topic
from roamcast.sim.dcf.medium import Medium
from roamcast.sim.dcf.parameters import Dcf
from roamcast.sim.energy import Energy
from roamcast.sim.facts import DeliveryFact, DropFact, Facts, PublicationFact, ReceptionFact
from roamcast.sim.radio.range import Range
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.recorder import Recorder
from roamcast.sim.trajectories import Area, Trajectories

NEWS, LOCAL = TopicInterest(Topic("news")), TopicInterest(Topic("news.local"))
STARTS_AT_S = 100.0
PUBLISHER, READER, STRANGER, LATECOMER = range(4)


def event(number: int = 0, publisher: int = PUBLISHER, topic: str = "news.local") -> Event:
    return Event(EventId(publisher, number), Topic(topic), STARTS_AT_S + 7.0, 50.0, 400)


@pytest.fixture
def recorder() -> Recorder:
    """A publisher and a reader that subscribe, a stranger and a latecomer that do not."""
    recorder = Recorder(4, STARTS_AT_S)
    recorder.subscribed(PUBLISHER, NEWS, active=True)
    recorder.subscribed(READER, LOCAL, active=True)
    recorder.subscribed(STRANGER, TopicInterest(Topic("traffic")), active=True)
    recorder.dropped(READER, "before the measurement")
    recorder.begin()
    return recorder


def facts_of(recorder: Recorder) -> Facts:
    """Return the facts, over a medium on which nothing was sent."""
    places = Trajectories.from_points([[(0.0, 0.0, 0.0)]] * 4)
    medium = Medium(places, Area(10.0, 10.0), Range(5.0).propagation(), Dcf().timing(2e6), RandomStreams(1))
    return recorder.facts(medium, [], 60.0, Energy())


def receptions(recorder: Recorder) -> dict[int, tuple[int, int, int]]:
    """Return (first, duplicates, parasites) of each node."""
    return {fact.node: (fact.first, fact.duplicates, fact.parasites) for fact in facts_of(recorder).receptions}


def test_a_publication_counts_who_asked_before_and_not_the_publisher(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event(0))
    recorder.published(STRANGER, event(0, STRANGER))
    recorder.subscribed(LATECOMER, NEWS, active=True)
    assert facts_of(recorder).publications == (
        PublicationFact(0, "news.local", PUBLISHER, 7.0, 50.0, 400, interested=1),
        PublicationFact(1, "news.local", STRANGER, 7.0, 50.0, 400, interested=2),
    )


def test_a_first_reception_is_wanted_and_new_then_duplicates_follow_and_the_rest_are_parasites(
    recorder: Recorder,
) -> None:
    recorder.published(PUBLISHER, event())
    recorder.received((event(),), [READER, STRANGER])
    recorder.received((event(),), [PUBLISHER, READER, STRANGER, LATECOMER])
    recorder.received((event(),), [READER])
    assert receptions(recorder) == {
        PUBLISHER: (0, 1, 0),  # it had the event from the start
        READER: (1, 2, 0),
        STRANGER: (0, 0, 2),
        LATECOMER: (0, 0, 1),
    }
    assert [fact.echoes for fact in facts_of(recorder).receptions if fact.node == PUBLISHER] == [1]
    assert sum(fact.echoes for fact in facts_of(recorder).receptions) == 1


def test_what_was_delivered_from_the_nodes_own_store_is_a_duplicate_when_it_comes_again(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event())
    recorder.received((event(),), [LATECOMER])
    recorder.subscribed(LATECOMER, NEWS, active=True)
    recorder.delivered(LATECOMER, event(), STARTS_AT_S + 9.0)
    recorder.received((event(),), [LATECOMER])
    assert receptions(recorder)[LATECOMER] == (0, 1, 1)


def test_a_publisher_that_does_not_ask_for_its_event_gets_it_back_as_a_parasite(recorder: Recorder) -> None:
    recorder.published(STRANGER, event(0, STRANGER))
    recorder.received((event(0, STRANGER),), [STRANGER])
    assert receptions(recorder)[STRANGER] == (0, 0, 1)


def test_a_frame_with_several_events_is_counted_event_by_event(recorder: Recorder) -> None:
    for number in range(2):
        recorder.published(PUBLISHER, event(number))
    recorder.received((event(0), event(1)), [READER, STRANGER])
    recorder.received((event(1),), [READER])
    assert receptions(recorder)[READER] == (2, 1, 0)
    assert receptions(recorder)[STRANGER] == (0, 0, 2)


def test_a_reception_is_judged_by_what_the_node_asks_for_at_that_moment(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event())
    recorder.received((event(),), [LATECOMER])
    recorder.subscribed(LATECOMER, NEWS, active=True)
    recorder.received((event(),), [LATECOMER])
    recorder.received((event(),), [LATECOMER])
    recorder.subscribed(LATECOMER, NEWS, active=False)
    recorder.received((event(),), [LATECOMER])
    assert receptions(recorder)[LATECOMER] == (1, 1, 2)


def test_who_asks_again_for_an_event_that_it_was_given_gets_a_duplicate(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event())
    recorder.received((event(),), [READER])
    recorder.delivered(READER, event(), STARTS_AT_S + 9.0)
    recorder.subscribed(READER, LOCAL, active=False)
    recorder.subscribed(READER, NEWS, active=True)
    recorder.received((event(),), [READER])
    assert receptions(recorder)[READER] == (1, 1, 0)


def test_two_interests_in_one_event_are_given_up_one_by_one(recorder: Recorder) -> None:
    recorder.subscribed(READER, NEWS, active=True)
    recorder.subscribed(READER, NEWS, active=True)  # a second time changes nothing
    recorder.published(PUBLISHER, event())
    recorder.subscribed(READER, NEWS, active=False)
    recorder.received((event(),), [READER])
    recorder.subscribed(READER, LOCAL, active=False)
    recorder.received((event(),), [READER])
    assert receptions(recorder)[READER] == (1, 0, 1)


def test_a_delivery_has_its_latency_and_is_counted_for_those_who_asked_before_publication(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event())
    recorder.subscribed(LATECOMER, NEWS, active=True)
    for node, at_s in ((PUBLISHER, 7.0), (READER, 9.5), (LATECOMER, 20.0)):
        recorder.delivered(node, event(), STARTS_AT_S + at_s)
    assert facts_of(recorder).deliveries == (
        DeliveryFact(0, PUBLISHER, 0.0, counted=False),
        DeliveryFact(0, READER, 2.5, counted=True),
        DeliveryFact(0, LATECOMER, 13.0, counted=False),
    )


def test_a_second_delivery_and_that_of_a_forgery_are_faults_and_not_deliveries(recorder: Recorder) -> None:
    recorder.published(PUBLISHER, event())
    for _ in range(3):
        recorder.delivered(READER, event(), STARTS_AT_S + 8.0)
    recorder.delivered(READER, event(99), STARTS_AT_S + 8.0)
    facts = facts_of(recorder)
    assert len(facts.deliveries) == 1
    assert facts.drops == (DropFact(READER, "delivered-twice", 2), DropFact(READER, "delivered-unpublished", 1))


def test_the_reception_of_a_forgery_is_not_counted(recorder: Recorder) -> None:
    recorder.received((event(99),), [READER, STRANGER])
    assert facts_of(recorder).receptions == tuple(ReceptionFact(node, 0, 0, 0, 0) for node in range(4))


def test_drops_are_counted_by_node_and_reason_in_order(recorder: Recorder) -> None:
    for node, reason in ((2, "parasite"), (1, "parasite"), (2, "expired"), (2, "parasite")):
        recorder.dropped(node, reason)
    assert facts_of(recorder).drops == (
        DropFact(1, "parasite", 1),
        DropFact(2, "expired", 1),
        DropFact(2, "parasite", 2),
    )


def test_storage_is_kept_as_a_mean_and_a_peak(recorder: Recorder) -> None:
    for sizes_bytes in ([0, 100, 5, 0], [10, 50, 5, 0], [20, 0, 5, 0]):
        recorder.stored(sizes_bytes)
    stored = [(fact.storage_bytes_mean, fact.storage_bytes_max) for fact in facts_of(recorder).node_facts]
    assert stored == [(10.0, 20), (50.0, 100), (5.0, 5), (0.0, 0)]


def test_the_digest_is_of_everything_that_was_recorded(recorder: Recorder) -> None:
    digests = {facts_of(recorder).digest()}
    recorder.published(PUBLISHER, event())
    digests.add(facts_of(recorder).digest())
    recorder.received((event(),), [READER])
    digests.add(facts_of(recorder).digest())
    recorder.delivered(READER, event(), STARTS_AT_S + 8.0)
    digests.add(facts_of(recorder).digest())
    recorder.dropped(READER, "parasite")
    digests.add(facts_of(recorder).digest())
    assert len(digests) == 5
    assert facts_of(recorder).digest() in digests
