"""The nodes within some number of hops of another at a given moment: those a local event is meant for.

A hop leads from a node to any other within its nominal range at that moment, whether or not a frame would get through:
this decides who should receive the event, not who can. The network is taken as it is at the moment of publication.
"""

import numpy as np

from roamcast.sim.trajectories import Floats, Trajectories


def within_hops(trajectories: Trajectories, range_m: Floats, source: int, hops_max: int, at_s: float) -> frozenset[int]:
    """Return the nodes at most ``hops_max`` hops from a node at a time, including itself; ``range_m`` is by node."""
    x_m, y_m = trajectories.positions(at_s).T
    reached = np.zeros(trajectories.count, dtype=bool)
    reached[source] = True
    frontier = np.array([source])
    for _ in range(hops_max):
        left = np.flatnonzero(~reached)
        if not len(left) or not len(frontier):
            break
        across_m, along_m = x_m[frontier, None] - x_m[left], y_m[frontier, None] - y_m[left]
        in_range = (across_m * across_m + along_m * along_m <= range_m[frontier, None] ** 2).any(axis=0)
        frontier = left[in_range]
        reached[frontier] = True
    return frozenset(np.flatnonzero(reached).tolist())
