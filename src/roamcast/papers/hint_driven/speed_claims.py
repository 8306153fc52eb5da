"""The hint-driven paper's claims in sections 5.2 and 6 about mobility: figure 10.

The text names neither the speeds nor the beacon intervals of the figure. Judged are figure 5's default interval of 5 s,
half and twice as long, from 5 m/s on. A beacon every second, one every 20 s, and a speed of 1 m/s break what the paper
says; they are drawn, and shown beside what is judged.
"""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, above, at_least
from roamcast.papers.hint_driven.claim_parts import (
    NOT_JUDGED,
    POINTS,
    SAME_COST,
    SMOOTH,
    Line,
    cost_steps,
    each_less_base,
    or_missing,
)
from roamcast.papers.hint_driven.curves import COST, DELIVERY, SPEED, beaconing
from roamcast.papers.shared.claim_parts import difference_part, if_measured, ratio_part

SHORTEST, SHORT, DEFAULT, LONG, LONGEST = (Line("speed", SPEED, beaconing(each)) for each in (1, 2.5, 5, 10, 20))
SLOWEST, SLOW, FAST = 1, 5, 40
"""In m/s."""
DEFAULT_SPEED = 10
"""The lower end of figure 5's speeds."""
AXES = (
    "The text names neither speeds nor intervals: judged are 2.5, 5 and 10 s (figure 5's default, half and twice as "
    "long) from 5 m/s on."
)
KNOWN = (
    "An audit had shown, before the axes were chosen, that beacons every 1 s or 20 s and a speed of 1 m/s, which are "
    "ours alone, break what the paper says."
)


def speed_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        Claim(
            "speed-short-interval",
            "5.2, figure 10",
            "With low mobility a short beacon interval removes valid hints, and less is delivered",
            "at 5 m/s, beacons every 10 s deliver at least five points more than every 2.5 s",
            (10,),
            if_measured("speed", _when_slow),
            choice=AXES,
            after_results=KNOWN,
            replaces=("speed-intervals",),
        ),
        Claim(
            "speed-long-interval",
            "5.2, figure 10",
            "With high mobility a long beacon interval leaves stale hints, and less is delivered",
            "at 40 m/s, beacons every 2.5 s deliver at least five points more than every 10 s",
            (10,),
            if_measured("speed", _when_fast),
            choice=AXES,
            after_results=KNOWN,
            replaces=("speed-intervals",),
        ),
        Claim(
            "speed-cost",
            "5.2, figure 10",
            "The beacon interval influences the cost only slightly, and the cost increases smoothly with the speed",
            "at each speed, half and twice the default interval cost within a fifth of it; with each interval, 40 m/s "
            "cost more than 5 m/s, and no step of the axis falls by more than a twentieth",
            (10,),
            if_measured("speed", _costs),
            "Beacons are shared by the deliveries, and short intervals have many beacons; at low speed they also have "
            "few deliveries, since hints are forgotten before they are needed.",
            AXES,
            replaces=("speed-interval-cost", "speed-cost"),
            after_results=KNOWN,
        ),
        Claim(
            "speed-resilience",
            "6",
            "Hints stand up very well to a topology that changes, and are best used with high mobility",
            "with the default interval, at each speed above 10 m/s at most five points less than there",
            (10,),
            if_measured("speed", _resilience),
            choice="Section 6 names no figure; figure 10 is the one about mobility.",
        ),
    )


def _when_slow(measured: Measurements) -> Sequence[Part]:
    return [
        _less(measured, LONG, SHORT, SLOW, judged=True),
        _less(measured, LONG, SHORTEST, SLOW),
        _less(measured, LONG, SHORT, SLOWEST),
    ]


def _when_fast(measured: Measurements) -> Sequence[Part]:
    return [
        _less(measured, SHORT, LONG, FAST, judged=True),
        _less(measured, SHORTEST, LONG, FAST),
        _less(measured, SHORT, LONGEST, FAST),
    ]


def _less(measured: Measurements, line: Line, other: Line, speed: float, *, judged: bool = False) -> Part:
    """Return by how much one interval's delivery exceeds that of another at some speed."""
    label = f"{'' if judged else NOT_JUDGED}{speed:g} m/s: {line.label} less {other.label}"
    band = at_least(POINTS, no_effect=0.0) if judged else None
    return difference_part(label, line.at(measured, DELIVERY, speed), other.at(measured, DELIVERY, speed), band)


def _costs(measured: Measurements) -> Sequence[Part]:
    parts: list[Part] = []
    for line in (SHORT, LONG):
        for speed in DEFAULT.values(measured):
            if speed >= SLOW:
                own, base = (each.at(measured, COST, speed) for each in (line, DEFAULT))
                label = f"{speed:g} m/s: cost with {line.label} over {DEFAULT.label}"
                parts.append(ratio_part(label, own, base, SAME_COST))
    for line in (SHORT, DEFAULT, LONG):
        slow, fast = (line.at(measured, COST, speed) for speed in (SLOW, FAST))
        parts.append(ratio_part(f"{line.label}: cost at {FAST} m/s over {SLOW}", fast, slow, above(1.0)))
        parts += cost_steps(measured, line, at_least(1 - SMOOTH), SLOW)
    for line, speed in ((SHORTEST, SLOW), (SHORTEST, FAST), (SHORT, SLOWEST)):
        own, base = (each.at(measured, COST, speed) for each in (line, DEFAULT))
        parts.append(ratio_part(f"{NOT_JUDGED}{speed:g} m/s: cost with {line.label} over {DEFAULT.label}", own, base))
    return parts


def _resilience(measured: Measurements) -> Sequence[Part]:
    return or_missing(each_less_base(measured, DEFAULT, DEFAULT_SPEED, at_least(-POINTS)), DEFAULT)
