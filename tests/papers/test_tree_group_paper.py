"""The tree group paper's sweeps, figures and claims, without running any of them."""

import json
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from all_measured import sweeps_of
from tree_group_rows import (
    DELIVERY,
    LATENCY,
    LOCAL,
    MAINTENANCE,
    MEMORY,
    NODES,
    NOTIFICATION,
    SPEED,
    row,
    rows,
)

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Verdict, examine
from roamcast.papers import SCALES, PaperSweep, load_paper
from roamcast.papers.tree_group.curves import CURVES
from roamcast.papers.tree_group.scenario import REFERENCE

PAPER = load_paper("tree-group")
SCENARIO = Path(__file__).parents[2] / "scenarios" / "communities.toml"
ALL_METRICS = (DELIVERY, LATENCY, MEMORY, NOTIFICATION, MAINTENANCE)


def _sweeps(scale: str) -> Sequence[PaperSweep]:
    return sweeps_of(type(PAPER), scale)


@pytest.mark.parametrize("scale", SCALES)
def test_every_figure_has_its_sweep_at_both_scales(scale: str) -> None:
    covered = {number for sweep in _sweeps(scale) for number in sweep.figures}
    assert covered == set(PAPER.figure_numbers) == {2, 3, 4, 5, 6}
    assert {number for claim in PAPER.claims() for number in claim.figures} == covered


@pytest.mark.parametrize("scale", SCALES)
def test_every_claim_finds_the_points_that_it_needs_at_both_scales(scale: str) -> None:
    found = [
        row(sweep.name, json.loads(run.point), metric, 0.5)
        for sweep in _sweeps(scale)
        for run in sweep.runs
        for metric in ALL_METRICS
    ]
    findings = examine(PAPER.claims(), Measurements(found))
    assert [each.claim.name for each in findings] == [each.name for each in PAPER.claims()]
    assert not [part.label for each in findings for part in each.parts if part.quantity is None]


@pytest.mark.parametrize("scale", SCALES)
def test_every_curve_is_drawn(scale: str) -> None:
    assert {json.loads(run.point)["curve"] for sweep in _sweeps(scale) for run in sweep.runs} == set(CURVES)


def test_full_scale_goes_through_the_ranges_of_table_1() -> None:
    points = {sweep.name: [json.loads(run.point) for run in sweep.runs] for sweep in _sweeps("full")}
    speeds, sizes = {point[SPEED] for point in points["speed"]}, {point[NODES] for point in points["size"]}
    assert {0, 2, 25} <= speeds
    assert (min(sizes), max(sizes)) == (500, 1000)
    assert {point[LOCAL] for point in points["size"]} == {0.25, 0.75}


@pytest.mark.parametrize("scale", SCALES)
def test_in_all_sweeps_the_publishing_ends_some_seconds_before_the_run_so_that_late_events_can_arrive(
    scale: str,
) -> None:
    for sweep in _sweeps(scale):
        for run in sweep.runs:
            document = json.loads(run.scenario_json)
            assert 0 < document["workload"]["until_s"] == document["duration_s"] - 3


def test_what_figures_2_to_5_share_is_run_once() -> None:
    runs = {sweep.name: {run.run_id for run in sweep.runs} for sweep in _sweeps("quick")}
    assert len(runs["levels"] & runs["speed"]) == len(runs["levels"]) / 2  # flooding and the subscription tree


def test_the_shipped_scenario_is_table_1() -> None:
    shipped = Scenario.load(SCENARIO)
    assert shipped.canonical_json() == Scenario.from_document(REFERENCE).canonical_json()
    setup = shipped.setup()
    assert (setup.nodes, setup.area.width_m, setup.area.height_m) == (500, 2000.0, 2000.0)
    assert setup.radio.propagation().range_m == 150.0
    protocols = tomllib.loads(SCENARIO.read_text(encoding="utf-8"))["protocol"]
    assert protocols["ttl-flooding"]["hops_max"] == 10
    assert (protocols["tree-group"]["levels_limit"], protocols["tree-group"]["levels_preferred"]) == (9, 4)


def test_figures_4_and_5_have_groups_with_three_and_six_levels() -> None:
    (levels,) = (sweep.runs for sweep in _sweeps("quick") if sweep.name == "levels")
    chosen = {json.loads(run.scenario_json)["protocol"].get("levels_preferred") for run in levels}
    assert chosen == {None, 3, 6}


def verdicts(measured: Iterable[Measurement]) -> dict[str, Verdict]:
    return {each.claim.name: each.verdict for each in examine(PAPER.claims(), Measurements(measured))}


