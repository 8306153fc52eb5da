"""A grid manager's reports to its zone manager: the GRSV when it changes, and new subscriptions (section IV-B1).

A change that widens the summary is reported at once, subject to the shortest time between two reports; one that only
narrows it may wait. A zone manager that knows nothing of the grid is sent everything. All is sent again after a while
(section IV-B2), and the grid manager's position after it has moved.
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
CACHE_REQUESTS_MAX = 256
"""The most new subscriptions for which a report asks the cache; further ones get only what is published later."""
NEVER_S = 1e9
"""Nothing in the cache is younger than this, in seconds."""


class Reports:
    """The reports of a grid manager to a zone manager: what was sent, and when the next is due."""

    def __init__(self, node: Node, grid: Cell, table: SummaryTable, predecessor: int | None) -> None:
        self._node = node
        self._grid = grid
        self._zone = node.plan.zone_of(grid)
        self._table = table
        self._replaces = predecessor
        self._reported: tuple[Description, ...] = ()
        self._reported_to: int | None = None
        self._reported_at_s = -inf
        self._reported_position = Position(0.0, 0.0)
        self._full_report_at_s = -inf
        self._number = 0
        self._cache_requests: dict[Description, None] = {}
        self._requests_since_s = NEVER_S
        self._due_at_s = inf
        self._is_overdue = False
        """Whether a report fell due while no zone manager was known."""

    def request_from_cache(self, added: Iterable[Description], since_s: float) -> None:
        """Ask the zone manager's cache for what matches new subscriptions, with the next report."""
        if since_s < NEVER_S:
            for description in added:
                if len(self._cache_requests) < CACHE_REQUESTS_MAX:
                    self._cache_requests[description] = None
                    self._requests_since_s = min(self._requests_since_s, since_s)

    def since_s(self, subscriptions: Iterable[Description]) -> float:
        """Return since when the cache is still to be asked for some subscriptions, or ``NEVER_S``."""
        return self._requests_since_s if any(each in self._cache_requests for each in subscriptions) else NEVER_S

    def schedule(self) -> None:
        """Report soon what has changed."""
        parameters, now_s, summary = self._node.parameters, self._node.host.now, self._summary()
        if summary == self._reported and not self._cache_requests:
            return
        is_urgent = bool(self._cache_requests) or self._node.describer.asks_for_more(summary, self._reported)
        at_s = max(self._reported_at_s + parameters.gather_s, now_s + (0.0 if is_urgent else parameters.lazy_s))
        if at_s < self._due_at_s:
            self._due_at_s = at_s
            self._node.host.wake(at_s, (REPORT, self._grid))

    def report(self) -> None:
        """Report what has changed since the last report, if anything has."""
        self._due_at_s = inf
        manager, summary = self._node.offices.manager(self._zone), self._summary()
        self._is_overdue = manager is None
        if manager is None:
            return
        if summary != self._reported:
            self._send(summary, manager.manager)
        elif self._cache_requests and self._node.parameters.covered_asks:
            self._send(None, manager.manager)
        self._cache_requests, self._requests_since_s = {}, NEVER_S

    def look(self, has_subscribers: bool) -> None:
        """Report to a new zone manager, again after a while, and after a move."""
        manager = self._node.offices.manager(self._zone)
        if manager is None:
            return
        if self._reported_to is not None and manager.predecessor == self._reported_to:
            self._reported_to = manager.manager
        refresh_at_s = self._full_report_at_s + self._node.parameters.refresh_s
        if self._reported_to != manager.manager or refresh_at_s <= self._node.host.now:
            self._send(self._summary(), manager.manager)
        elif self._is_overdue:
            self.report()
        elif has_subscribers and self._has_moved():
            self._send(None, manager.manager)

    def _has_moved(self) -> bool:
        """Tell whether this node has left the range around the position it last reported."""
        here, there, range_m = self._node.position(), self._reported_position, self._node.host.world.range_m
        moved_m = max(abs(here.x_m - there.x_m), abs(here.y_m - there.y_m))
        return moved_m > self._node.parameters.position_share * range_m

    def _summary(self) -> tuple[Description, ...]:
        return self._table.representatives()[: self._node.parameters.summaries_max]

    def _send(self, summary: tuple[Description, ...] | None, to: int) -> None:
        """Send a report, with the new subscriptions."""
        node, describer = self._node, self._node.describer
        requests, since_s = tuple(self._cache_requests), self._requests_since_s
        self._number += 1
        self._reported_to, self._reported_at_s, self._reported_position = to, node.host.now, node.position()
        self._cache_requests, self._requests_since_s = {}, NEVER_S
        replaces, me, cells = self._replaces, node.host.node, (self._zone,)
        if summary is not None:
            self._reported, self._full_report_at_s, self._replaces = summary, node.host.now, None
        size_bytes = SUMMARY_BYTES + describer.size_bytes(summary or ()) + describer.size_bytes(requests)
        about = self._grid, me, self._reported_position, self._number, replaces
        node.send(GridSummary(size_bytes, cells, 0, *about, summary, requests, since_s), self._zone)
