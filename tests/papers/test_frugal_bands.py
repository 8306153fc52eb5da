"""The bands of the Frugal paper's claims and the numbers that it printed, written down a second time."""

from math import inf

from frugal_rows import BY_HEARTBEAT, BY_SHARE, BY_VALIDITY, SPREADS, findings, rows

from roamcast.measuring.verdicts import Deviation, Side

ABOVE, BELOW = Side.ABOVE, Side.BELOW
FACTORS = {
    "one-event-bandwidth": (3, 5.5),
    "one-event-duplicates": (70, 100),
    "one-event-parasites": (50, 90),
    "events-sent": (50, 100),
    "duplicates-interests": (50, 80),
    "duplicates-others": (80, 700),
    "parasites": (20, 50),
}
BANDS: dict[str, set[tuple[float, float, Side | None, float | None]]] = {
    **{key: {(-0.05, 0.05, None, None)} for key in ("reliability-10-mps", "reliability-30-mps")},
    "reliability-fairly-high": {(0.8, inf, ABOVE, None)},
    "reliability-20": {(-inf, 0.6, BELOW, None), (0.8, inf, ABOVE, None)},
    "mixed-low": {(-inf, 0.6, BELOW, None)},
    "mixed-all": {(-0.05, inf, ABOVE, None)},
    "mixed-average": {(-0.05, 0.05, None, None)},
    **{key: {(-0.1, 0.1, None, None)} for key in ("city-heartbeat", "city-subscribers", "city-spread")},
    "city-spread-huge": {(0.3, inf, ABOVE, 0.0)},
    "city-validity": {(-0.1, 0.1, None, None)},
    "city-validity-crucial": {(0.33, inf, ABOVE, 0.0)},
    "city-heartbeat-short": {(-0.05, 0.05, None, None)},
    "city-heartbeat-long": {(-0.1, 0.1, ABOVE, -0.22)},
    "city-heartbeat-dip": {(0.0, inf, ABOVE, 0.0)},
    "city-above-field": {(0.0, inf, ABOVE, 0.0)},
    "same-reliability": {(-0.05, 0.05, None, None)},
    "flooding-reliable": {(0.99, inf, ABOVE, None)},
    **{key: {(1.0, inf, ABOVE, 1.0)} for key in ("large-event", "bandwidth", "parasites-peak")},
    **{key: {(-inf, 1.0, BELOW, 1.0)} for key in ("bandwidth-exception", "parasites-fewer")},
    "size-sensitivity": {(2.0, inf, ABOVE, 1.0)},
    "bandwidth-third": {(1e6, inf, ABOVE, None)},
    "receptions": {(-inf, 4, BELOW, None)},
    "parasites-simple": set(),
    **{name: {(low, high, ABOVE, 1.0)} for name, (low, high) in FACTORS.items()},
}
"""The bands of all claims: low, high, the side that favours the paper, no effect. They were fixed before the runs that
judge them; who changes one changes what is claimed."""


def test_the_bands_are_those_that_were_declared() -> None:
    found = findings(rows(scale="full"))
    bands = {name: [part.band for part in each.judged if part.band is not None] for name, each in found.items()}
    assert {
        name: {(band.low, band.high, band.favours, band.no_effect) for band in each} for name, each in bands.items()
    } == BANDS
    margins = {(band.margin, band.is_log) for each in bands.values() for band in each}
    assert margins == {(0.01, False), (0.05, True)}


def test_the_printed_numbers_are_the_papers_of_thirty_runs_in_the_field_and_of_one_movement_in_the_city() -> None:
    printed: dict[str, list[float]] = {}
    for name, each in findings(rows(scale="full")).items():
        for quantity in (part.quantity for part in each.parts):
            if isinstance(quantity, Deviation):
                assert quantity.runs == (1 if name.startswith("city-") else 30)
                printed.setdefault(name, []).append(quantity.printed)
    assert printed == {
        "reliability-10-mps": [0.95],
        "reliability-30-mps": [0.95],
        "mixed-all": [1.0],
        "city-heartbeat": list(BY_HEARTBEAT.values()),
        "city-heartbeat-long": [0.22],
        "city-subscribers": list(BY_SHARE.values()),
        "city-spread": list(SPREADS.values()),
        "city-validity": list(BY_VALIDITY.values()),
    }


def test_a_claim_whose_printed_numbers_became_those_of_one_movement_says_that_results_had_been_seen() -> None:
    found = findings(rows(scale="full")).values()
    of_one = {
        each.claim.name
        for each in found
        if any(isinstance(part.quantity, Deviation) and part.quantity.runs == 1 for part in each.parts)
    }
    assert {each.claim.name for each in found if "single movement" in each.claim.after_results} == of_one
    added = {"reliability-fairly-high", "city-spread-huge", "city-validity-crucial", "size-sensitivity"}
    assert {
        each.claim.name for each in found if each.claim.after_results.startswith("Added after a campaign")
    } == added | {"parasites-fewer"}
