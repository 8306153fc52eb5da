"""What nodes of BRVST say to each other. All but announcements travel as payloads of the router.

A *description* is a subscription or a publication as a manager sees it: for each attribute its number and a range
vector (an ARV of the paper), or the leaves of TAMA's tree that its range touches.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.matching.range_vectors import RangeVector
from roamcast.protocols.brvst.cells import Cell

REDIRECTS_MAX = 3
"""How often a message may find that the manager is another one by now."""


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of TAMA's tree that a range touches, from the first to the last."""

    first: int
    last: int


Description = tuple[tuple[int, RangeVector | Leaves], ...]
"""In the order of the attributes' numbers."""


@dataclass(frozen=True, slots=True)
class Announcement(Message):
    """I manage this cell; broadcast, and relayed once by who is in the cell or near it."""

    kind: ClassVar[str] = "managers"
    cell: Cell
    manager: int
    at: Position
    beat: int
    """Counts the announcements of the office, those of former managers included: who has more is senior."""
    predecessor: int | None
    """From whom this manager has taken over what that one knew."""


@dataclass(frozen=True, slots=True)
class CellPayload(Message):
    """What is said to the managers of cells."""

    kind: ClassVar[str] = "cell-payload"
    cells: tuple[Cell, ...]
    """Whose managers it is for: one, or the destinations of a multicast."""
    redirects: int
    """How often it came to a node that was not, or no longer, the manager."""


@dataclass(frozen=True, slots=True)
class Subscriptions(CellPayload):
    """A subscriber tells its grid manager what it asks for, or asks for no more, and where it is (section IV-B1)."""

    kind: ClassVar[str] = "subscriptions"
    subscriber: int
    number: int
    """The subscriber's count of such messages."""
    at: Position
    is_whole: bool
    """What is added is all that it asks for; nothing: it leaves."""
    added: tuple[tuple[int, Description], ...]
    removed: tuple[int, ...]
    since_s: float
    """It wants publications from the cache that are not older than this."""


@dataclass(frozen=True, slots=True)
class GridSummary(CellPayload):
    """A grid manager's representative set, the GRSV of section IV-B1; and what is newly asked for, for the cache."""

    kind: ClassVar[str] = "grid-summaries"
    grid: Cell
    manager: int
    at: Position
    number: int
    replaces: int | None
    """The former manager, whose summary this one takes the place of."""
    summary: tuple[Description, ...] | None
    """None: it is unchanged."""
    asked: tuple[Description, ...]
    since_s: float


@dataclass(frozen=True, slots=True)
class ZoneSummary(CellPayload):
    """A zone's representative set, the ZRSV of section IV-B2, for the managers of other zones."""

    kind: ClassVar[str] = "zone-summaries"
    zone: Cell
    number: float
    """Rises with every summary of the zone, whoever manages it: the time at which it was made."""
    summary: tuple[Description, ...]
    since_s: float
    """Since when its managers know what they do: then one took the office without a predecessor's knowledge."""


@dataclass(frozen=True, slots=True)
class Advertisement(CellPayload):
    """A zone manager tells other zones of a publication by its P-ARVs alone (section IV-C)."""

    kind: ClassVar[str] = "advertisements"
    zone: Cell
    described: Description


@dataclass(frozen=True, slots=True)
class Publication(CellPayload):
    """A publication with its P-ARVs, on its way between managers (section IV-C)."""

    kind: ClassVar[str] = "publications"
    event: Event
    described: Description
    zone: Cell
    """Where it was published."""
    manager: int | None
    """The grid manager who has matched it in the publisher's grid; None before that."""
    is_downward: bool
    """From a zone manager to its grid managers."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


@dataclass(frozen=True, slots=True)
class Notification(Message):
    """A publication for subscribers."""

    kind: ClassVar[str] = "notifications"
    event: Event

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the one event."""
        return (self.event,)


@dataclass(frozen=True, slots=True)
class Offer(CellPayload):
    """A manager who has left its cell looks for a successor near the centre."""

    kind: ClassVar[str] = "hand-over-offers"
    at: Position


@dataclass(frozen=True, slots=True)
class Acceptance(Message):
    """I will manage this cell."""

    kind: ClassVar[str] = "hand-over-acceptances"
    cell: Cell
    at: Position


@dataclass(frozen=True, slots=True)
class CachedPublication(Publication):
    """A publication in the cache of a zone manager, for its successor."""

    kind: ClassVar[str] = "cached-publications"
    cached_at_s: float
    hits: int
    sent: tuple[tuple[Cell, float], ...]
    """The zones that have been sent it, and when."""


@dataclass(frozen=True, slots=True)
class OwedZones(CellPayload):
    """The zones that a zone manager's successor is to tell of changes, and since when the zone knows what it does."""

    kind: ClassVar[str] = "owed-zones"
    zones: tuple[Cell, ...]
    since_s: float


@dataclass(frozen=True, slots=True)
class Notified(CellPayload):
    """The subscribers to whom a grid manager has sent an event, for its successor."""

    kind: ClassVar[str] = "notified"
    event_id: EventId
    at_s: float
    """When the event came for the last time."""
    nodes: tuple[int, ...]


Known = Subscriptions | Notified | GridSummary | ZoneSummary | Advertisement | OwedZones | CachedPublication
"""What a manager hands over: the messages by which it learnt it where there are such, but for the last ones."""


@dataclass(frozen=True, slots=True)
class HandOver(Message):
    """A part of what a manager knows, for its successor, as the messages by which it could be learnt."""

    kind: ClassVar[str] = "hand-over"
    cell: Cell
    beat: int
    contents: tuple[Known, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the events of the publications among them."""
        return tuple(event for each in self.contents for event in each.events)


def batches(contents: Iterable[Known], part_bytes: int) -> Iterable[tuple[Known, ...]]:
    """Yield the contents in parts of at most so many bytes, or of one message."""
    part: list[Known] = []
    size_bytes = 0
    for each in contents:
        if part and size_bytes + each.size_bytes > part_bytes:
            yield tuple(part)
            part, size_bytes = [], 0
        part.append(each)
        size_bytes += each.size_bytes
    yield tuple(part)
