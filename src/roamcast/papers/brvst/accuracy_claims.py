"""The BRVST paper's claims about false positives: section V-C, figure 9."""

from collections.abc import Sequence
from itertools import pairwise

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sampled
from roamcast.measuring.verdicts import Band, Claim, Part, Quantity, Ratio, above, at_most, below
from roamcast.papers.brvst.curves import (
    ALPHA,
    BROKER_STORAGE,
    BRVST,
    EQUAL_LEVELS,
    FALSE_POSITIVES,
    LEVELS,
    MUCH_LESS,
    PER_MATCH,
    SIMILAR,
    TAMA,
    WASTED,
    ends_of,
)
from roamcast.papers.shared.claim_parts import difference_part, formula_part, if_measured, ratio_part, value_part
from roamcast.papers.shared.curves import row_at, rows_along
from roamcast.papers.shared.interpolation import interpolated

COUNTED = (
    "A false positive is an event that reached a subscriber that had never asked for it; those for subscriptions that "
    "had just ended are counted apart. The reading brokers-in-vain adds those that reached only a manager."
)


def accuracy_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_rate_claims(), *_cost_claims())


def _rate_claims() -> Sequence[Claim]:
    return (
        Claim(
            "false-positives-bounded",
            "V-C, figure 9(a)",
            "The false positive rate is approximately bounded by 1 - alpha",
            "at most a fifth above it at every alpha",
            (9,),
            if_measured("alpha", _bounded),
            choice=COUNTED,
            sweeps=("alpha",),
            replaces=("false-positives-bounded",),
            after_results="The audit's rates at 0.95, with vectors of fixed length, were known.",
        ),
        Claim(
            "false-positives-fall",
            "V-C, figure 9(a)",
            "The false positive rate is inversely proportional to alpha",
            "lower with each higher alpha; a constant product is not asked for, as the paper's own bound has none",
            (9,),
            if_measured("alpha", _falls),
            choice=COUNTED,
            sweeps=("alpha",),
            replaces=("false-positives-fall",),
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


def _cost_claims() -> Sequence[Claim]:
    return (
        Claim(
            "accuracy-costs",
            "V-C, figure 9(a)",
            "The higher alpha, the more storage and traffic",
            "more at the highest alpha than at the lowest; by how much, the paper does not say",
            (9,),
            if_measured("alpha", _accuracy_costs),
            sweeps=("alpha",),
            replaces=("accuracy-costs",),
            after_results="The length of vectors follows alpha since an audit measured that this raises both.",
        ),
        Claim(
            "waste-rises",
            "V-C, figure 9(b)",
            "With both schemes the wasted traffic rises with the false positive rate",
            "more at the lowest alpha, and with the fewest levels, than at the other end",
            (9,),
            if_measured("levels", _waste_rises),
            choice=COUNTED,
        ),
        Claim(
            "less-waste",
            "V-C, figure 9(b)",
            "At the same false positive rate much less traffic is wasted than with TAMA",
            f"at most half as many bytes for each match, at the rate of TAMA with {EQUAL_LEVELS} levels",
            (9,),
            if_measured("levels", _less_waste),
            choice=f"{COUNTED} BRVST's curve is interpolated over alpha at TAMA's rate. Each message with an unwanted "
            "event counts once, however many hops it took, so that at one rate only the sizes of messages differ.",
            replaces=("less-waste",),
            after_results="Rate and waste used to count different events, which an audit had shown.",
        ),
    )


def _accuracy_costs(measured: Measurements) -> Sequence[Part]:
    costs = (("storage of brokers", BROKER_STORAGE), ("traffic for a match", PER_MATCH))
    ends = [(word, ends_of(measured, "alpha", metric, BRVST, ALPHA)) for word, metric in costs]
    return [ratio_part(f"{word}, highest over lowest alpha", last, first, above(1)) for word, (first, last) in ends]


def _waste_rises(measured: Measurements) -> Sequence[Part]:
    found = (("alpha", BRVST, ALPHA), ("levels", TAMA, LEVELS))
    ends = [(curve, ends_of(measured, sweep, WASTED, curve, axis)) for sweep, curve, axis in found]
    return [
        ratio_part(f"{curve.label}, most over fewest false positives", first, last, above(1))
        for curve, (first, last) in ends
    ]


def _less_waste(measured: Measurements) -> Sequence[Part]:
    """Return BRVST's waste over TAMA's at each number of levels, where BRVST's curve has that rate; one is judged."""
    levels = [float(row.point[LEVELS]) for row in rows_along(measured, "levels", FALSE_POSITIVES, TAMA, LEVELS)]
    band = at_most(MUCH_LESS, no_effect=1.0)
    return [_waste_at(measured, each, band if each == EQUAL_LEVELS else None) for each in levels]


def _waste_at(measured: Measurements, levels: float, band: Band | None) -> Part:
    rates, wastes = (
        list(reversed(rows_along(measured, "alpha", metric, BRVST, ALPHA))) for metric in (FALSE_POSITIVES, WASTED)
    )
    theirs = [row_at(measured, "levels", metric, TAMA, LEVELS, levels) for metric in (FALSE_POSITIVES, WASTED)]
    label = f"{'' if band else 'not judged: '}BRVST over TAMA, at the rate of {levels:g} levels"
    rows: list[Measurement | None] = [*rates, *wastes, *theirs]

    def quantity(values: Sequence[Sampled]) -> Quantity:
        count = len(rates)
        along, values_there, (rate, waste) = values[:count], values[count : 2 * count], values[2 * count :]
        return Ratio.of(interpolated(along, values_there, rate).log() - waste.log())

    return formula_part(label, rows, quantity, band)
