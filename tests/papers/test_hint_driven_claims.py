"""The hint-driven paper's claims, on made-up measurements: each can hold, fail and stay open."""

from collections.abc import Callable

import pytest
from hint_driven_rows import (
    AS_CLAIMED,
    COST,
    CREDITS,
    DELIVERY,
    NODES,
    PROBABILITY,
    RATE,
    SPEED,
    SUBSCRIBERS,
    Values,
    rows,
)

from roamcast.measuring.claim_verdicts import Finding, Verdict, examine
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import Sample
from roamcast.papers import load_paper
from roamcast.report.claim_tables import measured_text

PAPER = load_paper("hint-driven")


def _with(curve: tuple[str, str, str], values: Values) -> Measurements:
    """Return the measurements with some points of one curve changed."""
    return Measurements(rows({**AS_CLAIMED, curve: {**AS_CLAIMED[curve], **values}}))


def _verdict(claim: str, measured: Measurements) -> Verdict:
    (finding,) = examine([each for each in PAPER.claims() if each.name == claim], measured)
    return finding.verdict


def test_measurements_as_the_paper_says_reproduce_every_claim() -> None:
    findings = examine(PAPER.claims(), Measurements(rows()))
    assert {each.claim.name: each.verdict for each in findings} == {
        each.name: Verdict.REPRODUCED for each in PAPER.claims()
    }


GOSSIP = ("probability", PROBABILITY, "gossip")
HINTS = ("credits", CREDITS, "hints")
FIVE_CREDITS = ("subscribers", SUBSCRIBERS, "hints, 5 credits")
RATE_HINTS = ("rate", RATE, "hints, no credit")
SHORT, LONG = ("speed", SPEED, "a beacon every 1 s"), ("speed", SPEED, "a beacon every 20 s")
CONTRADICTIONS: list[tuple[str, tuple[str, str, str], Values]] = [
    ("gossip-bimodal", GOSSIP, {0.2: (0.5, 3.0)}),
    ("gossip-bimodal", GOSSIP, {0.7: (0.7, 7.0)}),
    ("gossip-bimodal", GOSSIP, {0.5: (0.45, 5.3)}),
    ("gossip-never-all", GOSSIP, {1.0: (1.0, 10.0)}),
    ("gossip-half-cost", GOSSIP, {0.5: (0.7, 4.4)}),
    ("gossip-half-cost", GOSSIP, {0.5: (0.7, 5.6)}),
    ("gossip-half-cost", GOSSIP, {0.4: (0.51, 4.4)}),
    ("gossip-half-cost", GOSSIP, {0.5: (0.5, 5.3)}),
    ("hints-delivery", HINTS, {0: (0.6, 2.5)}),
    ("hints-delivery", HINTS, {0: (0.8, 2.5)}),
    ("hints-cost", HINTS, {0: (0.7, 3.1)}),
    ("hints-cost", HINTS, {0: (0.7, 1.9)}),
    ("hints-cost", GOSSIP, {0.5: (0.7, 6.8)}),
    ("hints-half-cost", HINTS, {0: (0.7, 2.67)}),
    ("credits-delivery", HINTS, {5: (0.72, 3.5)}),
    ("credits-cost", HINTS, {5: (0.9, 8.0)}),
    ("credits-most", HINTS, {5: (0.97, 3.5)}),
    ("credits-most", GOSSIP, {1.0: (1.01, 10.0)}),
    ("subscribers-delivery", FIVE_CREDITS, {2: (0.8, 9.0)}),
    ("subscribers-cost", FIVE_CREDITS, {90: (0.9, 4.0)}),
    ("subscribers-credits", FIVE_CREDITS, {2: (0.54, 9.0)}),
    ("subscribers-credits", FIVE_CREDITS, {10: (1.08, 3.5)}),
    ("subscribers-gossip", ("subscribers", SUBSCRIBERS, "gossip, p = 0.5"), {90: (0.7, 6.0)}),
    ("rate-hints", RATE_HINTS, {10: (0.6, 2.3)}),
    ("rate-hints", RATE_HINTS, {2: (0.76, 2.4)}),
    ("rate-gossip", ("rate", RATE, "gossip, p = 0.5"), {10: (0.69, 5.5)}),
    ("rate-gossip", ("rate", RATE, "gossip, p = 1"), {10: (0.94, 10.0)}),
    ("rate-cost", RATE_HINTS, {10: (0.69, 2.7)}),
    ("rate-cost", RATE_HINTS, {2: (0.7, 2.7)}),
    ("speed-intervals", SHORT, {1: (0.65, 2.5)}),
    ("speed-intervals", LONG, {40: (0.75, 3.0)}),
    ("speed-interval-cost", SHORT, {1: (0.3, 2.7)}),
    ("speed-interval-cost", SHORT, {10: (0.3, 3.1)}),
    ("speed-cost", LONG, {1: (0.6, 3.1)}),
    ("speed-cost", LONG, {10: (0.6, 3.3)}),
    ("size-kept", ("size", NODES, "gossip, p = 1"), {200: (0.8, 10.0)}),
    ("size-kept", ("size", NODES, "gossip, p = 1"), {100: (0.8, 10.0)}),
    ("size-kept", ("size", NODES, "hints, no credit"), {100: (0.7, 3.1)}),
    ("size-signs", ("size", NODES, "gossip, p = 0.5"), {200: (0.75, 5.5)}),
    ("size-signs", ("size", NODES, "hints, no credit"), {200: (0.65, 2.5)}),
    ("density-high-p", ("density", NODES, "gossip, p = 1"), {300: (0.92, 10.0)}),
    ("density-low-p", ("density", NODES, "gossip, p = 0.3"), {300: (0.4, 5.4)}),
    ("density-low-p", ("density", NODES, "gossip, p = 0.3"), {200: (0.86, 5.4)}),
    ("density-hints", ("density", NODES, "hints, 2 credits"), {300: (0.7, 3.2)}),
    ("density-hints", ("density", NODES, "hints, 2 credits"), {200: (0.7, 3.2)}),
    ("density-cost", ("density", NODES, "hints, no credit"), {200: (0.75, 3.1)}),
    ("density-cheapest", ("density", NODES, "gossip, p = 0.3"), {300: (0.8, 4.0)}),
    ("density-cheapest", ("density", NODES, "gossip, p = 0.5"), {200: (0.8, 4.0)}),
]


