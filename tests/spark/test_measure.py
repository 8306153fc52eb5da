"""From a campaign's tables to measurements: what plain Python makes of the same facts."""

from collections.abc import Callable, Sequence
from statistics import fmean

import pytest
from conftest import MASTER
from fake_runs import made_up_facts, metrics_and_a_plugin, planned
from pyspark.sql import SparkSession

from roamcast.campaigns.run_files import OK, RunOutcome, flat_tables, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.measuring.measurements import Kind, Measurement, Measurements
from roamcast.measuring.metrics import RunMetrics, bounds_of, evaluate, run_metrics
from roamcast.measuring.statistics import NON_NEGATIVE, SHARE, Bounds, Sample, pooled, ratio
from roamcast.spark.runs.compaction import plan_table
from roamcast.spark.runs.measure import Comparison, measure

SEEDS, CARS, PROTOCOLS = range(4), range(3), ("frugal", "flooding")
"""Every point stands for three runs of each seed, as where each car publishes in turn."""


@pytest.fixture(scope="module")
def measured(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Measurements:
    folder = tmp_path_factory.mktemp("tables")
    runs = {(name, seed, car): planned(name, seed, car=car) for name in PROTOCOLS for seed in SEEDS for car in CARS}
    rows = []
    for (name, seed, car), run in runs.items():
        facts = made_up_facts(f"{name}{car}", seed)
        metrics = RunMetrics("", evaluate(facts, metrics_and_a_plugin().values()))
        rows.append(run_row(run.run_id, run.seed, "{}", RunOutcome(OK, facts=facts, metrics=metrics)))
    for table, content in {"plan": plan_table(list(runs.values())), **flat_tables(rows)}.items():
        (folder / table).mkdir()
        write_parquet(content, folder / table / "part-00000.parquet")
    assert spark.range(1).count() == 1
    return measure(
        folder, MASTER, validities_s=(10,), comparison=Comparison("name", "frugal"), metrics=metrics_and_a_plugin
    )


def per_seed(protocol: str, metric: str, joined: Callable[[list[float]], float]) -> list[float]:
    """Return a metric's one value for each seed."""
    found = []
    for seed in SEEDS:
        values = [run_metrics(made_up_facts(f"{protocol}{car}", seed))[metric] for car in CARS]
        found.append(joined([value for value in values if value is not None]))
    return found


def assert_estimate(found: Measurement, samples: Sequence[tuple[float, ...]], bounds: Bounds) -> None:
    """Check a measurement against what the statistics make of the samples."""
    expected = pooled([Sample(int(seed), *rest) for seed, *rest in samples], bounds)
    assert expected is not None
    assert found.mean == pytest.approx(expected.mean)
    assert (found.low, found.high, found.seeds) == pytest.approx((expected.low, expected.high, len(SEEDS)))


def only(measured: Measurements, metric: str, protocol: str, kind: Kind = Kind.VALUE) -> Measurement:
    found = measured.find("sweep", metric, {"name": protocol}, kind)
    assert found is not None
    return found


@pytest.mark.parametrize("metric", ["delivery_ratio", "duplicates_per_node", "latency_p95_s"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_runs_of_a_seed_are_one_sample(measured: Measurements, metric: str, protocol: str) -> None:
    samples = per_seed(protocol, metric, fmean)
    found = only(measured, metric, protocol)
    assert_estimate(found, list(enumerate(samples)), bounds_of(metric))


def test_a_value_has_what_each_seed_adds_to_it(measured: Measurements) -> None:
    """Claims judge a value over some of the seeds, or several values seed by seed."""
    samples = only(measured, "reliability", "frugal").samples
    assert [sample.seed for sample in samples] == list(SEEDS)
    assert [sample.amount for sample in samples] == pytest.approx(per_seed("frugal", "reliability", fmean))
    assert {sample.base for sample in samples} == {1.0}
    assert {row.kind for row in measured} == {Kind.VALUE, Kind.RATIO}


def test_the_ratio_is_to_the_reference_at_the_same_seeds(measured: Measurements) -> None:
    ours, reference = (per_seed(protocol, "bytes_sent_per_node", fmean) for protocol in ("flooding", "frugal"))
    found = only(measured, "bytes_sent_per_node", "flooding", Kind.RATIO)
    expected = ratio(*([Sample(*pair) for pair in enumerate(values)] for values in (ours, reference)))
    assert expected is not None
    assert found.mean == pytest.approx(fmean(ours) / fmean(reference))
    assert (found.low, found.high, found.seeds) == pytest.approx((expected.low, expected.high, len(SEEDS)))
    assert measured.find("sweep", "bytes_sent_per_node", {"name": "frugal"}, Kind.RATIO) is None


def test_a_metric_whose_name_ends_like_anothers_ratio_stays_what_it_is(measured: Measurements) -> None:
    lost = per_seed("flooding", "frames_lost_ratio", fmean)
    assert only(measured, "frames_lost_ratio", "flooding").mean == pytest.approx(fmean(lost))
    assert_estimate(only(measured, "frames_lost_ratio", "flooding"), list(enumerate(lost)), SHARE)
    ours, reference = (only(measured, "frames_lost", each).mean for each in ("flooding", "frugal"))
    assert only(measured, "frames_lost", "flooding", Kind.RATIO).mean == pytest.approx(ours / reference)


def test_a_shorter_validity_is_a_metric_of_its_own(measured: Measurements) -> None:
    in_time = []
    for seed in SEEDS:
        facts = [made_up_facts(f"frugal{car}", seed) for car in CARS]
        counted = [sum(each.counted and each.latency_s < 10 for each in run.deliveries) for run in facts]
        asked = [sum(each.interested for each in run.publications) for run in facts]
        in_time.append(fmean(above / below for above, below in zip(counted, asked, strict=True)))
    assert only(measured, "delivery_ratio@10", "frugal").mean == pytest.approx(fmean(in_time))


def totals(protocol: str) -> list[Sample]:
    """Return the frames sent and the deliveries of each seed, all cars together."""
    found = []
    for seed in SEEDS:
        runs = [made_up_facts(f"{protocol}{car}", seed) for car in CARS]
        frames = sum(each.frames_sent for run in runs for each in run.traffic)
        validity_s = {each.event: each.validity_s for each in runs[0].publications}
        delivered = sum(each.counted and each.latency_s < validity_s[each.event] for r in runs for each in r.deliveries)
        found.append(Sample(seed, frames, delivered))
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_frames_for_each_delivery_are_all_frames_over_all_deliveries(measured: Measurements, protocol: str) -> None:
    samples = totals(protocol)
    found = only(measured, "frames_per_delivery", protocol)
    assert found.mean == pytest.approx(sum(each.amount for each in samples) / sum(each.base for each in samples))
    assert_estimate(found, samples, NON_NEGATIVE)
    assert list(found.samples) == samples


def test_wasted_bytes_for_each_match_are_those_of_all_runs_over_all_matches(measured: Measurements) -> None:
    expected = []
    for seed, before in zip(SEEDS, totals("flooding"), strict=True):
        runs = [made_up_facts(f"flooding{car}", seed) for car in CARS]
        unwanted = [each for run in runs for each in run.false_positives if each.reason == "false-positive"]
        wasted_bytes = sum(each.size_bytes for each in unwanted)
        later = sum(each.waiting_delivered for run in runs for each in run.subscriptions)
        expected.append(Sample(seed, wasted_bytes, before.base + later))
        assert later > 0
    assert list(only(measured, "wasted_bytes_per_match", "flooding").samples) == expected
    assert all(each.amount and each.base for each in expected)


def test_the_ratio_of_pooled_values_is_that_of_what_is_shown(measured: Measurements) -> None:
    found = only(measured, "frames_per_delivery", "flooding", Kind.RATIO)
    ours, reference = (only(measured, "frames_per_delivery", each) for each in ("flooding", "frugal"))
    expected = ratio(totals("flooding"), totals("frugal"))
    assert expected is not None
    assert found.mean == pytest.approx(ours.mean / reference.mean)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert measured.find("sweep", "frames_per_delivery", {"name": "frugal"}, Kind.RATIO) is None


@pytest.mark.parametrize("metric", ["delivery_ratio", "latency_p95_s"])
def test_the_values_of_the_seeds_are_kept_for_comparisons(measured: Measurements, metric: str) -> None:
    found = only(measured, metric, "flooding")
    assert [each.seed for each in found.samples] == list(SEEDS)
    assert [each.amount for each in found.samples] == pytest.approx(per_seed("flooding", metric, fmean))
