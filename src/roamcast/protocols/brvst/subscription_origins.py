"""A zone's subscription origin form, the SOF of section IV-B2: the grids' summaries, and the zone's summary of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from roamcast.core.host import Position
from roamcast.core.widths import NODE_BYTES, POSITION_BYTES
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.description_tables import owner_of, table_for
from roamcast.protocols.brvst.grid_manager import KEEP_FACTOR
from roamcast.protocols.brvst.grid_reports import NEVER_S, SUMMARY_BYTES
from roamcast.protocols.brvst.messages import Description, GridSummary
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.routing.shared.geometry import is_sound_position


@dataclass(slots=True)
class GridRow:
    """A grid manager and its last summary: a row of the SOF (figure 5)."""

    grid: Cell
    at: Position
    number: int
    heard_at_s: float
    summary: frozenset[Description] = frozenset()


class SubscriptionOrigins:
    """The rows of all grid managers of a zone."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._table = table_for(node.describer)
        self.rows: dict[int, GridRow] = {}
        """The rows, by grid manager."""

    def store(self, message: GridSummary) -> bool:
        """Store a grid manager's summary, and tell whether it was plausible."""
        if not self._is_sound(message):
            self._node.host.drop(message, "malformed")
            return False
        if message.replaces is not None and message.replaces != message.manager:
            self._forget(message.replaces)
        row = self.rows.pop(message.manager, None)
        if row is None:
            if len(self.rows) >= self._node.parameters.rows_max:
                self._forget(next(iter(self.rows)))
            row = GridRow(message.grid, message.at, message.number, self._node.host.now)
        self.rows[message.manager] = row
        if message.number >= row.number or message.grid != row.grid:
            row.grid, row.at, row.number = message.grid, message.at, message.number
            row.heard_at_s = self._node.host.now
            if message.summary is not None:
                self._replace(message.manager, row, frozenset(message.summary))
        return True

    def _is_sound(self, message: GridSummary) -> bool:
        describer, limit = self._node.describer, max(self._node.parameters.summaries_max, 256)
        return (
            self._node.plan.is_cell(message.grid)
            and is_sound_position(message.at)
            and message.since_s >= 0
            and describer.are_sound(message.summary or (), limit)
            and describer.are_sound(message.cache_requests, limit)
        )

    def _replace(self, manager: int, row: GridRow, summary: frozenset[Description]) -> None:
        for description in row.summary - summary:
            self._table.remove((manager, description))
        for description in sorted(summary - row.summary, key=repr):
            if len(self._table) < self._node.parameters.summaries_max * 4:
                self._table.add((manager, description), description)
        row.summary = summary

    def _forget(self, manager: int) -> None:
        row = self.rows.pop(manager, None)
        if row is not None:
            self._replace(manager, row, frozenset())

    def forget_silent(self) -> bool:
        """Forget grid managers that have been silent for long, and tell whether there were any."""
        oldest_s = self._node.host.now - KEEP_FACTOR * self._node.parameters.refresh_s
        silent = [manager for manager, row in self.rows.items() if row.heard_at_s < oldest_s]
        for manager in silent:
            self._forget(manager)
        return bool(silent)

    def matching(self, description: Description) -> dict[int, GridRow]:
        """Return the grid managers whose grids may want a publication."""
        managers = dict.fromkeys(owner_of(identifier) for identifier in self._table.match(description))
        return {manager: self.rows[manager] for manager in managers if manager in self.rows}

    def comparisons(self, description: Description) -> int:
        """Return with how many filters a publication is compared to find these managers."""
        return self._table.comparisons(description)

    def summary(self) -> tuple[Description, ...]:
        """Return the zone's representative set, the ZRSV."""
        return self._table.representatives()[: self._node.parameters.summaries_max]

    def contents(self, cells: tuple[Cell, ...]) -> Iterator[GridSummary]:
        """Yield the grids' summaries, for a successor."""
        for manager, row in self.rows.items():
            summary = tuple(sorted(row.summary, key=repr))
            size_bytes = SUMMARY_BYTES + self._node.describer.size_bytes(summary)
            yield GridSummary(size_bytes, cells, 0, row.grid, manager, row.at, row.number, None, summary, (), NEVER_S)

    def stored_bytes(self) -> int:
        """Return the size of the rows and of their summary."""
        return self._table.stored_bytes() + (NODE_BYTES + POSITION_BYTES + PAYLOAD_BYTES) * len(self.rows)
