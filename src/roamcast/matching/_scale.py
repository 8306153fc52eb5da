"""The mapping of attribute values to segments of a shelf: segments are narrow where many ranges end, so that few ends
share a segment.

A segment has 2^16 steps. The mapping from values to steps is built in two passes over the ends of ranges: the first
finds the part of the limits that contains nearly all ends; the second divides this part into 1,024 equal cells and
distributes half of all steps equally and the other half in proportion to the ends in each cell.
"""

from dataclasses import dataclass

import numpy as np

from roamcast.matching._lines import CELLS, STEPS, Values
from roamcast.matching._rows import Rows
from roamcast.matching.attribute_space import AttributeSpace

TAIL_SHARE = 1 / 512
"""The share of ends that may lie outside the cells on each side; they share the outermost segments."""
CELLS_PER_UNIT_MAX = 1e300


@dataclass(frozen=True, slots=True)
class Scale:
    """The mapping of values to steps, for each attribute."""

    cells: Values
    """The beginning of the first cell, and the number of cells per unit."""
    bases: Values
    """The first step of each cell, and the one after the last."""


def limits_of(space: AttributeSpace) -> Values:
    """Return for each attribute its low and high limit and the gap between two values (0 for real numbers)."""
    all_limits = [space[name] for name in space]
    return np.array([(limits.low, limits.high, float(limits.whole)) for limits in all_limits]).reshape(-1, 3)


def fitted_scale(rows: Rows, limits: Values) -> Scale:
    """Return a scale that fits the ends of the given ranges."""
    width = limits[:, 1] - limits[:, 0] + limits[:, 2]
    cells = np.stack([limits[:, 0], _cells_per_unit(width)], axis=1)
    below = np.cumsum(_shares(rows, cells), axis=1)
    first = np.argmax(below > TAIL_SHARE, axis=1)
    last = np.argmax(below >= 1 - TAIL_SHARE, axis=1)
    last = np.where(below[:, -1] > 0, np.maximum(first, last), CELLS - 1)  # no ranges: all limits
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
    """Return the share of an attribute's ends that fall into each cell."""
    attribute_count = len(cells)
    counts = np.zeros(attribute_count * CELLS)
    for ends in (rows.lows, rows.highs):
        at = np.clip((ends - cells[rows.attributes, 0]) * cells[rows.attributes, 1], 0, CELLS - 1)
        counts += np.bincount(rows.attributes * CELLS + at.astype(np.int64), minlength=attribute_count * CELLS)
    by_cell = counts.reshape(attribute_count, CELLS)
    return np.asarray(by_cell / np.maximum(by_cell.sum(axis=1, keepdims=True), 1))
