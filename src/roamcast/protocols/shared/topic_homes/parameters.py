"""The parameters that several of the six systems share; ``node_homes`` and ``place_homes`` add their own."""

from dataclasses import dataclass
from typing import Annotated

from roamcast.core.parameters import DURATION_S, GREATER_THAN_ZERO, PERIOD_S, SIZE_BYTES, ParameterError


@dataclass(frozen=True, slots=True)
class HomesParameters:
    """The keys of ``[protocol]`` that all six systems share. Sections are those of the paper."""

    subscription_s: Annotated[float, PERIOD_S] = 1.0
    """How often a subscriber sends its subscriptions, in seconds; section 5."""
    timeout_s: Annotated[float, DURATION_S] = 3.5
    """How long a subscription counts after it was heard, in seconds; more than ``subscription_s``. Our choice: of
    subscriptions sent every second two in a row may be lost, and the next is heard after 3 s."""
    root_home: bool = True
    """Whether events also go to the home of the root topic, which keeps the interests that name no first segment.

    Our choice. The paper has no such interests; where there are none, false saves a message for each event.
    """
    subscriptions_max: Annotated[int, GREATER_THAN_ZERO] = 1024
    """The most subscriptions a home keeps; the one heard longest ago is replaced. Our choice."""
    identifiers_max: Annotated[int, GREATER_THAN_ZERO] = 4096
    """The most events a node remembers as delivered, and as handled in the role of a home. Our choice."""
    identifier_bytes: Annotated[int, SIZE_BYTES] = 16
    """The size of an event's identifier in memory, in bytes; the Frugal paper's."""

    def __post_init__(self) -> None:
        if self.timeout_s <= self.subscription_s:
            expected = f"must be greater than subscription_s ({self.subscription_s:g}), or every subscription times out"
            raise ParameterError("timeout_s", expected)


@dataclass(frozen=True)  # no slots: two slotted bases cannot be combined
class RendezvousKeys:
    """The keys that both kinds of rendezvous add."""

    advertisement_s: Annotated[float, PERIOD_S] = 1.0
    """How often a publisher asks for the list of subscriptions, in seconds. Our choice: as often as subscriptions are
    sent."""
    advertising_s: Annotated[float, DURATION_S] = 30.0
    """How long a publisher keeps asking after its last event on a topic, in seconds. Our choice: three of the paper's
    intervals between events."""
    waiting_max: Annotated[int, GREATER_THAN_ZERO] = 64
    """The most events that may wait for a list; the oldest is dropped. Our choice."""
    topics_max: Annotated[int, GREATER_THAN_ZERO] = 256
    """The most topics a node advertises at a time, each at its home and at the root's. Our choice."""
