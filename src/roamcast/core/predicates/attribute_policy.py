"""Access policies as predicates over the subscriber's attributes: ``role = "police" and rank >= 2``."""

from dataclasses import dataclass

from roamcast.core.attributes import Attributes
from roamcast.core.events import Event, EventId
from roamcast.core.policies import Policy
from roamcast.core.predicates.comparisons import TOPIC
from roamcast.core.predicates.predicate import Predicate
from roamcast.core.predicates.predicate_error import PredicateError
from roamcast.core.topics import Topic

_NOBODY = EventId(-1, 0)


@dataclass(frozen=True, slots=True)
class AttributePolicy(Policy):
    """Admits subscribers whose attributes satisfy a predicate."""

    predicate: Predicate

    def __post_init__(self) -> None:
        if any(TOPIC in conjunction.by_name for conjunction in self.predicate.alternatives):
            raise PredicateError("a policy is about subscribers, who have no topic")

    def admits(self, subscriber: Attributes) -> bool:
        """Tell whether a subscriber satisfies the predicate; an absent attribute fails every test but ``missing``."""
        return self.predicate.matches(Event(_NOBODY, Topic.root(), 0.0, 0.0, 0, subscriber))

    def __str__(self) -> str:
        return str(self.predicate)
