"""The manager roles of a BRVST node: messages for managers arrive here, and state is handed over from here."""

from collections import deque
from typing import Any

from roamcast.core.host import Position
from roamcast.core.messages import Message
from roamcast.core.widths import KIND_BYTES, NUMBER_BYTES, POSITION_BYTES
from roamcast.protocols.brvst.cells import CELL_BYTES, GRID, ZONE, Cell
from roamcast.protocols.brvst.comparison_queue import COMPARED, ComparisonQueue
from roamcast.protocols.brvst.elections import BEAT_MAX, CLAIM, RELAY, ElectionCallbacks, Offices
from roamcast.protocols.brvst.grid_manager import GridManager
from roamcast.protocols.brvst.grid_reports import REPORT
from roamcast.protocols.brvst.messages import (
    Acceptance,
    Advertisement,
    CellPayload,
    GridSummary,
    HandOver,
    Offer,
    Publication,
    Subscriptions,
    ZoneSummary,
    batches,
)
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.brvst.zone_manager import ZoneManager
from roamcast.protocols.brvst.zone_summaries import SPREAD
from roamcast.protocols.shared.event_tables import is_sound
from roamcast.routing import Destination
from roamcast.routing.shared.geometry import is_sound_position

FORMER_MAX = 4
"""How many cells that it used to manage a node remembers, for messages that arrive too late."""
CELLS_MAX, CONTENTS_MAX = 4096, 4096
"""The most cells that a message may be for, and the most messages in a part of a hand-over."""


