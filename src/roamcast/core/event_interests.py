"""Interests: what a subscriber asks for.

Protocols use only the first three methods below, so that protocols that forward by topic and protocols that forward by
content can share everything else.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from roamcast.core.events import Event
from roamcast.core.topics import Topic


class Interest(ABC):
    """A predicate over events."""

    __slots__ = ()

    @abstractmethod
    def matches(self, event: Event) -> bool:
        """Tell whether the subscriber wants ``event``."""

    @abstractmethod
    def covers(self, other: "Interest") -> bool:
        """Tell whether this matches everything that ``other`` matches; false if that is not certain."""

    @abstractmethod
    def overlaps(self, other: "Interest") -> bool:
        """Tell whether some event could match both; true if that is not certain."""

    def is_within(self, topic: Topic) -> bool:  # noqa: ARG002 - the default, for interests that ignore topics
        """Tell whether all matching events have ``topic`` or a topic below it; false if that is not certain."""
        return False


@dataclass(frozen=True, slots=True)
class TopicInterest(Interest):
    """An interest in a topic and all topics below it."""

    topic: Topic

    def matches(self, event: Event) -> bool:
        """Tell whether the event's topic is this one or below it."""
        return self.topic.covers(event.topic)

    def covers(self, other: Interest) -> bool:
        """Tell whether the other matches only events of this topic and topics below it."""
        return other.is_within(self.topic)

    def overlaps(self, other: Interest) -> bool:
        """Tell whether one of the two topics is on the other's path to the root."""
        if isinstance(other, TopicInterest):
            return self.topic.covers(other.topic) or other.topic.covers(self.topic)
        return other.overlaps(self)

    def is_within(self, topic: Topic) -> bool:
        """Tell whether this topic is the given one or below it."""
        return topic.covers(self.topic)

    def __str__(self) -> str:
        return str(self.topic)
