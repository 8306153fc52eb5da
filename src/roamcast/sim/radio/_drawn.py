"""Drawing a range for each node, for the models that do so."""

import numpy as np
from numpy.typing import NDArray

from roamcast.core.parameters import ParameterError
from roamcast.sim.random_streams import RandomStreams


def draw_ranges_m(bounds_m: tuple[float, float], count: int, streams: RandomStreams) -> NDArray[np.float64]:
    """Draw a range for each node, uniformly between bounds; a node's range does not depend on the number of nodes."""
    low_m, high_m = bounds_m
    draws = [streams.python("radio", node).random() for node in range(count)]
    return np.array([low_m + (high_m - low_m) * draw for draw in draws])


def check_bounds(key: str, bounds_m: tuple[float, float]) -> None:
    """Raise an error if the lower bound is above the upper one."""
    if bounds_m[0] > bounds_m[1]:
        raise ParameterError(key, "must be [lowest, highest], with the lowest not above the highest")
