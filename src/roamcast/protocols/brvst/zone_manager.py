"""The zone manager: it caches publications and forwards them to the grids and zones that want them.

Sections IV-C (matching in the zone and across zones) and IV-D (cache, in both directions) of the paper. The grids'
subscriptions are in ``subscription_origins``, those of other zones in ``zone_summaries``, advertised vectors in
``advertisements``, and queries to distant zones in ``zone_queries``. Our choices where the paper leaves it open:

- *Who answers from its cache.* To its own grids a manager sends anything it has cached, wherever it was published. To
  other zones it sends only what was published in its own zone; otherwise each zone that has it would send it.
- *What is sent again.* A zone is sent a publication once, unless its manager has died since. A grid manager with new
  subscriptions is sent the cached publications that match them, and knows which of its subscribers had them before.
"""

from collections.abc import Collection, Iterator

from roamcast.core.host import FALSE_POSITIVE_BROKER
from roamcast.core.messages import Message
from roamcast.core.widths import EVENT_ID_BYTES, NUMBER_BYTES, TIME_BYTES
from roamcast.protocols.brvst.advertisements import Advertisements
from roamcast.protocols.brvst.cells import CELL_BYTES, Cell
from roamcast.protocols.brvst.messages import (
    Advertisement,
    CachedPublication,
    Description,
    GridSummary,
    HandOverItem,
    OwedZones,
    Publication,
    ZoneSummary,
)
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.brvst.publication_cache import Cached, PublicationCache
from roamcast.protocols.brvst.subscriber import publication_bytes
from roamcast.protocols.brvst.subscription_origins import GridRow, SubscriptionOrigins
from roamcast.protocols.brvst.zone_queries import ZoneQueries
from roamcast.protocols.brvst.zone_summaries import ZoneRow, ZoneSummaries
from roamcast.routing.shared.bounded_memory import Memory

UNWANTED_S = 5.0
"""The shortest time between two complaints to a zone that sends unwanted publications, in seconds."""
HITS_MAX, SENT_MAX = 1 << 30, 4096


