"""Drawing ranges, for the models that do so: one for each node, or one for each frame."""

import numpy as np
from numpy.typing import NDArray

from roamcast.core.parameters import ParameterError, one_of
from roamcast.sim.random_streams import RandomStreams

STREAM = "radio"
PER_NODE, PER_FRAME = "node", "frame"
DRAWN_FOR = one_of(PER_NODE, PER_FRAME)
"""The values of ``range_drawn``: a range for each node, or one for each frame."""


def draw_ranges_m(bounds_m: tuple[float, float], count: int, streams: RandomStreams) -> NDArray[np.float64]:
    """Draw a range for each node, uniformly between bounds; a node's range does not depend on the number of nodes."""
    low_m, high_m = bounds_m
    draws = [streams.python(STREAM, node).random() for node in range(count)]
    return np.array([low_m + (high_m - low_m) * draw for draw in draws])


def frame_streams(count: int, streams: RandomStreams) -> NDArray[np.uint64]:
    """Return the stream from which each node's frames draw their ranges; it does not depend on the number of nodes."""
    return np.array([streams.integer(STREAM, node) for node in range(count)], np.uint64)


def check_drawn(key: str, bounds_m: tuple[float, float] | None, drawn_for: str) -> None:
    """Raise an error if the lower bound is above the upper one, or if there are no bounds to draw between."""
    if bounds_m is not None and bounds_m[0] > bounds_m[1]:
        raise ParameterError(key, "must be [lowest, highest], with the lowest not above the highest")
    if bounds_m is None and drawn_for == PER_FRAME:
        raise ParameterError("range_drawn", f"needs {key} = [lowest, highest] to draw between")
