"""What a zone manager does about publications: matching in the zone and across zones, the cache, advertisements.

Sections IV-C and IV-D of the paper. What we chose where it leaves it open:

- *Advertisements.* The vectors of a publication that the manager has not seen from this publisher before are multicast
  to the zones whose summary it does not hold; the others' summaries tell it already. After ``advertise_s`` since the
  last time they go to all zones. A zone keeps what was advertised, so that a subscription that comes later finds it.
- *Who answers from its cache.* For its own grids a manager answers with all that it caches, from wherever it came.
  To other zones it sends only what was published in its own zone, since else each zone that has it would send it.
- *What is sent again.* A zone is sent a publication once. A grid manager whose subscribers newly ask for something is
  sent what is cached of it, and knows which of its subscribers had it before.
"""

from collections.abc import Iterable

from roamcast.core.events import EventId
from roamcast.core.host import FALSE_POSITIVE_BROKER
from roamcast.protocols._brvst_cache import Cached
from roamcast.protocols._brvst_cells import Cell
from roamcast.protocols._brvst_messages import (
    EVENT_ID_BYTES,
    Advertisement,
    Description,
    GridSummary,
    Publication,
    ZoneSummary,
)
from roamcast.protocols._brvst_node import PAYLOAD_BYTES, Node
from roamcast.protocols._brvst_subscriber import publication_bytes
from roamcast.protocols._brvst_zone import GridRow, ZoneManager, ZoneRow
from roamcast.routing._memory import Memory

UNWANTED_S = 5.0
"""A zone that sends what nobody here wants is told so at most this often."""


