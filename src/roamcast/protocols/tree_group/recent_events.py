"""The events that a node passed on in the last few seconds, for children that come too late for them.

Section 3.4 of the paper repairs the tree but says nothing of the events that pass while a node has no parent. All
of them would be lost to it and to the nodes below it, though its next parent had most of them a moment ago.

Time and bytes are limited, and so is what leaves again: within ``replay_s`` a node sends no more than
``replay_bytes`` of old events, whoever asks for them and under however many names.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from roamcast.core.events import EventId
from roamcast.protocols.tree_group.messages import Notification
from roamcast.protocols.tree_group.parameters import TreeGroupParameters


@dataclass(slots=True)
class Recent:
    """An event that a node has passed on."""

    message: Notification
    heard_at_s: float
    holders: set[int] = field(default_factory=set)
    """The neighbours that it came from or was sent to, at most ``children_max`` and one parent."""


class RecentEvents:
    """The events of the last ``replay_s``, at most ``replay_bytes`` of them."""

    def __init__(self, parameters: TreeGroupParameters) -> None:
        self._kept_s = parameters.replay_s
        self._bytes_max = parameters.replay_bytes
        self._holders_max = parameters.children_max + 1
        self._rows: dict[EventId, Recent] = {}
        self._size_bytes = 0
        self._sent_bytes = 0
        self._sent_since_s = -inf

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, message: Notification, now_s: float) -> None:
        """Keep an event that has just been heard for the first time; the oldest ones make room."""
        if message.size_bytes > self._bytes_max or message.event.id in self._rows:
            return
        self._rows[message.event.id] = Recent(message, now_s)
        self._size_bytes += message.size_bytes
        self._forget_old(now_s)

    def _forget_old(self, now_s: float) -> None:
        while self._rows:
            oldest = next(iter(self._rows.values()))
            if self._size_bytes <= self._bytes_max and oldest.heard_at_s >= now_s - self._kept_s:
                return
            del self._rows[oldest.message.event.id]
            self._size_bytes -= oldest.message.size_bytes

    def is_held(self, event_id: EventId, node: int) -> bool:
        """Tell whether a neighbour is known to have a recent event."""
        row = self._rows.get(event_id)
        return row is not None and node in row.holders

    def add_holder(self, event_id: EventId, node: int | None) -> None:
        """Record that a neighbour has an event, or will have it when its frame is acknowledged."""
        row = self._rows.get(event_id)
        if row is not None and node is not None and len(row.holders) < self._holders_max:
            row.holders.add(node)

    def remove_holder(self, event_id: EventId, node: int) -> None:
        """Record that a neighbour has not acknowledged an event."""
        row = self._rows.get(event_id)
        if row is not None:
            row.holders.discard(node)

    def missed_by(self, node: int, now_s: float) -> Iterable[Notification]:
        """Return the events that a neighbour is not known to have, the oldest first; expired ones are left out."""
        self._forget_old(now_s)
        rows = self._rows.values()
        return [row.message for row in rows if node not in row.holders and row.message.event.is_valid(now_s)]

    def may_send(self, size_bytes: int, now_s: float) -> bool:
        """Tell whether this node may send so many bytes of old events now, and count them if so."""
        if now_s >= self._sent_since_s + self._kept_s:
            self._sent_since_s, self._sent_bytes = now_s, 0
        if self._sent_bytes + size_bytes > self._bytes_max:
            return False
        self._sent_bytes += size_bytes
        return True
