"""The broker and rendezvous paper's sweeps and figures, without running any of them."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from all_measured import all_measured
from broker_rendezvous_rows import AS_IN_THE_PAPER, PAPER, SPEED, measured, sweeps

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurements
from roamcast.papers import SCALES
from roamcast.papers.broker_rendezvous.curves import SYSTEMS
from roamcast.papers.broker_rendezvous.scenario import CITY_SCENARIO, HIGHWAY_SCENARIO
from roamcast.sim.radio.two_ray_ground import TwoRayGround

SCENARIOS = Path(__file__).parents[2] / "scenarios"


@pytest.mark.parametrize("scale", SCALES)
def test_both_figures_have_their_sweeps_at_both_scales(scale: str) -> None:
    assert {number for sweep in sweeps(scale) for number in sweep.figures} == {4, 5} == set(PAPER.figure_numbers)
    for sweep in sweeps(scale):
        points = [json.loads(run.point) for run in sweep.runs]
        assert {point["curve"] for point in points} == {system.label for system in SYSTEMS}
        assert {point["protocol.name"] for point in points} == {system.protocol for system in SYSTEMS}


def test_full_scale_is_the_papers_own_three_seeds_of_900_s_over_the_speeds_of_table_1() -> None:
    highway, city = sweeps("full")
    for sweep in (highway, city):
        assert {run.seed for run in sweep.runs} == {1, 2, 3}
        assert {json.loads(run.scenario_json)["duration_s"] for run in sweep.runs} == {900.0}
    speeds = [{json.loads(run.point)[SPEED] for run in sweep.runs} for sweep in (highway, city)]
    assert [(min(each), max(each)) for each in speeds] == [(10, 60), (1, 20)]


@pytest.mark.parametrize("scale", SCALES)
def test_all_cars_of_a_run_drive_at_nearly_the_speed_that_its_point_is_labelled_with(scale: str) -> None:
    for sweep in sweeps(scale):
        for run in sweep.runs:
            speed_mps = json.loads(run.point)[SPEED]
            assert json.loads(run.scenario_json)["mobility"]["speed_mps"] == [0.9 * speed_mps, speed_mps]


@pytest.mark.parametrize(
    ("document", "expected"),
    [(HIGHWAY_SCENARIO, ("freeway", 2, 1, 9, 512)), (CITY_SCENARIO, ("manhattan", 6, 2, 5, 1024))],
)
def test_the_scenarios_are_those_of_table_1(document: dict[str, Any], expected: tuple[Any, ...]) -> None:
    workload = document["workload"]
    keys = ("topics", "publishers", "subscribers", "event_size_bytes")
    assert (document["mobility"]["model"], *(workload[key] for key in keys)) == expected
    assert (document["nodes"]["count"], document["duration_s"], workload["interval_s"]) == (60, 900, 10)
    protocol = Scenario.from_document(document).setup().parameters
    assert protocol.subscription_s == 1.0  # type: ignore[attr-defined]


def test_the_radio_is_that_of_ns_2() -> None:
    radio = {key: value for key, value in HIGHWAY_SCENARIO["radio"].items() if key != "model"}
    propagation = TwoRayGround(**radio).propagation()
    assert propagation.range_m == pytest.approx(250, abs=0.1)
    assert propagation.sense_range_m == pytest.approx(550, abs=0.2)
    assert propagation.crossover_m == pytest.approx(86.2, abs=0.1)


@pytest.mark.parametrize(("name", "document"), [("highway", HIGHWAY_SCENARIO), ("police", CITY_SCENARIO)])
def test_the_scenario_files_are_the_papers_scenarios(name: str, document: dict[str, Any]) -> None:
    written = tomllib.loads((SCENARIOS / f"{name}.toml").read_text(encoding="utf-8"))
    assert written.pop("seed") == 1
    assert Scenario.from_document(written).document == Scenario.from_document(dict(document)).document


def test_every_system_has_its_own_keys_in_the_sweeps() -> None:
    for sweep in sweeps("quick"):
        for run in sweep.runs:
            protocol = json.loads(run.scenario_json)["protocol"]
            assert protocol["root_home"] is False
            if "gpsr" in protocol["name"]:
                assert (protocol["far_home"], protocol["capture_m"]) == ("drops", 125.0)
                assert protocol["router"]["hops_max"] == 32


def test_nothing_measured_gives_no_figures() -> None:
    assert PAPER.figures(Measurements([])) == []


def test_a_figure_has_three_panels_with_the_six_systems() -> None:
    figures = PAPER.figures(measured(AS_IN_THE_PAPER))
    assert [figure.name for figure in figures] == ["figure-4", "figure-5"]
    for figure in figures:
        assert [panel.title for panel in figure.panels] == ["delivery", "delay", "bandwidth"]
        for panel in figure.panels:
            assert [series.label for series in panel.series] == [system.label for system in SYSTEMS]
            assert all(len(series.points) == 3 for series in panel.series)


@pytest.mark.parametrize(("scale", "duration"), [("quick", "Runs of 60 s;"), ("full", "Runs of 900 s;")])
def test_captions_say_how_long_runs_are_what_a_speed_means_how_many_seeds_there_are_and_what_the_letters_are(
    scale: str, duration: str
) -> None:
    highway, city = PAPER.figures(all_measured(PAPER, scale))
    assert "60 m/s means cars between 54 and 60 m/s" in highway.caption
    assert "20 m/s means cars between 18 and 20 m/s" in city.caption
    for caption in (highway.caption, city.caption):
        assert duration in caption
        assert "over 2 seeds" in caption
        for words in (
            "B: brokers",
            "R: rendezvous points",
            "AODV: routes to nodes",
            "GPSR: packets are routed by positions",
        ):
            assert words in caption
