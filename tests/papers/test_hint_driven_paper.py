"""The hint-driven paper's sweeps, figures and claims, without running any of them."""

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from roamcast.experiments.claims import Verdict, examine
from roamcast.experiments.measurements import Measurement, Measurements
from roamcast.experiments.scenario import Scenario
from roamcast.papers import SCALES, PaperSweep, load_paper
from roamcast.papers.hint_driven import REFERENCE

PAPER = load_paper("hint-driven")
SCENARIO = Path(__file__).parents[2] / "scenarios" / "hints.toml"
DELIVERY, COST = "delivery_ratio", "frames_per_delivery"
PROBABILITY, CREDITS, SUBSCRIBERS = "protocol.probability", "protocol.credits", "workload.subscribers"
RATE, SPEED, NODES = "workload.rate_hz", "mobility.speed_mps", "nodes.count"
Values = dict[float, tuple[float, float]]
"""Delivery and cost at each value of an axis."""

AS_CLAIMED: dict[tuple[str, str, str], Values] = {
    ("probability", PROBABILITY, "gossip"): {
        0.2: (0.2, 3.0),
        0.4: (0.5, 4.5),
        0.5: (0.7, 5.5),
        0.7: (0.9, 7.0),
        1.0: (0.95, 10.0),
    },
    ("credits", CREDITS, "hints"): {0: (0.7, 2.5), 1: (0.8, 3.0), 5: (0.9, 3.5)},
    ("subscribers", SUBSCRIBERS, "hints, no credit"): {2: (0.5, 7.0), 10: (0.7, 2.5), 90: (0.86, 0.8)},
    ("subscribers", SUBSCRIBERS, "hints, 5 credits"): {2: (0.87, 9.0), 10: (0.88, 3.5), 90: (0.9, 1.0)},
    ("subscribers", SUBSCRIBERS, "gossip, p = 0.5"): {2: (0.7, 25.0), 10: (0.7, 5.0), 90: (0.7, 0.6)},
    ("rate", RATE, "hints, no credit"): {0.5: (0.7, 2.5), 10: (0.69, 2.3)},
    ("rate", RATE, "gossip, p = 0.5"): {0.5: (0.7, 5.5), 10: (0.5, 5.5)},
    ("rate", RATE, "gossip, p = 1"): {0.5: (0.95, 10.0), 10: (0.6, 10.0)},
    ("speed", SPEED, "a beacon every 1 s"): {1: (0.3, 2.5), 10: (0.5, 2.7), 40: (0.7, 3.2)},
    ("speed", SPEED, "a beacon every 20 s"): {1: (0.6, 2.2), 10: (0.7, 2.5), 40: (0.4, 3.0)},
    ("size", NODES, "hints, no credit"): {50: (0.68, 2.5), 200: (0.71, 2.5)},
    ("size", NODES, "hints, 2 credits"): {50: (0.8, 3.5), 200: (0.82, 3.5)},
    ("size", NODES, "gossip, p = 0.5"): {50: (0.7, 5.5), 200: (0.68, 5.5)},
    ("size", NODES, "gossip, p = 1"): {50: (0.95, 10.0), 200: (0.93, 10.0)},
    ("density", NODES, "hints, no credit"): {100: (0.7, 2.5), 300: (0.75, 2.4)},
    ("density", NODES, "hints, 2 credits"): {100: (0.8, 3.5), 300: (0.8, 3.2)},
    ("density", NODES, "gossip, p = 0.3"): {100: (0.4, 3.2), 300: (0.8, 4.0)},
    ("density", NODES, "gossip, p = 1"): {100: (0.95, 10.0), 300: (0.8, 10.0)},
}
"""What would have been measured if all were as the paper says."""


@cache
def _sweeps(scale: str) -> Sequence[PaperSweep]:
    return PAPER.sweeps(scale)


def _rows(claimed: dict[tuple[str, str, str], Values] = AS_CLAIMED) -> Iterator[Measurement]:
    for (sweep, axis, curve), values in claimed.items():
        protocol = "gossip" if curve.startswith("gossip") else "hint-driven"
        for value, (delivery, cost) in values.items():
            point = {"curve": curve, "protocol.name": protocol, axis: value}
            yield Measurement(sweep, point, DELIVERY, delivery, 0.001, 30)
            yield Measurement(sweep, point, COST, cost, 0.001, 30)


