"""What all roles of a BRVST node share: its host, router, cells and managers, and the way to send to a manager.

A message for a manager that is not known waits until one is heard. One that comes to a node that is not, or no longer,
the manager goes on to the one that this node knows, a few times.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from roamcast.core.host import Host, Position
from roamcast.core.messages import Message
from roamcast.protocols._brvst_cells import CELL_BYTES, Cell, CellPlan
from roamcast.protocols._brvst_content import Content
from roamcast.protocols._brvst_messages import KIND_BYTES, REDIRECTS_MAX, CellPayload
from roamcast.protocols._brvst_offices import Offices
from roamcast.protocols._brvst_parameters import BrvstParameters
from roamcast.routing._packets import is_expired
from roamcast.routing.rsgm import Rsgm

P = TypeVar("P", bound=CellPayload)
PAYLOAD_BYTES = KIND_BYTES + CELL_BYTES
"""What a message for a manager has beside what is its own; further cells stand in the multicast's header already."""


class Node:
    """One node, as its roles see it."""

    offices: Offices
    router: Rsgm

    def __init__(self, host: Host, parameters: BrvstParameters, plan: CellPlan, content: Content) -> None:
        self.host = host
        self.parameters = parameters
        self.plan = plan
        self.content = content
        self.act: Callable[[CellPayload, Cell], None]
        """Act as the manager of a cell on a message for it."""
        self._pending: list[tuple[Cell, CellPayload]] = []

    def send(self, payload: CellPayload, cell: Cell) -> None:
        """Bring a message to the manager of a cell that this node is in, or was in just now."""
        manager = self.offices.manager(cell)
        if cell in self.offices.held:
            self.act(payload, cell)
        elif manager is None:
            self._wait(payload, cell)
        else:
            self.router.send(payload, manager.manager, manager.at)

    def _wait(self, payload: CellPayload, cell: Cell) -> None:
        self._pending.append((cell, payload))
        if len(self._pending) > self.parameters.pending_max:
            self.host.drop(self._pending.pop(0)[1], "no-manager")

    def flush(self, cell: Cell) -> None:
        """Send what has waited for the manager of a cell."""
        ready = [payload for each, payload in self._pending if each == cell]
        if ready:
            self._pending = [each for each in self._pending if each[0] != cell]
            for payload in ready:
                if is_expired(payload, self.host.now):
                    self.host.drop(payload, "expired")
                else:
                    self.send(payload, cell)

    def redirect(self, payload: CellPayload, cell: Cell) -> None:
        """Send a message on to the manager of a cell, who is somebody else; when it has died, to the next one."""
        manager = self.offices.manager(cell)
        if payload.redirects >= REDIRECTS_MAX:
            self.host.drop(payload, "no-manager")
        elif manager is None:
            self._wait(for_cell(payload, cell), cell)
        else:
            self.router.send(for_cell(payload, cell), manager.manager, manager.at)

    def try_again(self, payload: CellPayload) -> None:
        """Let a message of this node's own that was given up wait for the manager's next announcement."""
        if payload.redirects < REDIRECTS_MAX and len(payload.cells) == 1:
            self._wait(for_cell(payload, payload.cells[0]), payload.cells[0])

    def multicast_to_zones(self, payload: Message, zones: Iterable[Cell]) -> None:
        """Bring a message towards the centres of zones (section IV-C)."""
        self.router.send_to_many(payload, [(None, self.plan.centre(zone)) for zone in zones])

    def position(self) -> Position:
        """Return where the node is; a node that cannot know takes no part, so this is asked of none that cannot."""
        here = self.host.position()
        return Position(0.0, 0.0) if here is None else here

    def pending_bytes(self) -> int:
        """Return the size of what waits."""
        return sum(payload.size_bytes for _, payload in self._pending)


def for_cell(payload: P, cell: Cell) -> P:
    """Return a message for one cell, redirected once more."""
    return replace(payload, cells=(cell,), redirects=payload.redirects + 1)
