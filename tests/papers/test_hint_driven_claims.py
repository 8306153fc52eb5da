"""The hint-driven paper's claims, on made-up measurements: each can hold, fail, fall short and stay open."""

from collections.abc import Callable, Mapping

import pytest
from hint_driven_rows import (
    AS_CLAIMED,
    COLLISIONS,
    COST,
    CREDITS,
    DELIVERY,
    DENSE_CREDITS,
    DENSE_FLOODING,
    DENSE_GOSSIP,
    DENSE_HINTS,
    DENSE_LOW,
    FEW_GOSSIP,
    FIVE_CREDITS,
    GOSSIP,
    HINTS,
    LONG,
    LONGEST,
    MIDDLE,
    NO_CREDIT,
    NODES,
    PROBABILITY,
    RATE_FLOODING,
    RATE_GOSSIP,
    RATE_HINTS,
    SHORT,
    SHORTEST,
    SIZE_CREDITS,
    SIZE_FLOODING,
    SIZE_GOSSIP,
    SIZE_HINTS,
    SUBSCRIBERS,
    CurveName,
    Values,
    rows,
)

from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sample
from roamcast.measuring.verdicts import Finding, Verdict, examine, part_verdict
from roamcast.papers import load_paper

PAPER = load_paper("hint-driven")
FORMER = {
    *("gossip-bimodal", "gossip-never-all", "gossip-half-cost", "hints-delivery", "hints-cost", "hints-half-cost"),
    *("credits-delivery", "credits-cost", "credits-most", "subscribers-delivery", "subscribers-cost"),
    *("subscribers-credits", "subscribers-gossip", "rate-hints", "rate-gossip", "rate-cost", "speed-intervals"),
    *("speed-interval-cost", "speed-cost", "size-kept", "size-signs", "density-high-p", "density-low-p"),
    *("density-hints", "density-cost", "density-cheapest"),
}
"""The claims of the first encoding, whose verdicts are on record."""


def _with(changes: Mapping[CurveName, Values]) -> Measurements:
    """Return the measurements with some points of some curves changed."""
    changed = {curve: {**AS_CLAIMED[curve], **values} for curve, values in changes.items()}
    return Measurements(rows({**AS_CLAIMED, **changed}))


def _finding(claim: str, measured: Measurements) -> Finding:
    (finding,) = examine([each for each in PAPER.claims() if each.name == claim], measured)
    return finding


def test_measurements_as_the_paper_says_make_every_claim_hold() -> None:
    findings = examine(PAPER.claims(), Measurements(rows()))
    assert {each.claim.name: each.verdict for each in findings} == {each.name: Verdict.HOLDS for each in PAPER.claims()}


def test_every_former_claim_is_part_of_a_new_one() -> None:
    assert {name for claim in PAPER.claims() for name in claim.replaces} == FORMER


def test_every_claim_names_its_place_and_its_band_in_words() -> None:
    names = [claim.name for claim in PAPER.claims()]
    assert len(set(names)) == len(names)
    for claim in PAPER.claims():
        assert claim.where.startswith(("5.2, ", "6"))
        assert len(claim.tolerance) > 30


