"""The hint-driven paper's sweeps, figures and claims, without running any of them."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from all_measured import sweeps_of
from hint_driven_rows import (
    COLLISIONS,
    COST,
    CREDITS,
    DELIVERY,
    NODES,
    PROBABILITY,
    RATE,
    SPEED,
    SUBSCRIBERS,
    row,
    rows,
)

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.verdicts import examine
from roamcast.papers import SCALES, PaperSweep, load_paper
from roamcast.papers.hint_driven.curves import CURVES
from roamcast.papers.hint_driven.scenario import REFERENCE
from roamcast.papers.shared.readings import sweeps_under

PAPER = load_paper("hint-driven")
SCENARIO = Path(__file__).parents[2] / "scenarios" / "hints.toml"


def _sweeps(scale: str) -> Sequence[PaperSweep]:
    return sweeps_of(type(PAPER), scale)


@pytest.mark.parametrize("scale", SCALES)
def test_every_figure_has_its_sweep_at_both_scales(scale: str) -> None:
    covered = {number for sweep in _sweeps(scale) for number in sweep.figures}
    assert covered == set(PAPER.figure_numbers) == set(range(6, 14))
    assert {number for claim in PAPER.claims() for number in claim.figures} == covered


@pytest.mark.parametrize("scale", SCALES)
def test_every_claim_finds_the_points_that_it_needs_at_both_scales(scale: str) -> None:
    found = []
    for sweep in _sweeps(scale):
        for run in sweep.runs:
            point = json.loads(run.point)
            delivery = 0.9 * point[PROBABILITY] if sweep.name == "probability" else 0.5
            found += [
                row(sweep.name, point, metric, value)
                for metric, value in ((DELIVERY, delivery), (COST, 5.0), (COLLISIONS, 0.1))
            ]
    findings = examine(PAPER.claims(), Measurements(found))
    assert [each.claim.name for each in findings] == [each.name for each in PAPER.claims()]
    assert [part.label for each in findings for part in each.parts if part.quantity is None] == []


@pytest.mark.parametrize("scale", SCALES)
def test_each_scale_has_seeds_of_its_own(scale: str) -> None:
    """A run of 60 s is how one of 200 s with the same seed begins."""
    first, count = {"quick": (5001, 10), "full": (7001, 30)}[scale]
    for sweep in _sweeps(scale):
        assert {run.seed for run in sweep.runs} == set(range(first, first + count))


def test_full_scale_has_the_values_that_the_text_mentions_and_ours_around_them() -> None:
    sweeps = {sweep.name: sweep.runs for sweep in _sweeps("full")}
    for runs in sweeps.values():
        assert {json.loads(run.scenario_json)["duration_s"] for run in runs} == {200.0}
        assert {json.loads(run.scenario_json)["radio"]["bitrate_bps"] for run in runs} == {1e6}
    points = {name: [json.loads(run.point) for run in runs] for name, runs in sweeps.items()}
    assert {0.1, 0.5, 1.0} <= {point[PROBABILITY] for point in points["probability"]}
    assert {0, 1} <= {point[CREDITS] for point in points["credits"]}
    assert 98 in {point[SUBSCRIBERS] for point in points["subscribers"]}
    assert {0.5, 10} <= {point[RATE] for point in points["rate"]}
    assert {10, 20} <= {point[SPEED] for point in points["speed"]}
    assert {50, 100, 500} <= {point[NODES] for point in points["density"]}
    intervals_s = {json.loads(run.scenario_json)["protocol"]["beacon_interval_s"] for run in sweeps["speed"]}
    assert intervals_s == {1.0, 2.5, 5.0, 10.0, 20.0}


@pytest.mark.parametrize("name", [reading.name for reading in PAPER.readings[1:]])
def test_a_reading_changes_its_keys_in_the_runs_of_the_protocols_that_have_them(name: str) -> None:
    (reading,) = (each for each in PAPER.readings if each.name == name)
    changed = set()
    for sweep in sweeps_under(PAPER, "quick", reading):
        for text in {run.scenario_json for run in sweep.runs}:
            document = json.loads(text)
            for key, value in reading.values.items():
                table, _, field = key.partition(".")
                if field in document[table]:
                    assert document[table][field] == value
                    changed.add((document["protocol"]["name"], key))
    assert {key for _, key in changed} == set(reading.values)
    is_of_protocol = name == "every-node-beacons"
    assert {protocol for protocol, _ in changed} == {"hint-driven", *([] if is_of_protocol else ["gossip"])}


def test_the_default_reading_is_the_reference_and_each_other_differs_in_what_it_says() -> None:
    default, *others = PAPER.readings
    assert (default.name, dict(default.values)) == ("default", {})
    assert [each.name for each in others] == ["2-mbit", "range-per-frame", "equal-range", "every-node-beacons"]
    base = Scenario.from_document(REFERENCE)
    assert len({base.with_values(each.values).canonical_json() for each in PAPER.readings}) == len(PAPER.readings)
    assert all("section" in each.support or "J-Sim" in each.support for each in PAPER.readings)


@pytest.mark.parametrize("scale", SCALES)
def test_every_curve_is_drawn_and_the_density_has_the_default_gossip(scale: str) -> None:
    labels = {json.loads(run.point)["curve"] for sweep in _sweeps(scale) for run in sweep.runs}
    assert labels <= set(CURVES)
    (density,) = (sweep.runs for sweep in _sweeps(scale) if sweep.name == "density")
    assert "gossip, p = 0.5" in {json.loads(run.point)["curve"] for run in density}


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
    dense = _scenario("density", **{"curve": "gossip, p = 0.3", NODES: 500})
    assert (dense["area"]["width_m"], dense["area"]["height_m"]) == (1000.0, 1000.0)
    assert (dense["workload"]["publishers"], dense["workload"]["subscribers"]) == (10, 50)
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
    figures = {figure.name: figure for figure in PAPER.figures(Measurements(rows()))}
    assert set(figures) == {f"figure-{number}" for number in range(6, 14)}
    for name, figure in figures.items():
        assert len(figure.panels) == (1 if name in ("figure-12", "figure-13") else 2)
        assert "30 seeds" in figure.caption
    delivery, load = figures["figure-7"].panels
    assert [(point.x, point.y) for point in delivery.series[0].points] == [(0, 0.7), (1, 0.8), (5, 0.87), (10, 0.9)]
    assert [series.from_paper for series in load.series] == [False, True]
    assert [(point.x, point.y) for point in load.series[1].points] == [(0, 2.5)]
    (dense,) = figures["figure-13"].panels
    hints, gossips = ["hints, no credit", "hints, 2 credits"], ["gossip, p = 0.3", "gossip, p = 0.5", "gossip, p = 1"]
    assert [series.label for series in dense.series] == [*hints, *gossips]
    assert [figure.panels[-1].log_y for figure in figures.values()] == [False, False, True, *[False] * 5]
    assert PAPER.figures(Measurements([])) == []
