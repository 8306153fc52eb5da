"""The Frugal paper's sweeps and figures, without running more than a few city runs."""

import json
from collections import Counter
from pathlib import Path

import pytest
from all_measured import sweeps_of
from frugal_rows import (
    BY_HEARTBEAT,
    BY_SHARE,
    CURVE,
    EVENTS,
    FAIR,
    FLOODINGS,
    FRACTION,
    FRUGAL,
    HEARTBEAT,
    NEIGHBOUR,
    PAPER,
    PUBLISHER,
    SPREADS,
    row,
    rows,
)

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.measuring.measurements import Measurement, Measurements
from roamcast.measuring.statistics import SHARE, Sample, pooled
from roamcast.papers import SCALES, load_paper, paper_names
from roamcast.papers.frugal.curves import mean, over_publishers, spread
from roamcast.papers.frugal.figures import PAPER_HEARTBEAT, PAPER_SPREAD, PAPER_SUBSCRIBERS, PAPER_VALIDITY
from roamcast.papers.frugal.scenario import CITY
from roamcast.sim.simulation import simulate

FIRST_SEED = {"quick": 9001, "full": 8001}
"""Seeds 1 to 30, 1001 to 1030, 2001 to 2270, 3001 to 3270, 4001 to 4270, 5001 to 5060, 6001 to 6270 and 7001 to 7060
were looked at before."""
SEEDS = {
    "quick": {"speed": 7, "frugality": 5, "one-event": 60, "large-event": 30},
    "full": dict.fromkeys(("speed", "frugality"), 30),
}


@pytest.mark.parametrize("scale", SCALES)
def test_every_figure_has_its_sweep_at_both_scales(scale: str) -> None:
    covered = {number for sweep in sweeps_of(type(PAPER), scale) for number in sweep.figures}
    assert covered == set(PAPER.figure_numbers) == set(range(11, 21))
    assert {number for claim in PAPER.claims() for number in claim.figures} == covered


@pytest.mark.parametrize("scale", SCALES)
def test_seeds_begin_where_no_earlier_campaign_or_audit_used_them_and_leave_none_out(scale: str) -> None:
    first_seed = PAPER.first_seed_at(scale)
    assert first_seed == FIRST_SEED[scale]
    counts = {}
    for sweep in sweeps_of(type(PAPER), scale):
        seeds = {run.seed for run in sweep.runs}
        assert seeds == set(range(first_seed, first_seed + len(seeds)))
        counts[sweep.name] = len(seeds)
    assert SEEDS[scale].items() <= counts.items()
    assert min(counts.values()) >= 5


def test_full_scale_is_the_papers_grid_with_thirty_seeds() -> None:
    sweeps = {sweep.name: sweep.runs for sweep in sweeps_of(type(PAPER), "full")}
    for runs in sweeps.values():
        assert {run.seed for run in runs} == set(range(FIRST_SEED["full"], FIRST_SEED["full"] + 30))
    speeds = {tuple(json.loads(run.point)["mobility.speed_mps"]) for run in sweeps["speed"]}
    assert speeds == {(speed, speed) for speed in (0, 1, 5, 10, 20, 30, 40)}
    costs = [json.loads(run.point) for run in sweeps["frugality"]]
    assert {point[FRACTION] for point in costs} == {0.2, 0.4, 0.6, 0.8, 1.0}
    assert {1, 20} <= {point[EVENTS] for point in costs} <= set(range(1, 21))
    assert {point[CURVE] for point in costs} == {FRUGAL, *FLOODINGS, FAIR}


@pytest.mark.parametrize("scale", SCALES)
def test_the_third_flooding_sends_a_copy_for_each_neighbour_and_the_fair_one_beside_it_does_not(scale: str) -> None:
    copies: dict[str, set[bool]] = {}
    for sweep in sweeps_of(type(PAPER), scale):
        for run in sweep.runs:
            protocol = json.loads(run.scenario_json)["protocol"]
            if protocol["name"] == "neighbour-flooding":
                copies.setdefault(json.loads(run.point)[CURVE], set()).add(protocol["per_neighbour"])
    assert copies == {NEIGHBOUR: {True}, FAIR: {False}}


