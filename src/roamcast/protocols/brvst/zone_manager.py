"""The zone manager: publications that come to it are cached and brought to the grids and zones that ask for them.

Sections IV-C (matching in the zone and across zones) and IV-D (cache, in both directions) of the paper. What the grids
ask for stands in ``_brvst_origins``, what other zones do in ``_brvst_zone_summaries``, what is advertised in
``_brvst_advertisements``. What we chose where the paper leaves it open:

- *Who answers from its cache.* For its own grids a manager answers with all that it caches, from wherever it came.
  To other zones it sends only what was published in its own zone, since else each zone that has it would send it.
- *What is sent again.* A zone is sent a publication once, unless its manager has died since. A grid manager whose
  subscribers newly ask for something is sent what is cached of it, and knows which of its subscribers had it before.
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
    Known,
    OwedZones,
    Publication,
    ZoneSummary,
)
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.brvst.publication_cache import Cached, PublicationCache
from roamcast.protocols.brvst.subscriber import publication_bytes
from roamcast.protocols.brvst.subscription_origins import GridRow, SubscriptionOrigins
from roamcast.protocols.brvst.zone_summaries import ZoneRow, ZoneSummaries
from roamcast.routing.shared.bounded_memory import Memory

UNWANTED_S = 5.0
"""A zone that sends what nobody here wants is told so at most this often."""
HITS_MAX, SENT_MAX = 1 << 30, 4096


class ZoneManager:
    """What a node knows and does as the manager of a zone."""

    def __init__(self, node: Node, zone: Cell, is_heir: bool) -> None:
        parameters = node.parameters
        self._node = node
        self._zone = zone
        self._origins = SubscriptionOrigins(node)
        self._advertisements = Advertisements(node, zone)
        self._others = ZoneSummaries(node, zone, self._origins, self._advertisements, is_heir)
        self._cache = PublicationCache(parameters.cache_max, parameters.cache_s)
        self._complained = Memory(UNWANTED_S, parameters.rows_max)
        self._new_until_s = -1.0 if is_heir else node.host.now + parameters.silent_factor * parameters.announce_s
        """Until then grids tell what they ask for that this manager has not been told by a predecessor."""

    def look(self) -> None:
        """Forget grids that are silent and zones that match nothing, and say the summary again after a while."""
        if self._origins.forget_silent():
            self.want_spread()
        self._others.look()

    def want_spread(self) -> None:
        """Tell other zones what is asked for here, soon."""
        self._others.want_spread()

    def spread(self) -> None:
        """Tell other zones what is asked for here, if it has changed."""
        self._others.spread()

    # --- publications --------------------------------------------------------------------------------------

    def on_publication(self, message: Publication) -> None:
        """Cache a publication, match it against the SOF and, if it is of this zone, other zones' summaries."""
        host = self._node.host
        if message.event.id in self._cache:
            host.drop(message, "duplicate")
            return
        cached = self._cache.add(message, host.now)
        grids = self._origins.matching(message.described)
        if message.zone == self._zone:
            if message.manager is not None and grids.pop(message.manager, None) is not None:
                cached.hits += 1  # there it has been matched already
            self._to_zones(cached, self._others.rows)
            self._advertisements.advertise(message.event.id.publisher, message.described, cached.sent)
        else:
            self._judge(message, bool(grids))
        self._to_grids(cached, grids)

    def _judge(self, message: Publication, is_wanted: bool) -> None:
        """Note that another zone's publication was wanted here, or tell that zone what is asked for here."""
        host = self._node.host
        if is_wanted:
            self._others.owe(message.zone)
            return
        host.drop(message, FALSE_POSITIVE_BROKER)
        self._hear(message.zone, message.described)
        if not self._complained.holds(message.zone, host.now):
            self._complained.note(message.zone, host.now)
            self._others.tell(message.zone)

    def _hear(self, zone: Cell, described: Description) -> None:
        """Keep what another zone has and nobody here asks for, in case that somebody does later."""
        self._advertisements.hear(zone, described)
        self._others.act_on_change()

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
        now_s, matching = self._node.host.now, self._node.content.matches_any
        without = [zone for zone, row in rows.items() if cached.sent.get(zone, -1.0) < row.since_s]
        to = tuple(zone for zone in without if matching(cached.message.described, rows[zone].summary))
        for zone in to:
            rows[zone].used_at_s = cached.sent[zone] = now_s
        if to:
            cached.hits += len(to)
            self._node.multicast_to_zones(self._copy(cached, to, is_downward=False), to)

    def _copy(self, cached: Cached, cells: tuple[Cell, ...], is_downward: bool) -> Publication:
        event, described, zone = cached.message.event, cached.message.described, cached.message.zone
        size_bytes = publication_bytes(self._node, event, described)
        return Publication(size_bytes, cells, 0, event, described, zone, cached.message.manager, is_downward)

    # --- new subscriptions meet the cache ------------------------------------------------------------------

    def on_grid_summary(self, message: GridSummary) -> None:
        """Keep what a grid asks for, and send it what is cached of what is newly asked for."""
        is_new = message.manager not in self._origins.rows and self._node.host.now < self._new_until_s
        if self._origins.note(message):
            self.want_spread()
            if is_new:  # what has waited for this manager may have come before this summary
                self._from_cache(message.manager, (*(message.summary or ()), *message.asked), 0.0)
            else:
                self._from_cache(message.manager, message.asked, message.since_s)

    def _from_cache(self, manager: int, asked: Collection[Description], since_s: float) -> None:
        """Send a grid manager what was cached since a time, of what is asked for."""
        row, matching = self._origins.rows.get(manager), self._node.content.matches_any
        if row is None or not asked:
            return
        for cached in self._cache.valid(self._node.host.now):
            if cached.cached_at_s >= since_s and matching(cached.message.described, asked):
                self._to_grids(cached, {manager: row})

    def on_zone_summary(self, message: ZoneSummary) -> None:
        """Keep what another zone asks for, and send it what is cached of that."""
        if not self._others.note(message):
            return
        rows = {message.zone: self._others.rows[message.zone]}
        for cached in self._cache.valid(self._node.host.now):
            if cached.message.zone == self._zone:
                self._to_zones(cached, rows)

    def on_advertisement(self, message: Advertisement) -> None:
        """Answer with the zone's summary if it matches, and else keep the advertisement for later subscriptions."""
        if not self._advertisements.is_sound(message):
            self._node.host.drop(message, "malformed")
        elif self._node.content.matches_any(message.described, self._origins.summary()):
            self._others.owe(message.zone)
            self._others.tell(message.zone)
        else:
            self._hear(message.zone, message.described)

    # --- hand-over and storage -----------------------------------------------------------------------------

    def contents(self) -> Iterator[Known]:
        """Yield what a successor must know; what came to it meanwhile is matched with each row that it is sent."""
        yield self._others.owed_zones()
        yield from self._origins.contents((self._zone,))
        yield from self._others.contents()
        yield from self._advertisements.contents()
        for cached in self._cache.valid(self._node.host.now):
            yield self._for_successor(cached)

    def _for_successor(self, cached: Cached) -> CachedPublication:
        message, sent = cached.message, tuple(cached.sent.items())
        size_bytes = publication_bytes(self._node, message.event, message.described)
        size_bytes += TIME_BYTES + NUMBER_BYTES + (CELL_BYTES + TIME_BYTES) * len(sent)
        event, described, zone, manager = message.event, message.described, message.zone, message.manager
        about = cached.cached_at_s, cached.hits, sent
        return CachedPublication(size_bytes, (self._zone,), 0, event, described, zone, manager, False, *about)

    def absorb(self, message: Message) -> None:
        """Take over what another manager knew."""
        if isinstance(message, OwedZones):
            self._others.absorb(message)
        elif isinstance(message, GridSummary):
            before = self._origins.rows.get(message.manager)
            known = frozenset() if before is None else before.summary
            if self._origins.note(message):
                self.want_spread()
                self._from_cache(message.manager, self._origins.rows[message.manager].summary - known, 0.0)
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
        """Return the size of the SOF, of other zones' summaries, and of the vectors of what is cached or advertised.

        The data of cached publications is left out: the paper compares filters, and has the data cached at the manager
        "or designated storage server" (section IV-D). docs/brvst.md has the rule for all protocols.
        """
        vectors = [cached.message.described for cached in self._cache.valid(self._node.host.now)]
        cached_bytes = self._node.content.size_bytes(vectors) + (EVENT_ID_BYTES + 2 * PAYLOAD_BYTES) * len(vectors)
        return (
            self._origins.stored_bytes()
            + self._others.stored_bytes()
            + self._advertisements.stored_bytes()
            + cached_bytes
        )
