"""The zone manager: what the grids and other zones ask for, and the publications that it caches and brings to them.

Sections IV-B2 (SOF and ZRSV), IV-C (matching in the zone and across zones) and IV-D (cache, in both directions) of the
paper; ``_brvst_zone_publications`` has the latter two.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.protocols._brvst_cache import PublicationCache
from roamcast.protocols._brvst_cells import Cell
from roamcast.protocols._brvst_grid import KEEP_FACTOR
from roamcast.protocols._brvst_messages import (
    EVENT_ID_BYTES,
    NODE_BYTES,
    POSITION_BYTES,
    TIME_BYTES,
    Description,
    GridSummary,
    Publication,
    ZoneSummary,
)
from roamcast.protocols._brvst_node import PAYLOAD_BYTES, Node
from roamcast.protocols._brvst_reports import NEVER_S, SUMMARY_BYTES
from roamcast.protocols._brvst_tables import table_of

SPREAD = "brvst-spread"
ZONE_SUMMARY_BYTES = 2 * PAYLOAD_BYTES + TIME_BYTES


@dataclass(slots=True)
class GridRow:
    """A grid manager, and what it has said: a row of the SOF (figure 5)."""

    grid: Cell
    at: Position
    number: int
    heard_at_s: float
    summary: frozenset[Description] = frozenset()


@dataclass(slots=True)
class ZoneRow:
    """What another zone asks for: its ZRSV."""

    number: float
    summary: tuple[Description, ...]
    used_at_s: float
    """When it was new, or matched a publication for the last time."""


class ZoneManager:
    """What a node knows and does as the manager of a zone, but for publications."""

    def __init__(self, node: Node, zone: Cell) -> None:
        self._node = node
        self._zone = zone
        self._grids: dict[int, GridRow] = {}
        self._table = table_of(node.content)
        self._zones: dict[Cell, ZoneRow] = {}
        self._matched_zones: dict[Cell, float] = {}
        """Zones whose publications have matched here, and when: they are told when the summary changes."""
        self._cache = PublicationCache(node.parameters.cache_max, node.parameters.cache_s)
        self._spread: tuple[Description, ...] | None = None
        self._spread_at_s = -inf
        self._number = 0.0
        self._spread_next_s = inf

    # --- what the grids ask for ----------------------------------------------------------------------------

    def note_grid(self, message: GridSummary) -> bool:
        """Keep what a grid manager says; tell whether that made sense."""
        if not self._is_sound(message):
            self._node.host.drop(message, "malformed")
            return False
        if message.replaces is not None and message.replaces != message.manager:
            self._forget_grid(message.replaces)
        row = self._grids.pop(message.manager, None)
        if row is None:
            if len(self._grids) >= self._node.parameters.rows_max:
                self._forget_grid(next(iter(self._grids)))
            row = GridRow(message.grid, message.at, message.number, self._node.host.now)
        self._grids[message.manager] = row
        if message.number >= row.number or message.grid != row.grid:
            row.grid, row.at, row.number = message.grid, message.at, message.number
            row.heard_at_s = self._node.host.now
            if message.summary is not None:
                self._replace(message.manager, row, frozenset(message.summary))
        self.want_spread()
        return True

    def _is_sound(self, message: GridSummary) -> bool:
        content, limit, at = self._node.content, max(self._node.parameters.summaries_max, 256), message.at
        return (
            self._node.plan.is_cell(message.grid)
            and abs(at.x_m) < 1e9
            and abs(at.y_m) < 1e9
            and message.since_s >= 0
            and content.are_sound(message.summary or (), limit)
            and content.are_sound(message.asked, limit)
        )

    def _replace(self, manager: int, row: GridRow, summary: frozenset[Description]) -> None:
        for described in row.summary - summary:
            self._table.remove((manager, described))
        for described in sorted(summary - row.summary, key=repr):
            if len(self._table) < self._node.parameters.summaries_max * 4:
                self._table.add((manager, described), described)
        row.summary = summary

    def _forget_grid(self, manager: int) -> None:
        row = self._grids.pop(manager, None)
        if row is not None:
            self._replace(manager, row, frozenset())

    def matching_grids(self, described: Description) -> dict[int, GridRow]:
        """Return the grid managers whose grids may want a publication."""
        managers = dict.fromkeys(_manager(identifier) for identifier in self._table.match(described))
        return {manager: self._grids[manager] for manager in managers if manager in self._grids}

    # --- what the zone asks for, for other zones -----------------------------------------------------------

    def want_spread(self) -> None:
        """Tell other zones what is asked for here: at once, or some time later if it is only less."""
        parameters, now_s, summary = self._node.parameters, self._node.host.now, self.summary()
        if summary == self._spread:
            return
        is_urgent = self._spread is None or self._node.content.asks_for_more(summary, self._spread)
        at_s = max(self._spread_at_s + parameters.gather_s, now_s + (0.0 if is_urgent else parameters.lazy_s))
        if at_s < self._spread_next_s:
            self._spread_next_s = at_s
            self._node.host.wake(at_s, (SPREAD, self._zone))

    def spread(self, again: bool = False) -> None:
        """Send the summary to neighbouring zones and those that have matched, if it has changed (section IV-B2)."""
        self._spread_next_s = inf
        summary = self.summary()
        if summary != self._spread or again:
            self._spread, self._spread_at_s = summary, self._node.host.now
            self.send_summary([*self._node.plan.neighbours(self._zone), *self._matched_zones])
            self.summary_changed(summary)

    def summary_changed(self, summary: tuple[Description, ...]) -> None:
        """Act on a new summary of the zone's own."""

    def summary(self) -> tuple[Description, ...]:
        """Return the zone's representative set."""
        return self._table.representatives()[: self._node.parameters.summaries_max]

    def send_summary(self, zones: Iterable[Cell]) -> None:
        """Send the zone's summary to others."""
        to = tuple(dict.fromkeys(zones))
        if to:
            # In one instant there may be two of them, with the same contents.
            self._number = max(self._node.host.now, self._number)
            self._node.multicast_to_zones(self._summary_for(to), to)

    def _summary_for(self, to: tuple[Cell, ...]) -> ZoneSummary:
        summary = self.summary()
        size_bytes = ZONE_SUMMARY_BYTES + self._node.content.size_bytes(summary)
        return ZoneSummary(size_bytes, to, 0, self._zone, self._number, summary)

    def note_zone(self, message: ZoneSummary) -> bool:
        """Keep what another zone asks for; tell whether it is new."""
        limit = max(self._node.parameters.summaries_max, 256)
        is_sound = self._node.plan.is_cell(message.zone) and self._node.content.are_sound(message.summary, limit)
        now_s = self._node.host.now
        if not is_sound or message.zone == self._zone or not 0 <= message.number <= now_s:
            self._node.host.drop(message, "malformed")
            return False
        row = self._zones.get(message.zone)
        if row is not None and row.number > message.number:
            self._node.host.drop(message, "overtaken")
            return False
        is_new = row is None or row.summary != message.summary
        if row is None and len(self._zones) >= self._node.parameters.rows_max:
            del self._zones[min(self._zones, key=lambda each: self._zones[each].used_at_s)]
        used_at_s = now_s if row is None or is_new else row.used_at_s
        self._zones[message.zone] = ZoneRow(message.number, message.summary, used_at_s)
        return is_new

    # --- what is due ---------------------------------------------------------------------------------------

    def look(self) -> None:
        """Forget grids that are silent and zones that match nothing, and say the summary again after a while."""
        now_s, parameters = self._node.host.now, self._node.parameters
        keep_s = KEEP_FACTOR * parameters.refresh_s
        for manager in [each for each, row in self._grids.items() if row.heard_at_s + keep_s < now_s]:
            self._forget_grid(manager)
            self.want_spread()
        for zone in [each for each, row in self._zones.items() if row.used_at_s + parameters.zone_summary_s < now_s]:
            del self._zones[zone]
        for zone in [each for each, at_s in self._matched_zones.items() if at_s + parameters.zone_summary_s < now_s]:
            del self._matched_zones[zone]
        if self._spread_at_s + parameters.refresh_s <= now_s:
            self.spread(again=True)

    # --- hand-over and storage -----------------------------------------------------------------------------

    def contents(self) -> Iterator[GridSummary | ZoneSummary | Publication]:
        """Yield what a successor must know."""
        content, cells = self._node.content, (self._zone,)
        for manager, row in self._grids.items():
            summary = tuple(sorted(row.summary, key=repr))
            size_bytes = SUMMARY_BYTES + content.size_bytes(summary)
            yield GridSummary(size_bytes, cells, 0, row.grid, manager, row.at, row.number, None, summary, (), NEVER_S)
        for zone, each in self._zones.items():
            size_bytes = ZONE_SUMMARY_BYTES + content.size_bytes(each.summary)
            yield ZoneSummary(size_bytes, cells, 0, zone, each.number, each.summary)
        for cached in self._cache.valid(self._node.host.now):  # for which zones: those that have been sent it
            yield replace(cached.message, cells=(self._zone, *sorted(cached.zones, key=repr)))

    def absorb(self, message: Message) -> None:
        """Take over what another manager knew."""
        if isinstance(message, GridSummary):
            self.note_grid(message)
        elif isinstance(message, ZoneSummary):
            self.note_zone(message)
        elif isinstance(message, Publication) and message.event.id not in self._cache:
            self._cache.add(message, self._node.host.now).zones.update(message.cells)

    def storage_bytes(self) -> int:
        """Return the size of the SOF, of other zones' summaries, and of the vectors of what is cached.

        The data of cached publications is left out: the paper compares filters, and has the data cached at the manager
        "or designated storage server" (section IV-D).
        """
        content = self._node.content
        rows = (NODE_BYTES + POSITION_BYTES + PAYLOAD_BYTES) * len(self._grids)
        zones = sum(PAYLOAD_BYTES + content.stored_bytes(row.summary) for row in self._zones.values())
        row_bytes = EVENT_ID_BYTES + 2 * PAYLOAD_BYTES
        vectors = [cached.message.described for cached in self._cache.valid(self._node.host.now)]
        return self._table.stored_bytes() + rows + zones + content.size_bytes(vectors) + row_bytes * len(vectors)


def _manager(identifier: Hashable) -> int:
    assert isinstance(identifier, tuple)
    return int(identifier[0])
