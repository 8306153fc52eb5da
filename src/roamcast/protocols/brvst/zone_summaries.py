"""The exchange of ZRSVs among zone managers: how zones tell each other their subscriptions (section IV-B2).

A zone's summary goes to its neighbours, and to zones whose publications have matched here: upon changes, after a given
period, and when unwanted traffic arrives. Our choices where the paper leaves it open:

- *How long a zone is owed changes.* As long as it may hold a publication that it has not advertised again and would
  send only upon a change: the period of advertisements and ``cache_s`` after it has matched or was answered.
- *A manager without a predecessor* knows neither whom it owes its summary nor what was advertised. So during that time
  it tells all zones, and says since when it has been there: what they sent before that, they send again if it is still
  wanted.
- *A change that only some were told.* A zone may have been answered with a summary that the others do not have yet,
  since narrower summaries are spread later. It must not be left with that summary when the change is reverted, so in
  that case all are told once more.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from roamcast.core.widths import TIME_BYTES
from roamcast.protocols.brvst.advertisements import Advertisements
from roamcast.protocols.brvst.cells import CELL_BYTES, Cell
from roamcast.protocols.brvst.messages import Description, OwedZones, ZoneSummary
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.brvst.subscription_origins import SubscriptionOrigins

SPREAD = "brvst-spread"
ZONE_SUMMARY_BYTES = 2 * PAYLOAD_BYTES + 2 * TIME_BYTES


@dataclass(slots=True)
class ZoneRow:
    """Another zone's summary: its ZRSV."""

    number: float
    summary: tuple[Description, ...]
    since_s: float
    """Whatever the zone was sent before this is lost."""
    used_at_s: float
    """When it was new, or last matched a publication."""


