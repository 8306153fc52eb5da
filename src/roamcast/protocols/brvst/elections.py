"""The managers of grids and zones: how they are elected, known, replaced and succeeded.

The paper leaves that to "many literature work", RSGM among it (section III). What we chose is the same for both levels
and needs only what a node hears and its own position:

- A manager announces itself every ``announce_s``; who is in its cell, or near its border, relays that once.
- Who hears no manager of its cell for ``silent_factor`` of these times, or none since the start, takes the office after
  a wait that grows with its distance from the cell's centre; the first to announce itself silences the others.
- Of two managers of a cell the senior stays, who counts more announcements, those of its predecessors included; of two
  with as many, the one with the lower number. The other hands over what it knows.
- A manager who finds that it has left its cell offers the office to whoever is nearest to the centre. That one
  accepts, is sent all that the manager knows, and says in its announcements whose successor it is.
- Parts of a cell that cannot hear each other have a manager each. The zone manager keeps a row for each of a grid's;
  other zones keep one for a zone, so of a parted zone only one part may be served from there (docs/brvst.md).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from roamcast.core.host import Host, Position
from roamcast.core.widths import KIND_BYTES, NODE_BYTES, NUMBER_BYTES, POSITION_BYTES
from roamcast.protocols.brvst.cells import CELL_BYTES, GRID, ZONE, Cell, CellPlan
from roamcast.protocols.brvst.messages import Announcement
from roamcast.protocols.brvst.parameters import BrvstParameters

CLAIM, RELAY = "brvst-claim", "brvst-relay"
ANNOUNCEMENT_BYTES = KIND_BYTES + CELL_BYTES + 2 * NODE_BYTES + POSITION_BYTES + NUMBER_BYTES
KNOWN_BYTES = CELL_BYTES + NODE_BYTES + POSITION_BYTES + NUMBER_BYTES
JITTER_S = 0.02
"""A relay waits up to this long, so that neighbours do not collide."""
INSIST_S = 1.0
"""How long a senior manager waits at least before it answers a junior's announcement by its own."""
OFFERS_MAX = 3
"""How often a manager offers its office before it gives it up."""
BEAT_MAX = 1 << 30


class Staff(ABC):
    """What offices tell the protocol that they are part of."""

    @abstractmethod
    def took(self, cell: Cell, predecessor: int | None) -> None:
        """Begin to manage a cell."""

    @abstractmethod
    def resign(self, cell: Cell, successor: int | None, at: Position, beat: int) -> None:
        """Manage a cell no longer, and hand over what is known to a successor, if there is one."""

    @abstractmethod
    def heard(self, cell: Cell) -> None:
        """Note that the manager of a cell is known, and where it is."""

    @abstractmethod
    def offer(self, cell: Cell, here: Position) -> None:
        """Offer the office to whoever is nearest to the cell's centre."""


@dataclass(slots=True)
class Known:
    """What was last heard of a cell's manager."""

    announcement: Announcement
    heard_at_s: float
    copies: int = 0


@dataclass(slots=True)
class Held:
    """An office of this node."""

    beat: int
    predecessor: int | None
    announced_at_s: float
    announced_from: Position
    offers: int = 0
    offered_at_s: float = 0.0


