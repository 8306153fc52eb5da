"""Metrics are computed where a run is made and stored with it, and again from its facts if their table has changed."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from fake_runs import failing_metrics, fake_simulate, logging_metrics, made_up_facts, planned
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual
from small_frames import small_frame

from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_files import (
    FACTS_FILE_SCHEMA,
    OK,
    TABLE_SCHEMAS,
    RunOutcome,
    facts_of,
    flat_tables,
    run_row,
)
from roamcast.campaigns.whole_files import write_parquet
from roamcast.core.errors import UserError
from roamcast.measuring.metrics import MetricsFunction, evaluate, known_metrics, run_metrics
from roamcast.sim.facts import DeliveryFact, Facts, PublicationFact
from roamcast.spark.runs.campaign import CampaignResult, run_campaign
from roamcast.spark.runs.campaign_tables import CampaignTables, read_tables
from roamcast.spark.runs.validity_curves import delivery_by_validity

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
    first_matches=(),
)
NOBODY_REACHED = replace(
    made_up_facts("nobody", 0),
    # The publisher's own, and one at the very end of the event's validity, which is too late.
    deliveries=(DeliveryFact(0, 0, 0.0, counted=False), DeliveryFact(0, 1, 10.0, counted=True)),
)


def test_a_run_that_delivered_nothing_has_a_ratio_of_zero_and_no_latency() -> None:
    found = run_metrics(NOBODY_REACHED)
    assert found["delivery_ratio"] == 0
    assert found["reliability"] == pytest.approx(1 / 10)  # the publisher of one of three events, and 9 were to receive
    assert found["latency_mean_s"] is None
    assert found["latency_p95_s"] is None
    assert found["frames_per_delivery"] is None


def test_a_run_in_which_nothing_happened_divides_by_nothing() -> None:
    found = run_metrics(replace(NOTHING, node_facts=tuple(each._replace(frames_lost=0) for each in NOTHING.node_facts)))
    assert (found["delivery_ratio"], found["reliability"], found["frames_lost_ratio"]) == (None, None, None)
    assert found["frames_sent_per_node"] == 0


def test_facts_come_back_from_a_runs_row_and_give_the_same_metrics() -> None:
    for facts in (made_up_facts("back", 3), NOTHING):
        row = run_row("a", 0, "{}", RunOutcome(OK, facts=facts))
        assert facts_of(row) == replace(facts, trace_digest=0)
        assert run_metrics(facts_of(row)) == run_metrics(facts)


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    """Return the file that lists the runs that were simulated."""
    (tmp_path / "simulated").touch()
    return tmp_path / "simulated"


@pytest.fixture
def plan(simulated: Path) -> list[PlannedRun]:
    return [planned("a", seed, log=str(simulated)) for seed in range(3)]


def campaign(plan: list[PlannedRun], folder: Path, metrics: MetricsFunction = known_metrics) -> CampaignResult:
    return run_campaign(plan, folder, MASTER, simulate=fake_simulate, metrics=metrics)


def stored(folder: Path) -> Mapping[str, list[tuple[object, ...]]]:
    """Return the rows of the metrics table by run."""
    rows: dict[str, list[tuple[object, ...]]] = {}
    for row in pq.read_table(folder / "tables" / "metrics").to_pylist():
        rows.setdefault(row.pop("run_id"), []).append(tuple(row.values()))
    return rows


def expected(plan: list[PlannedRun], metrics: MetricsFunction = known_metrics) -> Mapping[str, list[tuple[Any, ...]]]:
    """Return what plain Python says of the same runs."""
    return {run.run_id: [*evaluate(made_up_facts("a", run.seed), metrics().values())] for run in plan}


def lines(log: Path) -> Counter[str]:
    return Counter(log.read_text(encoding="utf-8").splitlines()) if log.exists() else Counter()


def logged(plan: list[PlannedRun], name: str) -> Counter[str]:
    return Counter(f"{name} {made_up_facts('a', run.seed).frames}" for run in plan)


pytestmark = pytest.mark.usefixtures("spark")


def test_every_metric_of_every_run_is_what_plain_python_says(plan: list[PlannedRun], tmp_path: Path) -> None:
    plan.append(planned("bad", 7, raises_while=str(tmp_path)))
    result = campaign(plan, tmp_path / "out")
    assert len(result.failed) == 1
    assert stored(tmp_path / "out") == expected(plan[:3])  # and a failed run has none


def test_metrics_are_computed_once_where_the_run_is_made(plan: list[PlannedRun], tmp_path: Path) -> None:
    log = tmp_path / "evaluated"
    table = logging_metrics(str(log))
    campaign(plan, tmp_path / "out", table)
    assert lines(log) == logged(plan, "first")
    campaign(plan, tmp_path / "out", table)  # the same table: nothing is computed again
    campaign(plan[:2], tmp_path / "out", table)  # nor for the tables of another plan
    assert lines(log) == logged(plan, "first")


def test_a_metric_that_is_new_is_computed_from_stored_facts_without_a_simulation(
    plan: list[PlannedRun], simulated: Path, tmp_path: Path
) -> None:
    campaign(plan, tmp_path / "out")
    made = lines(simulated)
    facts_table = (tmp_path / "out" / "tables" / "deliveries").stat()
    log = tmp_path / "evaluated"
    table = logging_metrics(str(log))
    result = campaign(plan, tmp_path / "out", table)
    assert (result.kept, result.simulated) == (3, 0)
    assert lines(simulated) == made
    assert lines(log) == logged(plan, "first")
    assert stored(tmp_path / "out") == expected(plan, table)
    assert (tmp_path / "out" / "tables" / "deliveries").stat().st_ino == facts_table.st_ino
    assert not list((tmp_path / "out").rglob(".*.tmp"))


def test_a_metric_whose_function_has_changed_is_computed_again_without_a_simulation(
    plan: list[PlannedRun], simulated: Path, tmp_path: Path
) -> None:
    log = tmp_path / "evaluated"
    campaign(plan, tmp_path / "out", logging_metrics(str(log)))
    made = lines(simulated)
    changed = logging_metrics(str(log), factor=2.0)
    campaign(plan, tmp_path / "out", changed)
    campaign(plan, tmp_path / "out", changed)
    assert lines(simulated) == made
    assert lines(log) == logged(plan, "first") + logged(plan, "other")
    values = {run: {row[0]: row[1] for row in rows}["frames_logged"] for run, rows in stored(tmp_path / "out").items()}
    assert values == {run.run_id: 2.0 * made_up_facts("a", run.seed).frames for run in plan}


def test_files_from_before_metrics_were_stored_are_as_good_as_new_ones(
    plan: list[PlannedRun], simulated: Path, tmp_path: Path
) -> None:
    campaign(plan, tmp_path / "out")
    made = lines(simulated)
    for run in plan:
        file = tmp_path / "out" / "runs" / f"{run.run_id}.parquet"
        row = pq.ParquetFile(file).read().select(FACTS_FILE_SCHEMA.names)
        assert row.schema.equals(FACTS_FILE_SCHEMA)
        write_parquet(row, file)
    campaign(plan[:2], tmp_path / "out")
    assert stored(tmp_path / "out") == expected(plan[:2])
    assert lines(simulated) == made


def test_a_metric_that_raises_costs_no_run_and_is_one_line(
    plan: list[PlannedRun], simulated: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"^metric hopeless: ZeroDivisionError: .* \(fake_runs\.py:\d+\)$"):
        campaign(plan, tmp_path / "out", failing_metrics)
    made = lines(simulated)
    assert campaign(plan, tmp_path / "out").kept == 3
    assert stored(tmp_path / "out") == expected(plan)
    assert lines(simulated) == made


def written(spark: SparkSession, folder: Path, facts: Facts) -> CampaignTables:
    rows = flat_tables([run_row("a", 0, "{}", RunOutcome(OK, facts=facts))])
    for name, table in {"plan": TABLE_SCHEMAS["plan"].empty_table(), **rows}.items():
        (folder / name).mkdir()
        write_parquet(table, folder / name / "part-00000.parquet")
    return read_tables(spark, folder)


def test_a_shorter_validity_counts_only_what_came_before_its_end(spark: SparkSession, tmp_path: Path) -> None:
    deliveries = (
        DeliveryFact(0, 0, 0.0, counted=False),  # the publisher's own
        DeliveryFact(0, 1, 5.0, counted=True),
        DeliveryFact(0, 2, 12.0, counted=True),
        DeliveryFact(0, 4, 1.0, counted=False),  # asked after the publication
    )
    publications = (PublicationFact(0, "a", 0, 0.0, 20.0, 100, 4),)
    tables = written(spark, tmp_path, replace(NOTHING, publications=publications, deliveries=deliveries))
    curve = {
        "5": (0 / 4, 1 / 5),  # a delivery at the very end of the validity is too late
        "5.5": (1 / 4, 2 / 5),
        "20": (2 / 4, 3 / 5),
        "21": (None, None),  # longer than the event was valid: nobody knows
    }
    rows = [
        ("a", f"{name}@{validity_s}", value)
        for validity_s, values in curve.items()
        for name, value in zip(("delivery_ratio", "reliability"), values, strict=True)
    ]
    assertDataFrameEqual(
        delivery_by_validity(tables, [5, 5.5, 20, 21], known_metrics),
        small_frame(spark, rows, "run_id string, metric string, value double"),
    )


def test_events_that_nobody_received_have_a_curve_and_no_events_have_none(spark: SparkSession, tmp_path: Path) -> None:
    for name, publications in (("some", made_up_facts("a", 1).publications), ("none", ())):
        (tmp_path / name).mkdir()
        tables = written(spark, tmp_path / name, replace(NOTHING, publications=publications))
        found = delivery_by_validity(tables, [10.0], known_metrics).collect()
        assert [row.value for row in found] == ([0.0, 0.0] if publications else [])
