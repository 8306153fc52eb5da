"""The managers of grids and zones: how they are elected, known, replaced and succeeded.

A node that manages a cell *holds its office*. The paper leaves elections to "many literature work", RSGM among it
(section III). Our rules are the same for both levels and need only what a node hears and its own position:

- A manager announces itself every ``announce_s``; each node in its cell or near its border relays that once.
- A node that hears no manager of its cell for ``silent_factor`` such intervals, or none since the start, takes the
  office after a wait that grows with its distance from the cell's centre; the first to announce itself silences the
  others.
- Of two managers of a cell the senior one stays: the one that counts more announcements, including those of its
  predecessors, or among equals the one with the lower number. The other hands over its state.
- A manager that finds that it has left its cell offers the office to the node closest to the centre. That node accepts,
  is sent the manager's state, and names its predecessor in its announcements.
- Parts of a cell that cannot hear each other have a manager each. The zone manager keeps a row for each manager of a
  grid; other zones keep one row for a zone, so of a partitioned zone they may serve only one part (docs/brvst.md).
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
"""The longest random delay of a relay, in seconds, so that neighbours do not collide."""
INSIST_S = 1.0
"""The shortest time after which a senior manager answers a junior's announcement with its own, in seconds."""
OFFERS_MAX = 3
"""How often a manager offers its office before it gives it up."""
BEAT_MAX = 1 << 30


class ElectionCallbacks(ABC):
    """The calls by which ``Offices`` tells the node's roles what happened."""

    @abstractmethod
    def on_elected(self, cell: Cell, predecessor: int | None) -> None:
        """Begin to manage a cell."""

    @abstractmethod
    def on_resigned(self, cell: Cell, successor: int | None, at: Position, beat: int) -> None:
        """Stop managing a cell, and hand its state over to a successor, if there is one."""

    @abstractmethod
    def on_manager_heard(self, cell: Cell) -> None:
        """Use the manager of a cell, now that it is known and its position too."""

    @abstractmethod
    def offer_office(self, cell: Cell, here: Position) -> None:
        """Offer the office to the node closest to the cell's centre."""


@dataclass(slots=True)
class KnownManager:
    """The last announcement heard from a cell's manager."""

    announcement: Announcement
    heard_at_s: float
    copies: int = 0


@dataclass(slots=True)
class HeldOffice:
    """An office that this node holds."""

    beat: int
    predecessor: int | None
    announced_at_s: float
    announced_from: Position
    offers: int = 0
    offered_at_s: float = 0.0