CONTRADICTED, WEAKER, HOLDS = Verdict.CONTRADICTED, Verdict.WEAKER, Verdict.HOLDS
INTERVALS = (SHORT, MIDDLE, LONG)
CASES: list[tuple[str, Mapping[CurveName, Values], Verdict]] = [
    ("gossip-bimodal", {GOSSIP: {0.3: (0.26, 3.2)}}, WEAKER),
    ("gossip-bimodal", {GOSSIP: {0.3: (0.3, 3.2)}}, CONTRADICTED),
    ("gossip-bimodal", {GOSSIP: {0.8: (0.6, 8.0)}}, WEAKER),
    ("gossip-bimodal", {GOSSIP: {0.8: (0.55, 8.0)}}, CONTRADICTED),
    ("gossip-never-all", {GOSSIP: {1.0: (0.995, 10.0)}}, CONTRADICTED),
    ("gossip-never-all", {GOSSIP: {1.0: (0.985, 10.0)}}, HOLDS),
    ("gossip-half-cost", {GOSSIP: {0.5: (0.5, 4.9)}}, CONTRADICTED),
    ("gossip-half-cost", {GOSSIP: {0.4: (0.55, 4.9)}}, CONTRADICTED),
    ("gossip-half-cost", {GOSSIP: {0.3: (0.6, 4.0), 0.4: (0.45, 5.0)}}, HOLDS),
    ("hints-maximum", {HINTS: {10: (0.84, 3.6)}}, CONTRADICTED),
    ("hints-maximum", {HINTS: {10: (0.855, 3.6)}}, HOLDS),
    ("hints-maximum", {HINTS: {0: (0.7, 3.5), 1: (0.8, 3.9)}}, WEAKER),
    ("hints-maximum", {HINTS: {0: (0.7, 9.0), 1: (0.8, 9.0), 5: (0.87, 9.0), 10: (0.9, 9.0)}}, CONTRADICTED),
    ("hints-half-cost", {HINTS: {0: (0.64, 2.4)}}, CONTRADICTED),
    ("hints-half-cost", {HINTS: {0: (0.8, 2.5)}}, HOLDS),
    ("hints-half-cost", {HINTS: {0: (0.74, 3.1)}}, CONTRADICTED),
    ("hints-half-cost", {HINTS: {0: (0.7, 1.9)}}, HOLDS),
    ("hints-half-cost", {HINTS: {0: (0.7, 2.85)}}, WEAKER),
    ("hints-half-cost", {GOSSIP: {0.6: (0.75, 7.3)}}, CONTRADICTED),
    ("hints-half-cost", {GOSSIP: {0.5: (0.5, 3.9), 0.6: (0.75, 4.4)}, HINTS: {0: (0.7, 2.1)}}, CONTRADICTED),
    ("credits-convenience", {HINTS: {5: (0.72, 2.6)}}, WEAKER),
    ("credits-convenience", {HINTS: {5: (0.68, 2.6)}}, CONTRADICTED),
    ("credits-convenience", {HINTS: {5: (0.87, 4.0)}}, WEAKER),
    ("credits-convenience", {HINTS: {5: (0.87, 7.5)}}, CONTRADICTED),
    ("subscribers-credits", {FIVE_CREDITS: {2: (0.53, 9.0)}}, CONTRADICTED),
    ("subscribers-credits", {NO_CREDIT: {10: (0.55, 2.5)}}, WEAKER),
    ("subscribers-credits", {NO_CREDIT: {90: (0.5, 0.8)}}, CONTRADICTED),
    ("subscribers-delivery", {FIVE_CREDITS: {2: (0.84, 9.0)}}, CONTRADICTED),
    ("subscribers-delivery", {FIVE_CREDITS: {90: (0.84, 1.0)}}, CONTRADICTED),
    ("subscribers-delivery", {FIVE_CREDITS: {90: (0.9, 3.6)}}, CONTRADICTED),
    ("subscribers-gossip", {FEW_GOSSIP: {90: (0.7, 5.1)}}, CONTRADICTED),
    ("rate-sensitivity", {RATE_HINTS: {10: (0.64, 2.3)}}, CONTRADICTED),
    ("rate-sensitivity", {RATE_HINTS: {10: (0.655, 2.3)}}, HOLDS),
    ("rate-sensitivity", {RATE_HINTS: {2: (0.76, 2.4)}}, CONTRADICTED),
    ("rate-sensitivity", {RATE_GOSSIP: {10: (0.66, 5.5)}}, WEAKER),
    ("rate-sensitivity", {RATE_FLOODING: {10: (0.91, 10.0)}}, WEAKER),
    ("rate-sensitivity", {RATE_FLOODING: {10: (0.96, 10.0)}}, CONTRADICTED),
    ("rate-collisions", {RATE_HINTS: {10: (0.69, 2.3, 0.06)}}, CONTRADICTED),
    ("rate-collisions", {RATE_GOSSIP: {10: (0.5, 5.5, 0.13)}}, WEAKER),
    ("rate-collisions", {RATE_FLOODING: {10: (0.6, 10.0, 0.19)}}, CONTRADICTED),
    ("rate-cost", {RATE_HINTS: {10: (0.69, 2.6)}}, CONTRADICTED),
    ("rate-cost", {RATE_HINTS: {2: (0.69, 2.6)}}, CONTRADICTED),
    ("speed-short-interval", {SHORT: {5: (0.62, 2.5)}}, WEAKER),
    ("speed-short-interval", {SHORT: {5: (0.605, 2.5)}}, WEAKER),
    ("speed-short-interval", {SHORT: {5: (0.595, 2.5)}}, HOLDS),
    ("speed-short-interval", {SHORT: {5: (0.67, 2.5)}}, CONTRADICTED),
    ("speed-long-interval", {LONG: {40: (0.67, 2.9)}}, WEAKER),
    ("speed-long-interval", {LONG: {40: (0.72, 2.9)}}, CONTRADICTED),
    ("speed-cost", {SHORT: {5: (0.5, 2.95)}}, CONTRADICTED),
    ("speed-cost", {LONG: {10: (0.7, 2.1)}}, CONTRADICTED),
    ("speed-cost", {curve: {40: (0.68, 2.3)} for curve in INTERVALS}, CONTRADICTED),
    ("speed-cost", {curve: {10: (0.7, 3.2)} for curve in INTERVALS}, CONTRADICTED),
    ("speed-cost", {curve: {10: (0.7, 3.1), 40: (0.7, 2.92)} for curve in INTERVALS}, CONTRADICTED),
    ("speed-cost", {curve: {5: (0.7, 2.5), 10: (0.7, 2.5), 40: (0.7, 2.42)} for curve in INTERVALS}, CONTRADICTED),
    ("speed-cost", {curve: {10: (0.7, 3.0)} for curve in INTERVALS}, HOLDS),
    ("speed-resilience", {MIDDLE: {40: (0.64, 2.95)}}, CONTRADICTED),
    ("subscribers-variation", {NO_CREDIT: {2: (0.5, 1.5)}}, WEAKER),
    ("subscribers-variation", {NO_CREDIT: {2: (0.5, 0.7)}}, CONTRADICTED),
    ("size-kept", {SIZE_FLOODING: {200: (0.83, 10.0)}}, CONTRADICTED),
    ("size-kept", {SIZE_FLOODING: {200: (0.845, 10.0)}}, HOLDS),
    ("size-kept", {SIZE_HINTS: {200: (0.81, 2.5)}}, CONTRADICTED),
    ("size-kept", {SIZE_HINTS: {200: (0.71, 2.9)}}, CONTRADICTED),
    ("size-kept", {SIZE_HINTS: {200: (0.71, 2.85)}}, HOLDS),
    ("size-kept", {SIZE_HINTS: {200: (0.71, 1.9)}}, CONTRADICTED),
    ("size-kept", {SIZE_GOSSIP: {200: (0.7, 5.5)}}, CONTRADICTED),
    ("size-kept", {SIZE_HINTS: {200: (0.69, 2.5)}}, CONTRADICTED),
    ("density-gossip", {DENSE_FLOODING: {500: (0.93, 10.0, 0.7)}}, WEAKER),
    ("density-gossip", {DENSE_FLOODING: {500: (0.96, 10.0, 0.7)}}, CONTRADICTED),
    ("density-gossip", {DENSE_LOW: {500: (0.43, 3.0)}}, WEAKER),
    ("density-gossip", {DENSE_LOW: {500: (0.39, 3.0)}}, CONTRADICTED),
    ("density-gossip", {DENSE_FLOODING: {500: (0.8, 10.0, 0.33)}}, WEAKER),
    ("density-resistance", {DENSE_HINTS: {500: (0.67, 2.4)}}, CONTRADICTED),
    ("density-resistance", {DENSE_FLOODING: {500: (0.94, 10.0)}}, WEAKER),
    ("density-resistance", {DENSE_FLOODING: {500: (0.98, 10.0)}}, CONTRADICTED),
    ("density-efficiency", {DENSE_HINTS: {500: (0.75, 3.05)}}, CONTRADICTED),
    ("density-efficiency", {DENSE_HINTS: {200: (0.75, 2.05)}}, CONTRADICTED),
    ("density-efficiency", {DENSE_GOSSIP: dict.fromkeys((100, 200, 500), (0.7, 4.5))}, WEAKER),
    ("density-efficiency", {DENSE_FLOODING: dict.fromkeys((100, 200, 500), (0.7, 2.3))}, CONTRADICTED),
    ("density-efficiency", {DENSE_GOSSIP: {200: (0.8, 4.9)}}, HOLDS),
]