def _with(curve: tuple[str, str, str], values: Values) -> Measurements:
    """Return the measurements with some points of one curve changed."""
    return Measurements(_rows({**AS_CLAIMED, curve: {**AS_CLAIMED[curve], **values}}))


def _verdict(claim: str, measured: Measurements) -> Verdict:
    (finding,) = examine([each for each in PAPER.claims() if each.name == claim], measured)
    return finding.verdict


def test_measurements_as_the_paper_says_reproduce_every_claim() -> None:
    findings = examine(PAPER.claims(), Measurements(_rows()))
    assert {each.claim.name: each.verdict for each in findings} == {
        each.name: Verdict.REPRODUCED for each in PAPER.claims()
    }


GOSSIP = ("probability", PROBABILITY, "gossip")
HINTS = ("credits", CREDITS, "hints")
CONTRADICTIONS: list[tuple[str, tuple[str, str, str], Values]] = [
    ("gossip-bimodal", GOSSIP, {0.2: (0.5, 3.0)}),
    ("gossip-bimodal", GOSSIP, {0.7: (0.7, 7.0)}),
    ("gossip-bimodal", GOSSIP, {0.5: (0.45, 5.5)}),
    ("gossip-never-all", GOSSIP, {1.0: (1.0, 10.0)}),
    ("gossip-half-cost", GOSSIP, {0.7: (0.9, 3.0)}),
    ("hints-delivery", HINTS, {0: (0.6, 2.5)}),
    ("hints-delivery", HINTS, {0: (0.8, 2.5)}),
    ("hints-cost", HINTS, {0: (0.7, 3.1)}),
    ("hints-cost", HINTS, {0: (0.7, 1.9)}),
    ("hints-cost", GOSSIP, {0.5: (0.7, 6.8)}),
    ("hints-half-cost", HINTS, {0: (0.7, 3.3)}),
    ("credits-delivery", HINTS, {5: (0.72, 3.5)}),
    ("credits-cost", HINTS, {5: (0.9, 8.0)}),
    ("credits-most", HINTS, {5: (0.97, 3.5)}),
    ("credits-most", GOSSIP, {1.0: (1.3, 10.0)}),
    ("subscribers-delivery", ("subscribers", SUBSCRIBERS, "hints, 5 credits"), {2: (0.8, 9.0)}),
    ("subscribers-cost", ("subscribers", SUBSCRIBERS, "hints, 5 credits"), {90: (0.9, 4.0)}),
    ("subscribers-credits", ("subscribers", SUBSCRIBERS, "hints, 5 credits"), {2: (0.55, 9.0)}),
    ("subscribers-gossip", ("subscribers", SUBSCRIBERS, "gossip, p = 0.5"), {90: (0.7, 6.0)}),
    ("rate-hints", ("rate", RATE, "hints, no credit"), {10: (0.6, 2.3)}),
    ("rate-gossip", ("rate", RATE, "gossip, p = 0.5"), {10: (0.69, 5.5)}),
    ("rate-gossip", ("rate", RATE, "gossip, p = 1"), {10: (0.94, 10.0)}),
    ("rate-cost", ("rate", RATE, "hints, no credit"), {10: (0.69, 2.7)}),
    ("speed-intervals", ("speed", SPEED, "a beacon every 1 s"), {1: (0.65, 2.5)}),
    ("speed-intervals", ("speed", SPEED, "a beacon every 20 s"), {40: (0.75, 3.0)}),
    ("speed-interval-cost", ("speed", SPEED, "a beacon every 1 s"), {1: (0.3, 7.0)}),
    ("speed-cost", ("speed", SPEED, "a beacon every 20 s"), {1: (0.6, 3.1)}),
    ("size-kept", ("size", NODES, "gossip, p = 1"), {200: (0.8, 10.0)}),
    ("size-signs", ("size", NODES, "gossip, p = 0.5"), {200: (0.75, 5.5)}),
    ("size-signs", ("size", NODES, "hints, no credit"), {200: (0.65, 2.5)}),
    ("density-high-p", ("density", NODES, "gossip, p = 1"), {300: (0.96, 10.0)}),
    ("density-low-p", ("density", NODES, "gossip, p = 0.3"), {300: (0.4, 4.0)}),
    ("density-hints", ("density", NODES, "hints, 2 credits"), {300: (0.7, 3.2)}),
    ("density-cost", ("density", NODES, "hints, no credit"), {300: (0.75, 5.0)}),
    ("density-cheapest", ("density", NODES, "gossip, p = 0.3"), {300: (0.8, 2.0)}),
]