class Offices:
    """The offices that a node holds, and the managers that it knows."""

    def __init__(self, host: Host, plan: CellPlan, parameters: BrvstParameters, callbacks: ElectionCallbacks) -> None:
        self._host = host
        self._plan = plan
        self._parameters = parameters
        self._callbacks = callbacks
        self._known: dict[Cell, KnownManager] = {}
        self._candidacies: dict[int, Cell] = {}
        self._has_looked = False
        self.held: dict[Cell, HeldOffice] = {}

    def __len__(self) -> int:
        return len(self._known)

    def manager(self, cell: Cell) -> Announcement | None:
        """Return the last announcement of a cell's manager, unless it has fallen silent."""
        known = self._known.get(cell)
        return None if known is None or self._is_silent(known) else known.announcement

    def heard_at_s(self, cell: Cell) -> float:
        """Return when the manager of a cell was last heard."""
        known = self._known.get(cell)
        return 0.0 if known is None else known.heard_at_s

    def _is_silent(self, known: KnownManager) -> bool:
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
                if self._candidacies.pop(level, None) is not None:
                    self._host.cancel_wake((CLAIM, level))
            elif self._candidacies.get(level) != cell:
                self._stand(cell, here)
        self._has_looked = True

    def _is_due(self, held: HeldOffice, here: Position) -> bool:
        moved_m = abs(here.x_m - held.announced_from.x_m) + abs(here.y_m - held.announced_from.y_m)
        is_time = held.announced_at_s + self._parameters.announce_s <= self._host.now
        return is_time or moved_m > self._host.world.range_m / 2

    def _stand(self, cell: Cell, here: Position) -> None:
        """Take the office after a while unless another node does; a node that is new in a cell listens first."""
        self._candidacies[cell.level] = cell
        must_listen = self._has_looked and cell not in self._known
        wait_s = self._parameters.announce_s if must_listen else 0.0
        wait_s += self._parameters.election_s * (self._plan.off_centre(cell, here) + 0.1 * self._host.random.random())
        self._host.wake(self._host.now + wait_s, (CLAIM, cell.level))

    def claim(self, level: int) -> None:
        """Take the office for which this node is a candidate."""
        cell, here = self._candidacies.pop(level, None), self._host.position()
        if cell is None or here is None or cell in self.held or self.manager(cell) is not None:
            return
        if self._plan.cell(level, here) == cell:
            self.take(cell, 0, None)

    def take(self, cell: Cell, beat: int, predecessor: int | None) -> None:
        """Hold an office from now on, and announce it."""
        here = self._host.position()
        if here is None:
            return
        self.held[cell] = held = HeldOffice(beat, predecessor, self._host.now, here)
        self._announce(cell, held, here)
        self._callbacks.on_elected(cell, predecessor)

    def _announce(self, cell: Cell, held: HeldOffice, here: Position) -> None:
        held.beat = min(held.beat + 1, BEAT_MAX)
        held.announced_at_s, held.announced_from = self._host.now, here
        size_bytes = ANNOUNCEMENT_BYTES + self._parameters.header_bytes
        announcement = Announcement(size_bytes, cell, self._host.node, here, held.beat, held.predecessor)
        self._remember(announcement)
        self._host.broadcast(announcement)

    def _leave(self, cell: Cell, held: HeldOffice, here: Position) -> None:
        """Look for a successor; after some offers in vain the cell is assumed to be empty."""
        if held.offers and held.offered_at_s + self._parameters.announce_s > self._host.now:
            return
        if held.offers == OFFERS_MAX:
            self.resign(cell, None, here)
            return
        held.offers, held.offered_at_s = held.offers + 1, self._host.now
        self._callbacks.offer_office(cell, here)

    def resign(self, cell: Cell, successor: int | None, at: Position) -> None:
        """Give up an office, to a successor if there is one."""
        held = self.held.pop(cell, None)
        if held is None:
            return
        self._known.pop(cell, None)
        if successor is not None:
            self._remember(Announcement(ANNOUNCEMENT_BYTES, cell, successor, at, held.beat, self._host.node))
        self._callbacks.on_resigned(cell, successor, at, held.beat)

    # --- what is heard --------------------------------------------------------------------------------------

    def on_announcement(self, announcement: Announcement) -> None:
        """Record a manager and relay its announcement, or settle which of two managers stays."""
        if announcement.manager == self._host.node:
            return
        if self.held and announcement.cell in self.held:
            self._settle(announcement, self.held[announcement.cell])
            return
        known = self._known.get(announcement.cell)
        if known is not None:
            last = known.announcement
            if (announcement is last or _is_no_senior(announcement, last)) and not self._is_silent(known):
                known.copies += announcement is last or announcement == last
                return
        self._remember(announcement)
        here, margin_m = self._host.position(), self._parameters.relay_margin * self._host.world.range_m
        if here is not None and self._plan.outside_m(announcement.cell, here) <= margin_m:
            self._host.wake(self._host.now + JITTER_S * self._host.random.random(), (RELAY, announcement.cell))
        self._callbacks.on_manager_heard(announcement.cell)

    def _settle(self, announcement: Announcement, held: HeldOffice) -> None:
        """Stay if this node is the senior of two managers, else hand over to the other."""
        if _seniority(announcement) > (held.beat, -self._host.node):
            self.resign(announcement.cell, announcement.manager, announcement.at)
            return
        here = self._host.position()
        if here is not None and held.announced_at_s + INSIST_S <= self._host.now:
            self._announce(announcement.cell, held, here)

    def relay(self, cell: Cell) -> None:
        """Relay a manager's announcement, unless others have relayed it often enough."""
        known = self._known.get(cell)
        if known is not None and known.copies < self._parameters.relay_copies and cell not in self.held:
            self._host.broadcast(known.announcement)

    def _remember(self, announcement: Announcement) -> None:
        self._known.pop(announcement.cell, None)
        if len(self._known) >= self._parameters.cells_max:
            others = [each for each in self._known if each not in self.held]
            if others:
                del self._known[others[0]]
        self._known[announcement.cell] = KnownManager(announcement, self._host.now)


def _is_no_senior(one: Announcement, other: Announcement) -> bool:
    """Tell whether one manager is not senior to another."""
    return one.beat < other.beat or (one.beat == other.beat and one.manager >= other.manager)


def _seniority(announcement: Announcement) -> tuple[int, int]:
    return announcement.beat, -announcement.manager