@pytest.mark.parametrize(("claim", "changes", "verdict"), CASES)
def test_a_claim_is_judged_by_its_band(claim: str, changes: Mapping[CurveName, Values], verdict: Verdict) -> None:
    assert _finding(claim, _with(changes)).verdict is verdict


def test_every_claim_can_be_contradicted_and_every_direction_can_be_weaker() -> None:
    names = {each.name for each in PAPER.claims()}
    assert {claim for claim, _, verdict in CASES if verdict is CONTRADICTED} == names
    findings = examine(PAPER.claims(), Measurements(rows()))
    graded = {
        each.claim.name
        for each in findings
        for part in each.judged
        if part.band is not None and part.band.no_effect not in (None, part.band.low, part.band.high)
    }
    assert {claim for claim, _, verdict in CASES if verdict is WEAKER} == graded


def test_what_is_drawn_but_not_judged_decides_nothing() -> None:
    """A beacon every 1 or 20 s, a speed of 1 m/s, 50 nodes, and credits where the paper names the default."""
    odd: Mapping[CurveName, Values] = {
        **{curve: dict.fromkeys(AS_CLAIMED[curve], (0.01, 99.0)) for curve in (SHORTEST, LONGEST)},
        **{curve: {1: (0.01, 99.0)} for curve in INTERVALS},
        **{curve: dict.fromkeys(AS_CLAIMED[curve], (0.01, 99.0, 0.9)) for curve in (DENSE_CREDITS, SIZE_CREDITS)},
        **{curve: {50: (0.01, 99.0, 0.9)} for curve in (DENSE_HINTS, DENSE_LOW, DENSE_GOSSIP, DENSE_FLOODING)},
        **{curve: {50: (0.01, 99.0)} for curve in (SIZE_HINTS, SIZE_GOSSIP, SIZE_FLOODING)},
    }
    assert {each.verdict for each in examine(PAPER.claims(), _with(odd))} == {HOLDS}


