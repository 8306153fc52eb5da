"""Readings of any paper: which sweeps each has, what was measured under it, and where its points are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from all_measured import sweeps_of

from roamcast.api.paper_points import PaperPoints, place_of, places_under
from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan, run_id
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.verdicts import Claim, Deviation, Part, Value, within
from roamcast.papers import Paper, PaperSweep, Reading, load_paper, paper_names
from roamcast.papers.shared.readings import claims_under, measured_under, own_name, sweeps_under
from roamcast.report.figure import Figure

RANGE, COUNT = "radio.range_m", "nodes.count"
SCENARIO: dict[str, Any] = {
    "name": "small",
    "duration_s": 10,
    "area": {"width_m": 300, "height_m": 200},
    "nodes": {"count": 4},
    "mobility": {"model": "random-waypoint", "speed_mps": [1, 2]},
    "radio": {"model": "range", "range_m": 50},
    "workload": {"model": "single-topic", "subscriber_fraction": 1, "validity_s": 10},
    "protocol": {"name": "flooding"},
}


class SmallPaper(Paper):
    """Two sweeps, of which one has two protocols."""

    title, source, next_steps = "Small", "Nobody", ()
    series_names: ClassVar[Mapping[int, tuple[str, ...]]] = {1: ("all",), 2: ("all",)}
    first_seed = 5
    readings = (
        Reading("default", "as it is", "section 1"),
        Reading("phase", "another phase", "section 2", {"protocol.phase": "reception"}),
        Reading("long", "longer", "section 3", {"duration_s": 20, "workload.validity_s": 20}, ("count",)),
        Reading("void", "the same in other words", "section 4", {"radio.model": "range", "protocol.exchange": "x"}),
        Reading("counted", "another count", "section 5", metrics={"metric": "other"}),
    )

    def sweeps(self, scale: str) -> Sequence[PaperSweep]:  # noqa: ARG002 - it has one scale
        """Return a sweep over ranges with flooding, and one over two protocols in which a point is two runs."""
        scenario = Scenario.from_document(SCENARIO)
        ranges = plan("range", scenario, {RANGE: [50, 60]}, [5, 6])
        counts = [
            run
            for publisher in (0, 1)
            for run in plan(
                "count",
                scenario.with_values({"workload.publisher": publisher}),
                {"protocol.name": ["flooding", "gossip"]},
                [5, 6],
            )
        ]
        return PaperSweep("range", (1,), tuple(ranges), (3,)), PaperSweep("count", (2,), tuple(counts), (2, 5))

    def figures(self, measured: Measurements) -> Sequence[Figure]:  # noqa: ARG002 - it has none
        """Return nothing."""
        return []

    def claims(self) -> Sequence[Claim]:
        """Return nothing."""
        return []


PAPER = SmallPaper()
DEFAULT, PHASE, LONG, VOID, COUNTED = PAPER.readings


def test_the_default_has_all_sweeps_under_their_own_names() -> None:
    assert [sweep.name for sweep in sweeps_under(PAPER, "quick", DEFAULT)] == ["range", "count"]


def test_a_key_counts_where_a_component_has_it_and_the_other_runs_are_those_of_the_default() -> None:
    ranges, counts = sweeps_under(PAPER, "quick", PHASE)
    assert (ranges.name, counts.name) == ("range@phase", "count@phase")
    before, after = PAPER.sweeps("quick")[1].runs, counts.runs
    flooding = [run.point == '{"protocol.name":"flooding"}' for run in after]
    assert [one.run_id != other.run_id for one, other in zip(before, after, strict=True)] == flooding
    assert ['"phase":"reception"' in run.scenario_json for run in after] == flooding
    assert all(run.run_id == run_id(run.scenario_json, run.seed) for run in after)
    assert {run.sweep for run in after} == {"count@phase"}


def test_a_reading_of_some_sweeps_leaves_the_others_out_and_one_that_changes_nothing_has_none() -> None:
    (long,) = sweeps_under(PAPER, "quick", LONG)
    assert long.name == "count@long"
    assert all('"duration_s":20' in run.scenario_json for run in long.runs)
    assert sweeps_under(PAPER, "quick", VOID) == []
    assert sweeps_under(PAPER, "quick", COUNTED) == []


def test_a_sweep_of_a_reading_is_known_by_its_own_name() -> None:
    assert own_name(PAPER, "count@long", LONG) == "count"
    assert own_name(PAPER, "count@long", PHASE) is None
    assert own_name(PAPER, "count@long", DEFAULT) is None
    assert own_name(PAPER, "count", DEFAULT) == "count"
    assert own_name(PAPER, "count", LONG) is None


def row(sweep: str, value: float, metric: str = "metric") -> Measurement:
    return Measurement(sweep, {"x": 1}, metric, value, None, None, 1)


def test_under_a_reading_there_is_what_it_changes_and_of_the_rest_what_the_default_has() -> None:
    measured = Measurements([row("range", 1), row("count", 2), row("count@long", 3), row("range@phase", 4)])
    found = {
        each.name: {(found.sweep, found.mean) for found in measured_under(PAPER, measured, each)}
        for each in (DEFAULT, PHASE, LONG, VOID)
    }
    assert found == {
        "default": {("range", 1), ("count", 2)},
        "phase": {("range", 4), ("count", 2)},
        "long": {("range", 1), ("count", 3)},
        "void": {("range", 1), ("count", 2)},
    }


TWICE_COUNTED = Measurements(
    [
        row("range", 1),
        row("range", 2, "other"),
        row("range", 3, "metric@2.5"),
        row("range", 4, "other@2.5"),
        row("range", 5, "metrics"),
        row("count", 6),
        row("count", 7, "other"),
        row("count@long", 8),
        row("count@long", 9, "other"),
    ]
)


def means(reading: Reading) -> dict[tuple[str, str], float]:
    return {(found.sweep, found.metric): found.mean for found in measured_under(PAPER, TWICE_COUNTED, reading)}


def test_a_reading_can_count_another_metric_at_every_validity_and_leaves_the_rest() -> None:
    as_it_is = {
        ("range", "metric"): 1,
        ("range", "other"): 2,
        ("range", "metric@2.5"): 3,
        ("range", "other@2.5"): 4,
        ("range", "metrics"): 5,
        ("count", "metric"): 6,
        ("count", "other"): 7,
    }
    assert means(DEFAULT) == as_it_is
    swapped = {("range", "metric"): 2, ("range", "metric@2.5"): 4, ("count", "metric"): 7}
    assert means(COUNTED) == as_it_is | swapped


def test_a_reading_of_some_sweeps_counts_the_other_metric_in_these_alone() -> None:
    found = means(replace(LONG, metrics=COUNTED.metrics))
    assert (found["count", "metric"], found["range", "metric"], found["range", "metric@2.5"]) == (9, 1, 3)
    assert (means(LONG)["count", "metric"], means(LONG)["range", "metric"]) == (8, 1)


def test_what_was_not_counted_the_other_way_is_not_there_under_the_reading() -> None:
    measured = Measurements([row("range", 1), row("count", 6), row("count", 7, "other")])
    found = measured_under(PAPER, measured, COUNTED)
    assert [(each.sweep, each.mean) for each in found if each.metric == "metric"] == [("count", 7)]


def of_points(label: str, *sweeps: str, is_printed: bool = True) -> Part:
    """Return a number that comes from a point of each of these sweeps, printed from 7 runs or measured alone."""
    own = Value(1.0, 0.1, 10)
    quantity = Deviation(own, 1.0, 7) if is_printed else own
    return Part(label, quantity, within(-1, 1), frozenset((sweep, "a") for sweep in sweeps))


def test_a_reading_has_its_own_number_of_runs_behind_what_was_printed_about_its_sweeps_alone() -> None:
    parts = [
        of_points("count", "count"),
        of_points("range", "range"),
        of_points("both", "count", "range"),
        of_points("measured", "count", is_printed=False),
        Part.missing("missing"),
    ]
    claim = Claim("claim", "5", "It is so", "near", (1,), lambda _: parts, choice="a choice", after_results="late")
    (under,) = claims_under([claim], replace(LONG, runs=30))
    found = under.measure(Measurements([]))
    assert found[1:] == parts[1:]
    assert found[0] == replace(parts[0], quantity=Deviation(Value(1.0, 0.1, 10), 1.0, 30))
    assert replace(under, measure=claim.measure) == claim
    assert claims_under([claim], LONG) == [claim]
    assert claim.measure(Measurements([])) == parts


def test_a_reading_of_another_number_of_runs_makes_none() -> None:
    assert sweeps_under(PAPER, "quick", Reading("runs", "more runs", "section 6", sweeps=("count",), runs=30)) == []


def test_the_points_of_a_reading_are_known_by_the_names_that_claims_use() -> None:
    places = [("range", "a"), ("count", "b"), ("count@long", "b"), ("range@phase", "a")]
    assert places_under(PAPER, places, DEFAULT) == {("range", "a"): ("range", "a"), ("count", "b"): ("count", "b")}
    assert places_under(PAPER, places, COUNTED) == places_under(PAPER, places, DEFAULT)
    assert places_under(PAPER, places, LONG) == {("range", "a"): ("range", "a"), ("count", "b"): ("count@long", "b")}
    assert places_under(PAPER, places, PHASE) == {("range", "a"): ("range@phase", "a"), ("count", "b"): ("count", "b")}


def test_a_point_can_have_any_number_of_seeds_from_the_papers_first_one_on() -> None:
    points = PaperPoints.of(PAPER, "quick", (1, 2), PAPER.readings)
    assert len(points.templates) == 4 + 4 + 2
    assert points.validities_s == [2, 3, 5]
    assert {place_of(run) for run in points.planned} == set(points.templates)
    place = ("count@long", '{"protocol.name": "gossip"}')
    runs = points.runs({place: 3})
    assert [run.seed for run in runs] == [5, 6, 7, 5, 6, 7]  # of two scenarios: each publisher in turn
    assert {place_of(run) for run in runs} == {place}
    assert len({run.run_id for run in runs}) == 6
    planned = {run.run_id for run in points.planned if place_of(run) == place}
    assert planned == {run.run_id for run in points.runs({place: 2})}


def test_only_the_sweeps_of_the_figures_that_are_asked_for_count() -> None:
    points = PaperPoints.of(PAPER, "quick", (1,), PAPER.readings)
    assert {sweep for sweep, _ in points.templates} == {"range", "range@phase"}
    assert points.validities_s == [3]


@pytest.mark.parametrize("name", paper_names())
def test_every_paper_has_a_default_reading_and_names_that_can_stand_after_a_sweeps(name: str) -> None:
    paper = load_paper(name)
    names = [reading.name for reading in paper.readings]
    assert names[0] == "default"
    assert len(set(names)) == len(names)
    assert all(reading.differs and reading.support for reading in paper.readings)
    sweeps = sweeps_of(type(paper), "quick")
    assert not [word for word in [*names, *(sweep.name for sweep in sweeps)] if "@" in word]
    assert {word for reading in paper.readings for word in reading.sweeps} <= {sweep.name for sweep in sweeps}


@pytest.mark.parametrize("name", paper_names())
def test_the_seeds_of_every_paper_begin_at_its_first_one(name: str) -> None:
    paper = load_paper(name)
    first_seed = paper.first_seed_at("quick")
    for sweep in sweeps_of(type(paper), "quick"):
        seeds = {run.seed for run in sweep.runs}
        assert seeds == set(range(first_seed, first_seed + len(seeds)))