class ZoneSummaries:
    """The summaries of other zones, and which zones are told this zone's own."""

    def __init__(
        self, node: Node, zone: Cell, origins: SubscriptionOrigins, advertisements: Advertisements, is_heir: bool
    ) -> None:
        self._node = node
        self._zone = zone
        self._origins = origins
        self._advertisements = advertisements
        self._is_heir = is_heir
        """Whether a predecessor's state is on its way."""
        self.rows: dict[Cell, ZoneRow] = {}
        self._owed: dict[Cell, float] = {}
        """The zones besides the neighbours that are told when the summary changes, and until when."""
        self._since_s = node.host.now
        self._spread: tuple[Description, ...] | None = None
        self._is_uneven = False
        """Whether some zone has been sent a summary other than ``_spread``."""
        self._spread_at_s = node.host.now if is_heir else -inf
        self._spread_next_s = inf
        self._number = 0.0

    # --- this zone's summary -------------------------------------------------------------------------------

    def schedule_spread(self) -> None:
        """Send other zones this zone's summary: at once, or some time later if it only became narrower."""
        parameters, now_s, summary = self._node.parameters, self._node.host.now, self._origins.summary()
        is_reverted = summary == self._spread
        if is_reverted and not self._is_uneven:
            return
        is_urgent = is_reverted or self._spread is None or self._node.describer.asks_for_more(summary, self._spread)
        at_s = max(self._spread_at_s + parameters.gather_s, now_s + (0.0 if is_urgent else parameters.lazy_s))
        if at_s < self._spread_next_s:
            self._spread_next_s = at_s
            self._node.host.wake(at_s, (SPREAD, self._zone))

    def spread(self, again: bool = False) -> None:
        """Send the summary to all zones that are owed it, if it has changed."""
        self._spread_next_s = inf
        summary = self._origins.summary()
        if summary != self._spread or self._is_uneven or again:
            self._spread, self._spread_at_s, self._is_uneven = summary, self._node.host.now, False
            for zone in self._advertisements.wanted(summary):
                self.owe(zone)
            self._send(self._audience())

    def _audience(self) -> Iterator[Cell]:
        now_s, plan = self._node.host.now, self._node.plan
        relying = (zone for zone in plan.zones() if zone != self._zone and now_s < self._since_s + self._owed_s(zone))
        self._owed = {zone: until_s for zone, until_s in self._owed.items() if until_s >= now_s}
        return iter(dict.fromkeys((*relying, *plan.neighbours(self._zone), *self._owed)))

    def _owed_s(self, zone: Cell) -> float:
        return self._node.parameters.owed_s(self._node.plan.distance(self._zone, zone))

    def owe(self, zone: Cell) -> None:
        """Tell a zone of changes from now on, for a while."""
        if zone in self._owed or len(self._owed) < self._node.parameters.rows_max:
            self._owed[zone] = self._node.host.now + self._owed_s(zone)

    def send_to(self, zone: Cell) -> None:
        """Send the current summary to a zone."""
        self.act_on_change()
        self._send((zone,))

    def query(self, zones: tuple[Cell, ...]) -> None:
        """Send zones the current summary, so that they send what matches it, and tell them of changes for a while."""
        for zone in zones:
            self.owe(zone)
        self.act_on_change()
        self._send(zones)

    def act_on_change(self) -> None:
        """Remember that a change not yet spread was acted on, so that all zones are told if it is reverted."""
        if self._origins.summary() != self._spread:
            self._is_uneven = True

    def _send(self, zones: Iterable[Cell]) -> None:
        to, summary = tuple(zones), self._origins.summary()
        if to:
            # Two summaries made at the same instant have the same contents, and may have the same number.
            self._number = max(self._node.host.now, self._number)
            size_bytes = ZONE_SUMMARY_BYTES + self._node.describer.size_bytes(summary)
            message = ZoneSummary(size_bytes, to, 0, self._zone, self._number, summary, self._since_s)
            self._node.multicast_to_zones(message, to)

    # --- other zones' summaries ----------------------------------------------------------------------------

    def store(self, message: ZoneSummary) -> bool:
        """Store another zone's summary, and tell whether it was of use."""
        if not self._is_sound(message):
            self._node.host.drop(message, "malformed")
            return False
        row, now_s = self.rows.get(message.zone), self._node.host.now
        if row is not None and row.number > message.number:
            self._node.host.drop(message, "overtaken")
            return False
        if row is None and len(self.rows) >= self._node.parameters.rows_max:
            self._forget(min(self.rows, key=lambda each: self.rows[each].used_at_s))
        used_at_s = now_s if row is None or row.summary != message.summary else row.used_at_s
        self.rows[message.zone] = ZoneRow(message.number, message.summary, message.since_s, used_at_s)
        return True

    def _is_sound(self, message: ZoneSummary) -> bool:
        limit = max(self._node.parameters.summaries_max, 256)
        is_time = 0 <= message.since_s <= message.number <= self._node.host.now
        is_other = self._node.plan.is_cell(message.zone) and message.zone != self._zone
        return is_time and is_other and self._node.describer.are_sound(message.summary, limit)

    def _forget(self, zone: Cell) -> None:
        """Forget a zone's summary; the zone was not sent advertisements of data that this summary matched."""
        row = self.rows.pop(zone)
        distance = self._node.plan.distance(self._zone, zone)
        if row.used_at_s + self._node.parameters.advertise_after_s(distance) > self._node.host.now:
            self._advertisements.forget_advertised()

    def look(self) -> None:
        """Forget the summaries of zones that match nothing, and send this zone's own again when it is due."""
        now_s, parameters = self._node.host.now, self._node.parameters
        for zone in [each for each, row in self.rows.items() if row.used_at_s + parameters.zone_summary_s < now_s]:
            self._forget(zone)
        if self._spread_at_s + parameters.refresh_s <= now_s:
            self.spread(again=True)

    # --- hand-over and storage -----------------------------------------------------------------------------

    def owed_zones(self) -> OwedZones:
        """Return the zones that a successor must tell of changes."""
        zones = tuple(self._owed)
        size_bytes = PAYLOAD_BYTES + TIME_BYTES + CELL_BYTES * len(zones)
        return OwedZones(size_bytes, (self._zone,), 0, zones, self._since_s)

    def absorb(self, message: OwedZones) -> None:
        """Owe what another manager owed and, if that was the predecessor, know since when it knew."""
        if not 0 <= message.since_s <= self._node.host.now or not all(map(self._node.plan.is_cell, message.zones)):
            self._node.host.drop(message, "malformed")
            return
        if self._is_heir:
            self._is_heir, self._since_s = False, message.since_s
        for zone in message.zones:
            self.owe(zone)

    def contents(self) -> Iterator[ZoneSummary]:
        """Yield the summaries of other zones, for a successor."""
        for zone, row in self.rows.items():
            size_bytes = ZONE_SUMMARY_BYTES + self._node.describer.size_bytes(row.summary)
            yield ZoneSummary(size_bytes, (self._zone,), 0, zone, row.number, row.summary, row.since_s)

    def stored_bytes(self) -> int:
        """Return the size of other zones' summaries and of the list of zones that are owed changes."""
        rows = sum(PAYLOAD_BYTES + self._node.describer.stored_bytes(row.summary) for row in self.rows.values())
        return rows + (CELL_BYTES + TIME_BYTES) * len(self._owed)