def test_hints_that_cost_more_than_a_low_probability_are_still_judged_by_the_papers_own() -> None:
    measured = _with({DENSE_LOW: dict.fromkeys((100, 200, 500), (0.8, 1.0))})
    assert _finding("density-efficiency", measured).verdict is HOLDS


def test_labels_of_parts_are_the_same_whatever_was_measured() -> None:
    """From look to look, parts are found again by their labels."""
    other: dict[CurveName, Values] = {
        curve: {value: tuple(0.9 * each for each in found) for value, found in values.items()}
        for curve, values in AS_CLAIMED.items()
    }
    other[GOSSIP] = {value: (value * value, 10 * value) for value in AS_CLAIMED[GOSSIP]}
    for first, second in zip(
        examine(PAPER.claims(), Measurements(rows())),
        examine(PAPER.claims(), Measurements(rows(other)).over(range(10))),
        strict=True,
    ):
        labels = [part.label for part in first.parts]
        assert labels == [part.label for part in second.parts]
        assert len(set(labels)) == len(labels)
        assert [part.points for part in first.parts] == [part.points for part in second.parts]


def _without(claim: str, is_gone: Callable[[Measurement], bool]) -> Finding:
    """Return what becomes of a claim if some of the measurements were not made; it must not vanish."""
    return _finding(claim, Measurements(row for row in rows() if not is_gone(row)))


