"""The Frugal paper's claims about reliability in the city (section 5.2, figures 13 to 16)."""

from collections.abc import Mapping, Sequence
from typing import Any

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, Side, Value, above, at_least, within
from roamcast.measuring.verdicts.quantity import Deviation
from roamcast.papers.frugal.curves import (
    ADDED,
    CITY_RUNS,
    FRACTION,
    HEARTBEAT,
    RELIABILITY,
    SPEED,
    mean,
    over_publishers,
    spread,
)
from roamcast.papers.frugal.figures import PAPER_HEARTBEAT, PAPER_SPREAD, PAPER_SUBSCRIBERS, PAPER_VALIDITY
from roamcast.papers.shared.claim_parts import difference_part, formula_part, if_measured, printed_part, value_part

ONE_MOVEMENT = (
    "The paper's number was taken to be a mean over 30 movements, and not one of a single movement, until a campaign "
    "with seeds 2001 to 2270 had been seen."
)
POINTS = 0.10
"""Ten points where the map is ours and not the paper's."""
NO_DIFFERENCE = 0.05
"""Five points are no real difference: the paper calls 1.8 points none, and reads its curves to about five."""
LOSS = 0.22
"""Section 5.2: the loss of reliability between heartbeats of 1 to 2 s and of 5 s."""
RISE = 0.33
"""Half of what figure 16 gains from 25 to 150 s, from 11 to 77 %: our reading of "crucial"."""
HUGE = 0.3
"""Half of the difference in figure 15 with all cars subscribed, 60.0 %: our reading of "huge"."""
NEAR = "each value within 0.10 of the paper's, with its own sampling error: the map is ours, not the paper's"


def city_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_heartbeat_claims(), *_subscriber_claims(), *_validity_claims())


def _heartbeat(measured: Measurements, period_s: float) -> Measurement | None:
    return measured.first("heartbeat", RELIABILITY, {HEARTBEAT: period_s})


def _table(rows: Mapping[Any, Measurement | None], paper: Mapping[Any, float], unit: str) -> Sequence[Part]:
    """Return our values less those of a table that the paper prints, where they were measured."""
    return [
        printed_part(f"{value:g}{unit}, less {printed:.3g}", rows[value], printed, CITY_RUNS, within(-POINTS, POINTS))
        for value, printed in paper.items()
        if rows[value] is not None
    ] or [Part.missing("a value of the table")]


def _heartbeat_claims() -> Sequence[Claim]:
    return (
        Claim(
            "city-heartbeat",
            "5.2, figure 13",
            "Reliability with heartbeats of at most 1 to 5 s: 76.9, 75.1, 65.5, 69.9, 54.0 %",
            NEAR,
            (13,),
            if_measured(
                "heartbeat",
                lambda measured: _table(
                    {period_s: _heartbeat(measured, period_s) for period_s in PAPER_HEARTBEAT}, PAPER_HEARTBEAT, " s"
                ),
            ),
            replaces=("city-heartbeat",),
            after_results=ONE_MOVEMENT,
        ),
        Claim(
            "city-heartbeat-short",
            "5.2, figure 13",
            "Between heartbeats every 1 s and every 2 s there is no real difference in reliability",
            "within 0.05 of each other",
            (13,),
            if_measured(
                "heartbeat",
                lambda measured: [
                    difference_part(
                        "1 s less 2 s",
                        _heartbeat(measured, 1),
                        _heartbeat(measured, 2),
                        within(-NO_DIFFERENCE, NO_DIFFERENCE),
                    )
                ],
            ),
        ),
        Claim(
            "city-heartbeat-long",
            "5.2, figure 13",
            "Between heartbeats every 1 to 2 s and every 5 s, reliability drops by 22 points",
            "a loss of 0.22 ± 0.10, with the paper's own sampling error; a smaller loss is weaker",
            (13,),
            if_measured("heartbeat", _long_heartbeat),
            after_results=ONE_MOVEMENT,
        ),
        Claim(
            "city-heartbeat-dip",
            "5.2, figure 13",
            "A heartbeat every 4 s is better than one every 3 s, with which messages are more likely to collide",
            "more at 4 s than at 3 s",
            (13,),
            if_measured(
                "heartbeat",
                lambda measured: [
                    difference_part("4 s less 3 s", _heartbeat(measured, 4), _heartbeat(measured, 3), above(0.0))
                ],
            ),
            "Heartbeats of 15 cars with radios of 44 m hardly ever collide here, whatever their period.",
        ),
    )


