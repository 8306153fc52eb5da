"""What every mobility model draws with: one stream of uniform numbers a node, and the few ways to use one.

Only additions, products and comparisons are made of the numbers, so that every machine draws the same bits.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from roamcast.sim.movement import Area
from roamcast.sim.random_streams import RandomStreams

Draw = Callable[[], float]
"""Return the next number of a node's stream, uniform from 0 (included) to 1 (not included)."""

_BLOCK = 64
"""Numbers fetched at once: a call of the generator costs as much as some 30 numbers do."""


def node_draws(streams: RandomStreams, node: int) -> Draw:
    """Return the stream of one node's movement; it depends on no other node."""
    return _in_blocks(streams.numpy("mobility", node)).__next__


def between(draw: Draw, bounds: tuple[float, float]) -> float:
    """Draw a number between two bounds."""
    low, high = bounds
    return low + (high - low) * draw()


def anywhere(draw: Draw, area: Area) -> tuple[float, float]:
    """Draw a place in the area, all places being equally likely."""
    return area.width_m * draw(), area.height_m * draw()


class WeightedChoice:
    """Draw indices, each as often as its weight says."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._sums = list(accumulate(weights))
        # Of what is above the last positive weight, nothing may be drawn, not even by a rounded product.
        self._last = max(index for index, weight in enumerate(weights) if weight > 0)

    def index(self, draw: Draw) -> int:
        """Draw an index; one of weight 0 never comes."""
        return min(bisect_right(self._sums, draw() * self._sums[-1]), self._last)


def _in_blocks(random: np.random.Generator) -> Iterator[float]:
    while True:
        yield from random.random(_BLOCK).tolist()