@pytest.mark.parametrize("scale", SCALES)
def test_the_large_event_is_one_of_1600_bytes_and_all_others_have_400(scale: str) -> None:
    sizes = {
        sweep.name: {
            json.loads(text)["workload"]["event_size_bytes"] for text in {run.scenario_json for run in sweep.runs}
        }
        for sweep in sweeps_of(type(PAPER), scale)
    }
    assert sizes.pop("large-event") == {1600}
    assert set(map(frozenset, sizes.values())) == {frozenset({400})}


def test_every_car_publishes_in_turn_and_counts_towards_one_point() -> None:
    (runs,) = (sweep.runs for sweep in sweeps_of(type(PAPER), "quick") if sweep.name == "heartbeat")
    here = [run for run in runs if run.seed == FIRST_SEED["quick"] and json.loads(run.point) == {HEARTBEAT: 1}]
    publishers = [json.loads(run.scenario_json)["workload"]["publisher"] for run in here]
    assert publishers == list(range(15))


@pytest.mark.parametrize(("scale", "draws"), [("quick", 10), ("full", 30)])
def test_each_publisher_has_a_point_of_its_own_with_many_draws_of_subscribers_on_each_movement(
    scale: str, draws: int
) -> None:
    (runs,) = (sweep.runs for sweep in sweeps_of(type(PAPER), scale) if sweep.name == "subscribers")
    counted: Counter[tuple[float, int]] = Counter()
    for run in runs:
        point, workload = json.loads(run.point), json.loads(run.scenario_json)["workload"]
        assert point == {FRACTION: workload["subscriber_fraction"], PUBLISHER: workload["publisher"]}
        if run.seed == FIRST_SEED[scale]:
            counted[point[FRACTION], point[PUBLISHER]] += 1
    shares = {share for share, _ in counted}
    assert set(counted) == {(share, publisher) for share in shares for publisher in range(15)}
    assert {counted[share, 0] for share in shares - {1.0}} == {draws}
    assert {counted[1.0, publisher] for publisher in range(15)} == {1}  # there is nothing to draw
    assert len({run.run_id for run in runs}) == len(runs)


def test_runs_that_two_figures_share_are_made_once() -> None:
    sweeps = {sweep.name: {run.run_id for run in sweep.runs} for sweep in sweeps_of(type(PAPER), "full")}
    assert len(sweeps["heartbeat"] & sweeps["subscribers"]) == 15 * 30
    assert len(sweeps["frugality"] & sweeps["one-event"]) == 5 * 30


# --- publishers ----------------------------------------------------------------------------------------------------


def publisher_row(publisher: int, share: float, values: dict[int, float]) -> Measurement:
    """Return a publisher's reliability on some movements."""
    samples = tuple(Sample(seed, value) for seed, value in values.items())
    point = {FRACTION: share, PUBLISHER: publisher}
    return Measurement("subscribers", point, "reliability", 0.5, None, None, len(samples), samples)


def test_the_spread_is_between_the_best_and_the_worst_publisher_of_each_movement() -> None:
    measured = Measurements(
        [
            publisher_row(0, 0.2, {2001: 0.9, 2002: 0.5, 2003: 0.6}),
            publisher_row(1, 0.2, {2001: 0.3, 2002: 0.6, 2003: 0.5}),
            publisher_row(2, 0.2, {2001: 0.6, 2002: 0.1, 2003: 0.4}),
            publisher_row(0, 0.4, {2001: 0.0, 2002: 0.0, 2003: 0.0}),
        ]
    )
    found = over_publishers(measured, 0.2, spread)
    assert found is not None
    by_seed = {each.seed: each.amount for each in found.samples}
    assert by_seed == pytest.approx({2001: 0.6, 2002: 0.5, 2003: 0.2})
    expected = pooled([Sample(1, 0.6), Sample(2, 0.5), Sample(3, 0.2)], SHARE)
    assert expected is not None
    assert (found.mean, found.low, found.high, found.seeds) == pytest.approx((1.3 / 3, expected.low, expected.high, 3))
    assert found.places == tuple(("subscribers", place) for place in _point_names(measured, 0.2))
    average = over_publishers(measured, 0.2, mean)
    assert average is not None
    assert [each.amount for each in average.samples] == pytest.approx([0.6, 0.4, 0.5])


def _point_names(measured: Measurements, share: float) -> list[str]:
    return [each.place[1] for each in measured if each.point[FRACTION] == share]


