"""Events: what a person publishes, with a topic, attributes and a time after which it is of no use."""

from dataclasses import dataclass, field
from typing import NamedTuple

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.policies import Policy
from roamcast.core.topics import Topic


class EventId(NamedTuple):
    """Name an event uniquely: its publisher and the publisher's own count."""

    publisher: int
    number: int


@dataclass(frozen=True, slots=True)
class Event:
    """A published fact. It never changes on its way, so its identifier is enough to hash it by."""

    id: EventId
    topic: Topic = field(hash=False)
    published_at_s: float = field(hash=False)
    validity_s: float = field(hash=False)
    """The period after publication during which the event is worth delivering."""
    size_bytes: int = field(hash=False)
    """The size of the event on the air, its identifier, topic and attributes included: what the workload says."""
    attributes: Attributes = field(default=NO_ATTRIBUTES, hash=False)
    """What the event says beside its topic, for those who ask by content."""
    policy: Policy | None = field(default=None, hash=False)
    """Who may have it; None: everybody."""
    hops_max: int | None = field(default=None, hash=False)
    """A local event is for those who are at most so many hops from the publisher; None: a global one, for everybody."""

    @property
    def expires_at_s(self) -> float:
        """Return the first moment at which the event is worthless."""
        return self.published_at_s + self.validity_s

    def is_open_to(self, subscriber: Attributes) -> bool:
        """Tell whether someone of whom this is known may have the event."""
        return self.policy is None or self.policy.admits(subscriber)

    def is_valid(self, now_s: float) -> bool:
        """Tell whether the event is still worth delivering at ``now_s``."""
        return now_s < self.published_at_s + self.validity_s
