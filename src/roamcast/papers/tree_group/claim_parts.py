"""How the words of the tree group paper are read, and pairs of its curves at all speeds."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.papers.shared.curves import Curve
from roamcast.papers.tree_group.curves import DELIVERY, GROUPS, SPEED, row_of, rows_of

Pair = tuple[Measurement | None, Measurement | None]
NEAR = 0.1
"""Ten points of delivery."""
SIMILAR = 0.2
"""A fifth of a latency."""
MUCH_LESS = 0.5
MOSTLY = 0.5
TRIVIAL = 0.1
"""The paper calls the memory trivial beside the tree's: an order of magnitude less."""


def at_speeds(measured: Measurements, metric: str, one: Curve, other: Curve) -> Sequence[tuple[str, Pair]]:
    """Return two curves' measurements at every speed, with the words for it."""
    speeds = [float(row.point[SPEED]) for row in rows_of(measured, "speed", DELIVERY, GROUPS, SPEED)]
    return [
        (
            f"{speed:g} m/s",
            (
                row_of(measured, "speed", metric, one, speed=speed),
                row_of(measured, "speed", metric, other, speed=speed),
            ),
        )
        for speed in speeds
    ]