class Managers(ElectionCallbacks):
    """The node's actions as the manager of cells."""

    def __init__(self, node: Node) -> None:
        self._host = node.host
        self._parameters = node.parameters
        self._plan = node.plan
        self._node = node
        node.offices = self._offices = Offices(node.host, node.plan, node.parameters, self)
        node.act = self._act
        self._grids: dict[Cell, GridManager] = {}
        self._zones: dict[Cell, ZoneManager] = {}
        self._compared = ComparisonQueue(node, self._act_at_last)
        self._former: deque[Cell] = deque(maxlen=FORMER_MAX)

    def look(self) -> None:
        """Do what is due in each role."""
        for grid in self._grids.values():
            grid.look()
        for zone in self._zones.values():
            zone.look()

    def on_wake(self, what: str, about: Any) -> None:
        """Claim an office, relay an announcement, report or spread a summary, or send what has been compared."""
        if what == CLAIM:
            self._offices.claim(about)
        elif what == RELAY:
            self._offices.relay(about)
        elif what == REPORT and about in self._grids:
            self._grids[about].report()
        elif what == SPREAD and about in self._zones:
            self._zones[about].spread()
        elif what == COMPARED:
            self._compared.on_wake(about)

    def storage_bytes(self) -> int:
        """Return the size of the managers' state."""
        return sum(each.storage_bytes() for each in self._grids.values()) + sum(
            each.storage_bytes() for each in self._zones.values()
        )

    # --- messages for managers -----------------------------------------------------------------------------

    def on_payload(self, payload: CellPayload, origin: int) -> None:
        """Act on a message for a manager whose route ends here."""
        fault = self._fault(payload)
        if fault is not None:
            self._host.drop(payload, fault)
        elif isinstance(payload, Offer):
            self._on_offer(payload, origin)
        else:
            self._act_or_redirect(payload)

    def _act_or_redirect(self, payload: CellPayload) -> None:
        """Act on a message as the manager it is for, or redirect it to the current one."""
        held = [cell for cell in payload.cells if cell in self._offices.held]
        for cell in held:
            self._act(payload, cell)
        if held:
            return
        here = self._node.position()
        near = [*self._former, self._plan.cell(GRID, here), self._plan.cell(ZONE, here)]
        meant = next((cell for cell in near if cell in payload.cells), None)
        if meant is None:
            self._host.drop(payload, "empty-cell")
        else:
            self._node.redirect(payload, meant)

    def on_passing(self, payload: Message, destination: Destination) -> bool:
        """Capture a payload for the centre of the zone that this node is in, if it knows the zone's manager."""
        if not isinstance(payload, CellPayload) or isinstance(payload, Offer) or not isinstance(destination, Position):
            return False
        zone = self._plan.cell(ZONE, destination)
        if zone not in payload.cells or self._fault(payload) is not None:
            return False
        if zone in self._offices.held:
            self._act(payload, zone)
            return True
        if self._plan.cell(ZONE, self._node.position()) != zone or self._offices.manager(zone) is None:
            return False
        self._node.redirect(payload, zone)
        return True

    def keep(self, payload: CellPayload, gone: int) -> None:
        """Keep another node's message that did not reach a manager for the next one, if it is plausible."""
        if self._fault(payload) is None:
            self._node.retry(payload, gone, is_own=False)

    def _act(self, payload: CellPayload, cell: Cell) -> None:
        """Act on a message as the manager of a cell; on a publication once it has been compared with all filters."""
        role = self._grids.get(cell) or self._zones.get(cell)
        if isinstance(payload, Publication) and role is not None and self._parameters.filter_s > 0:
            self._compared.add(payload, cell, role.comparisons(payload.description))
        else:
            self._act_now(payload, cell)

    def _act_at_last(self, payload: Publication, cell: Cell) -> None:
        """Act on a publication that has been compared, unless it has expired or another node is the manager now."""
        fault = self._fault(payload)
        if fault is not None:
            self._host.drop(payload, fault)
        elif cell in self._offices.held:
            self._act_now(payload, cell)
        else:
            self._node.redirect(payload, cell)

    def _act_now(self, payload: CellPayload, cell: Cell) -> None:
        grid, zone = self._grids.get(cell), self._zones.get(cell)
        if grid is not None and isinstance(payload, Subscriptions):
            grid.on_subscriptions(payload)
        elif grid is not None and isinstance(payload, Publication):
            grid.on_publication(payload)
        elif zone is not None and isinstance(payload, GridSummary):
            zone.on_grid_summary(payload)
        elif zone is not None and isinstance(payload, ZoneSummary):
            zone.on_zone_summary(payload)
        elif zone is not None and isinstance(payload, Advertisement):
            zone.on_advertisement(payload)
        elif zone is not None and isinstance(payload, Publication):
            zone.on_publication(payload)
        else:
            self._host.drop(payload, "malformed")

    def _fault(self, payload: CellPayload) -> str | None:
        """Return why a message cannot be used or forwarded, or None; each role checks its own part."""
        if not 0 < len(payload.cells) <= CELLS_MAX or payload.redirects < 0:
            return "malformed"
        if not all(map(self._plan.is_cell, payload.cells)):
            return "malformed"
        return self._publication_fault(payload) if isinstance(payload, Publication) else None

    def _publication_fault(self, payload: Publication) -> str | None:
        is_zone = self._plan.is_cell(payload.zone) and payload.zone.level == ZONE
        if not is_zone or not is_sound(payload.event) or not self._node.describer.is_sound(payload.description):
            return "malformed"
        return None if payload.event.is_valid(self._host.now) else "expired"

    # --- calls from the elections, and hand-over -----------------------------------------------------------

    def on_elected(self, cell: Cell, predecessor: int | None) -> None:
        """Begin to manage a cell."""
        if cell.level == GRID:
            self._grids[cell] = GridManager(self._node, cell, predecessor)
        else:
            self._zones[cell] = zone = ZoneManager(self._node, cell, predecessor is not None)
            zone.schedule_spread()
        self._node.flush(cell)

    def on_manager_heard(self, cell: Cell) -> None:
        """Send the messages that waited for the manager of a cell."""
        self._node.flush(cell)

    def offer_office(self, cell: Cell, here: Position) -> None:
        """Offer an office to the node closest to its cell's centre."""
        size_bytes = PAYLOAD_BYTES + POSITION_BYTES
        self._node.router.send_to_place(Offer(size_bytes, (cell,), 0, here), self._plan.centre(cell))

    def _on_offer(self, offer: Offer, origin: int) -> None:
        cell, here = offer.cells[0], self._node.position()
        if origin == self._host.node or not is_sound_position(offer.at) or self._plan.cell(cell.level, here) != cell:
            self._host.drop(offer, "empty-cell")
        else:
            self._node.router.send(Acceptance(KIND_BYTES + CELL_BYTES + POSITION_BYTES, cell, here), origin, offer.at)

    def on_resigned(self, cell: Cell, successor: int | None, at: Position, beat: int) -> None:
        """Hand the cell's state over to a successor."""
        role = self._grids.pop(cell, None) if cell.level == GRID else self._zones.pop(cell, None)
        self._former.append(cell)
        if role is None:
            return
        if successor is None:
            self._host.drop(Offer(0, (cell,), 0, at), "no-successor")
            return
        for part in batches(role.contents(), self._parameters.part_bytes):
            size_bytes = KIND_BYTES + CELL_BYTES + NUMBER_BYTES + sum(each.size_bytes for each in part)
            self._node.router.send(HandOver(size_bytes, cell, beat, part), successor, at)

    def on_hand_over(self, message: HandOver, origin: int) -> None:
        """Take over an office and its former manager's state, or the state of a junior manager."""
        cell, here = message.cell, self._node.position()
        is_sound_part = self._plan.is_cell(cell) and 0 <= message.beat <= BEAT_MAX
        if not is_sound_part or len(message.contents) > CONTENTS_MAX or origin == self._host.node:
            self._host.drop(message, "malformed")
            return
        if cell not in self._offices.held:
            if self._plan.cell(cell.level, here) != cell:
                self._host.drop(message, "not-in-cell")
                return
            self._offices.take(cell, message.beat, origin)
        role = self._grids.get(cell) if cell.level == GRID else self._zones.get(cell)
        for item in message.contents:
            fault = self._fault(item)
            if role is not None and fault is None:
                role.absorb(item)
            else:
                self._host.drop(item, fault or "malformed")
