"""The hint-driven paper's claims in section 5.2 about rate and speed (figures 9 and 10), with tolerances."""

from collections.abc import Sequence
from math import inf

from roamcast.measuring.claim_verdicts import Claim, Part
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.papers.hint_driven.claim_parts import (
    COST_TOLERANCE,
    POINTS,
    cost_steps,
    delivery_change,
    delivery_extent,
    ends,
)
from roamcast.papers.hint_driven.curves import (
    COST,
    DELIVERY,
    FLOODING,
    GOSSIP,
    RATE,
    SPEED,
    beaconing,
    hints,
    measured_curves,
)
from roamcast.papers.shared.claim_parts import difference_part, if_measured, ratio_part
from roamcast.papers.shared.curves import CURVE, Curve, rows_along

SMOOTH = 0.05
"""How much a single step may go against a curve that is said to rise or to fall: a twentieth of the cost."""
SHORT, LONG = beaconing(1), beaconing(20)


def scaling_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_rate_claims(), *_speed_claims())


def _cheaper(measured: Measurements) -> Sequence[Part]:
    first, last = ends(measured, "rate", COST, hints(0), RATE)
    return [
        ratio_part("highest rate over lowest", last, first, -inf, 1.0),
        *cost_steps(measured, "rate", RATE, hints(0), high=1 + SMOOTH),
    ]


def _rate_claims() -> Sequence[Claim]:
    return (
        Claim(
            "rate-hints",
            "5.2, figure 9",
            "The publishing rate influences hints only very marginally",
            "over all rates, highest less lowest delivery: at most five points",
            (9,),
            if_measured("rate", lambda measured: [delivery_extent(measured, "rate", RATE, hints(0), POINTS)]),
        ),
        Claim(
            "rate-gossip",
            "5.2, figure 9",
            "A higher rate hurts gossip and flooding, by collisions",
            "from the lowest to the highest rate each loses more than five points of delivery",
            (9,),
            if_measured(
                "rate",
                lambda measured: [
                    delivery_change(measured, "rate", RATE, each, high=-POINTS) for each in (GOSSIP, FLOODING)
                ],
            ),
            "From 0.5 to 10 events a second, the share of frames in range that collisions destroy rises from 7 to 11 % "
            "with p = 0.5 and from 21 to 29 % with p = 1; so many neighbours repeat an event that few nodes miss it.",
        ),
        Claim(
            "rate-cost",
            "5.2, figure 9",
            "A higher rate makes hints more efficient, since beacons weigh less",
            "frames for each delivery at the highest rate over those at the lowest: below 1; at no step more than a "
            "twentieth dearer",
            (9,),
            if_measured("rate", _cheaper),
        ),
    )


def _intervals(measured: Measurements) -> Sequence[Part]:
    (short_slow, short_fast), (long_slow, long_fast) = (
        ends(measured, "speed", DELIVERY, each, SPEED) for each in (SHORT, LONG)
    )
    return [
        difference_part("slowest: every 20 s less every 1 s", long_slow, short_slow, 0.0),
        difference_part("fastest: every 1 s less every 20 s", short_fast, long_fast, 0.0),
        difference_part("every 1 s: fastest less slowest", short_fast, short_slow, 0.0),
        difference_part("every 20 s: its best less fastest", _best(measured, LONG), long_fast, 0.0),
    ]


def _best(measured: Measurements, curve: Curve) -> Measurement | None:
    return max(rows_along(measured, "speed", DELIVERY, curve, SPEED), key=lambda row: row.mean, default=None)


def _interval_costs(measured: Measurements) -> Sequence[Part]:
    """Compare the dearest with the cheapest interval at each speed."""
    rows = measured.where("speed", COST)
    parts = []
    for speed in sorted({float(row.point[SPEED]) for row in rows}):
        here = sorted((row for row in rows if row.point[SPEED] == speed), key=lambda row: row.mean)
        label = f"{speed:g} m/s: {here[-1].point[CURVE]} over {here[0].point[CURVE]}"
        parts.append(ratio_part(label, here[-1], here[0], -inf, 1 + COST_TOLERANCE))
    return parts or [Part.missing("costs")]


def _speed_costs(measured: Measurements) -> Sequence[Part]:
    """Compare the ends of each curve, and each point with the one before."""
    parts: list[Part] = []
    for curve in measured_curves(measured, "speed"):
        first, last = ends(measured, "speed", COST, curve, SPEED)
        parts.append(ratio_part(f"{curve.label}: fastest over slowest", last, first, 1.0))
        parts += cost_steps(measured, "speed", SPEED, curve, low=1 - SMOOTH)
    return parts


def _speed_claims() -> Sequence[Claim]:
    return (
        Claim(
            "speed-intervals",
            "5.2, figure 10",
            "Short beacon intervals suffer at low speed, long ones at high speed",
            "at the lowest speed the longest interval delivers more than the shortest, at the highest less; the "
            "shortest delivers more at the highest speed than at the lowest, the longest less than at its best speed",
            (10,),
            if_measured("speed", _intervals),
        ),
        Claim(
            "speed-interval-cost",
            "5.2, figure 10",
            "The beacon interval influences the cost only slightly",
            "at each speed the dearest interval costs at most a fifth more than the cheapest",
            (10,),
            if_measured("speed", _interval_costs),
            "A beacon every second from ten subscribers is ten frames a second, and about six events are delivered in "
            "one: 1.7 frames for each delivery, where those of the events themselves are about two.",
        ),
        Claim(
            "speed-cost",
            "5.2, figure 10",
            "The cost increases smoothly with speed",
            "at every interval: at the highest speed above that at the lowest, and at no step from one speed to the "
            "next more than a twentieth lower",
            (10,),
            if_measured("speed", _speed_costs),
            "With short intervals few events are delivered at low speed, and beacons are shared by these few.",
        ),
    )
