"""Short ways to write an event and an interest in a test."""

from roamcast.core.event_interests import TopicInterest
from roamcast.core.events import Event, EventId
from roamcast.core.topics import Topic


def interest_in(topic: str) -> TopicInterest:
    """Return an interest in a topic and in every topic below it."""
    return TopicInterest(Topic(topic))


def event_of(
    publisher: int,
    number: int = 0,
    topic: str = "news",
    *,
    published_at_s: float = 0.0,
    validity_s: float = 100.0,
    size_bytes: int = 400,
) -> Event:
    """Return an event: unless told otherwise, 400 bytes on the topic ``news``, valid for 100 s."""
    return Event(EventId(publisher, number), Topic(topic), published_at_s, validity_s, size_bytes)
