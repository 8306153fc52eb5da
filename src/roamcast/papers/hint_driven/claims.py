"""The hint-driven paper's claims in section 5.2, with tolerances: here about gossip and hints without credits."""

from collections.abc import Sequence
from math import inf

from roamcast.measuring.claim_verdicts import Claim, Part
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.papers.hint_driven.claim_parts import COST_TOLERANCE, POINTS
from roamcast.papers.hint_driven.credit_claims import credit_claims
from roamcast.papers.hint_driven.curves import ALL_BEACON, ANY_GOSSIP, ANY_HINTS, COST, CREDITS, DELIVERY, PROBABILITY
from roamcast.papers.hint_driven.density_claims import density_claims
from roamcast.papers.hint_driven.figures import PAPER_COST, PAPER_DELIVERY, PAPER_GOSSIP_COST
from roamcast.papers.hint_driven.scaling_claims import scaling_claims
from roamcast.papers.shared.claim_parts import difference_part, if_measured, ratio_part, value_part
from roamcast.papers.shared.curves import Curve, row_at, rows_along

HALF_DELIVERED, HALF_DELIVERED_COST = 0.5, 5.0
"""Section 5.2: "more than half", and the packets for each delivered message that it takes gossip at least."""
HALF_THE_COST = 0.5
"""Section 5.2: "less than half the cost required under gossip"."""
GRID_STEP = 0.1
"""Our steps in the forwarding probability. Frames for a delivery are about 10 p, so half a step is half a frame."""
GOSSIP_REMARK = "Gossip's value is read at the probability of our grid that delivers nearest to 0.7."
BEACONS = (
    "Only subscribers send beacons here, where section 4 has every broker send them: the paper's 2.5 frames leave no "
    "room for those of 100 nodes. The value with them is shown, but not judged."
)


def hint_driven_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_gossip_claims(), *_hints_claims(), *credit_claims(), *scaling_claims(), *density_claims())


def _gossip(measured: Measurements, metric: str, probability: float) -> Measurement | None:
    return row_at(measured, "probability", metric, ANY_GOSSIP, PROBABILITY, probability)


def _hints(measured: Measurements, metric: str, curve: Curve = ANY_HINTS) -> Measurement | None:
    """Return hints without credits."""
    return row_at(measured, "credits", metric, curve, CREDITS, 0)


def _nearest_gossip(measured: Measurements) -> float:
    """Return the probability at which gossip delivers nearest to what the paper compares at."""
    rows = measured.where("probability", DELIVERY)
    return float(min(rows, key=lambda row: abs(row.mean - PAPER_DELIVERY)).point[PROBABILITY]) if rows else 0.5


def _bimodal(measured: Measurements) -> Sequence[Part]:
    low, middle, high, whole = (_gossip(measured, DELIVERY, each) for each in (0.2, 0.5, 0.7, 1.0))
    return [
        value_part("p = 0.2", low, -inf, 0.35),
        value_part("p = 0.7", high, 0.75),
        difference_part("from p = 0.2 to 0.5", middle, low, 0.3),
        difference_part("from p = 0.7 to 1", whole, high, -inf, 0.15),
    ]


def _half_cost(measured: Measurements) -> Sequence[Part]:
    """Return the cost at the lowest probability that is sure to deliver more than half.

    Sure: the whole interval is above. The cost at higher probabilities says nothing, being about 10 p.
    """
    half = GRID_STEP / 2 * 10
    for row in rows_along(measured, "probability", DELIVERY, ANY_GOSSIP, PROBABILITY):
        if row.low is not None and row.low > HALF_DELIVERED:
            probability = float(row.point[PROBABILITY])
            label, cost = f"p = {probability:g}, delivers {row.mean:.2f}", _gossip(measured, COST, probability)
            return [value_part(label, cost, HALF_DELIVERED_COST - half, HALF_DELIVERED_COST + half)]
    return [Part.missing("a probability that delivers half")]


