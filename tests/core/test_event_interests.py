"""Interests: the three questions, and that their answers fit together."""

from hypothesis import given
from hypothesis import strategies as st

from roamcast.core.event_interests import Interest, TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.topics import Topic

topics = st.lists(st.sampled_from(["a", "b"]), max_size=3).map(lambda parts: Topic(".".join(parts) or "."))
interests = topics.map(TopicInterest)
events = topics.map(lambda topic: Event(EventId(0, 0), topic, 0.0, 1.0, 100))


def interest(path: str) -> TopicInterest:
    return TopicInterest(Topic(path))


def event(path: str) -> Event:
    return Event(EventId(0, 0), Topic(path), 0.0, 1.0, 100)


class Everything(Interest):
    """An interest of another kind, which a topic interest knows nothing of."""

    def matches(self, event: Event) -> bool:  # noqa: ARG002
        return True

    def covers(self, other: Interest) -> bool:  # noqa: ARG002
        return True

    def overlaps(self, other: Interest) -> bool:  # noqa: ARG002
        return True


def test_a_subscriber_of_a_topic_gets_its_events_and_those_of_all_topics_below() -> None:
    assert interest("grenoble.conferences").matches(event("grenoble.conferences"))
    assert interest("grenoble.conferences").matches(event("grenoble.conferences.middleware"))
    assert not interest("grenoble.conferences").matches(event("grenoble.conferencesX"))
    assert not interest("grenoble.conferences").matches(event("grenoble"))
    assert interest(".").matches(event("anything.at.all"))


@given(interests, interests)
def test_what_covers_also_overlaps(one: TopicInterest, other: TopicInterest) -> None:
    assert not one.covers(other) or one.overlaps(other)


@given(interests, interests)
def test_overlapping_is_mutual(one: TopicInterest, other: TopicInterest) -> None:
    assert one.overlaps(other) == other.overlaps(one)


@given(interests, interests, events)
def test_who_covers_another_matches_all_that_the_other_matches(
    one: TopicInterest, other: TopicInterest, published: Event
) -> None:
    assert not (one.covers(other) and other.matches(published)) or one.matches(published)


@given(interests, interests, events)
def test_two_that_match_one_event_overlap(one: TopicInterest, other: TopicInterest, published: Event) -> None:
    assert not (one.matches(published) and other.matches(published)) or one.overlaps(other)


@given(interests, interests)
def test_two_that_overlap_have_an_event_in_common(one: TopicInterest, other: TopicInterest) -> None:
    deeper = max(one, other, key=lambda each: len(each.topic.path) if each.topic.path != "." else 0)
    shared = Event(EventId(0, 0), deeper.topic, 0.0, 1.0, 100)
    assert one.overlaps(other) == (one.matches(shared) and other.matches(shared))


def test_an_interest_of_another_kind_is_asked_itself() -> None:
    assert interest("a").overlaps(Everything())
    assert not interest("a").covers(Everything())  # not certain, so no


def test_interests_are_equal_if_their_topics_are() -> None:
    assert interest("a.b") == interest("a.b")
    assert len({interest("a.b"), interest("a.b"), interest("a")}) == 2
    assert str(interest("a.b")) == "a.b"