class ZonePublications(ZoneManager):
    """A zone manager with all that it does."""

    def __init__(self, node: Node, zone: Cell) -> None:
        super().__init__(node, zone)
        parameters = node.parameters
        self._advertised = Memory(parameters.advertise_s, parameters.identifiers_max)
        """Vectors and their publishers that all zones have been told of lately."""
        self._told: dict[tuple[int, Description], None] = {}
        """Those that were seen before."""
        self._heard: dict[EventId, tuple[Cell, Description, float]] = {}
        """What other zones have advertised, and when."""
        self._complained = Memory(UNWANTED_S, parameters.rows_max)

    # --- publications --------------------------------------------------------------------------------------

    def on_publication(self, message: Publication) -> None:
        """Cache a publication, match it against the SOF and, if it is of this zone, other zones' summaries."""
        host = self._node.host
        if message.event.id in self._cache:
            host.drop(message, "duplicate")
            return
        cached = self._cache.add(message, host.now)
        grids = self.matching_grids(message.described)
        if message.zone == self._zone:
            grids.pop(-1 if message.manager is None else message.manager, None)
            self._to_zones(cached, self._zones)
            self._advertise(cached)
        else:
            self._heard.pop(message.event.id, None)
            self._judge(message, bool(grids))
        self._to_grids(cached, grids)

    def _judge(self, message: Publication, is_wanted: bool) -> None:
        """Note that another zone's publication was wanted here, or tell that zone what is asked for here."""
        now_s = self._node.host.now
        if is_wanted:
            if len(self._matched_zones) < self._node.parameters.rows_max:
                self._matched_zones[message.zone] = now_s
            return
        self._node.host.drop(message, FALSE_POSITIVE_BROKER)
        if not self._complained.holds(message.zone, now_s):
            self._complained.note(message.zone, now_s)
            self.send_summary([message.zone])

    def _to_grids(self, cached: Cached, grids: dict[int, GridRow]) -> None:
        """Bring a publication to grid managers, for further matching there."""
        if not grids:
            return
        cached.hits += len(grids)
        cells = tuple(dict.fromkeys(row.grid for row in grids.values()))
        message = self._copy(cached, cells, is_downward=True)
        self._node.router.send_to_many(message, [(manager, row.at) for manager, row in grids.items()])

    def _to_zones(self, cached: Cached, rows: dict[Cell, ZoneRow]) -> None:
        """Bring a publication of this zone to the zones that match it and have not had it."""
        matching = self._node.content.matches_any
        to = [zone for zone, row in rows.items() if matching(cached.message.described, row.summary)]
        for zone in to:
            rows[zone].used_at_s = self._node.host.now
        new = tuple(zone for zone in to if zone not in cached.zones)
        if new:
            cached.hits += len(new)
            cached.zones.update(new)
            self._node.multicast_to_zones(self._copy(cached, new, is_downward=False), new)

    def _copy(self, cached: Cached, cells: tuple[Cell, ...], is_downward: bool) -> Publication:
        event, described, zone = cached.message.event, cached.message.described, cached.message.zone
        size_bytes = publication_bytes(self._node, event, described)
        return Publication(size_bytes, cells, 0, event, described, zone, cached.message.manager, is_downward)

    # --- new subscriptions meet the cache ------------------------------------------------------------------

    def on_grid_summary(self, message: GridSummary) -> None:
        """Keep what a grid asks for, and send it what is cached of what is newly asked for."""
        if not self.note_grid(message) or not message.asked:
            return
        row = self._grids.get(message.manager)
        if row is None:
            return
        for cached in self._cache.valid(self._node.host.now):
            is_recent = cached.cached_at_s >= message.since_s
            if is_recent and self._node.content.matches_any(cached.message.described, message.asked):
                self._to_grids(cached, {message.manager: row})

    def on_zone_summary(self, message: ZoneSummary) -> None:
        """Keep what another zone asks for, and send it what is cached of that."""
        if not self.note_zone(message):
            return
        rows = {message.zone: self._zones[message.zone]}
        for cached in self._cache.valid(self._node.host.now):
            if cached.message.zone == self._zone:
                self._to_zones(cached, rows)

    # --- advertisements ------------------------------------------------------------------------------------

    def _advertise(self, cached: Cached) -> None:
        """Tell other zones of a publication's vectors, if they are new or it is time to do so again."""
        event_id, described, now_s = cached.message.event.id, cached.message.described, self._node.host.now
        key = (event_id.publisher, described)
        if self._advertised.holds(key, now_s):
            return
        self._advertised.note(key, now_s)
        is_first = key not in self._told
        self._told.pop(key, None)
        if len(self._told) >= self._node.parameters.identifiers_max:
            del self._told[next(iter(self._told))]
        self._told[key] = None
        zones = (zone for zone in self._node.plan.zones() if zone != self._zone and zone not in cached.zones)
        to = tuple(zone for zone in zones if not (is_first and zone in self._zones))
        if to:
            size_bytes = 2 * PAYLOAD_BYTES + EVENT_ID_BYTES + self._node.content.size_bytes((described,))
            self._node.multicast_to_zones(Advertisement(size_bytes, to, 0, self._zone, event_id, described), to)

    def on_advertisement(self, message: Advertisement) -> None:
        """Answer with the zone's summary if it matches, and keep the advertisement for later subscriptions."""
        is_sound = self._node.plan.is_cell(message.zone) and self._node.content.is_sound(message.described)
        if not is_sound or message.zone == self._zone:
            self._node.host.drop(message, "malformed")
            return
        if message.event_id in self._cache:
            return
        if self._node.content.matches_any(message.described, self.summary()):
            self._answer([message.zone])
            return
        self._heard.pop(message.event_id, None)
        if len(self._heard) >= self._node.parameters.rows_max:
            del self._heard[next(iter(self._heard))]
        self._heard[message.event_id] = (message.zone, message.described, self._node.host.now)

    def summary_changed(self, summary: tuple[Description, ...]) -> None:
        """Tell the zones of which something was advertised that is asked for now."""
        oldest_s = self._node.host.now - self._node.parameters.cache_s
        self._heard = {key: each for key, each in self._heard.items() if each[2] >= oldest_s}
        wanted = {
            key: zone
            for key, (zone, described, _) in self._heard.items()
            if self._node.content.matches_any(described, summary)
        }
        for key in wanted:
            del self._heard[key]
        neighbours = set(self._node.plan.neighbours(self._zone))
        self._answer(zone for zone in wanted.values() if zone not in neighbours)

    def _answer(self, zones: Iterable[Cell]) -> None:
        to = list(zones)
        for zone in to:
            if len(self._matched_zones) < self._node.parameters.rows_max:
                self._matched_zones[zone] = self._node.host.now
        self.send_summary(to)