@pytest.mark.parametrize(("claim", "curve", "values"), CONTRADICTIONS)
def test_a_claim_does_not_reproduce_on_a_number_that_contradicts_it(
    claim: str, curve: tuple[str, str, str], values: Values
) -> None:
    assert _verdict(claim, _with(curve, values)) is Verdict.NOT_REPRODUCED


def test_every_claim_can_be_contradicted() -> None:
    assert {claim for claim, _, _ in CONTRADICTIONS} == {each.name for each in PAPER.claims()}


@pytest.mark.parametrize(
    ("claim", "is_gone"),
    [
        ("gossip-bimodal", lambda row: row.point.get(PROBABILITY) == 0.2),
        ("hints-cost", lambda row: row.sweep == "probability"),
        ("hints-delivery", lambda row: row.point.get(CREDITS) == 0),
        ("credits-cost", lambda row: row.sweep == "probability"),
        ("credits-most", lambda row: row.sweep == "probability"),
        ("subscribers-delivery", lambda row: row.point["curve"].startswith("hints") and row.sweep == "subscribers"),
        ("subscribers-cost", lambda row: row.metric == COST),
        ("rate-gossip", lambda row: row.point["curve"] == "gossip, p = 1"),
        ("rate-cost", lambda row: row.metric == COST),
        ("speed-intervals", lambda row: row.point["curve"] == "a beacon every 20 s"),
        ("size-kept", lambda row: row.point["curve"] == "hints, 2 credits"),
        ("density-high-p", lambda row: row.point["curve"] == "gossip, p = 1"),
        ("density-hints", lambda row: row.point.get(NODES) == 100),
        ("density-cost", lambda row: row.point["curve"] == "hints, no credit"),
    ],
)
def test_a_part_that_was_not_measured_leaves_its_claim_open(claim: str, is_gone: Callable[[Measurement], bool]) -> None:
    measured = Measurements(row for row in _rows() if not is_gone(row))
    (finding,) = examine([each for each in PAPER.claims() if each.name == claim], measured)
    assert finding.verdict is Verdict.UNDECIDED
    assert any("not measured" in part.label for part in finding.parts)


def test_a_claim_of_a_sweep_that_was_not_run_is_left_out() -> None:
    assert examine(PAPER.claims(), Measurements([])) == []


@pytest.mark.parametrize("scale", SCALES)
def test_every_figure_has_its_sweep_at_both_scales(scale: str) -> None:
    covered = {number for sweep in _sweeps(scale) for number in sweep.figures}
    assert covered == set(PAPER.figure_numbers) == set(range(6, 14))
    assert {number for claim in PAPER.claims() for number in claim.figures} == covered


@pytest.mark.parametrize("scale", SCALES)
def test_every_claim_finds_the_points_that_it_needs_at_both_scales(scale: str) -> None:
    rows = []
    for sweep in _sweeps(scale):
        for run in sweep.runs:
            rows += [Measurement(sweep.name, json.loads(run.point), each, 0.5, 0.01, 30) for each in (DELIVERY, COST)]
    findings = examine(PAPER.claims(), Measurements(rows))
    assert [each.claim.name for each in findings] == [each.name for each in PAPER.claims()]
    missing = {each.claim.name for each in findings for part in each.parts if "not measured" in part.label}
    assert missing <= {"gossip-half-cost"}  # which looks only at what delivers more than half


