"""The BRVST paper's claims about storage, traffic and false positives (figures 8 and 9), with tolerances."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Claim, Part, above, at_most, below
from roamcast.papers.brvst.curves import (
    ALPHA,
    BROKER_STORAGE,
    BRVST,
    CONTROL,
    DRIP,
    EQUAL_LEVELS,
    FALSE_POSITIVES,
    FINE_LEVELS,
    FINE_TAMA,
    LEVELS,
    LOAD,
    MEMBER_STORAGE,
    MUCH_LESS,
    MUCH_MORE,
    PER_MATCH,
    SIMILAR,
    STORAGE_BELOW_TAMA,
    TAMA,
    WASTED,
    ends_of,
    equal_rate,
    values_of,
)
from roamcast.papers.shared.claim_parts import difference_part, if_measured, limits, ratio_part, value_part
from roamcast.papers.shared.curves import Curve, row_at, rows_along

COUNTED = "Only what matching and routing need is counted, for all three protocols; the data of events is not."


def cost_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_storage_claims(), *_traffic_claims(), *_accuracy_claims())


def _over_loads(
    measured: Measurements, metric: str, one: Curve, other: Curve, low: float = -inf, high: float = inf
) -> Sequence[Part]:
    """Return the ratio of two curves' values at every load."""
    return [_at_load(measured, metric, one, other, load, low, high) for load in values_of(measured, "load", LOAD)] or [
        Part.missing("loads")
    ]


def _not_judged(parts: Sequence[Part]) -> Sequence[Part]:
    return [replace(part, label=f"not judged: {part.label}") for part in parts]


def _at_load(
    measured: Measurements,
    metric: str,
    one: Curve,
    other: Curve,
    load: float,
    low: float = -inf,
    high: float = inf,
) -> Part:
    return ratio_part(
        f"{one.label} over {other.label}, {load:g} of each a minute",
        row_at(measured, "load", metric, one, LOAD, load),
        row_at(measured, "load", metric, other, LOAD, load),
        limits(low, high),
    )


def _storage_claims() -> Sequence[Claim]:
    return (
        Claim(
            "member-storage",
            "V-B, figure 8-i(a)",
            "Ordinary nodes store much more with DRIP than with BRVST",
            "at least twice as much at every load",
            (8,),
            if_measured("load", lambda measured: _over_loads(measured, MEMBER_STORAGE, DRIP, BRVST, MUCH_MORE)),
            choice=COUNTED,
        ),
        Claim(
            "broker-storage-tama",
            "V-B, figure 8-i(b)",
            "Brokers store about 60 % less with BRVST than with TAMA",
            "50 to 70 % less at every load",
            (8,),
            if_measured(
                "load",
                lambda measured: [
                    *_over_loads(measured, BROKER_STORAGE, BRVST, TAMA, *STORAGE_BELOW_TAMA),
                    *_not_judged(_over_loads(measured, BROKER_STORAGE, BRVST, FINE_TAMA)),
                ],
            ),
            choice=f"{COUNTED} TAMA's trees have {EQUAL_LEVELS} levels, for a rate near that of alpha 90 %; "
            f"with {FINE_LEVELS} it is shown and not judged.",
        ),
        Claim(
            "broker-storage-drip",
            "V-B, figure 8-i(b)",
            "Brokers store far more with DRIP than with either of the others",
            "at least twice as much at every load",
            (8,),
            if_measured(
                "load",
                lambda measured: [
                    *_over_loads(measured, BROKER_STORAGE, DRIP, BRVST, MUCH_MORE),
                    *_over_loads(measured, BROKER_STORAGE, DRIP, TAMA, MUCH_MORE),
                ],
            ),
            choice=COUNTED,
        ),
    )


def _at_end(measured: Measurements, metric: str, last: bool, low: float = -inf, high: float = inf) -> Sequence[Part]:
    """Return BRVST's value over DRIP's at the highest load, or at the lowest."""
    loads = values_of(measured, "load", LOAD)
    if not loads:
        return [Part.missing("loads")]
    return [_at_load(measured, metric, BRVST, DRIP, loads[-1 if last else 0], low, high)]


