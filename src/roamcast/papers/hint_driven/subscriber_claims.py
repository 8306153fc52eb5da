"""The hint-driven paper's claims in section 5.2 about the number of subscribers: figure 8."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, at_least, below
from roamcast.papers.hint_driven.claim_parts import NOT_JUDGED, POINTS, Line, cost_steps, or_missing
from roamcast.papers.hint_driven.curves import COST, DELIVERY, GOSSIP, SUBSCRIBERS, hints
from roamcast.papers.shared.claim_parts import combined_part, difference_part, if_measured, ratio_part, value_part

NO_CREDIT, CREDITS, BY_GOSSIP = (Line("subscribers", SUBSCRIBERS, curve) for curve in (hints(0), hints(5), GOSSIP))
FEWEST, MOST = 2, 90
"""The ends of our axis at quick scale; at full scale it goes on to 98, all nodes but the publishers."""
HIGH_DELIVERY = 0.85
"""Section 5.2: "more than 85%"."""
HIGH_VARIATION = 2.0
"""Costs that differ by this factor, or more, vary highly."""
FIVE = "Hints have five credits, the most in our figure 8: more change little, and the paper does not give its own."


def subscriber_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        Claim(
            "subscribers-credits",
            "5.2, figure 8",
            "Credits are an effective means to increase delivery, most of all with few subscribers",
            "with the fewest subscribers (2) they add at least five points, and at least five more than with any other "
            "number: what one sees in a printed curve",
            (8,),
            if_measured("subscribers", _credits_gain),
            choice=FIVE,
            replaces=("subscribers-credits",),
        ),
        Claim(
            "subscribers-delivery",
            "5.2, figure 8",
            "Hints deliver more than 85 % whatever the number of subscribers, at progressively decreasing cost",
            "delivery at least 0.85 at every number, an inequality, so without tolerance; at each step of the axis "
            "the cost falls",
            (8,),
            if_measured("subscribers", _high_delivery),
            "A range that differs from node to node, or from frame to frame, leaves the network less connected than "
            "one of 150 m for all, and makes some links one-way (docs/hint-driven.md).",
            FIVE,
            replaces=("subscribers-delivery", "subscribers-cost"),
        ),
        Claim(
            "subscribers-gossip",
            "5.2, figure 8",
            "Gossip becomes more efficient with the number of subscribers",
            "at each step of the axis its cost falls",
            (8,),
            if_measured("subscribers", _gossip_falls),
            replaces=("subscribers-gossip",),
        ),
    )


def variation_claim() -> Claim:
    """Return what the paper says of figure 8 where it introduces figure 11."""
    return Claim(
        "subscribers-variation",
        "5.2, on figure 11",
        "The performance varies highly with the density of subscribers",
        f"without credit, the cost with {FEWEST} subscribers is at least twice that with {MOST}",
        (8,),
        if_measured("subscribers", _variation),
    )


def _credits_gain(measured: Measurements) -> Sequence[Part]:
    """Compare what credits add with the fewest subscribers and with every other number of them."""
    few, none = (line.at(measured, DELIVERY, FEWEST) for line in (CREDITS, NO_CREDIT))
    band = at_least(POINTS, no_effect=0.0)
    parts = [difference_part(f"gain by credits with {FEWEST} subscribers", few, none, band)]
    for count in CREDITS.values(measured):
        if count > FEWEST:
            some, without = (line.at(measured, DELIVERY, count) for line in (CREDITS, NO_CREDIT))
            terms = [(1.0, few), (-1.0, none), (-1.0, some), (1.0, without)]
            parts.append(combined_part(f"gain with {FEWEST} less that with {count:g}", terms, band))
    return parts


def _high_delivery(measured: Measurements) -> Sequence[Part]:
    parts = [
        value_part(f"{count:g} subscribers: delivery", CREDITS.at(measured, DELIVERY, count), at_least(HIGH_DELIVERY))
        for count in CREDITS.values(measured)
    ]
    return or_missing([*parts, *cost_steps(measured, CREDITS, below(1.0))], CREDITS)


def _gossip_falls(measured: Measurements) -> Sequence[Part]:
    own, other = (line.at(measured, COST, MOST) for line in (CREDITS, BY_GOSSIP))
    return [
        *or_missing(cost_steps(measured, BY_GOSSIP, below(1.0)), BY_GOSSIP),
        ratio_part(f"{NOT_JUDGED}{MOST} subscribers: hints over gossip", own, other),
    ]


def _variation(measured: Measurements) -> Sequence[Part]:
    few, many = (NO_CREDIT.at(measured, COST, count) for count in (FEWEST, MOST))
    return [
        ratio_part(f"cost with {FEWEST} over that with {MOST}", few, many, at_least(HIGH_VARIATION, no_effect=1.0)),
    ]
