"""A range for each node, for the models that draw one."""

import numpy as np
from numpy.typing import NDArray

from roamcast.core.parameters import ParameterError
from roamcast.sim.random_streams import RandomStreams


def draw_ranges_m(bounds_m: tuple[float, float], count: int, streams: RandomStreams) -> NDArray[np.float64]:
    """Draw a range for each node, uniformly between bounds; more nodes do not change what the first ones draw."""
    low_m, high_m = bounds_m
    draws = [streams.python("radio", node).random() for node in range(count)]
    return np.array([low_m + (high_m - low_m) * each for each in draws])


def check_bounds(key: str, bounds_m: tuple[float, float]) -> None:
    """Complain about bounds that are turned round."""
    if bounds_m[0] > bounds_m[1]:
        raise ParameterError(key, "must be [lowest, highest], the lowest not above the highest")
