"""Nine zones of one grid each, two of which lie far apart: what no two neighbouring zones can show.

Node ``100 * column + 10 * row + j`` is of the zone in that column and row; 0 to 3 are of one corner, 220 to 223 of the
corner across, every other zone has two. Who has j = 0 is nearest to the centre, and is elected.
"""

from typing import Any

from brvst_networks import SIDE_M, Air

from roamcast.core.messages import Message
from roamcast.protocols.brvst.cells import ZONE, Cell
from roamcast.routing.sogr.messages import Packet

HERE, FAR = Cell(ZONE, 0, 0), Cell(ZONE, 2, 2)
ZONES = [Cell(ZONE, column, row) for column in range(3) for row in range(3)]
OFFSETS_M = ((5.0, 5.0), (40.0, -20.0), (-50.0, 30.0), (10.0, -60.0))
ADVERTISE_S, CACHE_S = 20.0, 30.0
OWED_S = ADVERTISE_S + CACHE_S
"""For so long after its first manager has taken office a zone tells all others what it asks for."""
ELECTED_S = 16.0
"""How long after a manager's death there is another one, at most."""


def places() -> dict[int, tuple[float, float]]:
    """Return where all nodes are."""
    found = {}
    for zone in ZONES:
        for j, (x_m, y_m) in enumerate(OFFSETS_M if zone in (HERE, FAR) else OFFSETS_M[:2]):
            centre = ((each + 0.5) * SIDE_M / 3 for each in (zone.column, zone.row))
            found[100 * zone.column + 10 * zone.row + j] = (next(centre) + x_m, next(centre) + y_m)
    return found


class FarAir(Air):
    """The nine zones, and managers that leave them or die."""

    def __init__(self, settle_s: float = OWED_S + 5.0, **parameters: Any) -> None:
        given = {"zones_per_side": 3, "grids_per_side": 3, "advertise_s": ADVERTISE_S, "cache_s": CACHE_S}
        super().__init__(places(), 400.0, **{**given, **parameters})
        self.dead: set[int] = set()
        self.run(settle_s)

    def living_manager(self, zone: Cell) -> int:
        """Return the one manager of a zone that has not died."""
        (node,) = set(self.managers(ZONE).get(zone, [])) - self.dead
        return node

    def leave(self, zone: Cell) -> int:
        """Let the manager of a zone go into the next one, and return its successor."""
        gone, aside_m = self.living_manager(zone), 180.0 if zone.column < 2 else -180.0
        x_m, y_m = places()[100 * zone.column + 10 * zone.row]
        self.move(gone, x_m + aside_m, y_m + gone % 7)
        self.relink(self.dead)
        self.run(8.0)
        successor = self.living_manager(zone)
        assert successor != gone
        return successor

    def die(self, zone: Cell) -> int:
        """Let the manager of a zone die, and return it."""
        gone = self.living_manager(zone)
        self.dead.add(gone)
        self.relink(self.dead)
        return gone

    def sent_by(self, zone: Cell, kind: type[Message], since_s: float = 0.0) -> list[Any]:
        """Return what managers of a zone have sent of a kind since a time, each once, the first first."""
        found: dict[int, tuple[float, Any]] = {}
        for node, host in self.hosts.items():
            for sent in host.unicasts:
                packet = sent.message
                if isinstance(packet, Packet) and isinstance(packet.payload, kind) and packet.origin == node:
                    found.setdefault(id(packet.payload), (sent.at_s, packet.payload))
        ordered = sorted(found.values(), key=lambda each: each[0])
        mine: list[Any] = [each for at_s, each in ordered if at_s >= since_s]
        return [each for each in mine if each.zone == zone and not each.redirects]

    @property
    def now(self) -> float:
        """Return the time."""
        return self.hosts[0].now
