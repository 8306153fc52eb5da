"""The Frugal paper's claims about costs by the number of events and of subscribers (section 5.2, figures 17 to 20).

A factor over a figure is the geometric mean of the factors at its points, and the lowest and the highest of them are
printed with it: the paper gives one range for all points and does not say at which of them each end was measured.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sampled
from roamcast.measuring.verdicts import Band, Claim, Part, Quantity, Ratio, above, at_least, at_most, below, factor
from roamcast.papers.frugal.curves import (
    ADDED,
    ALTERNATIVES,
    BANDWIDTH,
    DUPLICATES,
    EVENTS,
    EVENTS_SENT,
    FAIR,
    FRACTION,
    FRUGAL,
    INTEREST,
    NEIGHBOUR,
    PARASITES,
    RECEPTIONS,
    SIMPLE,
    cost_rows,
)
from roamcast.papers.shared.claim_parts import formula_part, if_measured, pooled_ratio_part, ratio_part, value_part
from roamcast.papers.shared.curves import Curve

SWEEP, LARGE = "frugality", "large-event"
MUCH_LESS = 2.0
"""Half as sensitive is much less, as half the cost is much cheaper."""
EVENT_BYTES = 400
EXCEPTION_BYTES = 1500
"""Below this sum of event sizes, at up to 20 % of subscribers, interests-aware flooding is cheaper."""
EXCEPTION_FRACTION = 0.2
MEGABYTE = 1_000_000
MOST_EVENTS = 20
EVERYONE = 1.0
RECEPTIONS_MAX = 4
PEAK = 0.6
"""The share of subscribers at which the paper finds the most parasites."""

Chosen = Callable[[Measurement], bool]


def cost_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_bandwidth_claims(), _events_claim(), *_duplicate_claims(), *_parasite_claims())


def _is_exception(row: Measurement) -> bool:
    return bool(row.point[EVENTS] * EVENT_BYTES < EXCEPTION_BYTES and row.point[FRACTION] <= EXCEPTION_FRACTION)


def _is_anything(row: Measurement) -> bool:  # noqa: ARG001 - every point counts
    return True


def _pairs(
    measured: Measurements, metric: str, curve: Curve, is_chosen: Chosen = _is_anything
) -> list[tuple[Measurement | None, Measurement | None]]:
    """Return what a curve and Frugal cost at the same points."""
    own = [row for row in cost_rows(measured, SWEEP, metric, FRUGAL) if is_chosen(row)]
    return [(_same_point(measured, metric, curve, row), row) for row in own]


def _same_point(measured: Measurements, metric: str, curve: Curve, row: Measurement) -> Measurement | None:
    labels = {key: row.point[key] for key in (FRACTION, EVENTS)}
    return next(iter(cost_rows(measured, SWEEP, metric, curve, labels)), None)


def _each(measured: Measurements, curves: Sequence[Curve], is_chosen: Chosen, band: Band) -> Sequence[Part]:
    """Return the ratio of bytes at every point by itself."""
    return [
        ratio_part(f"{curve.label}, {own.point[FRACTION]:.0%}, {own.point[EVENTS]:g} events", other, own, band)
        for curve in curves
        for other, own in _pairs(measured, BANDWIDTH, curve, is_chosen)
        if own is not None
    ] or [Part.missing(f"bytes, {' and '.join(curve.label for curve in curves)}")]


def _factors(
    metric: str, curves: Sequence[Curve], band: Band | None, is_chosen: Chosen = _is_anything
) -> Callable[[Measurements], Sequence[Part]]:
    """Return a measure of each curve's factor over Frugal's, pooled over the figure; the fair (3) is only shown."""

    def measure(measured: Measurements) -> Sequence[Part]:
        judged = [pooled_ratio_part(curve.label, _pairs(measured, metric, curve, is_chosen), band) for curve in curves]
        fair = _pairs(measured, metric, FAIR, is_chosen)
        if NEIGHBOUR not in curves or any(row is None for row, _ in fair):
            return judged
        return [*judged, pooled_ratio_part(f"not judged: {FAIR.label}", fair)]

    return if_measured(SWEEP, measure)


def _bandwidth_claims() -> Sequence[Claim]:
    def usual(measured: Measurements) -> Sequence[Part]:
        others = [curve for curve in ALTERNATIVES if curve is not INTEREST]
        return [
            *_each(measured, [INTEREST], lambda row: not _is_exception(row), above(1.0)),
            *_each(measured, others, _is_anything, above(1.0)),
        ]

    def third(measured: Measurements) -> Sequence[Part]:
        rows = cost_rows(measured, SWEEP, BANDWIDTH, NEIGHBOUR, {FRACTION: EVERYONE, EVENTS: MOST_EVENTS})
        return [value_part(f"100 %, {MOST_EVENTS} events", row, at_least(MEGABYTE)) for row in rows]

    return (
        Claim(
            "bandwidth",
            "5.2, figure 17",
            "Frugal uses less bandwidth than every alternative in every case but one",
            "each flooding's bytes over Frugal's: above 1 at every point but those of the exception",
            (17,),
            if_measured(SWEEP, usual),
            replaces=("bandwidth",),
        ),
        Claim(
            "bandwidth-exception",
            "5.2, figure 17",
            "The exception: events that sum to less than 1.5 kB for at most 20 % subscribers, where interests-aware "
            "flooding is better",
            "its bytes over Frugal's: below 1 at every such point",
            (17,),
            if_measured(SWEEP, lambda measured: _each(measured, [INTEREST], _is_exception, below(1.0))),
            replaces=("bandwidth",),
        ),
        Claim(
            "size-sensitivity",
            "5.2, figure 17",
            "Frugal's bandwidth is much less sensitive to the size of events than that of the alternatives",
            "each flooding's bytes with an event of 1.6 kB over those with one of 400 bytes, over the same of Frugal, "
            "with 20 % subscribers: at least 2; much less is half",
            (17,),
            if_measured(SWEEP, _size_sensitivity),
            after_results=ADDED,
        ),
        Claim(
            "bandwidth-third",
            "5.2, footnote 14",
            "Neighbours' interests flooding uses more than 1 MB for each process",
            f"at least 1 MB with {MOST_EVENTS} events for everybody, the dearest point: the paper does not say where",
            (17,),
            if_measured(SWEEP, third),
        ),
    )


def _size_sensitivity(measured: Measurements) -> Sequence[Part]:
    """Return how much faster each flooding's bytes grow with the size of the event than Frugal's."""
    labels = {FRACTION: EXCEPTION_FRACTION, EVENTS: 1}

    def bytes_sent(curve: Curve) -> list[Measurement | None]:
        return [next(iter(cost_rows(measured, sweep, BANDWIDTH, curve, labels)), None) for sweep in (LARGE, SWEEP)]

    def growth(values: Sequence[Sampled]) -> Quantity:
        large, small, own_large, own_small = (value.log() for value in values)
        return Ratio.of(large - small - (own_large - own_small))

    return [
        formula_part(curve.label, [*bytes_sent(curve), *bytes_sent(FRUGAL)], growth, at_least(MUCH_LESS, no_effect=1.0))
        for curve in ALTERNATIVES
    ]


def _events_claim() -> Claim:
    return Claim(
        "events-sent",
        "5.2, figure 18",
        "Frugal sends 50 to 100 times fewer events than the alternatives",
        "each flooding's number over Frugal's, pooled over the figure: 50 to 100",
        (18,),
        _factors(EVENTS_SENT, ALTERNATIVES, factor(50, 100)),
        replaces=("events-sent", "events-sent-most"),
    )


def _duplicate_claims() -> Sequence[Claim]:
    def receptions(measured: Measurements) -> Sequence[Part]:
        rows = cost_rows(measured, SWEEP, RECEPTIONS, FRUGAL, {FRACTION: EVERYONE})
        return [value_part(f"{row.point[EVENTS]:g} events", row, at_most(RECEPTIONS_MAX)) for row in rows] or [
            Part.missing("receptions")
        ]

    return (
        Claim(
            "duplicates-interests",
            "5.2, figure 19",
            "Duplicates: 50 to 80 times fewer than with interests-aware flooding",
            "its number over Frugal's, pooled over the figure: 50 to 80",
            (19,),
            _factors(DUPLICATES, [INTEREST], factor(50, 80)),
            replaces=("duplicates-interests", "duplicates-interests-most"),
        ),
        Claim(
            "duplicates-others",
            "5.2, figure 19",
            "Duplicates: 80 to 700 times fewer than with simple and with neighbours' interests flooding",
            "the number of each over Frugal's, pooled over the figure: 80 to 700",
            (19,),
            _factors(DUPLICATES, [SIMPLE, NEIGHBOUR], factor(80, 700)),
            "If all subscribe, (1) and (2) are one algorithm, so that 50 to 80 and 80 to 700 meet only at 80 there.",
            replaces=("duplicates-others", "duplicates-others-most"),
        ),
        Claim(
            "receptions",
            "5.2, figure 19",
            "Even when all subscribe, an event is received at most 4 times in 180 s",
            "receptions over first receptions, on average over subscribers: at most 4 for every number of events",
            (19,),
            if_measured(SWEEP, receptions),
            "The back-off shrinks with the number of events to send (figure 8), so with several events at once less is "
            "overheard in time.",
            replaces=("receptions",),
        ),
    )


def _at_peak(row: Measurement) -> bool:
    return bool(row.point[FRACTION] == PEAK)


def _peak(measured: Measurements) -> Sequence[Part]:
    rows = cost_rows(measured, SWEEP, PARASITES, FRUGAL)
    highest = {row.point[EVENTS]: row for row in rows if _at_peak(row)}
    shares = sorted({float(row.point[FRACTION]) for row in rows} - {PEAK, EVERYONE})
    return [
        pooled_ratio_part(
            f"60 % over {share:.0%}",
            [(highest.get(row.point[EVENTS]), row) for row in rows if row.point[FRACTION] == share],
            above(1.0),
        )
        for share in shares
    ] or [Part.missing("parasites")]


def _fewer(measured: Measurements) -> Sequence[Part]:
    rows = cost_rows(measured, SWEEP, PARASITES, FRUGAL)
    shares = sorted({float(row.point[FRACTION]) for row in rows} - {EVERYONE})
    by_point = {(row.point[FRACTION], row.point[EVENTS]): row for row in rows}
    if PEAK not in shares[:-1]:
        return []
    return [
        pooled_ratio_part(
            f"{share:.0%} over {before:.0%}",
            [
                (by_point.get((share, events)), by_point.get((before, events)))
                for events in dict.fromkeys(row.point[EVENTS] for row in rows)
            ],
            below(1.0) if before == PEAK else None,
        )
        for before, share in pairwise(shares)
    ]


def _parasite_claims() -> Sequence[Claim]:
    return (
        Claim(
            "parasites",
            "5.2, figure 20",
            "Parasites at 60 % subscribers: 20 to 50 times fewer than with interests-aware and with neighbours' "
            "interests flooding",
            "the number of each over Frugal's, pooled over the numbers of events: 20 to 50",
            (20,),
            _factors(PARASITES, [INTEREST, NEIGHBOUR], factor(20, 50), _at_peak),
            replaces=("parasites", "parasites-most"),
        ),
        Claim(
            "parasites-peak",
            "5.2, figure 20",
            "The number of parasites is highest with 60 % subscribers",
            "Frugal's, pooled over the numbers of events: above those with every other share below 100 %",
            (20,),
            if_measured(SWEEP, _peak),
        ),
        Claim(
            "parasites-fewer",
            "5.2, figure 20",
            "The more subscribers there are, the fewer are the parasites",
            "Frugal's with 80 % subscribers over those with 60 %: below 1. Only from there on does the sentence agree "
            "with the next one, by which most are received with 60 %; other shares are shown and not judged",
            (20,),
            if_measured(SWEEP, _fewer),
            after_results=ADDED,
        ),
        Claim(
            "parasites-simple",
            "5.2, footnote 16",
            "Simple flooding causes up to 800 times as many parasites",
            "the highest of all points; not judged",
            (20,),
            _factors(PARASITES, [SIMPLE], None, lambda row: bool(row.point[FRACTION] < EVERYONE)),
            untestable='"Up to" names no point, and the highest of many noisy ratios grows with the number of points '
            "and falls with that of runs; the factor over the whole figure and its range are shown",
        ),
    )
