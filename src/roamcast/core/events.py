"""Events: what a person publishes, with a topic and a time after which it is of no use."""

from dataclasses import dataclass
from typing import NamedTuple

from roamcast.core.topics import Topic


class EventId(NamedTuple):
    """Name an event uniquely: its publisher and the publisher's own count."""

    publisher: int
    number: int


@dataclass(frozen=True, slots=True)
class Event:
    """A published fact. It never changes on its way."""

    id: EventId
    topic: Topic
    published_at_s: float
    validity_s: float
    """The period after publication during which the event is worth delivering."""
    size_bytes: int
    """The size of the event on the air, its identifier and topic included."""

    @property
    def expires_at_s(self) -> float:
        """Return the first moment at which the event is worthless."""
        return self.published_at_s + self.validity_s

    def is_valid(self, now_s: float) -> bool:
        """Tell whether the event is still worth delivering at ``now_s``."""
        return now_s < self.published_at_s + self.validity_s
