"""The hint-driven paper's claims in section 5.2 about size and density (figures 11 to 13), with tolerances."""

from collections.abc import Sequence
from math import inf

from roamcast.measuring.claim_verdicts import Claim, Part
from roamcast.measuring.measurements import Measurements
from roamcast.papers.hint_driven.claim_parts import (
    COST_TOLERANCE,
    FAR,
    POINTS,
    SLIGHTLY,
    cost_extent,
    delivery_change,
    delivery_extent,
    largest_fall,
)
from roamcast.papers.hint_driven.curves import COST, DELIVERY, FLOODING, GOSSIP, LOW_GOSSIP, NODES, hints
from roamcast.papers.shared.claim_parts import difference_part, if_measured, ratio_part
from roamcast.papers.shared.curves import CURVE, rows_along

HINTS, GOSSIPS = (hints(0), hints(2)), (GOSSIP, FLOODING)


def density_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_size_claims(), *_density_claims())


def _kept(measured: Measurements) -> Sequence[Part]:
    """Look at delivery and at cost, the paper's two measures of performance."""
    curves = (*HINTS, *GOSSIPS)
    return [
        *(delivery_extent(measured, "size", NODES, each, SLIGHTLY) for each in curves),
        *(cost_extent(measured, "size", NODES, each, 1 + COST_TOLERANCE) for each in curves),
    ]


def _signs(measured: Measurements) -> Sequence[Part]:
    return [
        *(delivery_change(measured, "size", NODES, each, -inf, 0.0) for each in GOSSIPS),
        *(delivery_change(measured, "size", NODES, each, 0.0) for each in HINTS),
    ]


def _size_claims() -> Sequence[Claim]:
    return (
        Claim(
            "size-kept",
            "5.2, figure 11",
            "All protocols keep their performance as the network grows at constant density",
            "over all sizes, highest less lowest delivery at most ten points, dearest over cheapest at most 1.2",
            (11,),
            if_measured("size", _kept),
        ),
        Claim(
            "size-signs",
            "5.2, figure 11",
            "Growing, gossip delivers slightly less and hints marginally more",
            "from the smallest to the largest network: at most 0 for gossip, at least 0 for hints",
            (11,),
            if_measured("size", _signs),
        ),
    )


def _declined(measured: Measurements) -> Sequence[Part]:
    rows = rows_along(measured, "density", DELIVERY, FLOODING, NODES)
    best = max(rows, key=lambda row: row.mean, default=None)
    label = FLOODING.label if best is None else f"{FLOODING.label}, best at {best.point[NODES]:g} nodes"
    return [difference_part(label, best, rows[-1] if rows else None, POINTS)]


def _risen(measured: Measurements) -> Sequence[Part]:
    return [
        delivery_change(measured, "density", NODES, LOW_GOSSIP, SLIGHTLY),
        largest_fall(measured, "density", NODES, LOW_GOSSIP, POINTS),
    ]


def _cheapest(measured: Measurements) -> Sequence[Part]:
    """Compare with every gossip of the figure, at every density."""
    parts = []
    for row in rows_along(measured, "density", COST, hints(0), NODES):
        for other in (LOW_GOSSIP, *GOSSIPS):
            others = measured.where("density", COST, {CURVE: other.label, NODES: row.point[NODES]})
            label = f"{row.point[NODES]:g} nodes: hints over {other.label}"
            parts.append(ratio_part(label, row, others[0] if others else None, -inf, FAR))
    return parts or [Part.missing("costs")]


def _density_claims() -> Sequence[Claim]:
    return (
        Claim(
            "density-high-p",
            "5.2, figure 12",
            "With growing density, gossip of a high probability declines from some number of nodes on",
            "flooding's best delivery less that of the densest network: at least five points",
            (12, 13),
            if_measured("density", _declined),
            "docs/hint-driven.md explains what keeps our nodes from sending at once.",
        ),
        Claim(
            "density-low-p",
            "5.2, figure 12",
            "With growing density, gossip of a low probability delivers more",
            "p = 0.3: at least ten points more in the densest network than in the sparsest, and nowhere five points "
            "less than in a sparser one",
            (12, 13),
            if_measured("density", _risen),
        ),
        Claim(
            "density-hints",
            "5.2, figure 12",
            "With growing density hints hold their delivery",
            "at no density more than five points less than at a lower one",
            (12, 13),
            if_measured(
                "density", lambda measured: [largest_fall(measured, "density", NODES, each, POINTS) for each in HINTS]
            ),
        ),
        Claim(
            "density-cost",
            "5.2, figure 13",
            "The cost of hints is rather constant with respect to density",
            "the dearest density costs at most a fifth more than the cheapest",
            (12, 13),
            if_measured(
                "density",
                lambda measured: [cost_extent(measured, "density", NODES, each, 1 + COST_TOLERANCE) for each in HINTS],
            ),
            "It falls: in a denser network one frame reaches more subscribers at once, since their share is fixed. "
            "With 50 nodes the network is in pieces, and beacons are shared by few deliveries.",
        ),
        Claim(
            "density-cheapest",
            "5.2, figure 13",
            "Hints are far more efficient than gossip at every density",
            "at each density, frames for each delivery at most half of those of gossip, with p = 0.3, 0.5 and 1",
            (12, 13),
            if_measured("density", _cheapest),
            "The low probability is ours, and cheap: about 3 frames for each delivery from 100 nodes on. With 50 nodes "
            "the network is in pieces, and beacons are shared by few deliveries.",
        ),
    )
