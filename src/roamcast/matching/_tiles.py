"""Large batches of events are swept in tiles, see ``_sweep_loops``."""

import numpy as np

from roamcast.matching.event_batch import EventBatch

SWEPT_EVENTS_MIN = 512
"""From so many events on, a sweep takes less time than a row for each value (``_match_loops``): measured with 10,000 to
a million subscriptions."""
SWEPT_SHARE_MIN = 0.5
"""If events lack more of the attributes than that, most lines are skipped, which a sweep does not do."""
TILE_EVENTS_MAX = 4096
"""So many events are swept at a time: what is computed for them fits the second-level cache."""


def tiles_of(batch: EventBatch) -> list[range]:
    """Return the tiles of a large batch, or none if its events lack so much that it is better matched one by one."""
    count = len(batch)
    if np.count_nonzero(batch.present) < SWEPT_SHARE_MIN * batch.present.size:
        return []
    width = -(-count // -(-count // TILE_EVENTS_MAX))
    return [range(first, min(first + width, count)) for first in range(0, count, width)]
