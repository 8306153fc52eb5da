"""Spark's figures equal plain Python's, computed from the same small facts."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_runs import made_up_facts
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual
from roamcast.spark.runs.metrics import as_values, delivery_by_validity, run_metrics

from roamcast.campaigns.campaign_folder import write_parquet
from roamcast.campaigns.run_files import FAILED, OK, TABLE_SCHEMAS, RunOutcome, flat_tables, run_row
from roamcast.measuring import run_metrics as single_run
from roamcast.sim.facts import DeliveryFact, Facts, PublicationFact
from roamcast.spark.runs.campaign_tables import CampaignTables, read_tables

NOTHING = replace(
    made_up_facts("nothing", 0),
    publications=(),
    deliveries=(),
    traffic=(),
    receptions=(),
    drops=(),
    frame_receptions=0,
    subscriptions=(),
    brokers=(),
    false_positives=(),
)
NOBODY_REACHED = replace(
    made_up_facts("nobody", 0),
    # The publisher's own, and one at the very end of the event's validity, which is too late.
    deliveries=(DeliveryFact(0, 0, 0.0, counted=False), DeliveryFact(0, 1, 10.0, counted=True)),
)
RUNS = {
    **{f"run-{seed}": made_up_facts("metrics", seed) for seed in range(6)},
    "nothing": replace(NOTHING, node_facts=tuple(each._replace(frames_lost=0) for each in NOTHING.node_facts)),
    "nobody": NOBODY_REACHED,
}


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> CampaignTables:
    rows = [run_row(run_id, 0, "{}", RunOutcome(OK, facts=facts)) for run_id, facts in RUNS.items()]
    rows.append(run_row("failed", 0, "{}", RunOutcome(FAILED, "ValueError: no")))
    return written(spark, tmp_path_factory.mktemp("tables"), rows)


def written(spark: SparkSession, folder: Path, rows: list[Any]) -> CampaignTables:
    for name, table in {"plan": TABLE_SCHEMAS["plan"].empty_table(), **flat_tables(rows)}.items():
        (folder / name).mkdir()
        write_parquet(table, folder / name / "part-00000.parquet")
    return read_tables(spark, folder)


def test_every_metric_of_every_run_is_what_plain_python_says(spark: SparkSession, tables: CampaignTables) -> None:
    expected = [
        (run_id, metric, None if value is None else float(value))
        for run_id, facts in RUNS.items()
        for metric, value in single_run.run_metrics(facts).items()
    ]
    assertDataFrameEqual(
        run_metrics(tables), spark.createDataFrame(expected, "run_id string, metric string, value double"), rtol=1e-12
    )


def test_a_run_that_delivered_nothing_has_a_ratio_of_zero_and_no_latency(tables: CampaignTables) -> None:
    found = metrics_of("nobody", tables)
    assert found["delivery_ratio"] == 0
    assert found["reliability"] == pytest.approx(1 / 10)  # the publisher of one of three events, and 9 were to receive
    assert found["latency_mean_s"] is None
    assert found["latency_p95_s"] is None
    assert found["frames_per_delivery"] is None


def test_a_run_in_which_nothing_happened_divides_by_nothing(tables: CampaignTables) -> None:
    found = metrics_of("nothing", tables)
    assert (found["delivery_ratio"], found["reliability"], found["frames_lost_ratio"]) == (None, None, None)
    assert found["frames_sent_per_node"] == 0


def test_a_failed_run_has_no_metrics(tables: CampaignTables) -> None:
    assert metrics_of("failed", tables) == {}


def metrics_of(run_id: str, tables: CampaignTables) -> Mapping[str, float | None]:
    frame = run_metrics(tables)
    return {row.metric: row.value for row in frame.where(frame.run_id == run_id).collect()}


def one_event(*deliveries: DeliveryFact) -> Facts:
    return replace(NOTHING, publications=(PublicationFact(0, "a", 0, 0.0, 20.0, 100, 4),), deliveries=deliveries)


def test_a_shorter_validity_counts_only_what_came_before_its_end(spark: SparkSession, tmp_path: Path) -> None:
    facts = one_event(
        DeliveryFact(0, 0, 0.0, counted=False),  # the publisher's own
        DeliveryFact(0, 1, 5.0, counted=True),
        DeliveryFact(0, 2, 12.0, counted=True),
        DeliveryFact(0, 4, 1.0, counted=False),  # asked after the publication
    )
    tables = written(spark, tmp_path, [run_row("a", 0, "{}", RunOutcome(OK, facts=facts))])
    expected = [
        ("a", 5.0, 0 / 4, 1 / 5),  # a delivery at the very end of the validity is too late
        ("a", 5.5, 1 / 4, 2 / 5),
        ("a", 20.0, 2 / 4, 3 / 5),
        ("a", 21.0, None, None),  # longer than the event was valid: nobody knows
    ]
    assertDataFrameEqual(
        delivery_by_validity(tables, [5, 5.5, 20, 21]),
        spark.createDataFrame(expected, "run_id string, validity_s double, delivery_ratio double, reliability double"),
    )


def test_at_its_own_validity_the_curve_meets_the_metric(spark: SparkSession, tmp_path: Path) -> None:
    runs = {
        run_id: replace(facts, publications=tuple(each._replace(validity_s=10.0) for each in facts.publications))
        for run_id, facts in RUNS.items()
    }
    rows = [run_row(run_id, 0, "{}", RunOutcome(OK, facts=facts)) for run_id, facts in runs.items()]
    curve = delivery_by_validity(written(spark, tmp_path, rows), [10.0]).collect()
    assert {row.run_id: (row.delivery_ratio, row.reliability) for row in curve} == {
        run_id: (pytest.approx(plain["delivery_ratio"]), pytest.approx(plain["reliability"]))
        for run_id, facts in runs.items()
        for plain in [single_run.run_metrics(facts)]
    }


def test_a_curve_becomes_values_with_their_validity(tables: CampaignTables) -> None:
    values = as_values(delivery_by_validity(tables, [5.0, 8.0]))
    assert values.columns == ["run_id", "validity_s", "metric", "value"]
    assert values.count() == len(RUNS) * 2 * 2
