"""Advertisements, sent and heard: how zones learn of publications that match none of their summaries (section IV-C).

The vectors of a publication that the manager has not seen from this publisher before, or not for ``advertise_s``, are
multicast to all zones except those that are sent the publication itself. A zone whose summary matches answers with it.
A zone whose summary does not match keeps the advertisement for as long as a publication with these vectors can be made
without a new advertisement, and be cached: so a later subscription finds the zone that has the data, however far away.
Neighbours need no such memory, as they are told of each change of the summary anyway. With ``farther_share``, zones
farther away hear again only after a longer time, and keep what they heard for longer.
"""

from collections.abc import Iterator

from roamcast.core.widths import TIME_BYTES
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.messages import Advertisement, Description
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.routing.shared.bounded_memory import Memory


class Advertisements:
    """The vectors that a zone has advertised to others, and others to it."""

    def __init__(self, node: Node, zone: Cell) -> None:
        self._node = node
        self._zone = zone
        self._distances = {each: node.plan.distance(zone, each) for each in node.plan.zones() if each != zone}
        self._heard: dict[tuple[Cell, Description], float] = {}
        """The vectors that other zones have advertised and nobody here wants, and when."""
        self.forget_advertised()

    def forget_advertised(self) -> None:
        """Advertise everything again when it is published again."""
        parameters = self._node.parameters
        periods_s = {parameters.advertise_after_s(distance) for distance in self._distances.values()}
        self._advertised = {each_s: Memory(each_s, parameters.identifiers_max) for each_s in sorted(periods_s)}
        """The vectors advertised in the last while, for each period: zones at one distance have the same."""

    def advertise(self, publisher: int, description: Description, has_it: dict[Cell, float]) -> None:
        """Tell all zones of a publisher's vectors, except those that have the publication itself."""
        key, now_s, parameters = (publisher, description), self._node.host.now, self._node.parameters
        due = {each_s for each_s, memory in self._advertised.items() if not memory.holds(key, now_s)}
        for each_s in due:
            self._advertised[each_s].note(key, now_s)
        to = tuple(
            zone
            for zone, distance in self._distances.items()
            if zone not in has_it and parameters.advertise_after_s(distance) in due
        )
        if to:
            self._node.multicast_to_zones(self._advertisement(to, self._zone, description), to)

    def _advertisement(self, to: tuple[Cell, ...], of: Cell, description: Description) -> Advertisement:
        size_bytes = 2 * PAYLOAD_BYTES + self._node.describer.size_bytes((description,))
        return Advertisement(size_bytes, to, 0, of, description)

    def is_sound(self, message: Advertisement) -> bool:
        """Tell whether an advertisement is plausible."""
        is_other = self._node.plan.is_cell(message.zone) and message.zone != self._zone
        return is_other and self._node.describer.is_sound(message.description)

    def store(self, zone: Cell, description: Description) -> None:
        """Remember what another zone has, for later subscriptions."""
        if self._distances[zone] <= 1:
            return
        self._heard.pop((zone, description), None)
        if len(self._heard) >= self._node.parameters.cache_max:
            del self._heard[next(iter(self._heard))]
        self._heard[(zone, description)] = self._node.host.now

    def wanted(self, summary: tuple[Description, ...]) -> list[Cell]:
        """Return the zones that have advertised something wanted now, and forget those advertisements."""
        now_s, owed_s = self._node.host.now, self._node.parameters.owed_s
        kept = {key: at_s for key, at_s in self._heard.items() if at_s >= now_s - owed_s(self._distances[key[0]])}
        found = [key for key in kept if self._node.describer.matches_any(key[1], summary)]
        for key in found:
            del kept[key]
        self._heard = kept
        return list(dict.fromkeys(zone for zone, _ in found))

    def contents(self) -> Iterator[Advertisement]:
        """Yield the stored advertisements, for a successor."""
        return (self._advertisement((self._zone,), zone, description) for zone, description in self._heard)

    def stored_bytes(self) -> int:
        """Return the size of what was heard; what was sent is remembered only to avoid repeating it."""
        vectors = self._node.describer.size_bytes(description for _, description in self._heard)
        return vectors + (PAYLOAD_BYTES + TIME_BYTES) * len(self._heard)
