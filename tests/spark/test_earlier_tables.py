"""Tables that are made from earlier ones and the files of new runs are those that all files would give."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from fake_runs import fake_simulate, logging_metrics, planned
from pyspark.sql import SparkSession

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_files import BY_VALIDITY, TABLE_SCHEMAS
from roamcast.campaigns.whole_files import write_parquet
from roamcast.measuring.measurements import Measurements
from roamcast.measuring.metrics import known_metrics
from roamcast.spark.runs import compaction, measure
from roamcast.spark.runs.campaign import run_campaign
from roamcast.spark.runs.measure import Comparison

VALIDITIES_S = (5.0, 10.0, 99.0)
TIMINGS = "timings"
"""The one table that differs when a run is made twice."""


@pytest.fixture
def plan(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> list[PlannedRun]:
    """Return runs of which each point has several with one seed; four of them fill a part."""
    assert spark.range(1).count() == 1
    monkeypatch.setattr(compaction, "RUNS_PER_PART", 4)
    return [planned(name, seed, car=car) for name in ("a", "b") for seed in range(3) for car in range(2)]


def made(plan: list[PlannedRun], folder: Path) -> Path:
    return run_campaign(plan, folder, MASTER, simulate=fake_simulate, validities_s=VALIDITIES_S).tables


def rows(tables: Path) -> dict[str, pa.Table]:
    return {name: pq.read_table(tables / name) for name in (*TABLE_SCHEMAS, BY_VALIDITY) if name != TIMINGS}


def spoil(folder: Path, run: PlannedRun) -> None:
    """Put a whole file in the place of a run's that nobody can take for one."""
    write_parquet(pa.table({"other": [1]}), CampaignFolder(folder).run_file(run.run_id))


def test_a_larger_plan_reads_the_files_of_new_runs_only_and_gives_the_same_tables(
    plan: list[PlannedRun], tmp_path: Path
) -> None:
    made(plan[:7], tmp_path / "grown")
    for run in plan[:7]:
        spoil(tmp_path / "grown", run)
    grown, fresh = made(plan, tmp_path / "grown"), made(plan, tmp_path / "fresh")
    assert rows(grown) == rows(fresh)
    parts = [sorted(file.name for file in (tables / "traffic").iterdir()) for tables in (grown, fresh)]
    assert parts[0] == parts[1] == [f"part-{part:05}.parquet" for part in range(3)]


def test_a_smaller_plan_leaves_the_other_runs_out(plan: list[PlannedRun], tmp_path: Path) -> None:
    made(plan, tmp_path / "shrunk")
    assert rows(made(plan[3:8], tmp_path / "shrunk")) == rows(made(plan[3:8], tmp_path / "fresh"))


@pytest.mark.parametrize("table", ["runs", "traffic", BY_VALIDITY])
def test_an_earlier_table_that_is_damaged_is_made_from_the_files_of_the_runs(
    plan: list[PlannedRun], tmp_path: Path, table: str
) -> None:
    tables = made(plan[:7], tmp_path / "damaged")
    (tables / table / "part-00001.parquet").write_bytes(b"PAR1")
    assert rows(made(plan, tmp_path / "damaged")) == rows(made(plan, tmp_path / "fresh"))


def test_a_run_that_failed_before_is_not_taken_from_the_tables(plan: list[PlannedRun], tmp_path: Path) -> None:
    fails = tmp_path / "fails"
    fails.touch()
    failing = planned("a", 9, raises_while=str(fails))
    made([*plan[:5], failing], tmp_path / "healed")
    fails.unlink()
    healed = made([*plan[:5], failing], tmp_path / "healed")
    assert rows(healed) == rows(made([*plan[:5], failing], tmp_path / "fresh"))
    assert pq.read_table(healed / "runs").column("status").unique().to_pylist() == ["ok"]


def test_with_other_metrics_all_runs_are_measured_again(plan: list[PlannedRun], tmp_path: Path) -> None:
    made(plan[:5], tmp_path / "campaign")
    other = logging_metrics(str(tmp_path / "log"))
    tables = run_campaign(plan, tmp_path / "campaign", MASTER, simulate=fake_simulate, metrics=other).tables
    found = pq.read_table(tables / "metrics", filters=[("metric", "=", "frames_logged")])
    assert len(found) == len(plan)


def test_other_validities_make_no_other_table_again(plan: list[PlannedRun], tmp_path: Path) -> None:
    tables = made(plan, tmp_path)
    before = {name: (tables / name).stat().st_ino for name in (*TABLE_SCHEMAS, BY_VALIDITY)}
    run_campaign(plan, tmp_path, MASTER, simulate=fake_simulate, validities_s=(7.0,))
    after = {name: (tables / name).stat().st_ino for name in (*TABLE_SCHEMAS, BY_VALIDITY)}
    assert {name for name in before if before[name] != after[name]} == {BY_VALIDITY}
    names = set(pq.read_table(tables / BY_VALIDITY).column("metric").to_pylist())
    assert names == {"delivery_ratio@7", "reliability@7"}


def everything(tables: Path) -> Measurements:
    return measure.measure(tables, MASTER, VALIDITIES_S, Comparison("name", "a"))


def test_what_this_process_groups_is_what_spark_groups(
    plan: list[PlannedRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dies = planned("b", 9, raises_while=str(tmp_path))  # a folder is there, and so is the error
    tables = made([*plan, dies], tmp_path / "campaign")
    here = everything(tables)
    with monkeypatch.context() as limits:
        limits.setattr(measure, "ROWS_HERE_MAX", 0)
        limits.setattr("roamcast.campaigns.seed_samples.seed_samples", None)
        on_spark = everything(tables)
    assert list(here) == list(on_spark)
    assert {row.metric.partition("@")[2] for row in here} == {"", "5", "10"}, "no event was valid for 99 s"
    assert {row.seeds for row in here if row.metric == "delivery_ratio"} == {3}


def test_tables_without_the_validities_are_measured_all_the_same(plan: list[PlannedRun], tmp_path: Path) -> None:
    tables = made(plan, tmp_path)
    here = everything(tables)
    (tables / BY_VALIDITY / compaction.FINGERPRINT).unlink()
    assert not compaction.has_validities(tables, VALIDITIES_S, known_metrics)
    assert list(everything(tables)) == list(here)
