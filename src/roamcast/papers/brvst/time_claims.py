"""The BRVST paper's claims about matching times by the rates of messages: section V-A, figure 6."""

from collections.abc import Sequence
from typing import NamedTuple

from roamcast.campaigns.paired_messages import PAIRED
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, above, at_most, below
from roamcast.papers.brvst.curves import (
    ABOUT_SAME,
    BRVST,
    DRIP,
    MATCHED,
    MUCH_LESS,
    PUBLICATION_DELAY,
    PUBLICATION_TIME,
    PUBLICATIONS,
    SUBSCRIPTION_DELAY,
    SUBSCRIPTION_TIME,
    SUBSCRIPTIONS,
    ends_of,
    values_of,
)
from roamcast.papers.brvst.shapes import ever_faster
from roamcast.papers.shared.claim_parts import combined_part, ratio_part, value_part
from roamcast.papers.shared.curves import Curve, row_at, rows_along


class Sweep(NamedTuple):
    """A sweep, its axis, and the words for its points."""

    name: str
    axis: str
    words: str


BY_SUBSCRIPTIONS = Sweep("subscriptions", SUBSCRIPTIONS, "subscriptions a minute")
BY_PUBLICATIONS = Sweep("publications", PUBLICATIONS, "publications a minute")
WITH_THE_OTHERS = ((BY_SUBSCRIPTIONS, PUBLICATION_TIME), (BY_PUBLICATIONS, SUBSCRIPTION_TIME))
"""Figures 6-i(a) and 6-ii(a): the time of one kind of message by the rate of the other."""
WITH_ITS_OWN = ((BY_PUBLICATIONS, PUBLICATION_DELAY), (BY_SUBSCRIPTIONS, SUBSCRIPTION_DELAY))
"""Figures 6-i(b) and 6-ii(b): the time of one kind of message by its own rate."""
MUCH_SHORTER = at_most(MUCH_LESS, no_effect=1.0)
PAIRED_MEANS = (
    "Both means are over the messages that both schemes matched, paired by message, and begin when there was something "
    "to match. The share that each delivers is shown beside."
)
RAW = "The whole time counts here, as the wait for a counterpart is what falls with the other rate."
BEYOND = "The wait for a counterpart is left out: the message's own rate does not change it."
KNOWN = "The audit's measurements with seeds 1 to 6, before DRIP's loops were mended, were known."


def time_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_comparisons(), *_with_the_others(), *_with_its_own())


def if_either(measured: Measurements, *parts: Sequence[Part]) -> Sequence[Part]:
    """Return the parts of both sweeps of figure 6, if one of them was run."""
    is_measured = measured.has(BY_SUBSCRIPTIONS.name) or measured.has(BY_PUBLICATIONS.name)
    return [part for some in parts for part in some] if is_measured else []


def over_drip(measured: Measurements, sweep: Sweep, delay: str, band: Band) -> Sequence[Part]:
    """Return the ratio of BRVST's paired time to DRIP's at every point; what each delivers is beside it."""
    name, axis, words = sweep
    judged = [
        ratio_part(
            f"{value:g} {words}: BRVST over DRIP",
            row_at(measured, name, delay + PAIRED, BRVST, axis, value),
            row_at(measured, name, delay + PAIRED, DRIP, axis, value),
            band,
        )
        for value in values_of(measured, name, axis)
    ]
    return [*(judged or [Part.missing(words, band)]), *_delivered(measured, sweep)]


def _delivered(measured: Measurements, sweep: Sweep) -> Sequence[Part]:
    name, axis, words = sweep
    return [
        value_part(f"not judged: {curve.label} delivered, {float(row.point[axis]):g} {words}", row)
        for curve in (BRVST, DRIP)
        for row in rows_along(measured, name, MATCHED, curve, axis)
    ]


def _comparisons() -> Sequence[Claim]:
    shorter = "at most half of DRIP's time at every rate of {} and of {}"
    return (
        Claim(
            "publication-time",
            "V-A, figure 6-i",
            "A publication is matched in a much shorter time than with DRIP under all settings",
            shorter.format("subscriptions", "publications"),
            (6,),
            lambda measured: if_either(
                measured,
                over_drip(measured, BY_SUBSCRIPTIONS, PUBLICATION_DELAY, MUCH_SHORTER),
                over_drip(measured, BY_PUBLICATIONS, PUBLICATION_DELAY, MUCH_SHORTER),
            ),
            choice=PAIRED_MEANS,
            replaces=("publication-time",),
            after_results=KNOWN,
        ),
        Claim(
            "subscription-time",
            "V-A, figure 6-ii",
            "A subscription is matched in a much shorter time than with DRIP under all settings",
            shorter.format("publications", "subscriptions"),
            (6,),
            lambda measured: if_either(
                measured,
                over_drip(measured, BY_PUBLICATIONS, SUBSCRIPTION_DELAY, MUCH_SHORTER),
                over_drip(measured, BY_SUBSCRIPTIONS, SUBSCRIPTION_DELAY, MUCH_SHORTER),
            ),
            choice=PAIRED_MEANS,
            replaces=("subscription-time",),
            after_results=KNOWN,
        ),
    )


