"""The hint-driven paper's claims in section 5.2 about the density of the network: figures 12 and 13.

The text names no numbers of nodes. "Dense" is five times figure 5's default here; that performance declines from some
number on is looked for between twice and five times the default. Half the default is drawn, too: such a network is in
pieces, and nothing that the paper says is judged there.
"""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, at_least, at_most
from roamcast.papers.hint_driven.claim_parts import (
    FAR,
    NOT_JUDGED,
    POINTS,
    SAME_COST,
    Line,
    each_over_base,
    or_missing,
)
from roamcast.papers.hint_driven.curves import COLLISIONS, COST, DELIVERY, FLOODING, GOSSIP, LOW_GOSSIP, NODES, hints
from roamcast.papers.shared.claim_parts import combined_part, difference_part, if_measured, pooled_ratio_part

HINTS, CREDITS, LOW, MIDDLE, HIGH = (
    Line("density", NODES, curve) for curve in (hints(0), hints(2), LOW_GOSSIP, GOSSIP, FLOODING)
)
DEFAULT, DENSER, DENSEST = 100, 200, 500
AXIS = "The text names no numbers of nodes; ours go to 500, and keep figure 11's 10 % subscribers and 2 % publishers."


def density_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        Claim(
            "density-gossip",
            "5.2, figure 12",
            "With growing density and ever more collisions, gossip of a low probability delivers more, and that of a "
            "high one declines from some number of nodes on",
            "at least five points each, what one sees in a printed curve: the share of frames that collisions destroy "
            "with p = 1, and the delivery with p = 0.3, rise from 100 to 500 nodes; delivery with p = 1 falls from 200 "
            "to 500",
            (12, 13),
            if_measured("density", _gossip),
            choice=f"{AXIS} The paper does not say which probabilities are low and high.",
            replaces=("density-high-p", "density-low-p"),
        ),
        Claim(
            "density-resistance",
            "5.2, figure 12",
            "Hints are more resistant to collisions than gossip",
            "from 200 to 500 nodes, hints without credit lose at most five points of delivery, and at least five less "
            "than gossip with p = 1",
            (12, 13),
            if_measured("density", _resistance),
            choice=f"{AXIS} Whether suppression is the reason, as the paper says, is not tested.",
            replaces=("density-hints",),
        ),
        Claim(
            "density-efficiency",
            "5.2, figure 13",
            "Hints are far more efficient than gossip, and rather constant in this as the density grows",
            "over all densities from 100 nodes on, at most half the cost of gossip with p = 0.5 and with p = 1; at "
            "each of them a cost within a fifth of that with 100 nodes",
            (12, 13),
            if_measured("density", _efficiency),
            "One frame reaches more subscribers at once in a denser network, since their share is fixed; when the air "
            "is full, copies are lost and sent again by others.",
            f"{AXIS} Gossip with p = 0.3, our low probability, is shown beside.",
            replaces=("density-cost", "density-cheapest"),
        ),
    )


def _change(
    measured: Measurements, line: Line, metric: str, nodes: tuple[int, int], band: Band | None, name: str = "delivery"
) -> Part:
    """Return how much more there is at the second of two densities than at the first."""
    first, last = (line.at(measured, metric, count) for count in nodes)
    label = f"{NOT_JUDGED if band is None else ''}{line.label}: {name} at {nodes[1]} less {nodes[0]}"
    return difference_part(label, last, first, band)


def _gossip(measured: Measurements) -> Sequence[Part]:
    low, high = (line.at(measured, DELIVERY, DENSEST) for line in (LOW, HIGH))
    rise, fall = at_least(POINTS, no_effect=0.0), at_most(-POINTS, no_effect=0.0)
    return [
        _change(measured, HIGH, COLLISIONS, (DEFAULT, DENSEST), rise, "share destroyed"),
        _change(measured, LOW, DELIVERY, (DEFAULT, DENSEST), rise),
        _change(measured, HIGH, DELIVERY, (DENSER, DENSEST), fall),
        _change(measured, MIDDLE, DELIVERY, (DENSER, DENSEST), None),
        difference_part(f"{NOT_JUDGED}{DENSEST} nodes: delivery with {LOW.label} less {HIGH.label}", low, high),
    ]


def _resistance(measured: Measurements) -> Sequence[Part]:
    (own_first, own_last), (first, last) = (
        [line.at(measured, DELIVERY, count) for count in (DENSER, DENSEST)] for line in (HINTS, HIGH)
    )
    return [
        _change(measured, HINTS, DELIVERY, (DENSER, DENSEST), at_least(-POINTS)),
        combined_part(
            f"the change with {HINTS.label} less that with {HIGH.label}",
            [(1.0, own_last), (-1.0, own_first), (-1.0, last), (1.0, first)],
            at_least(POINTS, no_effect=0.0),
        ),
        _change(measured, CREDITS, DELIVERY, (DENSER, DENSEST), None),
        _change(measured, HINTS, COLLISIONS, (DENSER, DENSEST), None, "share destroyed"),
        _change(measured, HIGH, COLLISIONS, (DENSER, DENSEST), None, "share destroyed"),
    ]


def _efficiency(measured: Measurements) -> Sequence[Part]:
    counts = [count for count in HINTS.values(measured) if count >= DEFAULT]
    cheaper = [
        pooled_ratio_part(
            f"{'' if band else NOT_JUDGED}cost of {HINTS.label} over {line.label}, over all densities",
            [(HINTS.at(measured, COST, count), line.at(measured, COST, count)) for count in counts] or [(None, None)],
            band,
        )
        for line, band in (
            (MIDDLE, at_most(FAR, no_effect=1.0)),
            (HIGH, at_most(FAR, no_effect=1.0)),
            (LOW, None),
        )
    ]
    return or_missing(
        [
            *cheaper,
            *each_over_base(measured, HINTS, DEFAULT, SAME_COST),
            *each_over_base(measured, CREDITS, DEFAULT, None),
        ],
        HINTS,
    )
