"""The broker and rendezvous paper's sweeps, figures and claims, without running any of them."""

import json
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from all_measured import all_measured

from roamcast.experiments.claims import Verdict, examine
from roamcast.experiments.estimates import Sample
from roamcast.experiments.measurements import Measurement, Measurements
from roamcast.experiments.scenario import Scenario
from roamcast.papers import SCALES, PaperSweep, load_paper
from roamcast.papers._broker_rendezvous_systems import BANDWIDTH, DELAY, DELIVERY, SLOWEST, SPEED, SYSTEMS
from roamcast.papers.broker_rendezvous import CITY_SCENARIO, HIGHWAY_SCENARIO
from roamcast.sim.radio.two_ray_ground import TwoRayGround

PAPER = load_paper("broker-rendezvous")
SCENARIOS = Path(__file__).parents[2] / "scenarios"
SEEDS = (1, 2, 3)

Value = Callable[[str, str, str, float], float]
"""By the sweep, the metric, the system and the speed."""


@cache
def _sweeps(scale: str) -> Sequence[PaperSweep]:
    return PAPER.sweeps(scale)


def as_in_the_paper(sweep: str, metric: str, system: str, speed_mps: float) -> float:  # noqa: ARG001
    """Return values with which everything is as the paper says."""
    slow = speed_mps / 60
    without_map = "(no map)" in system
    if metric == DELIVERY:
        falls = {"B-GPSR (with map)": 0.05, "R-GPSR (with map)": 0.5, "B-AODV": 0.1, "R-AODV": 0.2}
        return 0.1 if without_map else {"B-GPSR (with map)": 0.95}.get(system, 0.9) - falls[system] * slow
    if metric == DELAY:
        delays = {"B-AODV": 0.1, "R-AODV": 0.1, "B-GPSR (with map)": 0.3, "R-GPSR (with map)": 0.9}
        return delays.get(system, 3.0)
    return (500 if "GPSR" in system else 100) + (50 if system.startswith("R") else 0)


def measured(value: Value, spread: float = 0.001) -> Measurements:
    rows = []
    for sweep in _sweeps("quick"):
        points = {run.point: json.loads(run.point) for run in sweep.runs}
        for point in points.values():
            for metric in (DELIVERY, DELAY, BANDWIDTH):
                mean = value(sweep.name, metric, point["curve"], point[SPEED])
                samples = tuple(Sample(seed, mean * (1 + spread * (seed - 2))) for seed in SEEDS)
                rows.append(Measurement(sweep.name, point, metric, mean, spread * mean, len(SEEDS), samples))
    return Measurements(rows)


def verdicts(found: Measurements) -> dict[str, Verdict]:
    return {each.claim.name: each.verdict for each in examine(PAPER.claims(), found)}


@pytest.mark.parametrize("scale", SCALES)
def test_both_figures_have_their_sweeps_at_both_scales(scale: str) -> None:
    assert {number for sweep in _sweeps(scale) for number in sweep.figures} == {4, 5} == set(PAPER.figure_numbers)
    for sweep in _sweeps(scale):
        points = [json.loads(run.point) for run in sweep.runs]
        assert {point["curve"] for point in points} == {system.label for system in SYSTEMS}
        assert {point["protocol.name"] for point in points} == {system.protocol for system in SYSTEMS}


def test_full_scale_is_the_papers_own_three_seeds_of_900_s_over_the_speeds_of_table_1() -> None:
    highway, city = _sweeps("full")
    for sweep in (highway, city):
        assert {run.seed for run in sweep.runs} == {1, 2, 3}
        assert {json.loads(run.scenario_json)["duration_s"] for run in sweep.runs} == {900.0}
    speeds = [{json.loads(run.point)[SPEED] for run in sweep.runs} for sweep in (highway, city)]
    assert [(min(each), max(each)) for each in speeds] == [(10, 60), (1, 20)]


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
    for sweep in _sweeps("quick"):
        for run in sweep.runs:
            protocol = json.loads(run.scenario_json)["protocol"]
            assert protocol["root_home"] is False
            if "gpsr" in protocol["name"]:
                assert (protocol["far_home"], protocol["capture_m"]) == ("drops", 125.0)
                assert protocol["router"]["hops_max"] == 32


def test_every_claim_is_reproduced_by_values_that_are_as_the_paper_says() -> None:
    found = verdicts(measured(as_in_the_paper))
    assert len(found) == 16
    assert set(found.values()) == {Verdict.REPRODUCED}


