"""How zones learn of publications that they have not asked for (section IV-C): advertisements, said and heard.

The vectors of a publication that the manager has not seen from this publisher before, or not for ``advertise_s``, are
multicast to all zones; those that are sent the publication itself know them by that. A zone whose summary matches
answers with it. One whose summary does not keeps the advertisement for as long as something with these vectors can
come without a new one, and be cached: then a subscription that comes later finds the zone that has the data, however
far. Neighbours need no such memory, as they are told of each change of the summary anyway.
"""

from collections.abc import Iterator

from roamcast.core.widths import TIME_BYTES
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.messages import Advertisement, Description
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.routing.shared.bounded_memory import Memory


def owed_s(parameters: BrvstParameters) -> float:
    """Return how long after an advertisement what it stands for can be published anew without one, and be cached."""
    return parameters.advertise_s + parameters.cache_s


class Advertisements:
    """What a zone has advertised to others, and they to it."""

    def __init__(self, node: Node, zone: Cell) -> None:
        self._node = node
        self._zone = zone
        self._neighbours = frozenset(node.plan.neighbours(zone))
        self._heard: dict[tuple[Cell, Description], float] = {}
        """What other zones have advertised that nobody here asks for, and when."""
        self.forget_told()

    def forget_told(self) -> None:
        """Advertise everything again when it is published again."""
        parameters = self._node.parameters
        self._told = Memory(parameters.advertise_s, parameters.identifiers_max)

    def advertise(self, publisher: int, described: Description, has_it: dict[Cell, float]) -> None:
        """Tell all zones of a publisher's vectors, but for those that have the publication itself."""
        key, now_s = (publisher, described), self._node.host.now
        if self._told.holds(key, now_s):
            return
        self._told.note(key, now_s)
        to = tuple(zone for zone in self._node.plan.zones() if zone != self._zone and zone not in has_it)
        if to:
            self._node.multicast_to_zones(self._advertisement(to, self._zone, described), to)

    def _advertisement(self, to: tuple[Cell, ...], of: Cell, described: Description) -> Advertisement:
        size_bytes = 2 * PAYLOAD_BYTES + self._node.content.size_bytes((described,))
        return Advertisement(size_bytes, to, 0, of, described)

    def is_sound(self, message: Advertisement) -> bool:
        """Tell whether an advertisement can be true."""
        is_other = self._node.plan.is_cell(message.zone) and message.zone != self._zone
        return is_other and self._node.content.is_sound(message.described)

    def hear(self, zone: Cell, described: Description) -> None:
        """Keep what another zone has, for subscriptions that come later."""
        if zone in self._neighbours:
            return
        self._heard.pop((zone, described), None)
        if len(self._heard) >= self._node.parameters.cache_max:
            del self._heard[next(iter(self._heard))]
        self._heard[(zone, described)] = self._node.host.now

    def wanted(self, summary: tuple[Description, ...]) -> list[Cell]:
        """Return the zones that have advertised what is asked for now, and keep that no longer."""
        oldest_s = self._node.host.now - owed_s(self._node.parameters)
        kept = {key: at_s for key, at_s in self._heard.items() if at_s >= oldest_s}
        found = [key for key in kept if self._node.content.matches_any(key[1], summary)]
        for key in found:
            del kept[key]
        self._heard = kept
        return list(dict.fromkeys(zone for zone, _ in found))

    def contents(self) -> Iterator[Advertisement]:
        """Yield what a successor must know."""
        return (self._advertisement((self._zone,), zone, described) for zone, described in self._heard)

    def stored_bytes(self) -> int:
        """Return the size of what was heard; what was told is remembered only to keep from saying it again."""
        vectors = self._node.content.size_bytes(described for _, described in self._heard)
        return vectors + (PAYLOAD_BYTES + TIME_BYTES) * len(self._heard)