@pytest.mark.parametrize(("claim", "curve", "values"), CONTRADICTIONS)
def test_a_claim_does_not_reproduce_on_a_number_that_contradicts_it(
    claim: str, curve: tuple[str, str, str], values: Values
) -> None:
    assert _verdict(claim, _with(curve, values)) is Verdict.NOT_REPRODUCED


def test_every_claim_can_be_contradicted() -> None:
    assert {claim for claim, _, _ in CONTRADICTIONS} == {each.name for each in PAPER.claims()}


def _without(claim: str, is_gone: Callable[[Measurement], bool]) -> Finding:
    """Return what becomes of a claim if some of the measurements were not made; it must not vanish."""
    measured = Measurements(row for row in rows() if not is_gone(row))
    (finding,) = examine([each for each in PAPER.claims() if each.name == claim], measured)
    return finding


@pytest.mark.parametrize("claim", [each.name for each in PAPER.claims()])
def test_a_claim_stays_open_without_the_metric_that_it_rests_on(claim: str) -> None:
    findings = [
        _without(claim, lambda each: each.metric == DELIVERY),
        _without(claim, lambda each: each.metric == COST),
    ]
    assert Verdict.UNDECIDED in {finding.verdict for finding in findings}
    for finding in findings:
        missing = any("not measured" in part.label for part in finding.parts)
        assert finding.verdict is (Verdict.UNDECIDED if missing else Verdict.REPRODUCED)


@pytest.mark.parametrize(
    ("claim", "is_gone"),
    [
        ("gossip-bimodal", lambda each: each.point.get(PROBABILITY) == 0.2),
        ("hints-cost", lambda each: each.sweep == "probability"),
        ("hints-half-cost", lambda each: each.point["curve"] == "hints, every node beacons"),
        ("hints-delivery", lambda each: each.point.get(CREDITS) == 0),
        ("credits-cost", lambda each: each.sweep == "probability"),
        ("credits-most", lambda each: each.sweep == "probability"),
        ("subscribers-delivery", lambda each: each.point["curve"].startswith("hints") and each.sweep == "subscribers"),
        ("subscribers-credits", lambda each: each.point["curve"] == "hints, no credit" and SUBSCRIBERS in each.point),
        ("rate-gossip", lambda each: each.point["curve"] == "gossip, p = 1"),
        ("speed-intervals", lambda each: each.point["curve"] == "a beacon every 20 s"),
        ("size-kept", lambda each: each.point["curve"] == "hints, 2 credits"),
        ("density-high-p", lambda each: each.point["curve"] == "gossip, p = 1"),
        ("density-hints", lambda each: each.sweep == "density" and each.point[NODES] > 100),
        ("density-cost", lambda each: each.point["curve"] == "hints, no credit"),
        ("density-cheapest", lambda each: each.point["curve"] == "gossip, p = 0.5"),
    ],
)
def test_a_part_that_was_not_measured_leaves_its_claim_open(claim: str, is_gone: Callable[[Measurement], bool]) -> None:
    finding = _without(claim, is_gone)
    assert finding.verdict is Verdict.UNDECIDED
    assert any("not measured" in part.label for part in finding.parts)


def test_two_points_are_compared_seed_by_seed() -> None:
    """Delivery that differs much between seeds, and always by the same between two points, is a sure difference."""
    wide = {count: [0.4 + 0.02 * seed + gain for seed in range(30)] for count, gain in ((0, 0.0), (1, 0.1), (5, 0.2))}
    found = []
    for count, values in wide.items():
        point = {"curve": "hints", "protocol.name": "hint-driven", CREDITS: count}
        samples = tuple(Sample(seed, value) for seed, value in enumerate(values))
        found.append(Measurement("credits", point, DELIVERY, sum(values) / 30, 0.0, 1.0, 30, samples))
    (finding,) = examine([each for each in PAPER.claims() if each.name == "credits-delivery"], Measurements(found))
    assert finding.verdict is Verdict.REPRODUCED
    assert [part.mean for part in finding.parts] == pytest.approx([0.1, 0.2])
    assert [part.low for part in finding.parts] == pytest.approx([part.high for part in finding.parts])


def test_what_rests_on_who_sends_beacons_says_so_whatever_the_verdict() -> None:
    findings = {each.claim.name: each for each in examine(PAPER.claims(), Measurements(rows()))}
    for name in ("hints-delivery", "hints-cost", "hints-half-cost"):
        assert findings[name].verdict is Verdict.REPRODUCED
        assert "Only subscribers send beacons" in measured_text(findings[name])
        assert "not judged: hints, every node beacons" in measured_text(findings[name])


def test_a_claim_of_a_sweep_that_was_not_run_is_left_out() -> None:
    assert examine(PAPER.claims(), Measurements([])) == []
