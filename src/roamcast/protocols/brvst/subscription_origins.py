"""A zone's subscription origin form, the SOF of section IV-B2: which grids ask for what, and what sums that up."""

from collections.abc import Iterator
from dataclasses import dataclass

from roamcast.core.host import Position
from roamcast.core.widths import NODE_BYTES, POSITION_BYTES
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.description_tables import owner_of, table_of
from roamcast.protocols.brvst.grid_manager import KEEP_FACTOR
from roamcast.protocols.brvst.grid_reports import NEVER_S, SUMMARY_BYTES
from roamcast.protocols.brvst.messages import Description, GridSummary
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.routing.shared.geometry import is_sound_position


@dataclass(slots=True)
class GridRow:
    """A grid manager, and what it has said: a row of the SOF (figure 5)."""

    grid: Cell
    at: Position
    number: int
    heard_at_s: float
    summary: frozenset[Description] = frozenset()


class SubscriptionOrigins:
    """The rows of all grid managers of a zone."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._table = table_of(node.content)
        self.rows: dict[int, GridRow] = {}
        """By grid manager."""

    def note(self, message: GridSummary) -> bool:
        """Keep what a grid manager says; tell whether that made sense."""
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
        content, limit = self._node.content, max(self._node.parameters.summaries_max, 256)
        return (
            self._node.plan.is_cell(message.grid)
            and is_sound_position(message.at)
            and message.since_s >= 0
            and content.are_sound(message.summary or (), limit)
            and content.are_sound(message.asked, limit)
        )

    def _replace(self, manager: int, row: GridRow, summary: frozenset[Description]) -> None:
        for described in row.summary - summary:
            self._table.remove((manager, described))
        for described in sorted(summary - row.summary, key=repr):
            if len(self._table) < self._node.parameters.summaries_max * 4:
                self._table.add((manager, described), described)
        row.summary = summary

    def _forget(self, manager: int) -> None:
        row = self.rows.pop(manager, None)
        if row is not None:
            self._replace(manager, row, frozenset())

    def forget_silent(self) -> bool:
        """Forget grid managers who have not been heard for long; tell whether there were any."""
        oldest_s = self._node.host.now - KEEP_FACTOR * self._node.parameters.refresh_s
        silent = [manager for manager, row in self.rows.items() if row.heard_at_s < oldest_s]
        for manager in silent:
            self._forget(manager)
        return bool(silent)

    def matching(self, described: Description) -> dict[int, GridRow]:
        """Return the grid managers whose grids may want a publication."""
        managers = dict.fromkeys(owner_of(identifier) for identifier in self._table.match(described))
        return {manager: self.rows[manager] for manager in managers if manager in self.rows}

    def summary(self) -> tuple[Description, ...]:
        """Return the zone's representative set, the ZRSV."""
        return self._table.representatives()[: self._node.parameters.summaries_max]

    def contents(self, cells: tuple[Cell, ...]) -> Iterator[GridSummary]:
        """Yield what a successor must know."""
        for manager, row in self.rows.items():
            summary = tuple(sorted(row.summary, key=repr))
            size_bytes = SUMMARY_BYTES + self._node.content.size_bytes(summary)
            yield GridSummary(size_bytes, cells, 0, row.grid, manager, row.at, row.number, None, summary, (), NEVER_S)

    def stored_bytes(self) -> int:
        """Return the size of the rows and of what sums them up."""
        return self._table.stored_bytes() + (NODE_BYTES + POSITION_BYTES + PAYLOAD_BYTES) * len(self.rows)
