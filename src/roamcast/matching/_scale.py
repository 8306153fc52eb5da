"""Where the segments of a shelf's attributes lie: narrow where many ranges end, so that few ends share a segment.

A segment is 2^16 steps. Values become steps by two looks at where ranges end: the first finds the part of the limits
that has nearly all ends, the second divides that part into 1,024 equal cells and gives each as many steps as it has
ends, beside an equal share of half of all steps.
"""

from dataclasses import dataclass

import numpy as np

from roamcast.matching._match_kernels import CELLS, STEPS, Values
from roamcast.matching._rows import Rows
from roamcast.matching.attribute_space import AttributeSpace

TAIL_SHARE = 1 / 512
"""So many of the ends may lie outside the cells at each side; they share the outermost segments."""
CELLS_PER_UNIT_MAX = 1e300


@dataclass(frozen=True, slots=True)
class Scale:
    """How values become steps, for each attribute."""

    cells: Values
    """Where the first cell begins, and how many there are per unit."""
    bases: Values
    """The first step of each cell, and the one after the last."""


def limits_of(space: AttributeSpace) -> Values:
    """Return for each attribute its low and its high limit and the gap between two values, 0 if there is none."""
    limits = [space[name] for name in space]
    return np.array([(each.low, each.high, float(each.whole)) for each in limits]).reshape(-1, 3)


def fitted_scale(rows: Rows, limits: Values) -> Scale:
    """Return a scale that suits the ends of some ranges."""
    width = limits[:, 1] - limits[:, 0] + limits[:, 2]
    cells = np.stack([limits[:, 0], _cells_per_unit(width)], axis=1)
    below = np.cumsum(_shares(rows, cells), axis=1)
    first = np.argmax(below > TAIL_SHARE, axis=1)
    last = np.argmax(below >= 1 - TAIL_SHARE, axis=1)
    last = np.where(below[:, -1] > 0, np.maximum(first, last), CELLS - 1)  # of whom nobody asks: all of the limits
    cells = np.stack(
        [limits[:, 0] + width * (first / CELLS), _cells_per_unit(width * ((last - first + 1) / CELLS))], axis=1
    )
    steps = STEPS // 2 // CELLS + np.floor(_shares(rows, cells) * (STEPS // 2))
    bases = np.zeros((len(limits), CELLS + 1))
    np.cumsum(steps, axis=1, out=bases[:, 1:])
    return Scale(cells, bases)


def _cells_per_unit(width: Values) -> Values:
    return np.minimum(CELLS / np.maximum(width, CELLS / CELLS_PER_UNIT_MAX), CELLS_PER_UNIT_MAX)


def _shares(rows: Rows, cells: Values) -> Values:
    """Return the share of each cell in an attribute's ends."""
    places = len(cells)
    counts = np.zeros(places * CELLS)
    for ends in (rows.lows, rows.highs):
        at = np.clip((ends - cells[rows.attributes, 0]) * cells[rows.attributes, 1], 0, CELLS - 1)
        counts += np.bincount(rows.attributes * CELLS + at.astype(np.int64), minlength=places * CELLS)
    by_cell = counts.reshape(places, CELLS)
    return np.asarray(by_cell / np.maximum(by_cell.sum(axis=1, keepdims=True), 1))
