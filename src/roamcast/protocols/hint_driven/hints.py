"""Hints: how close a node recently was to others, judged by the beacons it has missed (hint-driven paper, 3.2 and 4).

The hint for a node is the number of its beacons missed since the last one was heard, divided by ten: 0 while the node
is adjacent, 1 when its row is about to be deleted, infinite (here: no row) if it was never heard. All nodes send
beacons at the same interval, so the k-th beacon after the last is due k intervals later, and ``floor((now - last) /
interval)`` of them have been missed.
"""

from dataclasses import dataclass

from roamcast.core.events import Event
from roamcast.core.predicates import Predicate

NODE_BYTES, TIME_BYTES = 4, 8
"""The sizes of a node's number and of a time in memory, in bytes."""

Destinations = dict[int, float]
"""The nodes known to want an event, each with the lowest hint among the nodes that forwarded it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A node's last beacon, and when it was heard."""

    predicate: Predicate
    at_s: float


class HintTable:
    """The last beacon of each node heard, at most ``rows_max``; when the table is full, the oldest is replaced."""

    def __init__(self, interval_s: float, missed_beacons_max: int, rows_max: int) -> None:
        self._interval_s = interval_s
        self._missed_max = missed_beacons_max
        self._rows_max = rows_max
        self._rows: dict[int, Heard] = {}

    def note(self, node: int, predicate: Predicate, now_s: float) -> None:
        """Record a beacon."""
        if node not in self._rows and len(self._rows) >= self._rows_max:
            del self._rows[min(self._rows, key=lambda each: self._rows[each].at_s)]
        self._rows[node] = Heard(predicate, now_s)

    def forget(self, node: int) -> None:
        """Forget a node that has no subscriptions any more."""
        self._rows.pop(node, None)

    def clean_up(self, now_s: float) -> None:
        """Delete the rows whose nodes have missed more than the allowed number of beacons."""
        oldest_s = now_s - self._missed_max * self._interval_s
        if any(row.at_s < oldest_s for row in self._rows.values()):
            self._rows = {node: row for node, row in self._rows.items() if row.at_s >= oldest_s}

    def improve(self, event: Event, destinations: Destinations, now_s: float, destinations_max: int) -> float | None:
        """Enter into ``destinations`` the nodes that want an event and are not listed, or listed with a higher hint.

        Return the lowest hint entered, or None if nothing was. A full list takes no new node.
        """
        lowest: float | None = None
        for node, row in self._rows.items():
            listed = destinations.get(node)
            if listed == 0.0 or (listed is None and len(destinations) >= destinations_max):
                continue
            missed = int((now_s - row.at_s) / self._interval_s)
            if missed > self._missed_max:  # overdue: the next clean-up deletes it
                continue
            hint = missed / self._missed_max
            if (listed is None or hint < listed) and row.predicate.matches(event):
                destinations[node] = hint
                if lowest is None or hint < lowest:
                    lowest = hint
        return lowest

    def size_bytes(self) -> int:
        """Return the size of the table in memory."""
        return sum(NODE_BYTES + TIME_BYTES + row.predicate.size_bytes() for row in self._rows.values())
