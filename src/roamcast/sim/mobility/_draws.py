"""Random draws for mobility models: one stream of uniform numbers per node, and the few ways to use it.

The numbers are only added, multiplied and compared, so that every machine gets the same bits.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area

Draw = Callable[[], float]
"""Returns the next number of a node's stream, uniform from 0 (inclusive) to 1 (exclusive)."""

_BLOCK = 64
"""How many numbers are fetched at once: a call of the generator costs as much as about 30 numbers."""


def node_draws(streams: RandomStreams, node: int) -> Draw:
    """Return the stream for one node's movement; it does not depend on other nodes."""
    return _in_blocks(streams.numpy("mobility", node)).__next__


def between(draw: Draw, bounds: tuple[float, float]) -> float:
    """Draw a number between two bounds."""
    low, high = bounds
    return low + (high - low) * draw()


def anywhere(draw: Draw, area: Area) -> tuple[float, float]:
    """Draw a point uniformly from the area."""
    return area.width_m * draw(), area.height_m * draw()


class WeightedChoice:
    """Draws indices in proportion to their weights."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._sums = list(accumulate(weights))
        # An index above the last positive weight must never be drawn, not even when a product is rounded up.
        self._last = max(index for index, weight in enumerate(weights) if weight > 0)

    def index(self, draw: Draw) -> int:
        """Draw an index; one of weight 0 is never drawn."""
        return min(bisect_right(self._sums, draw() * self._sums[-1]), self._last)


def _in_blocks(random: np.random.Generator) -> Iterator[float]:
    while True:
        yield from random.random(_BLOCK).tolist()
