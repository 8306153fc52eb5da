"""The Frugal paper's sweeps, figures and claims, without running any of them."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from all_measured import sweeps_of

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.claim_verdicts import Verdict, examine
from roamcast.measuring.measurements import Kind, Measurement, Measurements
from roamcast.papers import SCALES, load_paper, paper_names
from roamcast.papers.frugal.figures import PAPER_HEARTBEAT, PAPER_SPREAD, PAPER_SUBSCRIBERS, PAPER_VALIDITY
from roamcast.papers.frugal.scenario import CITY
from roamcast.sim.simulation import simulate

PAPER = load_paper("frugal")
FRACTION, EVENTS, PROTOCOL = "workload.subscriber_fraction", "workload.events", "protocol.name"
FLOODINGS = ("flooding", "interest-flooding", "neighbour-flooding")


def _row(sweep: str, point: Mapping[str, Any], metric: str, mean: float, kind: Kind = Kind.VALUE) -> Measurement:
    return Measurement(sweep, point, metric, mean, mean - 0.001, mean + 0.001, 30, kind=kind)


def _is_ratio(row: Measurement, metric: str) -> bool:
    return (row.metric, row.kind) == (metric, Kind.RATIO)


def _as_printed() -> Iterator[Measurement]:
    """Yield what would have been measured if the paper's own numbers were ours."""
    for speed, fraction, at in (
        (10, 0.8, {180: 0.95}),
        (30, 0.8, {90: 0.95}),
        (1, 0.2, {180: 0.1}),
        (10, 0.2, {180: 0.3}),
        (40, 0.2, {180: 0.9}),
    ):
        point = {"mobility.speed_mps": [speed, speed], FRACTION: fraction}
        yield _row("speed", point, "reliability", 0.5)
        for validity_s, value in at.items():
            yield _row("speed", point, f"reliability@{validity_s}", value)
    for drawn in ("trip", "node"):
        yield _row("mixed", {"mobility.speed_drawn": drawn, FRACTION: 0.6}, "reliability@120", 0.99)
        yield _row("mixed", {"mobility.speed_drawn": drawn, FRACTION: 0.6}, "reliability", 0.99)
    for bound_s, value in PAPER_HEARTBEAT.items():
        yield _row("heartbeat", {"protocol.heartbeat_s_max": bound_s}, "reliability", value)
    for validity_s, value in PAPER_VALIDITY.items():
        yield _row("heartbeat", {"protocol.heartbeat_s_max": 1}, f"reliability@{validity_s}", value)
    for fraction, value in PAPER_SUBSCRIBERS.items():
        yield _row("subscribers", {FRACTION: fraction}, "reliability", value)
    for fraction, value in PAPER_SPREAD.items():
        yield _row("subscribers", {FRACTION: fraction}, "reliability", value, Kind.SPREAD)
    yield from _costs_as_printed()


def _costs_as_printed() -> Iterator[Measurement]:
    settings = (("frugality", 0.2, 1), ("frugality", 0.6, 10), ("one-event", 0.8, 1))
    for sweep, fraction, events in settings:
        point = {PROTOCOL: "frugal", FRACTION: fraction, EVENTS: events}
        for name in ("events_sent", "duplicates", "parasites", "payload_bytes_sent"):
            yield _row(sweep, point, f"{name}_per_node", 10.0)
    for protocol in FLOODINGS:
        for sweep, fraction, events in settings:
            point = {PROTOCOL: protocol, FRACTION: fraction, EVENTS: events}
            factors = {"events_sent": 70, "duplicates": 90, "parasites": 60}
            if sweep == "frugality":
                factors = {
                    "events_sent": 70,
                    "duplicates": 60 if protocol == "interest-flooding" else 90,
                    "parasites": 40,
                }
            for name, factor in factors.items():
                yield _row(sweep, point, f"{name}_per_node", factor, Kind.RATIO)
                yield _row(sweep, point, f"{name}_per_node", 10.0 * factor)
            cheaper = protocol == "interest-flooding" and fraction == 0.2
            yield _row(sweep, point, "payload_bytes_sent_per_node", 0.8 if cheaper else 4.0, Kind.RATIO)
            yield _row(sweep, point, "payload_bytes_sent_per_node", 40_000.0)
    for fraction, events in ((0.2, 1), (0.6, 10)):
        point = {PROTOCOL: "frugal", FRACTION: fraction, EVENTS: events}
        yield _row("frugality", point, "receptions_per_event_received", 3.5)


def test_the_papers_own_numbers_reproduce_every_claim() -> None:
    findings = examine(PAPER.claims(), Measurements(_as_printed()))
    assert {each.claim.name: each.verdict for each in findings} == {
        each.name: Verdict.REPRODUCED for each in PAPER.claims()
    }