def _gossip_claims() -> Sequence[Claim]:
    return (
        Claim(
            "gossip-bimodal",
            "5.2, figure 6",
            "Gossip's delivery is bimodal in the forwarding probability: low, then a steep rise, then high",
            "at most 0.35 at p = 0.2 and at least 0.75 at 0.7; a rise of at least 0.3 from 0.2 to 0.5, of at most 0.15 "
            "from 0.7 to 1. The paper gives no numbers",
            (6,),
            if_measured("probability", _bimodal),
        ),
        Claim(
            "gossip-never-all",
            "5.2, figure 6",
            "Gossip never delivers 100 %, because of collisions and partitions",
            "at most 0.99 at every probability",
            (6,),
            if_measured(
                "probability",
                lambda measured: (
                    [
                        value_part(f"p = {row.point[PROBABILITY]:g}", row, -inf, 0.99)
                        for row in rows_along(measured, "probability", DELIVERY, ANY_GOSSIP, PROBABILITY)
                    ]
                    or [Part.missing("deliveries")]
                ),
            ),
        ),
        Claim(
            "gossip-half-cost",
            "5.2, figure 6",
            "To deliver more than half costs gossip 5 frames for each delivery, or more",
            "4.5 to 5.5 at the lowest probability whose whole interval is above 0.5: a frame is a step of our grid, so "
            "half of one either way",
            (6,),
            if_measured("probability", _half_cost),
            "A delivery takes about 10 p frames here, whatever else changes: nearly every node that is reached sends "
            "with probability p, and one in ten of those reached subscribes.",
        ),
    )


def _cost_values(measured: Measurements) -> Sequence[Part]:
    probability = _nearest_gossip(measured)
    return [
        _near("hints, no credit", _hints(measured, COST), PAPER_COST),
        _near(f"gossip, p = {probability:g}", _gossip(measured, COST, probability), PAPER_GOSSIP_COST),
        value_part(f"not judged: {ALL_BEACON.label}", _hints(measured, COST, ALL_BEACON)),
    ]


def _near(label: str, row: Measurement | None, paper: float) -> Part:
    shown = f"{label} (paper {paper:g})"
    return value_part(shown, row, paper * (1 - COST_TOLERANCE), paper * (1 + COST_TOLERANCE))


def _half_of_gossip(measured: Measurements) -> Sequence[Part]:
    probability = _nearest_gossip(measured)
    other = _gossip(measured, COST, probability)
    label = f"without credit over gossip with p = {probability:g}"
    return [
        ratio_part(f"hints {label}", _hints(measured, COST), other, -inf, HALF_THE_COST),
        ratio_part(f"not judged: {ALL_BEACON.label}, {label}", _hints(measured, COST, ALL_BEACON), other),
    ]


def _delivered(measured: Measurements) -> Sequence[Part]:
    return [
        value_part("no credit", _hints(measured, DELIVERY), PAPER_DELIVERY - POINTS, PAPER_DELIVERY + POINTS),
        value_part(f"not judged: {ALL_BEACON.label}", _hints(measured, DELIVERY, ALL_BEACON)),
    ]


def _hints_claims() -> Sequence[Claim]:
    """Return what figure 7 says of hints without credits; "less than half" has no tolerance, being an inequality."""
    return (
        Claim(
            "hints-delivery",
            "5.2, figure 7",
            "Hints deliver 0.7 without any credit",
            "0.65 to 0.75: five points either way",
            (7,),
            if_measured("credits", _delivered),
            choice=BEACONS,
        ),
        Claim(
            "hints-cost",
            "5.2, figure 7",
            "Delivering 0.7 costs hints about 2.5 frames for each delivery, and gossip about 5.5",
            "each within a fifth: 2 to 3, and 4.4 to 6.6",
            (7,),
            if_measured("credits", _cost_values),
            GOSSIP_REMARK,
            BEACONS,
        ),
        Claim(
            "hints-half-cost",
            "5.2, figure 7",
            "That is less than half of gossip's cost",
            "below 0.5 of it",
            (7,),
            if_measured("credits", _half_of_gossip),
            GOSSIP_REMARK,
            BEACONS,
        ),
    )
