"""The tree group paper's claims in section 4.2, with tolerances. Its text has no numbers, only comparisons.

The words are read the same way wherever they occur, as in the hint-driven paper: delivery that is near, or holds, is
within ten points; a latency that is similar is within a fifth; much less is at most half; mostly is more than half.
Where one is said to be more or less than another, that alone is asked, with no tolerance.
"""

from collections.abc import Sequence
from math import inf

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part
from roamcast.papers.shared.claim_parts import difference_part, if_measured, limits, ratio_part
from roamcast.papers.shared.curves import Curve
from roamcast.papers.tree_group.claim_parts import NEAR, SIMILAR, at_speeds
from roamcast.papers.tree_group.cost_claims import cost_claims
from roamcast.papers.tree_group.curves import (
    COMPARED,
    DELIVERY,
    FAR_FLOODING,
    FLOODING,
    GLOBAL_SHARE,
    GROUPS,
    LATENCY,
    LOCAL,
    LOCAL_SHARE,
    NODES,
    SPEED,
    TREE,
    row_of,
    rows_of,
)

TTL = (
    "Ten hops of 150 m do not reach across 2 km: the TTL of table 1 leaves out nodes that are farther away. Flooding "
    "with 30 hops is shown, but not judged."
)


def tree_group_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_delivery_claims(), *cost_claims(), *_latency_claims())


# --- delivery by speed (figure 2) -----------------------------------------------------------------------------


def _more(measured: Measurements, one: Curve, other: Curve, low: float = -inf) -> Sequence[Part]:
    """Return how much more one curve delivers than another at every speed; without a limit, for information only."""
    prefix = "not judged: " if low == -inf else ""
    return [
        difference_part(f"{prefix}{one.label} less {other.label}, {where}", *rows, limits(low))
        for where, rows in at_speeds(measured, DELIVERY, one, other)
    ] or [Part.missing("deliveries")]


def _falls(measured: Measurements, curve: Curve, low: float = -inf, high: float = inf) -> Part:
    """Return how much a curve's delivery changes from the slowest to the fastest nodes."""
    rows = rows_of(measured, "speed", DELIVERY, curve, SPEED)
    first, last = (rows[0], rows[-1]) if len(rows) > 1 else (None, None)
    return difference_part(f"{curve.label}: fastest less slowest", last, first, limits(low, high))


def _flooding_most(measured: Measurements) -> Sequence[Part]:
    judged = [*_more(measured, FLOODING, TREE, 0), *_more(measured, FLOODING, GROUPS, 0)]
    return [*judged, *_more(measured, FAR_FLOODING, TREE), *_more(measured, FAR_FLOODING, GROUPS)]


def _delivery_claims() -> Sequence[Claim]:
    return (
        Claim(
            "flooding-most",
            "4.2, figure 2",
            "Flooding delivers more than the subscription tree and than tree groups",
            "more at every speed",
            (2,),
            if_measured("speed", _flooding_most),
            TTL,
        ),
        Claim(
            "groups-above-tree",
            "4.2, figure 2",
            "Tree groups deliver more than the subscription tree",
            "more at every speed",
            (2,),
            if_measured("speed", lambda measured: _more(measured, GROUPS, TREE, 0)),
            choice=(
                "Tree groups here leave links that are about to break by the neighbours' positions, which the "
                "subscription tree does not use; without positions they lead at 20 m/s by two points only."
            ),
        ),
        Claim(
            "groups-near-flooding",
            "4.2, figure 2",
            "Tree groups deliver nearly as much as flooding",
            "at most ten points less at every speed",
            (2,),
            if_measured(
                "speed",
                lambda measured: [*_more(measured, GROUPS, FLOODING, -NEAR), *_more(measured, GROUPS, FAR_FLOODING)],
            ),
            choice="Flooding has the paper's TTL of 10; the difference from one with 30 is shown, too.",
        ),
        Claim(
            "groups-hold",
            "4.2, figure 2",
            "Tree groups are highly tolerant of mobility",
            "at most ten points less at the highest speed than at the lowest",
            (2,),
            if_measured("speed", lambda measured: [_falls(measured, GROUPS, -NEAR), _falls(measured, FLOODING)]),
        ),
        Claim(
            "tree-falls",
            "4.2, figure 2",
            "A large tree is difficult to keep connected when the network is very dynamic, so its delivery is low",
            "more than ten points less at the highest speed than at the lowest",
            (2,),
            if_measured("speed", lambda measured: [_falls(measured, TREE, high=-NEAR)]),
        ),
    )


# --- latency by size (figure 6) -------------------------------------------------------------------------------


def _latency_ratios(
    measured: Measurements, share: float, one: Curve, other: Curve, low: float = -inf, high: float = inf
) -> Sequence[Part]:
    """Return the ratio of two curves' latencies for every number of nodes."""
    rows = rows_of(measured, "size", LATENCY, GROUPS, NODES)
    counts = [int(row.point[NODES]) for row in rows if row.point[LOCAL] == share]
    words = "3 : 1" if share == GLOBAL_SHARE else "1 : 3"
    return [
        ratio_part(
            f"{one.label} over {other.label}, {count} nodes, {words}",
            row_of(measured, "size", LATENCY, one, nodes=count, local=share),
            row_of(measured, "size", LATENCY, other, nodes=count, local=share),
            limits(low, high),
        )
        for count in counts
    ] or [Part.missing(f"latencies, {words}")]


def _flooding_fastest(measured: Measurements) -> Sequence[Part]:
    others = [curve for curve in COMPARED if curve is not FLOODING]
    return [
        part
        for share in (GLOBAL_SHARE, LOCAL_SHARE)
        for other in others
        for part in _latency_ratios(measured, share, FLOODING, other, high=1)
    ]


def _latency_claims() -> Sequence[Claim]:
    delivered = "Latency is measured over what was delivered: a protocol that delivers less far has a shorter one."
    return (
        Claim(
            "latency-flooding",
            "4.2, figure 6",
            "Flooding has the shortest latency in both cases",
            "shorter than each of the other two with every number of nodes",
            (6,),
            if_measured("size", _flooding_fastest),
            choice=delivered,
        ),
        Claim(
            "latency-global",
            "4.2, figure 6 (a)",
            "With three global events for a local one, tree groups have a latency similar to the subscription tree's",
            "within a fifth with every number of nodes",
            (6,),
            if_measured(
                "size",
                lambda measured: _latency_ratios(measured, GLOBAL_SHARE, GROUPS, TREE, 1 - SIMILAR, 1 + SIMILAR),
            ),
            choice=delivered,
        ),
        Claim(
            "latency-local",
            "4.2, figure 6 (b)",
            "With three local events for a global one, they are faster than the tree and similar to flooding",
            "shorter than the tree's, and at most a fifth above flooding's, with every number of nodes",
            (6,),
            if_measured(
                "size",
                lambda measured: [
                    *_latency_ratios(measured, LOCAL_SHARE, GROUPS, TREE, high=1),
                    *_latency_ratios(measured, LOCAL_SHARE, GROUPS, FLOODING, high=1 + SIMILAR),
                ],
            ),
            choice=delivered,
        ),
    )
