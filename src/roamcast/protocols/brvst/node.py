"""The common ground of a BRVST node's roles: host, router, cells and known managers, and sending to a manager.

A message for a manager that is not known waits until one is heard. So does a message for a manager that cannot be
reached, on the node that could not forward it: the node's own messages as long as it takes, those of others for a
while. A message that reaches a node that is not, or no longer, the manager is redirected to the manager that this node
knows, a few times.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from typing import NamedTuple, TypeVar

from roamcast.core.host import Host, Position
from roamcast.core.messages import Message
from roamcast.core.widths import KIND_BYTES
from roamcast.protocols.brvst.cells import CELL_BYTES, Cell, CellPlan
from roamcast.protocols.brvst.descriptions import Describer
from roamcast.protocols.brvst.elections import Offices
from roamcast.protocols.brvst.messages import REDIRECTS_MAX, CellPayload
from roamcast.protocols.brvst.parameters import BrvstParameters
from roamcast.routing.rsgm import Rsgm
from roamcast.routing.shared.packets import is_expired

P = TypeVar("P", bound=CellPayload)
PAYLOAD_BYTES = KIND_BYTES + CELL_BYTES
"""The common part of every message for a manager, in bytes; further cells are in the multicast's header already."""
KEEP_FACTOR = 2.0
"""Another node's message waits for this many of the times after which a manager is considered gone."""


class Pending(NamedTuple):
    """A message that waits for a manager."""

    cell: Cell
    payload: CellPayload
    until_s: float


class Node:
    """One node, as its roles see it."""

    offices: Offices
    router: Rsgm

    def __init__(self, host: Host, parameters: BrvstParameters, plan: CellPlan, describer: Describer) -> None:
        self.host = host
        self.parameters = parameters
        self.plan = plan
        self.describer = describer
        self.act: Callable[[CellPayload, Cell], None]
        """Acts on a message as the manager of a cell; set by ``Managers``."""
        self._pending: list[Pending] = []

    def send(self, payload: CellPayload, cell: Cell) -> None:
        """Send a message to the manager of a cell that this node is in, or was in a moment ago."""
        manager = self.offices.manager(cell)
        if cell in self.offices.held:
            self.act(payload, cell)
        elif manager is None:
            self._hold(payload, cell)
        else:
            self.router.send(payload, manager.manager, manager.at)

    def _hold(self, payload: CellPayload, cell: Cell, until_s: float = inf) -> None:
        self._pending.append(Pending(cell, payload, until_s))
        if len(self._pending) > self.parameters.pending_max:
            self.host.drop(self._pending.pop(0).payload, "no-manager")

    def flush(self, cell: Cell) -> None:
        """Send the messages that waited for the manager of a cell."""
        ready = [each.payload for each in self._pending if each.cell == cell]
        if ready:
            self._pending = [each for each in self._pending if each.cell != cell]
            for payload in ready:
                if is_expired(payload, self.host.now):
                    self.host.drop(payload, "expired")
                else:
                    self.send(payload, cell)

    def forget_overdue(self) -> None:
        """Drop the messages of other nodes that have waited here for too long."""
        overdue = [each for each in self._pending if each.until_s < self.host.now]
        if overdue:
            self._pending = [each for each in self._pending if each not in overdue]
            for pending in overdue:
                self.host.drop(pending.payload, "no-manager")

    def redirect(self, payload: CellPayload, cell: Cell) -> None:
        """Forward a message to the manager of a cell, which is another node; if that one is gone, to the next."""
        manager = self.offices.manager(cell)
        if payload.redirects >= REDIRECTS_MAX:
            self.host.drop(payload, "no-manager")
        elif manager is None:
            self._hold(redirected(payload, cell), cell)
        else:
            self.router.send(redirected(payload, cell), manager.manager, manager.at)

    def retry(self, payload: CellPayload, gone: int, is_own: bool) -> None:
        """Send a message that did not reach a manager to the current one, or let it wait for the next one.

        That may turn out to be the same manager. A multicast is not retried: it goes down to grids, whose next managers
        ask for it themselves.
        """
        if payload.redirects >= REDIRECTS_MAX or len(payload.cells) != 1:
            return
        cell = payload.cells[0]
        again, manager = redirected(payload, cell), self.offices.manager(cell)
        if manager is None or manager.manager == gone:
            keep_s = inf if is_own else KEEP_FACTOR * self.parameters.silent_factor * self.parameters.announce_s
            self._hold(again, cell, self.host.now + keep_s)
        else:
            self.send(again, cell)

    def multicast_to_zones(self, payload: Message, zones: Iterable[Cell]) -> None:
        """Send a message towards the centres of zones (section IV-C)."""
        self.router.send_to_many(payload, [(None, self.plan.centre(zone)) for zone in zones])

    def position(self) -> Position:
        """Return the node's position; never called on a node that does not know it, as such a node takes no part."""
        here = self.host.position()
        return Position(0.0, 0.0) if here is None else here

    def pending_bytes(self) -> int:
        """Return the size of the waiting messages."""
        return sum(each.payload.size_bytes for each in self._pending)


def redirected(payload: P, cell: Cell) -> P:
    """Return a message addressed to one cell and marked as redirected once more."""
    return replace(payload, cells=(cell,), redirects=payload.redirects + 1)