def _traffic_claims() -> Sequence[Claim]:
    return (
        Claim(
            "management-traffic",
            "V-B, figure 8-ii(a)",
            "The traffic of management is far below DRIP's at high load",
            "at most half at the highest load",
            (8,),
            if_measured("load", lambda measured: _at_end(measured, CONTROL, last=True, high=MUCH_LESS)),
            choice="Management is all messages without events.",
        ),
        Claim(
            "match-traffic-low",
            "V-B, figure 8-ii(b)",
            "At low load a match takes as much traffic as with DRIP",
            "within a fifth at the lowest load",
            (8,),
            if_measured(
                "load",
                lambda measured: _at_end(measured, PER_MATCH, last=False, low=1 - SIMILAR, high=1 + SIMILAR),
            ),
        ),
        Claim(
            "match-traffic-high",
            "V-B, figure 8-ii(b)",
            "At high load a match takes far less traffic than with DRIP",
            "at most half at the highest load",
            (8,),
            if_measured("load", lambda measured: _at_end(measured, PER_MATCH, last=True, high=MUCH_LESS)),
        ),
    )


def _bounded(measured: Measurements) -> Sequence[Part]:
    """Return the rate at every alpha, which should not be above 1 - alpha."""
    rows = rows_along(measured, "alpha", FALSE_POSITIVES, BRVST, ALPHA)
    limits = [(1 + SIMILAR) * (1 - float(row.point[ALPHA])) for row in rows]
    return [
        value_part(f"alpha {float(row.point[ALPHA]):g}", row, at_most(limit))
        for row, limit in zip(rows, limits, strict=True)
    ] or [Part.missing("alphas")]


def _falls(measured: Measurements) -> Sequence[Part]:
    rows = rows_along(measured, "alpha", FALSE_POSITIVES, BRVST, ALPHA)
    return [
        difference_part(f"alpha {float(more.point[ALPHA]):g} less {float(row.point[ALPHA]):g}", more, row, below(0))
        for row, more in pairwise(rows)
    ] or [Part.missing("alphas")]


def _accuracy_costs(measured: Measurements) -> Sequence[Part]:
    ends = [(word, ends_of(measured, "alpha", metric, BRVST, ALPHA)) for word, metric in _COSTS]
    return [ratio_part(f"{word}, highest over lowest alpha", last, first, above(1)) for word, (first, last) in ends]


_COSTS = (("storage of brokers", BROKER_STORAGE), ("traffic for a match", PER_MATCH))


def _less_waste(measured: Measurements) -> Sequence[Part]:
    """Return BRVST's waste over TAMA's, at each level that has an alpha with a similar false positive rate."""
    rates = rows_along(measured, "alpha", FALSE_POSITIVES, BRVST, ALPHA)
    parts = []
    for rate in rows_along(measured, "levels", FALSE_POSITIVES, TAMA, LEVELS):
        level = float(rate.point[LEVELS])
        wasted = row_at(measured, "levels", WASTED, TAMA, LEVELS, level)
        near = equal_rate(rates, rate.mean)
        other = None if near is None else row_at(measured, "alpha", WASTED, BRVST, ALPHA, float(near.point[ALPHA]))
        if near is None or wasted is None or other is None:
            continue
        parts.append(ratio_part(f"{level:g} levels, at the alpha with the nearest rate", other, wasted, below(1)))
    return parts or [Part.missing("equal false positive rates")]


def _accuracy_claims() -> Sequence[Claim]:
    return (
        Claim(
            "false-positives-bounded",
            "V-C, figure 9(a)",
            "The false positive rate is bounded by about 1 - alpha",
            "at most a fifth above it at every alpha",
            (9,),
            if_measured("alpha", _bounded),
            choice="The rate is the share of unwanted events among all that reached a subscriber.",
        ),
        Claim(
            "false-positives-fall",
            "V-C, figure 9(a)",
            "The higher alpha, the lower the false positive rate",
            "lower with each higher alpha",
            (9,),
            if_measured("alpha", _falls),
        ),
        Claim(
            "accuracy-costs",
            "V-C, figure 9(a)",
            "The higher alpha, the more storage and traffic",
            "more at the highest alpha than at the lowest",
            (9,),
            if_measured("alpha", _accuracy_costs),
        ),
        Claim(
            "less-waste",
            "V-C, figure 9(b)",
            "At the same false positive rate less traffic is wasted than with TAMA",
            "fewer wasted bytes for each match, wherever a level and an alpha have rates within a fifth of each other",
            (9,),
            if_measured("levels", _less_waste),
            choice="TAMA has the same zones. Wasted traffic is the size of all unwanted events that reached "
            "subscribers and managers, however many hops they took.",
        ),
    )
