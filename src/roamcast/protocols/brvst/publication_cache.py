"""The publications that a zone manager caches for a while (BRVST, section IV-D); the least-hit one is removed first."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from roamcast.core.events import EventId
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.messages import Publication


@dataclass(slots=True)
class Cached:
    """A publication, and what has become of it."""

    message: Publication
    cached_at_s: float
    hits: int = 0
    """How many grids and zones it has matched."""
    sent: dict[Cell, float] = field(default_factory=dict)
    """The zones to which it has been sent, and when."""


class PublicationCache:
    """At most ``count_max`` publications; when full, it replaces the one with the fewest hits, then the oldest."""

    def __init__(self, count_max: int, keep_s: float) -> None:
        self._count_max = count_max
        self._keep_s = keep_s
        self._cached: dict[EventId, Cached] = {}

    def __contains__(self, event_id: EventId) -> bool:
        return event_id in self._cached

    def __len__(self) -> int:
        return len(self._cached)

    def add(self, message: Publication, now_s: float) -> Cached:
        """Cache a publication."""
        cached = Cached(message, now_s)
        self.keep(cached, now_s)
        return cached

    def keep(self, cached: Cached, now_s: float) -> None:
        """Store a publication that another manager may have cached before."""
        self.forget_old(now_s)
        if len(self._cached) >= self._count_max:
            del self._cached[min(self._cached, key=self._worth)]
        self._cached[cached.message.event.id] = cached

    def _worth(self, event_id: EventId) -> tuple[int, float]:
        return self._cached[event_id].hits, self._cached[event_id].cached_at_s

    def valid(self, now_s: float) -> Iterator[Cached]:
        """Return the publications still worth delivering, the oldest first."""
        self.forget_old(now_s)
        return iter(tuple(self._cached.values()))

    def forget_old(self, now_s: float) -> None:
        """Remove publications that were cached for too long or have expired."""
        old = [event_id for event_id, cached in self._cached.items() if not self._is_good(cached, now_s)]
        for event_id in old:
            del self._cached[event_id]

    def _is_good(self, cached: Cached, now_s: float) -> bool:
        return now_s < cached.cached_at_s + self._keep_s and cached.message.event.is_valid(now_s)
