"""The messages of BRVST. All but announcements travel as payloads of the router.

A *description* is a subscription or a publication as a manager sees it: for each attribute, its number and a range
vector (an ARV of the paper) or the leaves of TAMA's tree that its range touches.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from roamcast.core.events import Event, EventId
from roamcast.core.host import Position
from roamcast.core.messages import CarriesEvent, Message
from roamcast.matching.range_vectors import RangeVector
from roamcast.protocols.brvst.cells import Cell

REDIRECTS_MAX = 3
"""How often a message may find that another node has become the manager."""


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of TAMA's tree that a range touches, from the first to the last."""

    first: int
    last: int


Description = tuple[tuple[int, RangeVector | Leaves], ...]
"""The parts of a description, in the order of the attributes' numbers."""


@dataclass(frozen=True, slots=True)
class Announcement(Message):
    """I manage this cell; broadcast, and relayed once by each node in the cell or near it."""

    kind: ClassVar[str] = "managers"
    cell: Cell
    manager: int
    at: Position
    beat: int
    """Counts the announcements of the cell's managers, including former ones: a manager with more is senior."""
    predecessor: int | None
    """The manager whose state this one has taken over."""


@dataclass(frozen=True, slots=True)
class CellPayload(Message):
    """A message for the managers of cells."""

    kind: ClassVar[str] = "cell-payload"
    cells: tuple[Cell, ...]
    """The cells whose managers it is for: one, or the destinations of a multicast."""
    redirects: int
    """How often it reached a node that was not, or no longer, the manager."""


@dataclass(frozen=True, slots=True)
class Subscriptions(CellPayload):
    """A subscriber reports to its grid manager new and cancelled subscriptions, and its position (section IV-B1)."""

    kind: ClassVar[str] = "subscriptions"
    subscriber: int
    number: int
    """The subscriber's count of such messages."""
    at: Position
    is_whole: bool
    """Whether ``added`` holds all subscriptions; if it is empty then, the subscriber leaves."""
    added: tuple[tuple[int, Description], ...]
    removed: tuple[int, ...]
    since_s: float
    """The oldest publication that it wants from the cache, by its time in the cache."""


@dataclass(frozen=True, slots=True)
class GridSummary(CellPayload):
    """A grid manager's representative set, the GRSV of section IV-B1, and new subscriptions for the cache."""

    kind: ClassVar[str] = "grid-summaries"
    grid: Cell
    manager: int
    at: Position
    number: int
    replaces: int | None
    """The former manager, whose summary this one replaces."""
    summary: tuple[Description, ...] | None
    """None if unchanged."""
    cache_requests: tuple[Description, ...]
    """New subscriptions, for which the zone manager is to search its cache."""
    since_s: float


@dataclass(frozen=True, slots=True)
class ZoneSummary(CellPayload):
    """A zone's representative set, the ZRSV of section IV-B2, for the managers of other zones."""

    kind: ClassVar[str] = "zone-summaries"
    zone: Cell
    number: float
    """The time at which it was made, so that it rises with every summary of the zone, whoever manages it."""
    summary: tuple[Description, ...]
    since_s: float
    """When a manager last took over without a predecessor's state; the zone knows only what it learned since."""


@dataclass(frozen=True, slots=True)
class Advertisement(CellPayload):
    """A zone manager tells other zones of a publication by its P-ARVs alone (section IV-C)."""

    kind: ClassVar[str] = "advertisements"
    zone: Cell
    description: Description


@dataclass(frozen=True, slots=True)
class Publication(CarriesEvent, CellPayload):
    """A publication with its P-ARVs, on its way between managers (section IV-C)."""

    kind: ClassVar[str] = "publications"
    event: Event
    description: Description
    zone: Cell
    """The zone in which it was published."""
    manager: int | None
    """The grid manager that has matched it in the publisher's grid; None before that."""
    is_downward: bool
    """Whether it goes from a zone manager to its grid managers."""


@dataclass(frozen=True, slots=True)
class Notification(CarriesEvent, Message):
    """A publication for subscribers."""

    kind: ClassVar[str] = "notifications"
    event: Event


@dataclass(frozen=True, slots=True)
class Offer(CellPayload):
    """A manager that has left its cell looks for a successor near the centre."""

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
    """The zones to which it has been sent, and when."""


@dataclass(frozen=True, slots=True)
class OwedZones(CellPayload):
    """The zones that a zone manager's successor must tell of changes, and since when the zone knows what it does."""

    kind: ClassVar[str] = "owed-zones"
    zones: tuple[Cell, ...]
    since_s: float


@dataclass(frozen=True, slots=True)
class Notified(CellPayload):
    """The subscribers to which a grid manager has sent an event, for its successor."""

    kind: ClassVar[str] = "notified"
    event_id: EventId
    at_s: float
    """When the event last arrived."""
    nodes: tuple[int, ...]


HandOverItem = Subscriptions | Notified | GridSummary | ZoneSummary | Advertisement | OwedZones | CachedPublication
"""The messages by which a manager's state is handed over: where possible, those from which it was learned."""


@dataclass(frozen=True, slots=True)
class HandOver(Message):
    """A part of a manager's state, for its successor, as the messages from which it could be learned."""

    kind: ClassVar[str] = "hand-over"
    cell: Cell
    beat: int
    contents: tuple[HandOverItem, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the events of the publications among the contents."""
        return tuple(event for each in self.contents for event in each.events)


def batches(contents: Iterable[HandOverItem], part_bytes: int) -> Iterable[tuple[HandOverItem, ...]]:
    """Yield the contents in parts of at most ``part_bytes`` bytes, or of one message."""
    part: list[HandOverItem] = []
    size_bytes = 0
    for message in contents:
        if part and size_bytes + message.size_bytes > part_bytes:
            yield tuple(part)
            part, size_bytes = [], 0
        part.append(message)
        size_bytes += message.size_bytes
    yield tuple(part)
