"""A grid manager's reports to its zone manager: the GRSV upon its change, and what is newly asked for (section IV-B1).

A change by which more is asked for is told at once, but for the shortest time between two reports; one by which only
less is asked for may wait. A zone manager who knows nothing of the grid is told everything; all is told again after a
while (section IV-B2), and where the manager is when it has moved.
"""

from collections.abc import Iterable
from math import inf

from roamcast.core.host import Position
from roamcast.core.widths import NODE_BYTES, NUMBER_BYTES, POSITION_BYTES, TIME_BYTES
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.description_tables import SummaryTable
from roamcast.protocols.brvst.messages import Description, GridSummary
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node

REPORT = "brvst-report"
SUMMARY_BYTES = 2 * PAYLOAD_BYTES + 2 * NODE_BYTES + POSITION_BYTES + NUMBER_BYTES + TIME_BYTES
ASKED_MAX = 256
"""How many new subscriptions a report asks the cache for; further ones get only what is published later."""
NEVER_S = 1e9
"""Nothing in the cache is younger than this."""


class Reports:
    """What a zone manager has been told by a grid manager, and when it is to be told more."""

    def __init__(self, node: Node, grid: Cell, table: SummaryTable, predecessor: int | None) -> None:
        self._node = node
        self._grid = grid
        self._zone = node.plan.zone_of(grid)
        self._table = table
        self._replaces = predecessor
        self._told: tuple[Description, ...] = ()
        self._told_whom: int | None = None
        self._told_at_s = -inf
        self._told_from = Position(0.0, 0.0)
        self._whole_at_s = -inf
        self._number = 0
        self._asked: dict[Description, None] = {}
        self._asked_since_s = NEVER_S
        self._due_at_s = inf
        self._is_overdue = False
        """A report fell due when no zone manager was heard."""

    def ask(self, added: Iterable[Description], since_s: float) -> None:
        """Ask the zone manager's cache for what is new, with the next report."""
        if since_s < NEVER_S:
            for described in added:
                if len(self._asked) < ASKED_MAX:
                    self._asked[described] = None
                    self._asked_since_s = min(self._asked_since_s, since_s)

    def since_s(self, asked: Iterable[Description]) -> float:
        """Return since when some subscriptions are still to be asked for; for ever, if none of them is."""
        return self._asked_since_s if any(each in self._asked for each in asked) else NEVER_S

    def want(self) -> None:
        """Report soon what has changed."""
        parameters, now_s, summary = self._node.parameters, self._node.host.now, self._summary()
        if summary == self._told and not self._asked:
            return
        is_urgent = bool(self._asked) or self._node.content.asks_for_more(summary, self._told)
        at_s = max(self._told_at_s + parameters.gather_s, now_s + (0.0 if is_urgent else parameters.lazy_s))
        if at_s < self._due_at_s:
            self._due_at_s = at_s
            self._node.host.wake(at_s, (REPORT, self._grid))

    def report(self) -> None:
        """Send what has changed since the last report; nothing, if nothing has."""
        self._due_at_s = inf
        manager, summary = self._node.offices.manager(self._zone), self._summary()
        self._is_overdue = manager is None
        if manager is None:
            return
        if summary != self._told:
            self._send(summary, manager.manager)
        elif self._asked and self._node.parameters.covered_asks:
            self._send(None, manager.manager)
        self._asked, self._asked_since_s = {}, NEVER_S

    def look(self, has_subscribers: bool) -> None:
        """Report to a new zone manager, again after a while, and after a move."""
        manager = self._node.offices.manager(self._zone)
        if manager is None:
            return
        if self._told_whom is not None and manager.predecessor == self._told_whom:
            self._told_whom = manager.manager
        refresh_at_s = self._whole_at_s + self._node.parameters.refresh_s
        if self._told_whom != manager.manager or refresh_at_s <= self._node.host.now:
            self._send(self._summary(), manager.manager)
        elif self._is_overdue:
            self.report()
        elif has_subscribers and self._has_moved():
            self._send(None, manager.manager)

    def _has_moved(self) -> bool:
        """Tell whether the zone manager would not find this node where it said last that it was."""
        here, said, range_m = self._node.position(), self._told_from, self._node.host.world.range_m
        moved_m = max(abs(here.x_m - said.x_m), abs(here.y_m - said.y_m))
        return moved_m > self._node.parameters.position_share * range_m

    def _summary(self) -> tuple[Description, ...]:
        return self._table.representatives()[: self._node.parameters.summaries_max]

    def _send(self, summary: tuple[Description, ...] | None, to: int) -> None:
        """Send a report, with what is newly asked for."""
        node, content, asked, since_s = self._node, self._node.content, tuple(self._asked), self._asked_since_s
        self._number += 1
        self._told_whom, self._told_at_s, self._told_from = to, node.host.now, node.position()
        self._asked, self._asked_since_s = {}, NEVER_S
        replaces, me, cells = self._replaces, node.host.node, (self._zone,)
        if summary is not None:
            self._told, self._whole_at_s, self._replaces = summary, node.host.now, None
        size_bytes = SUMMARY_BYTES + content.size_bytes(summary or ()) + content.size_bytes(asked)
        node.send(
            GridSummary(
                size_bytes, cells, 0, self._grid, me, self._told_from, self._number, replaces, summary, asked, since_s
            ),
            self._zone,
        )
