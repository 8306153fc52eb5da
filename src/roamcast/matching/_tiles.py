"""Large batches of events, sorted by each attribute, in the form in which a shelf sweeps over them."""

from dataclasses import dataclass

import numpy as np

from roamcast.matching._lines import Numbers, Shorts, Values
from roamcast.matching.event_batch import EventBatch

SWEPT_EVENTS_MIN = 512
"""From so many events on, a sweep takes less time than a row for each value (``_match_loops``): measured with 10,000 to
a million subscriptions."""
SWEPT_SHARE_MIN = 0.5
"""If events lack more of the attributes than that, most lines are skipped, which a sweep does not do."""
TILE_EVENTS_MAX = 4096
"""So many events are swept at a time: a line of each fits the second-level cache."""


@dataclass(frozen=True, slots=True)
class SortedTile:
    """Some events of a batch, sorted."""

    offset: int
    """The index of the first of them in the batch."""
    ranks: Shorts
    """For each attribute the place of each event in the ascending order of its values; those that lack it are last."""
    ordered: Values
    """The values in that order, infinite where an event lacks it, and infinity."""
    has: Numbers
    """How many of the events have each attribute."""


def sorted_tiles(batch: EventBatch) -> list[SortedTile]:
    """Return the tiles of a large batch, or none if its events lack so much that it is better matched one by one."""
    count = len(batch)
    if np.count_nonzero(batch.present) < SWEPT_SHARE_MIN * batch.present.size:
        return []
    width = -(-count // -(-count // TILE_EVENTS_MAX))
    return [_sorted_tile(batch, first, min(first + width, count)) for first in range(0, count, width)]


def _sorted_tile(batch: EventBatch, first: int, last: int) -> SortedTile:
    present = batch.present[first:last].T
    values = np.where(present, batch.values[first:last].T, np.inf)
    order = np.argsort(values, axis=1)
    ordered = np.full((len(values), last - first + 1), np.inf)
    ordered[:, :-1] = np.take_along_axis(values, order, axis=1)
    ranks = np.empty(order.shape, np.uint16)
    np.put_along_axis(ranks, order, np.arange(last - first, dtype=np.uint16)[None, :], axis=1)
    return SortedTile(first, ranks, ordered, np.count_nonzero(present, axis=1))
