"""The Frugal paper's claims about one event with 80 % subscribers (section 1 and the footnotes of section 5.2)."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, above, at_least, factor, within
from roamcast.papers.frugal.curves import (
    ALTERNATIVES,
    BANDWIDTH,
    DUPLICATES,
    FAIR,
    FRUGAL,
    PARASITES,
    RELIABILITY,
    SIMPLE,
    cost_rows,
)
from roamcast.papers.shared.claim_parts import difference_part, if_measured, ratio_part, value_part
from roamcast.papers.shared.curves import Curve

FIGURES = (17, 18, 19, 20)
ONE_EVENT, LARGE_EVENT = "one-event", "large-event"
"""The sweeps."""
SAVED = factor(3.0, 5.5)
"""A saving of 300 to 450 % can mean 3 to 4.5 times as much, or that much more: 4 to 5.5 times as much."""
SAME = 0.05
"""Reliabilities within five points are the same."""
ALL = 0.99
"""A share from here on rounds to 100 % when read to a point."""


def one_event_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (
        Claim(
            "same-reliability",
            "section 1; 5.2",
            "The approaches are compared at the same reliability",
            "Frugal's within 0.05 of each flooding's",
            FIGURES,
            if_measured(ONE_EVENT, _same_reliability),
            sweeps=(ONE_EVENT,),
        ),
        _factor_claim(
            "one-event-bandwidth",
            "For one event with 80 % subscribers, Frugal saves 300 to 450 % of the bandwidth",
            "each flooding's bytes over Frugal's: 3 to 5.5, since a saving of 300 to 450 % can mean 3 to 4.5 times as "
            "much or that much more",
            BANDWIDTH,
            SAVED,
            ("one-event-bandwidth",),
        ),
        _factor_claim(
            "one-event-duplicates",
            "Of one event with 80 % subscribers, each receives 70 to 100 times fewer duplicates",
            "each flooding's number over Frugal's: 70 to 100",
            DUPLICATES,
            factor(70, 100),
            ("one-event-duplicates", "one-event-duplicates-most"),
        ),
        _factor_claim(
            "one-event-parasites",
            "Of one event with 80 % subscribers, each process receives 50 to 90 times fewer parasites",
            "each flooding's number over Frugal's: 50 to 90",
            PARASITES,
            factor(50, 90),
            ("one-event-parasites", "one-event-parasites-most"),
        ),
        Claim(
            "flooding-reliable",
            "5.2, footnote 13",
            "Simple flooding always has a reliability of 100 %",
            "at least 0.99 with 80 % subscribers: what rounds to 100 %",
            FIGURES,
            if_measured(
                ONE_EVENT,
                lambda measured: [value_part("simple flooding", _row(measured, RELIABILITY, SIMPLE), at_least(ALL))],
            ),
            "150 processes with 339 m on 25 km² are not always connected, not even over 180 s.",
            sweeps=(ONE_EVENT,),
        ),
        Claim(
            "large-event",
            "5.2, figure 17",
            "With an event of 1.6 kB, Frugal uses less bandwidth than every alternative, even for one event and few "
            "subscribers",
            "each flooding's bytes over Frugal's, with 20 % subscribers: above 1",
            FIGURES,
            if_measured(
                LARGE_EVENT,
                lambda measured: _ratios(measured, LARGE_EVENT, BANDWIDTH, above(1.0)),
            ),
            sweeps=(LARGE_EVENT,),
        ),
    )


def _row(measured: Measurements, metric: str, curve: Curve, sweep: str = ONE_EVENT) -> Measurement | None:
    return next(iter(cost_rows(measured, sweep, metric, curve)), None)


def _ratios(measured: Measurements, sweep: str, metric: str, band: Band) -> Sequence[Part]:
    """Return what each flooding costs over what Frugal does."""
    own = _row(measured, metric, FRUGAL, sweep)
    judged = [ratio_part(curve.label, _row(measured, metric, curve, sweep), own, band) for curve in ALTERNATIVES]
    fair = _row(measured, metric, FAIR, sweep)
    return [*judged, *([] if fair is None else [ratio_part(f"not judged: {FAIR.label}", fair, own)])]


def _factor_claim(
    name: str, statement: str, tolerance: str, metric: str, band: Band, replaces: tuple[str, ...]
) -> Claim:
    return Claim(
        name,
        "section 1",
        statement,
        tolerance,
        FIGURES,
        if_measured(ONE_EVENT, lambda measured: _ratios(measured, ONE_EVENT, metric, band)),
        replaces=replaces,
        sweeps=(ONE_EVENT,),
    )


def _same_reliability(measured: Measurements) -> Sequence[Part]:
    own = _row(measured, RELIABILITY, FRUGAL)
    return [
        difference_part(f"less {curve.label}", own, _row(measured, RELIABILITY, curve), within(-SAME, SAME))
        for curve in ALTERNATIVES
    ]