def test_a_movement_that_some_publisher_lacks_is_left_out_and_none_at_all_gives_nothing() -> None:
    measured = Measurements([publisher_row(0, 0.2, {2001: 0.9, 2002: 0.5}), publisher_row(1, 0.2, {2002: 0.6})])
    found = over_publishers(measured, 0.2, spread)
    assert found is not None
    assert [(each.seed, round(each.amount, 6)) for each in found.samples] == [(2002, 0.1)]
    assert over_publishers(measured, 0.6, spread) is None
    apart = Measurements([publisher_row(0, 0.2, {2001: 0.9}), publisher_row(1, 0.2, {2002: 0.6})])
    assert over_publishers(apart, 0.2, mean) is None


# --- figures -------------------------------------------------------------------------------------------------------


def test_the_tables_that_the_paper_prints_are_written_down_as_they_stand_there() -> None:
    assert (PAPER_HEARTBEAT, PAPER_SUBSCRIBERS, PAPER_SPREAD) == (BY_HEARTBEAT, BY_SHARE, SPREADS)
    assert PAPER_VALIDITY == {25: 0.11, 50: 0.27, 75: 0.44, 100: 0.52, 125: 0.69, 150: 0.77}


def test_the_figures_are_drawn_from_what_was_measured() -> None:
    figures = {figure.name: figure for figure in PAPER.figures(Measurements(rows(noise=0.0)))}
    assert set(figures) == {f"figure-{number}" for number in range(11, 21)}
    for number, table in ((13, BY_HEARTBEAT), (14, BY_SHARE), (15, SPREADS), (16, PAPER_VALIDITY)):
        measured, printed = figures[f"figure-{number}"].panels[0].series
        unit = 100 if number in (14, 15) else 1
        ours = {round(point.x / unit, 6): point.y for point in measured.points}
        assert ours == pytest.approx({x: value for x, value in table.items() if x in ours})
        assert len(ours) >= 3
        assert printed.from_paper
        assert {round(point.x / unit, 6): point.y for point in printed.points} == table
    assert figures["figure-20"].panels[0].log_y
    assert [panel.title for panel in figures["figure-20"].panels] == ["20% subscribe", "60% subscribe"]
    assert [panel.title for panel in figures["figure-19"].panels][-1] == "100% subscribe"
    assert PAPER.figures(Measurements([])) == []


def test_bandwidth_is_drawn_in_kilobytes_with_its_interval() -> None:
    point = {CURVE: FRUGAL, "protocol.name": "frugal", FRACTION: 0.2, EVENTS: 1}
    metrics = ("payload_bytes_sent_per_node", "events_sent_per_node", "duplicates_per_node", "parasites_per_node")
    figures = PAPER.figures(Measurements(row("frugality", point, metric, 4000.0, 0.1) for metric in metrics))
    points = [figure.panels[0].series[0].points[0] for figure in figures]
    assert [(point.x, point.y, point.low, point.high) for point in points] == [
        pytest.approx((1, 4.0, 3.6, 4.4)),
        *[pytest.approx((1, 4000, 3600, 4400))] * 3,
    ]


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


# --- runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("publisher", [0, 7])
def test_one_city_run_gives_the_curve_over_validities_exactly(publisher: int) -> None:
    """Figure 16 reads 25 to 150 s off runs of 150 s: what a run with a validity of 50 s delivers is the same."""
    city = Scenario.from_document(CITY).with_values({"workload.publisher": publisher})
    whole = simulate(city.setup(), 2)
    short = simulate(city.with_values({"workload.validity_s": 50}).setup(), 2)
    delivered = [(each.node, each.latency_s) for each in short.deliveries]
    assert [(each.node, each.latency_s) for each in whole.deliveries if each.latency_s < 50] == delivered
    assert 1 < len(delivered) < len(whole.deliveries)


def test_another_draw_changes_nothing_in_a_run_in_which_all_cars_subscribe() -> None:
    """With the same movement, publisher and subscribers, all that happens is the same."""
    city = Scenario.from_document(CITY).with_values({"workload.publisher": 3})
    digests = {simulate(city.with_values({"workload.draw": draw}).setup(), 2).digest() for draw in (0, 5)}
    assert len(digests) == 1
    few = city.with_values({FRACTION: 0.4})
    digests = {simulate(few.with_values({"workload.draw": draw}).setup(), 2).digest() for draw in (0, 5)}
    assert len(digests) == 2
