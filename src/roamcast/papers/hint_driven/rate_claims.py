"""The hint-driven paper's claims in section 5.2 about the publishing rate: figure 9."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, at_least, at_most, below
from roamcast.papers.hint_driven.claim_parts import MARGINAL, POINTS, Line, each_less_base, each_over_base, or_missing
from roamcast.papers.hint_driven.curves import COLLISIONS, DELIVERY, FLOODING, GOSSIP, RATE, hints
from roamcast.papers.shared.claim_parts import combined_part, difference_part, if_measured, value_part

HINTS, *GOSSIPS = (Line("rate", RATE, curve) for curve in (hints(0), GOSSIP, FLOODING))
LOWEST, HIGHEST = 0.5, 10.0
"""Figure 5's default, and the end of our axis."""
AXIS = "The text does not say up to which rate figure 9 goes; ours ends at 10 events a second of each publisher."


def rate_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        Claim(
            "rate-sensitivity",
            "5.2, figure 9",
            "The publishing rate influences hints only very marginally; gossip and flooding are more sensitive",
            "at each rate hints deliver within five points of what they do at the lowest; from the lowest to the "
            "highest rate gossip (p = 0.5) and flooding each lose at least five points more than hints",
            (9,),
            if_measured("rate", _sensitivity),
            choice=AXIS,
            replaces=("rate-hints", "rate-gossip"),
        ),
        Claim(
            "rate-collisions",
            "5.2, figure 9",
            "With a higher rate gossip suffers from many collisions, which do not occur with hints",
            "from the lowest to the highest rate, the share of frames in range that collisions destroy rises by at "
            "least five points with gossip and flooding; with hints it is below five points even at the highest",
            (9,),
            if_measured("rate", _collisions),
            "Nodes with equal hints forward within 30 ms of each other, and a frame takes 3.7 ms at 1 Mbit/s.",
            AXIS,
        ),
        Claim(
            "rate-cost",
            "5.2, figure 9",
            "A higher rate makes hints more efficient, because beacons weigh less",
            "at each rate above the lowest the cost is lower than there; by how much, the paper does not say",
            (9,),
            if_measured("rate", _cheaper),
            choice=AXIS,
            replaces=("rate-cost",),
        ),
    )


def _sensitivity(measured: Measurements) -> Sequence[Part]:
    own = [HINTS.at(measured, DELIVERY, rate) for rate in (LOWEST, HIGHEST)]
    parts = list(each_less_base(measured, HINTS, LOWEST, MARGINAL))
    for line in GOSSIPS:
        low, high = (line.at(measured, DELIVERY, rate) for rate in (LOWEST, HIGHEST))
        terms = [(1.0, low), (-1.0, high), (-1.0, own[0]), (1.0, own[1])]
        label = f"{line.label}: loss from {LOWEST:g} to {HIGHEST:g} less that of hints"
        parts.append(combined_part(label, terms, at_least(POINTS, no_effect=0.0)))
    return parts


def _collisions(measured: Measurements) -> Sequence[Part]:
    rises = [
        difference_part(
            f"{line.label}: share destroyed at {HIGHEST:g} less at {LOWEST:g}",
            line.at(measured, COLLISIONS, HIGHEST),
            line.at(measured, COLLISIONS, LOWEST),
            at_least(POINTS, no_effect=0.0),
        )
        for line in GOSSIPS
    ]
    own = HINTS.at(measured, COLLISIONS, HIGHEST)
    return [*rises, value_part(f"{HINTS.label}: share destroyed at {HIGHEST:g}", own, at_most(POINTS))]


def _cheaper(measured: Measurements) -> Sequence[Part]:
    return or_missing(each_over_base(measured, HINTS, LOWEST, below(1.0)), HINTS)
