"""The BRVST paper's claims about traffic by load: section V-B, figure 8-ii.

The figure has the messages of management in (a), and "the traffic overhead incurred per match" in (b): events only.
"""

from collections.abc import Sequence

from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import Band, Claim, Part, at_most, below
from roamcast.papers.brvst.curves import (
    ABOUT_SAME,
    BRVST,
    CONTROL,
    DRIP,
    EVENTS_PER_MATCH,
    LOAD,
    MUCH_LESS,
    PER_MATCH,
    SIMILAR,
    ends_of,
    values_of,
)
from roamcast.papers.brvst.shapes import ever_faster
from roamcast.papers.brvst.storage_claims import at_load, over_loads
from roamcast.papers.shared.claim_parts import if_measured, ratio_part

MANAGEMENT = "Management is all messages without events, with the MAC's header."
PER_MATCH_IS = "Only messages with events count, with the MAC's header; what upkeep adds is shown beside."
EVER_FASTER = "ever faster: by more for each further message above 200 a minute than below"


def traffic_claims() -> Sequence[Claim]:
    """Return the claims in the paper's order."""
    return (*_management_claims(), *_match_claims())


def _management_claims() -> Sequence[Claim]:
    return (
        Claim(
            "management-drip",
            "V-B, figure 8-ii(a)",
            "DRIP's traffic of management increases exponentially",
            EVER_FASTER,
            (8,),
            if_measured("load", lambda measured: [ever_faster(measured, "load", CONTROL, DRIP, LOAD)]),
            choice=MANAGEMENT,
        ),
        Claim(
            "management-traffic",
            "V-B, figure 8-ii(a)",
            "BRVST's traffic of management is much lower",
            "at most half of DRIP's at every load",
            (8,),
            if_measured(
                "load",
                lambda measured: over_loads(measured, CONTROL, BRVST, DRIP, at_most(MUCH_LESS, no_effect=1.0)),
            ),
            choice=MANAGEMENT,
            replaces=("management-traffic",),
        ),
    )


def _at_end(measured: Measurements, band: Band, *, is_last: bool) -> Sequence[Part]:
    """Return BRVST's event traffic per match over DRIP's at the highest load, or at the lowest, and all traffic's."""
    loads = values_of(measured, "load", LOAD)
    if not loads:
        return [Part.missing("loads", band)]
    load = loads[-1 if is_last else 0]
    whole = at_load(measured, PER_MATCH, BRVST, DRIP, load, None)
    return [
        at_load(measured, EVENTS_PER_MATCH, BRVST, DRIP, load, band),
        Part(f"not judged, with upkeep: {whole.label}", whole.quantity, None, whole.points, whole.metrics),
    ]


def _compensated(measured: Measurements) -> Sequence[Part]:
    """Return BRVST's event traffic per match at the highest load over that at the lowest, and over DRIP's."""
    first, last = ends_of(measured, "load", EVENTS_PER_MATCH, BRVST, LOAD)
    own = ratio_part("BRVST, highest over lowest load", last, first, at_most(1 + SIMILAR))
    return [own, *_at_end(measured, below(1), is_last=True)]


def _match_claims() -> Sequence[Claim]:
    return (
        Claim(
            "match-traffic-low",
            "V-B, figure 8-ii(b)",
            "At a low rate a match takes as much traffic as with DRIP",
            "within a fifth at the lowest load",
            (8,),
            if_measured("load", lambda measured: _at_end(measured, ABOUT_SAME, is_last=False)),
            choice=PER_MATCH_IS,
            replaces=("match-traffic-low",),
            after_results="Upkeep used to count, and an audit had shown by how much that changes the result.",
        ),
        Claim(
            "match-traffic-drip",
            "V-B, figure 8-ii(b)",
            "At a higher load DRIP's traffic per match increases exponentially",
            EVER_FASTER,
            (8,),
            if_measured("load", lambda measured: [ever_faster(measured, "load", EVENTS_PER_MATCH, DRIP, LOAD)]),
            choice=PER_MATCH_IS,
        ),
        Claim(
            "match-traffic-high",
            "V-B, figure 8-ii(b)",
            "BRVST's is compensated, as a publication matches several subscriptions: it stays below DRIP's",
            "at the highest load less than with DRIP, and at most a fifth above BRVST's own at the lowest",
            (8,),
            if_measured("load", _compensated),
            choice=PER_MATCH_IS,
            replaces=("match-traffic-high",),
            after_results="Upkeep used to count, and an audit had shown by how much that changes the result.",
        ),
    )
