"""The grid manager: a grid's subscriptions, their summary, and publications from and for the grid (IV-B1, IV-C)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from roamcast.core.events import EventId
from roamcast.core.host import FALSE_POSITIVE_BROKER, Position
from roamcast.core.messages import Message
from roamcast.core.widths import EVENT_ID_BYTES, KIND_BYTES, NODE_BYTES, NUMBER_BYTES, POSITION_BYTES, TIME_BYTES
from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.description_tables import owner_of, table_for
from roamcast.protocols.brvst.grid_reports import Reports
from roamcast.protocols.brvst.messages import Description, Notification, Notified, Publication, Subscriptions
from roamcast.protocols.brvst.node import PAYLOAD_BYTES, Node
from roamcast.protocols.brvst.subscriber import SUBSCRIPTIONS_BYTES, publication_bytes
from roamcast.routing.shared.geometry import is_sound_position

NOTIFIED_BYTES = PAYLOAD_BYTES + EVENT_ID_BYTES + TIME_BYTES
KEEP_FACTOR = 2.5
"""A row that was not refreshed for this many refresh intervals is forgotten."""


@dataclass(slots=True)
class SubscriberRow:
    """A subscriber in the grid."""

    at: Position
    heard_at_s: float
    number: int
    """The number of the latest message."""
    whole_number: int
    """The number of the latest message that held all subscriptions."""
    items: dict[int, Description] = field(default_factory=dict)


@dataclass(slots=True)
class Notice:
    """The subscribers to which an event has been sent."""

    at_s: float
    """When the event last arrived."""
    nodes: set[int] = field(default_factory=set)


class GridManager:
    """A node's state and actions as the manager of a grid."""

    def __init__(self, node: Node, grid: Cell, predecessor: int | None) -> None:
        self._node = node
        self._grid = grid
        self._zone = node.plan.zone_of(grid)
        self._rows: dict[int, SubscriberRow] = {}
        self._table = table_for(node.describer)
        self._notified: dict[EventId, Notice] = {}
        self._reports = Reports(node, grid, self._table, predecessor)

    # --- subscriptions -------------------------------------------------------------------------------------

    def on_subscriptions(self, message: Subscriptions) -> None:
        """Add and remove subscriptions (algorithms 1 and 2), and schedule a report to the zone manager if any changed.

        A grid manager keeps no events. Its report asks the zone manager for cached ones that match the new
        subscriptions: ``ZoneManager.on_grid_summary`` looks them up in its ``PublicationCache``, and they come back to
        ``on_publication``, which sends them to the subscribers.
        """
        if not self._is_sound(message):
            self._node.host.drop(message, "malformed")
            return
        row = self._row(message)
        if message.number < row.whole_number:
            self._node.host.drop(message, "overtaken")
            return
        if message.number >= row.number:
            row.at, row.number = message.at, message.number
        row.heard_at_s = self._node.host.now
        if message.is_whole:
            row.whole_number = message.number
            gone = row.items.keys() - {number for number, _ in message.added}
            self._remove(message.subscriber, row, gone)
        self._remove(message.subscriber, row, message.removed)
        for number, description in message.added:
            if number in row.items or len(row.items) < self._node.parameters.subscriptions_max:
                row.items[number] = description
                self._table.add((message.subscriber, number), description)
        if not row.items and message.is_whole:
            del self._rows[message.subscriber]
        self._reports.request_from_cache((each for _, each in message.added), message.since_s)
        if message.added or message.removed or message.is_whole:
            self._reports.schedule()

    def _is_sound(self, message: Subscriptions) -> bool:
        limit = self._node.parameters.subscriptions_max
        descriptions = tuple(each for _, each in message.added)
        return (
            is_sound_position(message.at)
            and message.since_s >= 0
            and self._node.describer.are_sound(descriptions, max(limit, 64))
            and len(message.removed) <= 256
        )

    def _row(self, message: Subscriptions) -> SubscriberRow:
        row = self._rows.pop(message.subscriber, None)
        if row is None:
            if len(self._rows) >= self._node.parameters.subscribers_max:
                self._forget(next(iter(self._rows)))
            row = SubscriberRow(message.at, self._node.host.now, message.number, -1)
        self._rows[message.subscriber] = row  # at the end, so that the one heard longest ago comes first
        return row

    def _remove(self, subscriber: int, row: SubscriberRow, numbers: Collection[int]) -> None:
        for number in [each for each in row.items if each in numbers]:
            del row.items[number]
            self._table.remove((subscriber, number))

    def _forget(self, subscriber: int) -> None:
        row = self._rows.pop(subscriber)
        self._remove(subscriber, row, tuple(row.items))

    def comparisons(self, description: Description) -> int:
        """Return with how many filters a publication is compared here."""
        return self._table.comparisons(description)

    def look(self) -> None:
        """Forget silent subscribers, and report what is due."""
        keep_s = KEEP_FACTOR * self._node.parameters.refresh_s
        for subscriber in [each for each, row in self._rows.items() if row.heard_at_s + keep_s < self._node.host.now]:
            self._forget(subscriber)
            self._reports.schedule()
        self._reports.look(bool(self._rows))

    def report(self) -> None:
        """Report what has changed since the last report."""
        self._reports.report()

    # --- publications --------------------------------------------------------------------------------------

    def on_publication(self, message: Publication) -> None:
        """Match a publication in the grid; if it was published there, send it to the zone manager (section IV-C)."""
        event_id, is_known = message.event.id, message.event.id in self._notified
        if is_known and not message.is_downward:
            self._node.host.drop(message, "duplicate")
            return
        matched = self._match(message)
        if message.is_downward:
            if not matched:
                self._node.host.drop(message, FALSE_POSITIVE_BROKER)
        else:
            self._send_up(message)
        notified = self._notice_for(event_id, self._node.host.now).nodes
        new = [each for each in matched if each not in notified][: self._node.parameters.subscribers_max]
        notified.update(new)
        if new:
            notification = Notification(KIND_BYTES + message.event.size_bytes, message.event)
            self._node.router.send_to_many(notification, [(each, self._rows[each].at) for each in new])

    def _notice_for(self, event_id: EventId, at_s: float) -> Notice:
        notice = self._notified.pop(event_id, None) or Notice(at_s)
        notice.at_s = max(notice.at_s, at_s)
        if len(self._notified) >= self._node.parameters.identifiers_max:
            del self._notified[next(iter(self._notified))]
        self._notified[event_id] = notice
        return notice

    def _match(self, message: Publication) -> list[int]:
        found: dict[int, None] = {}
        for identifier in self._table.match(message.description):
            subscriber = owner_of(identifier)
            if subscriber != message.event.id.publisher:
                found[subscriber] = None
        return list(found)

    def _send_up(self, message: Publication) -> None:
        node, event, description = self._node, message.event, message.description
        size_bytes = publication_bytes(node, event, description)
        manager = node.host.node
        node.send(Publication(size_bytes, (self._zone,), 0, event, description, self._zone, manager, False), self._zone)

    # --- hand-over and storage -----------------------------------------------------------------------------

    def contents(self) -> Iterator[Subscriptions | Notified]:
        """Yield the state a successor needs: all subscriptions, and who has received events that may come again."""
        grid, oldest_s = (self._grid,), self._node.host.now - self._node.parameters.cache_s
        for event_id, notice in self._notified.items():
            nodes = tuple(sorted(notice.nodes & self._rows.keys()))
            if nodes and notice.at_s >= oldest_s:
                yield Notified(NOTIFIED_BYTES + NODE_BYTES * len(nodes), grid, 0, event_id, notice.at_s, nodes)
        for subscriber, row in self._rows.items():
            added = tuple(row.items.items())
            size_bytes = SUBSCRIPTIONS_BYTES + NUMBER_BYTES * len(added)
            size_bytes += self._node.describer.size_bytes(row.items.values())
            since_s = self._reports.since_s(row.items.values())
            yield Subscriptions(size_bytes, grid, 0, subscriber, row.number, row.at, True, added, (), since_s)

    def absorb(self, message: Message) -> None:
        """Take over another manager's state."""
        if isinstance(message, Subscriptions):
            self.on_subscriptions(message)
        elif isinstance(message, Notified) and self._is_sound_notice(message):
            nodes = self._notice_for(message.event_id, message.at_s).nodes
            nodes.update(message.nodes[: max(self._node.parameters.subscribers_max - len(nodes), 0)])
        else:
            self._node.host.drop(message, "malformed")

    def _is_sound_notice(self, message: Notified) -> bool:
        return message.at_s <= self._node.host.now and len(message.nodes) <= self._node.parameters.subscribers_max

    def storage_bytes(self) -> int:
        """Return the size of the table and of the subscribers' rows."""
        row_bytes = NODE_BYTES + POSITION_BYTES + NUMBER_BYTES + TIME_BYTES
        return self._table.stored_bytes() + row_bytes * len(self._rows)
