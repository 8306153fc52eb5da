"""What all roles of a BRVST node share: its host, router, cells and managers, and the way to send to a manager.

A message for a manager that is not known waits until one is heard, and so does one that was to go to a manager who is
not found, on the node that could not bring it on: its own for as long as it takes, another's for a while. One that
comes to a node that is not, or no longer, the manager goes on to the one that this node knows, a few times.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from typing import NamedTuple, TypeVar

from roamcast.core.host import Host, Position
from roamcast.core.messages import Message
from roamcast.core.widths import KIND_BYTES
from roamcast.protocols.brvst.cells import CELL_BYTES, Cell, CellPlan
from roamcast.protocols.brvst.descriptions import Content
from roamcast.protocols.brvst.elections import Offices
from roamcast.protocols.brvst.messages import REDIRECTS_MAX, CellPayload
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.routing.rsgm import Rsgm
from roamcast.routing.shared.packets import is_expired

P = TypeVar("P", bound=CellPayload)
PAYLOAD_BYTES = KIND_BYTES + CELL_BYTES
"""What a message for a manager has beside what is its own; further cells stand in the multicast's header already."""
KEEP_FACTOR = 2.0
"""Another's message waits for so many of the times after which a manager is taken to be gone."""


class Pending(NamedTuple):
    """A message that waits for a manager."""

    cell: Cell
    payload: CellPayload
    until_s: float


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
        self._pending: list[Pending] = []

    def send(self, payload: CellPayload, cell: Cell) -> None:
        """Bring a message to the manager of a cell that this node is in, or was in just now."""
        manager = self.offices.manager(cell)
        if cell in self.offices.held:
            self.act(payload, cell)
        elif manager is None:
            self._wait(payload, cell)
        else:
            self.router.send(payload, manager.manager, manager.at)

    def _wait(self, payload: CellPayload, cell: Cell, until_s: float = inf) -> None:
        self._pending.append(Pending(cell, payload, until_s))
        if len(self._pending) > self.parameters.pending_max:
            self.host.drop(self._pending.pop(0).payload, "no-manager")

    def flush(self, cell: Cell) -> None:
        """Send what has waited for the manager of a cell."""
        ready = [each.payload for each in self._pending if each.cell == cell]
        if ready:
            self._pending = [each for each in self._pending if each.cell != cell]
            for payload in ready:
                if is_expired(payload, self.host.now):
                    self.host.drop(payload, "expired")
                else:
                    self.send(payload, cell)

    def forget_overdue(self) -> None:
        """Forget what others had sent and what has waited here for too long."""
        overdue = [each for each in self._pending if each.until_s < self.host.now]
        if overdue:
            self._pending = [each for each in self._pending if each not in overdue]
            for each in overdue:
                self.host.drop(each.payload, "no-manager")

    def redirect(self, payload: CellPayload, cell: Cell) -> None:
        """Send a message on to the manager of a cell, who is somebody else; when it has died, to the next one."""
        manager = self.offices.manager(cell)
        if payload.redirects >= REDIRECTS_MAX:
            self.host.drop(payload, "no-manager")
        elif manager is None:
            self._wait(for_cell(payload, cell), cell)
        else:
            self.router.send(for_cell(payload, cell), manager.manager, manager.at)

    def try_again(self, payload: CellPayload, gone: int, is_own: bool) -> None:
        """Send a message that did not reach a manager to the one who is that by now, or let it wait for the next one.

        The same manager may be the next that is heard, too. What has stood in a multicast is not tried again: that goes
        down to grids, whose next managers ask for it themselves.
        """
        if payload.redirects >= REDIRECTS_MAX or len(payload.cells) != 1:
            return
        cell = payload.cells[0]
        again, manager = for_cell(payload, cell), self.offices.manager(cell)
        if manager is None or manager.manager == gone:
            keep_s = inf if is_own else KEEP_FACTOR * self.parameters.silent_factor * self.parameters.announce_s
            self._wait(again, cell, self.host.now + keep_s)
        else:
            self.send(again, cell)

    def multicast_to_zones(self, payload: Message, zones: Iterable[Cell]) -> None:
        """Bring a message towards the centres of zones (section IV-C)."""
        self.router.send_to_many(payload, [(None, self.plan.centre(zone)) for zone in zones])

    def position(self) -> Position:
        """Return where the node is; a node that cannot know takes no part, so this is asked of none that cannot."""
        here = self.host.position()
        return Position(0.0, 0.0) if here is None else here

    def pending_bytes(self) -> int:
        """Return the size of what waits."""
        return sum(each.payload.size_bytes for each in self._pending)


def for_cell(payload: P, cell: Cell) -> P:
    """Return a message for one cell, redirected once more."""
    return replace(payload, cells=(cell,), redirects=payload.redirects + 1)