def test_if_all_were_as_the_paper_says_every_claim_would_hold() -> None:
    assert set(verdicts(rows()).values()) == {Verdict.HOLDS}


def changed(sweep: str, metric: str, value: float, **labels: float | str) -> list[Measurement]:
    """Return what the paper says, but for one kind of point."""
    keys = {"curve": "curve", "speed": SPEED, "nodes": NODES, "local": LOCAL}
    wanted = {keys[name]: label for name, label in labels.items()}
    return [
        row(each.sweep, each.point, each.metric, value)
        if each.sweep == sweep and each.metric == metric and wanted.items() <= each.point.items()
        else each
        for each in rows()
    ]


@pytest.mark.parametrize(
    ("measured", "failing"),
    [
        (changed("speed", DELIVERY, 0.9, curve="flooding", speed=10), {"flooding-most"}),
        (changed("speed", DELIVERY, 0.55, curve="flooding, TTL 30"), set()),
        (changed("speed", DELIVERY, 0.91, curve="subscription tree", speed=25), {"groups-above-tree", "tree-falls"}),
        (changed("speed", DELIVERY, 0.8, curve="tree groups", speed=25), {"groups-near-flooding", "groups-hold"}),
        (changed("speed", DELIVERY, 0.85, curve="tree groups", speed=10), {"groups-near-flooding"}),
        (changed("speed", NOTIFICATION, 60.0, curve="tree groups", speed=2), {"overhead-by-speed"}),
        (changed("levels", NOTIFICATION, 40.0, curve="tree groups, 6 levels"), {"overhead-smallest"}),
        (
            changed("levels", NOTIFICATION, 30.0, curve="subscription tree"),
            {"tree-below-flooding", "tree-maintenance"},
        ),
        (changed("levels", MAINTENANCE, 1.0, curve="flooding"), {"flooding-notification"}),
        (changed("levels", MEMORY, 120.0, curve="tree groups, 3 levels"), {"memory"}),
        (changed("size", LATENCY, 0.15, curve="flooding", nodes=700, local=0.25), {"latency-flooding"}),
        (changed("size", LATENCY, 0.06, curve="tree groups", nodes=500, local=0.25), {"latency-global"}),
        (changed("size", LATENCY, 0.075, curve="tree groups", nodes=500, local=0.75), {"latency-local"}),
        (changed("size", LATENCY, 0.03, curve="tree groups", nodes=500, local=0.75), {"latency-local"}),
    ],
)
def test_one_point_that_is_otherwise_fails_just_the_claims_that_speak_of_it(
    measured: list[Measurement], failing: set[str]
) -> None:
    assert {name for name, verdict in verdicts(measured).items() if verdict is Verdict.CONTRADICTED} == failing


def test_a_claim_is_left_out_where_its_figure_was_not_made() -> None:
    assert set(verdicts(each for each in rows() if each.sweep == "levels")) == {
        "overhead-smallest",
        "tree-below-flooding",
        "tree-maintenance",
        "flooding-notification",
        "memory",
    }


def test_the_figures_show_what_was_measured() -> None:
    figures = {figure.name: figure for figure in PAPER.figures(Measurements(rows()))}
    assert set(figures) == {f"figure-{number}" for number in range(2, 7)}
    (delivery,), (messages,) = figures["figure-2"].panels, figures["figure-3"].panels
    labels = ["flooding", "flooding, TTL 30", "subscription tree", "tree groups"]
    assert [series.label for series in delivery.series] == [series.label for series in messages.series] == labels
    assert [point.x for point in messages.series[2].points] == [2, 10, 25]
    assert [point.y for point in messages.series[2].points] == pytest.approx([40, 45, 50])
    (parts,) = figures["figure-4"].panels
    assert parts.x_names == ("flooding", "subscription tree", "tree groups, 3 levels", "tree groups, 6 levels")
    assert [[point.y for point in series.points] for series in parts.series] == [
        pytest.approx([100, 40, 15, 17]),
        [100, 15, 10, 11],
        [0, 25, 5, 6],
    ]
    (memory,) = figures["figure-5"].panels
    assert [point.y for point in memory.series[0].points] == [1000, 70, 80]
    much_global, much_local = figures["figure-6"].panels
    assert [point.y for point in much_global.series[0].points] == pytest.approx([40, 50])
    assert [point.y for point in much_local.series[2].points] == pytest.approx([22, 34])
    assert "10 seeds" in figures["figure-2"].caption
    assert PAPER.figures(Measurements([])) == []
