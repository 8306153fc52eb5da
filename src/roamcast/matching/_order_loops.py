"""The compiled loop that decides which sets of attributes share a line."""

import numpy as np

from roamcast.matching._index_compiler import compiled
from roamcast.matching._lines import LINE_SLOTS, Indices, Numbers
from roamcast.matching._vectors import ones_of

CANDIDATES = 32
"""The next set of a line is chosen among so many. More give hardly less, and take longer."""


@compiled
def gather_sets(order: Numbers, keys: Numbers, firsts: Numbers, attributes: Indices) -> Numbers:
    """Return an order in which the sets that share a line have more attributes in common.

    ``order`` sorts rows by ``keys``: by the size of their sets, their first attribute and the others. Sets of the same
    size and first attribute change places: the next is the one with the fewest attributes that its line lacks. So
    everything in a line still asks for the first, and events without it skip the line.
    """
    gathered = np.empty_like(order)
    sets = np.empty(CANDIDATES, np.int64)  # where those that can be next begin and end in the order
    ends, masks = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES, np.uint64)
    waiting, seen, written = 0, 0, 0
    line_mask = np.uint64(0)
    while written < order.shape[0]:
        while waiting < CANDIDATES and seen < order.shape[0]:
            if waiting > 0 and _kind(order[seen], firsts, attributes) != _kind(order[sets[0]], firsts, attributes):
                break
            sets[waiting], masks[waiting] = seen, _mask(order[seen], firsts, attributes)
            key = keys[seen]
            while seen < order.shape[0] and keys[seen] == key:
                seen += 1
            ends[waiting] = seen
            waiting += 1
        best, fewest = 0, np.uint64(65)
        for index in range(waiting):
            lacking = ones_of(masks[index] & ~line_mask)
            if lacking < fewest:
                best, fewest = index, lacking
        line = written // LINE_SLOTS
        for index in range(sets[best], ends[best]):
            gathered[written] = order[index]
            written += 1
        if written // LINE_SLOTS != line:
            line_mask = np.uint64(0)
        if written % LINE_SLOTS != 0:
            line_mask |= masks[best]
        waiting -= 1
        for index in range(best, waiting):
            sets[index], ends[index], masks[index] = sets[index + 1], ends[index + 1], masks[index + 1]
    return gathered


@compiled
def _kind(row: int, firsts: Numbers, attributes: Indices) -> tuple[int, int]:
    size = firsts[row + 1] - firsts[row]
    return size, int(attributes[firsts[row]]) if size > 0 else -1


@compiled
def _mask(row: int, firsts: Numbers, attributes: Indices) -> np.uint64:
    mask = np.uint64(0)
    for index in range(firsts[row], firsts[row + 1]):
        mask |= np.uint64(1) << np.uint64(attributes[index] & 63)
    return mask