def test_full_scale_has_thirty_seeds_and_the_values_that_the_text_mentions() -> None:
    sweeps = {sweep.name: sweep.runs for sweep in _sweeps("full")}
    for runs in sweeps.values():
        assert {run.seed for run in runs} == set(range(1, 31))
        assert {json.loads(run.scenario_json)["duration_s"] for run in runs} == {200.0}
    points = {name: [json.loads(run.point) for run in runs] for name, runs in sweeps.items()}
    assert {0.1, 0.5, 1.0} <= {point[PROBABILITY] for point in points["probability"]}
    assert {0, 1} <= {point[CREDITS] for point in points["credits"]}
    assert 98 in {point[SUBSCRIBERS] for point in points["subscribers"]}
    assert {10, 20} <= {point[SPEED] for point in points["speed"]}


def _scenario(sweep: str, **labels: Any) -> dict[str, Any]:
    """Return the scenario of one point at quick scale."""
    (runs,) = (each.runs for each in _sweeps("quick") if each.name == sweep)
    found = {run.scenario_json for run in runs if labels.items() <= json.loads(run.point).items()}
    (text,) = found
    document: dict[str, Any] = json.loads(text)
    return document


def test_a_network_that_grows_keeps_its_density_and_its_shares() -> None:
    large = _scenario("size", **{"curve": "hints, no credit", NODES: 200})
    assert large["area"]["width_m"] * large["area"]["height_m"] == pytest.approx(2e6)
    assert (large["workload"]["publishers"], large["workload"]["subscribers"]) == (4, 20)


def test_a_network_that_gets_denser_keeps_its_area_and_its_shares() -> None:
    dense = _scenario("density", **{"curve": "gossip, p = 0.3", NODES: 400})
    assert (dense["area"]["width_m"], dense["area"]["height_m"]) == (1000.0, 1000.0)
    assert (dense["workload"]["publishers"], dense["workload"]["subscribers"]) == (8, 40)
    assert (dense["protocol"]["name"], dense["protocol"]["probability"]) == ("gossip", 0.3)


def test_long_beacon_intervals_have_the_time_to_fill_the_hint_tables() -> None:
    for run in next(each.runs for each in _sweeps("full") if each.name == "speed"):
        scenario = json.loads(run.scenario_json)
        assert scenario["settle_s"] >= 11 * scenario["protocol"]["beacon_interval_s"]
        assert scenario["mobility"]["speed_mps"] == [json.loads(run.point)[SPEED]] * 2


def test_the_shipped_scenario_is_the_papers_reference() -> None:
    shipped = Scenario.load(SCENARIO)
    assert shipped.canonical_json() == Scenario.from_document(REFERENCE).canonical_json()
    assert tomllib.loads(SCENARIO.read_text(encoding="utf-8"))["protocol"]["gossip"]["probability"] == 0.5


def test_the_reference_is_figure_5() -> None:
    setup = Scenario.from_document(REFERENCE).setup()
    assert (setup.nodes, setup.area.width_m, setup.area.height_m) == (100, 1000.0, 1000.0)
    assert setup.radio.propagation().range_m == pytest.approx(200.0)
    assert setup.radio.propagation().sense_range_m == pytest.approx(200 * 8**0.25, rel=1e-3)
    parameters: Any = setup.parameters
    assert (parameters.beacon_interval_s, parameters.credits) == (5.0, 0)


def test_the_figures_show_delivery_above_and_load_below_as_measured() -> None:
    figures = {figure.name: figure for figure in PAPER.figures(Measurements(_rows()))}
    assert set(figures) == {f"figure-{number}" for number in range(6, 14)}
    for name, figure in figures.items():
        assert len(figure.panels) == (1 if name in ("figure-12", "figure-13") else 2)
        assert "30 seeds" in figure.caption
    delivery, load = figures["figure-7"].panels
    assert [(point.x, point.y) for point in delivery.series[0].points] == [(0, 0.7), (1, 0.8), (5, 0.9)]
    assert [series.from_paper for series in load.series] == [False, True]
    assert [(point.x, point.y) for point in load.series[1].points] == [(0, 2.5)]
    (dense,) = figures["figure-13"].panels
    assert {series.label for series in dense.series} == {curve for sweep, _, curve in AS_CLAIMED if sweep == "density"}
    assert PAPER.figures(Measurements([])) == []