class ZoneManager:
    """A node's state and actions as the manager of a zone."""

    def __init__(self, node: Node, zone: Cell, is_heir: bool) -> None:
        parameters = node.parameters
        self._node = node
        self._zone = zone
        self._origins = SubscriptionOrigins(node)
        self._advertisements = Advertisements(node, zone)
        self._zone_summaries = ZoneSummaries(node, zone, self._origins, self._advertisements, is_heir)
        self._queries = ZoneQueries(node, zone)
        self._cache = PublicationCache(parameters.cache_max, parameters.cache_s)
        self._complained = Memory(UNWANTED_S, parameters.rows_max)
        self._new_until_s = -1.0 if is_heir else node.host.now + parameters.silent_factor * parameters.announce_s
        """Until then grids report summaries that this manager has not inherited from a predecessor."""

    def look(self) -> None:
        """Forget silent grids and zones that match nothing, and send the summary again when it is due."""
        if self._origins.forget_silent():
            self.schedule_spread()
        self._zone_summaries.look()
        if unasked := self._queries.due(self._origins.summary()):
            self._zone_summaries.query(unasked)

    def schedule_spread(self) -> None:
        """Send other zones this zone's summary soon."""
        self._zone_summaries.schedule_spread()

    def spread(self) -> None:
        """Send other zones this zone's summary, if it has changed."""
        self._zone_summaries.spread()

    # --- publications --------------------------------------------------------------------------------------

    def comparisons(self, description: Description) -> int:
        """Return with how many filters a publication is compared here: those of the SOF and of all ZRSVs."""
        other_zones = sum(len(row.summary) for row in self._zone_summaries.rows.values())
        return self._origins.comparisons(description) + other_zones

    def on_publication(self, message: Publication) -> None:
        """Cache a publication and match it with the SOF and, if it is from this zone, with other zones' summaries."""
        host = self._node.host
        if message.event.id in self._cache:
            host.drop(message, "duplicate")
            return
        cached = self._cache.add(message, host.now)
        grids = self._origins.matching(message.description)
        if grids:
            self._queries.note_match(message.description, self._origins.summary())
        if message.zone == self._zone:
            if message.manager is not None and grids.pop(message.manager, None) is not None:
                cached.hits += 1  # it has been matched there already
            self._send_to_zones(cached, self._zone_summaries.rows)
            self._advertisements.advertise(message.event.id.publisher, message.description, cached.sent)
        else:
            self._check_wanted(message, bool(grids))
        self._send_to_grids(cached, grids)

    def _check_wanted(self, message: Publication, is_wanted: bool) -> None:
        """Note that another zone's publication was wanted here, or send that zone this zone's summary."""
        host = self._node.host
        if is_wanted:
            self._zone_summaries.owe(message.zone)
            return
        host.drop(message, FALSE_POSITIVE_BROKER)
        self._keep_advertised(message.zone, message.description)
        if not self._complained.holds(message.zone, host.now):
            self._complained.note(message.zone, host.now)
            self._zone_summaries.send_to(message.zone)

    def _keep_advertised(self, zone: Cell, description: Description) -> None:
        """Remember what another zone has and nobody here wants, in case somebody wants it later."""
        self._advertisements.store(zone, description)
        self._zone_summaries.act_on_change()

    def _send_to_grids(self, cached: Cached, grids: dict[int, GridRow]) -> None:
        """Send a publication to grid managers, for further matching there."""
        if not grids:
            return
        cached.hits += len(grids)
        cells = tuple(dict.fromkeys(row.grid for row in grids.values()))
        message = self._publication(cached, cells, is_downward=True)
        self._node.router.send_to_many(message, [(manager, row.at) for manager, row in grids.items()])

    def _send_to_zones(self, cached: Cached, rows: dict[Cell, ZoneRow]) -> None:
        """Send a publication of this zone to the zones that match it and have not had it."""
        now_s, matching = self._node.host.now, self._node.describer.matches_any
        without = [zone for zone, row in rows.items() if cached.sent.get(zone, -1.0) < row.since_s]
        to = tuple(zone for zone in without if matching(cached.message.description, rows[zone].summary))
        for zone in to:
            rows[zone].used_at_s = cached.sent[zone] = now_s
        if to:
            cached.hits += len(to)
            self._node.multicast_to_zones(self._publication(cached, to, is_downward=False), to)

    def _publication(self, cached: Cached, cells: tuple[Cell, ...], is_downward: bool) -> Publication:
        event, description, zone = cached.message.event, cached.message.description, cached.message.zone
        size_bytes = publication_bytes(self._node, event, description)
        return Publication(size_bytes, cells, 0, event, description, zone, cached.message.manager, is_downward)

    # --- new subscriptions meet the cache ------------------------------------------------------------------

    def on_grid_summary(self, message: GridSummary) -> None:
        """Store a grid's summary, and send the grid the cached publications that match its new subscriptions."""
        is_new = message.manager not in self._origins.rows and self._node.host.now < self._new_until_s
        if self._origins.store(message):
            self.schedule_spread()
            if is_new:  # publications that waited for this manager may have come before this summary
                self._send_from_cache(message.manager, (*(message.summary or ()), *message.cache_requests), 0.0)
            else:
                self._send_from_cache(message.manager, message.cache_requests, message.since_s)

    def _send_from_cache(self, manager: int, requests: Collection[Description], since_s: float) -> None:
        """Send a grid manager the publications cached since a given time that match its requests."""
        row, matching = self._origins.rows.get(manager), self._node.describer.matches_any
        if row is None or not requests:
            return
        for cached in self._cache.valid(self._node.host.now):
            if cached.cached_at_s >= since_s and matching(cached.message.description, requests):
                self._send_to_grids(cached, {manager: row})

    def on_zone_summary(self, message: ZoneSummary) -> None:
        """Store another zone's summary, and send that zone the cached publications that match it."""
        if not self._zone_summaries.store(message):
            return
        rows = {message.zone: self._zone_summaries.rows[message.zone]}
        for cached in self._cache.valid(self._node.host.now):
            if cached.message.zone == self._zone:
                self._send_to_zones(cached, rows)

    def on_advertisement(self, message: Advertisement) -> None:
        """Answer with the zone's summary if it matches; otherwise keep the advertisement for later subscriptions."""
        if not self._advertisements.is_sound(message):
            self._node.host.drop(message, "malformed")
        elif self._node.describer.matches_any(message.description, self._origins.summary()):
            self._zone_summaries.owe(message.zone)
            self._zone_summaries.send_to(message.zone)
        else:
            self._keep_advertised(message.zone, message.description)

    # --- hand-over and storage -----------------------------------------------------------------------------

    def contents(self) -> Iterator[HandOverItem]:
        """Yield the state a successor needs; it matches each row it is sent with what has reached it meanwhile."""
        yield self._zone_summaries.owed_zones()
        yield from self._origins.contents((self._zone,))
        yield from self._zone_summaries.contents()
        yield from self._advertisements.contents()
        for cached in self._cache.valid(self._node.host.now):
            yield self._for_successor(cached)

    def _for_successor(self, cached: Cached) -> CachedPublication:
        message, sent = cached.message, tuple(cached.sent.items())
        size_bytes = publication_bytes(self._node, message.event, message.description)
        size_bytes += TIME_BYTES + NUMBER_BYTES + (CELL_BYTES + TIME_BYTES) * len(sent)
        event, description, zone, manager = message.event, message.description, message.zone, message.manager
        about = cached.cached_at_s, cached.hits, sent
        return CachedPublication(size_bytes, (self._zone,), 0, event, description, zone, manager, False, *about)

    def absorb(self, message: Message) -> None:
        """Take over another manager's state."""
        if isinstance(message, OwedZones):
            self._zone_summaries.absorb(message)
        elif isinstance(message, GridSummary):
            before = self._origins.rows.get(message.manager)
            known = frozenset() if before is None else before.summary
            if self._origins.store(message):
                self.schedule_spread()
                self._send_from_cache(message.manager, self._origins.rows[message.manager].summary - known, 0.0)
        elif isinstance(message, ZoneSummary):
            self.on_zone_summary(message)
        elif isinstance(message, Advertisement):
            self.on_advertisement(message)
        elif isinstance(message, CachedPublication) and self._is_sound(message):
            if message.event.id not in self._cache:
                cached = Cached(message, message.cached_at_s, message.hits, dict(message.sent))
                self._cache.keep(cached, self._node.host.now)
        else:
            self._node.host.drop(message, "malformed")

    def _is_sound(self, message: CachedPublication) -> bool:
        now_s = self._node.host.now
        is_sent = len(message.sent) <= SENT_MAX and all(at_s <= now_s for _, at_s in message.sent)
        return is_sent and 0 <= message.cached_at_s <= now_s and 0 <= message.hits <= HITS_MAX

    def storage_bytes(self) -> int:
        """Return the size of the SOF, of other zones' summaries, and of cached or advertised vectors.

        The data of cached publications is left out: the paper compares filters, and has the data cached at the manager
        "or designated storage server" (section IV-D). docs/brvst.md has the rule for all protocols.
        """
        vectors = [cached.message.description for cached in self._cache.valid(self._node.host.now)]
        cached_bytes = self._node.describer.size_bytes(vectors) + (EVENT_ID_BYTES + 2 * PAYLOAD_BYTES) * len(vectors)
        return (
            self._origins.stored_bytes()
            + self._zone_summaries.stored_bytes()
            + self._advertisements.stored_bytes()
            + cached_bytes
        )