class Offices:
    """The offices that a node holds, and the managers that it knows."""

    def __init__(self, host: Host, plan: CellPlan, parameters: BrvstParameters, staff: Staff) -> None:
        self._host = host
        self._plan = plan
        self._parameters = parameters
        self._staff = staff
        self._known: dict[Cell, Known] = {}
        self._standing: dict[int, Cell] = {}
        self._has_looked = False
        self.held: dict[Cell, Held] = {}

    def __len__(self) -> int:
        return len(self._known)

    def manager(self, cell: Cell) -> Announcement | None:
        """Return what the manager of a cell said last, unless it is silent by now."""
        known = self._known.get(cell)
        return None if known is None or self._is_silent(known) else known.announcement

    def heard_at_s(self, cell: Cell) -> float:
        """Return when the manager of a cell was heard last."""
        known = self._known.get(cell)
        return 0.0 if known is None else known.heard_at_s

    def _is_silent(self, known: Known) -> bool:
        if known.announcement.manager == self._host.node:
            return known.announcement.cell not in self.held
        return known.heard_at_s + self._parameters.silent_factor * self._parameters.announce_s < self._host.now

    # --- what is due ----------------------------------------------------------------------------------------

    def look(self, here: Position) -> None:
        """Announce, leave or stand for offices, as is due."""
        for cell, held in list(self.held.items()):
            if self._is_due(held, here):
                self._announce(cell, held, here)
            if self._plan.cell(cell.level, here) != cell:
                self._leave(cell, held, here)
        for level in (GRID, ZONE):
            cell = self._plan.cell(level, here)
            if cell in self.held or self.manager(cell) is not None:
                if self._standing.pop(level, None) is not None:
                    self._host.cancel_wake((CLAIM, level))
            elif self._standing.get(level) != cell:
                self._stand(cell, here)
        self._has_looked = True

    def _is_due(self, held: Held, here: Position) -> bool:
        moved_m = abs(here.x_m - held.announced_from.x_m) + abs(here.y_m - held.announced_from.y_m)
        is_time = held.announced_at_s + self._parameters.announce_s <= self._host.now
        return is_time or moved_m > self._host.world.range_m / 2

    def _stand(self, cell: Cell, here: Position) -> None:
        """Take the office after a while, if nobody else does; who has just come to a cell listens first."""
        self._standing[cell.level] = cell
        listens = self._has_looked and cell not in self._known
        wait_s = self._parameters.announce_s if listens else 0.0
        wait_s += self._parameters.election_s * (self._plan.off_centre(cell, here) + 0.1 * self._host.random.random())
        self._host.wake(self._host.now + wait_s, (CLAIM, cell.level))

    def claim(self, level: int) -> None:
        """Take the office that this node stands for."""
        cell, here = self._standing.pop(level, None), self._host.position()
        if cell is None or here is None or cell in self.held or self.manager(cell) is not None:
            return
        if self._plan.cell(level, here) == cell:
            self.take(cell, 0, None)

    def take(self, cell: Cell, beat: int, predecessor: int | None) -> None:
        """Hold an office from now on, and say so."""
        here = self._host.position()
        if here is None:
            return
        self.held[cell] = held = Held(beat, predecessor, self._host.now, here)
        self._announce(cell, held, here)
        self._staff.took(cell, predecessor)

    def _announce(self, cell: Cell, held: Held, here: Position) -> None:
        held.beat = min(held.beat + 1, BEAT_MAX)
        held.announced_at_s, held.announced_from = self._host.now, here
        size_bytes = ANNOUNCEMENT_BYTES + self._parameters.header_bytes
        said = Announcement(size_bytes, cell, self._host.node, here, held.beat, held.predecessor)
        self._note(said)
        self._host.broadcast(said)

    def _leave(self, cell: Cell, held: Held, here: Position) -> None:
        """Look for a successor; after some offers in vain the cell is taken to be empty."""
        if held.offers and held.offered_at_s + self._parameters.announce_s > self._host.now:
            return
        if held.offers == OFFERS_MAX:
            self.resign(cell, None, here)
            return
        held.offers, held.offered_at_s = held.offers + 1, self._host.now
        self._staff.offer(cell, here)

    def resign(self, cell: Cell, successor: int | None, at: Position) -> None:
        """Give up an office, to a successor if there is one."""
        held = self.held.pop(cell, None)
        if held is None:
            return
        self._known.pop(cell, None)
        if successor is not None:
            self._note(Announcement(ANNOUNCEMENT_BYTES, cell, successor, at, held.beat, self._host.node))
        self._staff.resign(cell, successor, at, held.beat)

    # --- what is heard --------------------------------------------------------------------------------------

    def on_announcement(self, said: Announcement) -> None:
        """Know a manager, relay what it says, or settle who stays."""
        if said.manager == self._host.node:
            return
        if said.cell in self.held:
            self._meet(said, self.held[said.cell])
            return
        known = self._known.get(said.cell)
        if known is not None and not self._is_silent(known) and _seniority(said) <= _seniority(known.announcement):
            known.copies += said == known.announcement
            return
        self._note(said)
        here, margin_m = self._host.position(), self._parameters.relay_margin * self._host.world.range_m
        if here is not None and self._plan.outside_m(said.cell, here) <= margin_m:
            self._host.wake(self._host.now + JITTER_S * self._host.random.random(), (RELAY, said.cell))
        self._staff.heard(said.cell)

    def _meet(self, said: Announcement, held: Held) -> None:
        """Stay as the senior of two managers, or hand over to the other."""
        if _seniority(said) > (held.beat, -self._host.node):
            self.resign(said.cell, said.manager, said.at)
            return
        here = self._host.position()
        if here is not None and held.announced_at_s + INSIST_S <= self._host.now:
            self._announce(said.cell, held, here)

    def relay(self, cell: Cell) -> None:
        """Say again what a manager has said, unless others have said it often enough."""
        known = self._known.get(cell)
        if known is not None and known.copies < self._parameters.relay_copies and cell not in self.held:
            self._host.broadcast(known.announcement)

    def _note(self, said: Announcement) -> None:
        self._known.pop(said.cell, None)
        if len(self._known) >= self._parameters.cells_max:
            others = [each for each in self._known if each not in self.held]
            if others:
                del self._known[others[0]]
        self._known[said.cell] = Known(said, self._host.now)


def _seniority(said: Announcement) -> tuple[int, int]:
    return said.beat, -said.manager
