"""Events: what a person publishes, with a topic, attributes and a time after which it is useless."""

from dataclasses import dataclass, field
from typing import NamedTuple

from roamcast.core.attributes import NO_ATTRIBUTES, Attributes
from roamcast.core.policies import Policy
from roamcast.core.quick_init import quick_init
from roamcast.core.topics import Topic


class EventId(NamedTuple):
    """The unique identifier of an event: its publisher and the publisher's own count."""

    publisher: int
    number: int


@dataclass(frozen=True, slots=True)
class Event:
    """A published event. It never changes on its way, so its identifier is enough to hash it."""

    id: EventId
    topic: Topic = field(hash=False)
    published_at_s: float = field(hash=False)
    validity_s: float = field(hash=False)
    """How long the event is worth delivering after publication."""
    size_bytes: int = field(hash=False)
    """The size of the event on the air, including identifier, topic and attributes, as given by the workload."""
    attributes: Attributes = field(default=NO_ATTRIBUTES, hash=False)
    """The event's content besides its topic, for subscriptions by content."""
    policy: Policy | None = field(default=None, hash=False)
    """Who may receive it; None: everybody."""
    hops_max: int | None = field(default=None, hash=False)
    """A local event is for nodes at most this many hops from the publisher; None: a global event, for everybody."""

    @property
    def expires_at_s(self) -> float:
        """Return the time from which the event is not worth delivering."""
        return self.published_at_s + self.validity_s

    def is_open_to(self, subscriber: Attributes) -> bool:
        """Tell whether a subscriber with these attributes may receive the event."""
        return self.policy is None or self.policy.admits(subscriber)

    def is_valid(self, now_s: float) -> bool:
        """Tell whether the event is still worth delivering at ``now_s``."""
        return now_s < self.published_at_s + self.validity_s


quick_init(Event)
