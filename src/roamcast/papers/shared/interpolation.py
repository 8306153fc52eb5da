"""Values between the points of a curve that were measured."""

from collections.abc import Sequence
from itertools import pairwise

from roamcast.measuring.statistics import Sampled


def interpolated(along: Sequence[Sampled], values: Sequence[Sampled], target: Sampled | float) -> Sampled:
    """Return a value where a rising quantity passes a target: on the first line between two points that encloses it.

    The result changes continuously as the points move, whichever line it is on, so the line is no choice that would
    have to be corrected for.
    """
    wanted = target.value if isinstance(target, Sampled) else target
    for (before, after), (low, high) in zip(pairwise(along), pairwise(values), strict=True):
        if before.value <= wanted <= after.value and before.value < after.value:
            share = (before * -1.0 + target) / (after - before)
            return low + (high - low) * share
    raise ValueError(f"no point below and above {wanted:g}")
