"""Interests: what a subscriber asks for.

A protocol asks an interest only the first three questions below, so that one that forwards by topics and one that
forwards by content can share everything else.
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
        """Tell whether everything that ``other`` matches is matched; false where that is not certain."""

    @abstractmethod
    def overlaps(self, other: "Interest") -> bool:
        """Tell whether some event could match both; true where that is not certain."""

    def is_within(self, topic: Topic) -> bool:  # noqa: ARG002 - for those who know nothing of topics
        """Tell whether everything that is matched is of ``topic`` or below it; false where that is not certain."""
        return False


@dataclass(frozen=True, slots=True)
class TopicInterest(Interest):
    """Ask for a topic and all topics below it."""

    topic: Topic

    def matches(self, event: Event) -> bool:
        """Tell whether the event's topic is this one or below it."""
        return self.topic.covers(event.topic)

    def covers(self, other: Interest) -> bool:
        """Tell whether the other asks for this topic, topics below it, or only some of their events."""
        return other.is_within(self.topic)

    def overlaps(self, other: Interest) -> bool:
        """Tell whether one of the two topics stands on the other's path to the root."""
        if isinstance(other, TopicInterest):
            return self.topic.covers(other.topic) or other.topic.covers(self.topic)
        return other.overlaps(self)

    def is_within(self, topic: Topic) -> bool:
        """Tell whether this topic is the given one or below it."""
        return topic.covers(self.topic)

    def __str__(self) -> str:
        return str(self.topic)
