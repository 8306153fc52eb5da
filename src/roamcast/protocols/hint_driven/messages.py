"""The messages of hint-driven routing: beacons, and events with their destinations."""

from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event
from roamcast.core.messages import CarriesEvent, Message
from roamcast.core.predicates import Predicate

CREDITS_MAX = 255
"""The most credits that a message may have: what a byte holds. More can only be a peer's nonsense."""


@dataclass(frozen=True, slots=True)
class Beacon(Message):
    """I am here, and this predicate covers my subscriptions."""

    kind: ClassVar[str] = "beacon"
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class HintedEvent(CarriesEvent, Message):
    """Here is an event, and these are the nodes known to want it."""

    kind: ClassVar[str] = "events"
    event: Event
    destinations: tuple[tuple[int, float], ...]
    """Nodes, each once, with the lowest hint among the nodes that forwarded the event."""
    credit: int