def _last_over_first(measured: Measurements, sweep: Sweep, metric: str, curve: Curve, band: Band) -> Part:
    first, last = ends_of(measured, sweep.name, metric, curve, sweep.axis)
    return ratio_part(f"{sweep.words}: {curve.label}, highest over lowest rate", last, first, band)


def _limit(measured: Measurements, sweep: Sweep, metric: str) -> Sequence[Part]:
    """Return the last step of BRVST's time, and how much more the first step shortens it."""
    rows = rows_along(measured, sweep.name, metric, BRVST, sweep.axis)
    if len(rows) < 3:
        return [Part.missing(sweep.words)]
    terms = [(1.0, rows[0]), (-1.0, rows[1]), (-1.0, rows[-2]), (1.0, rows[-1])]
    return [
        ratio_part(f"{sweep.words}: highest rate over the one before", rows[-1], rows[-2], ABOUT_SAME),
        combined_part(f"{sweep.words}: fall in the first step less that in the last", terms, above(0)),
    ]


def _with_the_others() -> Sequence[Claim]:
    return (
        Claim(
            "time-falls",
            "V-A, figures 6-i(a), ii(a)",
            "The more subscriptions, the sooner a publication is matched, and the other way round",
            "sooner at the highest rate than at the lowest, with both schemes; by how much, the paper does not say",
            (6,),
            lambda measured: if_either(
                measured,
                *(
                    [_last_over_first(measured, sweep, metric, curve, below(1)) for curve in (BRVST, DRIP)]
                    for sweep, metric in WITH_THE_OTHERS
                ),
            ),
            choice=RAW,
            replaces=("time-falls",),
        ),
        Claim(
            "time-limit",
            "V-A, figures 6-i(a), ii(a)",
            "The reduction reaches a limit, beyond which the time may slightly increase",
            "the last step changes BRVST's time by at most a fifth either way, and shortens it by less than the first",
            (6,),
            lambda measured: if_either(
                measured, *(_limit(measured, sweep, metric) for sweep, metric in WITH_THE_OTHERS)
            ),
            choice=f"{RAW} The text has no axis; ours goes to 400 a minute, twice the default.",
        ),
    )


def _sublinear(measured: Measurements, sweep: Sweep, metric: str) -> Part:
    values = values_of(measured, sweep.name, sweep.axis)
    rate = values[-1] / values[0] if len(values) > 1 and values[0] else 1.0
    return _last_over_first(measured, sweep, metric, BRVST, below(rate))


def _rise_over_drips(measured: Measurements, sweep: Sweep, metric: str) -> Part:
    first, last = ends_of(measured, sweep.name, metric, BRVST, sweep.axis)
    other_first, other_last = ends_of(measured, sweep.name, metric, DRIP, sweep.axis)
    terms = [(1.0, last), (-1.0, first), (-1.0, other_last), (1.0, other_first)]
    return combined_part(f"{sweep.words}: BRVST's rise less DRIP's", terms, below(0))


def _with_its_own() -> Sequence[Claim]:
    return (
        Claim(
            "time-grows",
            "V-A, figures 6-i(b), ii(b)",
            "With more of its own kind, a message is matched later",
            "later at the highest rate than at the lowest, with both schemes; by how much, the paper does not say",
            (6,),
            lambda measured: if_either(
                measured,
                *(
                    [_last_over_first(measured, sweep, metric, curve, above(1)) for curve in (BRVST, DRIP)]
                    for sweep, metric in WITH_ITS_OWN
                ),
            ),
            choice=BEYOND,
            replaces=("time-grows",),
        ),
        Claim(
            "time-drip",
            "V-A, figures 6-i(b), ii(b)",
            "DRIP's matching time increases exponentially",
            "ever faster: by more for each further message above 200 a minute than below",
            (6,),
            lambda measured: if_either(
                measured,
                *([ever_faster(measured, sweep.name, metric, DRIP, sweep.axis)] for sweep, metric in WITH_ITS_OWN),
            ),
            choice=BEYOND,
        ),
        Claim(
            "time-sublinear",
            "V-A, figures 6-i(b), ii(b)",
            "BRVST's matching time increases only sub-linearly, and so scales better than DRIP's",
            "from the lowest to the highest rate by less than the rate's factor, and by fewer seconds than DRIP's",
            (6,),
            lambda measured: if_either(
                measured,
                *(
                    [_sublinear(measured, sweep, metric), _rise_over_drips(measured, sweep, metric)]
                    for sweep, metric in WITH_ITS_OWN
                ),
            ),
            choice=BEYOND,
            replaces=("time-grows",),
        ),
    )