def _long_heartbeat(measured: Measurements) -> Sequence[Part]:
    rows = [_heartbeat(measured, period_s) for period_s in (1, 2, 5)]
    band = Band(-POINTS, POINTS, Side.ABOVE, no_effect=-LOSS)
    return [
        formula_part(
            "mean of 1 s and 2 s less 5 s, less 0.22",
            rows,
            lambda values: Deviation(
                Value.of((values[0] + values[1]) * 0.5 - values[2], is_difference=True), LOSS, CITY_RUNS
            ),
            band,
            is_share=True,
        )
    ]


def _subscriber_claims() -> Sequence[Claim]:
    return (
        Claim(
            "city-subscribers",
            "5.2, figure 14",
            "Reliability with 20 to 100 % subscribers: 58.1, 59.7, 62.5, 68.6, 76.9 %",
            NEAR,
            (14,),
            if_measured(
                "subscribers",
                lambda measured: _table(
                    {share: over_publishers(measured, share, mean) for share in PAPER_SUBSCRIBERS},
                    PAPER_SUBSCRIBERS,
                    " of all",
                ),
            ),
            replaces=("city-subscribers",),
            after_results=ONE_MOVEMENT,
        ),
        Claim(
            "city-above-field",
            "5.2, figure 14",
            "With 20 % subscribers, more of them are reached in the city than in the random waypoint model",
            "more than at 10 m/s, the cars' mean speed, with the same validity of 150 s",
            (14,),
            if_measured("subscribers", _above_field),
        ),
        Claim(
            "city-spread",
            "5.2, figure 15",
            "The best publisher's reliability less the worst one's, with 20 to 100 % subscribers: 40.9, 44.7, 47.9, "
            "53.9, 60.0 %",
            NEAR,
            (15,),
            if_measured(
                "subscribers",
                lambda measured: _table(
                    {share: over_publishers(measured, share, spread) for share in PAPER_SPREAD}, PAPER_SPREAD, " of all"
                ),
            ),
            choice="As in the paper, each publisher's reliability is first averaged over the draws of subscribers, on "
            "the same movement of the cars; the interval is over movements.",
            replaces=("city-spread",),
            after_results=ONE_MOVEMENT,
        ),
        Claim(
            "city-spread-huge",
            "5.2, figure 15",
            "There can be a huge difference of reliability between publishers, which is due to their paths",
            f"the best publisher's less the worst one's: at least {HUGE} with all cars subscribed, half of what the "
            "paper's table has there; with fewer, the draws of subscribers alone set publishers apart; less is weaker",
            (15,),
            if_measured("subscribers", _huge_spread),
            after_results=ADDED,
        ),
    )


def _huge_spread(measured: Measurements) -> Sequence[Part]:
    return [value_part("100 %", over_publishers(measured, 1.0, spread), at_least(HUGE, no_effect=0.0))]


def _above_field(measured: Measurements) -> Sequence[Part]:
    if not measured.has("speed"):
        return []
    field = measured.first("speed", "reliability@150", {SPEED: [10, 10], FRACTION: 0.2})
    city = over_publishers(measured, 0.2, mean)
    return [difference_part("city less field", city, field, above(0.0))]


def _validity_claims() -> Sequence[Claim]:
    def valid_for(measured: Measurements, validity_s: int) -> Measurement | None:
        return measured.first("heartbeat", f"reliability@{validity_s}", {HEARTBEAT: 1})

    def table(measured: Measurements) -> Sequence[Part]:
        return _table(
            {validity_s: valid_for(measured, validity_s) for validity_s in PAPER_VALIDITY}, PAPER_VALIDITY, " s"
        )

    def rise(measured: Measurements) -> Sequence[Part]:
        long, short = valid_for(measured, max(PAPER_VALIDITY)), valid_for(measured, min(PAPER_VALIDITY))
        return [difference_part("150 s less 25 s", long, short, at_least(RISE, no_effect=0.0))]

    return (
        Claim(
            "city-validity",
            "5.2, figure 16",
            "Reliability with events valid for 25 to 150 s: 11, 27, 44, 52, 69, 77 %",
            NEAR,
            (16,),
            if_measured("heartbeat", table),
            replaces=("city-validity",),
            after_results=ONE_MOVEMENT,
        ),
        Claim(
            "city-validity-crucial",
            "5.2, figure 16",
            "The validity of an event has a crucial importance for reliability",
            f"from 25 s to 150 s it rises by at least {RISE}, half of what the paper's table shows; a smaller rise is "
            "weaker",
            (16,),
            if_measured("heartbeat", rise),
            after_results=ADDED,
        ),
    )