@pytest.mark.parametrize("claim", [each.name for each in PAPER.claims()])
def test_a_claim_stays_open_without_the_metric_that_it_rests_on(claim: str) -> None:
    findings = []
    for metric in (DELIVERY, COST, COLLISIONS):
        finding = _without(claim, lambda each, metric=metric: each.metric == metric)  # type: ignore[misc]
        findings.append(finding)
        is_needed = any(part.quantity is None for part in finding.judged)
        assert finding.verdict is (Verdict.UNDECIDED if is_needed else HOLDS)
    assert Verdict.UNDECIDED in {finding.verdict for finding in findings}


@pytest.mark.parametrize(
    ("claim", "is_gone"),
    [
        ("gossip-bimodal", lambda each: each.point.get(PROBABILITY) == 0.1),
        ("gossip-half-cost", lambda each: each.point.get(PROBABILITY, 1) <= 0.5),
        ("hints-maximum", lambda each: each.point.get(CREDITS) == 10),
        ("hints-maximum", lambda each: each.sweep == "probability"),
        ("hints-half-cost", lambda each: each.sweep == "probability"),
        ("hints-half-cost", lambda each: each.point.get(CREDITS) == 0),
        ("credits-convenience", lambda each: each.point.get(CREDITS) == 0),
        ("credits-convenience", lambda each: each.point.get(CREDITS, 0) > 0),
        ("subscribers-delivery", lambda each: each.point["curve"] == "hints, 5 credits"),
        ("subscribers-credits", lambda each: each.point["curve"] == "hints, no credit" and SUBSCRIBERS in each.point),
        ("rate-sensitivity", lambda each: each.point["curve"] == "gossip, p = 1"),
        ("speed-short-interval", lambda each: each.point["curve"] == "a beacon every 10 s"),
        ("speed-cost", lambda each: each.point["curve"] == "a beacon every 5 s"),
        ("size-kept", lambda each: each.sweep == "size" and each.point[NODES] > 100),
        ("density-gossip", lambda each: each.point["curve"] == "gossip, p = 1"),
        ("density-resistance", lambda each: each.sweep == "density" and each.point[NODES] == 200),
        ("density-efficiency", lambda each: each.point["curve"] == "gossip, p = 0.5"),
    ],
)
def test_a_part_that_was_not_measured_leaves_its_claim_open(claim: str, is_gone: Callable[[Measurement], bool]) -> None:
    finding = _without(claim, is_gone)
    assert finding.verdict is Verdict.UNDECIDED
    assert any(part.quantity is None for part in finding.judged)


def test_two_points_are_compared_seed_by_seed() -> None:
    """Delivery that differs much between seeds, and always by the same between two points, is a sure difference."""
    wide = {count: [0.4 + 0.02 * seed + gain for seed in range(30)] for count, gain in ((0, 0.0), (1, 0.1), (5, 0.2))}
    found = []
    for count, values in wide.items():
        point = {"curve": "hints", "protocol.name": "hint-driven", CREDITS: count}
        samples = tuple(Sample(seed, value) for seed, value in enumerate(values))
        found.append(Measurement("credits", point, DELIVERY, sum(values) / 30, 0.0, 1.0, 30, samples))
    parts = [part for part in _finding("credits-convenience", Measurements(found)).parts if part.quantity is not None]
    assert [part.quantity.value for part in parts if part.quantity] == pytest.approx([0.1, 0.2])
    assert [part_verdict(part) for part in parts] == [HOLDS, HOLDS]


def test_a_claim_of_a_sweep_that_was_not_run_is_left_out() -> None:
    assert examine(PAPER.claims(), Measurements([])) == []
