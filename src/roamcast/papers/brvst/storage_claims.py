"""The BRVST paper's claims about storage by load: section V-B, figure 8-i."""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, at_least
from roamcast.papers.brvst.curves import (
    BROKER_STORAGE,
    BRVST,
    DRIP,
    EQUAL_LEVELS,
    LOAD,
    MEMBER_STORAGE,
    MUCH_MORE,
    RISES,
    STORAGE_BELOW_TAMA,
    TAMA,
    ends_of,
    values_of,
)
from roamcast.papers.brvst.shapes import linear, slope_ratio
from roamcast.papers.shared.claim_parts import if_measured, ratio_part
from roamcast.papers.shared.curves import Curve, row_at

COUNTED = "Only what matching and routing need is counted, for all three schemes; the data of events is not."
MUCH_HIGHER = at_least(MUCH_MORE, no_effect=1.0)


def over_loads(measured: Measurements, metric: str, one: Curve, other: Curve, band: Band) -> Sequence[Part]:
    """Return the ratio of two curves' values at every load."""
    return [at_load(measured, metric, one, other, load, band) for load in values_of(measured, "load", LOAD)] or [
        Part.missing("loads", band)
    ]


def at_load(measured: Measurements, metric: str, one: Curve, other: Curve, load: float, band: Band | None) -> Part:
    """Return the ratio of two curves' values at a load."""
    return ratio_part(
        f"{one.label} over {other.label}, {load:g} of each a minute",
        row_at(measured, "load", metric, one, LOAD, load),
        row_at(measured, "load", metric, other, LOAD, load),
        band,
    )


def storage_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_member_claims(), *_broker_claims())


def _member_claims() -> Sequence[Claim]:
    return (
        Claim(
            "member-storage",
            "V-B, figure 8-i(a)",
            "Ordinary nodes store much more with DRIP than with TAMA or BRVST",
            "at least twice as much at every load",
            (8,),
            if_measured(
                "load",
                lambda measured: [
                    *over_loads(measured, MEMBER_STORAGE, DRIP, BRVST, MUCH_HIGHER),
                    *over_loads(measured, MEMBER_STORAGE, DRIP, TAMA, MUCH_HIGHER),
                ],
            ),
            choice=COUNTED,
            replaces=("member-storage",),
        ),
        Claim(
            "member-storage-rises",
            "V-B, figure 8-i(a)",
            "What ordinary nodes store with DRIP increases quickly with the load",
            "at the highest load at least half as much again as at the lowest",
            (8,),
            if_measured("load", _member_storage_rises),
            choice=COUNTED,
        ),
    )


def _member_storage_rises(measured: Measurements) -> Sequence[Part]:
    band = at_least(RISES, no_effect=1.0)
    found = [(curve, *ends_of(measured, "load", MEMBER_STORAGE, curve, LOAD)) for curve in (DRIP, BRVST)]
    return [
        ratio_part(
            f"{'' if curve is DRIP else 'not judged: '}{curve.label}, highest over lowest load",
            last,
            first,
            band if curve is DRIP else None,
        )
        for curve, first, last in found
    ]


def _broker_claims() -> Sequence[Claim]:
    return (
        Claim(
            "broker-storage-linear",
            "V-B, figure 8-i(b)",
            "What brokers store increases linearly with the load, with all three schemes",
            "it increases, and between the ends is within a fifth of the straight line that joins them",
            (8,),
            if_measured(
                "load",
                lambda measured: [
                    part
                    for curve in (BRVST, TAMA, DRIP)
                    for part in linear(measured, "load", BROKER_STORAGE, curve, LOAD)
                ],
            ),
            choice=COUNTED,
        ),
        Claim(
            "broker-storage-slope",
            "V-B, figure 8-i(b)",
            "With DRIP it increases at a much higher rate than with either of the others",
            "from the lowest to the highest load by at least twice as many bytes",
            (8,),
            if_measured(
                "load",
                lambda measured: [
                    slope_ratio(measured, "load", BROKER_STORAGE, (DRIP, other), LOAD, MUCH_HIGHER)
                    for other in (BRVST, TAMA)
                ],
            ),
            choice=COUNTED,
            replaces=("broker-storage-drip",),
            after_results="Instead of the levels, which were known, the slopes that the text names are compared.",
        ),
        Claim(
            "broker-storage-tama",
            "V-B, figure 8-i(b)",
            "Brokers store about 60 % less with BRVST than with TAMA",
            "50 to 70 % less at every load",
            (8,),
            if_measured(
                "load",
                lambda measured: over_loads(measured, BROKER_STORAGE, BRVST, TAMA, STORAGE_BELOW_TAMA),
            ),
            choice=f"{COUNTED} TAMA's trees have {EQUAL_LEVELS} levels, for a false positive rate near that of alpha "
            "90 %.",
            replaces=("broker-storage-tama",),
        ),
    )