@pytest.mark.parametrize("claim", PAPER.claims(), ids=lambda claim: claim.name)
def test_no_claim_reproduces_on_numbers_that_contradict_it(claim: Any) -> None:
    """Every value turned round, large ones small and small ones large: each claim must notice."""
    too_large = claim.name.endswith("-most")
    wrong = []
    for row in _as_printed():
        mean = 1.5 - row.mean
        if row.kind is Kind.RATIO:
            mean = row.mean * 20 if too_large else row.mean / 4
            if row.metric == "payload_bytes_sent_per_node":
                mean = 1 / row.mean
        if row.metric == "receptions_per_event_received":
            mean = 6.0
        wrong.append(_row(row.sweep, row.point, row.metric, mean, row.kind))
    (finding,) = examine([claim], Measurements(wrong))
    assert finding.verdict is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("claim", "is_gone"),
    [
        ("reliability-80", lambda row: row.point.get("mobility.speed_mps") == [30, 30]),
        ("reliability-20", lambda row: row.point.get("mobility.speed_mps") == [40, 40]),
        ("city-heartbeat", lambda row: row.point.get("protocol.heartbeat_s_max") == 4),
        ("city-validity", lambda row: row.metric == "reliability@75"),
        ("city-spread", lambda row: row.kind is Kind.SPREAD and row.point[FRACTION] == 0.6),
        ("events-sent", lambda row: _is_ratio(row, "events_sent_per_node") and row.point[EVENTS] == 10),
        ("bandwidth", lambda row: _is_ratio(row, "payload_bytes_sent_per_node") and row.point[FRACTION] == 0.6),
    ],
)
def test_a_part_that_was_not_measured_leaves_its_claim_open(claim: str, is_gone: Callable[[Measurement], bool]) -> None:
    rows = [row for row in _as_printed() if not is_gone(row)]
    findings = {each.claim.name: each for each in examine(PAPER.claims(), Measurements(rows))}
    assert findings[claim].verdict is Verdict.UNDECIDED
    assert any("not measured" in part.label for part in findings[claim].parts)


@pytest.mark.parametrize("scale", SCALES)
def test_every_figure_has_its_sweep_at_both_scales(scale: str) -> None:
    covered = {number for sweep in sweeps_of(type(PAPER), scale) for number in sweep.figures}
    assert covered == set(PAPER.figure_numbers) == set(range(11, 21))
    assert {number for claim in PAPER.claims() for number in claim.figures} == covered


def test_full_scale_is_the_papers_grid_with_thirty_seeds() -> None:
    sweeps = {sweep.name: sweep.runs for sweep in sweeps_of(type(PAPER), "full")}
    for runs in sweeps.values():
        assert {run.seed for run in runs} == set(range(1, 31))
    speeds = {tuple(json.loads(run.point)["mobility.speed_mps"]) for run in sweeps["speed"]}
    assert speeds == {(speed, speed) for speed in (0, 1, 5, 10, 20, 30, 40)}
    costs = [json.loads(run.point) for run in sweeps["frugality"]]
    assert {point[FRACTION] for point in costs} == {0.2, 0.4, 0.6, 0.8, 1.0}
    assert {1, 20} <= {point[EVENTS] for point in costs} <= set(range(1, 21))
    assert {point[PROTOCOL] for point in costs} == {"frugal", *FLOODINGS}


def test_every_car_publishes_in_turn_and_counts_towards_one_point() -> None:
    (runs,) = (sweep.runs for sweep in sweeps_of(type(PAPER), "quick") if sweep.name == "heartbeat")
    here = [run for run in runs if run.seed == 1 and json.loads(run.point) == {"protocol.heartbeat_s_max": 1}]
    publishers = [json.loads(run.scenario_json)["workload"]["publisher"] for run in here]
    assert publishers == list(range(15))


def test_runs_that_two_figures_share_are_made_once() -> None:
    sweeps = {sweep.name: {run.run_id for run in sweep.runs} for sweep in sweeps_of(type(PAPER), "full")}
    assert len(sweeps["heartbeat"] & sweeps["subscribers"]) == 15 * 30


def test_the_figures_are_drawn_from_what_was_measured() -> None:
    figures = {figure.name: figure for figure in PAPER.figures(Measurements(_as_printed()))}
    assert set(figures) == {f"figure-{number}" for number in range(11, 21)}
    measured, printed = figures["figure-13"].panels[0].series
    assert printed.from_paper
    assert [(point.x, point.y) for point in measured.points] == list(PAPER_HEARTBEAT.items())
    assert figures["figure-20"].panels[0].log_y
    assert PAPER.figures(Measurements([])) == []


def test_every_paper_can_be_loaded_by_its_name() -> None:
    for name in paper_names():
        paper = load_paper(name)
        assert paper.title
        assert paper.source


@pytest.mark.parametrize("name", paper_names())
def test_what_to_try_next_is_of_scenarios_that_are_there(name: str) -> None:
    steps = load_paper(name).next_steps
    named = [word for step in steps for word in step.split() if word.endswith(".toml")]
    assert len(named) == len(steps) > 0
    assert all((Path(__file__).parents[2] / each).is_file() for each in named)


@pytest.mark.parametrize("publisher", [0, 7])
def test_one_city_run_gives_the_curve_over_validities_exactly(publisher: int) -> None:
    """Figure 16 reads 25 to 150 s off runs of 150 s: what a run with a validity of 50 s delivers is the same."""
    city = Scenario.from_document(CITY).with_values({"workload.publisher": publisher})
    whole = simulate(city.setup(), 2)
    short = simulate(city.with_values({"workload.validity_s": 50}).setup(), 2)
    delivered = [(each.node, each.latency_s) for each in short.deliveries]
    assert [(each.node, each.latency_s) for each in whole.deliveries if each.latency_s < 50] == delivered
    assert 1 < len(delivered) < len(whole.deliveries)
