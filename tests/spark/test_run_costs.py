import json
from pathlib import Path
from typing import Any

from conftest import MASTER
from fake_runs import fake_simulate, made_up_facts, planned
from pyspark.sql import SparkSession

from roamcast.campaigns.campaign_folder import CampaignFolder
from roamcast.campaigns.plan import PlannedRun
from roamcast.campaigns.run_costs import corrected, learnt_costs
from roamcast.campaigns.run_files import OK, RunOutcome, run_row
from roamcast.campaigns.whole_files import write_parquet
from roamcast.spark.runs.campaign import run_campaign

SLOW: dict[str, Any] = {"protocol": {"name": "slow"}}
PLANNED = {"quick": 9.0, "slow": 1.0}
QUICK: dict[str, Any] = {"protocol": {"name": "quick"}}


def test_without_a_finished_run_the_estimate_of_the_plan_stays() -> None:
    missing = [planned("a", 1, cost=7.0)]
    assert corrected(missing, []) == missing


def test_a_run_costs_what_the_same_scenario_took_with_other_seeds() -> None:
    took = [(planned("a", seed, cost=7.0), cpu_s) for seed, cpu_s in ((1, 2.0), (2, 4.0))]
    assert [run.cost for run in corrected([planned("a", 3, cost=7.0)], took)] == [3.0]


def test_a_slow_protocol_makes_its_other_runs_long_ones() -> None:
    took = [(planned("a", 1, cost=10.0, **SLOW), 50.0), (planned("a", 1, cost=10.0, **QUICK), 1.0)]
    missing = [planned("b", 1, cost=20.0, **SLOW), planned("b", 1, cost=30.0, **QUICK), planned("b", 1, cost=20.0)]
    assert [round(run.cost, 6) for run in corrected(missing, took)] == [100.0, 3.0, 51.0]


def write_run(folder: CampaignFolder, run: PlannedRun, cpu_s: float) -> None:
    outcome = RunOutcome(OK, cpu_s=cpu_s, facts=made_up_facts("a", run.seed))
    write_parquet(run_row(run.run_id, run.seed, run.scenario_json, outcome), folder.run_file(run.run_id))


def test_costs_are_read_from_the_files_of_finished_runs(tmp_path: Path) -> None:
    folder = CampaignFolder(tmp_path)
    (tmp_path / "runs").mkdir()
    finished = [planned("a", seed, cost=1.0) for seed in range(3)]
    write_run(folder, finished[0], 1.0)
    write_run(folder, finished[1], 3.0)
    folder.run_file(finished[2].run_id).write_bytes(b"")  # what cannot be read teaches nothing
    (learnt,) = learnt_costs(folder, [planned("a", 9, cost=1.0)], finished)
    assert (learnt.cost, json.loads(learnt.scenario_json)["name"]) == (2.0, "a")


def test_a_campaign_starts_with_what_took_long_before(tmp_path: Path, spark: SparkSession) -> None:
    assert spark.sparkContext.defaultParallelism == 2
    folder, log = CampaignFolder(tmp_path / "out"), str(tmp_path / "log")
    (folder.root / "runs").mkdir(parents=True)
    # By the plan's own estimate, the quick one would come first.
    quick, slow = ([planned(name, seed, cost=cost, log=log) for seed in range(4)] for name, cost in PLANNED.items())
    write_run(folder, quick[0], 1.0)
    write_run(folder, slow[0], 50.0)
    result = run_campaign([*quick, *slow], folder.root, MASTER, simulate=fake_simulate)
    assert (result.kept, result.simulated) == (2, 6)
    assert Path(log).read_text(encoding="utf-8").startswith("slow ")
