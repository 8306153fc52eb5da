"""The time that a manager takes to compare publications with its filters, one after another.

Section V-A explains figure 7(b) with it: "a large number of nodes also result in more filters in a grid which incurs a
longer matching time". It gives no number, and at 0 nothing waits. The matches are those of the moment at which the
comparison ends; the search of the cache for new subscriptions takes no time.
"""

from collections.abc import Callable

from roamcast.protocols.brvst.cells import Cell
from roamcast.protocols.brvst.messages import Publication
from roamcast.protocols.brvst.node import Node

COMPARED = "brvst-compared"
QUEUE_MAX = 512
"""The most publications that wait; at 200 a minute, none is expected to."""


class ComparisonQueue:
    """The publications that a node compares as a manager, in the order in which they came."""

    def __init__(self, node: Node, act: Callable[[Publication, Cell], None]) -> None:
        self._node = node
        self._act = act
        self._waiting: dict[int, tuple[Publication, Cell]] = {}
        self._count = 0
        self._busy_until_s = 0.0

    def add(self, publication: Publication, cell: Cell, comparisons: int) -> None:
        """Compare a publication with so many filters, after those that came before, and then act on it."""
        host = self._node.host
        if len(self._waiting) >= QUEUE_MAX:
            host.drop(publication, "manager-busy")
            return
        self._count += 1
        self._waiting[self._count] = publication, cell
        self._busy_until_s = max(self._busy_until_s, host.now) + comparisons * self._node.parameters.filter_s
        host.wake(self._busy_until_s, (COMPARED, self._count))

    def on_wake(self, number: int) -> None:
        """Act on a publication that has been compared."""
        self._act(*self._waiting.pop(number))
