"""Who is within some hops of a node at a moment: whom a local event is for.

A hop goes from a node to whoever is within its nominal range at that moment, whether or not a frame would get through:
what is asked is who should have the event, not who can. The network is taken as it is at the moment of publication.
"""

import numpy as np

from roamcast.sim.movement import Floats, Trajectories


def within_hops(trajectories: Trajectories, range_m: Floats, source: int, hops_max: int, at_s: float) -> frozenset[int]:
    """Return the nodes at most ``hops_max`` hops from a node at a time, itself included; ``range_m`` is each node's."""
    places_m = trajectories.positions(at_s)
    reached = np.zeros(trajectories.count, dtype=bool)
    reached[source] = True
    frontier = np.array([source])
    for _ in range(hops_max):
        left = np.flatnonzero(~reached)
        if not len(left) or not len(frontier):
            break
        away_m = places_m[frontier, None, :] - places_m[None, left, :]
        heard = ((away_m**2).sum(axis=2) <= range_m[frontier, None] ** 2).any(axis=0)
        frontier = left[heard]
        reached[frontier] = True
    return frozenset(np.flatnonzero(reached).tolist())
