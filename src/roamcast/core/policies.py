"""Access policies: who may have an event, by what is known of the subscriber (broker and rendezvous paper, section 2).

An event is for a node only if its topic, its content and its policy all say so. The policy travels with the event and
is asked where the paper's system decides, at the broker or at the publisher; a host asks it once more, before anything
reaches the application, so that it holds whichever protocol runs.
"""

from abc import ABC, abstractmethod

from roamcast.core.attributes import Attributes


class Policy(ABC):
    """A condition on the attributes of a subscriber."""

    __slots__ = ()

    @abstractmethod
    def admits(self, subscriber: Attributes) -> bool:
        """Tell whether someone of whom this is known may have the event."""
