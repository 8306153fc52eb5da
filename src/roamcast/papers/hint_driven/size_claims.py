"""The hint-driven paper's claims in section 5.2 about the size of the network: figure 11."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, above, below
from roamcast.papers.hint_driven.claim_parts import (
    KEPT,
    NOT_JUDGED,
    SAME_COST,
    Line,
    each_less_base,
    each_over_base,
    or_missing,
)
from roamcast.papers.hint_driven.curves import DELIVERY, FLOODING, GOSSIP, NODES, hints
from roamcast.papers.hint_driven.subscriber_claims import variation_claim
from roamcast.papers.shared.claim_parts import difference_part, if_measured

HINTS, CREDITS, *GOSSIPS = (Line("size", NODES, curve) for curve in (hints(0), hints(2), GOSSIP, FLOODING))
DEFAULT = 100
"""Figure 5's number of nodes, from which the network grows."""


def size_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        variation_claim(),
        Claim(
            "size-kept",
            "5.2, figure 11",
            "All protocols keep their performance as the network grows; gossip delivers slightly less and hints "
            "marginally more",
            "at each size above 100 nodes delivery within ten points of that with 100, and cost within a fifth; from "
            "100 nodes to the most, gossip (p = 0.5 and 1) delivers less and hints without credit more: the "
            "directions are all that is left of changes that small",
            (11,),
            if_measured("size", _kept),
            replaces=("size-kept", "size-signs"),
        ),
    )


def _kept(measured: Measurements) -> Sequence[Part]:
    """Look at delivery and at cost, the paper's two measures of performance."""
    lines = (HINTS, *GOSSIPS)
    return or_missing(
        [
            *(part for line in lines for part in each_less_base(measured, line, DEFAULT, KEPT)),
            *(part for line in lines for part in each_over_base(measured, line, DEFAULT, SAME_COST)),
            *(_change(measured, line) for line in lines),
            _change(measured, CREDITS, judged=False),
        ],
        *lines,
    )


def _change(measured: Measurements, line: Line, *, judged: bool = True) -> Part:
    """Return how delivery changes from the default to the largest network."""
    larger = [size for size in line.values(measured) if size > DEFAULT]
    first = line.at(measured, DELIVERY, DEFAULT)
    last = line.at(measured, DELIVERY, larger[-1]) if larger else None
    label = f"{'' if judged else NOT_JUDGED}{line.label}: delivery of the largest network less the default"
    band = above(0.0) if line is HINTS else below(0.0)
    return difference_part(label, last, first, band if judged else None)
