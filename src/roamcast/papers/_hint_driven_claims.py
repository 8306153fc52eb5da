"""What the hint-driven paper claims in section 5.2, with tolerances: here of gossip and of hints without credits."""

from collections.abc import Sequence
from math import inf

from roamcast.experiments.claims import Claim, Part
from roamcast.experiments.measurements import Measurement, Measurements
from roamcast.papers._hint_driven_credit_claims import credit_claims
from roamcast.papers._hint_driven_curves import ANY_GOSSIP, ANY_HINTS, COST, CREDITS, DELIVERY, PROBABILITY
from roamcast.papers._hint_driven_figures import PAPER_COST, PAPER_DELIVERY, PAPER_GOSSIP_COST
from roamcast.papers._hint_driven_parts import difference_part, if_measured, ratio_part, row_at, rows_along, value_part
from roamcast.papers._hint_driven_scaling_claims import scaling_claims

POINTS = 0.05
"""Five points of delivery: the paper reads its own curves to about that."""
COST_TOLERANCE = 0.2
"""A fifth of a cost: radio, message sizes and random delays are ours, and all weigh on it."""
HALF = 0.5
GOSSIP_REMARK = "Gossip's value is read at the probability of our grid that delivers nearest to 0.7."


def hint_driven_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_gossip_claims(), *_hints_claims(), *credit_claims(), *scaling_claims())


def _gossip(measured: Measurements, metric: str, probability: float) -> Measurement | None:
    return row_at(measured, "probability", metric, ANY_GOSSIP, PROBABILITY, probability)


def _hints(measured: Measurements, metric: str, count: float) -> Measurement | None:
    return row_at(measured, "credits", metric, ANY_HINTS, CREDITS, count)


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
    reached = [row for row in rows_along(measured, "probability", DELIVERY, ANY_GOSSIP, PROBABILITY) if row.mean > HALF]
    shares = [float(row.point[PROBABILITY]) for row in reached]
    low = 5 * (1 - COST_TOLERANCE)
    return [value_part(f"p = {each:g}", _gossip(measured, COST, each), low) for each in shares] or [
        Part.missing("a probability that delivers half")
    ]


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
                lambda measured: [
                    value_part(f"p = {row.point[PROBABILITY]:g}", row, -inf, 0.99)
                    for row in rows_along(measured, "probability", DELIVERY, ANY_GOSSIP, PROBABILITY)
                ],
            ),
        ),
        Claim(
            "gossip-half-cost",
            "5.2, figure 6",
            "To deliver more than half costs gossip at least 5 frames for each delivery",
            "at least 4 at every probability that delivers more than 0.5: 5 within a fifth",
            (6,),
            if_measured("probability", _half_cost),
            "Frames for a delivery are about 10 p here, whatever else: nearly each node that is reached sends with "
            "probability p, and one in ten of those reached subscribes.",
        ),
    )


def _cost_values(measured: Measurements) -> Sequence[Part]:
    probability = _nearest_gossip(measured)
    return [
        _near("hints, no credit", _hints(measured, COST, 0), PAPER_COST),
        _near(f"gossip, p = {probability:g}", _gossip(measured, COST, probability), PAPER_GOSSIP_COST),
    ]


def _near(label: str, row: Measurement | None, paper: float) -> Part:
    shown = f"{label} (paper {paper:g})"
    return value_part(shown, row, paper * (1 - COST_TOLERANCE), paper * (1 + COST_TOLERANCE))


def _half_of_gossip(measured: Measurements) -> Sequence[Part]:
    probability = _nearest_gossip(measured)
    label = f"hints without credit over gossip with p = {probability:g}"
    return [ratio_part(label, _hints(measured, COST, 0), _gossip(measured, COST, probability), -inf, HALF * 1.1)]


def _hints_claims() -> Sequence[Claim]:
    return (
        Claim(
            "hints-delivery",
            "5.2, figure 7",
            "Hints deliver 0.7 without any credit",
            "0.65 to 0.75: five points either way",
            (7,),
            if_measured(
                "credits",
                lambda measured: [
                    value_part(
                        "no credit", _hints(measured, DELIVERY, 0), PAPER_DELIVERY - POINTS, PAPER_DELIVERY + POINTS
                    )
                ],
            ),
        ),
        Claim(
            "hints-cost",
            "5.2, figure 7",
            "Delivering 0.7 costs hints about 2.5 frames for each delivery, and gossip about 5.5",
            "each within a fifth: 2 to 3, and 4.4 to 6.6",
            (7,),
            if_measured("credits", _cost_values),
            GOSSIP_REMARK,
        ),
        Claim(
            "hints-half-cost",
            "5.2, figure 7",
            "That is less than half of gossip's cost",
            "at most 0.55 of it: half within a tenth of that, since the two deliveries are not quite equal",
            (7,),
            if_measured("credits", _half_of_gossip),
            GOSSIP_REMARK,
        ),
    )
