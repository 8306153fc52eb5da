"""Random numbers of the medium: SplitMix64, with one stream for each node and purpose (Steele, Lea, Flood 2014)."""

from typing import Any

import numpy as np

from roamcast.sim.dcf.medium_compiler import compiled

STEP = np.uint64(0x9E3779B97F4A7C15)
"""By how much a stream's counter grows with every draw."""


@compiled
def mixed(counter: Any) -> Any:
    """Return the 64 random bits of a counter."""
    bits = (counter ^ (counter >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@compiled
def draw_below(nodes: Any, node: int, limit: int) -> Any:
    """Draw an integer from 0 to ``limit - 1`` from a node's stream."""
    nodes[node].random += STEP
    return np.int64((mixed(nodes[node].random) >> np.uint64(32)) % np.uint64(limit))


@compiled
def unit_interval(counter: Any) -> Any:
    """Return a number from 0 to 1, without 1, of a counter: its 53 highest bits."""
    return np.float64(mixed(counter) >> np.uint64(11)) * 2.0**-53
