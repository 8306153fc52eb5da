"""Hints: how near a node once was to others, told from the beacons that it has missed (hint-driven paper, 3.2 and 4).

The hint for a node is the number of its beacons missed since the last one was heard, over ten: 0 while it is adjacent,
1 when its row is about to be deleted, infinite (here: no row) when it was never heard. All beacon at one interval, so
the k-th beacon after the last is due k intervals later: ``floor((now - last) / interval)`` of them have been missed.
"""

from dataclasses import dataclass

from roamcast.core.events import Event
from roamcast.core.predicates import Predicate

NODE_BYTES, TIME_BYTES = 4, 8
"""The sizes of a node's number and of a time in memory."""

Destinations = dict[int, float]
"""The nodes known to ask for an event, each with the lowest hint of those that forwarded it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a node said in its last beacon, and when."""

    predicate: Predicate
    at_s: float


class HintTable:
    """The last beacon of each node heard of, at most ``rows_max``; when it is full, the oldest makes room."""

    def __init__(self, interval_s: float, missed_beacons_max: int, rows_max: int) -> None:
        self._interval_s = interval_s
        self._missed_max = missed_beacons_max
        self._rows_max = rows_max
        self._rows: dict[int, Heard] = {}

    def note(self, node: int, predicate: Predicate, now_s: float) -> None:
        """Note a beacon."""
        if node not in self._rows and len(self._rows) >= self._rows_max:
            del self._rows[min(self._rows, key=lambda each: self._rows[each].at_s)]
        self._rows[node] = Heard(predicate, now_s)

    def forget(self, node: int) -> None:
        """Forget a node that no longer asks for anything."""
        self._rows.pop(node, None)

    def clean_up(self, now_s: float) -> None:
        """Delete the rows that were not refreshed for more than the longest time."""
        oldest_s = now_s - self._missed_max * self._interval_s
        if any(row.at_s < oldest_s for row in self._rows.values()):
            self._rows = {node: row for node, row in self._rows.items() if row.at_s >= oldest_s}

    def improve(self, event: Event, destinations: Destinations, now_s: float, destinations_max: int) -> float | None:
        """Enter into ``destinations`` who asks for an event and is new there or nearer to this node than noted.

        Return the lowest hint entered, None where there was none. A full list takes no new node.
        """
        lowest: float | None = None
        for node, row in self._rows.items():
            noted = destinations.get(node)
            if noted == 0.0 or (noted is None and len(destinations) >= destinations_max):
                continue
            missed = int((now_s - row.at_s) / self._interval_s)
            if missed > self._missed_max:  # overdue: the next clean-up deletes it
                continue
            hint = missed / self._missed_max
            if (noted is None or hint < noted) and row.predicate.matches(event):
                destinations[node] = hint
                if lowest is None or hint < lowest:
                    lowest = hint
        return lowest

    def size_bytes(self) -> int:
        """Return the size of the table in memory."""
        return sum(NODE_BYTES + TIME_BYTES + row.predicate.size_bytes() for row in self._rows.values())
