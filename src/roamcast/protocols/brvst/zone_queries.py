"""Queries for publishers: a zone whose subscriptions match nothing asks zones farther away (section IV-C).

"A zone without any data matched with some subscriptions could also actively search for publishers by [...] query the
ZMs within certain zone-hop distance." Off by default, as the paper only offers it. Our choices:

- *A query* is the zone's summary, its ZRSV, sent to zones that are not told of its changes anyway. They answer with
  what they have cached and, as with any ZRSV, send later publications that match.
- *Who asks.* A zone asks when an entry of its summary has matched nothing for ``query_s``, and again after that time.
"""

from collections.abc import Collection
from math import inf

from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.messages import Description
from roamcast.protocols.brvst.node import Node


class ZoneQueries:
    """A zone's memory of when its subscriptions last matched anything, and of when it last asked other zones."""

    def __init__(self, node: Node, zone: Cell) -> None:
        self._node = node
        reach, plan = node.parameters.query_zones, node.plan
        self._zones = tuple(each for each in plan.zones() if 1 < plan.distance(zone, each) <= reach)
        """The zones that are asked; neighbours are told of every change anyway."""
        self._matched_at_s: dict[Description, float] = {}
        """When each entry of the summary last matched something, or was new."""
        self._asked_at_s = -inf

    def note_match(self, description: Description, summary: Collection[Description]) -> None:
        """Note that a publication has reached this zone."""
        if self._zones:
            matched = (each for each in summary if self._node.describer.matches_any(description, (each,)))
            self._matched_at_s.update(dict.fromkeys(matched, self._node.host.now))

    def due(self, summary: Collection[Description]) -> tuple[Cell, ...]:
        """Return the zones to ask now."""
        if not self._zones:
            return ()
        now_s, wait_s = self._node.host.now, self._node.parameters.query_s
        self._matched_at_s = {each: self._matched_at_s.get(each, now_s) for each in summary}
        is_hungry = any(at_s + wait_s <= now_s for at_s in self._matched_at_s.values())
        if not is_hungry or self._asked_at_s + wait_s > now_s:
            return ()
        self._asked_at_s = now_s
        return self._zones