def changed(metric: str, systems: str, factor: float, top_only: bool = False) -> Value:
    """Return the paper's values with those of some systems multiplied."""

    def value(sweep: str, of: str, system: str, speed_mps: float) -> float:
        applies = (
            of == metric and system.startswith(tuple(systems.split("|"))) and (not top_only or speed_mps in (20, 60))
        )
        return as_in_the_paper(sweep, of, system, speed_mps) * (factor if applies else 1)

    return value


@pytest.mark.parametrize(
    ("value", "broken"),
    [
        (changed(DELIVERY, "B-GPSR (no map)", 5.0), {"no-map"}),
        (changed(DELIVERY, "R-GPSR (no map)", 4.0), {"no-map"}),
        (changed(DELIVERY, "B-GPSR (with", 0.3), {"map", "broker-map-best"}),
        (changed(DELIVERY, "R-GPSR (with", 0.3), {"map", "rendezvous-sensitive"}),
        (changed(DELIVERY, "B-AODV", 1.1), {"broker-map-best"}),
        (changed(DELIVERY, "R-AODV", 1.2), {"broker-map-best"}),
        (changed(DELIVERY, "B-AODV", 0.2, top_only=True), {"rendezvous-sensitive"}),
        (changed(DELIVERY, "B-GPSR (with", 0.2, top_only=True), {"rendezvous-sensitive"}),
        (changed(DELIVERY, "R-AODV", 0.2, top_only=True), {"rendezvous-sensitive"}),
        (changed(DELAY, "R-GPSR (with", 0.2), {"rendezvous-delay"}),
        (changed(DELAY, "B-AODV", 4.0), {"aodv-delay"}),
        (changed(DELAY, "R-AODV", 20.0), {"aodv-delay", "rendezvous-delay"}),
        (changed(BANDWIDTH, "B-AODV|R-AODV", 10.0), {"gpsr-bandwidth"}),
        (changed(BANDWIDTH, "B-AODV", 2.0), {"broker-bandwidth"}),
        (changed(BANDWIDTH, "B-GPSR (no", 2.0), {"broker-bandwidth"}),
        (changed(BANDWIDTH, "B-GPSR (with", 2.0), {"broker-bandwidth"}),
    ],
)
def test_a_claim_that_is_not_so_is_not_reproduced_in_either_scenario(value: Value, broken: set[str]) -> None:
    found = verdicts(measured(value))
    fallen = {name for name, verdict in found.items() if verdict == Verdict.NOT_REPRODUCED}
    assert fallen == {f"{name}-{place}" for name in broken for place in ("highway", "city")}


def test_a_point_that_is_missing_leaves_claims_open_and_moves_no_other_into_its_place() -> None:
    complete = measured(as_in_the_paper)
    lacking = [row for row in complete if (row.point["curve"], row.point[SPEED]) != ("B-AODV", 10)]
    found = {each.claim.name: each for each in examine(PAPER.claims(), Measurements(lacking))}
    for name in ("broker-map-best-highway", "rendezvous-sensitive-highway", "gpsr-bandwidth-highway"):
        assert found[name].verdict in (Verdict.UNDECIDED, Verdict.REPRODUCED)
    assert found["rendezvous-sensitive-highway"].verdict == Verdict.UNDECIDED
    assert found["gpsr-bandwidth-highway"].verdict == Verdict.UNDECIDED
    whole = {each.claim.name: each for each in examine(PAPER.claims(), complete)}
    beside = {part.label: part.mean for part in whole["broker-map-best-highway"].parts}
    for part in found["broker-map-best-highway"].parts[1:]:
        assert part.mean == beside.get(part.label, part.mean)


def test_wide_intervals_leave_the_claims_open() -> None:
    found = verdicts(measured(as_in_the_paper, spread=0.9))
    assert Verdict.NOT_REPRODUCED not in found.values()
    assert Verdict.UNDECIDED in found.values()


def test_nothing_measured_gives_neither_figures_nor_findings() -> None:
    assert PAPER.figures(Measurements([])) == []
    assert examine(PAPER.claims(), Measurements([])) == []


def test_a_figure_has_three_panels_with_the_six_systems() -> None:
    figures = PAPER.figures(measured(as_in_the_paper))
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
        assert "Mean over 2 seeds" in caption
        for words in ("B: brokers", "R: rendezvous points", "AODV: routes to nodes", "GPSR: packets go by positions"):
            assert words in caption


def test_the_speeds_of_the_runs_are_those_that_the_captions_name() -> None:
    for sweep in _sweeps("quick"):
        for run in sweep.runs:
            fastest_mps = json.loads(run.point)[SPEED]
            speeds_mps = json.loads(run.scenario_json)["mobility"]["speed_mps"]
            assert speeds_mps == pytest.approx([SLOWEST * fastest_mps, fastest_mps])
