"""The Frugal paper's claims about reliability in the random waypoint model (section 5.2, figures 11 and 12)."""

from collections.abc import Mapping, Sequence
from typing import Any

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Claim, Part, at_least, at_most, within
from roamcast.papers.frugal.curves import ADDED, FIELD_RUNS, FRACTION, SPEED
from roamcast.papers.shared.claim_parts import difference_part, if_measured, printed_part, value_part

POINTS = 0.05
"""Five points of reliability: a printed curve can be read to about that."""
LOW, FAIRLY_HIGH = 0.6, 0.8
"""Our readings of "low" and of "fairly high"; the paper gives no numbers."""
SLOW_MPS, FAST_MPS = (0, 1, 5, 10), 40


def field_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_speed_claims(), *_mixed_claims())


def _speed_claims() -> Sequence[Claim]:
    return (
        Claim(
            "reliability-10-mps",
            "section 1",
            "An event valid for 180 s reaches 95 % of 120 subscribers that move at 10 m/s",
            "0.95 ± 0.05, with the paper's own sampling error: five points are what a printed curve can be read to",
            (11,),
            if_measured("speed", lambda measured: [_printed(measured, 10, 180)]),
            replaces=("reliability-80",),
        ),
        Claim(
            "reliability-30-mps",
            "5.2, figure 11",
            "30 m/s and 90 s give the same 95 % as 10 m/s and 180 s",
            "0.95 ± 0.05 at 30 m/s, and within 0.05 of the value at 10 m/s",
            (11,),
            if_measured("speed", _same_at_30),
            replaces=("reliability-80",),
        ),
        Claim(
            "reliability-fairly-high",
            "5.2, figure 11",
            "With 80 % subscribers, fairly high reliability is reached with different validity periods and speeds",
            "at least 0.8 at both of the paper's examples, 10 m/s for 180 s and 30 m/s for 90 s; the paper gives no "
            "number for the words",
            (11,),
            if_measured("speed", _fairly_high),
            after_results=ADDED,
        ),
        Claim(
            "reliability-20",
            "5.2, figure 11",
            "With 20 % subscribers high reliability is difficult to achieve, unless processes move at high speed",
            "at 180 s: at most 0.6 up to 10 m/s, at least 0.8 at 40 m/s; the paper gives no number",
            (11,),
            if_measured("speed", _at_20),
            replaces=("reliability-20",),
        ),
    )


def _mixed_claims() -> Sequence[Claim]:
    return (
        Claim(
            "mixed-low",
            "5.2, figure 12",
            "With speeds of 1 to 40 m/s and few subscribers, reliability is low as well",
            "at most 0.6 with 20 % and 120 s; the paper gives no number",
            (12,),
            if_measured("mixed", lambda measured: [value_part("20 %, 120 s", _mixed(measured, 0.2), at_most(LOW))]),
        ),
        Claim(
            "mixed-all",
            "5.2, figure 12",
            "With speeds of 1 to 40 m/s, 60 % subscribers and 120 s, all of them receive the event",
            "1.00, at most 0.05 less, with the paper's own sampling error",
            (12,),
            if_measured(
                "mixed",
                lambda measured: [
                    printed_part("60 %, 120 s, less 1.00", _mixed(measured, 0.6), 1.0, FIELD_RUNS, at_least(-POINTS))
                ],
            ),
            "In the paper 20 m/s for 120 s, 2.4 km, give 100 % with 60 % subscribers, and 30 m/s for 90 s, 2.7 km, "
            "give 95 % with 80 %: the two sentences fit each other badly.",
            replaces=("mixed-speeds",),
        ),
        Claim(
            "mixed-average",
            "5.2, figure 12",
            "The average speed decides: the mixed network is like one in which all move at 20 m/s",
            "within 0.05 of the reliability at 20 m/s, 60 % and 120 s",
            (12,),
            if_measured("mixed", _like_average),
            "If a speed is drawn for each trip, slow trips last longer: the mean over time is 11 m/s, not 20.",
        ),
    )


def _at(measured: Measurements, sweep: str, validity_s: int, labels: Mapping[str, Any]) -> Measurement | None:
    return measured.first(sweep, f"reliability@{validity_s}", labels)


def _by_speed(measured: Measurements, speed_mps: float, validity_s: int, fraction: float) -> Measurement | None:
    return _at(measured, "speed", validity_s, {SPEED: [speed_mps, speed_mps], FRACTION: fraction})


def _mixed(measured: Measurements, fraction: float) -> Measurement | None:
    return _at(measured, "mixed", 120, {FRACTION: fraction})


def _printed(measured: Measurements, speed_mps: float, validity_s: int) -> Part:
    row = _by_speed(measured, speed_mps, validity_s, 0.8)
    return printed_part(f"{speed_mps:g} m/s, {validity_s} s, less 0.95", row, 0.95, FIELD_RUNS, within(-POINTS, POINTS))


def _same_at_30(measured: Measurements) -> Sequence[Part]:
    slow, fast = _by_speed(measured, 10, 180, 0.8), _by_speed(measured, 30, 90, 0.8)
    return [
        _printed(measured, 30, 90),
        difference_part("30 m/s, 90 s less 10 m/s, 180 s", fast, slow, within(-POINTS, POINTS)),
    ]


def _fairly_high(measured: Measurements) -> Sequence[Part]:
    return [
        value_part(
            f"{speed_mps} m/s, {validity_s} s", _by_speed(measured, speed_mps, validity_s, 0.8), at_least(FAIRLY_HIGH)
        )
        for speed_mps, validity_s in ((10, 180), (30, 90))
    ]


def _at_20(measured: Measurements) -> Sequence[Part]:
    slow = [(speed, _by_speed(measured, speed, 180, 0.2)) for speed in SLOW_MPS]
    return [
        *(value_part(f"{speed:g} m/s", row, at_most(LOW)) for speed, row in slow if row is not None),
        value_part(f"{FAST_MPS:g} m/s", _by_speed(measured, FAST_MPS, 180, 0.2), at_least(FAIRLY_HIGH)),
    ]


def _like_average(measured: Measurements) -> Sequence[Part]:
    same = _at(measured, "same-average", 120, {FRACTION: 0.6})
    return [difference_part("mixed less 20 m/s", _mixed(measured, 0.6), same, within(-POINTS, POINTS))]
