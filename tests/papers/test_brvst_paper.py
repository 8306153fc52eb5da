"""The BRVST paper's sweeps, figures and claims, without running any of them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from all_measured import sweeps_of
from brvst_rows import AXES, row, rows

from roamcast.api.paper_points import PaperPoints
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.paired_messages import MessagePair
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Verdict, examine
from roamcast.papers import SCALES, PaperSweep, load_paper
from roamcast.papers.brvst.curves import EQUAL_LEVELS, METRICS
from roamcast.papers.brvst.scenario import REFERENCE
from roamcast.papers.shared.readings import sweeps_under

PAPER = load_paper("brvst")
SCENARIO = Path(__file__).parents[2] / "scenarios" / "zones.toml"


def _sweeps(scale: str) -> Sequence[PaperSweep]:
    return sweeps_of(type(PAPER), scale)


@pytest.mark.parametrize("scale", SCALES)
def test_every_figure_has_its_sweep_at_both_scales(scale: str) -> None:
    covered = {number for sweep in _sweeps(scale) for number in sweep.figures}
    assert covered == set(PAPER.figure_numbers) == {6, 7, 8, 9}
    assert {number for claim in PAPER.claims() for number in claim.figures} == covered


def _rising(sweep: str, point: dict[str, float]) -> float:
    """Return some value that changes along each axis, so that there are slopes; it falls with alpha and levels."""
    value = float(point[AXES[sweep][0]])
    return 1 - value if sweep == "alpha" else 1 / value if sweep == "levels" else 1 + value


@pytest.mark.parametrize("scale", SCALES)
def test_every_claim_finds_the_points_that_it_needs_at_both_scales(scale: str) -> None:
    found = [
        row(sweep.name, json.loads(run.point), metric, _rising(sweep.name, json.loads(run.point)))
        for sweep in _sweeps(scale)
        for run in sweep.runs
        for metric in METRICS
    ]
    findings = examine(PAPER.claims(), Measurements(found))
    assert [each.claim.name for each in findings] == [each.name for each in PAPER.claims()]
    assert not [part.label for each in findings for part in each.parts if part.quantity is None]


@pytest.mark.parametrize("scale", SCALES)
def test_drip_and_tama_stand_where_the_paper_has_them(scale: str) -> None:
    curves = {sweep.name: {json.loads(run.point)["curve"] for run in sweep.runs} for sweep in _sweeps(scale)}
    both = {"BRVST", "DRIP"}
    assert curves == {
        "subscriptions": both,
        "publications": both,
        "speed": both,
        "grids": {"BRVST", "BRVST, 0.1 ms a filter"},
        "load": {"BRVST", "TAMA", "DRIP"},
        "alpha": {"BRVST"},
        "levels": {"TAMA"},
    }


def test_the_points_are_what_their_labels_say() -> None:
    for sweep in _sweeps("quick"):
        axis, _ = AXES[sweep.name]
        for run in sweep.runs:
            label, document = json.loads(run.point)[axis], json.loads(run.scenario_json)
            protocol, workload = document["protocol"], document["workload"]
            if sweep.name == "speed":
                assert document["mobility"]["speed_mps"] == [label, label]
            elif sweep.name == "grids":
                assert 1000 / protocol["grids_per_side"] == label
                assert protocol["zones_per_side"] == max(1, protocol["grids_per_side"] // 2)
            elif sweep.name == "load":
                assert workload["subscriptions_per_minute"] == workload["publications_per_minute"] == label
            else:
                table, key = axis.split(".")
                assert document[table][key] == label
            is_tama = json.loads(run.point)["curve"].startswith("TAMA")
            assert (protocol.get("summaries") == "dyadic") == is_tama


def test_what_sweeps_share_is_run_once() -> None:
    runs = {sweep.name: {run.run_id for run in sweep.runs} for sweep in _sweeps("quick")}
    shared = runs["subscriptions"] & runs["publications"] & runs["speed"] & runs["load"]
    assert len(shared) == 2 * 4  # section V's own setting, with both protocols and four seeds
    assert len(set.union(*runs.values())) < sum(map(len, runs.values()))


def test_the_lifetime_of_subscriptions_is_an_axis_of_readings_that_covers_every_sweep() -> None:
    lifetimes_s = {}
    for reading in PAPER.readings:
        sweeps = sweeps_under(PAPER, "full", reading)
        found = {json.loads(run.scenario_json)["workload"]["lifetime_s"] for sweep in sweeps for run in sweep.runs}
        lifetimes_s[reading.name] = found, len(sweeps)
        assert all(sweep.pair for sweep in sweeps if sweep.name.partition("@")[0] in ("publications", "speed"))
    assert lifetimes_s == {
        "default": ({300}, 7),
        "lifetime-150": ({150}, 7),
        "lifetime-60": ({60}, 7),
        "filter-time": ({300}, 1),
        "brokers-in-vain": (set(), 0),
    }


def test_brvst_and_drip_are_paired_by_message_under_every_lifetime() -> None:
    points = PaperPoints.of(PAPER, "quick", (6, 7), PAPER.readings)
    own = {"subscriptions", "publications", "speed"}
    assert set(points.pairs) == {f"{name}{ending}" for name in own for ending in ("", "@lifetime-150", "@lifetime-60")}
    assert set(points.pairs.values()) == {MessagePair("curve", "BRVST", "DRIP")}


def test_the_shipped_scenario_is_section_v() -> None:
    shipped = Scenario.load(SCENARIO)
    assert shipped.canonical_json() == Scenario.from_document(REFERENCE).canonical_json()
    setup = shipped.setup()
    assert (setup.nodes, setup.area.width_m, setup.area.height_m) == (400, 1000.0, 1000.0)
    propagation = setup.radio.propagation()
    assert propagation.range_m == pytest.approx(80.0, abs=0.05)
    assert propagation.sense_range_m == pytest.approx(176.0, abs=0.1)
    assert len(setup.workload.attribute_limits()) == 15


# --- claims --------------------------------------------------------------------------------------------------------


def verdicts(measured: Iterable[Measurement]) -> dict[str, Verdict]:
    return {each.claim.name: each.verdict for each in examine(PAPER.claims(), Measurements(measured))}


def test_if_all_were_as_the_paper_says_every_claim_would_hold() -> None:
    assert {name: verdict for name, verdict in verdicts(rows()).items() if verdict is not Verdict.HOLDS} == {}


def changed(sweep: str, metric: str, curve: str, at: float, value: float) -> list[Measurement]:
    """Return what the paper says, but for one point."""
    axis, _ = AXES[sweep]
    return [
        row(each.sweep, each.point, each.metric, value)
        if (each.sweep, each.metric, each.point["curve"], each.point.get(axis)) == (sweep, metric, curve, at)
        else each
        for each in rows()
    ]


@pytest.mark.parametrize(
    ("measured", "failing"),
    [
        (changed("subscriptions", "publication_delay_s@paired", "BRVST", 200, 1.6), {"publication-time"}),
        (changed("publications", "publication_delay_s@paired", "DRIP", 200, 0.3), {"publication-time"}),
        (changed("publications", "subscription_delay_s@paired", "BRVST", 200, 2.6), {"subscription-time"}),
        (changed("subscriptions", "subscription_delay_s@paired", "BRVST", 400, 30.0), {"subscription-time"}),
        (changed("subscriptions", "publication_match_s", "DRIP", 400, 5.1), {"time-falls"}),
        (changed("publications", "subscription_match_s", "BRVST", 400, 0.8), {"time-limit"}),
        (changed("publications", "subscription_match_s", "BRVST", 400, 1.3), {"time-limit"}),
        (changed("subscriptions", "publication_match_s", "BRVST", 100, 3.5), {"time-limit"}),
        (changed("publications", "publication_delay_s", "BRVST", 400, 0.25), {"time-grows"}),
        (changed("subscriptions", "subscription_delay_s", "DRIP", 400, 2.0), {"time-drip"}),
        (changed("publications", "publication_delay_s", "BRVST", 400, 2.5), {"time-sublinear"}),
        (changed("subscriptions", "subscription_delay_s", "BRVST", 50, 0.07), {"time-sublinear"}),
        (changed("speed", "match_delay_s@paired", "BRVST", 10, 2.2), {"speed-time"}),
        (changed("speed", "match_delay_s@paired", "DRIP", 20, 1.6), {"mobility-stable"}),
        (changed("speed", "match_delay_s", "DRIP", 20, 1.4), {"mobility-drip", "mobility-drip-fast"}),
        (changed("speed", "match_delay_s", "DRIP", 10, 4.5), {"mobility-drip-fast"}),
        (changed("grids", "match_delay_s", "BRVST", 1000, 0.4), {"grid-time"}),
        (changed("grids", "match_delay_s", "BRVST", 500, 0.85), {"grid-time"}),
        (changed("grids", "match_delay_s", "BRVST", 125, 0.45), {"grid-time"}),
        (changed("grids", "match_delay_s", "BRVST, 0.1 ms a filter", 1000, 0.1), set()),
        (changed("grids", "storage_bytes_mean", "BRVST", 1000, 250.0), {"grid-costs"}),
        (changed("grids", "bytes_per_match", "BRVST", 250, 5000.0), {"grid-costs"}),
        (changed("load", "member_storage_bytes", "BRVST", 50, 1100.0), {"member-storage"}),
        (changed("load", "member_storage_bytes", "TAMA", 50, 1100.0), {"member-storage"}),
        (changed("load", "member_storage_bytes", "DRIP", 400, 950.0), {"member-storage-rises"}),
        (changed("load", "broker_storage_bytes", "DRIP", 200, 20000.0), {"broker-storage-linear"}),
        (changed("load", "broker_storage_bytes", "DRIP", 100, 30000.0), {"broker-storage-linear"}),
        (
            changed("load", "broker_storage_bytes", "DRIP", 50, 70000.0),
            {"broker-storage-linear", "broker-storage-slope"},
        ),
        (changed("load", "broker_storage_bytes", "BRVST", 200, 4600.0), set()),
        (
            changed("load", "broker_storage_bytes", "TAMA", 400, 7500.0),
            {"broker-storage-linear", "broker-storage-tama"},
        ),
        (changed("load", "control_bytes_per_node_s", "BRVST", 50, 1500.0), {"management-traffic"}),
        (changed("load", "control_bytes_per_node_s", "DRIP", 400, 3000.0), {"management-drip"}),
        (changed("load", "event_bytes_per_match", "DRIP", 50, 20000.0), {"match-traffic-low"}),
        (changed("load", "event_bytes_per_match", "BRVST", 50, 8000.0), {"match-traffic-low"}),
        (changed("load", "event_bytes_per_match", "BRVST", 400, 13000.0), {"match-traffic-high"}),
        (changed("load", "event_bytes_per_match", "DRIP", 200, 25000.0), {"match-traffic-drip"}),
        (changed("load", "bytes_per_match", "DRIP", 50, 1.0), set()),
        (changed("alpha", "false_positive_rate", "BRVST", 0.9, 0.13), {"false-positives-bounded"}),
        (changed("alpha", "false_positive_rate", "BRVST", 0.6, 0.2), {"false-positives-fall"}),
        (changed("alpha", "broker_storage_bytes", "BRVST", 0.9, 900.0), {"accuracy-costs"}),
        (changed("alpha", "bytes_per_match", "BRVST", 0.9, 7000.0), {"accuracy-costs"}),
        (changed("alpha", "wasted_bytes_per_match", "BRVST", 0.6, 3.0), {"waste-rises"}),
        (changed("levels", "wasted_bytes_per_match", "TAMA", 6, 3.0), {"less-waste"}),
        (changed("levels", "wasted_bytes_per_match", "TAMA", 5, 9.0), {"waste-rises"}),
    ],
)
def test_one_point_that_is_otherwise_fails_just_the_claim_that_speaks_of_it(
    measured: list[Measurement], failing: set[str]
) -> None:
    assert {name for name, verdict in verdicts(measured).items() if verdict is Verdict.CONTRADICTED} == failing


def test_what_goes_in_the_claimed_direction_by_less_than_claimed_is_weaker() -> None:
    for measured, name in (
        (changed("publications", "publication_delay_s@paired", "BRVST", 400, 2.0), "publication-time"),
        (changed("speed", "match_delay_s@paired", "DRIP", 20, 3.0), "mobility-stable"),
        (changed("load", "control_bytes_per_node_s", "BRVST", 50, 700.0), "management-traffic"),
        (changed("load", "broker_storage_bytes", "TAMA", 50, 1500.0), "broker-storage-tama"),
    ):
        assert {each: verdict for each, verdict in verdicts(measured).items() if verdict is Verdict.WEAKER} == {
            name: Verdict.WEAKER
        }


def test_a_claim_is_left_out_where_its_figure_was_not_made() -> None:
    assert set(verdicts(each for each in rows() if each.sweep == "speed")) == {
        "speed-time",
        "mobility-stable",
        "mobility-drip",
        "mobility-drip-fast",
    }
    assert verdicts([]) == {}


def test_waste_is_compared_at_the_rate_of_tama_s_default_levels_or_not_at_all() -> None:
    finding = next(each for each in examine(PAPER.claims(), Measurements(rows())) if each.claim.name == "less-waste")
    (judged,) = (part for part in finding.parts if part.is_judged)
    assert judged.quantity is not None
    between = 4.0 + (0.15 - 0.09) / (0.24 - 0.09) * (12.0 - 4.0)
    assert judged.quantity.value == pytest.approx(between / 20.0)
    apart = changed("levels", "false_positive_rate", "TAMA", 6, 0.6)
    assert verdicts(apart)["less-waste"] is Verdict.UNDECIDED


def test_tama_is_compared_at_the_level_whose_false_positive_rate_is_that_of_the_default_alpha() -> None:
    assert _levels("load") == {EQUAL_LEVELS}
    assert _levels("levels") > _levels("load")


def _levels(sweep: str) -> set[int]:
    (found,) = (each for each in _sweeps("quick") if each.name == sweep)
    tama = [json.loads(run.scenario_json) for run in found.runs if json.loads(run.point)["curve"] == "TAMA"]
    return {scenario["protocol"]["dyadic_levels"] for scenario in tama}


# --- figures -------------------------------------------------------------------------------------------------------


def test_the_figures_have_the_paper_s_panels_and_show_what_was_measured() -> None:
    figures = {figure.name: figure for figure in PAPER.figures(Measurements(rows()))}
    assert set(figures) == {"figure-6", "figure-7", "figure-8", "figure-9"}
    titles = [panel.title.split()[0] for panel in figures["figure-6"].panels]
    assert titles == ["i(a)", "i(b)", "ii(a)", "ii(b)"]
    assert [panel.title for panel in figures["figure-7"].panels] == [
        "(a) by speed: time",
        "(b) by grid size: time",
        "(b) by grid size: storage",
        "(b) by grid size: traffic",
    ]
    first = figures["figure-6"].panels[0]
    assert [series.label for series in first.series] == ["BRVST", "DRIP"]
    assert [(point.x, point.y) for point in first.series[0].points] == [(50, 3.0), (100, 1.5), (200, 1.0), (400, 1.05)]
    assert [series.label for series in figures["figure-7"].panels[1].series] == ["BRVST", "BRVST, 0.1 ms a filter"]
    storage = figures["figure-8"].panels[1]
    assert [series.label for series in storage.series] == ["BRVST", "TAMA", "DRIP"]
    assert [point.y for point in storage.series[1].points] == pytest.approx([2.5, 5.0, 10.0, 20.0])
    assert [len(panel.series) for panel in figures["figure-8"].panels] == [3, 3, 2, 2]
    assert figures["figure-8"].panels[3].series[0].points[0].y == pytest.approx(10.0)
    rates, *_, wasted = figures["figure-9"].panels
    assert [point.y for point in rates.series[1].points] == pytest.approx([0.4, 0.25, 0.1])
    assert [(point.x, point.y) for point in wasted.series[1].points] == [(0.08, 10.0), (0.15, 20.0), (0.36, 40.0)]
    assert "10 seeds" in figures["figure-7"].caption
    assert PAPER.figures(Measurements([])) == []
