"""The Frugal paper's claims about reliability in its abstract and in section 5.2, each with its tolerance."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from roamcast.measuring.claim_verdicts import Claim, Part
from roamcast.measuring.measurements import Kind, Measurements
from roamcast.papers.frugal.figures import (
    DRAWN,
    FRACTION,
    HEARTBEAT,
    PAPER_HEARTBEAT,
    PAPER_SPREAD,
    PAPER_SUBSCRIBERS,
    PAPER_VALIDITY,
    SPEED,
)
from roamcast.papers.shared.claim_parts import Measure, if_measured, value_part

POINTS = 0.05
"""Five points of reliability: the paper reads its own curves to about that."""
CITY_POINTS = 0.10
"""Ten points where the map is ours and not the paper's."""
SLOW_MPS = 10.0
LOW = 0.6
"""Our reading of "low"; the paper gives no number."""


def reliability_claims() -> Sequence[Claim]:
    """Return the claims of figures 11 to 16, in the paper's order."""
    return (*_field_claims(), *_city_claims())


def _reached(
    measured: Measurements, sweep: str, labels: Mapping[str, Any], validity_s: int, low: float = -inf
) -> Sequence[Part]:
    """Return the reliability at one point, which must be at least ``low``."""
    label = f"{validity_s} s"
    if SPEED in labels:
        label = f"{labels[SPEED][0]:g} m/s, {label}"
    rows = measured.where(sweep, f"reliability@{validity_s}", labels)
    return [value_part(label, row, low) for row in rows] or [Part.missing(label)]


def _at_80(measured: Measurements) -> Sequence[Part]:
    return [
        part
        for speed_mps, validity_s in ((10, 180), (30, 90))
        for part in _reached(
            measured, "speed", {SPEED: [speed_mps, speed_mps], FRACTION: 0.8}, validity_s, 0.95 - POINTS
        )
    ]


def _at_20(measured: Measurements) -> Sequence[Part]:
    rows = measured.where("speed", "reliability@180", {FRACTION: 0.2})
    slow = [row for row in rows if row.point[SPEED][0] <= SLOW_MPS]
    fast = [row for row in rows if row.point[SPEED][0] == 40]
    return [
        *(value_part(f"{row.point[SPEED][0]:g} m/s", row, -inf, LOW) for row in slow),
        *(value_part("40 m/s", row, LOW) for row in fast),
        *([] if slow and fast else [Part.missing("slow or fast")]),
    ]


def _mixed(measured: Measurements) -> Sequence[Part]:
    judged = _reached(measured, "mixed", {DRAWN: "trip", FRACTION: 0.6}, 120, 1 - POINTS)
    beside = measured.where("mixed", "reliability@120", {DRAWN: "node", FRACTION: 0.6})
    return [*judged, *(value_part("not judged: each process keeps its speed", row) for row in beside)]


def _field_claims() -> Sequence[Claim]:
    return (
        Claim(
            "reliability-80",
            "abstract, 5.2, figure 11",
            "With 80 % subscribers, 10 m/s with 180 s of validity and 30 m/s with 90 s both reach about 95 %",
            "at least 0.90: 0.95 within 5 points, and no more than all can be reached",
            (11,),
            if_measured("speed", _at_80),
        ),
        Claim(
            "reliability-20",
            "5.2, figure 11",
            "With 20 % subscribers reliability is low, except at high speed",
            "at 180 s: below 0.6 up to 10 m/s, above 0.6 at 40 m/s; the paper gives no number",
            (11,),
            if_measured("speed", _at_20),
        ),
        Claim(
            "mixed-speeds",
            "5.2, figure 12",
            "With speeds of 1 to 40 m/s, 60 % subscribers and 120 s, all receive the event",
            "at least 0.95: 'all' within 5 points; a speed is drawn for each trip, as section 2 says",
            (12,),
            if_measured("mixed", _mixed),
            "Slow trips last longer, so the mean speed over time falls to about 11 m/s. The paper relates its result "
            "to a network at 20 m/s, which is the mean if each process keeps one speed; that value is shown too.",
        ),
    )


def _table(sweep: str, key: str, paper: Mapping[Any, float], unit: str, kind: Kind = Kind.VALUE) -> Measure:
    """Return a measure of a table of reliability that the paper prints, value by value."""

    def measure(measured: Measurements) -> Sequence[Part]:
        parts = []
        for value, printed in paper.items():
            label = f"{value:g}{unit} (paper {printed:.1%})"
            rows = measured.where(sweep, "reliability", {key: value}, kind)
            low, high = printed - CITY_POINTS, printed + CITY_POINTS
            parts += [value_part(label, row, low, high) for row in rows] or [Part.missing(label)]
        return parts

    return if_measured(sweep, measure)


def _city_claims() -> Sequence[Claim]:
    def by_validity(measured: Measurements) -> Sequence[Part]:
        parts = []
        for validity_s, printed in PAPER_VALIDITY.items():
            label = f"{validity_s} s (paper {printed:.0%})"
            rows = measured.where("heartbeat", f"reliability@{validity_s}", {HEARTBEAT: 1})
            low, high = printed - CITY_POINTS, printed + CITY_POINTS
            parts += [value_part(label, row, low, high) for row in rows] or [Part.missing(label)]
        return parts

    near = "each value within 10 points: the map is ours, not the paper's"
    return (
        Claim(
            "city-heartbeat",
            "5.2, figure 13",
            "Reliability by the heartbeat's upper bound of 1 to 5 s: 76.9, 75.1, 65.5, 69.9, 54.0 %",
            near,
            (13,),
            _table("heartbeat", HEARTBEAT, PAPER_HEARTBEAT, " s"),
            "The paper's dip at 3 s, which it explains by collisions, depends on its own cars' timing.",
        ),
        Claim(
            "city-subscribers",
            "5.2, figure 14",
            "Reliability by the share of subscribers of 20 to 100 %: 58.1, 59.7, 62.5, 68.6, 76.9 %",
            near,
            (14,),
            _table("subscribers", FRACTION, PAPER_SUBSCRIBERS, ""),
        ),
        Claim(
            "city-spread",
            "5.2, figure 15",
            "Difference between the best and the worst publisher by the share of subscribers: 40.9 to 60.0 %",
            near,
            (15,),
            _table("subscribers", FRACTION, PAPER_SPREAD, "", Kind.SPREAD),
            "Ours is the spread between cars in one movement. The paper took each car's mean over 30 runs first: done "
            "so, ours is 0.12 to 0.20, because our cars are alike and the paper's had routes of their own.",
        ),
        Claim(
            "city-validity",
            "5.2, figure 16",
            "Reliability by the validity period of 25 to 150 s: 11, 27, 44, 52, 69, 77 %",
            near,
            (16,),
            if_measured("heartbeat", by_validity),
        ),
    )
