"""Access policies: who may receive an event, by attributes of the subscriber (broker and rendezvous paper, section 2).

An event is for a node only if its topic, its content and its policy all admit it. The policy travels with the event and
is applied where the paper's system decides, at the broker or at the publisher; a host applies it once more before an
event reaches the application, so that it holds whichever protocol runs.
"""

from abc import ABC, abstractmethod

from roamcast.core.attributes import Attributes


class Policy(ABC):
    """A condition on the attributes of a subscriber."""

    __slots__ = ()

    @abstractmethod
    def admits(self, subscriber: Attributes) -> bool:
        """Tell whether a subscriber with these attributes may receive the event."""
